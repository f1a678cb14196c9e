//! The sending half: what leaves, and when.
//!
//! Spec      RFC 9293 §3.7.4 (Nagle), §3.8.6.2.1 (no silly windows); RFC 5681 §4.1 (idle restart)
//! Deviates  Nagle's rule is off unless `nagle` is set (§3.7.4 asks for on, with a way to switch it off), and is
//!           Minshall's: a small segment waits only for another small one, so that the end of a write does not wait for
//!           the full segments before it (§3.7.4 names such refinements). A window of congestion smaller than a segment
//!           is used when nothing is outstanding
//! Holds     the only place that moves `nxt` and `max` forward; no byte leaves beyond what the peer has offered,
//!           save the one that probes a closed window. A FIN takes no room and may be one number beyond

use hopwright_wire::tcp::Flags;

use super::Connection;
use crate::mechanisms::Needs;
use crate::mechanisms::control::{Allowance, float};
use crate::mechanisms::recovery::{Plan, Release};
use crate::params::IdleRestart;

impl Connection {
    /// Sends what windows, clock and data allow.
    pub(super) fn send_released(&mut self, release: Release) {
        let limit = match release {
            Release::Hold => return,
            Release::Usual => self.slots.clocking.burst(&self.public),
            Release::AtMost(n) => Some(n),
        };
        if !self.can_send() || self.is_frozen || self.is_probing {
            return;
        }
        if self.validation.is_on {
            self.doubt_after_idle();
        } else {
            self.restart_after_idle();
        }
        let limit = if self.public.pipe.is_some() { Some(self.burst_of_doubt(limit)) } else { limit };
        let allowance = self.slots.control.allowance(&self.public);
        self.public.rate = allowance.rate;
        let mut sent = 0;
        while limit.is_none_or(|limit| sent < limit) && !self.is_full(&allowance) && self.send_next(&allowance) {
            sent += 1;
        }
        if self.public.pipe.is_some() && limit == Some(sent) && !self.is_full(&allowance) {
            self.spread_rest(sent);
        }
    }

    /// Whether it is plain that nothing more may leave: data wait in order, and the window is used up. Asked first,
    /// since most acknowledgements let one segment go and end here.
    fn is_full(&self, allowance: &Allowance) -> bool {
        let p = &self.public;
        let is_in_order = !p.is_recovering() && p.sacked.bytes() == 0 && p.nxt < self.out.end();
        is_in_order && allowance.window - float(p.nxt - p.una) < 1.0
    }

    /// Sends one segment, if it may go.
    fn send_next(&mut self, allowance: &Allowance) -> bool {
        let limit = u64::from(self.payload_limit());
        if self.public.is_recovering() && self.needs.has(Needs::SELECTIVE_ACKS) {
            self.public.has_room_for_new = self.has_room_for_new(limit);
        }
        let plan = self.slots.recovery.plan(&self.public);
        if !self.out.has_beyond(plan.offset) {
            return false;
        }
        let Some(length) = self.sendable(&plan, allowance, limit) else { return false };
        let departure = self.slots.clocking.departure(&self.public, length as u32);
        if departure > self.public.now {
            self.timers.pace = departure;
            return false;
        }
        let is_timing_lost = plan.offset < self.public.max && !self.params.partial_ack_keeps_timing;
        if is_timing_lost && self.timed.is_some_and(|(end, _)| plan.offset < end) {
            self.timed = None;
        }
        self.public.nxt = self.public.nxt.max(plan.offset);
        self.transmit(plan.offset, length as u32);
        true
    }

    /// Whether a segment that was never sent waits, and the peer offers room for it.
    fn has_room_for_new(&self, limit: u64) -> bool {
        let unsent = self.public.max;
        let new = self.length_within(unsent, limit);
        let room = (self.public.una + self.public.offer).saturating_sub(unsent);
        self.out.has_beyond(unsent) && new <= room && !self.is_held_back(unsent, new)
    }

    /// How much of the segment that is next may leave, if any; `limit` is the most one carries.
    fn sendable(&self, plan: &Plan, allowance: &Allowance, limit: u64) -> Option<u64> {
        let p = &self.public;
        let wanted = self.length_within(plan.offset, limit).min(plan.end - plan.offset);
        let room = allowance.window - float(plan.outstanding);
        let offered = (p.una + p.offer).saturating_sub(plan.offset);
        if float(wanted) <= room && wanted <= offered {
            return (!self.is_held_back(plan.offset, wanted)).then_some(wanted);
        }
        if room < 1.0 || offered == 0 {
            return None;
        }
        let is_alone = plan.outstanding == 0;
        if room < float(offered) {
            return is_alone.then_some(room as u64); // the congestion window is smaller than a segment
        }
        // Less than a segment is offered: worth it if it is half of what ever was (Fs of the RFC).
        let is_worth_it = 2 * offered >= self.max_offer && (is_alone || !self.params.nagle);
        is_worth_it.then_some(offered)
    }

    /// Nagle's rule: a small segment waits for the acknowledgement of the small one before it, unless it is the last.
    pub(super) fn is_held_back(&self, offset: u64, length: u64) -> bool {
        let p = &self.public;
        let is_small = || length > 0 && length < u64::from(self.payload_limit());
        self.params.nagle && offset == p.max && self.small > p.una && !self.out.is_closed && is_small()
    }

    /// New data left for Nagle's rule to remember, if they did not fill the segment that ends here.
    fn note_small(&mut self, length: u32, end: u64) {
        if length > 0 && length < self.payload_limit() {
            self.small = end;
        }
    }

    /// Payload of the segment at this position, windows aside.
    pub(super) fn length_at(&self, offset: u64) -> u64 {
        self.length_within(offset, u64::from(self.payload_limit()))
    }

    /// The same, where the limit is known.
    const fn length_within(&self, offset: u64, limit: u64) -> u64 {
        let rest = self.out.end().saturating_sub(offset);
        if rest < limit { rest } else { limit }
    }

    /// Sends this segment, with the FIN if it comes right after.
    pub(super) fn transmit(&mut self, offset: u64, length: u32) {
        let mut flags = Flags::ACK;
        let mut end = offset + u64::from(length);
        let is_probe = length == 1 && offset <= self.offered;
        assert!(length == 0 || end <= self.offered || is_probe, "sends up to {end} of {} offered", self.offered);
        if end == self.out.end() {
            if length > 0 {
                flags = flags.with(Flags::PSH);
            }
            // What probes a path that may not be there brings no FIN that did not leave before.
            if self.out.is_closed && (!self.is_frozen || end < self.public.max) {
                flags = flags.with(Flags::FIN);
                end += 1;
            }
        }
        let segment = self.segment(offset, length, flags);
        self.push(segment);

        let p = &mut self.public;
        let former = p.max;
        let is_again = offset < former;
        let is_probe = former <= offset + 1 || self.is_frozen; // of a closed window, or of a path
        if is_again && length > 0 && !is_probe {
            self.slots.control.on_resend(p, offset);
        }
        if length > 0 {
            p.segments_sent += 1;
            p.retransmissions += u64::from(is_again);
        }
        if is_again {
            self.resent = p.max;
            self.validation.resent += u64::from(length);
        } else if self.timed.is_none() {
            self.timed = Some((end, p.now));
        }
        if offset == p.nxt {
            p.nxt = end;
        }
        p.max = p.max.max(end);
        if self.needs.has(Needs::SENT_TIMES) {
            p.sent.record(p.now, offset, end, former, p.mss);
        }
        self.last_sent = p.now;
        if self.params.nagle && !is_again {
            self.note_small(length, end);
        }
        self.slots.recovery.on_sent(&self.public, offset, end);
        if is_again && self.slots.recovery.restarts_timer(&self.public) {
            self.arm_retransmit();
        }
        self.expect_answer();
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
        self.bound_window();
        self.settle_phase();
    }
}
