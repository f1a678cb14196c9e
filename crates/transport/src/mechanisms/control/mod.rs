//! Slot: what is regulated.

use core::fmt::Debug;

use crate::engine::Public;

mod window;

pub use window::WINDOW;

/// Turns the state of congestion control into a permission to send.
pub trait Control: Debug + Send {
    /// Asked once per event that may release segments.
    fn allowance(&mut self, p: &Public) -> Allowance;
}

/// A permission to send.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// Bytes that may be outstanding.
    pub window: f64,
    /// Bytes per second for the clocking slot to keep; infinite where a window alone regulates.
    pub rate: f64,
}
