//! Veno: a gentle cut for what the channel lost.
//!
//! Spec      Fu and Liew 2003 §3.2
//! Deviates  Linux and ns-3 cut the window where this cuts the flight; `halved` has both
//! Holds     the threshold is never below two segments; congestion, contention, a route that broke, and silence
//!           whatever the cause, are answered as by `halve`

use super::halve::Halve;
use super::{Cut, Response};
use crate::mechanisms::{Cause, Part, Sign};
use crate::params::Knob;
use crate::view::Public;

/// See the file's header.
pub const VENO: Part<dyn Response> = Part::<dyn Response>::new("veno", "Fu and Liew 2003 §3.2", |p| {
    Box::new(Veno { halve: Halve::new(p), kept: p.number(&KEPT) })
})
.with_knobs(&[KEPT]);

const KEPT: Knob = Knob::real(
    "veno_kept_fraction",
    "",
    0.8,
    0.1..=1.0,
    "the part of the data in flight that remains as window after a loss by the channel",
);

#[derive(Debug)]
struct Veno {
    halve: Halve,
    kept: f64,
}

impl Response for Veno {
    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut {
        if sign == Sign::Duplicates && cause == Cause::Channel {
            self.halve.cut(p, sign, self.kept)
        } else {
            self.halve.on_loss(p, sign, cause)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[test]
    fn the_channel_costs_a_fifth() {
        let p = Public { mss: 1000, cwnd: 20_000.0, offer: 64_000, una: 1, max: 20_001, ..Public::default() };
        let mut veno = (VENO.build)(&Params::default());
        let mut cut = |p: &Public, sign, cause| {
            let cut = veno.on_loss(p, sign, cause);
            (cut.cwnd, cut.ssthresh)
        };
        assert_eq!(cut(&p, Sign::Duplicates, Cause::Channel), (16_000.0, 16_000.0));
        assert_eq!(cut(&p, Sign::Duplicates, Cause::Congestion), (10_000.0, 10_000.0));
        assert_eq!(cut(&p, Sign::Silence, Cause::Channel), (1000.0, 10_000.0));
        let small = Public { max: 2001, ..p };
        assert_eq!(cut(&small, Sign::Duplicates, Cause::Channel), (2000.0, 2000.0));
    }
}
