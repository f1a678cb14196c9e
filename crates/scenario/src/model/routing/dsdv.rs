//! `[routing.dsdv]`.

use hopwright_routing::dsdv::{Config, Rules};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::limit::{LONGEST_S, Limit, PERIOD_S, from};
use super::{Profile, RoutingTable, millis, seconds};

/// Whose rules and constants hold for DSDV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DsdvProfile {
    /// Those of Perkins and Bhagwat 1994.
    Perkins,
    /// ns-2.35.
    Ns2,
}

impl From<Profile> for DsdvProfile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Standard => Self::Perkins,
            Profile::Ns2 => Self::Ns2,
        }
    }
}

/// Parameters of DSDV.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dsdv {
    /// Which constants and which rules are used.
    pub profile: DsdvProfile,
    /// The longest time between two full updates, seconds. The shortest time is three quarters of the longest.
    pub update_interval_s: f64,
    /// Number of intervals of silence after which a neighbour is lost.
    pub missed_updates: u32,
    /// The settling time of a destination about which nothing is known yet, seconds. A node tells a changed route after
    /// twice the settling time.
    pub initial_settling_time_s: f64,
    /// The weight of former values in the average settling time.
    pub settling_weight: f64,
    /// The shortest time between a triggered update and the update before it, seconds.
    pub trigger_spacing_s: f64,
    /// Whether a newer sequence number alone triggers an update (DSDV-SQ).
    pub trigger_on_sequence: bool,
    /// Upper limit of the random time that a broadcast waits, milliseconds.
    pub broadcast_jitter_ms: f64,
    /// Upper limit of the random time at which the first update leaves, seconds.
    pub start_jitter_s: f64,
    /// Largest number of packets that a node keeps for each destination without a route.
    pub buffer_packets: u32,
    /// Whether a neighbour is lost when the link layer cannot reach it.
    pub link_layer_feedback: bool,
}

/// What its numbers may be.
pub(crate) const LIMITS: &[Limit] = &[
    from("update_interval_s", PERIOD_S, LONGEST_S),
    from("missed_updates", 1.0, 1000.0),
    from("initial_settling_time_s", 0.0, LONGEST_S),
    from("settling_weight", 0.0, 1.0),
    from("trigger_spacing_s", 0.0, LONGEST_S),
    from("broadcast_jitter_ms", 0.0, 1e6),
    from("start_jitter_s", 0.0, LONGEST_S),
    from("buffer_packets", 0.0, 1e6),
];

impl RoutingTable for Dsdv {
    type Profile = DsdvProfile;
    type Config = Config;
    const NAME: &'static str = "dsdv";
    const ONLY: &'static [(&'static [&'static str], &'static [&'static str])] = &[];

    fn of_profile(profile: DsdvProfile) -> Self {
        let c = match profile {
            DsdvProfile::Perkins => Config::perkins(),
            DsdvProfile::Ns2 => Config::ns2(),
        };
        Self {
            profile,
            update_interval_s: c.update_interval.as_secs_f64(),
            missed_updates: c.missed_updates,
            initial_settling_time_s: c.initial_settling_time.as_secs_f64(),
            settling_weight: c.settling_weight,
            trigger_spacing_s: c.trigger_spacing.as_secs_f64(),
            trigger_on_sequence: c.trigger_on_sequence,
            broadcast_jitter_ms: c.broadcast_jitter.as_nanos() as f64 / 1e6,
            start_jitter_s: c.start_jitter.as_secs_f64(),
            buffer_packets: c.buffer_packets as u32,
            link_layer_feedback: c.link_layer_feedback,
        }
    }

    fn profile(&self) -> DsdvProfile {
        self.profile
    }

    fn config(&self) -> Config {
        let rules = match self.profile {
            DsdvProfile::Perkins => Rules::Perkins,
            DsdvProfile::Ns2 => Rules::Ns2,
        };
        Config {
            rules,
            update_interval: seconds(self.update_interval_s),
            missed_updates: self.missed_updates,
            initial_settling_time: seconds(self.initial_settling_time_s),
            settling_weight: self.settling_weight,
            trigger_spacing: seconds(self.trigger_spacing_s),
            trigger_on_sequence: self.trigger_on_sequence,
            broadcast_jitter: millis(self.broadcast_jitter_ms),
            start_jitter: seconds(self.start_jitter_s),
            buffer_packets: self.buffer_packets as usize,
            link_layer_feedback: self.link_layer_feedback,
        }
    }
}
