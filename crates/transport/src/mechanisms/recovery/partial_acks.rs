//! NewReno: recovery lasts until all data outstanding at its start is acknowledged; every acknowledgement
//! short of that points at the next hole.
//!
//! Spec      RFC 6582 §3.2, exit option 1; ns-2 Agent/TCP/Newreno with its defaults
//! Deviates  under ns-2's rules the halved window is kept at the exit (RFC option 2, less what deflation took)
//!           and at most two segments leave per acknowledgement in recovery
//! Holds     one answer per window of data; one retransmission per partial acknowledgement

use super::{CLASSIC, Classic, Entry, Recovery, Release, Step};
use crate::mechanisms::{Ack, Part};
use crate::params::{Params, PartialAckTimer};
use crate::view::Public;

/// See the file's header.
pub const PARTIAL_ACKS: Part<dyn Recovery> =
    Part::<dyn Recovery>::new("partial-acks", "RFC 6582", |p| Box::new(PartialAcks::new(p))).with_knobs(CLASSIC);

/// ns-2's `send_much` argument while duplicates arrive.
const NS2_RECOVERY_BURST: u32 = 2;

#[derive(Debug)]
pub(super) struct PartialAcks {
    classic: Classic,
    timer: PartialAckTimer,
    had_partial: bool,
}

impl PartialAcks {
    pub(super) fn new(params: &Params) -> Self {
        Self { classic: Classic::new(params), timer: params.partial_ack_timer, had_partial: false }
    }

    /// Takes what was acknowledged out of the window, less one segment for the retransmission (step 3).
    fn deflated(&self, p: &Public, acked: u64) -> (f64, f64) {
        let (mss, acked) = (f64::from(p.mss), acked as f64);
        if !self.classic.is_ns2() {
            let refill = if acked >= mss { mss } else { 0.0 };
            return (p.cwnd, (p.inflation - acked + refill).max(mss - p.cwnd));
        }
        if p.inflation > acked {
            (p.cwnd, p.inflation - acked + mss)
        } else {
            ((p.cwnd - (acked - p.inflation)).max(mss), mss)
        }
    }
}

impl Recovery for PartialAcks {
    fn admits(&self, p: &Public) -> bool {
        self.classic.admits(p)
    }

    fn on_loss(&mut self, p: &Public) -> Entry {
        self.had_partial = false;
        self.classic.entry(p)
    }

    fn on_duplicate(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        f64::from(p.mss)
    }

    fn on_advance(&mut self, p: &Public, ack: &Ack<'_>) -> Step {
        if p.una >= p.recover {
            if self.classic.is_ns2() {
                return Step::Full { cwnd: p.cwnd, ssthresh: p.ssthresh, grow: true };
            }
            let mss = f64::from(p.mss);
            let usual = p.ssthresh.min((p.flight() as f64).max(mss) + mss);
            return Step::Full { cwnd: Classic::exit_window(p, usual), ssthresh: p.ssthresh, grow: false };
        }
        let (cwnd, inflation) = self.deflated(p, ack.acked);
        let restart_timer = !self.had_partial || self.timer == PartialAckTimer::Every;
        self.had_partial = true;
        Step::Partial { cwnd, inflation, restart_timer, resend: true }
    }

    fn on_timeout(&mut self, _p: &Public) {}

    fn release(&self, p: &Public) -> Release {
        let is_repairing = p.is_recovering() || p.dupacks > 0;
        if !p.is_recovering() && self.classic.is_waiting(p) {
            Release::Hold
        } else if self.classic.is_ns2() && is_repairing {
            Release::AtMost(NS2_RECOVERY_BURST)
        } else {
            Release::Usual
        }
    }
}
