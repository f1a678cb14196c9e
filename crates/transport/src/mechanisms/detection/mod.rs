//! Slot: what counts as a loss.

use core::fmt::Debug;

use super::{Ack, Part, Sign};
use crate::view::Public;

mod duplicate_acks;
mod eln;
mod sack;
mod vegas;

use duplicate_acks::DuplicateAcks;

pub use duplicate_acks::DUPLICATE_ACKS;
pub use eln::ELN;
pub use sack::SACK;
pub use vegas::VEGAS;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Detection>] = &[DUPLICATE_ACKS, SACK, VEGAS, ELN];

/// Reads losses out of acknowledgements.
pub trait Detection: Debug + Send {
    /// The connection is open; `p.round.base` is the time the handshake took, if that could be measured.
    fn on_open(&mut self, _p: &Public) {}

    /// In how many places it keeps the times of segments, one in turn for each; 0: in as many as it takes. See
    /// `SentLog`.
    fn places(&self) -> u32 {
        0
    }

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
    /// ns-2's Vegas: that what comes next is missing, even where it never left. It leaves, and still comes next.
    Early,
    /// A loss.
    Loss(Sign),
}
