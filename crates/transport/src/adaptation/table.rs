//! The table of triggers: rows, each with its conditions and what it sets.
//!
//! Spec      Velayutham 2005 §3.5 (a trigger, and the module that it loads)

use super::monitor::Monitor;
use super::settings::Settings;

/// On which side of its bound a value makes a condition true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// It is more.
    Above,
    /// It is less.
    Below,
    /// It is just that.
    Is,
}

/// Something that may be true of the path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Condition {
    /// What is measured.
    pub monitor: Monitor,
    /// On which side of the bound it is to be.
    pub side: Side,
    /// The bound, in the monitor's unit.
    pub bound: f64,
    /// The bound that it must come back over before the condition is false again; the same as `bound` for none.
    pub until: f64,
}

/// A row of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Trigger {
    /// Its conditions.
    pub when: Vec<Condition>,
    /// Whether one of them is enough.
    pub any: bool,
    /// The mechanisms it sets: pairs of slot and part.
    pub set: Vec<(String, String)>,
    /// Whether the slots go back when it is not true any more.
    pub back: bool,
}

/// The triggers of a connection, and how they are served.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Triggers {
    /// The table.
    pub rows: Vec<Trigger>,
    /// How it is served.
    pub settings: Settings,
}
