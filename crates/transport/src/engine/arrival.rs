//! The first look at every segment, in the order of the document: number, reset, SYN, acknowledgement, text.
//!
//! Spec      RFC 9293 §3.10.7; RFC 5961 §3, §4, §5 (resets, SYNs and acknowledgements of strangers);
//!           RFC 7323 §5.3 (old timestamps); RFC 1337 §3 (resets in TIME-WAIT); RFC 1122 §4.2.2.13, RFC 6191
//! Deviates  an empty segment, or a FIN alone, right behind the window is acceptable: a peer that filled the
//!           window numbers them so, and they take no room. So is an empty segment that bears the number of a FIN
//!           taken there, or that at which the window was closed before a probe was taken there: the peer cannot
//!           know yet that it may use the next one. An unacceptable SYN in SYN-RECEIVED that repeats the first one
//!           is answered with our SYN, not with an acknowledgement alone. Of the peer's FIN, come again, the
//!           acknowledgement is believed: one of ours may have been lost, with which the peer answered before. So is
//!           that of anything from before the window while we number by a window that was taken back, or before a probe
//! Holds     of other unacceptable segments nothing is believed, their acknowledgements neither

use hopwright_wire::tcp::{Flags, Pull, Segment};

use super::{Connection, Output, Role, State};
use crate::view::near;

impl Connection {
    /// A segment arrived, in whatever state.
    pub(super) fn on_segment(&mut self, segment: &Segment, data: &[u8]) {
        if !data.is_empty() && data.len() as u64 != u64::from(segment.payload_bytes) {
            return; // header and payload do not belong together
        }
        match self.state {
            State::Closed => self.refuse(segment),
            State::Listen => self.on_listen(segment),
            State::SynSent => self.on_syn_sent(segment, data),
            _ => self.on_synchronized(segment, data),
        }
    }

    /// Everything but Closed, Listen and SynSent (§3.10.7.4).
    fn on_synchronized(&mut self, segment: &Segment, data: &[u8]) {
        let now = self.public.now;
        let seq = near(self.receiver.irs, self.input.next, segment.seq);
        let is_syn = segment.flags.has(Flags::SYN);
        if segment.flags.has(Flags::RST) {
            return self.on_reset(seq); // its number is looked at there, its timestamp not at all (RFC 7323 §5.2)
        }
        if self.state == State::SynReceived && is_syn && seq == Some(0) {
            return self.on_repeated_syn(segment, data);
        }
        if self.timestamps.is_on && segment.options.timestamps.is_none() && !is_syn {
            return; // RFC 7323 §3.2; a SYN without one may be a restarted peer's, and is challenged below
        }
        let seq = match seq {
            Some(seq) if self.is_acceptable(seq, segment) && !self.timestamps.is_old(now, segment) => seq,
            _ => return self.on_unacceptable(segment, seq, data),
        };
        if is_syn {
            if self.state == State::SynReceived && self.role == Role::Passive {
                return self.listen_again(); // the peer began anew, and will say so again
            }
            return self.challenge();
        }
        if !segment.flags.has(Flags::ACK) {
            return;
        }
        if self.state == State::SynReceived {
            if segment.ack != self.iss + 1 {
                return self.refuse(segment);
            }
            self.establish(segment);
        }
        let Some(ack) = self.acceptable_ack(segment) else { return self.challenge() };
        self.timestamps.keep(now, seq, segment);
        self.expect_fin();
        if seq < self.input.next && segment.payload_bytes == 0 && ack <= self.public.una {
            self.challenge(); // in place of the FIN, and no news: it asks whether we live (§3.8.4)
        }
        self.on_ack(segment, seq, ack);
        if self.state != State::Closed {
            self.on_text(segment, seq, data);
        }
    }

    /// Whether any of the segment lies in the window (the table of §3.4). Where the window is closed, what
    /// begins right behind it is acceptable but for its data: probes carry acknowledgements.
    fn is_acceptable(&self, seq: u64, segment: &Segment) -> bool {
        let next = self.input.next;
        let edge = self.receiver.edge.max(next);
        if segment.sequence_length() == 0 && self.receiver.may_number_by(seq, next) {
            return true; // two ends that fill or probe both windows would ignore each other's acknowledgements
        }
        if segment.payload_bytes == 0 {
            return (next..=edge).contains(&seq);
        }
        seq == next || (seq < edge && seq + u64::from(segment.sequence_length()) > next)
    }

    /// The position an acknowledgement names, if it is one we can have caused (RFC 5961 §5). Our FIN may have been
    /// one number beyond the offer. ns-2 takes the oldest: routes that break and heal bring some that are more than
    /// a window behind.
    #[inline(always)] // it has one caller
    fn acceptable_ack(&self, segment: &Segment) -> Option<u64> {
        let p = &self.public;
        let fin = u64::from(p.una > self.out.end());
        let is_recent = |ack: u64| ack + self.max_offer + fin >= p.una || self.params.old_acks_release;
        near(self.iss, p.una, segment.ack).filter(|&ack| ack <= p.max && is_recent(ack))
    }

    fn on_unacceptable(&mut self, segment: &Segment, seq: Option<u64>, data: &[u8]) {
        let payload = u64::from(segment.payload_bytes);
        let is_overtaken = self.is_asked() && seq.is_some_and(|seq| self.is_acceptable(seq, segment));
        if is_overtaken && matches!(segment.options.pull, Pull::Request { .. }) {
            return self.answer_request(segment); // it alone is believed: its timestamp is old
        }
        match seq {
            // Data once more: the acking slot says when to answer.
            Some(seq) if payload > 0 && seq + payload <= self.input.next && self.is_receiving() => {
                self.on_payload(seq, segment, data);
            }
            _ => self.answer(segment),
        }
        let is_fin = segment.flags.has(Flags::FIN) && seq.is_some_and(|seq| self.receiver.is_fin(seq + payload));
        match seq {
            Some(_) if is_fin && self.state == State::TimeWait => self.wait_out(),
            // The peer waits for our acknowledgement, and says with this one what it has of ours.
            Some(seq) if (is_fin || self.may_disagree(seq)) && !self.timestamps.is_old(self.public.now, segment) => {
                self.believe(segment, seq);
            }
            _ => {}
        }
    }

    /// Whether the peer may refuse us as we are about to refuse this segment from before the window. Of two offers with
    /// the same numbers the closed one may be the older: then we number by its edge, and the peer has taken what
    /// we sent beyond. If that befell both ends, neither would learn what the other has (RFC 9293, appendix A.2). BSD
    /// believes every acknowledgement from before the window, Linux that of data whose end comes next. No peer numbers
    /// by more than a window and a probe before what we have.
    fn may_disagree(&self, seq: u64) -> bool {
        let next = self.input.next;
        let is_recent = seq < next && seq + self.receiver.buffer() + 1 >= next;
        is_recent && self.can_send() && self.next_acceptable() < self.public.max.min(self.out.end())
    }

    /// Takes the acknowledgement of a segment that brings nothing else.
    fn believe(&mut self, segment: &Segment, seq: u64) {
        let ack = if segment.flags.has(Flags::ACK) { self.acceptable_ack(segment) } else { None };
        if let Some(ack) = ack.filter(|&ack| ack > self.public.una) {
            self.on_ack(segment, seq, ack);
        }
    }

    /// Exactly in order, it is believed; elsewhere in the window, the peer has to say it again (RFC 5961 §3.2).
    fn on_reset(&mut self, seq: Option<u64>) {
        let next = self.input.next;
        match (seq, self.state) {
            // A stray segment of ours may have caused it: the wait is there to outlast those (RFC 1337 §3).
            (_, State::TimeWait) => {}
            (Some(seq), State::SynReceived) if seq == next && self.role == Role::Passive => self.listen_again(),
            (Some(seq), _) if seq == next => self.vanish(Output::Reset),
            (Some(seq), _) if seq > next && seq < self.receiver.edge => self.challenge(),
            _ => {}
        }
    }

    /// Whether a SYN that found this connection in TIME-WAIT may open a new one in its place: it cannot be an
    /// old one. For whoever tells connections apart by their ports; the new end is another `Connection`.
    #[must_use]
    pub fn admits_reopening(&self, segment: &Segment) -> bool {
        let is_syn = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) && !segment.flags.has(Flags::RST);
        let is_beyond = || !segment.seq.is_before(self.receiver.seq(self.input.next));
        let by_time = self.timestamps.admits(segment, self.params.timestamps);
        self.state == State::TimeWait && is_syn && by_time.unwrap_or_else(is_beyond)
    }
}
