//! Slot: the window and threshold after a loss.

use core::fmt::Debug;

use super::path::Windows;
use super::{Ack, Cause, Part, Sign};
use crate::view::Public;

mod bandwidth_fit;
mod cubic;
mod halve;
mod restart;
mod spare;
mod vegas;
mod veno;
mod welcome;

pub use bandwidth_fit::BANDWIDTH_FIT;
pub use cubic::CUBIC;
pub use halve::HALVE;
pub use restart::RESTART;
pub use spare::SPARE;
pub(super) use vegas::LastCut;
pub use vegas::VEGAS;
pub use veno::VENO;
pub use welcome::WELCOME;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Response>] = &[HALVE, RESTART, CUBIC, VEGAS, VENO, SPARE, BANDWIDTH_FIT, WELCOME];

/// Answers a loss.
pub trait Response: Debug + Send {
    /// Called once per ACK that advances or duplicates, for those who estimate bandwidth, or answer a loss later
    /// than at once: windows and timer become what is returned.
    fn on_ack(&mut self, _p: &Public, _ack: &Ack<'_>) -> Option<Windows> {
        None
    }

    /// Called once per loss, before anything changes. What recovery adds to the window while it lasts is not
    /// part of the answer.
    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut;

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// The answer to a loss, in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cut {
    /// The new congestion window.
    pub cwnd: f64,
    /// The new threshold.
    pub ssthresh: f64,
    /// After silence: whether the first unacknowledged segment is sent alone, to probe the path, and the timer not
    /// backed off.
    pub is_probe: bool,
}

impl Cut {
    /// The usual answer: the windows become this, and silence backs the timer off.
    #[must_use]
    pub const fn to(cwnd: f64, ssthresh: f64) -> Self {
        Self { cwnd, ssthresh, is_probe: false }
    }
}
