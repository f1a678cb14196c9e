//! Slot: what is regulated.

use core::fmt::Debug;

use hopwright_wire::tcp::Rates;

use super::Part;
use crate::view::Public;

mod cwl;
mod explicit;
mod hybrid;
mod rate_receiver;
mod rate_reports;
mod tfrc;
mod window;

pub use cwl::ADAPTIVE_CWL;
pub use explicit::EXPLICIT;
pub use hybrid::HYBRID;
pub(crate) use tfrc::LOSS_AT;
pub use tfrc::TFRC;
pub use window::WINDOW;
pub(super) use window::{CWND_FLOOR, CWND_LIMIT};

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Control>] = &[WINDOW, ADAPTIVE_CWL, HYBRID, TFRC, EXPLICIT];

/// Turns the state of congestion control into a permission to send.
pub trait Control: Debug + Send {
    /// Asked once per event that may release segments.
    fn allowance(&mut self, p: &Public) -> Allowance;

    /// The least and most the congestion window may be, in bytes.
    fn bounds(&self, _p: &Public) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    /// Whether the congestion window limits what is outstanding. If it does not, a loss cuts what the window would let
    /// be outstanding, not all that is.
    fn limits_outstanding(&self) -> bool {
        true
    }

    /// With `Needs::RATES`: whether the ends tell each other what they know of the rate. What they tell takes room beside
    /// data.
    fn tells_rates(&self) -> bool {
        false
    }

    /// With `Needs::RATES`: what a segment tells the other end that leaves now, with data or without. Asked once per
    /// segment.
    fn rates(&mut self, _p: &Public, _carries_data: bool) -> Rates {
        Rates::Nothing
    }

    /// With `Needs::RATES`: what a segment told that came, with its payload in bytes. Returns whether the other end
    /// should hear at once.
    fn on_rates(&mut self, _p: &Public, _rates: Rates, _payload_bytes: u32) -> bool {
        false
    }

    /// Nothing came for so long that the timeout slot's timer expired, or a probe of silence leaves.
    fn on_silence(&mut self, _p: &Public) {}

    /// Data from this position on are about to be sent again. `p` is as before.
    fn on_resend(&mut self, _p: &Public, _offset: u64) {}

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// A permission to send.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allowance {
    /// Bytes that may be outstanding.
    pub window: f64,
    /// Bytes per second for the clocking slot to keep; infinite where a window alone regulates.
    pub rate: f64,
}

/// The least rate, in bytes per second: a segment in 64 seconds (RFC 5348 §4.3, `t_mbi`).
fn least_rate(p: &Public) -> f64 {
    f64::from(p.mss) / 64.0
}

/// The value, within bounds, of which the upper one rules. Neither is NaN, which spares the care of `max` and `min`.
pub(crate) const fn within(value: f64, least: f64, most: f64) -> f64 {
    let value = if value > least { value } else { least };
    if value < most { value } else { most }
}

/// Bytes that are outstanding, or offered, as a number to compare with a window. They are never more than half of what
/// 64 bits hold, and signed numbers are quicker to convert.
pub(crate) const fn float(bytes: u64) -> f64 {
    bytes as i64 as f64
}
