//! What is measured during a run: the one place where nodes report to.

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{DropCause, LossCause, NodeId, Time};
use hopwright_transport::{Before, Connection, Function, Phase};
use hopwright_wire::{Packet, Payload, tcp};

use crate::compute::{Begun, Work};
use crate::ledger::Ledger;
use crate::losses::{Losses, News};
use crate::medium::Class;
use crate::setup::{Flow, FlowKind, Setup};
use crate::statistics::{Moments, TimeAverage};
use crate::trace::{Event, Sink};
use crate::tries::Tries;
use crate::truth::{Confusion, Knowledge};

/// The first port of the receivers: flow n is received on port 5001 + n.
pub const FIRST_PORT: u16 = 5001;
/// The first port of the senders.
pub const FIRST_SOURCE_PORT: u16 = 33_001;
/// With more flows than this, a port would be that of a receiver and of a sender.
pub const MOST_FLOWS: usize = (FIRST_SOURCE_PORT - FIRST_PORT) as usize;

/// Counters of the MAC, as results report them. By class of frame or packet, see `Class`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MacCounters {
    pub(crate) collisions: [u64; 5],
    pub(crate) channel_errors: [u64; 5],
    /// Exchanges given up for want of a CTS.
    pub(crate) rts_failures: u64,
    /// Payloads given up, by class.
    pub(crate) failures: [u64; 5],
    /// Packets that were lost with it: the next hop had not received them.
    pub(crate) lost_packets: u64,
    pub(crate) frames: [u64; 5],
}

/// What is known of one flow.
#[derive(Debug)]
pub(crate) struct FlowMeter {
    pub(crate) begin: Time,
    pub(crate) segment_bytes: u32,
    cwnd: TimeAverage,
    /// The largest congestion window from `begin` on, segments.
    max_cwnd: f64,
    data_in_flight: TimeAverage,
    acks_in_flight: TimeAverage,
    pub(crate) rtt: Moments,
    pub(crate) hops: Moments,
    phase: Phase,
    phase_since: Time,
    /// Seconds in each phase, in the order of `Phase`.
    pub(crate) phase_s: [f64; 5],
    pub(crate) now: Counts,
    pub(crate) at_begin: Counts,
    /// Copies of its packets.
    pub(crate) dropped: [u64; DropCause::ALL.len()],
    /// Packets that go the way of its acknowledgements, and of its data.
    pub(crate) lost: [[u64; LossCause::ALL.len()]; 2],
    /// What its transports compute, if that is counted.
    pub(crate) work: Option<Box<Work>>,
    pub(crate) knowledge: Knowledge,
}

/// Totals of a flow; results report the difference to those at the beginning of measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Application bytes acknowledged at the sender.
    pub(crate) acked_bytes: u64,
    /// Bytes handed to the receiving application.
    pub(crate) received_bytes: u64,
    pub(crate) sent: u64,
    pub(crate) retransmissions: u64,
    /// Those of segments of which nothing was lost.
    pub(crate) spurious: u64,
    pub(crate) timeouts: u64,
}

/// What is measured during a run, and where events are told to.
#[derive(Debug)]
pub(crate) struct World<T> {
    pub(crate) trace: T,
    pub(crate) ledger: Ledger,
    pub(crate) mac: MacCounters,
    pub(crate) flows: Vec<FlowMeter>,
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
        let meter = |flow: &Flow| FlowMeter {
            work: setup.charge(flow).map(|charge| Box::new(Work::new(charge))),
            ..FlowMeter::new(flow, setup.warm_up)
        };
        Self {
            trace,
            ledger: Ledger::default(),
            mac: MacCounters::default(),
            flows: setup.flows.iter().map(meter).collect(),
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
            flow.at_begin = flow.now;
            flow.dropped = Default::default();
            flow.lost = Default::default();
            if let Some(work) = &mut flow.work {
                work.forget();
            }
            flow.knowledge.confusion = Confusion::default();
        }
    }

    /// The flow that a packet belongs to, and whether the packet travels in the direction of the data.
    pub(crate) fn flow_of(&self, packet: &Packet) -> Option<(usize, bool)> {
        let (source, destination) = packet.payload.ports()?;
        let index = |port: u16| usize::from(port.wrapping_sub(FIRST_PORT));
        if index(destination) < self.flows.len() {
            Some((index(destination), true))
        } else {
            Some((index(source), false)).filter(|f| f.0 < self.flows.len())
        }
    }

    fn in_flight(&mut self, now: Time, node: NodeId, packet: &Packet, change: f64) {
        if let Some((flow, forward)) = self.flow_of(packet) {
            let meter = &mut self.flows[flow];
            let in_flight = if forward { &mut meter.data_in_flight } else { &mut meter.acks_in_flight };
            in_flight.add(now, change);
            if T::ON {
                let packets = in_flight.level();
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
        let Some((flow, forward)) = self.flow_of(packet) else { return };
        let meter = &mut self.flows[flow];
        if forward {
            meter.now.spurious += u64::from(meter.knowledge.leaves(segment));
        } else {
            meter.knowledge.answers(packet.id, segment);
        }
    }

    /// A packet has come from a station, which may go on believing that it has not.
    pub(crate) fn handed_over(&mut self, from: NodeId, packet: &Packet) {
        self.taken[from.index()] = true;
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
        if self.flow_of(packet).is_some() {
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
        let Some((flow, forward)) = self.flow_of(packet) else { return };
        let meter = &mut self.flows[flow];
        if forward && now >= meter.begin {
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

    /// A copy of a packet was dropped; returns what is to blame if the packet is lost with it.
    pub(crate) fn dropped(&mut self, now: Time, node: NodeId, packet: &Packet, cause: DropCause) -> Option<LossCause> {
        self.ledger.drop(cause);
        self.in_flight(now, node, packet, -1.0);
        let (flow, forward) = self.flow_of(packet)?;
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
        if self.flow_of(packet).is_some() {
            self.losses.copied(packet.id);
        }
    }

    /// There are two of a packet from now on: its next hop has what its sender gave up or lost.
    pub(crate) fn given_up_late(&mut self, now: Time, node: NodeId, packet: &Packet) {
        self.ledger.doubled += 1;
        self.in_flight(now, node, packet, 1.0);
        if self.flow_of(packet).is_some() {
            self.losses.given_up_late(node, packet.id);
        } else {
            self.losses.let_go(node);
        }
    }

    /// A MAC gave a packet up.
    pub(crate) fn gave_up(&mut self, now: Time, node: NodeId, next_hop: NodeId, packet: &Packet, cause: DropCause) {
        if let Some(tries) = &mut self.tries {
            tries.gave_up(now, node, next_hop);
        }
        let class = Class::of_packet(packet);
        if cause == DropCause::RetryLimitRts {
            self.mac.rts_failures += 1;
        }
        self.mac.failures[class as usize] += 1;
        if std::mem::take(&mut self.taken[node.index()]) {
            self.given_up_late(now, node, packet);
        } else {
            self.mac.lost_packets += 1;
        }
    }

    /// A frame leaves for one other, or for everyone; it is too weak for so many of those whom it is for, though they
    /// are in range.
    pub(crate) fn drawn(&mut self, (from, to): (NodeId, Option<NodeId>), kind: FrameKind, class: Class, faded: usize) {
        self.mac.channel_errors[class as usize] += faded as u64;
        if let (Some(tries), Some(to)) = (&mut self.tries, to) {
            tries.launched(from, kind);
            if faded > 0 {
                tries.damaged(kind, from, to);
            }
        }
    }

    /// The channel damaged a frame on its way to a node that it was for.
    pub(crate) fn damaged(&mut self, class: Class, frame: Option<&Frame<Packet>>) {
        self.mac.channel_errors[class as usize] += 1;
        if let (Some(tries), Some(&Frame { kind, from, to: Some(to), .. })) = (&mut self.tries, frame) {
            tries.damaged(kind, from, to);
        }
    }

    pub(crate) fn collided(&mut self, class: Class) {
        self.mac.collisions[class as usize] += 1;
    }

    /// Mixes an event into the run's fingerprint (FNV-1a, a word at a time).
    pub(crate) fn note(&mut self, at: Time, what: u64) {
        for word in [at.as_nanos(), what] {
            self.fingerprint = (self.fingerprint ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        }
    }
}

impl FlowMeter {
    fn new(flow: &Flow, warm_up: Time) -> Self {
        let begin = flow.start.max(warm_up);
        let segment_bytes = match &flow.kind {
            FlowKind::Tcp { params, .. } => params.segment_bytes,
            FlowKind::Udp(source) => source.payload_bytes,
        };
        Self {
            begin,
            segment_bytes,
            cwnd: TimeAverage::new(begin),
            max_cwnd: 0.0,
            data_in_flight: TimeAverage::new(begin),
            acks_in_flight: TimeAverage::new(begin),
            rtt: Moments::default(),
            hops: Moments::default(),
            phase: Phase::SlowStart,
            phase_since: begin,
            phase_s: [0.0; 5],
            now: Counts::default(),
            at_begin: Counts::default(),
            dropped: [0; DropCause::ALL.len()],
            lost: Default::default(),
            knowledge: Knowledge::default(),
            work: None,
        }
    }

    /// Something is about to happen to the sender.
    #[inline]
    pub(crate) fn sender_at(&self, connection: &Connection) -> Begun {
        Begun(self.work.as_ref().map(|_| Before::of(connection.public())))
    }

    /// Something happened to the receiver.
    #[inline]
    pub(crate) fn receiver_worked(&mut self) {
        if let Some(work) = &mut self.work {
            work.count(Function::Receiver);
        }
    }

    /// The sender has done something: read its public state.
    pub(crate) fn observe_sender(&mut self, now: Time, connection: &Connection) {
        let public = connection.public();
        let cwnd = public.cwnd / f64::from(self.segment_bytes);
        if now < self.begin {
            self.max_cwnd = cwnd; // what it begins with
        } else {
            self.max_cwnd = self.max_cwnd.max(cwnd);
        }
        self.cwnd.set(now, cwnd);
        if public.phase() != self.phase {
            self.phase_s[self.phase as usize] += now.since(self.phase_since).as_secs_f64();
            self.phase = public.phase();
            self.phase_since = now.max(self.begin);
        }
        self.now.sent = public.segments_sent;
        self.now.retransmissions = public.retransmissions;
        self.now.timeouts = public.timeouts;
        self.now.acked_bytes = public.acked_bytes;
        self.knowledge.observe(public.una, public.diagnosed);
    }

    /// A round-trip time was measured.
    pub(crate) fn observe_rtt(&mut self, now: Time, rtt_s: f64) {
        if now >= self.begin {
            self.rtt.add(rtt_s);
        }
    }

    /// The receiving application got data.
    pub(crate) fn observe_received(&mut self, bytes: u64) {
        self.now.received_bytes += bytes;
    }

    /// Seconds in each phase up to `end`.
    pub(crate) fn phases(&self, end: Time) -> [f64; 5] {
        let mut phases = self.phase_s;
        phases[self.phase as usize] += end.since(self.phase_since).as_secs_f64();
        phases
    }

    pub(crate) fn mean_cwnd(&self, end: Time) -> f64 {
        self.cwnd.mean(end)
    }

    pub(crate) const fn max_cwnd(&self) -> f64 {
        self.max_cwnd
    }

    pub(crate) fn mean_data_in_flight(&self, end: Time) -> f64 {
        self.data_in_flight.mean(end)
    }

    pub(crate) fn mean_acks_in_flight(&self, end: Time) -> f64 {
        self.acks_in_flight.mean(end)
    }
}
