//! What signals about the route do, and how the path slot stops the sender and lets it go on.
//!
//! Spec      Chandran et al. 2001, Holland and Vaidya 1999 (what a freeze keeps); RFC 6298 §3 (Karn); RFC 5927 §4.1
//!           (which messages about the route can be believed)
//! Deviates  the number in a message must be that of an outstanding byte, as RFC 5927 asks of ICMP, also where the
//!           message is not ICMP's
//! Holds     what a standing still sender lets go is what the path slot says, a segment at a time

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Seq;

use super::Connection;
use crate::mechanisms::avoidance::ROUTE_RESETS_BASE;
use crate::mechanisms::path::{PathEvent, Ruling, Standing, THAW_TIMER, Then, Windows};
use crate::mechanisms::recovery::Release;
use crate::mechanisms::{AckKind, Needs, NetworkSignal};
use crate::view::{Phase, near};

impl Connection {
    pub(super) fn on_signal(&mut self, signal: NetworkSignal) {
        let is_news = match signal {
            NetworkSignal::RouteRestored | NetworkSignal::Interface(_) => true,
            NetworkSignal::Hops(hops) => self.public.hops.is_some_and(|former| former != hops),
            NetworkSignal::RouteFailed(_)
            | NetworkSignal::Corrupted(_)
            | NetworkSignal::Stamp(..)
            | NetworkSignal::Path(_) => false,
        };
        if is_news && self.params.is(&ROUTE_RESETS_BASE) {
            self.public.round.forget_base(self.public.now);
        }
        match signal {
            NetworkSignal::Hops(hops) => {
                self.public.hops = Some(hops);
                self.bound_window(); // the limit may be that of the route
            }
            NetworkSignal::Corrupted(seq) if self.needs.has(Needs::NOTICES) => {
                let next = self.input.next;
                if let Some(seq) = near(self.receiver.irs, next, seq) {
                    self.slots.diagnosis.on_corrupted(seq, next);
                }
            }
            NetworkSignal::Corrupted(_) => {}
            NetworkSignal::Stamp(total, hops) => self.receiver.stamp = Some((total, hops)),
            NetworkSignal::Interface(number) => {
                if let Some(adaptation) = &mut self.adaptation {
                    adaptation.on_interface(number);
                }
            }
            NetworkSignal::Path(facts) => {
                if let Some(adaptation) = &mut self.adaptation {
                    adaptation.on_path(facts);
                }
            }
            NetworkSignal::RouteFailed(seq) => self.on_route_failed(seq),
            NetworkSignal::RouteRestored => {
                if self.needs.has(Needs::RESTORED_ACK) && self.has_peer() {
                    self.receiver.ack_now = true;
                }
                self.consult_path(PathEvent::RouteRestored);
            }
        }
    }

    /// A node could not forward the segment with this number. Believed if that is outstanding: a stranger would have to
    /// guess it, and what is late or was sent twice says nothing any more.
    fn on_route_failed(&mut self, seq: Option<Seq>) {
        let p = &self.public;
        if !self.can_send() || p.flight() == 0 {
            return;
        }
        let at = seq.and_then(|seq| near(self.iss, p.una, seq));
        if seq.is_none() || at.is_some_and(|at| (p.una..p.max).contains(&at)) {
            self.consult_path(PathEvent::RouteFailed(at));
        }
    }

    /// Shows an event to the path slot, and does what it says.
    #[inline]
    pub(super) fn consult_path(&mut self, event: PathEvent<'_>) {
        let ruling = self.slots.path.on_event(&self.public, event);
        if self.is_constant || ruling.standing != Standing::Open || !matches!(ruling.then, Then::Nothing) {
            let is_answer = matches!(event, PathEvent::Ack(ack) if ack.kind == AckKind::Advance);
            self.obey(&ruling, is_answer);
        }
    }

    /// Does what the path slot says; `is_answer` if the event at hand goes on to repair what is missing, or must not
    /// send.
    #[inline(never)]
    pub(super) fn obey(&mut self, ruling: &Ruling, is_answer: bool) {
        let was_frozen = self.is_frozen;
        self.is_constant = ruling.standing != Standing::Open;
        self.may_hold = self.is_constant || self.public.has_ecn;
        self.is_frozen = ruling.standing == Standing::Frozen;
        self.public.is_frozen = self.is_frozen;
        if self.is_frozen && !was_frozen {
            self.freeze();
        }
        match ruling.then {
            Then::Nothing | Then::TimeOut => {}
            Then::Restore(windows) => self.restore(&windows),
            Then::Resend(at) => self.resend_from(at),
            Then::ResumeFrom(at) => self.public.nxt = at.clamp(self.public.una, self.public.max),
            Then::StartOver(windows) => self.start_over(&windows),
        }
        if self.is_frozen {
            self.timers.pace = self.slots.path.deadline();
        } else if was_frozen {
            self.thaw(ruling.then, is_answer);
        } else if ruling.then == Then::TimeOut && self.public.flight() > 0 {
            self.on_retransmit_timer();
        }
    }

    fn freeze(&mut self) {
        self.public.freezes += 1;
        let retransmit = self.timers.retransmit;
        self.left_on_timer = (!retransmit.is_never()).then(|| retransmit.since(self.public.now));
        self.timed = None; // its time would contain the stand-still
        self.public.sent.blur(); // theirs, too
        self.timers.retransmit = Time::NEVER;
        self.timers.persist = Time::NEVER;
    }

    fn thaw(&mut self, then: Then, is_answer: bool) {
        self.timers.pace = Time::NEVER;
        self.timestamps.since = self.public.now;
        self.last_sent = self.public.now; // it was not idle
        self.trust_window();
        if then == Then::TimeOut && self.public.flight() > 0 {
            return self.on_retransmit_timer();
        }
        if self.public.flight() > 0 {
            self.arm_retransmit();
            if let Some(left) = self.left_on_timer
                && self.params.word(&THAW_TIMER) == "remaining"
            {
                self.timers.retransmit = self.slots.timeout.fires(self.public.now + left.max(Duration::from_nanos(1)));
            }
        }
        if self.public.is_recovering() && !is_answer && !matches!(then, Then::ResumeFrom(_)) {
            self.resend_hole(false); // what a partial acknowledgement may have asked for meanwhile
        }
        self.release = Some(Release::Usual);
    }

    /// Sends an outstanding segment again, whatever the windows say: that at this position, or the next that the peer
    /// does not report to hold.
    fn resend_from(&mut self, at: u64) {
        let p = &self.public;
        let (offset, held) = p.sacked.next_hole(at.max(p.una));
        if offset < p.max {
            let limit = p.max.min(held.unwrap_or(u64::MAX));
            let length = self.length_at(offset).min(limit - offset) as u32;
            self.public.path_probes += 1;
            self.transmit(offset, length);
            self.timed = None;
        }
    }

    /// The path slot wants former windows back.
    #[inline(never)]
    fn restore(&mut self, windows: &Windows) {
        self.set_windows(windows);
        if self.public.is_recovering() {
            self.is_uncut = true; // what else is missing is repaired all the same
        } else {
            self.settle_phase();
        }
    }

    /// As after a time-out, but without one: whatever was going on is over, and everything is sent again.
    fn start_over(&mut self, windows: &Windows) {
        self.slots.recovery.on_timeout(&self.public);
        self.public.doing = Phase::SlowStart;
        self.public.inflation = 0.0;
        self.public.dupacks = 0;
        self.public.limited_bytes = 0;
        self.public.recover = self.public.max;
        self.public.nxt = self.public.una;
        self.is_probing = false;
        self.awaits_answer = false;
        self.set_windows(windows);
        self.settle_phase();
    }

    /// Windows and timer become this.
    pub(super) fn set_windows(&mut self, windows: &Windows) {
        self.public.cwnd = windows.cwnd;
        self.public.cwnd = self.grown(0.0); // it may be of a recovery that closes windows
        let least = f64::from(self.public.mss) - self.public.cwnd; // what was deflated was another window
        self.public.inflation = self.public.inflation.max(least.min(0.0));
        self.public.ssthresh = windows.ssthresh;
        self.bound_window();
        if windows.rto != self.public.rto {
            self.slots.timeout.set_rto(windows.rto);
            self.refresh_estimate();
        }
    }
}
