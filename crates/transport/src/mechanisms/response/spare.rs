//! No cut for what the channel lost: it is sent again, and the window stays.
//!
//! Spec      Balakrishnan and Katz 1998 (what a sender does that knows); Biaz and Vaidya 1999
//! Deviates  nothing
//! Holds     any other cause, and silence unless `spare_timeouts` is set, is answered as by `halve`

use super::halve::Halve;
use super::{Cut, Response};
use crate::engine::Public;
use crate::mechanisms::{Cause, Part, Sign};
use crate::params::Knob;

/// See the file's header.
pub const SPARE: Part<dyn Response> = Part::<dyn Response>::new("spare", "Balakrishnan and Katz 1998", |p| {
    Box::new(Spare { halve: Halve::new(p), timeouts: p.is(&TIMEOUTS) })
})
.with_knobs(&[TIMEOUTS]);

const TIMEOUTS: Knob = Knob::switch("spare_timeouts", false, "the windows stay after silence due to the channel, too");

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
