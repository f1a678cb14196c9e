//! What a packet is to the flow that it belongs to.

use std::io::Write;

use hopwright_machine::FlowTag;
use hopwright_wire::tcp::{Flags, Pull, Segment, Seq};
use hopwright_wire::{Packet, Payload};

use super::Lineage;
use super::flows::{Flow, Part};
use super::foreign::Foreign;
use super::packets::carries;

/// What a packet is to a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    /// The flow that it belongs to, though a relay may carry it on.
    pub(super) flow: Option<usize>,
    /// The connection: the flow's own, or that of a relay.
    pub(super) book: Option<usize>,
    pub(super) part: Option<Part>,
    pub(super) bytes: Option<u32>,
    pub(super) carries: Option<&'static str>,
    /// The bundle that it carries a part of, or is about.
    pub(super) bundle: Option<u32>,
    /// Where that part begins in the flow's stream.
    pub(super) begins: Option<u64>,
    /// What it is as a program's packet.
    pub(super) foreign: Option<Foreign>,
}

impl<W: Write + Send> Lineage<W> {
    pub(super) fn about(&mut self, packet: &Packet) -> About {
        let carries = Some(carries(packet));
        let tag = packet.flow.filter(|tag| tag.flow() < self.flows.len());
        let foreign = self.programs.as_mut().and_then(|programs| programs.read(packet));
        let (part, bytes) = match (&packet.payload, tag) {
            (Payload::Tcp(segment), Some(tag)) => {
                let bytes = Some(segment.payload_bytes.max(requested(segment).map_or(0, |(_, bytes)| bytes)));
                let bytes = bytes.filter(|&bytes| bytes > 0);
                (part(&mut self.flows[tag.flow()], segment, tag.is_forward()), bytes)
            }
            (Payload::Tcp(segment), None) => (None, Some(segment.payload_bytes).filter(|&bytes| bytes > 0)),
            (Payload::Udp(datagram), _) => (None, Some(datagram.payload_bytes)),
            (Payload::Atp(segment), _) => (None, Some(segment.payload_bytes()).filter(|&bytes| bytes > 0)),
            (Payload::Opaque(_), _) if let Some(foreign) = &foreign => {
                (None, Some(foreign.data_bytes).filter(|&bytes| bytes > 0))
            }
            (Payload::Opaque(opaque), _) => (None, Some(opaque.bytes.len() as u32)),
            (Payload::Frame(frame), _) => (None, Some(frame.bytes.len() as u32)),
            (Payload::Nctp(about), _) => (None, Some(about.payload_bytes).filter(|&bytes| bytes > 0)),
            _ => (None, None),
        };
        let book = tag.map(FlowTag::flow);
        let flow = book.map(|book| self.owners[book]);
        if let (Some(book), Some(bytes)) = (book, bytes) {
            let longest = &mut self.flows[book].longest_bytes;
            *longest = bytes.max(*longest);
        }
        let (bundle, begins) = match (&packet.payload, flow) {
            (Payload::Nctp(about), Some(flow)) => (Some(about.key.bundle), self.bundles.begins(flow, about)),
            _ => (None, None),
        };
        About { flow, book, part, bytes, carries, bundle, begins, foreign }
    }
}

/// What a segment is to its flow.
fn part(flow: &mut Flow, segment: &Segment, forward: bool) -> Option<Part> {
    if forward {
        let length = u64::from(segment.stream_length());
        let start = flow.position(segment.seq, segment.flags.has(Flags::SYN));
        let is_answer = segment.payload_bytes > 0 && matches!(segment.options.pull, Pull::Holds(_));
        let end = start + if is_answer { u64::from(segment.payload_bytes) } else { length };
        let part = if is_answer { Part::Answer(start, end) } else { Part::Data(start, end) };
        return (length > 0).then_some(part);
    }
    if let Some((from, bytes)) = requested(segment) {
        let start = flow.position(from, false);
        return Some(Part::Request(start, start + u64::from(bytes)));
    }
    segment.flags.has(Flags::ACK).then(|| Part::Ack(flow.position(segment.ack, false)))
}

/// What a segment requests: the number of the first byte, and how many.
const fn requested(segment: &Segment) -> Option<(Seq, u32)> {
    match segment.options.pull {
        Pull::Request { from, bytes } if bytes > 0 => Some((from, bytes as u32)),
        _ => None,
    }
}
