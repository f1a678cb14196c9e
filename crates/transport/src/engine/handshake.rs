//! Opening a connection, and the first look at every segment.
//!
//! Spec      RFC 9293 §3.5, §3.10; RFC 7323 §2 (window scale); RFC 5961 §3, §4 (resets and SYNs in a window
//!           are answered, not believed)
//! Deviates  no simultaneous open; with `plain_handshake`, ns-2's two packets without options
//! Holds     the SYN is timed like any segment, unless it had to be sent again

use hopwright_machine::Time;
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use super::receiver::Receiving;
use super::{Connection, Output, Reassembly, Role, State, near};
use crate::mechanisms::recovery::Release;
use crate::mechanisms::{Ack, AckKind, Sign};

/// Assumed of a peer that does not say (RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;

impl Connection {
    pub(super) fn on_open(&mut self) {
        if self.state != State::Closed {
            return;
        }
        match self.role {
            Role::Passive => self.state = State::Listen,
            Role::Active => {
                self.state = State::SynSent;
                self.timed = Some((1, self.public.now));
                self.send_syn();
                self.arm_retransmit();
            }
        }
    }

    /// Sends the SYN, or the SYN that answers one.
    fn send_syn(&mut self) {
        let is_answer = self.state == State::SynReceived;
        let mut options = Options::default();
        let window = if self.params.plain_handshake {
            self.advertise()
        } else {
            options.mss = Some(self.params.segment_bytes.min(65535) as u16);
            if !is_answer || self.receiver.is_scaled {
                options.window_scale = Some(self.receiver.shift);
            }
            self.advertise_unscaled()
        };
        self.public.nxt = 1;
        self.public.max = 1;
        self.push(Segment {
            source_port: self.local_port,
            destination_port: self.remote_port,
            seq: self.iss,
            ack: if is_answer { self.receiver.irs + 1 } else { Seq(0) },
            flags: if is_answer { Flags::SYN.with(Flags::ACK) } else { Flags::SYN },
            window,
            urgent: 0,
            options,
            payload_bytes: 0,
        });
    }

    /// The SYN, or its answer, was not answered in time.
    pub(super) fn resend_syn(&mut self) {
        self.public.timeouts += 1;
        self.public.consecutive_timeouts += 1;
        self.public.syn_resent = true;
        self.timed = None;
        if self.slots.timeout.on_expiry(&self.public).is_some() && self.params.halve_on_every_timeout {
            let cause = self.slots.diagnosis.diagnose(&self.public, Sign::Silence);
            let cut = self.slots.response.on_loss(&self.public, Sign::Silence, cause);
            self.public.ssthresh = cut.ssthresh;
        }
        self.refresh_estimate();
        self.send_syn();
        self.arm_retransmit();
    }

    /// A segment arrived, in whatever state.
    pub(super) fn on_segment(&mut self, segment: &Segment, data: &[u8]) {
        if !data.is_empty() && data.len() as u64 != u64::from(segment.payload_bytes) {
            return; // header and payload do not belong together
        }
        match self.state {
            State::Closed => self.refuse(segment),
            State::Listen => self.on_listen(segment),
            State::SynSent => self.on_syn_sent(segment),
            _ => self.on_synchronized(segment, data),
        }
    }

    fn on_listen(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        if segment.flags.has(Flags::ACK) {
            return self.refuse(segment);
        }
        if segment.flags.has(Flags::SYN) {
            self.accept_syn(segment);
            self.state = State::SynReceived;
            self.timed = Some((1, self.public.now));
            self.send_syn();
            if !self.params.plain_handshake {
                self.arm_retransmit();
            }
        }
    }

    fn on_syn_sent(&mut self, segment: &Segment) {
        let flags = segment.flags;
        if flags.has(Flags::ACK) && segment.ack != self.iss + 1 {
            return self.refuse(segment);
        }
        if flags.has(Flags::RST) {
            if flags.has(Flags::ACK) {
                self.vanish(Output::Reset);
            }
            return;
        }
        if !flags.has(Flags::SYN.with(Flags::ACK)) {
            return;
        }
        self.accept_syn(segment);
        self.establish(segment);
        if !self.params.plain_handshake {
            self.send_ack(); // the third segment; ns-2 has none, it rides on the first data
        }
    }

    /// Learns the peer's number and options.
    fn accept_syn(&mut self, segment: &Segment) {
        self.receiver.irs = segment.seq;
        self.input.next = 1;
        if self.params.plain_handshake {
            self.receiver.is_scaled = true;
            self.peer_shift = self.receiver.shift; // agreed out of band: both ends have the same limit
            self.public.offer = u64::from(segment.window) << self.peer_shift;
        } else {
            let peer_mss = segment.options.mss.map_or(DEFAULT_MSS, u32::from).max(1);
            self.public.mss = self.params.segment_bytes.min(peer_mss);
            self.public.cwnd = f64::from(self.public.mss);
            self.receiver.is_scaled = segment.options.window_scale.is_some();
            // A shift beyond 14 is read as 14 (RFC 7323 §2.3). Windows on SYNs are never scaled (§2.2).
            self.peer_shift = segment.options.window_scale.map_or(0, |s| s.min(14));
            self.public.offer = u64::from(segment.window);
        }
        self.offer_from = (0, 0);
    }

    /// Our SYN was acknowledged by this segment.
    fn establish(&mut self, segment: &Segment) {
        self.state = if self.out.is_closed { State::FinWait1 } else { State::Established };
        let p = &mut self.public;
        p.una = 1;
        p.consecutive_timeouts = 0;
        p.rtt_sample = self.timed.take().map(|(_, sent)| p.now.since(sent));
        let ack = Ack { kind: AckKind::Advance, acked: 1, rtt: p.rtt_sample, segment };
        self.slots.timeout.on_ack(&self.public, &ack);
        self.slots.timeout.on_open(&self.public);
        self.refresh_estimate();
        self.timers.retransmit = Time::NEVER;
        self.public.cwnd = self.slots.startup.initial_window(&self.public);
        self.settle_phase();
        self.last_sent = self.public.now;
        self.outputs.push_back(Output::Established);
        self.release = Some(Release::Usual);
    }

    /// Everything but Closed, Listen and SynSent (RFC 9293 §3.10.7.4).
    fn on_synchronized(&mut self, segment: &Segment, data: &[u8]) {
        let next = self.input.next;
        let Some(seq) = near(self.receiver.irs, next, segment.seq) else { return };
        if segment.flags.has(Flags::RST) {
            if seq == next {
                self.on_reset();
            } else if seq > next && seq < self.receiver.edge {
                self.receiver.ack_now = true; // RFC 5961 §3.2
            }
            return;
        }
        if segment.flags.has(Flags::SYN) {
            if self.state == State::SynReceived && seq == 0 && !segment.flags.has(Flags::ACK) {
                self.timed = None;
                self.public.syn_resent = true;
                self.send_syn(); // our answer was lost
            } else {
                self.receiver.ack_now = true; // RFC 5961 §4.2
            }
            return;
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
        if self.on_ack(segment, seq) && self.state != State::Closed {
            self.on_text(segment, seq, data);
        }
    }

    fn on_reset(&mut self) {
        if self.state == State::SynReceived && self.role == Role::Passive {
            // Back to waiting, as if nothing had come.
            self.state = State::Listen;
            self.timers = super::Timers::default();
            self.timed = None;
            self.input = Reassembly::new(self.params.explicit_read);
            self.receiver = Receiving::new(&self.params);
            (self.public.una, self.public.nxt, self.public.max) = (0, 0, 0);
            self.public.syn_resent = false;
            return;
        }
        self.vanish(if self.state == State::TimeWait { Output::Closed } else { Output::Reset });
    }
}
