//! The sending half: what losses do.
//!
//! Spec      RFC 5681 §3.1, §3.2; RFC 6298 §5; RFC 3042
//! Deviates  nothing
//! Holds     one answer per loss: sign, cause, cut and repair, each asked of its slot, in this order

use super::{Connection, Phase, State};
use crate::mechanisms::Sign;
use crate::mechanisms::recovery::{Entry, Release};

impl Connection {
    /// The detection slot found a loss.
    pub(super) fn on_loss(&mut self, sign: Sign) {
        if self.is_frozen || !self.slots.recovery.admits(&self.public) {
            return;
        }
        self.cut(sign);
        self.public.fast_retransmits += 1;
        let entry = self.slots.recovery.on_loss(&self.public);
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

    /// The retransmission timer expired.
    pub(super) fn on_retransmit_timer(&mut self) {
        if matches!(self.state, State::SynSent | State::SynReceived) {
            return self.resend_syn();
        }
        let Some(sign) = self.slots.timeout.on_expiry(&self.public) else {
            self.refresh_estimate();
            return self.arm_retransmit();
        };
        self.public.timeouts += 1;
        self.public.consecutive_timeouts += 1;
        self.public.inflation = 0.0;
        self.public.dupacks = 0;
        self.cut(sign);
        self.slots.recovery.on_timeout(&self.public);
        self.public.doing = Phase::Rto;
        self.public.nxt = self.public.una;
        self.refresh_estimate();
        self.arm_retransmit();
        self.resend_hole(false); // whatever the windows say
        self.public.limited_bytes = 0;
        self.release = Some(Release::Usual);
    }

    /// Asks for the cause of a loss and the answer to it, and cuts the windows.
    fn cut(&mut self, sign: Sign) {
        let cause = self.slots.diagnosis.diagnose(&self.public, sign);
        let cut = self.slots.response.on_loss(&self.public, sign, cause);
        self.public.cwnd = cut.cwnd;
        self.public.ssthresh = cut.ssthresh;
        self.public.recover = self.public.max;
        self.slots.avoidance.on_cut(&self.public);
    }

    /// Sends the first unacknowledged segment again, as much of it as was sent before. What it makes
    /// ambiguous is no longer timed (Karn).
    pub(super) fn resend_hole(&mut self, keeps_timing: bool) {
        if self.is_frozen || self.public.flight() == 0 {
            return;
        }
        let timed = self.timed;
        let offset = self.public.una;
        let length = self.length_at(offset).min(self.public.max - offset) as u32;
        self.transmit(offset, length);
        self.timed = if keeps_timing { timed } else { None };
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
