//! Slot: what silence means.

use core::fmt::Debug;

use hopwright_machine::{Duration, Time};

use super::{Ack, Sign};
use crate::engine::Public;

mod granularity;
mod ns2_ticks;
mod rfc6298;

pub use granularity::Granularity;
pub use ns2_ticks::NS2_TICKS;
pub use rfc6298::RFC6298;

/// Keeps the retransmission time-out.
pub trait Timeout: Debug + Send {
    /// The connection is open. `p.syn_resent` tells whether the SYN had to be sent again.
    fn on_open(&mut self, p: &Public);

    /// Called once per ACK of new data, also for the SYN's.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>);

    /// The timer expired. Returns what it is a sign of; `None` if the engine shall just wait on.
    fn on_expiry(&mut self, p: &Public) -> Option<Sign>;

    /// What the timer is armed with, and what it is made of.
    fn estimate(&self) -> Estimate;

    /// When a timer armed for `at` fires.
    fn fires(&self, at: Time) -> Time;
}

/// The state of the timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// Smoothed round-trip time; `None` before the first measurement.
    pub srtt: Option<Duration>,
    /// Its variation.
    pub rttvar: Duration,
    /// The time-out, backed off and bounded.
    pub rto: Duration,
}
