//! What ns-2 writes of packets and they do not carry: unique numbers, counts of segments, ports of agents.

use std::collections::{BTreeMap, VecDeque};

use hopwright_machine::{NodeId, PacketId};
use hopwright_sim::{FlowKind, Setup};
use hopwright_wire::{Packet, Payload, atp, tcp};

use super::format::Mac;

/// Packets that are remembered: many more than a network holds at a time.
const REMEMBERED: usize = 1 << 16;
/// The port of ns-2's routing agents.
const ROUTING_PORT: u32 = 255;

/// What is known of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The number of the packet in the run; zero for messages of routing and address resolution.
    pub(super) uid: u64,
    /// TCP: the segment's place in the stream, the SYN being 0. UDP: the datagram's.
    pub(super) number: u64,
    pub(super) first_ttl: u8,
    /// Its length below routing.
    pub(super) bytes: u32,
    pub(super) next_hop: Option<NodeId>,
    /// The MAC fields it came with.
    pub(super) mac: Mac,
}

#[derive(Debug)]
pub(super) struct Packets {
    known: BTreeMap<PacketId, Known>,
    /// The same, oldest first.
    order: VecDeque<PacketId>,
    next_uid: u64,
    flows: Vec<Flow>,
}

#[derive(Debug)]
struct Flow {
    /// Bytes of a full segment.
    segment_bytes: u32,
    /// The agents' numbers at sender and receiver.
    ports: (u32, u32),
    /// The streams of sender and receiver.
    streams: [Stream; 2],
    datagrams: u64,
}

/// One direction of a connection: its SYN's sequence number, and the position last seen.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    first: tcp::Seq,
    last: u64,
}

impl Packets {
    pub(super) fn new(setup: &Setup) -> Self {
        let mut agents = vec![0; setup.nodes.len()];
        let mut port = |node: NodeId| {
            agents[node.index()] += 1;
            agents[node.index()] - 1
        };
        let flow = |flow: &hopwright_sim::Flow| Flow {
            segment_bytes: match &flow.kind {
                FlowKind::Tcp { params, .. } => params.segment_bytes.max(1),
                FlowKind::Udp(_) | FlowKind::Atp { .. } | FlowKind::Bundles { .. } => 1,
            },
            ports: (port(flow.from), port(flow.to)),
            streams: [Stream::default(); 2],
            datagrams: 0,
        };
        let flows = setup.flows.iter().map(flow).collect();
        Self { known: BTreeMap::new(), order: VecDeque::new(), next_uid: 0, flows }
    }

    /// A transport or an application has made a packet.
    pub(super) fn originated(&mut self, packet: &Packet) {
        let number = self.number(packet);
        let known =
            Known { uid: self.next_uid, number, first_ttl: packet.ttl, bytes: packet.bytes(), ..Known::default() };
        self.next_uid += 1;
        self.remember(packet.id, known);
    }

    /// What is known of a packet.
    pub(super) fn known(&self, packet: &Packet) -> Known {
        let unknown = || Known { first_ttl: packet.ttl, bytes: packet.bytes(), ..Known::default() };
        self.known.get(&packet.id).copied().unwrap_or_else(unknown)
    }

    /// The packet goes down to a next hop.
    pub(super) fn update(&mut self, packet: &Packet, bytes: u32, next_hop: Option<NodeId>) -> Known {
        let known = Known { bytes, next_hop, ..self.known(packet) };
        self.remember(packet.id, known);
        known
    }

    /// The packet came off the air with these MAC fields.
    pub(super) fn received(&mut self, packet: &Packet, bytes: u32, mac: Mac) {
        let known = Known { bytes, mac, ..self.known(packet) };
        self.remember(packet.id, known);
    }

    fn remember(&mut self, id: PacketId, known: Known) {
        if self.known.insert(id, known).is_some() {
            return;
        }
        self.order.push_back(id);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    /// The flow and its direction: true with the data.
    fn flow(packet: &Packet) -> Option<(usize, bool)> {
        packet.flow.map(|tag| (tag.flow(), tag.is_forward()))
    }

    /// The flow's number, and the ports of the agents at source and destination.
    pub(super) fn ports(&self, packet: &Packet) -> (usize, (u32, u32)) {
        match Self::flow(packet) {
            Some((flow, true)) => (flow, self.flows[flow].ports),
            Some((flow, false)) => (flow, (self.flows[flow].ports.1, self.flows[flow].ports.0)),
            None => (0, (ROUTING_PORT, ROUTING_PORT)),
        }
    }

    /// The place of a packet in its flow. ns-2 counts segments where TCP counts bytes.
    fn number(&mut self, packet: &Packet) -> u64 {
        let Some((flow, forward)) = Self::flow(packet) else { return 0 };
        let flow = &mut self.flows[flow];
        let segment = match &packet.payload {
            Payload::Tcp(segment) => segment,
            Payload::Atp(segment) => return atp_number(segment),
            _ => {
                flow.datagrams += 1;
                return flow.datagrams - 1;
            }
        };
        let (mine, theirs) = if forward { (0, 1) } else { (1, 0) };
        if segment.flags.has(tcp::Flags::SYN) {
            flow.streams[mine] = Stream { first: segment.seq, last: 0 };
            return 0;
        }
        let bytes = u64::from(flow.segment_bytes);
        if segment.sequence_length() > 0 {
            1 + flow.streams[mine].position(segment.seq).saturating_sub(1) / bytes
        } else {
            flow.streams[theirs].position(segment.ack).saturating_sub(1) / bytes
        }
    }
}

/// The place of a segment of ATP in its flow: which data it has, or waits for.
fn atp_number(segment: &atp::Segment) -> u64 {
    u64::from(match &segment.body {
        atp::Body::Data(data) => data.number,
        atp::Body::Feedback(feedback) => feedback.cumulative,
    })
}

impl Stream {
    /// How far a sequence number is from the SYN's, beyond 32 bits too.
    fn position(&mut self, seq: tcp::Seq) -> u64 {
        let ahead = (seq - self.first.0).0.wrapping_sub(self.last as u32) as i32;
        self.last = self.last.saturating_add_signed(i64::from(ahead));
        self.last
    }
}
