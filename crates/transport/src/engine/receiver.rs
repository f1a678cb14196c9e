//! The receiving half: takes data in, asks when to acknowledge it and how much more to offer.
//!
//! Spec      RFC 9293 §3.8.6 (window management), §3.10.7.4; RFC 5681 §4.2
//! Deviates  nothing
//! Holds     an offered window is never taken back; it grows in steps worth sending (§3.8.6.2.2)

use hopwright_machine::Time;
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use super::{Connection, Output, State};
use crate::mechanisms::acking::{Arrival, When};
use crate::mechanisms::offer::Receiver;
use crate::params::Params;

/// State of the receiving half, beside the reassembly.
#[derive(Debug)]
pub(super) struct Receiving {
    /// The peer's initial sequence number.
    pub(super) irs: Seq,
    /// How far the peer may send: a position in its stream.
    pub(super) edge: u64,
    /// Left shift of the windows we advertise, if the peer agreed.
    pub(super) shift: u8,
    pub(super) is_scaled: bool,
    /// An acknowledgement leaves at the end of this event, unless data carries it.
    pub(super) ack_now: bool,
    /// Data segments since the last acknowledgement.
    unacknowledged: u32,
    /// Position of the peer's FIN, once it was seen.
    fin: Option<u64>,
    buffer: u64,
    /// The least growth of the window worth telling.
    step: u64,
}

impl Receiving {
    pub(super) fn new(params: &Params) -> Self {
        let buffer = params.window_limit();
        let shift = (0..14).find(|s| buffer >> s <= 65535).unwrap_or(14);
        let step = (buffer / 2).min(u64::from(params.segment_bytes));
        Self {
            irs: Seq(0),
            edge: 1,
            shift,
            is_scaled: false,
            ack_now: false,
            unacknowledged: 0,
            fin: None,
            buffer,
            step,
        }
    }

    pub(super) fn seq(&self, offset: u64) -> Seq {
        self.irs + offset as u32
    }
}

impl Connection {
    /// Takes in what a segment carries beyond its header. Its acknowledgement was looked at before.
    pub(super) fn on_text(&mut self, segment: &Segment, seq: u64, data: &[u8]) {
        let next = self.input.next;
        let length = u64::from(segment.sequence_length());
        if length == 0 {
            // In order, or ahead because data before it is missing; behind, it asks for an answer (keep-alive).
            self.receiver.ack_now |= seq < next;
            return;
        }
        let is_open = matches!(self.state, State::Established | State::FinWait1 | State::FinWait2);
        if !is_open {
            // Everything is there already: the peer did not see our acknowledgement.
            self.receiver.ack_now = true;
            if self.state == State::TimeWait {
                self.wait_out();
            }
            return;
        }
        let payload = u64::from(segment.payload_bytes);
        if payload > 0 {
            self.on_payload(seq, payload, data);
        }
        if segment.flags.has(Flags::FIN) && seq + payload <= self.receiver.edge {
            self.receiver.fin.get_or_insert(seq + payload);
            self.receiver.ack_now = true;
        }
        if self.receiver.fin == Some(self.input.next) {
            self.input.take_fin();
            self.receiver.ack_now = true;
            self.on_peer_finished();
        }
    }

    fn on_payload(&mut self, seq: u64, payload: u64, data: &[u8]) {
        let next = self.input.next;
        let start = seq.max(next);
        let end = (seq + payload).min(self.receiver.edge);
        let had_gap = self.input.has_gap();
        self.receiver.unacknowledged += 1;
        let mut readable = 0;
        let mut is_new = false;
        if start < end {
            let data = if data.is_empty() { data } else { &data[(start - seq) as usize..(end - seq) as usize] };
            (readable, is_new) = self.input.insert(start, end, data);
        } else if seq >= self.receiver.edge {
            self.receiver.ack_now = true; // a probe of our closed window
            return;
        }
        self.public.duplicate_segments += u64::from(!is_new);
        if readable > 0 {
            self.public.delivered_bytes += readable;
            self.outputs.push_back(Output::Readable(readable as u32));
        }
        let arrival = Arrival {
            now: self.public.now,
            is_in_order: start == next && is_new,
            had_gap,
            is_duplicate: !is_new,
            is_newest: seq + payload == self.input.next,
            unacknowledged: self.receiver.unacknowledged,
        };
        match self.slots.acking.on_data(&arrival) {
            When::Now => self.receiver.ack_now = true,
            When::By(time) => self.timers.delayed_ack = self.slots.timeout.fires(time),
        }
    }

    /// The application made room: worth telling if the peer could send another segment for it.
    pub(super) fn on_read(&mut self, bytes: u32) {
        self.input.read(u64::from(bytes));
        let is_receiving = matches!(self.state, State::Established | State::FinWait1 | State::FinWait2);
        if is_receiving && self.grown_edge() > self.receiver.edge {
            self.receiver.ack_now = true;
        }
    }

    pub(super) fn send_ack(&mut self) {
        self.public.pure_acks_sent += 1;
        // Data behind a closed window may never have arrived: its number would be refused.
        let offset = if self.timers.probes > 0 { self.public.nxt } else { self.public.max };
        let segment = self.segment(offset, 0, Flags::ACK);
        self.push(segment);
    }

    /// A segment of ours, carrying the newest acknowledgement and window.
    pub(super) fn segment(&mut self, offset: u64, payload_bytes: u32, flags: Flags) -> Segment {
        let window = self.advertise();
        self.receiver.ack_now = false;
        self.receiver.unacknowledged = 0;
        self.timers.delayed_ack = Time::NEVER;
        Segment {
            source_port: self.local_port,
            destination_port: self.remote_port,
            seq: self.seq(offset),
            ack: self.receiver.seq(self.input.next),
            flags,
            window,
            urgent: 0,
            options: Options::default(),
            payload_bytes,
        }
    }

    /// How far the peer may send from now on, if the step is worth taking.
    fn grown_edge(&mut self) -> u64 {
        let receiver = Receiver {
            now: self.public.now,
            buffer: self.receiver.buffer,
            unread: self.input.unread(),
            delivered: self.public.delivered_bytes,
        };
        let edge = self.input.next + self.slots.offer.window(&receiver);
        if edge >= self.receiver.edge + self.receiver.step { edge } else { self.receiver.edge }
    }

    /// The window field, scaled as agreed.
    pub(super) fn advertise(&mut self) -> u16 {
        self.receiver.edge = self.grown_edge();
        let shift = if self.receiver.is_scaled || self.params.plain_handshake { self.receiver.shift } else { 0 };
        let window = (self.receiver.edge.saturating_sub(self.input.next) >> shift).min(65535);
        window as u16
    }

    /// The window field of a SYN, which is never scaled.
    pub(super) fn advertise_unscaled(&mut self) -> u16 {
        let edge = self.grown_edge();
        let window = (edge - self.input.next).min(65535);
        self.receiver.edge = self.input.next + window;
        window as u16
    }
}
