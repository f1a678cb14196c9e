//! What is measured during a run: the one place where nodes report to.

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{DropCause, LossCause, NodeId, Time};
use hopwright_wire::{Packet, Payload, tcp};

use crate::ledger::Ledger;
use crate::losses::{Losses, News};
use crate::medium::FrameClass;
use crate::meter::{FlowMeter, carriers};
use crate::setup::{Flow, Setup};
use crate::trace::{Event, Sink};
use crate::tries::Tries;

/// Counters of the MAC, as results report them. By class of frame or packet, see `FrameClass`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MacCounters {
    pub(crate) collisions: [u64; 5],
    pub(crate) channel_errors: [u64; 5],
    /// Exchanges given up because no CTS came.
    pub(crate) rts_failures: u64,
    /// Payloads given up, by class.
    pub(crate) failures: [u64; 5],
    /// Packets that were lost with it: the next hop had not received them.
    pub(crate) lost_packets: u64,
    pub(crate) frames: [u64; 5],
}

/// What is measured during a run, and where events are told to.
#[derive(Debug)]
pub(crate) struct World<T> {
    pub(crate) trace: T,
    pub(crate) ledger: Ledger,
    pub(crate) mac: MacCounters,
    /// Of connections, by number: those of flows, and beyond them those that relays have.
    pub(crate) flows: Vec<FlowMeter>,
    /// So many are flows: of the others no trace is told, but for their packets.
    told: usize,
    /// Per node: the next hop has received the packet that the node still holds in service.
    pub(crate) taken: Vec<bool>,
    losses: Losses,
    /// Where the channel leaves anything to chance.
    pub(crate) tries: Option<Tries>,
    /// Routes taken out of use because of a link failure although the next hop was in range.
    pub(crate) false_route_breaks: u64,
    pub(crate) fingerprint: u64,
}

impl<T: Sink> World<T> {
    pub(crate) fn new(trace: T, setup: &Setup, routers_copy: bool, has_channel: bool) -> Self {
        let nodes = setup.nodes.len();
        let meter = |flow: &Flow| FlowMeter::new(flow, setup.warm_up, setup.charge(flow));
        Self {
            trace,
            ledger: Ledger::default(),
            mac: MacCounters::default(),
            flows: setup.flows.iter().map(meter).collect(),
            told: setup.flows.len(),
            taken: vec![false; nodes],
            losses: Losses::new(routers_copy),
            tries: has_channel.then(|| Tries::new(nodes)),
            false_route_breaks: 0,
            fingerprint: 0xcbf2_9ce4_8422_2325,
        }
    }

    /// Measurements start: what was counted so far does not count.
    pub(crate) fn warmed_up(&mut self) {
        self.mac = MacCounters::default();
        self.false_route_breaks = 0;
        for flow in &mut self.flows {
            flow.warmed_up();
        }
    }

    /// Whether a trace is told how a connection stands.
    pub(crate) const fn tells_of(&self, connection: usize) -> bool {
        connection < self.told
    }

    /// Bytes that a flow's receiver has got since measurements started.
    pub(crate) fn received(&self, flow: usize) -> u64 {
        let last = carriers(&self.flows, flow).last().unwrap_or(&self.flows[flow]);
        last.now.received_bytes - last.at_begin.received_bytes
    }

    fn in_flight(&mut self, now: Time, node: NodeId, packet: &Packet, change: f64) {
        if let Some((flow, forward)) = flow_of(packet) {
            let in_network = self.flows[flow].in_network(forward);
            in_network.add(now, change);
            if T::ON && flow < self.told {
                let packets = in_network.level();
                self.trace.event(now, node, Event::InNetwork { flow, forward, packets });
            }
        }
    }

    pub(crate) fn originated(&mut self, now: Time, node: NodeId, packet: &Packet) {
        self.ledger.originated += 1;
        self.in_flight(now, node, packet, 1.0);
        if let Payload::Tcp(segment) = &packet.payload {
            self.segment_leaves(packet, segment);
        }
    }

    /// Apart, since the node's way of a packet is long already.
    #[inline(never)]
    fn segment_leaves(&mut self, packet: &Packet, segment: &tcp::Segment) {
        let Some((flow, forward)) = flow_of(packet) else { return };
        let meter = &mut self.flows[flow];
        if forward {
            meter.now.spurious += u64::from(meter.knowledge.leaves(segment));
        } else {
            meter.now.spurious += u64::from(meter.knowledge.answers(packet.id, segment));
        }
    }

    /// A packet has come from a station, which may go on believing that it has not.
    pub(crate) fn handed_over(&mut self, now: Time, from: NodeId, packet: &Packet) {
        if std::mem::replace(&mut self.taken[from.index()], true) {
            self.doubled(now, from, packet); // the next hop was down meanwhile, and has forgotten what it had
        }
        self.losses.handed_over(from, packet.id);
    }

    /// A station knows that the next hop has its packet, or has sent it to everyone.
    pub(crate) fn sent(&mut self, node: NodeId) {
        if std::mem::take(&mut self.taken[node.index()]) {
            self.losses.let_go(node);
        }
        if let Some(tries) = &mut self.tries {
            tries.done(node);
        }
    }

    /// A packet did not reach its next hop, which was in range, or not.
    pub(crate) fn not_reached(&mut self, now: Time, hop: (NodeId, NodeId), packet: &Packet, in_range: bool) {
        if is_followed(packet) {
            let tries = self.tries.as_ref();
            let why = if !in_range {
                LossCause::LinkFailure
            } else if tries.is_some_and(|tries| tries.blame_channel(now, hop.0, hop.1)) {
                LossCause::Channel
            } else {
                LossCause::Contention
            };
            self.losses.not_reached(packet.id, why);
        }
    }

    pub(crate) fn delivered(&mut self, now: Time, node: NodeId, packet: &Packet, first_ttl: u8) {
        self.ledger.delivered += 1;
        self.in_flight(now, node, packet, -1.0);
        let Some((flow, forward)) = flow_of(packet) else { return self.foreign_delivered(now, node, packet) };
        let meter = &mut self.flows[flow];
        // What goes from owner to owner ends at each of them.
        if forward && now >= meter.begin && packet.destination == node.address() {
            meter.hops.add(f64::from(first_ttl - packet.ttl) + 1.0);
        }
        if let Payload::Tcp(segment) = &packet.payload {
            meter.knowledge.arrives(packet.id, segment, forward);
        }
        if let News::Found(cause) = self.losses.delivered(now, packet.id) {
            let lost = &mut meter.lost[usize::from(forward)][cause as usize];
            *lost = lost.saturating_sub(1); // it may have been lost during the warm-up
            if T::PACKETS {
                self.trace.event(now, node, Event::Found(packet));
            }
        }
    }

    /// A packet of a program outside has arrived, if it is one. Nothing is measured of it.
    fn foreign_delivered(&mut self, now: Time, node: NodeId, packet: &Packet) {
        if is_followed(packet) && matches!(self.losses.delivered(now, packet.id), News::Found(_)) && T::PACKETS {
            self.trace.event(now, node, Event::Found(packet));
        }
    }

    /// A copy of a packet was dropped; returns what is to blame if the packet is lost with it.
    pub(crate) fn dropped(&mut self, now: Time, node: NodeId, packet: &Packet, cause: DropCause) -> Option<LossCause> {
        self.ledger.drop(cause);
        self.in_flight(now, node, packet, -1.0);
        let Some((flow, forward)) = flow_of(packet) else {
            return match is_followed(packet).then(|| self.losses.dropped(now, packet.id, cause)) {
                Some(News::Lost(cause)) => Some(cause),
                _ => None,
            };
        };
        let meter = &mut self.flows[flow];
        meter.dropped[cause as usize] += 1;
        let News::Lost(cause) = self.losses.dropped(now, packet.id, cause) else { return None };
        meter.lost[usize::from(forward)][cause as usize] += 1;
        if let Payload::Tcp(segment) = &packet.payload {
            meter.knowledge.lost(packet.id, segment, forward, cause);
        }
        Some(cause)
    }

    /// There are two of a packet from now on: a router sends again what nobody has confirmed.
    pub(crate) fn copied(&mut self, now: Time, node: NodeId, packet: &Packet) {
        self.ledger.doubled += 1;
        self.in_flight(now, node, packet, 1.0);
        if is_followed(packet) {
            self.losses.copied(packet.id);
        }
    }

    /// There are two of a packet from now on: its next hop has what its sender gave up or lost, or received it a second
    /// time.
    pub(crate) fn doubled(&mut self, now: Time, node: NodeId, packet: &Packet) {
        self.ledger.doubled += 1;
        self.in_flight(now, node, packet, 1.0);
        if is_followed(packet) {
            self.losses.doubled(node, packet.id);
        } else {
            self.losses.let_go(node);
        }
    }

    /// A MAC gave a packet up.
    pub(crate) fn gave_up(&mut self, now: Time, node: NodeId, next_hop: NodeId, packet: &Packet, cause: DropCause) {
        if let Some(tries) = &mut self.tries {
            tries.gave_up(now, node, next_hop);
        }
        let class = FrameClass::of_packet(packet);
        if cause == DropCause::RetryLimitRts {
            self.mac.rts_failures += 1;
        }
        self.mac.failures[class as usize] += 1;
        if std::mem::take(&mut self.taken[node.index()]) {
            self.doubled(now, node, packet);
        } else {
            self.mac.lost_packets += 1;
        }
    }

    /// A frame leaves for one other, or for everyone; it is too weak for so many of those whom it is for, though they
    /// are in range.
    pub(crate) fn drawn(
        &mut self,
        (from, to): (NodeId, Option<NodeId>),
        kind: FrameKind,
        class: FrameClass,
        faded: usize,
    ) {
        self.mac.channel_errors[class as usize] += faded as u64;
        if let (Some(tries), Some(to)) = (&mut self.tries, to) {
            tries.launched(from, kind);
            if faded > 0 {
                tries.damaged(kind, from, to);
            }
        }
    }

    /// The channel damaged a frame on its way to a node that it was for.
    pub(crate) fn damaged(&mut self, class: FrameClass, frame: Option<&Frame<Packet>>) {
        self.mac.channel_errors[class as usize] += 1;
        if let (Some(tries), Some(&Frame { kind, from, to: Some(to), .. })) = (&mut self.tries, frame) {
            tries.damaged(kind, from, to);
        }
    }

    pub(crate) fn collided(&mut self, class: FrameClass) {
        self.mac.collisions[class as usize] += 1;
    }

    /// Mixes an event into the run's fingerprint (FNV-1a, a word at a time).
    pub(crate) fn note(&mut self, at: Time, what: u64) {
        for word in [at.as_nanos(), what] {
            self.fingerprint = (self.fingerprint ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        }
    }
}

/// The flow that a packet belongs to, and whether the packet travels in the direction of the data.
#[inline]
pub(crate) fn flow_of(packet: &Packet) -> Option<(usize, bool)> {
    packet.flow.map(|tag| (tag.flow(), tag.is_forward()))
}

/// Whether it is followed to its end: packets of flows are, and those of programs outside.
#[inline]
fn is_followed(packet: &Packet) -> bool {
    packet.flow.is_some() || matches!(packet.payload, Payload::Opaque(_))
}
