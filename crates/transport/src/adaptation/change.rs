//! What a row of the table did.

use hopwright_machine::Time;

use super::Monitor;

/// What a row did.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// When.
    pub at: Time,
    /// The row, from 0.
    pub row: usize,
    /// Whether it took back what it had set.
    pub is_back: bool,
    /// Why the connection refused it, if it did: nothing changed.
    pub refused: Option<String>,
    /// What was measured, and is; in the order of the row's conditions.
    pub seen: Vec<(Monitor, Option<f64>)>,
    /// The mechanisms it set, or would have: pairs of slot and part.
    pub set: Vec<(String, String)>,
}

/// In a line: `trigger 0 (loss 2.4 %): avoidance = vegas, response = spare`.
impl core::fmt::Display for Change {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let told = |(monitor, value): &(Monitor, Option<f64>)| match value {
            _ if *monitor == Monitor::Interface => format!("interface {}", value.unwrap_or(0.0)),
            Some(value) => format!("{} {} {}", monitor.name(), significant(*value), monitor.unit()),
            None => format!("{} not known", monitor.name()),
        };
        let seen: Vec<String> = self.seen.iter().map(told).collect();
        let set: Vec<String> = self.set.iter().map(|(slot, part)| format!("{slot} = {part}")).collect();
        let back = if self.is_back { " goes back" } else { "" };
        write!(f, "trigger {}{back} ({}): {}", self.row, seen.join(", "), set.join(", "))?;
        self.refused.as_ref().map_or(Ok(()), |reason| write!(f, ", refused: {reason}"))
    }
}

/// A value in three figures, or all those before the point.
fn significant(value: f64) -> String {
    if !value.is_finite() {
        return "infinite".to_owned();
    }
    let places = [1.0, 10.0, 100.0].iter().filter(|&&least| value.abs() >= least).count();
    format!("{value:.*}", 3 - places)
}
