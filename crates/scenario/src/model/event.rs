//! What a script does to nodes.

use super::limit::{COUNT, LONGEST_S, Limit, above, from};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One entry of `[[events]]`. The variant is chosen by the key `do`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Event {
    /// The node moves from its current place to another place, and stays there.
    Move(Move),
    /// The node goes down: its radio is off, and packets that it has to send are dropped.
    Down(Down),
    /// The node comes up again.
    Up(Up),
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] =
    &[from("at_s", 0.0, LONGEST_S), from("node", 0.0, COUNT), from("to_m", -1e6, 1e6), above("speed_mps", 0.0, 1e4)];

impl Event {
    /// The values of `do`.
    pub const KINDS: &[&str] = &["move", "down", "up"];

    /// When it happens, seconds.
    #[must_use]
    pub const fn at_s(&self) -> f64 {
        match self {
            Self::Move(e) => e.at_s,
            Self::Down(e) => e.at_s,
            Self::Up(e) => e.at_s,
        }
    }

    /// To whom.
    #[must_use]
    pub const fn node(&self) -> u32 {
        match self {
            Self::Move(e) => e.node,
            Self::Down(e) => e.node,
            Self::Up(e) => e.node,
        }
    }
}

/// The node moves from its current place to another place, and stays there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Time of the event, seconds.
    pub at_s: f64,
    /// The node.
    pub node: u32,
    /// The place to which the node moves, `[x, y]`, metres.
    #[serde(deserialize_with = "super::place::place")]
    pub to_m: [f64; 2],
    /// Speed of the movement, m/s.
    pub speed_mps: f64,
}

/// The node goes down: its radio is off, and packets that it has to send are dropped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Down {
    /// Time of the event, seconds.
    pub at_s: f64,
    /// The node.
    pub node: u32,
}

/// The node comes up again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Up {
    /// Time of the event, seconds.
    pub at_s: f64,
    /// The node.
    pub node: u32,
}
