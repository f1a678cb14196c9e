//! What a connection met on its way, as a few pipes: the round trips, how long each lasted, what was lost meanwhile.
//!
//! Spec      A. Ghaleb-Seddik, TCP performance study and enhancements within wireless multi-hop ad hoc network environments
//!           (2009), chapter 3 (SEDLANE): pipes one after another, or all at once and one drawn for each packet

use hopwright_machine::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A path through a network that is somewhere else.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Profile {
    /// How the pipes are used.
    pub mode: Mode,
    /// The pipes, at least one, in the order in which the connection met them.
    pub pipes: Vec<Pipe>,
    /// `Sequential`: whether the first follows the last. If not, the last stays.
    pub repeats: bool,
}

/// Whether one pipe follows another, or all pipes are used at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Pipes follow one another. Each lasts for its `lifetime_s`, the first from the start of the run, or from the
    /// change that names the profile.
    #[default]
    Sequential,
    /// Each packet takes one pipe, by the `probability` of the pipes. Packets keep their order unless `reorder = true`.
    Simultaneous,
}

/// One kind of path.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Pipe {
    /// The round trip: half of it in each direction, unless one takes all of it (`follow::Share`).
    pub rtt: Duration,
    /// How long it lasts, if one follows another.
    pub lifetime: Duration,
    /// The share of packets that take it, if all are there at once: 0 to 1, together 1.
    pub probability: f64,
    /// The share of packets that it loses in the direction of the data: 0 to 1.
    pub loss: f64,
    /// How fast it sends, bit/s; `None`: at once.
    pub rate_bps: Option<f64>,
}
