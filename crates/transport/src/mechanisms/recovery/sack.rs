//! Selective acknowledgements: holes are repaired as fast as segments leave the network, the surest first.
//!
//! Spec      RFC 6675 §4, §5 (`NextSeg`, `SetPipe`, recovery), §5.1 (after a time-out), §6 (the timer);
//!           ns-2 Agent/TCP/Sack1 where its rules are switched on (`ns2-sack1`)
//! Deviates  a segment shorter than the others leaves where there is room for it alone (§5 step C asks for room for a
//!           whole one), and of a window smaller than a segment a part is used when nothing is in the network;
//!           a peer that does not report what it holds is served as by `partial-acks`
//! Holds     the window is never inflated: what left the network is counted in its place; a hole is sent again once
//!           per recovery, but for one rescue at its end

use super::partial_acks::PartialAcks;
use super::{AFTER_TIMEOUT, Entry, Plan, RECOVER_TEST, Recovery, Release, Step, ns2_sack1};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Knob, Params, RecoveryRules};
use crate::view::Public;

pub(super) const TIMER: Knob = Knob::word(
    "sack_timer",
    &["advance", "retransmission"],
    "When the timer restarts in recovery (RFC 6675 §6): with every advance (RFC 6298), or also with every retransmission",
);

/// See the file's header.
pub const SACK: Part<dyn Recovery> = Part::<dyn Recovery>::new("sack", "RFC 6675", |p| match p.recovery_rules {
    RecoveryRules::Ns2 => ns2_sack1::build(p),
    RecoveryRules::Rfc => Box::new(Agreed::new(p, Sack::new(p))),
})
.needing(Needs::SELECTIVE_ACKS)
.with_knobs(&[TIMER, RECOVER_TEST, AFTER_TIMEOUT]);

/// A recovery that reads selective acknowledgements, and the one in its place where the peer sends none.
#[derive(Debug)]
pub(super) struct Agreed<T> {
    selective: T,
    cumulative: PartialAcks,
}

impl<T: Recovery> Agreed<T> {
    pub(super) fn new(params: &Params, selective: T) -> Self {
        Self { selective, cumulative: PartialAcks::new(params) }
    }

    fn of(&self, p: &Public) -> &dyn Recovery {
        if p.has_selective_acks { &self.selective } else { &self.cumulative }
    }

    fn of_mut(&mut self, p: &Public) -> &mut dyn Recovery {
        if p.has_selective_acks { &mut self.selective } else { &mut self.cumulative }
    }
}

impl<T: Recovery> Recovery for Agreed<T> {
    fn on_any_ack(&mut self, p: &Public) {
        self.of_mut(p).on_any_ack(p);
    }

    fn reads_report(&self, p: &Public, is_advance: bool) -> bool {
        self.of(p).reads_report(p, is_advance)
    }

    fn admits(&self, p: &Public) -> bool {
        self.of(p).admits(p)
    }

    fn on_loss(&mut self, p: &Public) -> Entry {
        self.of_mut(p).on_loss(p)
    }

    fn on_duplicate(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        self.of_mut(p).on_duplicate(p, ack)
    }

    fn on_advance(&mut self, p: &Public, ack: &Ack<'_>) -> Step {
        self.of_mut(p).on_advance(p, ack)
    }

    fn on_timeout(&mut self, p: &Public) {
        self.of_mut(p).on_timeout(p);
    }

    fn on_sent(&mut self, p: &Public, start: u64, end: u64) {
        self.of_mut(p).on_sent(p, start, end);
    }

    fn restarts_timer(&self, p: &Public) -> bool {
        self.of(p).restarts_timer(p)
    }

    fn release(&self, p: &Public) -> Release {
        self.of(p).release(p)
    }

    fn plan(&mut self, p: &Public) -> Plan {
        self.of_mut(p).plan(p)
    }

    fn adopt(&mut self, p: &Public) {
        self.of_mut(p).adopt(p);
    }
}

/// What `NextSeg` chose last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    /// New data, or nothing.
    New,
    /// The hole at this position (rules 1 and 3).
    Hole(u64),
    /// The last hole once more (rule 4): the segment at this position.
    Rescue(u64),
}

#[derive(Debug)]
pub(super) struct Sack {
    threshold: u32,
    restarts_timer: bool,
    /// The position after the last byte sent again in this recovery (HighRxt).
    resent: u64,
    /// No rescue before something beyond this position is acknowledged (RescueRxt).
    rescued: u64,
    is_entering: bool,
    choice: Choice,
}

impl Sack {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            threshold: params.dupack_threshold,
            restarts_timer: params.word(&TIMER) == "retransmission",
            resent: 0,
            rescued: 0,
            is_entering: false,
            choice: Choice::New,
        }
    }

    /// `NextSeg` (RFC 6675 §4).
    fn next(&self, p: &Public) -> (Choice, u64, u64) {
        let (hole, held) = p.sacked.next_hole(self.resent.max(p.una));
        if let Some(end) = held
            && (p.sacked.is_lost(hole, self.threshold, p.mss) || !p.has_room_for_new)
        {
            return (Choice::Hole(hole), hole, end);
        }
        if p.has_room_for_new {
            return (Choice::New, p.max, u64::MAX);
        }
        let (start, end) = p.sacked.last_hole(p.una, p.max);
        if p.una > self.rescued && start < end {
            let from = start.max(end.saturating_sub(u64::from(p.mss)));
            return (Choice::Rescue(from), from, end);
        }
        (Choice::New, u64::MAX, u64::MAX)
    }
}

impl Recovery for Sack {
    fn admits(&self, p: &Public) -> bool {
        !p.is_recovering() && p.una >= p.recover
    }

    fn on_loss(&mut self, p: &Public) -> Entry {
        self.resent = p.una;
        self.is_entering = true;
        Entry::Repair { inflation: 0.0 }
    }

    fn on_duplicate(&mut self, _p: &Public, _ack: &Ack<'_>) -> f64 {
        0.0
    }

    fn on_advance(&mut self, p: &Public, _ack: &Ack<'_>) -> Step {
        if p.una >= p.recover {
            return Step::Full { cwnd: p.cwnd, ssthresh: p.ssthresh, grow: false };
        }
        Step::Partial { cwnd: p.cwnd, inflation: 0.0, restart_timer: true, resend: false }
    }

    fn on_timeout(&mut self, _p: &Public) {}

    fn on_sent(&mut self, p: &Public, start: u64, end: u64) {
        if !p.is_recovering() {
            return;
        }
        if core::mem::take(&mut self.is_entering) {
            self.resent = end;
            self.rescued = end;
        } else if self.choice == Choice::Rescue(start) {
            self.rescued = p.recover;
        } else if start < p.recover || self.choice == Choice::Hole(start) {
            self.resent = self.resent.max(end);
        }
        self.choice = Choice::New;
    }

    fn restarts_timer(&self, p: &Public) -> bool {
        self.restarts_timer && p.is_recovering()
    }

    fn release(&self, _p: &Public) -> Release {
        Release::Usual // outside recovery what duplicates report does not make room
    }

    fn plan(&mut self, p: &Public) -> Plan {
        if p.is_recovering() {
            let outstanding = p.sacked.pipe(p.una, p.max, self.resent, self.threshold, p.mss);
            let (choice, offset, end) = self.next(p);
            self.choice = choice;
            return Plan { offset, end, outstanding };
        }
        if p.una < p.recover {
            return Plan::in_order(p); // after a time-out
        }
        Plan { offset: p.nxt, end: u64::MAX, outstanding: p.nxt - p.una }
    }

    fn adopt(&mut self, p: &Public) {
        self.resent = p.una;
        self.rescued = p.una;
    }
}
