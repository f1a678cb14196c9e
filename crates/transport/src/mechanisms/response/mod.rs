//! Slot: the window and threshold after a loss.

use core::fmt::Debug;

use super::{Ack, Cause, Sign};
use crate::engine::Public;

mod halve;
mod restart;

pub use halve::HALVE;
pub use restart::RESTART;

/// Answers a loss.
pub trait Response: Debug + Send {
    /// Called once per ACK that advances or duplicates, for those who estimate bandwidth.
    fn on_ack(&mut self, _p: &Public, _ack: &Ack<'_>) {}

    /// Called once per loss, before anything changes. What recovery adds to the window while it lasts is not
    /// part of the answer.
    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut;
}

/// The answer to a loss, in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cut {
    /// The new congestion window.
    pub cwnd: f64,
    /// The new threshold.
    pub ssthresh: f64,
}
