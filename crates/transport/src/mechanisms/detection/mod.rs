//! Slot: what counts as a loss.

use core::fmt::Debug;

use super::{Ack, Sign};
use crate::engine::Public;

mod duplicate_acks;

pub use duplicate_acks::DUPLICATE_ACKS;

/// Reads losses out of acknowledgements.
pub trait Detection: Debug + Send {
    /// Called once per ACK that advances or duplicates, also in recovery. What is found there is for the
    /// recovery slot, and the engine does not act on the answer.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Evidence;
}

/// What an acknowledgement shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Nothing.
    Nothing,
    /// That a segment left the network, too little to believe in a loss: worth a new segment (RFC 3042).
    Departure,
    /// A loss.
    Loss(Sign),
}
