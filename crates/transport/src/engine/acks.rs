//! The sending half: what acknowledgements do.
//!
//! Spec      RFC 9293 §3.10.7.4 (ACK), RFC 5681 §2, §3; RFC 6298 §3, §5
//! Deviates  ns-2's rules where switched on: any repetition is a duplicate, old acknowledgements release
//! Holds     each slot is asked at most once per acknowledgement

use hopwright_machine::Time;
use hopwright_wire::tcp::Segment;

use super::{Connection, Phase};
use crate::mechanisms::detection::Evidence;
use crate::mechanisms::path::PathEvent;
use crate::mechanisms::recovery::{Release, Step};
use crate::mechanisms::{Ack, AckKind};
use crate::params::DuplicateRule;

impl Connection {
    /// Acts on the acceptable acknowledgement `ack` of a segment whose first byte is at `seq`.
    pub(super) fn on_ack(&mut self, segment: &Segment, seq: u64, ack: u64) {
        let former_offer = self.public.offer;
        self.update_offer(segment, seq, ack);
        let una = self.public.una;
        if ack > una {
            self.on_advance(segment, ack);
        } else if ack < una {
            if self.params.old_acks_release {
                self.release = Some(self.slots.recovery.release(&self.public));
            }
        } else if self.is_duplicate(segment, former_offer) {
            self.on_duplicate(segment);
        } else if self.public.offer > former_offer {
            self.release = Some(Release::Usual);
        }
        if self.public.offer < self.public.flight() {
            self.timers.give_up = Time::NEVER; // alive, but not ready for it (RFC 9293 §3.8.6, RFC 1122 §4.2.2.17)
        }
    }

    /// Only the newest segment may change the offer: by its number (RFC 9293 §3.10.7.4), or because it
    /// acknowledges more. The RFC leaves the second out, and would then count an old offer from a new place,
    /// beyond what was offered, when the peer sends its data again.
    fn update_offer(&mut self, segment: &Segment, seq: u64, ack: u64) {
        if ack > self.public.una || (ack == self.public.una && (seq, ack) >= self.offer_from) {
            self.take_offer(ack, u64::from(segment.window) << self.peer_shift);
            self.offer_from = (seq, ack);
        }
    }

    /// The peer offers so many bytes from this position on.
    pub(super) fn take_offer(&mut self, from: u64, offer: u64) {
        self.public.offer = offer;
        self.max_offer = self.max_offer.max(offer);
        self.offered = self.offered.max(from + offer);
    }

    /// RFC 5681 §2; what the answer to a probe repeats is no duplicate.
    fn is_duplicate(&self, segment: &Segment, former_offer: u64) -> bool {
        self.public.flight() > 0
            && segment.sequence_length() == 0
            && self.timers.probes == 0
            && (self.params.duplicate_rule == DuplicateRule::AnyRepeat || self.public.offer == former_offer)
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
        let facts = Ack { kind: AckKind::Advance, acked: ack - p.una, rtt, segment };
        p.una = ack;
        p.nxt = p.nxt.max(ack);
        p.dupacks = 0;
        p.limited_bytes = 0;
        p.consecutive_timeouts = 0;
        p.rtt_sample = exact;
        p.acked_bytes = ack.min(self.out.end()) - 1;
        self.out.acknowledge(ack);
        self.timers.probes = 0;
        self.timers.give_up = Time::NEVER;
        if self.public.flight() > 0 {
            self.expect_answer();
        }

        self.slots.timeout.on_ack(&self.public, &facts);
        self.refresh_estimate();
        let evidence = self.observe(&facts);
        if self.public.is_recovering() {
            let step = self.slots.recovery.on_advance(&self.public, &facts);
            self.take_step(step, &facts);
        } else {
            self.grow(&facts);
            self.rearm_retransmit();
            if let Evidence::Loss(sign) = evidence {
                self.on_loss(sign);
            }
        }
        self.release = Some(self.slots.recovery.release(&self.public));
        self.check_fin_acknowledged();
    }

    fn on_duplicate(&mut self, segment: &Segment) {
        self.public.dupacks += 1;
        let facts = Ack { kind: AckKind::Duplicate, acked: 0, rtt: None, segment };
        let evidence = self.observe(&facts);
        if self.public.is_recovering() {
            self.public.inflation += self.slots.recovery.on_duplicate(&self.public, &facts);
        } else {
            match evidence {
                Evidence::Loss(sign) => self.on_loss(sign),
                Evidence::Departure => self.limited_transmit(),
                Evidence::Nothing => {}
            }
        }
        self.release = Some(self.slots.recovery.release(&self.public));
    }

    /// Shows an acknowledgement to every slot that watches them.
    fn observe(&mut self, facts: &Ack<'_>) -> Evidence {
        let standing = self.slots.path.on_event(&self.public, PathEvent::Ack(facts));
        self.stand(standing);
        self.slots.diagnosis.on_ack(&self.public, facts);
        self.slots.response.on_ack(&self.public, facts);
        self.slots.detection.on_ack(&self.public, facts)
    }

    fn take_step(&mut self, step: Step, facts: &Ack<'_>) {
        match step {
            Step::Partial { cwnd, inflation, restart_timer } => {
                self.public.cwnd = cwnd;
                self.public.inflation = inflation;
                if restart_timer {
                    self.arm_retransmit();
                }
                self.resend_hole(self.params.partial_ack_keeps_timing);
            }
            Step::Full { cwnd, grow } => {
                self.public.cwnd = cwnd;
                self.public.inflation = 0.0;
                self.settle_phase();
                if grow {
                    self.grow(facts);
                }
                self.rearm_retransmit();
            }
        }
    }

    /// Opens the window, in whichever way is due.
    fn grow(&mut self, facts: &Ack<'_>) {
        let growth = if self.slots.startup.is_active(&self.public) {
            self.slots.startup.on_ack(&self.public, facts)
        } else {
            self.slots.avoidance.on_ack(&self.public, facts)
        };
        self.public.cwnd = (self.public.cwnd + growth).max(f64::from(self.public.mss));
        self.settle_phase();
    }

    /// Outside recovery and time-outs, the phase is whoever grows the window.
    pub(super) fn settle_phase(&mut self) {
        let starts_up = self.slots.startup.is_active(&self.public);
        self.public.doing = if starts_up { Phase::SlowStart } else { Phase::CongestionAvoidance };
    }
}
