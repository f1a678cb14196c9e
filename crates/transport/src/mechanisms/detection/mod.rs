//! Slot: what counts as a loss.

use core::fmt::Debug;

use super::{Ack, Part, Sign};
use crate::engine::Public;

mod duplicate_acks;
mod eln;

pub use duplicate_acks::DUPLICATE_ACKS;
pub use eln::ELN;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Detection>] = &[DUPLICATE_ACKS, ELN];

/// Reads losses out of acknowledgements.
pub trait Detection: Debug + Send {
    /// Called once per ACK that advances or duplicates, also in recovery: the recovery slot says whether what is
    /// found there is another loss.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Evidence;

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// What an acknowledgement shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// Nothing.
    Nothing,
    /// That a segment left the network, too little to believe in a loss: worth a new segment (RFC 3042).
    Departure,
    /// That the first unacknowledged segment is missing, for a reason that asks for no answer but to send it again.
    Hole,
    /// A loss.
    Loss(Sign),
}
