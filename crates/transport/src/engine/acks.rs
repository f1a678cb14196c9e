//! The sending half: what acknowledgements do.
//!
//! Spec      RFC 9293 §3.10.7.4 (ACK), RFC 5681 §2, §3; RFC 6298 §3, §5; RFC 6675 §2; RFC 5682 §2.1 (what follows a
//!           time-out that may be spurious)
//! Deviates  ns-2's rules where switched on: any repetition is a duplicate, old acknowledgements release
//! Holds     each slot is asked at most once per acknowledgement

use hopwright_machine::Time;
use hopwright_wire::tcp::{Flags, Segment};

use super::Connection;
use crate::mechanisms::control::within;
use crate::mechanisms::detection::Evidence;
use crate::mechanisms::path::PathEvent;
use crate::mechanisms::recovery::{Release, Step};
use crate::mechanisms::startup::Growth;
use crate::mechanisms::timeout::Verdict;
use crate::mechanisms::{Ack, AckKind, Needs};
use crate::params::DuplicateRule;
use crate::view::{Covered, Phase};

impl Connection {
    /// Acts on the acceptable acknowledgement `ack` of a segment whose first byte is at `seq`.
    pub(super) fn on_ack(&mut self, segment: &Segment, seq: u64, ack: u64) {
        if !self.logic.is_usual() {
            self.note_holdings(segment);
            if self.is_asked() {
                return self.on_ack_of_asker(segment, seq, ack);
            }
        }
        self.slots.recovery.on_any_ack(&self.public);
        if self.needs.has(Needs::RATES) && segment.payload_bytes == 0 && ack >= self.public.una {
            self.slots.control.on_rates(&self.public, segment.options.rates, 0);
        }
        let former_offer = self.public.offer;
        let is_same_offer = self.update_offer(segment, seq, ack);
        let una = self.public.una;
        if ack > una {
            self.on_advance(segment, ack);
        } else if ack < una {
            self.on_old(segment);
        } else {
            let report = self.read_report(segment, ack, false);
            if self.is_duplicate(segment, is_same_offer, report) {
                self.on_duplicate(segment, report);
            } else {
                self.on_repeat(segment, former_offer);
            }
        }
        if self.awaits_answer && ack >= una {
            self.on_answer();
        }
        if self.public.offer < self.public.flight() {
            self.timers.give_up = Time::NEVER; // alive, but not ready for it (RFC 9293 §3.8.6, RFC 1122 §4.2.2.17)
        }
        if segment.flags.has(Flags::ECE) && self.public.has_ecn {
            self.on_congestion_echo();
        }
    }

    /// Only the newest segment may change the offer: by its number (RFC 9293 §3.10.7.4), or because it
    /// acknowledges more. The RFC leaves the second out, and would then count an old offer from a new place,
    /// beyond what was offered, when the peer sends its data again. Of two with the same numbers the larger offer is the
    /// newer one, whichever comes first, as an offer is not taken back (§3.8.6), unless a peer closes its window all the
    /// same; so does Linux. Two ends that both believed an older, smaller offer would refuse each other's
    /// acknowledgements for ever. Returns whether this one
    /// tells what the last one did.
    pub(super) fn update_offer(&mut self, segment: &Segment, seq: u64, ack: u64) -> bool {
        if ack < self.public.una || (ack == self.public.una && (seq, ack) < self.offer_from) {
            return true;
        }
        let offer = u64::from(segment.window) << self.peer_shift;
        let is_smaller = offer < self.public.offer && offer > 0;
        let is_same = offer == self.said_offer;
        self.said_offer = offer;
        if (seq, ack) != self.offer_from || !is_smaller {
            self.take_offer(ack, offer);
            self.offer_from = (seq, ack);
        }
        is_same
    }

    /// The peer offers so many bytes from this position on.
    pub(super) fn take_offer(&mut self, from: u64, offer: u64) {
        self.public.offer = offer;
        self.said_offer = offer;
        self.max_offer = self.max_offer.max(offer);
        self.offered = self.offered.max(from + offer);
    }

    /// One that repeats the number and is no duplicate: it says something about the window, or nothing at all. The
    /// path, and the timer that waits for news after a time-out, are shown those that could have been duplicates. To a
    /// sender that stands still they all show that something gets through.
    fn on_repeat(&mut self, segment: &Segment, former_offer: u64) {
        let mut verdict = Verdict::Nothing;
        let could_be = segment.sequence_length() == 0 && self.public.flight() > 0 && self.timers.probes == 0;
        if could_be || self.is_frozen {
            let facts = self.facts(segment);
            if self.needs.has(Needs::ORDER) || self.is_frozen {
                self.consult_path(PathEvent::Ack(&facts));
            }
            if self.keeps_scoreboard() && !self.is_constant {
                verdict = self.slots.timeout.on_ack(&self.public, &facts);
            }
        }
        if self.keeps_scoreboard() && self.params.old_acks_release {
            self.release = Some(self.slots.recovery.release(&self.public));
        } else if self.public.offer > former_offer {
            self.release = Some(Release::Usual);
        }
        self.judge(verdict);
    }

    /// An acknowledgement that a newer one overtook.
    fn on_old(&mut self, segment: &Segment) {
        self.consult_path(PathEvent::Ack(&Ack { kind: AckKind::Old, ..self.facts(segment) }));
        if self.params.old_acks_release {
            self.release = Some(self.slots.recovery.release(&self.public));
        }
    }

    /// Takes in what an acknowledgement reports beyond its number: bytes for the first time, and whether any came
    /// twice.
    fn read_report(&mut self, segment: &Segment, ack: u64, is_advance: bool) -> (u64, bool) {
        let is_silent = segment.options.sack.is_empty() && self.public.sacked.bytes() == 0;
        if is_silent || !self.keeps_scoreboard() {
            return (0, false);
        }
        self.take_report(segment, ack, is_advance)
    }

    /// One that reports something, or follows one that did.
    #[inline(never)]
    fn take_report(&mut self, segment: &Segment, ack: u64, is_advance: bool) -> (u64, bool) {
        if !self.slots.recovery.reads_report(&self.public, is_advance) {
            if is_advance {
                self.public.sacked.clear();
            }
            return (0, false);
        }
        let report = self.public.sacked.update(&segment.options.sack, self.iss, ack, self.public.max);
        self.public.dsacks += u64::from(report.1);
        report
    }

    /// RFC 5681 §2, or, where the peer reports what it holds, RFC 6675 §2: what reports something new, with data or
    /// without. What the answer to a probe repeats is no duplicate.
    fn is_duplicate(&self, segment: &Segment, is_same_offer: bool, (newly_sacked, _): (u64, bool)) -> bool {
        if self.keeps_scoreboard() {
            return newly_sacked > 0;
        }
        self.public.flight() > 0
            && segment.sequence_length() == 0
            && self.timers.probes == 0
            && (self.params.duplicate_rule == DuplicateRule::AnyRepeat || is_same_offer)
    }

    /// What any acknowledgement says.
    pub(super) fn facts<'a>(&self, segment: &'a Segment) -> Ack<'a> {
        let echoes = self.needs.has(Needs::TIMESTAMPS);
        let echoed = if echoes { self.timestamps.echoed(self.public.now, segment) } else { None };
        Ack { echoed, ..Ack::bare(AckKind::Duplicate, 0, segment) }
    }

    fn on_advance(&mut self, segment: &Segment, ack: u64) {
        let p = &mut self.public;
        let (exact, rtt) = match self.timed {
            Some((end, sent)) if ack >= end => {
                self.timed = None;
                let exact = Some(p.now.since(sent));
                (exact, exact)
            }
            // Not timed, as something was sent twice: the echo tells which one came (RFC 7323 §4.1).
            None if p.una < self.resent => (None, self.timestamps.round_trip(p.now, segment)),
            _ => (None, None),
        };
        let acked = ack - p.una;
        p.former_una = p.una;
        p.una = ack;
        p.nxt = p.nxt.max(ack);
        p.dupacks = 0;
        p.limited_bytes = 0;
        p.consecutive_timeouts = 0;
        p.rtt_sample = exact;
        p.acked_bytes = ack.min(self.out.end()) - 1;
        if let Some(rtt) = exact {
            p.min_rtt = Some(p.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        self.out.acknowledge(ack);
        self.is_probing = false;
        self.timers.probes = 0;
        self.timers.give_up = Time::NEVER;
        if self.public.flight() > 0 {
            self.expect_answer();
        }
        if self.validation.is_on {
            self.validate_window();
        }
        let covered = self.measure(ack);
        let (newly_sacked, is_dsack) = self.read_report(segment, ack, true);
        self.public.dupacks = u32::from(newly_sacked > 0);
        let facts = Ack {
            kind: AckKind::Advance,
            acked,
            rtt,
            delay: covered.delay,
            covers_resent: covered.resent,
            newly_sacked,
            is_dsack,
            ..self.facts(segment)
        };

        let (evidence, verdict) = self.observe(&facts);
        if self.public.is_recovering() {
            let step = self.slots.recovery.on_advance(&self.public, &facts);
            self.take_step(step, &facts);
        } else {
            self.grow(&facts);
            self.rearm_retransmit();
        }
        self.act_on(evidence);
        self.release = Some(self.slots.recovery.release(&self.public));
        self.judge(verdict);
        self.check_fin_acknowledged();
    }

    fn on_duplicate(&mut self, segment: &Segment, (newly_sacked, is_dsack): (u64, bool)) {
        self.public.dupacks += 1;
        self.public.duplicate_acks += 1;
        let facts = Ack { newly_sacked, is_dsack, ..self.facts(segment) };
        let was_recovering = self.public.is_recovering();
        let was_frozen = self.is_frozen;
        let (evidence, verdict) = self.observe(&facts);
        if self.is_frozen {
            return self.keep_duplicate_from_sender();
        }
        let losses = self.public.fast_retransmits;
        self.act_on(evidence);
        let is_refused = matches!(evidence, Evidence::Loss(_)) && self.slots.recovery.has_one_window();
        if was_recovering && self.public.fast_retransmits == losses && !is_refused {
            self.public.inflation += self.slots.recovery.on_duplicate(&self.public, &facts);
        }
        if self.is_frozen {
            self.keep_duplicate_from_sender();
        } else if !was_frozen {
            self.release = Some(self.slots.recovery.release(&self.public));
        } // what it woke goes on, whatever duplicates wait for
        self.judge(verdict);
    }

    /// The path slot held the sender still over a duplicate, which then counts for nothing. What made the sender start
    /// over has counted from zero already.
    fn keep_duplicate_from_sender(&mut self) {
        self.public.dupacks = self.public.dupacks.saturating_sub(1);
    }

    /// Takes the times of what is acknowledged.
    fn measure(&mut self, ack: u64) -> Covered {
        if !self.needs.has(Needs::SENT_TIMES) {
            return Covered::default();
        }
        let p = &mut self.public;
        let covered = p.sent.acknowledge(p.now, ack, p.mss);
        if let Some(delay) = covered.delay.filter(|_| !covered.resent) {
            p.min_rtt = Some(p.min_rtt.map_or(delay, |least| least.min(delay)));
        }
        if self.needs.has(Needs::ROUNDS) {
            p.round.on_ack(p.now, ack, p.nxt, p.mss, covered.delay);
        }
        covered
    }

    /// Shows an acknowledgement to every slot that watches them: the path first, which may hold the others still.
    #[inline(always)] // spares the way of its answers through memory
    fn observe(&mut self, facts: &Ack<'_>) -> (Evidence, Verdict) {
        self.consult_path(PathEvent::Ack(facts));
        let mut verdict = Verdict::Nothing;
        if !self.is_constant {
            verdict = self.slots.timeout.on_ack(&self.public, facts);
            if facts.kind == AckKind::Advance {
                self.refresh_estimate();
            }
        }
        self.slots.diagnosis.on_ack(&self.public, facts);
        if let Some(adaptation) = &mut self.adaptation {
            adaptation.on_ack(&self.public, facts);
        }
        if let Some(windows) = self.slots.response.on_ack(&self.public, facts)
            && !self.is_constant
        {
            self.set_windows(&windows);
            if facts.kind == AckKind::Advance && !self.public.is_recovering() {
                self.settle_phase(); // a recovery goes on, and ends with this window
            }
        }
        (self.slots.detection.on_ack(&self.public, facts), verdict)
    }

    fn act_on(&mut self, evidence: Evidence) {
        // What the answer to a probe of silence leaves missing is sent again once, by `on_answer`.
        if !matches!(evidence, Evidence::Nothing) && !self.awaits_answer {
            self.answer_evidence(evidence);
        }
    }

    /// Acts on evidence of something; most acknowledgements give none.
    #[inline(never)]
    fn answer_evidence(&mut self, evidence: Evidence) {
        match evidence {
            Evidence::Loss(sign) => self.on_loss(sign),
            Evidence::Hole => {
                self.begin_repair();
                self.repair_hole();
            }
            Evidence::Early => {
                self.begin_repair();
                self.send_early();
            }
            Evidence::Departure if !self.public.is_recovering() => self.limited_transmit(),
            Evidence::Departure | Evidence::Nothing => {}
        }
    }

    /// What is missing is sent again without an answer.
    fn begin_repair(&mut self) {
        if self.slots.recovery.on_hole(&self.public) && !self.public.is_recovering() {
            self.public.doing = Phase::Recovery;
            self.public.inflation = 0.0;
        }
    }

    /// Acts on what is said about the last time-out.
    fn judge(&mut self, verdict: Verdict) {
        if !matches!(verdict, Verdict::Nothing) {
            self.answer_verdict(verdict);
        }
    }

    /// Acts on a verdict that says something; most acknowledgements bring none.
    #[inline(never)]
    fn answer_verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Nothing => {}
            Verdict::TryNew(segments) => self.try_new(segments),
            Verdict::Genuine(window) => {
                self.public.cwnd = self.public.cwnd.min(window);
                self.bound_window();
                self.public.nxt = self.public.una;
                self.release = Some(Release::Usual);
            }
            Verdict::Needless => self.public.needless_retransmits += 1,
            Verdict::Spurious { windows } => {
                self.public.spurious_timeouts += 1;
                self.public.nxt = self.public.max;
                self.public.recover = self.public.una;
                if let Some(windows) = windows {
                    (self.public.cwnd, self.public.ssthresh) = windows;
                    self.public.cwnd = self.grown(0.0); // little in flight and little acknowledged (RFC 4015 (RESP))
                    self.bound_window();
                }
                self.settle_phase();
                self.release = Some(Release::Usual);
            }
        }
    }

    #[inline(never)]
    fn take_step(&mut self, step: Step, facts: &Ack<'_>) {
        match step {
            Step::Partial { cwnd, inflation, restart_timer, resend } => {
                self.public.cwnd = cwnd;
                self.public.inflation = inflation;
                self.bound_window();
                if restart_timer {
                    self.arm_retransmit();
                }
                if resend && !self.awaits_answer {
                    self.resend_hole(self.params.partial_ack_keeps_timing);
                }
            }
            Step::Stay { ends_back_off } => {
                self.arm_retransmit();
                if ends_back_off {
                    self.slots.timeout.end_back_off();
                    self.refresh_estimate();
                }
            }
            Step::Full { cwnd, ssthresh, grow } => {
                if !self.is_uncut {
                    self.public.cwnd = cwnd;
                    self.public.ssthresh = ssthresh;
                }
                self.public.inflation = 0.0;
                self.bound_window();
                self.settle_cut();
                self.settle_phase();
                if grow && !self.is_uncut {
                    self.grow(facts);
                }
                self.rearm_retransmit();
            }
        }
    }

    /// Opens the window, in whichever way is due.
    #[inline(always)] // on the way of every acknowledgement
    fn grow(&mut self, facts: &Ack<'_>) {
        // What echoes congestion opens no window (RFC 3168 §6.1.2).
        if self.may_hold && (self.is_constant || facts.echoes_congestion()) {
            self.public.cwnd = self.grown(0.0); // ns-2 halves one segment too (`slowdown`), then opens the window again
        } else {
            let mut starts = self.slots.startup.is_active(&self.public);
            if starts && self.needs.has(Needs::SPACING) && self.slots.avoidance.takes_over(facts) {
                starts = false;
                self.public.ssthresh = self.public.cwnd.max(2.0 * f64::from(self.public.mss));
            }
            let growth = if starts {
                self.slots.startup.on_ack(&self.public, facts)
            } else {
                Growth::By(self.slots.avoidance.on_ack(&self.public, facts))
            };
            match growth {
                Growth::By(bytes) => {
                    let bytes = if self.public.pipe.is_some() { bytes.min(0.0) } else { bytes }; // RFC 7661 §4.4
                    self.public.cwnd = self.grown(bytes);
                }
                Growth::Found { cwnd, ssthresh } => {
                    (self.public.cwnd, self.public.ssthresh) = (cwnd, ssthresh);
                    self.slots.avoidance.on_found(&self.public);
                }
            }
            self.bound_window();
        }
        self.settle_phase();
    }

    /// The congestion window, longer or shorter by so many bytes: a segment at least, as a rule.
    pub(super) fn grown(&self, bytes: f64) -> f64 {
        let (grown, segment) = (self.public.cwnd + bytes, f64::from(self.public.mss));
        if grown >= segment {
            return grown;
        }
        if self.slots.recovery.has_one_window() { grown.max(0.0) } else { segment }
    }

    /// Keeps the congestion window within the bounds of the control slot.
    pub(super) fn bound_window(&mut self) {
        let (least, most) = self.slots.control.bounds(&self.public);
        let p = &mut self.public;
        let bounded = within(p.cwnd, least, most);
        if bounded < p.cwnd {
            p.inflation = p.inflation.max(f64::from(p.mss) - bounded); // deflation leaves a segment, of this window too
        }
        p.cwnd = bounded;
    }

    /// Outside recovery and time-outs, the phase is whoever grows the window.
    pub(super) fn settle_phase(&mut self) {
        let starts_up = self.slots.startup.is_active(&self.public);
        self.public.doing = if starts_up { Phase::SlowStart } else { Phase::CongestionAvoidance };
    }
}
