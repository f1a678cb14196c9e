//! `[routing.olsr]`.

use hopwright_routing::olsr::{Config, Hysteresis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::limit::{LONGEST_S, Limit, PERIOD_S, SHORTEST_S, above, from};
use super::{Profile, RoutingTable, millis, seconds};

/// Which set of constants holds for OLSR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OlsrProfile {
    /// RFC 3626, its core functions.
    Rfc,
    /// OOLSR with the settings of Papanastasiou 2006.
    Papanastasiou,
}

impl From<Profile> for OlsrProfile {
    /// ns-2.35 has no OLSR.
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Standard | Profile::Ns2 => Self::Rfc,
        }
    }
}

/// Parameters of OLSR. MID and HNA messages are not made: a node has one interface and no network behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Olsr {
    /// Which constants are used.
    pub profile: OlsrProfile,
    /// The longest time between two HELLOs, seconds.
    pub hello_interval_s: f64,
    /// The time within which every link is named in a HELLO, seconds. Default with profile rfc: `hello_interval_s`.
    pub refresh_interval_s: f64,
    /// The longest time between two TC messages, seconds.
    pub tc_interval_s: f64,
    /// How long the information of a HELLO is valid, seconds. Default with profile rfc: three times
    /// `refresh_interval_s`.
    pub neighbour_hold_time_s: f64,
    /// How long the information of a TC message is valid, seconds. Default with profile rfc: three times
    /// `tc_interval_s`.
    pub topology_hold_time_s: f64,
    /// How long a node remembers a flooded message, seconds.
    pub duplicate_hold_time_s: f64,
    /// Upper limit of the random time by which intervals are shorter, and for which flooded messages wait,
    /// milliseconds. Default with profile rfc: a quarter of `hello_interval_s`.
    pub max_jitter_ms: f64,
    /// How willing a node is to carry packets of other nodes: 0 never, 3 the usual value, 7 always.
    pub willingness: u8,
    /// Which neighbours TC messages advertise. 0: neighbours that chose the node as multipoint relay. 1: also the
    /// node's own multipoint relays. 2: all neighbours.
    pub tc_redundancy: u8,
    /// Number of multipoint relays that should reach each two-hop neighbour.
    pub mpr_coverage: u8,
    /// Whether a link must be good for some time before it is used, and bad for some time before it is given up.
    pub hysteresis: bool,
    /// Link quality above which a link is used.
    pub hysteresis_high: f64,
    /// Link quality below which a link is lost.
    pub hysteresis_low: f64,
    /// The weight of one packet in the link quality.
    pub hysteresis_scaling: f64,
    /// Whether a link is lost when the link layer gives up a packet.
    pub link_layer_notification: bool,
    /// Whether a node tells a change of its advertised neighbours at once. If not, it waits for the next periodic TC
    /// message.
    pub immediate_tc: bool,
    /// Whether a node sends on flooded messages at once, each alone. If not, it sends them together after a random
    /// wait.
    pub immediate_forwarding: bool,
}

/// The longest time that a message can state (RFC 3626 §18.3).
const LONGEST_OLSR_S: f64 = 3968.0;

/// What its numbers may be.
pub(crate) const LIMITS: &[Limit] = &[
    from("hello_interval_s", PERIOD_S, LONGEST_OLSR_S),
    from("refresh_interval_s", PERIOD_S, LONGEST_OLSR_S),
    from("tc_interval_s", PERIOD_S, LONGEST_OLSR_S),
    from("neighbour_hold_time_s", SHORTEST_S, LONGEST_OLSR_S),
    from("topology_hold_time_s", SHORTEST_S, LONGEST_OLSR_S),
    from("duplicate_hold_time_s", SHORTEST_S, LONGEST_S),
    from("max_jitter_ms", 0.0, 1e6),
    from("willingness", 0.0, 7.0),
    from("tc_redundancy", 0.0, 2.0),
    from("mpr_coverage", 1.0, 255.0),
    from("hysteresis_high", 0.0, 1.0),
    from("hysteresis_low", 0.0, 1.0),
    above("hysteresis_scaling", 0.0, 1.0),
];

impl RoutingTable for Olsr {
    type Profile = OlsrProfile;
    type Config = Config;
    const NAME: &'static str = "olsr";
    const ONLY: &'static [(&'static [&'static str], &'static [&'static str])] = &[];
    const FOLLOWS: &'static [(&'static str, &'static [&'static str])] = &[
        ("refresh_interval_s", &["hello_interval_s"]),
        ("neighbour_hold_time_s", &["refresh_interval_s"]),
        ("topology_hold_time_s", &["tc_interval_s"]),
        ("max_jitter_ms", &["hello_interval_s"]),
    ];

    fn of_profile(profile: OlsrProfile) -> Self {
        let c = match profile {
            OlsrProfile::Rfc => Config::rfc(),
            OlsrProfile::Papanastasiou => Config::papanastasiou(),
        };
        let rule = c.hysteresis.unwrap_or_default();
        Self {
            profile,
            hello_interval_s: c.hello_interval.as_secs_f64(),
            refresh_interval_s: c.refresh_interval.as_secs_f64(),
            tc_interval_s: c.tc_interval.as_secs_f64(),
            neighbour_hold_time_s: c.neighbour_hold_time.as_secs_f64(),
            topology_hold_time_s: c.topology_hold_time.as_secs_f64(),
            duplicate_hold_time_s: c.duplicate_hold_time.as_secs_f64(),
            max_jitter_ms: c.max_jitter.as_nanos() as f64 / 1e6,
            willingness: c.willingness,
            tc_redundancy: c.tc_redundancy,
            mpr_coverage: c.mpr_coverage,
            hysteresis: c.hysteresis.is_some(),
            hysteresis_high: rule.high,
            hysteresis_low: rule.low,
            hysteresis_scaling: rule.scaling,
            link_layer_notification: c.link_layer_notification,
            immediate_tc: c.immediate_tc,
            immediate_forwarding: c.immediate_forwarding,
        }
    }

    fn profile(&self) -> OlsrProfile {
        self.profile
    }

    /// Constants that the RFC derives from others follow these (§18.2, §18.3).
    fn derive(&mut self, given: impl Fn(&str) -> bool) {
        if self.profile != OlsrProfile::Rfc {
            return;
        }
        if !given("refresh_interval_s") {
            self.refresh_interval_s = self.hello_interval_s;
        }
        if !given("neighbour_hold_time_s") {
            self.neighbour_hold_time_s = 3.0 * self.refresh_interval_s;
        }
        if !given("topology_hold_time_s") {
            self.topology_hold_time_s = 3.0 * self.tc_interval_s;
        }
        if !given("max_jitter_ms") {
            self.max_jitter_ms = self.hello_interval_s * 1000.0 / 4.0;
        }
    }

    fn idle(&self) -> Vec<(&'static [&'static str], &'static str)> {
        let mut idle: Vec<(&'static [&'static str], _)> = Vec::new();
        if !self.hysteresis {
            idle.push((&["hysteresis_high", "hysteresis_low", "hysteresis_scaling"], "hysteresis = true"));
        }
        // Such a node advertises only who chose it, and nobody does (§15.1).
        if self.willingness == 0 {
            idle.push((&["tc_redundancy"], "willingness above 0"));
        }
        idle
    }

    fn config(&self) -> Config {
        let rule =
            Hysteresis { high: self.hysteresis_high, low: self.hysteresis_low, scaling: self.hysteresis_scaling };
        Config {
            hello_interval: seconds(self.hello_interval_s),
            refresh_interval: seconds(self.refresh_interval_s),
            tc_interval: seconds(self.tc_interval_s),
            neighbour_hold_time: seconds(self.neighbour_hold_time_s),
            topology_hold_time: seconds(self.topology_hold_time_s),
            duplicate_hold_time: seconds(self.duplicate_hold_time_s),
            max_jitter: millis(self.max_jitter_ms),
            willingness: self.willingness,
            tc_redundancy: self.tc_redundancy,
            mpr_coverage: self.mpr_coverage,
            hysteresis: self.hysteresis.then_some(rule),
            link_layer_notification: self.link_layer_notification,
            immediate_tc: self.immediate_tc,
            immediate_forwarding: self.immediate_forwarding,
        }
    }
}
