//! Slot: the window before the first sign of congestion.

use core::fmt::Debug;

use super::{Ack, Part};
use crate::view::Public;

mod packet_pair;
mod slow;
mod slow_start;
mod vegas;

pub use packet_pair::PACKET_PAIR;
pub use slow::SLOW;
pub use slow_start::SLOW_START;
pub use vegas::VEGAS;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Startup>] = &[SLOW_START, SLOW, VEGAS, PACKET_PAIR];

/// Finds a first window.
pub trait Startup: Debug + Send {
    /// The congestion window right after the handshake, in bytes.
    fn initial_window(&mut self, p: &Public) -> f64;

    /// Bytes that a SYN without options carries without effect: the peer does not keep them (ns-2's Vegas sends one as long
    /// as any segment, and measures the path with it). They exist as a number only.
    fn syn_payload(&self, _p: &Public) -> u32 {
        0
    }

    /// Whether growth is still this slot's, or the avoidance slot's already.
    fn is_active(&self, p: &Public) -> bool;

    /// Called once per ACK of new data outside recovery while active.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Growth;

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// What an acknowledgement does to the first window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Growth {
    /// So many bytes are added.
    By(f64),
    /// The limit is found: windows as given, in bytes.
    Found {
        /// The new congestion window.
        cwnd: f64,
        /// The new threshold.
        ssthresh: f64,
    },
}
