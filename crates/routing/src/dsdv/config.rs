//! The parameters of DSDV.
//!
//! Spec      Perkins and Bhagwat 1994; constants of Broch et al. 1998 (table 2), which ns-2.35 has too
//! Deviates  nothing
//! Holds     nothing of the run: constants only

use hopwright_machine::Duration;

/// Whose rules are followed, where they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Perkins and Bhagwat 1994.
    Perkins,
    /// ns-2.35.
    Ns2,
}

/// Parameters of DSDV.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Whose rules are followed.
    pub rules: Rules,
    /// The longest time between two full updates; the shortest is three quarters of it.
    pub update_interval: Duration,
    /// After so many update intervals of silence a neighbour is lost.
    pub missed_updates: u32,
    /// The settling time of a destination of which nothing is known yet.
    pub initial_settling_time: Duration,
    /// The weight of the past in the average settling time, 0 to 1.
    pub settling_weight: f64,
    /// The shortest time between a triggered update and the update before it.
    pub trigger_spacing: Duration,
    /// Whether a newer sequence number alone triggers an update (the variant DSDV-SQ of Broch et al. 1998).
    pub trigger_on_sequence: bool,
    /// Broadcasts wait for a random time below this.
    pub broadcast_jitter: Duration,
    /// The first update leaves at a random time below this.
    pub start_jitter: Duration,
    /// Packets kept for each destination without a route; the oldest goes when one too many comes.
    pub buffer_packets: usize,
    /// Whether a neighbour is lost when the link layer cannot reach it.
    pub link_layer_feedback: bool,
}

impl Config {
    /// Perkins and Bhagwat 1994, with the constants that they leave open from Broch et al. 1998.
    #[must_use]
    pub const fn perkins() -> Self {
        Self {
            rules: Rules::Perkins,
            update_interval: Duration::from_secs(15),
            missed_updates: 3,
            initial_settling_time: Duration::from_secs(6),
            settling_weight: 0.875,
            trigger_spacing: Duration::from_secs(1),
            trigger_on_sequence: false,
            broadcast_jitter: Duration::from_millis(10),
            start_jitter: Duration::from_secs(2),
            buffer_packets: 5,
            link_layer_feedback: true,
        }
    }

    /// The DSDV of ns-2.35 with its usual settings: no link-layer feedback.
    #[must_use]
    pub const fn ns2() -> Self {
        Self { rules: Rules::Ns2, link_layer_feedback: false, ..Self::perkins() }
    }

    /// Silence after which a neighbour is lost.
    #[must_use]
    pub fn neighbour_timeout(&self) -> Duration {
        self.update_interval * u64::from(self.missed_updates)
    }
}
