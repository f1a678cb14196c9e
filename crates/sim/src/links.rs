//! A run over shaped links: no medium, no stations; nodes with routers, and queues between them.
//!
//! Spec      A packet that a router sends goes to the link of its next hop (`hopwright_shape`), and to the router there when
//!           it arrives. Routes are shortest paths by hops, over all links, from the start on
//!           A relay at a node sees what its router sends on (`relay`)
//! Holds     at one nanosecond come, in this order: nodes by their numbers, links by theirs, changes of links

use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_routing::{
    Counters, Input as Route, Output as FromRouter, Protocol, Router, StaticRoutes, shortest_paths,
};
use hopwright_shape::{Config, Input, Link, Output, Rate, Streams, Why};
use hopwright_transport::adaptation::Source;
use hopwright_transport::{Connection, NetworkSignal, PathFacts, Recipe, SwapError};
use hopwright_wire::notice::{self, Asks};
use hopwright_wire::{Packet, Payload};

use crate::deadlines::Deadlines;
use crate::endpoint::{Endpoint, Host, Outgoing, Outlet, Outside, Relayed, Socket, tell_of_drop};
use crate::ledger::Ledger;
use crate::meter::FlowMeter;
use crate::node::{note_route, packet, tell};
use crate::relay::split::Joint;
use crate::relay::{self, Fate, Guard};
use crate::report::{LinkReport, Outcome, RelayReport, Report, SplitConnection, SplitReport};
use crate::setup::{Backward, Flow, FlowKind, LinkChange, Relay, Setup, ShapedLink, TwoWays};
use crate::simulation::{NodeState, Steps};
use crate::stamps::Stamp;
use crate::statistics::TimeAverage;
use crate::trace::{Event, Layer, Sink};
use crate::world::{MOST_FLOWS, World, flow_of};

/// A run over shaped links.
pub(crate) struct Links<T> {
    now: Time,
    warm_up: Time,
    end: Time,
    handled: u64,
    deadlines: Deadlines,
    nodes: Vec<Node>,
    pipes: Vec<Pipe>,
    /// The pipe from a node to the next, `next[node][neighbour]`.
    next: Vec<Vec<(NodeId, usize)>>,
    /// What becomes of links: when, which, and the place in its list; the last is the next.
    changes: Vec<(Time, usize, usize)>,
    links: Vec<ShapedLink>,
    /// Where each flow's data come from, and where they go.
    flows: Vec<(NodeId, NodeId)>,
    /// Flows whose senders are told what their paths are like.
    told: Vec<usize>,
    /// The pipes of each link, there and back.
    of_link: Vec<(usize, Option<usize>)>,
    world: World<T>,
}

/// A node: what sits at it, and its router.
struct Node {
    id: NodeId,
    sockets: Vec<Socket>,
    router: Router,
    /// The relay that watches packets pass, if there is one.
    guard: Option<Box<Guard>>,
    /// Where connections go over into others.
    joints: Vec<Joint>,
    packets: u64,
    /// Packets in the queues of its links.
    queued: usize,
}

/// One direction of a link, or both where they share it.
struct Pipe {
    link: Link<(Packet, NodeId)>,
    /// What it is like now.
    shape: Config,
    /// Who sends into it, and who receives; of two that share it, the first of the link.
    from: NodeId,
    to: NodeId,
    /// Packets that wait: the first's, and where both share it the second's.
    queued: [usize; 2],
    queue: TimeAverage,
    is_shared: bool,
    count: Count,
    at_warm_up: Count,
}

/// Whether a flow's sender is told what its path is like.
fn is_told(flow: &Flow) -> bool {
    let FlowKind::Tcp { params, .. } = &flow.kind else { return false };
    params.triggers.as_ref().is_some_and(|triggers| triggers.settings.source == Source::Told)
}

/// What has gone over a pipe.
#[derive(Clone, Copy, Default)]
struct Count {
    arrived: u64,
    arrived_bytes: u64,
    lost: u64,
    dropped: u64,
}

impl Pipe {
    fn new(config: &Config, (from, to): (NodeId, NodeId), warm_up: Time, streams: Streams) -> Self {
        Self {
            link: Link::new(config.clone(), streams),
            shape: config.clone(),
            from,
            to,
            queued: [0; 2],
            queue: TimeAverage::new(warm_up),
            is_shared: false,
            count: Count::default(),
            at_warm_up: Count::default(),
        }
    }
}

impl<T: Sink> Links<T> {
    /// Everything is built; nothing has happened yet.
    pub(crate) fn new(setup: &Setup, seed: u64, trace: T) -> Self {
        assert!(setup.flows.len() <= MOST_FLOWS, "{} flows: there are no ports for them", setup.flows.len());
        let count = setup.nodes.len();
        let (mut pipes, mut of_link, mut next) = (Vec::new(), Vec::new(), vec![Vec::new(); count]);
        for link in &setup.links {
            let [first, second] = link.ends;
            let mut pipe = |config: &Config, ends: (NodeId, NodeId)| {
                let streams = Streams::new(seed, pipes.len() as u32);
                pipes.push(Pipe::new(config, ends, setup.warm_up, streams));
                pipes.len() - 1
            };
            let there = pipe(&link.shape.forward, (first, second));
            let back = match &link.shape.backward {
                Backward::Never => None,
                Backward::Shared => {
                    pipes[there].is_shared = true;
                    Some(there)
                }
                Backward::Own(config) => Some(pipe(config, (second, first))),
            };
            next[first.index()].push((second, there));
            if let Some(back) = back {
                next[second.index()].push((first, back));
            }
            of_link.push((there, back.filter(|&back| back != there)));
        }
        let neighbours: Vec<Vec<NodeId>> =
            next.iter().map(|list| list.iter().map(|(node, _)| *node).collect()).collect();
        let routes = Arc::new(shortest_paths(&neighbours));
        let mut nodes: Vec<Node> = (0..count as u32)
            .map(|n| {
                let router = Router::Static(StaticRoutes::new(NodeId(n), Arc::clone(&routes)));
                let (guard, joints) = (None, Vec::new());
                Node { id: NodeId(n), sockets: Vec::new(), router, guard, joints, packets: 0, queued: 0 }
            })
            .collect();
        let (flows, joints) = relay::connections(setup, &routes);
        for relay in &setup.relays {
            nodes[relay.node.index()].guard = Guard::at(relay.node, setup, &flows, &routes);
        }
        for (number, flow) in flows.iter().enumerate() {
            let ends_here = joints.iter().find(|joint| joint.incoming == number);
            let relayed = Relayed {
                keeps: ends_here.is_some(),
                buffer_bytes: ends_here.and_then(|joint| joint.buffer_bytes),
                carries_on: number >= setup.flows.len(),
            };
            let (sender, receiver) = Socket::relayed_pair(number, flow, &setup.stamps, seed, relayed);
            nodes[flow.from.index()].sockets.push(sender);
            nodes[flow.to.index()].sockets.push(receiver);
        }
        let of = |(n, link): (usize, &ShapedLink)| {
            link.changes.iter().enumerate().map(move |(k, change)| (change.at, n, k)).collect::<Vec<_>>()
        };
        let mut changes: Vec<_> = setup.links.iter().enumerate().flat_map(of).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        let mut run = Self {
            now: Time::ZERO,
            warm_up: setup.warm_up,
            end: setup.end,
            handled: 0,
            deadlines: Deadlines::new(count + pipes.len() + 1),
            nodes,
            pipes,
            next,
            changes,
            links: setup.links.clone(),
            flows: flows.iter().map(|flow| (flow.from, flow.to)).collect(),
            told: (0..flows.len()).filter(|&flow| is_told(&flows[flow])).collect(),
            of_link,
            world: World::new(trace, setup, setup.relays.iter().any(Relay::copies), false),
        };
        for joint in joints {
            let world = &mut run.world;
            world.flows.push(FlowMeter::new(&flows[joint.outgoing], setup.warm_up, None));
            world.flows[joint.incoming].carried_on = Some(joint.outgoing);
            run.nodes[flows[joint.outgoing].from.index()].joints.push(joint);
        }
        run.tell_paths(Time::ZERO);
        for node in 0..count {
            run.settle(node, Time::ZERO);
        }
        run.plan_change();
        run
    }

    fn plan_change(&mut self) {
        let place = self.nodes.len() + self.pipes.len();
        self.deadlines.set(place, self.changes.last().map_or(Time::NEVER, |change| change.0));
    }

    /// Measurements start, if they have not and it is time to.
    fn measure_from(&mut self, at: Time) {
        if self.warm_up <= at {
            self.warm_up = Time::NEVER;
            self.world.warmed_up();
            for pipe in &mut self.pipes {
                pipe.at_warm_up = pipe.count;
            }
            for guard in self.nodes.iter_mut().filter_map(|node| node.guard.as_mut()) {
                guard.warmed_up();
            }
        }
    }

    /// Whatever is due at `at` at one place: a node, a link, or the list of changes.
    fn happen(&mut self, at: Time, place: usize) {
        if place < self.nodes.len() {
            self.wake(place, at);
        } else if let Some(pipe) = place.checked_sub(self.nodes.len()).filter(|&pipe| pipe < self.pipes.len()) {
            self.pipes[pipe].link.handle(at, Input::Wake);
            self.drain(pipe, at);
        } else {
            self.change(at);
        }
    }

    /// Endpoints of a node whose time has come.
    fn wake(&mut self, node: usize, now: Time) {
        let Node { id, sockets, router, .. } = &mut self.nodes[node];
        for socket in sockets.iter_mut().filter(|socket| socket.deadline() <= now) {
            note_route(now, socket, router, &mut self.world);
            socket.wake(now, &mut self.world.flows);
            tell(now, *id, socket, &mut self.world);
        }
        if let Some(guard) = &mut self.nodes[node].guard {
            guard.wake(now);
            self.heed(node, now);
        }
        self.settle(node, now);
    }

    /// Carries what endpoints and router of a node want as far as it goes.
    fn settle(&mut self, node: usize, now: Time) {
        loop {
            if let Some(output) = self.nodes[node].router.poll() {
                match output {
                    FromRouter::Deliver(packet) => self.deliver(node, now, &packet),
                    FromRouter::Transmit { packet, next_hop: Some(next_hop) } => self.send(node, now, packet, next_hop),
                    FromRouter::Drop { packet, cause } => self.dropped(node, now, &packet, cause, Layer::Router),
                    _ => {}
                }
            } else if !self.send_next(node, now) && !self.carry(node, now) {
                break;
            }
        }
        let Node { sockets, guard, .. } = &self.nodes[node];
        let deadline = sockets.iter().map(Endpoint::deadline).min().unwrap_or(Time::NEVER);
        self.deadlines.set(node, guard.as_ref().map_or(deadline, |guard| deadline.min(guard.deadline())));
    }

    /// Carries on what has come over a connection that ends at a relay here.
    fn carry(&mut self, node: usize, now: Time) -> bool {
        let Node { sockets, joints, .. } = &mut self.nodes[node];
        let world = &mut self.world;
        joints.iter_mut().any(|joint| joint.carry(now, sockets, &mut world.flows))
    }

    /// Collects the next packet that an endpoint here wants to send.
    fn send_next(&mut self, node: usize, now: Time) -> bool {
        let (Node { id, sockets, router, packets, .. }, world) = (&mut self.nodes[node], &mut self.world);
        for socket in sockets {
            let Some(outgoing) = socket.poll(now, &mut world.flows) else { continue };
            *packets += 1;
            let packet = packet(*id, *packets, outgoing, router.first_ttl());
            if T::PACKETS {
                world.trace.event(now, *id, Event::Originated(&packet));
            }
            tell(now, *id, socket, world);
            world.originated(now, *id, &packet);
            router.handle(now, Route::Send(packet));
            return true;
        }
        false
    }

    fn deliver(&mut self, node: usize, now: Time, packet: &Packet) {
        let (Node { id, sockets, router, .. }, world) = (&mut self.nodes[node], &mut self.world);
        let Some(socket) = sockets.iter_mut().find(|socket| socket.is_for(packet)) else {
            return self.dropped(node, now, packet, DropCause::NoListener, Layer::Agent);
        };
        note_route(now, socket, router, world);
        socket.receive(now, packet, &mut world.flows);
        if T::PACKETS {
            world.trace.event(now, *id, Event::Delivered(packet));
        }
        tell(now, *id, socket, world);
        world.delivered(now, *id, packet, router.first_ttl());
    }

    /// A packet leaves for its next hop, if no relay here keeps it to itself.
    fn send(&mut self, node: usize, now: Time, packet: Packet, next_hop: NodeId) {
        if self.nodes[node].guard.is_none() {
            return self.offer(node, now, packet, next_hop);
        }
        let has_room = self.pipes[self.pipe_to(node, next_hop)].link.has_room();
        let guard = self.nodes[node].guard.as_mut();
        if let Some(packet) = guard.and_then(|guard| guard.pass(now, packet, has_room)) {
            self.offer(node, now, packet, next_hop);
        }
        self.heed(node, now);
    }

    /// Does what a relay here wants.
    fn heed(&mut self, node: usize, now: Time) {
        while let Some(fate) = self.nodes[node].guard.as_mut().and_then(|guard| guard.poll()) {
            let packet = match fate {
                Fate::Pass(packet) => packet,
                Fate::Again(packet) => {
                    let id = NodeId(node as u32);
                    self.world.copied(now, id, &packet);
                    if T::PACKETS {
                        self.world.trace.event(now, id, Event::SentAgain(&packet));
                    }
                    packet
                }
                Fate::Suppress(packet) => {
                    self.dropped(node, now, &packet, DropCause::Suppressed, Layer::Router);
                    continue;
                }
            };
            let next_hop = self.nodes[node].router.next_hop(packet.destination).expect("it has passed before");
            self.offer(node, now, packet, next_hop);
        }
    }

    /// The pipe from a node to a neighbour.
    fn pipe_to(&self, node: usize, next_hop: NodeId) -> usize {
        let place = self.next[node].iter().find(|(neighbour, _)| *neighbour == next_hop);
        place.expect("routes go over links").1
    }

    /// A packet goes into the link to its next hop.
    fn offer(&mut self, node: usize, now: Time, packet: Packet, next_hop: NodeId) {
        let pipe = self.pipe_to(node, next_hop);
        let bytes = packet.bytes();
        self.world.note(now, u64::from(next_hop.0) << 16 | u64::from(bytes & 0xffff));
        self.pipes[pipe].link.handle(now, Input::Offer { packet: (packet, next_hop), bytes });
        self.drain(pipe, now);
    }

    fn dropped(&mut self, node: usize, now: Time, packet: &Packet, cause: DropCause, layer: Layer) {
        let id = NodeId(node as u32);
        let lost = self.world.dropped(now, id, packet, cause);
        if T::PACKETS {
            let bytes = packet.bytes();
            self.world.trace.event(now, id, Event::Dropped { packet, bytes, cause, layer, lost });
        }
        if matches!(packet.payload, Payload::Opaque(_)) {
            let Node { sockets, router, .. } = &mut self.nodes[node];
            tell_of_drop(sockets, now, packet, (cause, router.first_ttl()));
        }
    }

    /// Takes what comes out of a pipe.
    fn drain(&mut self, pipe: usize, now: Time) {
        let mut reached = Vec::new();
        while let Some(output) = self.pipes[pipe].link.poll() {
            let of = &mut self.pipes[pipe];
            match output {
                Output::Arrived(one) => reached.push(self.come(pipe, now, one)),
                Output::ArrivedTwice((packet, to)) => {
                    let from = if to == of.to { of.from } else { of.to };
                    self.world.copied(now, from, &packet);
                    if T::PACKETS {
                        self.world.trace.event(now, from, Event::SentAgain(&packet));
                    }
                    self.come(pipe, now, (packet.clone(), to));
                    reached.push(self.come(pipe, now, (packet, to)));
                }
                Output::Gone((packet, to), why) => {
                    let from = if to == of.to { of.from } else { of.to };
                    let cause = match why {
                        Why::Full => DropCause::QueueFull,
                        Why::Late => DropCause::QueueDelay,
                        Why::Lost => DropCause::LinkLoss,
                        Why::Cleared => DropCause::HandOver,
                    };
                    if why == Why::Lost {
                        of.count.lost += 1;
                        self.world.ledger.frames += 1;
                        self.world.ledger.frames_damaged += 1;
                    } else {
                        of.count.dropped += 1;
                    }
                    let layer = if why == Why::Lost { Layer::Mac } else { Layer::Queue };
                    if why == Why::Lost && packet.destination == to.address() {
                        self.tell_damage(now, to, &packet);
                    }
                    self.dropped(from.index(), now, &packet, cause, layer);
                }
            }
        }
        self.deadlines.set(self.nodes.len() + pipe, self.pipes[pipe].link.deadline());
        self.note_queue(pipe, now);
        for node in reached {
            self.deadlines.set(node, now); // not at once: over links without delay, packets would go in circles
        }
    }

    /// A packet comes out of a pipe; returns the node that it has come to.
    fn come(&mut self, pipe: usize, now: Time, (packet, to): (Packet, NodeId)) -> usize {
        let of = &mut self.pipes[pipe];
        of.count.arrived += 1;
        of.count.arrived_bytes += u64::from(packet.bytes());
        let from = if to == of.to { of.from } else { of.to };
        self.world.ledger.frames += 1;
        self.world.ledger.frames_received += 1;
        self.arrive(now, packet, (from, to));
        to.index()
    }

    /// A packet came damaged where it was to go: whoever would have got the segment in it is told, if that is wanted.
    fn tell_damage(&mut self, now: Time, to: NodeId, packet: &Packet) {
        let Payload::Tcp(segment) = &packet.payload else { return };
        let Node { sockets, .. } = &mut self.nodes[to.index()];
        let concerned = |socket: &&mut Socket| socket.hears_damage() && socket.is_for(packet);
        for socket in sockets.iter_mut().filter(concerned).filter(|_| segment.payload_bytes > 0) {
            socket.signal(now, NetworkSignal::Corrupted(segment.seq), &mut self.world.flows);
        }
        self.deadlines.set(to.index(), now);
    }

    fn note_queue(&mut self, pipe: usize, now: Time) {
        let of = &mut self.pipes[pipe];
        let all = of.link.queued();
        let from_second = if of.is_shared { of.link.waiting().filter(|(_, to)| *to == of.from).count() } else { 0 };
        let queued = [all - from_second, from_second];
        let before = std::mem::replace(&mut of.queued, queued);
        if before == queued {
            return;
        }
        of.queue.set(now, all as f64);
        for (n, end) in [of.from, of.to].into_iter().enumerate().filter(|&(n, _)| before[n] != queued[n]) {
            let node = &mut self.nodes[end.index()];
            node.queued = node.queued + queued[n] - before[n];
            if T::ON {
                self.world.trace.event(now, node.id, Event::QueueLength(node.queued));
            }
        }
    }

    fn arrive(&mut self, now: Time, packet: Packet, (from, to): (NodeId, NodeId)) {
        if T::PACKETS {
            let bytes = packet.bytes();
            self.world.trace.event(now, to, Event::Routing { packet: &packet, bytes, from });
        }
        if T::ON
            && let Some((flow, true)) = flow_of(&packet)
            && self.world.tells_of(flow)
        {
            self.world.trace.event(now, to, Event::Hop { flow, from });
        }
        self.nodes[to.index()].router.handle(now, Route::Receive { packet, from });
    }

    /// Tells ends that decide what is sent, and go by it, what their paths are like.
    fn tell_paths(&mut self, now: Time) {
        for flow in self.told.clone() {
            let (from, to) = self.flows[flow];
            let facts = self.path(from, to);
            let decides = |socket: &Socket| socket.end().is_some_and(|end| end.flow == flow && end.decides());
            let is_at = |node: &&NodeId| self.nodes[node.index()].sockets.iter().any(decides);
            let Some(&at) = [from, to].iter().find(is_at) else { continue };
            let Node { id, sockets, .. } = &mut self.nodes[at.index()];
            for socket in sockets.iter_mut().filter(|socket| decides(socket)) {
                socket.signal(now, NetworkSignal::Path(facts), &mut self.world.flows);
                tell(now, *id, socket, &mut self.world);
            }
            self.deadlines.set(at.index(), now);
        }
    }

    /// The pipes on the way from one node to another.
    fn way(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = usize> {
        let mut at = from;
        std::iter::from_fn(move || {
            let next_hop = self.nodes[at.index()].router.next_hop(to.address()).filter(|_| at != to)?;
            let &(neighbour, pipe) = self.next[at.index()].iter().find(|(neighbour, _)| *neighbour == next_hop)?;
            at = neighbour;
            Some(pipe)
        })
    }

    /// What the way from one node to another is like.
    fn path(&self, from: NodeId, to: NodeId) -> PathFacts {
        let (mut arrives, mut delay_s, mut jitter_s) = (1.0, 0.0, 0.0);
        let (mut bandwidth_bps, mut period_s) = (f64::INFINITY, f64::INFINITY);
        for pipe in self.way(from, to) {
            let shape = &self.pipes[pipe].shape;
            arrives *= 1.0 - shape.loss.share();
            delay_s += shape.delay.as_secs_f64();
            jitter_s += shape.delay.as_secs_f64() * shape.jitter.share;
            bandwidth_bps = bandwidth_bps.min(shape.rate.mean_bps());
            if let Rate::Varying { period, .. } = shape.rate {
                period_s = period_s.min(period.as_secs_f64());
            }
        }
        // Without a delay nothing can vary in parts of it: a rate is steady, and a delay has no jitter.
        let share = |s: f64, without: f64| if delay_s > 0.0 { s / delay_s * 1e3 + 0.5 } else { without };
        PathFacts {
            loss_ppm: ((1.0 - arrives) * 1e6 + 0.5) as u32,
            delay_us: (delay_s * 1e6 + 0.5) as u32,
            bandwidth_bps: bandwidth_bps as u64,
            fluctuation_permille: share(period_s, f64::INFINITY) as u32,
            jitter_permille: share(jitter_s, 0.0) as u32,
        }
    }

    /// A link becomes another.
    fn change(&mut self, now: Time) {
        let Some((_, link, place)) = self.changes.pop() else { return };
        self.plan_change();
        let change = self.links[link].changes[place].clone();
        self.turn_into(now, link, &change);
    }

    /// A link becomes what `change` says.
    fn turn_into(&mut self, now: Time, link: usize, change: &LinkChange) {
        let TwoWays { forward, backward } = &change.shape;
        let (there, back) = self.of_link[link];
        let own = match backward {
            Backward::Own(config) => back.map(|pipe| (pipe, config.as_ref())),
            Backward::Never | Backward::Shared => None,
        };
        for (pipe, config) in [(there, forward)].into_iter().chain(own) {
            self.pipes[pipe].shape = config.clone();
            let shaped = &mut self.pipes[pipe].link;
            if change.clears {
                shaped.handle(now, Input::Clear);
            }
            shaped.handle(now, Input::Reshape(Box::new(config.clone())));
            self.drain(pipe, now);
        }
        if !self.told.is_empty() {
            self.tell_paths(now);
        }
        if let Some(network) = change.network {
            self.tell_network(now, link, network);
        }
    }

    /// Tells both ends of every flow whose data or answers go over a link that it is part of another network now.
    fn tell_network(&mut self, now: Time, link: usize, network: u32) {
        let (there, back) = self.of_link[link];
        let is_it = |pipe: usize| pipe == there || Some(pipe) == back;
        for (flow, (from, to)) in self.flows.clone().into_iter().enumerate() {
            if !self.way(from, to).chain(self.way(to, from)).any(is_it) {
                continue;
            }
            for end in [from, to] {
                let Node { id, sockets, .. } = &mut self.nodes[end.index()];
                let is_its_end = |socket: &&mut Socket| socket.end().is_some_and(|end| end.flow == flow);
                for socket in sockets.iter_mut().filter(is_its_end) {
                    socket.signal(now, NetworkSignal::Interface(network), &mut self.world.flows);
                    tell(now, *id, socket, &mut self.world);
                }
                self.deadlines.set(end.index(), now);
            }
        }
    }

    /// What relays did, in the scenario's order.
    fn of_relays(&self, setup: &Setup) -> Vec<RelayReport> {
        let of = |relay: &Relay| {
            let Node { guard, joints, .. } = &self.nodes[relay.node.index()];
            if let Some(guard) = guard {
                return RelayReport::Snoop(guard.report());
            }
            let connection = |joint: &Joint| SplitConnection::new(joint, &self.world.flows[joint.outgoing], setup.end);
            let connections = joints.iter().map(connection).collect();
            RelayReport::Split(SplitReport { node: relay.node.0, connections })
        };
        setup.relays.iter().map(of).collect()
    }

    fn report(&self, setup: &Setup) -> Vec<LinkReport> {
        let span_s = setup.end.since(setup.warm_up).max(Duration::from_nanos(1)).as_secs_f64();
        let of = |pipe: &Pipe| {
            let (now, before) = (pipe.count, pipe.at_warm_up);
            LinkReport {
                from: pipe.from.0,
                to: pipe.to.0,
                is_shared: pipe.is_shared,
                carried_bps: (now.arrived_bytes - before.arrived_bytes) as f64 * 8.0 / span_s,
                packets: now.arrived - before.arrived,
                lost: now.lost - before.lost,
                dropped: now.dropped - before.dropped,
                mean_queue_packets: pipe.queue.mean(setup.end),
            }
        };
        self.pipes.iter().map(of).collect()
    }

    /// Does something at a node from outside, and what follows from it.
    fn touch<R>(&mut self, id: NodeId, act: impl FnOnce(&mut Node, Time, &mut World<T>) -> R) -> R {
        let now = self.now;
        self.measure_from(now);
        let done = act(&mut self.nodes[id.index()], now, &mut self.world);
        self.settle(id.index(), now);
        done
    }
}

impl Node {
    /// The socket of a flow's end here.
    fn end_of(&mut self, flow: usize) -> &mut Socket {
        let is_its_end = |socket: &&mut Socket| socket.end().is_some_and(|end| end.flow == flow);
        self.sockets.iter_mut().find(is_its_end).expect("one end of the flow is here")
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        self.sockets.iter_mut().find_map(|socket| match socket {
            Socket::Outside(outside) => Some(outside),
            _ => None,
        })
    }
}

impl<T: Sink + Send> Steps for Links<T> {
    fn now(&self) -> Time {
        self.now
    }

    fn next(&self) -> Time {
        self.deadlines.next().0
    }

    fn events(&self) -> u64 {
        self.handled
    }

    fn deciding(&self, at: NodeId, flow: usize) -> Option<&Connection> {
        let sockets = self.nodes[at.index()].sockets.iter();
        sockets.filter(|socket| socket.end().is_some_and(|end| end.flow == flow)).find_map(Socket::deciding)
    }

    fn node(&self, id: NodeId, position: Position) -> NodeState {
        let queued = self.nodes[id.index()].queued;
        let sent_here = |pipe: &Pipe| {
            let ends = [pipe.from, pipe.to];
            if pipe.is_shared && ends.contains(&id) {
                return pipe.link.packets().filter(|(_, to)| *to != id).count();
            }
            if pipe.from == id { pipe.link.held() } else { 0 }
        };
        let held = self.pipes.iter().map(sent_here).sum();
        NodeState { position, is_up: true, queued, held, contention_window: None, routing: Counters::default() }
    }

    fn router(&self, id: NodeId) -> &Router {
        &self.nodes[id.index()].router
    }

    fn flows(&self) -> &[FlowMeter] {
        &self.world.flows
    }

    fn ledger(&self) -> &Ledger {
        &self.world.ledger
    }

    fn advance(&mut self, until: Time, most_events: u64) -> bool {
        let last = self.handled.saturating_add(most_events);
        loop {
            let (at, place) = self.deadlines.next();
            if at > until {
                self.measure_from(until);
                self.now = until;
                return true;
            }
            self.measure_from(at);
            if self.handled >= last {
                return false;
            }
            assert!(at >= self.now, "time runs backwards at {at}");
            self.now = at;
            self.handled += 1;
            self.happen(at, place.index());
        }
    }

    fn inject(&mut self, node: NodeId, destination: Address, payload: Payload) -> PacketId {
        self.touch(node, |node, now, world| {
            node.packets += 1;
            let outgoing = Outgoing { to: destination, flow: None, ecn: payload.ecn(), payload };
            let first_ttl = outgoing.ttl(node.router.first_ttl());
            let packet = packet(node.id, node.packets, outgoing, first_ttl);
            let id = packet.id;
            if T::PACKETS {
                world.trace.event(now, node.id, Event::Originated(&packet));
            }
            world.originated(now, node.id, &packet);
            node.router.handle(now, Route::Send(packet));
            id
        })
    }

    fn attach(&mut self, node: NodeId, what: Outlet) {
        let node = &mut self.nodes[node.index()];
        if node.outside().is_none() {
            node.sockets.push(Socket::Outside(Outside::default()));
        }
        node.outside().expect("it is there").wants(what);
    }

    fn answer(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.sockets.push(Socket::Host(Host::new(node.id))));
    }

    fn drain(&mut self, node: NodeId) -> Vec<(Time, Packet)> {
        self.nodes[node.index()].outside().map(Outside::drain).unwrap_or_default()
    }

    fn swap(
        &mut self,
        flow: usize,
        ends: &[NodeId],
        parts: &[(&str, &str)],
        with: (&Recipe, &[Stamp]),
    ) -> Result<Vec<&'static str>, SwapError> {
        let (from, to) = self.flows[flow];
        let both = [from, to]; // where a relay splits it, of its sender's connection
        let ends = if ends.len() == 2 { &both } else { ends };
        for end in ends {
            let socket = self.nodes[end.index()].end_of(flow);
            socket.end().map_or(Ok(()), |end| end.admits(with.0))?;
        }
        let mut swap = |end: &NodeId| {
            self.touch(*end, |node, now, world| {
                let id = node.id;
                let socket = node.end_of(flow);
                let were = socket.swap(now, parts, with, &mut world.flows)?;
                tell(now, id, socket, world);
                Ok(were)
            })
        };
        let all: Vec<_> = ends.iter().map(&mut swap).collect();
        all.into_iter().next().expect("an end")
    }

    fn ask(&mut self, _flow: (usize, notice::Flow), _ends: [NodeId; 2], _asks: Option<Asks>) {
        // Routes never fail here: no router has anything to tell.
    }

    fn moved(&mut self, _node: NodeId, _path: &Trajectory) {
        unreachable!("nodes are nowhere");
    }

    fn switch(&mut self, _node: NodeId, _up: bool) {
        unreachable!("nodes are always up");
    }

    fn reshape(&mut self, link: usize, change: &LinkChange) {
        let now = self.now;
        self.measure_from(now);
        self.turn_into(now, link, change);
    }

    fn stop(&mut self, now: Time) {
        self.end = now;
    }

    fn finish(mut self: Box<Self>, setup: &Setup, seed: u64) -> Outcome {
        self.measure_from(self.end);
        self.world.trace.end(self.end, self.nodes.len());
        self.world.ledger.held = self.pipes.iter().map(|pipe| pipe.link.held() as u64).sum();
        if let Err(balance) = self.world.ledger.check() {
            panic!("the conservation law is broken (seed {seed}): {balance}");
        }
        let queue_mean = self.pipes.iter().map(|pipe| pipe.queue.mean(self.end)).sum::<f64>() / self.pipes.len() as f64;
        let mut report = Report::new(setup, seed, &self.world, self.handled, queue_mean, Counters::default(), None);
        report.links = self.report(setup);
        report.relays = self.of_relays(setup);
        Outcome { report, ledger: self.world.ledger, frames: Vec::new(), packets_j: Vec::new() }
    }
}
