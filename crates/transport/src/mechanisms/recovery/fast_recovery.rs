//! Reno: fast retransmit, then a window inflated by every duplicate, until any new data is acknowledged.
//!
//! Spec      RFC 5681 §3.2; ns-2 Agent/TCP/Reno
//! Deviates  the `recover` test keeps a window's later losses from being answered again, as in ns-2
//!           (`bugFix_`): they wait for the timer, which is Reno's known weakness
//! Holds     inflation never survives recovery

use super::{CLASSIC, Classic, Entry, Recovery, Release, Step};
use crate::mechanisms::{Ack, Part};
use crate::view::Public;

/// See the file's header.
pub const FAST_RECOVERY: Part<dyn Recovery> =
    Part::<dyn Recovery>::new("fast-recovery", "RFC 5681 §3.2", |p| Box::new(FastRecovery(Classic::new(p))))
        .with_knobs(CLASSIC);

#[derive(Debug)]
struct FastRecovery(Classic);

impl Recovery for FastRecovery {
    fn admits(&self, p: &Public) -> bool {
        self.0.admits(p)
    }

    fn on_loss(&mut self, p: &Public) -> Entry {
        self.0.entry(p)
    }

    fn on_duplicate(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        f64::from(p.mss)
    }

    fn on_advance(&mut self, p: &Public, _ack: &Ack<'_>) -> Step {
        if self.0.is_ns2() {
            Step::Full { cwnd: p.cwnd, ssthresh: p.ssthresh, grow: true }
        } else {
            Step::Full { cwnd: Classic::exit_window(p, p.ssthresh), ssthresh: p.ssthresh, grow: false }
        }
    }

    fn on_timeout(&mut self, _p: &Public) {}

    fn release(&self, p: &Public) -> Release {
        if self.0.is_waiting(p) { Release::Hold } else { Release::Usual }
    }
}
