//! ns-2's SACK sender: packets in the pipe are counted, and any hole below what the peer holds is sent again.
//!
//! Spec      ns-2.35 Agent/TCP/Sack1 over its reassembly-queue scoreboard, as observed in its runs
//! Deviates  nothing of what its defaults do; `partial_ack_`, `oldCode_` and `LimTransmitFix_` are not there. A peer
//!           that does not report what it holds is served as by `partial-acks`, where ns-2 would wait for the timer
//! Holds     every acknowledgement in recovery, of whatever kind, takes a packet out of the pipe, one that advances
//!           takes two; reports are forgotten with every advance outside recovery, and unread after a time-out until
//!           something new is acknowledged; a recovery that ended well leaves no recovery point behind

use super::sack::Agreed;
use super::{CLASSIC, Entry, Plan, Recovery, Release, Step};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::Params;
use crate::view::{Phase, Public};

/// See the file's header.
pub const NS2_SACK1: Part<dyn Recovery> =
    Part::<dyn Recovery>::new("ns2-sack1", "ns-2.35", build).needing(Needs::SELECTIVE_ACKS).with_knobs(CLASSIC);

pub(super) fn build(params: &Params) -> Box<dyn Recovery> {
    let sack1 = Sack1 {
        threshold: i64::from(params.dupack_threshold),
        pipe: 0,
        recover: 0,
        resent: 0,
        hole: None,
        is_entering: false,
        has_entered: false,
    };
    Box::new(Agreed::new(params, sack1))
}

#[derive(Debug)]
struct Sack1 {
    threshold: i64,
    /// `pipe_`, in bytes: its packets are segments.
    pipe: i64,
    /// `recover_`: zero after a recovery that ended well.
    recover: u64,
    /// `h_seqno_`: where the search for holes begins.
    resent: u64,
    /// The hole that was planned last.
    hole: Option<u64>,
    /// The retransmission that begins a recovery is about to leave: it is not counted.
    is_entering: bool,
    /// The recovery began with the acknowledgement at hand, which releases nothing more.
    has_entered: bool,
}

impl Recovery for Sack1 {
    fn on_any_ack(&mut self, p: &Public) {
        self.has_entered = false;
        if p.is_recovering() {
            self.pipe -= i64::from(p.mss);
        }
    }

    fn reads_report(&self, p: &Public, is_advance: bool) -> bool {
        if is_advance { p.is_recovering() && p.una < self.recover } else { p.phase() != Phase::Rto }
    }

    /// `bugFix_` and `bugfix_ss_`.
    fn admits(&self, p: &Public) -> bool {
        !p.is_recovering() && (p.una > self.recover || p.una == 1)
    }

    fn on_loss(&mut self, p: &Public) -> Entry {
        self.recover = p.max;
        self.pipe = p.flight() as i64 - self.threshold * i64::from(p.mss);
        self.resent = p.una;
        self.is_entering = true;
        self.has_entered = true;
        Entry::Repair { inflation: 0.0 }
    }

    fn on_duplicate(&mut self, _p: &Public, _ack: &Ack<'_>) -> f64 {
        0.0
    }

    fn on_advance(&mut self, p: &Public, _ack: &Ack<'_>) -> Step {
        if p.una >= self.recover {
            self.recover = 0;
            return Step::Full { cwnd: p.cwnd, ssthresh: p.ssthresh, grow: false };
        }
        self.pipe -= i64::from(p.mss);
        Step::Stay { ends_back_off: true }
    }

    fn on_timeout(&mut self, p: &Public) {
        self.recover = p.max;
    }

    fn on_sent(&mut self, p: &Public, start: u64, end: u64) {
        if !p.is_recovering() {
            return;
        }
        if core::mem::take(&mut self.is_entering) {
            self.resent = end;
            return;
        }
        self.pipe += i64::from(p.mss);
        if self.hole.take() == Some(start) {
            self.resent = self.resent.max(end);
        }
    }

    fn release(&self, p: &Public) -> Release {
        let is_waiting = if p.is_recovering() { self.has_entered } else { p.dupacks > 0 };
        if is_waiting { Release::Hold } else { Release::Usual }
    }

    fn plan(&mut self, p: &Public) -> Plan {
        if !p.is_recovering() {
            return Plan { offset: p.nxt, end: u64::MAX, outstanding: p.nxt - p.una };
        }
        let outstanding = self.pipe.max(0) as u64;
        let (hole, held) = p.sacked.next_hole(self.resent.max(p.una));
        self.hole = held.map(|_| hole);
        match held {
            Some(end) => Plan { offset: hole, end, outstanding },
            None => Plan { offset: p.nxt, end: u64::MAX, outstanding },
        }
    }

    fn adopt(&mut self, p: &Public) {
        self.recover = p.recover;
        self.resent = p.una;
        self.pipe = p.flight() as i64;
    }
}
