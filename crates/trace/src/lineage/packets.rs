//! Where packets are, how they came there, and what they are.

use std::collections::VecDeque;

use hopwright_link::FrameKind;
use hopwright_machine::{Duration, NodeId, PacketId, Time};
use hopwright_sim::Disturber;
use hopwright_wire::dsr::DsrOption;
use hopwright_wire::tcp::{Flags, Pull};
use hopwright_wire::{Packet, Payload, aodv, atp, nctp};
use rustc_hash::FxHashMap;

use super::row::{By, Id};
use super::story::Event;

/// A packet on its way.
#[derive(Debug)]
pub(super) struct Way {
    /// The last event of it.
    pub(super) last: Event,
    /// The node that has it.
    pub(super) node: NodeId,
    /// When somebody last had it in hand, if it is for everyone.
    spread: Option<Time>,
}

/// All packets on their way.
#[derive(Debug, Default)]
pub(super) struct Ways {
    ways: FxHashMap<PacketId, Way>,
    /// Packets for everyone, which nobody says have ended: each time that somebody had one in hand.
    broadcast: VecDeque<(Time, PacketId)>,
}

/// So long after somebody last had a packet for everyone in hand nobody holds it any more. Who has heard it waits for
/// some milliseconds before passing it on, and then for a queue.
const HEARD_AFTER: Duration = Duration::from_secs(10);

impl Ways {
    pub(super) fn get(&self, packet: PacketId) -> Option<&Way> {
        self.ways.get(&packet)
    }

    pub(super) fn get_mut(&mut self, packet: PacketId) -> Option<&mut Way> {
        self.ways.get_mut(&packet)
    }

    pub(super) fn last(&self, packet: PacketId) -> Option<Event> {
        self.get(packet).map(|way| Event::clone(&way.last))
    }

    pub(super) fn begin(&mut self, packet: PacketId, node: NodeId, sent: Event) {
        self.ways.insert(packet, Way { last: sent, node, spread: None });
    }

    pub(super) fn end(&mut self, packet: PacketId) {
        self.ways.remove(&packet);
    }

    /// A packet is sent to everyone, or is going to be.
    pub(super) fn spread(&mut self, now: Time, packet: PacketId) {
        let Some(way) = self.ways.get_mut(&packet) else { return };
        way.spread = Some(now);
        self.broadcast.push_back((now, packet));
        while let Some(&(at, oldest)) = self.broadcast.front()
            && at + HEARD_AFTER < now
        {
            self.broadcast.pop_front();
            if self.ways.get(&oldest).is_some_and(|way| way.spread == Some(at)) {
                self.ways.remove(&oldest);
            }
        }
    }
}

/// The frames of late, by number.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The oldest that is known.
    first: u64,
    known: VecDeque<Frame>,
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// When it left.
    pub(super) at: Time,
    /// The node whose try it belongs to.
    pub(super) tries: NodeId,
    /// That try, and its packet.
    pub(super) event: Option<(Id, PacketId)>,
    pub(super) kind: FrameKind,
}

/// So long after it left nobody is told of a frame any more: that it was lost, or that it disturbed.
const KNOWN_FOR: Duration = Duration::from_secs(1);

impl Frames {
    pub(super) fn launch(&mut self, frame: Frame) {
        if self.known.len() == self.known.capacity() {
            let old = self.known.partition_point(|known| known.at + KNOWN_FOR < frame.at);
            self.known.drain(..old);
            self.first += old as u64;
        }
        self.known.push_back(frame);
    }

    pub(super) fn get(&self, number: u64) -> Option<Frame> {
        self.known.get(usize::try_from(number.checked_sub(self.first)?).ok()?).copied()
    }

    pub(super) fn by(&self, other: Disturber) -> By {
        let packet = self.get(other.number).and_then(|frame| frame.event).map(|(_, packet)| packet);
        let (frame, relation) = (word(other.kind), other.relation.name());
        By { packet, node: other.from, frame, at: other.at, relation }
    }
}

/// A frame's kind as a word.
pub(crate) const fn word(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Rts => "rts",
        FrameKind::Cts => "cts",
        FrameKind::Data => "data",
        FrameKind::Ack => "ack",
    }
}

/// What a packet is, as a word.
pub(crate) fn carries(packet: &Packet) -> &'static str {
    match &packet.payload {
        Payload::Tcp(segment) if segment.flags.has(Flags::RST) => "reset",
        Payload::Tcp(segment) if segment.flags.has(Flags::SYN) => "syn",
        Payload::Tcp(segment) if matches!(segment.options.pull, Pull::Request { .. }) => "request",
        Payload::Tcp(segment) if segment.is_pure_ack() => "ack",
        Payload::Tcp(segment) if segment.payload_bytes == 0 => "fin",
        Payload::Tcp(_) => "segment",
        Payload::Udp(_) => "datagram",
        Payload::Atp(segment) => match segment.data().map(|data| data.kind) {
            Some(atp::Kind::Part | atp::Kind::Last) => "segment",
            Some(atp::Kind::Probe) => "probe",
            None => "feedback",
        },
        Payload::Opaque(_) => "opaque",
        Payload::Frame(_) => "ethernet",
        Payload::Nctp(about) => match about.kind {
            nctp::Kind::Data => "bundle",
            nctp::Kind::Probe => "bundle_probe",
            nctp::Kind::Alive => "bundle_alive",
            nctp::Kind::Ack => "bundle_ack",
            nctp::Kind::Refusal => "bundle_refusal",
        },
        Payload::Aodv(aodv::Message::Rreq(_)) => "rreq",
        Payload::Aodv(aodv::Message::Rrep(_)) => "rrep",
        Payload::Aodv(aodv::Message::Rerr(_)) => "rerr",
        Payload::Aodv(aodv::Message::RrepAck) => "rrep_ack",
        Payload::Olsr(_) => "olsr",
        Payload::Dsdv(_) => "dsdv",
        Payload::Notice(_) => "notice",
        Payload::Arp(_) => "arp",
        Payload::Nothing => packet.dsr.as_ref().map_or("dsr", |header| {
            let word = |option: &DsrOption| match option {
                DsrOption::Request(_) => Some("rreq"),
                DsrOption::Reply(_) => Some("rrep"),
                DsrOption::Error(_) => Some("rerr"),
                _ => None,
            };
            header.options.iter().find_map(word).unwrap_or("dsr")
        }),
    }
}

/// Whether it says that a route is no longer to be used.
pub(super) fn is_route_error(packet: &Packet) -> bool {
    matches!(&packet.payload, Payload::Aodv(aodv::Message::Rerr(_)))
        || packet.dsr.as_ref().is_some_and(|h| h.options.iter().any(|o| matches!(o, DsrOption::Error(_))))
}
