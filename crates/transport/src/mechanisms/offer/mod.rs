//! Slot: the window offered to the peer.

use core::fmt::Debug;

use hopwright_machine::Time;

use super::Part;
use crate::engine::Public;

mod free_buffer;

pub use free_buffer::FREE_BUFFER;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Offer>] = &[FREE_BUFFER];

/// Sets what a receiver advertises.
pub trait Offer: Debug + Send {
    /// Called once per acknowledgement sent. Returns the bytes that may follow those received in order; the
    /// engine never takes back what it offered before (RFC 9293 §3.8.6).
    fn window(&mut self, receiver: &Receiver) -> u64;

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
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
}
