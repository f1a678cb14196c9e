//! One node: the way of a packet through its layers, downwards and upwards.
//!
//! ```text
//! sockets   application and transport
//!    |  ^
//! router    next hop, or buffer and discover, or drop          beside it: frames, and packets to groups (`foreign`)
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

use hopwright_link::arp::Input as Resolve;
use hopwright_link::fba::Stage;
use hopwright_link::{Arp, Class, Config, DelayLine, Frame, FrameKind, Input as ToLink, Mac};
use hopwright_machine::{Duration, Machine, NodeId, Time};
use hopwright_radio::Past;
use hopwright_routing::smf::Input as Flood;
use hopwright_routing::{Input as Route, Protocol, Router, Smf};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::Flags;
use hopwright_wire::{Packet, Payload, nctp};

mod bundles;
mod congestion;
mod deliver;
mod down;
mod foreign;
mod late;
mod noticed;
mod settle;
mod touch;

use congestion::mark;
pub(crate) use congestion::tell_contention;
use deliver::originated;
pub(crate) use deliver::{note_route, packet, tell};
use noticed::Noticed;

use crate::antenna::Antenna;
use crate::bundles::Bundles;
use crate::endpoint::{Endpoint, Socket};
use crate::medium::Medium;
use crate::setup::Setup;
use crate::statistics::TimeAverage;
use crate::trace::{Event, Sink};
use crate::world::{World, flow_of};

/// A packet on its way down to the station.
#[derive(Debug)]
struct Downward {
    packet: Packet,
    next_hop: Option<NodeId>,
}

/// One node.
// In this order, what each frame that is for the node asks of it is together, after the station.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Node<M> {
    station: M,
    id: NodeId,
    /// Whether the router has listened to a frame for another since the node was last woken.
    has_listened: bool,
    down_now: bool,
    /// Whether any socket is told of damaged frames.
    hears_damage: bool,
    /// Whether the router is told when a packet has left.
    follows: bool,
    has_link_delay: bool,
    /// Whether notices that a neighbour in range has not taken are tried again.
    keeps_notices: bool,
    /// The earliest deadline of everything above the station.
    upper: Time,
    /// Packets in the interface queue, as `queue` knows.
    queued: usize,
    /// The machine that carries bundles, where flows are carried so.
    bundles: Option<Box<Bundles>>,
    /// What floods packets to groups, where that is wanted.
    smf: Option<Box<Smf>>,
    arp: Option<Box<Arp<Packet>>>,
    sockets: Vec<Socket>,
    pub(crate) router: Router,
    up: DelayLine<(Packet, NodeId)>,
    down: DelayLine<Downward>,
    packets: u64,
    /// From this length of the queue on, packets are marked.
    mark_from: usize,
    pub(crate) queue: TimeAverage,
    /// What a trace has been told of its back-off.
    backoff: (u32, Option<Stage>),
}

impl<M: Mac<Packet>> Node<M> {
    pub(crate) fn new(id: NodeId, router: Router, arp: Option<Box<Arp<Packet>>>, station: M, setup: &Setup) -> Self {
        let link_delay = setup.mac.link_delay;
        Self {
            id,
            sockets: Vec::new(),
            bundles: setup.bundles().map(|config| Box::new(Bundles::new(id, config))),
            hears_damage: false,
            follows: router.follows(),
            router,
            smf: None,
            arp,
            down: DelayLine::new(link_delay),
            up: DelayLine::new(link_delay),
            has_link_delay: link_delay > Duration::ZERO,
            keeps_notices: setup.keeps_notices,
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

    /// It takes part in the flooding of packets to groups.
    pub(crate) fn flood_by(&mut self, smf: Smf) {
        self.smf = Some(Box::new(smf));
    }

    pub(crate) fn add_socket(&mut self, socket: Socket) {
        self.hears_damage |= socket.hears_damage();
        self.sockets.push(socket);
    }

    /// Tells the antenna when the node wants to be woken.
    #[inline]
    pub(crate) fn plan(&self, now: Time, antenna: &mut Antenna, config: &Config) {
        antenna.plan(now, self.upper, &self.station, config);
    }

    /// Tells the antenna whether the station is idle.
    #[inline]
    pub(crate) fn note_idle(&self, antenna: &mut Antenna) {
        antenna.note_idle(&self.station);
    }

    /// Whether its router keeps copies of what it sent until it is confirmed.
    pub(crate) fn follows(&self) -> bool {
        self.follows
    }

    /// Data begin to be heard then.
    pub(crate) fn hears(&mut self, at: Time) {
        self.station.hears(at);
    }

    /// The packet in service at the station.
    pub(crate) fn serving(&self) -> Option<&Packet> {
        self.station.serving()
    }

    /// The packet that the station begins to try with this frame of its own.
    pub(crate) fn tried(&self, kind: FrameKind) -> Option<&Packet> {
        self.station.serving().filter(|_| self.station.begins_a_try(kind))
    }

    /// Packets inside the node.
    pub(crate) fn held(&self) -> usize {
        let arp = self.arp.as_ref().map_or(0, |arp| arp.held());
        let smf = self.smf.as_ref().map_or(0, |smf| smf.held());
        self.router.held() + smf + arp + self.down.len() + self.up.len() + self.station.held()
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
        if antenna.receiver.has_news(now) {
            self.catch_up(now, antenna, medium, world);
        }
        if T::PACKETS {
            world.trace.tell_missed(now, self.id, medium);
        }
        if antenna.arrival <= now {
            attended(now, antenna, medium, world);
        }
        let has_listened = std::mem::take(&mut self.has_listened);
        if let (true, Some(bundles)) = (has_listened, &mut self.bundles) {
            bundles.has_news_of_routes = true;
        }
        let upper = self.upper <= now || has_listened;
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
            if self.bundles.as_ref().is_some_and(|bundles| bundles.deadline() <= now) {
                self.wake_bundles(now);
            }
            if let Some(smf) = &mut self.smf
                && smf.deadline() <= now
            {
                smf.handle(now, Flood::Wake);
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
            self.tell_station(now, now, ToLink::Wake, world);
            *frame = self.station.take_frame();
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
        let Some(window) = self.station.contention_window() else { return };
        let stage = self.station.stage();
        if self.backoff != (window, stage) {
            self.backoff = (window, stage);
            world.trace.event(now, self.id, Event::Backoff { window, stage });
        }
    }

    /// Whether nothing is due, and only the router can want something because of what it overhears.
    pub(crate) fn only_listens(&self, now: Time) -> bool {
        self.upper > now && self.station.timeout() > now && self.bundles.is_none()
    }

    /// The router listens to a packet for another, which was received by `at`, while the station is not told of anything.
    /// Returns whether the node has nothing to do because of it.
    pub(crate) fn overhear<T>(&mut self, now: Time, at: Time, overheard: Route<'_>, world: &mut World<T>) -> bool
    where
        T: Sink,
    {
        self.router.handle(at, overheard);
        self.settled(now, world);
        if T::ON {
            self.tell_backoff(now, world);
        }
        self.has_listened = self.router.has_output() || self.upper <= now;
        !self.has_listened
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
        if let Some(Past { over_at, reserved_until, failed_at }) = antenna.receiver.take_past() {
            self.station.handle(over_at, ToLink::HeardAside { over_at, reserved_until, failed_at });
        }
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
    fn noticed<'a, T>(&'a mut self, now: Time, medium: &'a mut Medium, world: &'a mut World<T>) -> Noticed<'a, T, M> {
        Noticed { now, node: self, medium, world }
    }

    #[inline(always)] // on its own it would cost every packet more
    fn enqueue<T: Sink>(&mut self, now: Time, Downward { mut packet, next_hop }: Downward, world: &mut World<T>) {
        if packet.ecn != Ecn::NotCapable && self.station.queued() >= self.mark_from {
            mark(&mut packet);
        }
        let (bytes, class) = (self.router.packet_bytes(&packet), self.class_of(&packet));
        if T::PACKETS && world.trace.shows(&packet) {
            world.trace.event(now, self.id, Event::Enqueued { packet: &packet, bytes, next_hop });
        }
        self.tell_station(now, now, ToLink::Enqueue { packet, bytes, next_hop, class }, world);
    }

    /// Tells the station of something that happened at `at`. It may interrupt its back-off: a trace that asks for that is
    /// told what was counted down.
    #[inline(always)] // as `enqueue`
    fn tell_station<T: Sink>(&mut self, now: Time, at: Time, input: ToLink<'_, Packet>, world: &mut World<T>) {
        if T::PACKETS && world.trace.asks_for_waits() {
            let before = self.station.forecast();
            self.station.handle(at, input);
            world.trace.counted(now, self.id, at, before, self.station.forecast());
        } else {
            self.station.handle(at, input);
        }
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
        let Some(packet) = self.comes_by(now, packet, from, world) else { return };
        if packet.is_routing() {
            world.ledger.absorbed += 1; // what is sent on is a new message
        }
        if self.bundles.is_some() && self.bundle_packet(now, &packet, from, world) {
            return; // the transport takes it on itself
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
}

/// Lets go of the frames that are over.
#[inline(always)] // as `enqueue`
pub(crate) fn attended<T: Sink>(now: Time, antenna: &mut Antenna, medium: &mut Medium, world: &mut World<T>) {
    let (mut kept, mut arrival) = (0, Time::NEVER);
    for n in 0..antenna.attending.len() {
        let (act_at, place, mine) = antenna.attending[n];
        if act_at > now {
            antenna.attending[kept] = (act_at, place, mine);
            (kept, arrival) = (kept + 1, arrival.min(act_at));
        } else if !mine {
            medium.tapped(place);
        } else if medium.visited(place) {
            world.ledger.frames_missed += 1;
        }
    }
    antenna.attending.truncate(kept);
    antenna.arrival = arrival;
}

impl<M> Node<M> {
    /// What a packet is to the interface queue.
    #[inline(always)] // as `enqueue`
    fn class_of(&self, packet: &Packet) -> Class {
        if let (Payload::Nctp(about), Some(bundles)) = (&packet.payload, &self.bundles)
            && about.kind != nctp::Kind::Data
            && bundles.messages_first()
        {
            return Class::Routing;
        }
        class_of(packet)
    }
}

/// The same, as a rule. ns-2's receivers send nothing but acknowledgements, the one to a SYN
/// included.
fn class_of(packet: &Packet) -> Class {
    let acknowledges = match &packet.payload {
        Payload::Tcp(segment) => segment.is_pure_ack() || segment.flags.has(Flags::SYN.with(Flags::ACK)),
        Payload::Atp(segment) => segment.is_feedback(),
        Payload::Nctp(about) => about.kind == nctp::Kind::Ack,
        _ if packet.is_routing() => return Class::Routing,
        _ => false,
    };
    if acknowledges { Class::Ack } else { Class::Data }
}
