//! The sending half: what leaves, and when.
//!
//! Spec      RFC 9293 §3.8.6.2.1 (no silly windows), RFC 5681 §4.1 (idle restart)
//! Deviates  no Nagle: a short segment leaves as soon as the windows allow it whole
//! Holds     the only place that moves `nxt` and `max` forward

use hopwright_wire::tcp::Flags;

use super::Connection;
use crate::mechanisms::control::Allowance;
use crate::mechanisms::recovery::Release;
use crate::params::IdleRestart;

impl Connection {
    /// Sends what windows, clock and data allow.
    pub(super) fn send_released(&mut self, release: Release) {
        let limit = match release {
            Release::Hold => return,
            Release::Usual => self.slots.clocking.burst(&self.public),
            Release::AtMost(n) => Some(n),
        };
        if !self.can_send() || self.is_frozen {
            return;
        }
        self.restart_after_idle();
        let allowance = self.slots.control.allowance(&self.public);
        self.public.rate = allowance.rate;
        let mut sent = 0;
        while limit.is_none_or(|limit| sent < limit) && self.send_next(&allowance) {
            sent += 1;
        }
    }

    /// Sends one segment, if it may go.
    fn send_next(&mut self, allowance: &Allowance) -> bool {
        let plan = self.slots.recovery.plan(&self.public);
        if !self.out.has_beyond(plan.offset) {
            return false;
        }
        let wanted = self.length_at(plan.offset);
        let room = allowance.window - plan.outstanding as f64;
        let length = if wanted as f64 <= room {
            wanted
        } else if plan.outstanding == 0 && room >= 1.0 {
            room as u64 // the peer's whole window is smaller than a segment
        } else {
            return false;
        };
        let departure = self.slots.clocking.departure(&self.public, length as u32);
        if departure > self.public.now {
            self.timers.pace = departure;
            return false;
        }
        self.transmit(plan.offset, length as u32);
        true
    }

    /// Payload of the segment at this position, windows aside.
    pub(super) fn length_at(&self, offset: u64) -> u64 {
        self.out.end().saturating_sub(offset).min(u64::from(self.public.mss))
    }

    /// Sends this segment, with the FIN if it comes right after.
    pub(super) fn transmit(&mut self, offset: u64, length: u32) {
        let mut flags = Flags::ACK;
        let mut end = offset + u64::from(length);
        if end == self.out.end() {
            if length > 0 {
                flags = flags.with(Flags::PSH);
            }
            if self.out.is_closed {
                flags = flags.with(Flags::FIN);
                end += 1;
            }
        }
        let segment = self.segment(offset, length, flags);
        self.push(segment);

        let p = &mut self.public;
        if length > 0 {
            p.segments_sent += 1;
            p.retransmissions += u64::from(offset < p.max);
        }
        if offset >= p.max && self.timed.is_none() {
            self.timed = Some((end, p.now));
        }
        if offset == p.nxt {
            p.nxt = end;
        }
        p.max = p.max.max(end);
        self.last_sent = p.now;
        if self.timers.retransmit.is_never() {
            self.arm_retransmit();
        }
    }

    /// After an RTO of silence nothing is known about the path any more.
    fn restart_after_idle(&mut self) {
        let p = &self.public;
        let is_idle = p.una == p.max && p.now.since(self.last_sent) > p.rto && self.out.has_beyond(p.nxt);
        if !is_idle {
            return;
        }
        let window = match self.params.idle_restart {
            IdleRestart::Off => return,
            IdleRestart::InitialWindow => self.slots.startup.initial_window(p),
            IdleRestart::OneSegment => f64::from(p.mss),
        };
        self.public.cwnd = self.public.cwnd.min(window);
        self.settle_phase();
    }
}
