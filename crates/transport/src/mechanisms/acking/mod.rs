//! Slot: when an acknowledgement leaves.

use core::fmt::Debug;

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Extra;

use super::Part;
use crate::view::Public;

mod altman_jimenez;
mod daa;
mod delayed;
mod every;
mod every_k;
mod polled;
mod tuned;

pub use altman_jimenez::ALTMAN_JIMENEZ;
pub use daa::DAA;
pub use delayed::DELAYED;
pub use every::EVERY;
pub use every_k::EVERY_K;
pub use polled::POLLED;
pub use tuned::TUNED;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Acking>] = &[EVERY, DELAYED, EVERY_K, ALTMAN_JIMENEZ, DAA, TUNED, POLLED];

/// No acknowledgement shall be delayed for longer (RFC 1122 §4.2.3.2, RFC 5681 §4.2).
const LONGEST: Duration = Duration::from_millis(500);

/// Paces a receiver's acknowledgements.
pub trait Acking: Debug + Send {
    /// Called once per segment that carried data, after the data was taken in.
    fn on_data(&mut self, arrival: &Arrival) -> When;

    /// The acknowledgement that waited for its time leaves now.
    fn on_timer(&mut self, _now: Time) {}

    /// An acknowledgement has left, alone or with data. Returns when the next one shall, even if nothing comes (with
    /// `Needs::REQUESTS`, as long as the peer may send).
    fn on_ack_sent(&mut self, _now: Time) -> Option<Time> {
        None
    }

    /// Called for every data segment about to be sent: what it asks of the peer's acknowledgements (with
    /// `Needs::REQUESTS`).
    fn request(&mut self, _p: &Public, _leaving: &Leaving, _extra: &mut Extra) {}

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// The facts of one data segment at the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The time.
    pub now: Time,
    /// Whether it brought the next byte in order.
    pub is_in_order: bool,
    /// Whether data beyond a gap was, or still is, waiting when it came.
    pub had_gap: bool,
    /// Whether all of it had been there before.
    pub is_duplicate: bool,
    /// Whether it ends where the bytes in order end: it is the newest of them, new or once more.
    pub is_newest: bool,
    /// Segments that came since the last acknowledgement, this one included; one of several times the usual
    /// size counts as several.
    pub unacknowledged: u32,
    /// Its payload in bytes.
    pub bytes: u32,
    /// Bytes it leaves out after the newest that had come before it; zero if it brings nothing newer.
    pub skipped: u64,
    /// What a segment of the usual size holds.
    pub mss: u32,
    /// How long it was on its way, by the sender's timestamp: against an unknown offset, to be compared only
    /// (with timestamps).
    pub one_way: Option<Duration>,
    /// What the sender asks and tells.
    pub extra: Extra,
}

/// The facts of one data segment that is about to leave. Positions are those of the public state, which does not
/// count it yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaving {
    /// The position of its first byte.
    pub start: u64,
    /// The position after its last byte.
    pub end: u64,
    /// Whether nothing that was written follows.
    pub is_last: bool,
}

/// When the acknowledgement shall leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At once.
    Now,
    /// At this time at the latest, whatever was said about earlier segments; earlier if data goes the same way.
    /// `Time::NEVER`: it waits for another reason.
    By(Time),
}

#[cfg(test)]
mod testing {
    use super::*;

    /// A segment in order, the so manieth since the last acknowledgement.
    pub(super) fn in_order(now: Time, unacknowledged: u32) -> Arrival {
        Arrival {
            now,
            is_in_order: true,
            had_gap: false,
            is_duplicate: false,
            is_newest: true,
            unacknowledged,
            bytes: 1000,
            skipped: 0,
            mss: 1000,
            one_way: None,
            extra: Extra::default(),
        }
    }
}
