//! Tahoe: after a fast retransmit everything is sent again in slow start; there is no fast recovery.
//!
//! Spec      Jacobson 1988 appendix; ns-2 Agent/TCP
//! Deviates  keeps NewReno's `recover` test, as ns-2 does (`bugFix_`)
//! Holds     one answer per window of data

use super::{CLASSIC, Classic, Entry, Recovery, Release, Step};
use crate::mechanisms::{Ack, Part};
use crate::view::Public;

/// See the file's header.
pub const GO_BACK: Part<dyn Recovery> =
    Part::<dyn Recovery>::new("go-back", "Jacobson 1988", |p| Box::new(GoBack(Classic::new(p)))).with_knobs(CLASSIC);

#[derive(Debug)]
struct GoBack(Classic);

impl Recovery for GoBack {
    fn admits(&self, p: &Public) -> bool {
        self.0.admits(p)
    }

    fn on_loss(&mut self, _p: &Public) -> Entry {
        Entry::GoBack
    }

    fn on_duplicate(&mut self, _p: &Public, _ack: &Ack<'_>) -> f64 {
        0.0
    }

    fn on_advance(&mut self, p: &Public, _ack: &Ack<'_>) -> Step {
        Step::Full { cwnd: p.cwnd, ssthresh: p.ssthresh, grow: true } // there is no recovery to be in
    }

    fn on_timeout(&mut self, _p: &Public) {}

    fn release(&self, p: &Public) -> Release {
        // ns-2's Tahoe tries to send on every acknowledgement, its Reno does not.
        if self.0.is_waiting(p) && !self.0.is_ns2() { Release::Hold } else { Release::Usual }
    }
}
