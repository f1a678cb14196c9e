//! Slot: why a segment was lost.

use core::fmt::Debug;

use super::{Ack, Cause, Sign};
use crate::engine::Public;

mod blame_congestion;

pub use blame_congestion::BLAME_CONGESTION;

/// Finds the cause of a loss from what only the sender can see.
pub trait Diagnosis: Debug + Send {
    /// Called once per ACK that advances or duplicates.
    fn on_ack(&mut self, _p: &Public, _ack: &Ack<'_>) {}

    /// Called once per loss, before anything changes.
    fn diagnose(&mut self, p: &Public, sign: Sign) -> Cause;
}
