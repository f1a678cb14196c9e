//! From the outputs of connections to packets.
//!
//! Spec      RFC 9293 §3.8.6.3 (acknowledgements may be put together), RFC 6864 §4.1 (identification)
//! Deviates  packets with data may be fragmented (see `control.rs`); RFC 5681 §4.2 wants one acknowledgement for two
//!           segments; segments that arrived together get one
//! Holds     a duplicate acknowledgement is never left out; what the peer has meanwhile acknowledged is not
//!           sent; bytes are copied once, from the connection's buffer into the driver's

use hopwright_machine::Machine;
use hopwright_transport as transport;
use hopwright_wire::checksum::Checksum;
use hopwright_wire::ip::{self, protocol};
use hopwright_wire::tcp::{self, Flags, Segment};

use crate::events::Output;
use crate::host::Host;
use crate::outgoing::{Kind, Outgoing};
use crate::table::Entry;
use crate::work::Work;

/// Who computes the checksum of TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checksums {
    /// We do.
    Complete,
    /// The device: it finds the sum of the pseudo-header in the checksum's place.
    OfPseudoHeader,
}

impl Host {
    /// Appends the bytes of a packet just handed out.
    pub fn emit(&self, packet: &Outgoing, checksums: Checksums, out: &mut Vec<u8>) {
        let (to, segment, identification, from) = match &packet.0 {
            Kind::Segment { to, segment, identification, from, .. } => (*to, segment, *identification, *from),
            Kind::Bytes(bytes) => return out.extend_from_slice(bytes),
        };
        let source = self.config.address;
        let header = ip::Header {
            source,
            destination: to,
            protocol: protocol::TCP,
            ecn: segment.ecn,
            ttl: ip::DEFAULT_TTL,
            identification: identification.unwrap_or(0),
            payload_bytes: segment.bytes() as u16,
        };
        match identification {
            Some(_) => header.emit_fragmentable(out),
            None => header.emit(out),
        }
        let entry = from.and_then(|handle| self.table.at(self.table.place(handle)?));
        let payload = entry.map_or((&[][..], &[][..]), |e| e.connection.payload(segment.seq, segment.payload_bytes));
        let payload: [&[u8]; 2] = payload.into();
        match checksums {
            Checksums::Complete => segment.emit(source, to, payload, out),
            Checksums::OfPseudoHeader => {
                let at = out.len() + tcp::CHECKSUM_AT;
                segment.emit_header(out);
                let sum = !Checksum::of_pseudo_header(source, to, protocol::TCP, segment.bytes()).finish();
                out[at..at + 2].copy_from_slice(&sum.to_be_bytes());
                let end = out.len() + segment.payload_bytes as usize;
                out.extend_from_slice(payload[0]);
                out.extend_from_slice(payload[1]);
                out.resize(end, 0); // bytes that are only counted
            }
        }
    }

    /// Gives a packet with payload its number, and each of those that the device will make of it: devices count.
    fn number(&mut self, packet: &mut Outgoing) {
        if let Kind::Segment { to, segment, unit, identification, .. } = &mut packet.0
            && segment.payload_bytes > 0
        {
            let count = segment.payload_bytes.div_ceil((*unit).max(1));
            *identification = Some(self.identifications.take(*to, count, &self.secrets));
        }
    }

    /// The next thing that comes out of a connection.
    pub(crate) fn collect(&mut self, index: u32) -> Option<Output> {
        let Some(began) = self.work.as_ref().map(Work::begin) else { return self.take_output(index) };
        let output = self.take_output(index);
        let sent = match &output {
            Some(Output::Send(packet)) => packet.segment().map_or(0, |segment| segment.payload_bytes),
            _ => 0,
        };
        if let Some(work) = &mut self.work {
            work.on_output(index, began, sent);
        }
        output
    }

    fn take_output(&mut self, index: u32) -> Option<Output> {
        let largest = self.config.largest_burst_bytes;
        loop {
            let entry = self.table.at_mut(index)?;
            match entry.take_output()? {
                transport::Output::Segment(segment) => {
                    if let Some(mut packet) = entry.gather(segment, largest) {
                        self.number(&mut packet);
                        return Some(Output::Send(packet));
                    }
                }
                other => {
                    if let Some(output) = self.on_output(index, other) {
                        return Some(output);
                    }
                }
            }
        }
    }
}

impl Entry {
    fn take_output(&mut self) -> Option<transport::Output> {
        self.peeked.take().or_else(|| self.connection.poll())
    }

    fn peek_segment(&mut self) -> Option<Segment> {
        if self.peeked.is_none() {
            self.peeked = self.connection.poll();
        }
        match self.peeked {
            Some(transport::Output::Segment(segment)) => Some(segment),
            _ => None,
        }
    }

    /// Makes one packet of a segment and those that follow it, as far as they can go together.
    fn gather(&mut self, first: Segment, largest: u32) -> Option<Outgoing> {
        let mut whole = self.unacknowledged(first);
        let mut unit = whole.map_or(0, |s| s.payload_bytes);
        while let Some(next) = self.peek_segment() {
            match whole {
                None => whole = self.unacknowledged(next),
                Some(ack) if self.replaces(&next, &ack) => whole = self.unacknowledged(next),
                Some(run) if follows(&next, &run, unit, largest) => {
                    let payload_bytes = run.payload_bytes + next.payload_bytes;
                    whole = Some(Segment { seq: run.seq, flags: run.flags.with(next.flags), payload_bytes, ..next });
                    self.peeked = None;
                    continue;
                }
                Some(_) => break,
            }
            unit = whole.map_or(0, |s| s.payload_bytes);
            self.peeked = None;
        }
        let segment = whole?;
        if segment.flags.has(Flags::ACK) {
            self.acked = segment.ack;
        }
        let (to, from) = (self.tuple.remote.address, Some(self.handle));
        Some(Outgoing(Kind::Segment { to, segment, unit, identification: None, from }))
    }

    /// The segment without what was acknowledged since it was made: its bytes are gone.
    fn unacknowledged(&self, segment: Segment) -> Option<Segment> {
        let una = self.iss + self.connection.public().una as u32;
        let gone = una.bytes_since(segment.seq);
        if segment.payload_bytes == 0 || gone == 0 {
            return Some(segment);
        }
        let left = segment.payload_bytes.checked_sub(gone).filter(|&left| left > 0);
        left.map(|payload_bytes| Segment { seq: una, payload_bytes, ..segment })
    }

    /// Whether a pure acknowledgement need not be sent because of what comes right after it.
    fn replaces(&self, next: &Segment, ack: &Segment) -> bool {
        let is_plain = |s: &Segment| s.flags.has(Flags::ACK) && s.options.sack.is_empty();
        let may_go = ack.is_pure_ack() && is_plain(ack) && !ack.flags.has(Flags::RST);
        let is_news = next.ack.is_after(ack.ack) || (next.ack == ack.ack && ack.ack.is_after(self.acked));
        may_go && is_plain(next) && is_news && !next.flags.has(Flags::SYN) && !next.flags.has(Flags::RST)
    }
}

/// Whether a segment can leave in one packet with the run before it.
fn follows(next: &Segment, run: &Segment, unit: u32, largest: u32) -> bool {
    let usual = Flags::ACK.with(Flags::PSH);
    let is_run = run.payload_bytes > 0 && usual.has(run.flags) && run.payload_bytes.is_multiple_of(unit);
    let is_next = next.payload_bytes > 0 && next.payload_bytes <= unit && usual.with(Flags::FIN).has(next.flags);
    is_run
        && is_next
        && next.seq == run.end()
        && next.options.bytes() == run.options.bytes()
        && next.ecn == run.ecn
        && run.payload_bytes + next.payload_bytes <= largest
}
