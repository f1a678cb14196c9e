//! Slot: what signals from routing do.

use core::fmt::Debug;

use hopwright_machine::Duration;

use super::{Ack, Part, Sign, Signal};
use crate::engine::Public;

mod door;
mod ignore;

pub use door::DOOR;
pub use ignore::IGNORE;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Path>] = &[IGNORE, DOOR];

/// Answers what happens to the route.
pub trait Path: Debug + Send {
    /// Called for every signal, for every ACK, before other slots see it, and for every sign of loss, before it is
    /// answered.
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling;

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// What happens to the route, as far as the sender can tell.
#[derive(Clone, Copy, Debug)]
pub enum PathEvent<'a> {
    /// Routing says so.
    Signal(Signal),
    /// Something came through. An old one, too.
    Ack(&'a Ack<'a>),
    /// A loss is about to be answered.
    Loss(Sign),
}

/// What becomes of the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ruling {
    /// Whether it may go on.
    pub standing: Standing,
    /// What its windows and timer shall be again.
    pub restore: Option<Windows>,
}

impl From<Standing> for Ruling {
    fn from(standing: Standing) -> Self {
        Self { standing, restore: None }
    }
}

/// The state of congestion control.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Windows {
    /// Congestion window, in bytes.
    pub cwnd: f64,
    /// Slow-start threshold, in bytes.
    pub ssthresh: f64,
    /// The retransmission time-out.
    pub rto: Duration,
}

/// Whether the sender may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It may.
    Open,
    /// It may, but its windows and timer stay as they are, whatever is lost or acknowledged.
    Constant,
    /// It stands still: nothing is sent, the retransmission timer is off, windows and estimates stay.
    Frozen,
}
