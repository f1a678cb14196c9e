//! One node: the way of a packet through its layers, downwards and upwards.
//!
//! ```text
//! sockets   application and transport
//!    |  ^
//! router    next hop, or buffer and discover, or drop
//!    |  ^
//! arp       the next hop's station, where the scenario has it asked for
//!    |  ^
//! down, up  time spent in the link layer
//!    |  ^
//! station   carrier, back-off, exchange
//!    |  ^
//! receiver  what overlaps
//! ```
//! Every layer is a machine; the node carries outputs from one to the next and owns no protocol.

use hopwright_link::arp::{Input as Resolve, Output as FromArp};
use hopwright_link::fba::Stage;
use hopwright_link::{Arp, Class, Config, Dcf, DelayLine, Frame, FrameKind, Input as Link, Output as FromLink};
use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::{Input as Route, Output as FromRouter, Protocol, Router};
use hopwright_transport::Signal;
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::{Kind, Notice};
use hopwright_wire::tcp::Flags;
use hopwright_wire::{Packet, Payload, arp};

mod congestion;
mod down;
mod late;
mod noticed;
mod touch;

use congestion::mark;
pub(crate) use congestion::tell_contention;
use noticed::Noticed;

use crate::antenna::Antenna;
use crate::endpoint::{Endpoint, Outgoing, Socket};
use crate::medium::Medium;
use crate::setup::Setup;
use crate::statistics::TimeAverage;
use crate::trace::{Event, Layer, Sink};
use crate::world::{World, flow_of};

/// A packet on its way down to the station.
#[derive(Debug)]
struct Downward {
    packet: Packet,
    next_hop: Option<NodeId>,
}

/// One node.
#[derive(Debug)]
pub(crate) struct Node {
    id: NodeId,
    sockets: Vec<Socket>,
    /// Whether any of them is told of damaged frames.
    hears_damage: bool,
    pub(crate) router: Router,
    /// Whether it is told when a packet has left.
    follows: bool,
    arp: Option<Box<Arp<Packet>>>,
    down: DelayLine<Downward>,
    up: DelayLine<(Packet, NodeId)>,
    has_link_delay: bool,
    station: Dcf<Packet>,
    /// Whether the router has listened to a frame for another since the node was last woken.
    has_listened: bool,
    packets: u64,
    /// From this length of the queue on, packets are marked.
    mark_from: usize,
    pub(crate) queue: TimeAverage,
    queued: usize,
    /// What a trace has been told of its back-off.
    backoff: (u32, Option<Stage>),
    /// The earliest deadline of everything above the station.
    upper: Time,
    down_now: bool,
}

impl Node {
    pub(crate) fn new(
        id: NodeId,
        router: Router,
        arp: Option<Box<Arp<Packet>>>,
        station: Dcf<Packet>,
        setup: &Setup,
    ) -> Self {
        let link_delay = setup.mac.link_delay;
        Self {
            id,
            sockets: Vec::new(),
            hears_damage: false,
            follows: router.follows(),
            router,
            arp,
            down: DelayLine::new(link_delay),
            up: DelayLine::new(link_delay),
            has_link_delay: link_delay > Duration::ZERO,
            station,
            has_listened: false,
            packets: 0,
            mark_from: setup.mark_from_packets,
            queue: TimeAverage::new(setup.warm_up),
            queued: 0,
            backoff: (0, None),
            upper: Time::ZERO,
            down_now: false,
        }
    }

    pub(crate) fn add_socket(&mut self, socket: Socket) {
        self.hears_damage |= socket.hears_damage();
        self.sockets.push(socket);
    }

    /// Has the antenna know when the node wants to be woken.
    #[inline]
    pub(crate) fn plan(&self, now: Time, antenna: &mut Antenna, config: &Config) {
        antenna.plan(now, self.upper, &self.station, config);
    }

    /// Whether its router keeps copies of what it sent until it is confirmed.
    pub(crate) fn follows(&self) -> bool {
        self.follows
    }

    /// The packet in service at the station.
    pub(crate) fn serving(&self) -> Option<&Packet> {
        self.station.serving()
    }

    /// The packet that the station begins to try with this frame of its own.
    pub(crate) fn tried(&self, kind: FrameKind) -> Option<&Packet> {
        let is_first = kind == FrameKind::Rts || (kind == FrameKind::Data && !self.station.asks_first());
        self.station.serving().filter(|_| is_first)
    }

    /// Packets inside the node.
    pub(crate) fn held(&self) -> usize {
        let arp = self.arp.as_ref().map_or(0, |arp| arp.held());
        self.router.held() + arp + self.down.len() + self.up.len() + self.station.held()
    }

    /// Messages that routing and address resolution have made.
    pub(crate) fn control_made(&self) -> u64 {
        self.router.counters().control_made + self.arp.as_ref().map_or(0, |arp| arp.made())
    }

    pub(crate) fn start<T: Sink>(&mut self, now: Time, medium: &mut Medium, world: &mut World<T>) {
        self.router.handle(now, Route::Start);
        let mut frame = None;
        self.settle(now, true, medium, world, &mut frame);
        debug_assert!(frame.is_none(), "a station transmits when it is woken");
    }

    /// The node's deadline has come. `frame`: `None`, becomes the frame it puts on the air, if any; thus it is not
    /// copied on its way.
    pub(crate) fn wake<T: Sink>(
        &mut self,
        now: Time,
        antenna: &mut Antenna,
        medium: &mut Medium,
        world: &mut World<T>,
        frame: &mut Option<Frame<Packet>>,
    ) {
        self.catch_up(now, antenna, medium, world);
        if antenna.arrival <= now {
            attended(now, antenna, medium, world);
        }
        let upper = self.upper <= now || std::mem::take(&mut self.has_listened);
        if upper {
            while let Some((packet, from)) = self.up.pop(now) {
                self.route_received(now, packet, from, world);
            }
            if self.router.deadline() <= now {
                self.router.handle(now, Route::Wake);
            }
            for socket in &mut self.sockets {
                if socket.deadline() <= now {
                    note_route(now, socket, &self.router, world);
                    socket.wake(now, &mut world.flows);
                    tell(now, self.id, socket, world);
                }
            }
            if let Some(arp) = &mut self.arp
                && arp.deadline() <= now
            {
                arp.handle(now, Resolve::Wake);
            }
            while let Some(downward) = self.down.pop(now) {
                self.enqueue(now, downward, world);
            }
        }
        if self.station.deadline() <= now {
            self.station.handle(now, Link::Wake);
        }
        if upper || self.station.has_output() {
            self.settle(now, upper, medium, world, frame);
        }
        if T::ON {
            self.tell_backoff(now, world);
        }
    }

    /// Tells a trace of the contention window and its stage, if they have changed since the node was last woken.
    fn tell_backoff<T: Sink>(&mut self, now: Time, world: &mut World<T>) {
        let (window, stage) = (self.station.contention_window(), self.station.stage());
        if self.backoff != (window, stage) {
            self.backoff = (window, stage);
            world.trace.event(now, self.id, Event::Backoff { window, stage });
        }
    }

    /// Tells the station, in order, what its receiver noticed up to `now`.
    #[inline(never)]
    pub(crate) fn catch_up<T: Sink>(
        &mut self,
        now: Time,
        antenna: &mut Antenna,
        medium: &mut Medium,
        world: &mut World<T>,
    ) {
        if antenna.receiver.adds_up() {
            self.catch_up_in_sum(now, antenna, medium, world);
        } else {
            antenna.receiver.advance_in_pairs(now, self.noticed(now, medium, world));
        }
    }

    /// `catch_up` where powers are added up: apart, because its listener has to have a place in memory.
    #[inline(never)]
    fn catch_up_in_sum<T: Sink>(
        &mut self,
        now: Time,
        antenna: &mut Antenna,
        medium: &mut Medium,
        world: &mut World<T>,
    ) {
        antenna.receiver.advance_in_sum(now, self.noticed(now, medium, world));
    }

    #[inline(always)]
    fn noticed<'a, T>(&'a mut self, now: Time, medium: &'a mut Medium, world: &'a mut World<T>) -> Noticed<'a, T> {
        Noticed { now, node: self, medium, world }
    }

    #[inline(always)] // on its own it would cost every packet more
    fn enqueue<T: Sink>(&mut self, now: Time, Downward { mut packet, next_hop }: Downward, world: &mut World<T>) {
        if packet.ecn != Ecn::NotCapable && self.station.queued() >= self.mark_from {
            mark(&mut packet);
        }
        let (bytes, class) = (self.router.packet_bytes(&packet), class_of(&packet));
        if T::PACKETS && world.trace.shows(&packet) {
            world.trace.event(now, self.id, Event::Enqueued { packet: &packet, bytes, next_hop });
        }
        self.station.handle(now, Link::Enqueue { packet, bytes, next_hop, class });
    }

    /// A packet has its next hop: the link layer takes it.
    #[inline(always)] // as `enqueue`
    fn send_down<T: Sink>(&mut self, now: Time, downward: Downward, world: &mut World<T>) {
        if self.has_link_delay {
            self.down.push(now, downward);
        } else {
            self.enqueue(now, downward, world);
        }
    }

    fn route_received<T: Sink>(&mut self, now: Time, packet: Packet, from: NodeId, world: &mut World<T>) {
        if packet.is_routing() {
            world.ledger.absorbed += 1; // what is sent on is a new message
        }
        if T::PACKETS {
            let bytes = self.router.packet_bytes(&packet);
            world.trace.event(now, self.id, Event::Routing { packet: &packet, bytes, from });
        }
        if T::ON
            && let Some((flow, true)) = flow_of(&packet)
        {
            world.trace.event(now, self.id, Event::Hop { flow, from });
        }
        self.router.handle(now, Route::Receive { packet, from });
    }

    /// Carries outputs from machine to machine until none is left; `frame` becomes the one to be put on the air.
    ///
    /// `upper`: whether anything above the station has been touched.
    fn settle<T: Sink>(
        &mut self,
        now: Time,
        mut upper: bool,
        medium: &mut Medium,
        world: &mut World<T>,
        frame: &mut Option<Frame<Packet>>,
    ) {
        loop {
            if let Some(output) = self.station.poll() {
                match output {
                    FromLink::Transmit(transmitted) => {
                        *frame = Some(transmitted);
                        continue;
                    }
                    FromLink::Deliver { packet, from } => self.take(now, packet, from, world),
                    FromLink::Sent { packet, next_hop } => {
                        if T::PACKETS {
                            world.trace.event(now, self.id, Event::Sent(&packet));
                        }
                        world.sent(self.id);
                        if next_hop.is_none() {
                            world.ledger.broadcast_done += 1;
                        } else if self.follows {
                            self.router.handle(now, Route::Left { packet: packet.id, sent: true });
                        }
                    }
                    FromLink::GaveUp { packet, next_hop, cause } => {
                        if T::PACKETS {
                            let bytes = self.router.packet_bytes(&packet);
                            let gave_up = Event::GaveUp { packet: &packet, bytes, next_hop, cause };
                            world.trace.event(now, self.id, gave_up);
                        }
                        world.gave_up(now, self.id, next_hop, &packet, cause);
                        self.not_reached(now, &packet, next_hop, medium, world);
                        if matches!(packet.payload, Payload::Arp(_)) {
                            self.dropped(now, &packet, cause, Layer::Mac, world); // of no interest to routing
                        } else {
                            self.router.handle(now, Route::LinkFailed { packet, next_hop, cause });
                        }
                    }
                    FromLink::Dropped { packet, next_hop, cause } => {
                        if cause == DropCause::NextHopLost
                            && let Some(next_hop) = next_hop
                        {
                            self.not_reached(now, &packet, next_hop, medium, world);
                        }
                        self.dropped_below(now, &packet, cause, Layer::Queue, world);
                    }
                    FromLink::Reclaimed { packet, .. } if matches!(packet.payload, Payload::Arp(_)) => {
                        self.dropped(now, &packet, DropCause::NextHopLost, Layer::Queue, world);
                    }
                    FromLink::Reclaimed { packet, next_hop } => {
                        self.not_reached(now, &packet, next_hop, medium, world);
                        self.router.handle(now, Route::Reclaimed { packet, next_hop });
                    }
                    FromLink::Repeated { packet, from } => {
                        // Numbers come round: one that nobody had before is lost.
                        if !world.taken[from.index()] {
                            world.handed_over(from, &packet);
                            self.dropped(now, &packet, DropCause::MistakenRepeat, Layer::Mac, world);
                        }
                    }
                }
                upper = true;
            } else if !upper {
                break; // the station alone was concerned
            } else if let Some(output) = self.arp.as_mut().and_then(|arp| arp.poll()) {
                self.resolved(now, output, medium, world);
            } else if let Some(output) = self.router.poll() {
                match output {
                    FromRouter::Deliver(packet) => self.deliver(now, &packet, world),
                    FromRouter::Transmit { packet, next_hop } => {
                        if T::PACKETS && world.trace.shows(&packet) {
                            let bytes = self.router.packet_bytes(&packet);
                            world.trace.event(now, self.id, Event::Routed { packet: &packet, bytes, next_hop });
                        }
                        if self.down_now {
                            self.dropped_below(now, &packet, DropCause::NodeDown, Layer::Queue, world);
                            continue;
                        }
                        match (&mut self.arp, next_hop) {
                            (Some(arp), Some(next_hop)) => arp.handle(now, Resolve::Send { packet, next_hop }),
                            _ => self.send_down(now, Downward { packet, next_hop }, world),
                        }
                    }
                    FromRouter::PurgeNextHop(next_hop) => self.station.handle(now, Link::Purge(next_hop)),
                    FromRouter::ReclaimNextHop(next_hop) => self.station.handle(now, Link::Reclaim(next_hop)),
                    FromRouter::Doubled(packet) => world.copied(now, self.id, &packet),
                    FromRouter::Notify(notice) => {
                        self.notify(now, &notice, world);
                    }
                    FromRouter::RouteUp(address) => self.route_up(now, address, world),
                    FromRouter::RouteBroke(neighbour) => {
                        let in_range = medium.in_range(self.id, neighbour, now);
                        world.false_route_breaks += u64::from(in_range);
                        if T::PACKETS {
                            world.trace.event(now, self.id, Event::RouteBroke { neighbour, in_range });
                        }
                    }
                    FromRouter::Drop { packet, cause } => {
                        self.dropped(now, &packet, cause, Layer::Router, world);
                    }
                }
            } else if self.station.awaits_resume() {
                self.station.handle(now, Link::Resume);
            } else if !self.send_next(now, world) {
                break;
            }
        }
        if upper {
            self.settled(now, world);
        }
    }

    /// Nothing is left to be carried.
    #[inline(always)]
    fn settled<T: Sink>(&mut self, now: Time, world: &mut World<T>) {
        if self.station.queued() != self.queued {
            self.queued = self.station.queued();
            self.queue.set(now, self.queued as f64);
            if T::ON {
                world.trace.event(now, self.id, Event::QueueLength(self.queued));
            }
        }
        let sockets = self.sockets.iter().map(Endpoint::deadline).min().unwrap_or(Time::NEVER);
        let arp = self.arp.as_ref().map_or(Time::NEVER, |arp| arp.deadline());
        self.upper = sockets.min(self.up.deadline()).min(self.down.deadline()).min(self.router.deadline()).min(arp);
    }

    /// Does what address resolution wants.
    fn resolved<T: Sink>(&mut self, now: Time, output: FromArp<Packet>, medium: &mut Medium, world: &mut World<T>) {
        match output {
            FromArp::Pass { packet, next_hop } => {
                self.send_down(now, Downward { packet, next_hop: Some(next_hop) }, world);
            }
            FromArp::Release { packet, next_hop } => {
                self.enqueue(now, Downward { packet, next_hop: Some(next_hop) }, world);
            }
            FromArp::Message { message, to } => {
                let packet = self.arp_packet(message, to);
                self.enqueue(now, Downward { packet, next_hop: to }, world);
            }
            FromArp::Dropped { packet, cause } => self.dropped_below(now, &packet, cause, Layer::Arp, world),
            FromArp::Failed { packet, next_hop, cause } => {
                self.not_reached(now, &packet, next_hop, medium, world);
                self.router.handle(now, Route::LinkFailed { packet, next_hop, cause });
            }
        }
    }

    /// A packet did not reach its next hop: notes whether that could have received it.
    fn not_reached<T: Sink>(
        &self,
        now: Time,
        packet: &Packet,
        next_hop: NodeId,
        medium: &mut Medium,
        world: &mut World<T>,
    ) {
        world.not_reached(now, (self.id, next_hop), packet, medium.in_range(self.id, next_hop, now));
    }

    fn arp_packet(&mut self, message: arp::Message, to: Option<NodeId>) -> Packet {
        self.packets += 1;
        let id = PacketId(u64::from(self.id.0) << 40 | self.packets);
        let destination = to.map_or(Address::BROADCAST, NodeId::address);
        Packet::new(id, self.id.address(), destination, 1, Payload::Arp(message))
    }

    /// A packet has come off the air. Its sender may go on believing that it has not.
    fn take<T: Sink>(&mut self, now: Time, packet: Packet, from: NodeId, world: &mut World<T>) {
        if packet.destination.is_broadcast() {
            world.ledger.broadcast_copies += 1;
        } else {
            world.handed_over(from, &packet);
        }
        if let Payload::Arp(message) = &packet.payload {
            world.ledger.absorbed += 1;
            if let Some(arp) = &mut self.arp {
                arp.handle(now, Resolve::Received(message));
            }
        } else if self.has_link_delay {
            self.up.push(now, (packet, from));
        } else {
            self.route_received(now, packet, from, world);
        }
    }

    /// A layer below the router dropped a packet, which did not leave.
    #[cold]
    fn dropped_below<T: Sink>(
        &mut self,
        now: Time,
        packet: &Packet,
        cause: DropCause,
        layer: Layer,
        world: &mut World<T>,
    ) {
        self.dropped(now, packet, cause, layer, world);
        if self.follows {
            self.router.handle(now, Route::Left { packet: packet.id, sent: false });
        }
    }

    #[cold]
    fn dropped<T: Sink>(&self, now: Time, packet: &Packet, cause: DropCause, layer: Layer, world: &mut World<T>) {
        let lost = world.dropped(now, self.id, packet, cause);
        if T::PACKETS {
            let bytes = self.router.packet_bytes(packet);
            world.trace.event(now, self.id, Event::Dropped { packet, bytes, cause, layer, lost });
        }
    }

    /// Tells a transport what became of its route. Returns whether there is one to be told.
    fn notify<T: Sink>(&mut self, now: Time, notice: &Notice, world: &mut World<T>) -> bool {
        let told = self.sockets.iter_mut().find_map(|socket| Some((socket.takes(notice)?, socket)));
        let Some((seeks, socket)) = told else { return false };
        let signal = match notice.kind {
            Kind::Rrn => Signal::RouteRestored,
            Kind::Elfn | Kind::Rfn | Kind::Unreachable => Signal::RouteFailed(Some(notice.seq)),
        };
        socket.signal(now, signal, &mut world.flows);
        tell(now, self.id, socket, world);
        if let Some(peer) = seeks {
            self.router.handle(now, Route::Seek(peer));
        }
        true
    }

    /// There is a route to `address` again: tells the transports here that asked. Traces see all that end there.
    fn route_up<T: Sink>(&mut self, now: Time, address: Address, world: &mut World<T>) {
        for socket in self.sockets.iter_mut().filter(|socket| socket.peer() == Some(address)) {
            if socket.awaits_return() {
                socket.signal(now, Signal::RouteRestored, &mut world.flows);
            }
            tell(now, self.id, socket, world);
        }
    }

    fn deliver<T: Sink>(&mut self, now: Time, packet: &Packet, world: &mut World<T>) {
        let first_ttl = self.router.first_ttl();
        if let Payload::Notice(notice) = &packet.payload {
            if self.notify(now, notice, world) {
                world.delivered(now, self.id, packet, first_ttl);
            } else {
                self.dropped(now, packet, DropCause::NoListener, Layer::Agent, world);
            }
            return;
        }
        let Some(socket) = self.sockets.iter_mut().find(|socket| socket.is_for(packet)) else {
            return self.dropped(now, packet, DropCause::NoListener, Layer::Agent, world);
        };
        note_route(now, socket, &self.router, world);
        if let Some(place) = socket.wants().stamp {
            note_stamp(now, socket, (packet, place), first_ttl, world);
        }
        socket.receive(now, packet, &mut world.flows);
        if T::PACKETS {
            world.trace.event(now, self.id, Event::Delivered(packet));
        }
        tell(now, self.id, socket, world);
        world.delivered(now, self.id, packet, first_ttl);
    }

    /// Collects the next packet that an application or transport here wants to send.
    fn send_next<T: Sink>(&mut self, now: Time, world: &mut World<T>) -> bool {
        for socket in &mut self.sockets {
            let Some(outgoing) = socket.poll(now, &mut world.flows) else { continue };
            self.packets += 1;
            let packet = packet(self.id, self.packets, outgoing, self.router.first_ttl());
            originated(now, &packet, &self.router, self.id, world);
            tell(now, self.id, socket, world);
            world.originated(now, self.id, &packet);
            self.router.handle(now, Route::Send(packet));
            return true;
        }
        false
    }
}

/// The packet of a node with this number.
fn packet(node: NodeId, number: u64, outgoing: Outgoing, ttl: u8) -> Packet {
    let id = PacketId(u64::from(node.0) << 40 | number);
    let Outgoing { to, flow, ecn, payload } = outgoing;
    Packet { flow, ecn, ..Packet::new(id, node.address(), to, ttl, payload) }
}

/// Tells a trace how an endpoint stands.
#[inline]
fn tell<T: Sink>(now: Time, node: NodeId, socket: &mut Socket, world: &mut World<T>) {
    if T::ON {
        let World { flows, trace, .. } = world;
        socket.show(flows, |event| trace.event(now, node, event));
    }
}

/// Tells an endpoint how long its route is, if it wants to know. A route that is down tells nothing.
#[inline]
fn note_route<T: Sink>(now: Time, socket: &mut Socket, router: &Router, world: &mut World<T>) {
    if let Some(hops) = socket.wants().hops_to.and_then(|peer| router.hops(peer)) {
        socket.signal(now, Signal::Hops(hops), &mut world.flows);
    }
}

/// Tells an endpoint what stations wrote on the packet that comes next.
#[cold]
fn note_stamp<T: Sink>(
    now: Time,
    socket: &mut Socket,
    (packet, place): (&Packet, usize),
    first_ttl: u8,
    world: &mut World<T>,
) {
    let hops = u32::from(first_ttl.saturating_sub(packet.ttl)) + 1;
    let number = Duration::from_micros(u64::from(packet.stamps.us(place)));
    socket.signal(now, Signal::Stamp(number, hops), &mut world.flows);
}

/// Tells a trace of a packet that begins here.
#[inline(always)]
fn originated<T: Sink>(now: Time, packet: &Packet, router: &Router, node: NodeId, world: &mut World<T>) {
    if T::PACKETS {
        world.trace.event(now, node, Event::Originated(packet));
        if world.trace.shows(packet) {
            let bytes = router.packet_bytes(packet);
            world.trace.event(now, node, Event::Routing { packet, bytes, from: node });
        }
    }
}

/// Lets go of the frames that are over.
fn attended<T: Sink>(now: Time, antenna: &mut Antenna, medium: &mut Medium, world: &mut World<T>) {
    antenna.attending.retain(|&(act_at, place, mine)| {
        let over = act_at <= now;
        if over && !mine {
            medium.tapped(place);
        } else if over && medium.visited(place) {
            world.ledger.frames_missed += 1;
        }
        !over
    });
    antenna.arrival = antenna.attending.iter().map(|a| a.0).min().unwrap_or(Time::NEVER);
}

/// What a packet is to the interface queue. ns-2's receivers send nothing but acknowledgements, the one to a SYN
/// included.
fn class_of(packet: &Packet) -> Class {
    match &packet.payload {
        Payload::Tcp(segment) if segment.is_pure_ack() || segment.flags.has(Flags::SYN.with(Flags::ACK)) => Class::Ack,
        _ if packet.is_routing() => Class::Routing,
        _ => Class::Data,
    }
}
