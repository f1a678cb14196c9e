//! Opening a connection.
//!
//! Spec      RFC 9293 §3.5, §3.10.7.2, §3.10.7.3; RFC 7323 §2 (window scale), §3; RFC 2018 §2; RFC 6691 §2
//! Deviates  data on a SYN is not kept: it is not acknowledged, and the peer sends it again (§3.10.7.2 would
//!           queue it for a peer that may not exist); that on the SYN's answer is taken. A peer that asks for less
//!           than `LEAST_MSS` gets that. With `plain_handshake`, ns-2's two packets without
//!           options: what they would say is agreed beforehand, and the options of other segments take no room from
//!           data
//! Holds     the SYN is timed like any segment, unless it had to be sent again

use hopwright_machine::Time;
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, Options, Pull, Segment, Seq};

use super::receiver::Receiving;
use super::timestamps::Timestamps;
use super::{Connection, Logic, Output, Reassembly, Role, State};
use crate::mechanisms::recovery::Release;
use crate::mechanisms::timeout::Expiry;
use crate::mechanisms::{Ack, AckKind, Sign};

/// Assumed of a peer that does not say (RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;

/// Segments as small as a peer likes would let it multiply what every byte costs (CVE-2019-11479). This is room for
/// all options and eight bytes of data, Linux's `tcp_min_snd_mss`.
const LEAST_MSS: u32 = 48;

impl Connection {
    pub(super) fn on_open(&mut self) {
        if self.was_opened {
            return; // what has ended stays so: its numbers, buffers and estimates are used up
        }
        self.was_opened = true;
        match self.role {
            Role::Passive => self.state = State::Listen,
            Role::Active => {
                self.state = State::SynSent;
                self.timed = Some((1, self.public.now));
                self.timestamps.since = self.public.now;
                self.send_syn();
                self.arm_retransmit();
            }
        }
    }

    /// Sends the SYN, or the SYN that answers one.
    fn send_syn(&mut self) {
        let is_answer = self.state == State::SynReceived;
        let mut options = Options::default();
        let is_padded = self.params.plain_handshake && !is_answer;
        let payload_bytes = if is_padded { self.slots.startup.syn_payload(&self.public) } else { 0 };
        let window = if self.params.plain_handshake {
            self.advertise()
        } else {
            options.mss = Some(self.params.segment_bytes.min(65535) as u16);
            if !is_answer || self.receiver.is_scaled {
                options.window_scale = Some(self.receiver.shift);
            }
            options.sack_permitted = self.receiver.sends_sack;
            options.timestamps = self.timestamps.option(self.public.now);
            self.advertise_unscaled()
        };
        options.pull = if matches!(self.logic, Logic::Asks(_)) { Pull::Asks } else { self.holdings() };
        self.public.nxt = 1;
        self.public.max = 1;
        self.last_sent = self.public.now;
        self.timestamps.last_ack = self.input.next;
        self.expect_answer();
        self.push(Segment {
            source_port: self.local_port,
            destination_port: self.remote_port,
            seq: self.iss,
            ack: if is_answer { self.receiver.irs + 1 } else { Seq(0) },
            flags: if is_answer { Flags::SYN.with(Flags::ACK) } else { Flags::SYN }.with(self.ecn_on_syn(is_answer)),
            window,
            urgent: 0,
            options,
            payload_bytes,
            ecn: Ecn::NotCapable,
        });
    }

    /// The SYN, or its answer, was not answered in time.
    pub(super) fn resend_syn(&mut self) {
        self.public.timeouts += 1;
        self.public.consecutive_timeouts += 1;
        self.public.syn_resent = true;
        self.timed = None;
        let is_lost = matches!(self.slots.timeout.on_expiry(&self.public), Expiry::Lost(_));
        if is_lost {
            self.slots.timeout.back_off(&self.public);
        }
        if is_lost && self.params.halve_on_every_timeout {
            let cause = self.slots.diagnosis.diagnose(&self.public, Sign::Silence);
            let cut = self.slots.response.on_loss(&self.public, Sign::Silence, cause);
            self.public.ssthresh = cut.ssthresh;
        }
        self.refresh_estimate();
        self.send_syn();
        self.arm_retransmit();
    }

    pub(super) fn on_listen(&mut self, segment: &Segment) {
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
            self.timestamps.since = self.public.now;
            self.send_syn();
            if !self.params.plain_handshake {
                self.arm_retransmit();
            }
        }
    }

    pub(super) fn on_syn_sent(&mut self, segment: &Segment, data: &[u8]) {
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
        if !flags.has(Flags::SYN) {
            return;
        }
        self.accept_syn(segment);
        if flags.has(Flags::ACK) {
            self.establish(segment);
            self.on_text(segment, 0, data);
            if !self.params.plain_handshake {
                self.send_ack(); // the third segment; ns-2 has none, it rides on the first data
            }
        } else {
            // The peer opens at the same time (§3.5, figure 8). Our SYN goes out once more, as its answer.
            self.state = State::SynReceived;
            self.timed = None;
            self.send_syn();
            self.arm_retransmit();
        }
    }

    /// In SYN-RECEIVED, the SYN that brought us there. Alone, it means that our answer was lost. With an
    /// acknowledgement, it is the peer's half of opening at the same time, which the test of sequence numbers
    /// would not let through.
    pub(super) fn on_repeated_syn(&mut self, segment: &Segment, data: &[u8]) {
        if !segment.flags.has(Flags::ACK) {
            self.timed = None;
            self.public.syn_resent = true;
            self.send_syn();
        } else if segment.ack != self.iss + 1 {
            self.refuse(segment);
        } else if self.role == Role::Passive {
            self.answer(segment); // we never sent the SYN that this would be the answer to
        } else {
            self.establish(segment);
            self.receiver.ack_now = true; // the peer may not have seen that we know its SYN
            self.on_text(segment, 0, data);
        }
    }

    /// Learns the peer's number and options.
    fn accept_syn(&mut self, segment: &Segment) {
        self.receiver.irs = segment.seq;
        self.receiver.known_window = None;
        self.input.next = 1;
        self.agree_on_ecn(segment);
        self.agree_on_logic(segment);
        if !self.params.plain_handshake {
            self.timestamps.agree(self.public.now, segment);
        }
        self.receiver.sends_sack &= segment.options.sack_permitted || self.params.plain_handshake;
        self.public.has_selective_acks = self.receiver.sends_sack;
        self.public.keeps_scoreboard = self.keeps_scoreboard();
        if self.params.plain_handshake {
            self.receiver.is_scaled = true;
            self.peer_shift = self.receiver.shift; // agreed out of band: both ends have the same limit
        } else {
            // What is agreed is the size without options; each segment makes room for its own (RFC 6691 §2).
            let peer_mss = segment.options.mss.map_or(DEFAULT_MSS, u32::from).max(LEAST_MSS);
            let every = Options { timestamps: self.timestamps.option(self.public.now), ..Options::default() };
            let mss = self.params.segment_bytes.min(peer_mss);
            self.public.mss = mss.saturating_sub(every.bytes()).max(1);
            self.public.cwnd = f64::from(self.public.mss);
            self.receiver.is_scaled = segment.options.window_scale.is_some();
            // A shift beyond 14 is read as 14 (RFC 7323 §2.3). Windows on SYNs are never scaled (§2.2).
            self.peer_shift = segment.options.window_scale.map_or(0, |s| s.min(14));
        }
        let shift = if self.params.plain_handshake { self.peer_shift } else { 0 };
        self.take_offer(1, u64::from(segment.window) << shift);
        self.offer_from = (0, 0);
    }

    /// Our SYN was acknowledged by this segment.
    pub(super) fn establish(&mut self, segment: &Segment) {
        self.state = if self.out.is_closed { State::FinWait1 } else { State::Established };
        let p = &mut self.public;
        p.una = 1;
        p.consecutive_timeouts = 0;
        p.rtt_sample = self.timed.take().map(|(_, sent)| p.now.since(sent));
        let rtt = p.rtt_sample.or_else(|| self.timestamps.round_trip(p.now, segment));
        if let Some(rtt) = p.rtt_sample {
            p.min_rtt = Some(rtt);
        }
        let ack = Ack { kind: AckKind::Advance, acked: 1, rtt, ..self.facts(segment) };
        self.slots.timeout.on_ack(&self.public, &ack);
        self.slots.timeout.on_open(&self.public);
        self.refresh_estimate();
        self.timers.retransmit = Time::NEVER;
        self.timers.give_up = Time::NEVER;
        self.public.cwnd = self.slots.startup.initial_window(&self.public);
        self.bound_window();
        self.public.round.begin(self.public.now, 1, 1);
        let since_last = Some(self.public.now.since(self.last_sent)).filter(|_| self.params.plain_handshake);
        self.public.round.on_open(self.public.rtt_sample.or(since_last));
        self.public.sent.reuse(self.slots.detection.places());
        self.slots.detection.on_open(&self.public);
        self.settle_phase();
        self.last_sent = self.public.now;
        self.trust_window();
        self.settle_logic(segment);
        self.outputs.push_back(Output::Established);
        self.release = Some(Release::Usual);
    }

    /// Back to waiting, as if nothing had come.
    pub(super) fn listen_again(&mut self) {
        self.state = State::Listen;
        self.timers = super::Timers::default();
        self.timed = None;
        self.input = Reassembly::new(&self.params);
        self.receiver = Receiving::new(&self.params);
        self.timestamps = Timestamps::new(&self.params, self.timestamps.offset);
        (self.public.una, self.public.nxt, self.public.max) = (0, 0, 0);
        (self.max_offer, self.offered) = (0, 0);
        self.public.syn_resent = false;
        self.public.has_ecn = false;
        if let Logic::Answers { former, .. } = &self.logic {
            self.slots = former.build(&self.params);
            self.logic = Logic::Sender;
        }
        self.needs = self.all_needs();
    }

    /// What the peer's SYN says of who decides.
    fn agree_on_logic(&mut self, segment: &Segment) {
        if segment.options.pull == Pull::Asks && matches!(self.logic, Logic::Sender) {
            let former = Box::new(self.slots.recipe());
            self.stand_idle();
            self.logic = Logic::Answers { told: 0, former };
            self.provide();
        }
    }
}
