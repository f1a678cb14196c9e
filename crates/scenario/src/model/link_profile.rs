//! `[links.profile]`: what a link follows, pipe after pipe, or one for each packet.

use super::limit::{LONGEST_S, Limit, above, from};
pub use hopwright_shape::profile::Mode as ProfileMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A connection that was recorded somewhere else, as pipes that a link follows. Delay and losses of the link are those
/// of the pipes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkProfile {
    /// How the pipes are used.
    #[serde(flatten)]
    pub rules: ProfileRules,
    /// The pipes, in order.
    pub pipes: Vec<ProfilePipe>,
}

/// How the pipes of a profile are used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileRules {
    /// Whether one pipe follows another, or all pipes are used at once.
    #[serde(default)]
    pub mode: ProfileMode,
    /// Whether the first pipe follows the last pipe again. If not, the last pipe stays. Only with `mode =
    /// "sequential"`.
    #[serde(default)]
    pub repeat: bool,
    /// In which direction the pipes lose packets.
    #[serde(default)]
    pub losses: ProfileLosses,
    /// In which direction the pipes delay packets.
    #[serde(default)]
    pub delays: ProfileDelays,
}

/// In which direction the pipes of a profile lose packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileLosses {
    /// From `from` to `to`: the direction of the data.
    #[default]
    Forward,
    /// From `to` to `from`.
    Reverse,
    /// In both directions.
    Both,
}

/// In which direction the pipes of a profile delay packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileDelays {
    /// In both directions: half of the round trip in each.
    #[default]
    Both,
    /// From `from` to `to`, the direction of the data: the whole round trip.
    Forward,
    /// From `to` to `from`: the whole round trip.
    Reverse,
}

/// One pipe of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfilePipe {
    /// Round-trip time, ms.
    pub rtt_ms: f64,
    /// With `mode = "sequential"`: how long the pipe lasts, seconds. 0: the last pipe, which stays.
    #[serde(default)]
    pub lifetime_s: f64,
    /// With `mode = "simultaneous"`: the share of packets that take the pipe. The sum over all pipes is 1.
    #[serde(default)]
    pub probability: f64,
    /// Packets that the pipe loses, per cent.
    #[serde(default)]
    pub loss_percent: f64,
    /// Rate of the pipe, kb/s. Default: the rate of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_kbps: Option<f64>,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("rtt_ms", 0.0, 1e6),
    from("lifetime_s", 0.0, LONGEST_S),
    from("probability", 0.0, 1.0),
    from("loss_percent", 0.0, 100.0),
    above("rate_kbps", 0.0, 1e9),
];
