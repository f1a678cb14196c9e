//! Slot: when an acknowledgement leaves.

use core::fmt::Debug;

use hopwright_machine::Time;

mod delayed;
mod every;

pub use delayed::DELAYED;
pub use every::EVERY;

/// Paces a receiver's acknowledgements.
pub trait Acking: Debug + Send {
    /// Called once per segment that carried data, after the data was taken in.
    fn on_data(&mut self, arrival: &Arrival) -> When;
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
}

/// When the acknowledgement shall leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At once.
    Now,
    /// At this time at the latest, whatever was said about earlier segments; earlier if data goes the same way.
    By(Time),
}
