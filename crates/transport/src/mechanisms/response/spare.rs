//! No cut for what the channel lost: it is sent again, and the window stays.
//!
//! Spec      Balakrishnan and Katz 1998 (what a sender does that knows); Biaz and Vaidya 1999
//! Deviates  nothing
//! Holds     congestion, contention and a route that broke are answered as by `halve`, and so is silence, whatever the
//!           cause, unless `spare_timeouts` is set. To see what sparing losses to contention would do, let the oracle
//!           take them for the channel's (`oracle_contention_as`)

use super::halve::Halve;
use super::{Cut, Response};
use crate::mechanisms::{Cause, Part, Sign};
use crate::params::Knob;
use crate::view::Public;

/// See the file's header.
pub const SPARE: Part<dyn Response> = Part::<dyn Response>::new("spare", "Balakrishnan and Katz 1998", |p| {
    Box::new(Spare { halve: Halve::new(p), timeouts: p.is(&TIMEOUTS) })
})
.with_knobs(&[TIMEOUTS]);

const TIMEOUTS: Knob =
    Knob::switch("spare_timeouts", false, "whether the windows also stay after a time-out that the channel caused");

#[derive(Debug)]
struct Spare {
    halve: Halve,
    timeouts: bool,
}

impl Response for Spare {
    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut {
        if cause == Cause::Channel && (sign == Sign::Duplicates || self.timeouts) {
            Cut::to(p.cwnd, p.ssthresh)
        } else {
            self.halve.on_loss(p, sign, cause)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Params, Value};

    #[test]
    fn the_channel_is_spared_and_silence_only_where_it_is_asked_for() {
        let p = Public {
            mss: 1000,
            cwnd: 10_000.0,
            ssthresh: f64::INFINITY,
            una: 1,
            max: 10_001,
            consecutive_timeouts: 1,
            ..Public::default()
        };
        let mut params = Params::default();
        for (is_asked, silence) in [(false, Cut::to(1000.0, 5000.0)), (true, Cut::to(10_000.0, f64::INFINITY))] {
            params.set("spare_timeouts", Value::Bool(is_asked)).unwrap();
            let mut spare = (SPARE.build)(&params);
            assert_eq!(spare.on_loss(&p, Sign::Silence, Cause::Channel), silence);
            assert_eq!(spare.on_loss(&p, Sign::Duplicates, Cause::Channel), Cut::to(10_000.0, f64::INFINITY));
            assert_eq!(spare.on_loss(&p, Sign::Duplicates, Cause::Contention), Cut::to(5000.0, 5000.0));
        }
    }
}
