//! Slot: when an acknowledgement leaves.

use core::fmt::Debug;

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Extra;

use super::Part;
use crate::engine::Public;

mod delayed;
mod every;

pub use delayed::DELAYED;
pub use every::EVERY;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Acking>] = &[EVERY, DELAYED];

/// Paces a receiver's acknowledgements.
pub trait Acking: Debug + Send {
    /// Called once per segment that carried data, after the data was taken in.
    fn on_data(&mut self, arrival: &Arrival) -> When;

    /// The acknowledgement that waited for its time leaves now.
    fn on_timer(&mut self, _now: Time) {}

    /// Called for every data segment sent: what it asks of the peer's acknowledgements (with `Needs::REQUESTS`).
    fn request(&mut self, _p: &Public, _extra: &mut Extra) {}

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

/// When the acknowledgement shall leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At once.
    Now,
    /// At this time at the latest, whatever was said about earlier segments; earlier if data goes the same way.
    By(Time),
}
