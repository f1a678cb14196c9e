//! A run over links as it is stepped, looked at and changed from outside, and its end.

use hopwright_machine::{Address, Duration, Machine, NodeId, PacketId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_routing::{Counters, Input as Route, Protocol, Router};
use hopwright_transport::{Connection, Recipe, SwapError};
use hopwright_wire::notice::{self, Asks};
use hopwright_wire::{Packet, Payload};

use super::Links;
use super::node::Node;
use super::pipe::Pipe;
use crate::endpoint::{Host, Outgoing, Outlet, Outside, Socket};
use crate::ledger::Ledger;
use crate::meter::FlowMeter;
use crate::node::{packet, tell};
use crate::relay::split::Joint;
use crate::report::{LinkReport, Outcome, RelayReport, Report, SplitConnection, SplitReport};
use crate::setup::{LinkChange, Relay, Setup};
use crate::simulation::{NodeState, Steps};
use crate::stamps::Stamp;
use crate::trace::{Event, Sink};
use crate::world::World;

impl<T: Sink> Links<T> {
    /// Does something at a node from outside, and what follows from it.
    fn touch<R>(&mut self, id: NodeId, act: impl FnOnce(&mut Node, Time, &mut World<T>) -> R) -> R {
        let now = self.now;
        self.measure_from(now);
        let done = act(&mut self.nodes[id.index()], now, &mut self.world);
        self.settle(id.index(), now);
        done
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
        if self.warm_up != Time::NEVER {
            self.warm_up = self.warm_up.min(now); // nothing was measured
        }
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
