//! Slot: the window offered to the peer.

use core::fmt::Debug;

use hopwright_machine::{Duration, Time};

use super::Part;
use crate::view::Public;

mod free_buffer;
mod separation;
mod tcc;

pub use free_buffer::FREE_BUFFER;
pub use separation::SEPARATION;
pub use tcc::TCC;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Offer>] = &[FREE_BUFFER, TCC, SEPARATION];

/// Sets what a receiver advertises.
pub trait Offer: Debug + Send {
    /// With `Needs::STAMPS`: called once per data segment, after it was taken in.
    fn on_data(&mut self, _delivery: &Delivery) {}

    /// With `Needs::SPACING`: called once per data segment that brings something new.
    fn on_separation(&mut self, _separated: &Separated) {}

    /// With `Needs::SPACING`: the congestion window that the sender shall have, in bytes, if this slot says.
    fn told(&self) -> Option<u64> {
        None
    }

    /// Called when an acknowledgement leaves, if since the last one data came or were read, or the mechanism is new.
    /// Returns the bytes that may follow those received in order; the
    /// engine never takes back what it offered before (RFC 9293 §3.8.6).
    fn window(&mut self, receiver: &Receiver) -> u64;

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// The facts of one data segment at the receiver, with what the stations on its way say of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Delivery {
    /// The time.
    pub now: Time,
    /// Bytes of it that had not come before.
    pub new_bytes: u32,
    /// The first byte missing: a position in the peer's stream.
    pub next: u64,
    /// Size of the buffer.
    pub buffer: u64,
    /// The round-trip time that the echo of our timestamp shows (with timestamps).
    pub rtt: Option<Duration>,
    /// What stations wrote on its packet (`Part::reading`), and the hops it made; `None` if the driver does not say.
    pub stamp: Option<(Duration, u32)>,
}

/// How far apart two data segments left, and came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Separated {
    /// How long after the segment before it this one left, as its sender told; zero if not.
    pub left: Duration,
    /// How long after that segment it came; `None` if something is missing between the two.
    pub came: Option<Duration>,
    /// Its payload in bytes.
    pub bytes: u32,
    /// What a segment of the usual size holds.
    pub mss: u32,
    /// The sender's congestion window in bytes, as it told.
    pub window: u32,
}

/// The state of a receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Receiver {
    /// The time.
    pub now: Time,
    /// Size of the buffer.
    pub buffer: u64,
    /// Bytes in it that the application has not read.
    pub unread: u64,
    /// Bytes handed over in order since the connection opened.
    pub delivered: u64,
    /// What a segment of the usual size holds.
    pub mss: u32,
}
