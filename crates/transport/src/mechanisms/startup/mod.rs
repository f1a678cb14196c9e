//! Slot: the window before the first sign of congestion.

use core::fmt::Debug;

use super::Ack;
use crate::engine::Public;

mod slow_start;

pub use slow_start::SLOW_START;

/// Finds a first window.
pub trait Startup: Debug + Send {
    /// The congestion window right after the handshake, in bytes.
    fn initial_window(&mut self, p: &Public) -> f64;

    /// Whether growth is still this slot's, or the avoidance slot's already.
    fn is_active(&self, p: &Public) -> bool;

    /// Called once per ACK of new data outside recovery while active. Returns the bytes to add.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64;
}
