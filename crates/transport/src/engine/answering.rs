//! A sender that waits to be asked for its data.
//!
//! Spec      Velayutham 2005 §3.3 (a static host answers the requests of a mobile one)
//! Deviates  the document gives no rules. Every segment says how far the stream reaches. While something is
//!           unacknowledged and the peer is silent, an empty segment says so after a time-out that is backed off: the peer
//!           may not know that there is something to ask for, or its last acknowledgement was lost. Closing is TCP's
//! Holds     no mechanism decides anything: what is asked for and there leaves at once, and nothing else does

use hopwright_machine::Time;
use hopwright_wire::tcp::{Flags, Pull, Segment};

use super::{Connection, Logic};
use crate::mechanisms::recovery::Release;
use crate::mechanisms::{clocking, control, path, recovery, timeout};
use crate::view::near;

impl Connection {
    /// Whether this end waits to be asked.
    pub(super) const fn is_asked(&self) -> bool {
        matches!(self.logic, Logic::Answers { .. })
    }

    /// What a segment that leaves now says of our stream.
    pub(super) fn holdings(&mut self) -> Pull {
        let end = self.tellable_end();
        match &mut self.logic {
            Logic::Answers { told, .. } => {
                *told = end;
                Pull::Holds(self.seq(end))
            }
            _ => Pull::Nothing,
        }
    }

    /// The peer decides from now on. What still leaves of our own accord, the FIN, does so by the plainest mechanisms; those
    /// that work where data come stay.
    pub(super) fn stand_idle(&mut self) {
        let plain = [
            ("control", control::WINDOW.id),
            ("clocking", clocking::SELF_CLOCKED.id),
            ("recovery", recovery::PARTIAL_ACKS.id),
            ("timeout", timeout::RFC6298.id),
            ("path", path::IGNORE.id),
        ];
        for (slot, part) in plain {
            let was = self.slots.put(slot, part, &self.params, &self.public);
            debug_assert!(was.is_ok(), "{slot} has it");
        }
    }

    /// How far our stream reaches, as far as a number tells.
    fn tellable_end(&self) -> u64 {
        self.out.end().min(self.public.una + MOST_AHEAD)
    }

    /// The acceptable acknowledgement `ack` of an end that asks.
    #[inline(never)]
    pub(super) fn on_ack_of_asker(&mut self, segment: &Segment, seq: u64, ack: u64) {
        self.update_offer(segment, seq, ack);
        if ack > self.public.una {
            let p = &mut self.public;
            p.former_una = p.una;
            p.una = ack;
            p.nxt = p.nxt.max(ack);
            p.acked_bytes = ack.min(self.out.end()) - 1;
            self.out.acknowledge(ack);
            self.check_fin_acknowledged();
        }
        self.timers.give_up = Time::NEVER;
        self.public.consecutive_timeouts = 0;
        if core::mem::take(&mut self.awaits_answer) {
            self.is_probing = false; // somebody has swapped probes in: what they ask about is the FIN
            self.public.nxt = self.public.una;
        }
        self.answer_request(segment);
        if self.public.una < self.out.end() {
            self.expect_answer();
            self.wait_for_asker();
        } else if self.is_owed() {
            self.expect_answer();
            self.arm_retransmit(); // for the FIN
        } else {
            self.timers.retransmit = Time::NEVER;
        }
        self.release = Some(Release::Usual); // the FIN
    }

    /// Sends what the segment asks for, if it asks: as much of it as there is, in one segment. Who asks for nothing wants
    /// a word. A request may have been overtaken: it names a place, and needs no order.
    pub(super) fn answer_request(&mut self, segment: &Segment) {
        let Pull::Request { from, bytes } = segment.options.pull else { return };
        if !self.can_send() {
            return;
        }
        if bytes == 0 {
            let word = self.bare_segment();
            return self.push(Segment { flags: word.flags.with(Flags::PSH), ..word });
        }
        let Some(from) = near(self.iss, self.public.una, from) else { return };
        let end = (from + u64::from(bytes)).min(self.out.end()).min(self.offered);
        let start = from.max(self.public.una);
        if start < end {
            self.hand_out(start, (end - start).min(u64::from(self.payload_limit())) as u32);
        }
    }

    /// Sends this segment, with the FIN if it comes right after.
    fn hand_out(&mut self, offset: u64, length: u32) {
        let mut end = offset + u64::from(length);
        let mut flags = Flags::ACK;
        if end == self.out.end() {
            flags = flags.with(Flags::PSH);
            if self.out.is_closed {
                flags = flags.with(Flags::FIN);
                end += 1;
            }
        }
        let segment = self.segment(offset, length, flags);
        self.push(segment);
        let p = &mut self.public;
        p.segments_sent += 1; // whether for the second time, the end that asks knows
        p.nxt = p.nxt.max(end);
        p.max = p.max.max(end);
        self.last_sent = p.now;
    }

    /// Before anything is sent of our own accord: while the peer has not got all of our data, nothing is but answers.
    /// Afterwards it may be the FIN.
    pub(super) fn keep_data_back(&mut self) {
        if self.public.una < self.out.end() {
            self.release = None;
        }
    }

    /// At the end of an event: tells a peer that may know of nothing to ask for, and waits for it to speak.
    pub(super) fn call_if_idle(&mut self) {
        let p = &self.public;
        let (una, max, end) = (p.una, p.max, self.out.end());
        let Logic::Answers { told, .. } = self.logic else { return };
        if una < end && self.can_send() {
            self.receiver.ack_now |= una == max && told < self.tellable_end();
            if self.timers.retransmit.is_never() {
                self.expect_answer();
                self.wait_for_asker();
            }
        }
    }

    /// The peer has been silent, though it lacks something. Returns whether that is so; otherwise it is a FIN that is lost.
    pub(super) fn call_asker(&mut self) -> bool {
        if self.public.una >= self.out.end() {
            return false;
        }
        self.public.consecutive_timeouts += 1;
        self.wait_for_asker();
        self.receiver.ack_now = true;
        true
    }

    /// (Re)starts the wait for a word of the peer. Nobody measures round trips here: it is as long as before the first
    /// measurement (RFC 6298 §2.1), and twice as long each time.
    fn wait_for_asker(&mut self) {
        let doubled = self.params.initial_rto * (1u64 << self.public.consecutive_timeouts.min(16));
        self.timers.retransmit = self.slots.timeout.fires(self.public.now + doubled.min(self.params.max_rto));
    }
}

/// No number further ahead is told apart from one behind.
const MOST_AHEAD: u64 = 1 << 30;
