//! How nodes move.

use super::limit::{LONGEST_S, Limit, PERIOD_S, SHORTEST_M, above, from};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How nodes move. The variant is chosen by the key `model`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "model", rename_all = "kebab-case")]
pub enum Mobility {
    /// Nodes stay where the topology puts them, or move as the file of the topology says.
    Static(Static),
    /// Nodes stay or move as with `static`, and `[[events]]` move them, too.
    Scripted(Scripted),
    /// Each node chooses a place, moves straight there, pauses, and chooses the next place.
    RandomWaypoint(RandomWaypoint),
    /// Each node moves in legs. For each leg it chooses a new direction and a new speed. The borders of the area
    /// reflect nodes.
    RandomWalk(RandomWalk),
    /// New speeds and directions of a node depend on its former speed and direction.
    GaussMarkov(GaussMarkov),
    /// Nodes move in groups. Members stay near their leader, and leaders move as with `random-waypoint`.
    ReferencePointGroup(ReferencePointGroup),
    /// Nodes move along streets and turn at crossings.
    Manhattan(Manhattan),
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("min_speed_mps", 0.0, 1e4),
    above("max_speed_mps", 0.0, 1e4),
    from("pause_s", 0.0, LONGEST_S),
    from("pause_max_s", 0.0, LONGEST_S),
    from("leg_s", PERIOD_S, LONGEST_S),
    from("leg_m", SHORTEST_M, 1e6),
    from("alpha", 0.0, 1.0),
    from("mean_speed_mps", 0.0, 1e4),
    from("speed_sd_mps", 0.0, 1e4),
    from("direction_sd_deg", 0.0, 360.0),
    from("update_interval_s", PERIOD_S, LONGEST_S),
    from("edge_m", 0.0, 1e6),
    from("groups", 1.0, 10_000.0),
    from("radius_m", 0.0, 1e6),
    from("deviation_m", 0.0, 1e6),
    from("blocks_x", 1.0, 10_000.0),
    from("blocks_y", 1.0, 10_000.0),
    from("turn_left", 0.0, 1.0),
    from("turn_right", 0.0, 1.0),
    from("acceleration_mps2", 0.0, 1e4),
];

impl Mobility {
    /// The values of `model`.
    pub const MODELS: &[&str] =
        &["static", "scripted", "random-waypoint", "random-walk", "gauss-markov", "reference-point-group", "manhattan"];

    /// The value of `model` where the file says nothing.
    pub const DEFAULT: &str = "static";

    /// The value of `model`.
    #[must_use]
    pub const fn model(&self) -> &'static str {
        match self {
            Self::Static(_) => "static",
            Self::Scripted(_) => "scripted",
            Self::RandomWaypoint(_) => "random-waypoint",
            Self::RandomWalk(_) => "random-walk",
            Self::GaussMarkov(_) => "gauss-markov",
            Self::ReferencePointGroup(_) => "reference-point-group",
            Self::Manhattan(_) => "manhattan",
        }
    }

    /// Whether the model itself moves nodes.
    #[must_use]
    pub const fn moves(&self) -> bool {
        !matches!(self, Self::Static(_) | Self::Scripted(_))
    }
}

/// Nodes stay where the topology puts them, or move as the file of the topology says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Static {}

/// Nodes stay or move as with `static`, and `[[events]]` move them, too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scripted {}

/// How nodes start to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// As if nodes had already moved for ever: place, remaining journey, speed and remaining pause (Navidi and Camp
    /// 2004).
    #[default]
    SteadyState,
    /// Nodes start anywhere in the area. Only their first speed is that of the steady state (setdest 2 of ns-2).
    Yoon,
    /// Nodes start where the topology puts them, with a pause. The distributions of speeds and places then drift.
    Uniform,
}

/// Each node chooses a place, moves straight there, pauses, and chooses the next place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomWaypoint {
    /// Lowest speed, m/s. The speed of each journey is drawn evenly from the range. 0 is allowed only with start =
    /// "uniform".
    pub min_speed_mps: f64,
    /// Highest speed, m/s.
    pub max_speed_mps: f64,
    /// Pause between journeys, seconds.
    pub pause_s: f64,
    /// Longest pause, seconds. If it is given, pauses are drawn evenly from `pause_s` to this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_max_s: Option<f64>,
    /// How nodes start to move.
    pub start: Start,
}

impl Default for RandomWaypoint {
    fn default() -> Self {
        Self { min_speed_mps: 1.0, max_speed_mps: 20.0, pause_s: 0.0, pause_max_s: None, start: Start::default() }
    }
}

/// Each node moves in legs. For each leg it chooses a new direction and a new speed. The borders of the area reflect
/// nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RandomWalk {
    /// Lowest speed, m/s. The speed of each leg is drawn evenly from the range.
    pub min_speed_mps: f64,
    /// Highest speed, m/s.
    pub max_speed_mps: f64,
    /// Duration of a leg, seconds. Default: 10, if `leg_m` is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leg_s: Option<f64>,
    /// Length of a leg, metres, instead of `leg_s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leg_m: Option<f64>,
}

impl RandomWalk {
    /// How long a leg lasts where the file says nothing, seconds.
    pub const LEG_S: f64 = 10.0;

    /// Fills in the length of legs if it is open.
    pub fn close(&mut self) {
        if self.leg_m.is_none() && self.leg_s.is_none() {
            self.leg_s = Some(Self::LEG_S);
        }
    }
}

impl Default for RandomWalk {
    fn default() -> Self {
        Self { min_speed_mps: 1.0, max_speed_mps: 20.0, leg_s: None, leg_m: None }
    }
}

/// New speeds and directions of a node depend on its former speed and direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussMarkov {
    /// Memory of speed and direction. With 0 both are drawn anew in each interval, with 1 they never change.
    pub alpha: f64,
    /// Mean speed, m/s.
    pub mean_speed_mps: f64,
    /// Standard deviation of the speed, m/s.
    pub speed_sd_mps: f64,
    /// Highest speed, m/s. Higher speeds are reduced to this speed.
    pub max_speed_mps: f64,
    /// Standard deviation of the direction, degrees.
    pub direction_sd_deg: f64,
    /// Time between two changes of speed and direction, seconds.
    pub update_interval_s: f64,
    /// Distance from an edge of the area, metres. Nearer to the edge, the mean direction points away from the edge.
    pub edge_m: f64,
}

impl Default for GaussMarkov {
    fn default() -> Self {
        Self {
            alpha: 0.75,
            mean_speed_mps: 10.0,
            speed_sd_mps: 1.0,
            max_speed_mps: 20.0,
            direction_sd_deg: 30.0,
            update_interval_s: 1.0,
            edge_m: 50.0,
        }
    }
}

/// Groups whose members keep near a leader, which moves by random waypoint. Nodes 0 to `groups` - 1 lead; node i is in
/// group i modulo `groups`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReferencePointGroup {
    /// Number of groups.
    pub groups: u32,
    /// Largest distance between a member's reference point and the leader, metres.
    pub radius_m: f64,
    /// Largest distance between a member and its reference point, metres.
    pub deviation_m: f64,
    /// Time between two changes of a member's movement, seconds.
    pub update_interval_s: f64,
    /// Lowest speed of a leader, m/s. The speed of each journey is drawn evenly from the range. 0 is allowed only with
    /// start = "uniform".
    pub min_speed_mps: f64,
    /// Highest speed, m/s.
    pub max_speed_mps: f64,
    /// Pause between a leader's journeys, seconds.
    pub pause_s: f64,
    /// Longest pause, seconds. If it is given, pauses are drawn evenly from `pause_s` to this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_max_s: Option<f64>,
    /// How leaders start to move.
    pub start: Start,
}

impl ReferencePointGroup {
    /// The part of the model that moves leaders.
    pub(crate) const fn leader(&self) -> RandomWaypoint {
        RandomWaypoint {
            min_speed_mps: self.min_speed_mps,
            max_speed_mps: self.max_speed_mps,
            pause_s: self.pause_s,
            pause_max_s: self.pause_max_s,
            start: self.start,
        }
    }
}

impl Default for ReferencePointGroup {
    fn default() -> Self {
        Self {
            groups: 4,
            radius_m: 100.0,
            deviation_m: 10.0,
            update_interval_s: 1.0,
            min_speed_mps: 1.0,
            max_speed_mps: 20.0,
            pause_s: 0.0,
            pause_max_s: None,
            start: Start::default(),
        }
    }
}

/// Nodes move along streets and turn at crossings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Manhattan {
    /// Number of blocks side by side. Streets run between and around blocks.
    pub blocks_x: u32,
    /// Number of blocks one above the other.
    pub blocks_y: u32,
    /// Probability of a turn to the left at a crossing.
    pub turn_left: f64,
    /// Probability of a turn to the right at a crossing. Otherwise a node goes straight on.
    pub turn_right: f64,
    /// Lowest speed, m/s.
    pub min_speed_mps: f64,
    /// Highest speed, m/s.
    pub max_speed_mps: f64,
    /// Largest change of a node's speed within a second, m/s².
    pub acceleration_mps2: f64,
    /// Time between two changes of speed, seconds.
    pub update_interval_s: f64,
}

impl Default for Manhattan {
    fn default() -> Self {
        Self {
            blocks_x: 10,
            blocks_y: 2,
            turn_left: 0.25,
            turn_right: 0.25,
            min_speed_mps: 1.0,
            max_speed_mps: 20.0,
            acceleration_mps2: 1.0,
            update_interval_s: 1.0,
        }
    }
}
