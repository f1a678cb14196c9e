//! The other end as the script plays it: what it remembers from one line to the next, and the segments that
//! its lines stand for.

use hopwright_transport::Params;
use hopwright_transport::params::EcnMode;
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::{Flags, Options, SackBlocks, Segment, Seq};

use crate::script::{Arrival, Arrives, Details, Setup};
use crate::subject::{ISS, PEER_ISS};

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Peer {
    is_bare: bool,
    /// Whether it uses timestamps and selective acknowledgements.
    stamps: bool,
    selects: bool,
    /// Whether it takes congestion marks.
    takes_marks: bool,
    /// What it acknowledges with its data, what it has sent, and its window.
    acked: u32,
    sent: u32,
    window: u16,
    /// Its timestamp, and the subject's that it echoes.
    stamp: u32,
    seen: u32,
    /// How far the subject lets it send, and the shift of the subject's windows.
    edge: Seq,
    shift: u8,
    /// The place of its byte 0 in its stream: not its first byte once it has filled a window.
    base: u32,
}

impl Peer {
    pub(crate) fn new(params: &Params, setup: &Setup) -> Self {
        let is_bare = setup.is_bare || params.plain_handshake;
        Self {
            is_bare,
            stamps: params.timestamps && !setup.is_bare, // ns-2's handshake says nothing of what is agreed
            selects: params.selective_acks && !is_bare,
            takes_marks: params.ecn != EcnMode::Off && !is_bare,
            acked: 0,
            sent: 0,
            window: 64_000,
            stamp: 500,
            seen: 0,
            edge: PEER_ISS + 1,
            shift: 0,
            base: 0,
        }
    }

    /// Takes note of a segment of the subject's, and counts it from its byte 0.
    pub(crate) fn hear(&mut self, segment: &mut Segment) {
        if let Some((value, _)) = segment.options.timestamps {
            self.seen = value;
        }
        let is_syn = segment.flags.has(Flags::SYN);
        if is_syn {
            let is_asked = segment.flags.has(Flags::ECE);
            self.takes_marks &= is_asked || segment.flags.has(Flags::ACK); // nobody agrees to what was not asked
            self.shift = segment.options.window_scale.filter(|_| !self.is_bare).map_or(0, |shift| shift.min(14));
        }
        if segment.flags.has(Flags::ACK) {
            self.edge = segment.ack + (u32::from(segment.window) << if is_syn { 0 } else { self.shift });
            segment.ack = segment.ack - self.base;
        }
        let mut sack = SackBlocks::default();
        for &(left, right) in segment.options.sack.as_slice() {
            sack.push(left - self.base, right - self.base);
        }
        segment.options.sack = sack;
    }

    /// A segment that fits into the window, as long as it may be.
    pub(crate) fn fills(&mut self) -> Option<Segment> {
        let start = self.at(self.sent);
        let bytes = self.edge.bytes_since(start).min(1000);
        self.sent = self.sent.wrapping_add(bytes);
        (bytes > 0).then(|| self.header(Flags::ACK, start, self.acked, bytes, &Details::default()))
    }

    /// Whether everything that was offered has been sent.
    pub(crate) fn is_shut_out(&self) -> bool {
        !self.edge.is_after(self.at(self.sent))
    }

    /// Its next byte is its byte 0.
    pub(crate) fn count_from_here(&mut self) {
        self.base = self.base.wrapping_add(self.sent);
        self.sent = 0;
    }

    /// The sequence number of a place in its data.
    fn at(&self, offset: u32) -> Seq {
        PEER_ISS + 1 + self.base + offset
    }

    /// The segments of a line, with their data.
    pub(crate) fn segments(&mut self, arrival: &Arrival) -> Vec<(Segment, Vec<u8>)> {
        self.note(&arrival.details);
        let (acked, sent) = (self.acked, self.sent);
        let mut made: Vec<(Flags, Seq, u32, u32)> = vec![];
        let fin = Flags::FIN.with(Flags::ACK);
        match arrival.what {
            Arrives::Acks(ref numbers) => {
                for &number in numbers {
                    self.acked = number;
                    made.push((Flags::ACK, self.at(sent), number, 0));
                }
            }
            Arrives::Data(ref ranges) => {
                for &(start, end) in ranges {
                    self.sent = self.sent.max(end);
                    made.push((Flags::ACK, self.at(start), acked, end - start));
                }
            }
            Arrives::Fin { at: place, ack: Some(ack) } => {
                self.acked = ack;
                made.push((fin, self.at(place), ack, 0));
            }
            Arrives::Fin { at: place, ack: None } => {
                self.sent = self.sent.max(place.saturating_add(1));
                made.push((fin, self.at(place), acked, 0));
            }
            Arrives::Syn => made.push((Flags::SYN, PEER_ISS, 0, 0)),
            Arrives::SynAck => made.push((Flags::SYN.with(Flags::ACK), PEER_ISS, 0, 0)),
            Arrives::Rst(place) => made.push((Flags::RST, self.at(place.unwrap_or(sent)), acked, 0)),
            Arrives::Raw { flags, seq, ack, bytes, .. } => made.push((flags, self.at(seq), ack, bytes)),
        }
        let text = if let Arrives::Raw { text, .. } = &arrival.what { text.as_bytes() } else { &[] };
        made.into_iter()
            .map(|(flags, seq, acked, bytes)| (self.header(flags, seq, acked, bytes, &arrival.details), text.to_vec()))
            .collect()
    }

    /// A SYN for a new connection.
    pub(crate) fn reopening(&mut self, seq: u32, details: &Details) -> Segment {
        self.note(details);
        self.header(Flags::SYN, self.at(seq), 0, 0, details)
    }

    /// What stays until a line changes it.
    fn note(&mut self, details: &Details) {
        self.window = details.window.unwrap_or(self.window);
        self.stamp = details.stamp.unwrap_or(self.stamp);
    }

    fn header(&self, mut flags: Flags, seq: Seq, acked: u32, payload_bytes: u32, details: &Details) -> Segment {
        let mut options = Options::default();
        if flags.has(Flags::SYN) && !self.is_bare {
            options.mss = Some(details.mss.unwrap_or(1000));
            options.window_scale = Some(details.scale.unwrap_or(0));
            options.sack_permitted = self.selects;
        }
        if flags.has(Flags::SYN) && self.takes_marks {
            let is_answer = flags.has(Flags::ACK);
            flags = flags.with(if is_answer { Flags::ECE } else { Flags::ECE.with(Flags::CWR) });
        }
        let is_bare_syn = flags.has(Flags::SYN) && self.is_bare;
        if self.stamps && !details.is_unstamped && !is_bare_syn {
            options.timestamps = Some((self.stamp, details.echo.unwrap_or(self.seen)));
        }
        if details.is_poll {
            options.extra.set_poll();
        }
        if let Some(period) = details.period {
            options.extra.set_ack_period_us(period);
        }
        if details.is_loss_notice {
            options.extra.set_loss_notice();
        }
        for &(start, end) in &details.sack {
            options.sack.push(ISS + 1 + start, ISS + 1 + end);
        }
        if let Some(number) = details.duplicate_number {
            options.extra.set_duplicate_number(number);
        }
        if let Some(number) = details.packet_number {
            options.extra.set_packet_number(number);
        }
        if details.is_out_of_order {
            options.extra.set_out_of_order();
        }
        Segment {
            source_port: 2,
            destination_port: 1,
            seq,
            ack: if flags.has(Flags::ACK) { ISS + 1 + acked } else { Seq(0) },
            flags: [(details.is_urgent, Flags::URG), (details.is_echo, Flags::ECE), (details.is_reduced, Flags::CWR)]
                .into_iter()
                .filter(|(is_set, _)| *is_set)
                .fold(flags, |flags, (_, flag)| flags.with(flag)),
            window: self.window,
            urgent: u16::from(details.is_urgent),
            options,
            payload_bytes,
            ecn: if details.is_marked { Ecn::Experienced } else { Ecn::NotCapable },
        }
    }
}
