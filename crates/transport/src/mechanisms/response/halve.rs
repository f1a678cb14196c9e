//! Half of what was outstanding; one segment after silence.
//!
//! Spec      RFC 5681 §3.1 equation 4, §3.2; RFC 7661 §4.4.1 (windows that are not used); ns-2 `slowdown()`
//! Deviates  ns-2's rules, where switched on: halves the smaller window instead of the flight, cuts the
//!           threshold (but not the window) to whole segments, and halves at every expiry
//! Holds     every cause is answered alike; the threshold is never below two segments; a peer that offers nothing leaves a window all the same

use super::{Cut, Response};
use crate::mechanisms::{Cause, Part, Sign};
use crate::params::{Halved, Params, Rounding};
use crate::view::Public;

/// See the file's header.
pub const HALVE: Part<dyn Response> = Part::new("halve", "RFC 5681 §3.1 equation 4", |p| Box::new(Halve::new(p)));

#[derive(Debug)]
pub(super) struct Halve {
    /// What is left: a half, or what kindred responses leave.
    kept: f64,
    halved: Halved,
    rounding: Rounding,
    every_timeout: bool,
}

impl Halve {
    pub(super) fn new(params: &Params) -> Self {
        Self::keeping(0.5, params)
    }

    /// The same with another part kept.
    pub(super) fn keeping(kept: f64, params: &Params) -> Self {
        Self { kept, halved: params.halved, rounding: params.rounding, every_timeout: params.halve_on_every_timeout }
    }

    /// The answer that leaves this fraction.
    pub(super) fn cut(&self, p: &Public, sign: Sign, fraction: f64) -> Cut {
        let mss = f64::from(p.mss);
        // What limited transmit added does not count (RFC 5681 §3.2 step 2).
        let flight = p.flight().saturating_sub(p.limited_bytes);
        let rest = match (p.pipe.filter(|_| sign == Sign::Duplicates), self.halved) {
            // A window that is not used says nothing (RFC 7661 §4.4.1); after silence all is as ever.
            (Some(pipe), _) => flight.max(pipe) as f64 * fraction,
            (None, Halved::Flight) => flight as f64 * fraction,
            // The offer may have become nothing meanwhile; half of that is no window.
            (None, Halved::Window) => p.window().min((p.offer as f64).max(mss)) * fraction,
        };
        let threshold = match self.rounding {
            Rounding::Bytes => rest,
            Rounding::WholeSegments => (rest / mss).floor() * mss,
        };
        let threshold = threshold.max(2.0 * mss);
        match (sign, self.halved) {
            (Sign::Duplicates, Halved::Flight) => Cut::to(threshold, threshold),
            (Sign::Duplicates, Halved::Window) => Cut::to(rest, threshold),
            (Sign::Silence, _) if p.consecutive_timeouts > 1 && !self.every_timeout => {
                Cut::to(mss, p.ssthresh) // the same segment again (RFC 5681 §3.1)
            }
            (Sign::Silence, _) => Cut::to(mss, threshold),
        }
    }
}

impl Response for Halve {
    fn on_loss(&mut self, p: &Public, sign: Sign, _cause: Cause) -> Cut {
        self.cut(p, sign, self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(params: &Params, p: &Public, sign: Sign) -> (f64, f64) {
        let cut = (HALVE.build)(params).on_loss(p, sign, Cause::Congestion);
        (cut.cwnd, cut.ssthresh)
    }

    #[test]
    fn rfc_halves_the_flight_and_ns2_the_window() {
        let p = Public { mss: 1000, cwnd: 11_500.0, offer: 64_000, una: 1, max: 8001, ..Public::default() };
        assert_eq!(cut(&Params::default(), &p, Sign::Duplicates), (4000.0, 4000.0));
        assert_eq!(cut(&Params::ns2(), &p, Sign::Duplicates), (5750.0, 5000.0));
        assert_eq!(cut(&Params::ns2(), &p, Sign::Silence), (1000.0, 5000.0));
    }

    #[test]
    fn the_floor_is_two_segments_but_ns2_window_may_be_less() {
        let p = Public { mss: 1000, cwnd: 3200.0, offer: 64_000, una: 1, max: 3001, ..Public::default() };
        assert_eq!(cut(&Params::default(), &p, Sign::Duplicates), (2000.0, 2000.0));
        assert_eq!(cut(&Params::ns2(), &p, Sign::Duplicates), (1600.0, 2000.0));
        let closed = Public { offer: 0, ..p };
        assert_eq!(cut(&Params::ns2(), &closed, Sign::Duplicates), (500.0, 2000.0));
    }
}
