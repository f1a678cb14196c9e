//! The sending half: what losses do.
//!
//! Spec      RFC 5681 §3.1, §3.2; RFC 6298 §5; RFC 3042
//! Deviates  nothing
//! Holds     one answer per loss: sign, cause, cut and repair, each asked of its slot, in this order

use hopwright_wire::tcp::Flags;

use super::{Connection, State};
use crate::mechanisms::path::PathEvent;
use crate::mechanisms::recovery::{Entry, Release};
use crate::mechanisms::response::Cut;
use crate::mechanisms::timeout::Expiry;
use crate::mechanisms::{Cause, Sign};
use crate::view::Phase;

impl Connection {
    /// The detection slot found a loss.
    pub(super) fn on_loss(&mut self, sign: Sign) {
        if self.is_frozen || !self.slots.recovery.admits(&self.public) || self.is_withheld(sign) {
            return;
        }
        self.cut(sign);
        self.public.fast_retransmits += 1;
        let entry = self.slots.recovery.on_loss(&self.public);
        if self.slots.recovery.backs_off() && !self.is_constant {
            self.slots.timeout.back_off(&self.public);
            self.refresh_estimate();
        }
        self.arm_retransmit();
        match entry {
            Entry::Repair { inflation } => {
                self.public.doing = Phase::Recovery;
                self.public.inflation = inflation;
                self.resend_hole(false);
            }
            Entry::GoBack => {
                self.settle_phase();
                self.public.nxt = self.public.una;
                self.resend_hole(false);
            }
        }
    }

    /// Whether the path slot keeps a sign of loss from the rest of the sender, which then stands still.
    fn is_withheld(&mut self, sign: Sign) -> bool {
        self.consult_path(PathEvent::Suspicion(sign));
        self.is_frozen
    }

    /// The detection slot found a loss that asks for no cut.
    pub(super) fn repair_hole(&mut self) {
        if self.is_frozen || self.public.flight() == 0 {
            return;
        }
        let cause = self.slots.diagnosis.diagnose(&self.public, Sign::Duplicates);
        self.public.diagnosed.count(cause);
        self.resend_hole(self.params.partial_ack_keeps_timing);
    }

    /// The retransmission timer expired.
    pub(super) fn on_retransmit_timer(&mut self) {
        if matches!(self.state, State::SynSent | State::SynReceived) {
            return self.resend_syn();
        }
        if self.is_asked() && self.call_asker() {
            return;
        }
        if self.is_probing && self.public.flight() == 0 {
            self.is_probing = false; // one segment, which an echo held back
            self.release = Some(Release::Usual);
            return;
        }
        if let Some(until) = self.slots.timeout.waits(&self.public) {
            self.timers.retransmit = self.slots.timeout.fires(until);
            return;
        }
        if self.is_withheld(Sign::Silence) {
            return;
        }
        let sign = match self.slots.timeout.on_expiry(&self.public) {
            Expiry::Lost(sign) => sign,
            Expiry::Probe => return self.ask_for_answer(),
        };
        self.awaits_answer = false;
        self.slots.control.on_silence(&self.public);
        self.public.timeouts += 1;
        self.public.consecutive_timeouts += 1;
        if self.slots.recovery.has_one_window() {
            self.public.cwnd += self.public.inflation;
        }
        self.public.inflation = 0.0;
        self.public.dupacks = 0;
        let is_probe = self.cut(sign);
        if !is_probe && !self.is_constant {
            self.slots.timeout.back_off(&self.public);
        }
        self.slots.recovery.on_timeout(&self.public);
        self.public.sacked.clear(); // the peer may have thrown it away (RFC 2018 §8)
        self.public.doing = Phase::Rto;
        self.public.nxt = self.public.una;
        self.refresh_estimate();
        if self.public.flight() > 0 {
            self.arm_retransmit();
        } else {
            // A closed window opens. The sender was not idle; and if the peer's is closed, that is what to probe now.
            self.last_sent = self.public.now;
        }
        self.resend_hole(false); // whatever the windows say
        self.public.limited_bytes = 0;
        self.is_probing = is_probe && self.public.flight() > 0;
        self.release = Some(Release::Usual);
    }

    /// Sends a segment without data, of a number that the peer has: it must answer (RFC 9293 §3.10.7.4).
    fn ask_for_answer(&mut self) {
        self.is_probing = true;
        self.awaits_answer = true;
        let segment = self.segment(self.public.una - 1, 0, Flags::ACK);
        self.push(segment);
        self.public.silence_probes += 1;
        self.slots.control.on_silence(&self.public);
        self.timed = None; // the answer would tell how long the silence was
        self.expect_answer();
        self.refresh_estimate();
        self.arm_retransmit();
    }

    /// An acknowledgement came after a probe of silence: what is still unacknowledged is lost.
    pub(super) fn on_answer(&mut self) {
        self.awaits_answer = false;
        self.is_probing = false;
        let windows = self.slots.timeout.on_answer(&self.public);
        if self.public.flight() == 0 {
            self.last_sent = self.public.now; // nothing was lost, and the sender waited: it was not idle (RFC 5681 §4.1)
        }
        if self.is_frozen || self.public.flight() == 0 {
            return;
        }
        let cause = self.slots.diagnosis.diagnose(&self.public, Sign::Silence);
        self.public.diagnosed.count(cause);
        let used = self.used_window();
        let former = (self.public.cwnd, self.public.ssthresh);
        if !self.is_constant {
            (self.public.cwnd, self.public.ssthresh) = windows;
        }
        self.public.recover = self.public.max;
        self.public.inflation = 0.0;
        self.public.dupacks = 0;
        self.bound_window();
        if former != (self.public.cwnd, self.public.ssthresh) {
            self.slots.avoidance.on_cut(&self.public, used);
        }
        self.slots.recovery.on_timeout(&self.public);
        self.settle_phase();
        self.public.nxt = self.public.una;
        self.refresh_estimate();
        self.arm_retransmit();
        self.resend_hole(false);
        self.release = Some(Release::Usual);
    }

    /// Asks for the cause of a loss and the answer to it, and cuts the windows. Returns whether that answer is to
    /// probe the path.
    fn cut(&mut self, sign: Sign) -> bool {
        self.consult_path(PathEvent::Loss(sign));
        self.public.recover = self.public.max;
        self.validation.loss = None;
        // A window cut for an echo is not cut again for what was lost in it (RFC 3168 §6.1.2).
        self.is_uncut = self.is_constant || (sign == Sign::Duplicates && self.is_answered());
        self.ecn.tells |= self.public.has_ecn;
        if self.is_uncut {
            return false;
        }
        let cause = self.slots.diagnosis.diagnose(&self.public, sign);
        self.public.diagnosed.count(cause);
        let former = (self.public.cwnd, self.public.ssthresh);
        let used = self.used_window();
        let cut = if self.slots.control.limits_outstanding() {
            self.slots.response.on_loss(&self.public, sign, cause)
        } else {
            self.cut_of_window(sign, cause)
        };
        self.public.cwnd = cut.cwnd;
        self.public.ssthresh = cut.ssthresh;
        self.bound_window();
        if former != (self.public.cwnd, self.public.ssthresh) {
            self.note_cut(used, sign == Sign::Duplicates);
            self.slots.avoidance.on_cut(&self.public, used); // otherwise it was spared, and growth goes on
        }
        cut.is_probe && sign == Sign::Silence
    }

    /// The answer to a loss where more is outstanding than the congestion window: as if it were not.
    #[cold]
    fn cut_of_window(&mut self, sign: Sign, cause: Cause) -> Cut {
        let p = &mut self.public;
        let max = p.max;
        p.max = p.una + p.flight().min(p.cwnd as u64);
        let cut = self.slots.response.on_loss(&self.public, sign, cause);
        self.public.max = max;
        cut
    }

    /// Sends the first unacknowledged segment again, as much of it as was sent before. What it makes
    /// ambiguous is no longer timed (Karn).
    pub(super) fn resend_hole(&mut self, keeps_timing: bool) {
        if self.is_frozen || self.public.flight() == 0 {
            return;
        }
        let timed = self.timed;
        let offset = self.public.una;
        let (_, held) = self.public.sacked.next_hole(offset);
        let limit = self.public.max.min(held.unwrap_or(u64::MAX));
        let length = self.length_at(offset).min(limit - offset) as u32;
        self.transmit(offset, length);
        self.timed = if keeps_timing { timed } else { None };
    }

    /// Sends what comes next, whatever the congestion window says, and lets it come next again.
    pub(super) fn send_early(&mut self) {
        let offset = self.public.nxt;
        let length = self.length_at(offset).min((self.public.una + self.public.offer).saturating_sub(offset));
        if length > 0 && !self.is_frozen {
            self.transmit(offset, length as u32);
            self.public.nxt = offset;
        }
    }

    /// New segments beyond the congestion window, in place of what would be sent again (RFC 5682 §2.1 step 2b).
    pub(super) fn try_new(&mut self, segments: u32) {
        let before = self.public.max;
        self.public.nxt = before;
        for _ in 0..segments {
            let p = &self.public;
            let length = self.length_at(p.max);
            if length == 0 || self.is_frozen || self.is_held_back(p.max, length) || p.flight() + length > p.offer {
                break;
            }
            self.transmit(p.max, length as u32);
        }
        if self.public.max == before {
            self.public.nxt = self.public.una; // nothing to find out with
        } else {
            self.release = Some(Release::Hold);
        }
    }

    /// A new segment for each of the first duplicates, two beyond the window at most (RFC 3042 §2).
    pub(super) fn limited_transmit(&mut self) {
        let p = &self.public;
        let length = self.length_at(p.max);
        let outstanding = p.flight() + length;
        let is_due = p.nxt == p.max
            && length > 0
            && !self.is_frozen
            && !self.is_held_back(p.max, length)
            && outstanding as f64 <= p.cwnd + 2.0 * f64::from(p.mss)
            && outstanding <= p.offer;
        if is_due {
            self.transmit(self.public.max, length as u32);
            self.public.limited_bytes += length;
        }
    }
}
