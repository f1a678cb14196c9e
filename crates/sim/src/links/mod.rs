//! A run over shaped links: no medium, no stations; nodes with routers, and queues between them.
//!
//! Spec      A packet that a router sends goes to the link of its next hop (`hopwright_shape`), and to the router there when
//!           it arrives. Routes are shortest paths by hops, over all links, from the start on
//!           A relay at a node sees what its router sends on (`relay`)
//! Holds     at one nanosecond come, in this order: nodes by their numbers, links by theirs, changes of links

mod changes;
mod node;
mod pipe;
mod steps;

use std::sync::Arc;

use hopwright_machine::{DropCause, Machine, NodeId, Time};
use hopwright_routing::{Input as Route, NextHops, Output as FromRouter, Protocol, Router, StaticRoutes};
use hopwright_shape::{Config, Input, Streams};
use hopwright_wire::{Packet, Payload};

use crate::deadlines::Deadlines;
use crate::endpoint::{Endpoint, Relayed, Socket, tell_of_drop};
use crate::meter::FlowMeter;
use crate::node::{note_route, packet, tell};
use crate::relay::{self, Fate, Guard};
use crate::setup::{Backward, MOST_FLOWS, Relay, Setup, ShapedLink};
use crate::trace::{Event, Layer, Sink};
use crate::world::World;
use changes::is_told;
use node::Node;
use pipe::Pipe;

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
        let routes = Arc::new(NextHops::shortest(neighbours));
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
            if T::PACKETS {
                world.trace.event(Time::ZERO, flows[joint.outgoing].from, Event::CarriesOn { flow: joint.flow });
            }
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
                        self.world.trace.event(now, id, Event::SentAgain { packet: &packet, by_relay: true });
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
}
