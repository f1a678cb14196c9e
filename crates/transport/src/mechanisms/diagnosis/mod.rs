//! Slot: why a segment was lost.

use core::fmt::Debug;

use super::acking::Arrival;
use super::{Ack, Cause, Part, Sign};
use crate::engine::Public;

mod blame_congestion;

pub use blame_congestion::BLAME_CONGESTION;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Diagnosis>] = &[BLAME_CONGESTION];

/// Finds the cause of a loss from what only the sender can see.
pub trait Diagnosis: Debug + Send {
    /// Called once per ACK that advances or duplicates.
    fn on_ack(&mut self, _p: &Public, _ack: &Ack<'_>) {}

    /// Called once per loss, before anything changes.
    fn diagnose(&mut self, p: &Public, sign: Sign) -> Cause;

    /// At the receiver, with `Needs::NOTICES`: called once per data segment. Returns whether its acknowledgement
    /// tells the sender that the channel lost what is missing.
    fn on_arrival(&mut self, _arrival: &Arrival) -> bool {
        false
    }

    /// At the receiver, with `Needs::NOTICES`: the link layer saw the segment that begins at this position of
    /// the peer's stream come damaged; `next` is the first byte missing.
    fn on_corrupted(&mut self, _seq: u64, _next: u64) {}

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}
