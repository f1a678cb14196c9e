//! Slot: what signals from routing do.

use core::fmt::Debug;

use super::{Ack, Signal};
use crate::engine::Public;

mod ignore;

pub use ignore::IGNORE;

/// Answers what happens to the route.
pub trait Path: Debug + Send {
    /// Called for every signal, and for every ACK that advances or duplicates, before other slots see it.
    /// Returns whether the sender may go on.
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Standing;
}

/// What happens to the route, as far as the sender can tell.
#[derive(Clone, Copy, Debug)]
pub enum PathEvent<'a> {
    /// Routing says so.
    Signal(Signal),
    /// Something came through.
    Ack(&'a Ack<'a>),
}

/// Whether the sender may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It may.
    Open,
    /// It stands still: nothing is sent, the retransmission timer is off, windows and estimates stay.
    Frozen,
}
