//! Whole networks of routers over links that come, go and lose packets: a broadcast reaches each neighbour with a
//! probability; a unicast arrives, or its sender is told that it did not.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Purpose, Stream, Time};
use hopwright_routing::{Config, Input, Output, Protocol, Router};
use hopwright_wire::{Packet, Payload, udp};
use proptest::prelude::*;

pub(crate) struct Field {
    pub(crate) now: Time,
    pub(crate) routers: Vec<Router>,
    linked: Vec<Vec<bool>>,
    /// Probability that a broadcast copy or a unicast is lost, in percent.
    pub(crate) loss: u32,
    stream: Stream,
    events: BTreeMap<(Time, u64), (NodeId, Input<'static>)>,
    made: u64,
    pub(crate) sent: usize,
    pub(crate) delivered: usize,
    pub(crate) dropped: usize,
    /// Routing messages put on the air, with their time and sender, if they are to be kept.
    pub(crate) heard: Option<Vec<(Time, NodeId, Packet)>>,
    /// How often each kind of thing happened, for comparing two runs.
    pub(crate) log: Vec<(Time, u32, u64)>,
}

impl Field {
    pub(crate) fn new(nodes: usize, seed: u64, loss: u32, config: &Config) -> Self {
        let router = |n| config.router(NodeId(n as u32), seed, &Arc::default());
        let mut field = Self {
            now: Time::ZERO,
            routers: (0..nodes).map(router).collect(),
            linked: vec![vec![false; nodes]; nodes],
            loss,
            stream: Stream::new(seed, NodeId(1000), Purpose::Placement),
            events: BTreeMap::new(),
            made: 0,
            sent: 0,
            delivered: 0,
            dropped: 0,
            heard: None,
            log: Vec::new(),
        };
        (0..nodes).for_each(|node| field.give(node, Input::Start));
        field
    }

    pub(crate) fn link(&mut self, a: usize, b: usize, linked: bool) {
        if a != b {
            self.linked[a][b] = linked;
            self.linked[b][a] = linked;
        }
    }

    /// Links each node to the next.
    pub(crate) fn string(&mut self, nodes: std::ops::Range<usize>) {
        nodes.clone().zip(nodes.skip(1)).for_each(|(a, b)| self.link(a, b, true));
    }

    pub(crate) fn send(&mut self, from: usize, to: usize) {
        let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 100 };
        let (source, destination) = (address(from), address(to));
        self.sent += 1;
        let packet = Packet::new(PacketId(self.sent as u64), source, destination, 64, Payload::Udp(datagram));
        self.give(from, Input::Send(packet));
    }

    fn give(&mut self, node: usize, input: Input<'static>) {
        self.routers[node].handle(self.now, input);
        while let Some(output) = self.routers[node].poll() {
            self.carry(node, output);
        }
    }

    fn carry(&mut self, node: usize, output: Output) {
        let me = NodeId(node as u32);
        match output {
            Output::Doubled(packet) => panic!("nobody asked for a second {packet:?}"),
            Output::Deliver(packet) => {
                assert!(!packet.is_routing(), "a routing message for the transport");
                self.delivered += 1;
                self.log.push((self.now, me.0, packet.id.0));
            }
            Output::Drop { packet, .. } => self.dropped += usize::from(!packet.is_routing()),
            Output::PurgeNextHop(_) | Output::ReclaimNextHop(_) | Output::Notify(_) | Output::RouteUp(_) => {}
            Output::Transmit { packet, next_hop: None } => {
                self.log.push((self.now, me.0, packet.id.0));
                if let Some(heard) = &mut self.heard {
                    heard.push((self.now, me, packet.clone()));
                }
                for other in 0..self.routers.len() {
                    if self.linked[node][other] && self.stream.below(100) >= self.loss {
                        self.later(NodeId(other as u32), Input::Receive { packet: packet.clone(), from: me });
                    }
                }
            }
            Output::Transmit { packet, next_hop: Some(next_hop) } => {
                if self.linked[node][next_hop.index()] && self.stream.below(100) >= self.loss {
                    self.later(next_hop, Input::Receive { packet, from: me });
                } else {
                    self.later(me, Input::LinkFailed { packet, next_hop, cause: DropCause::RetryLimitRts });
                }
            }
        }
    }

    fn later(&mut self, node: NodeId, input: Input<'static>) {
        let time = self.now + Duration::from_micros(1000 + u64::from(self.stream.below(1000)));
        self.events.insert((time, self.made), (node, input));
        self.made += 1;
    }

    pub(crate) fn run(&mut self, span: Duration) {
        self.run_and(span, |_| {});
    }

    pub(crate) fn run_and(&mut self, span: Duration, mut check: impl FnMut(&Self)) {
        let end = self.now + span;
        loop {
            let event = self.events.first_key_value().map_or(Time::NEVER, |((time, _), _)| *time);
            let deadlines = self.routers.iter().map(Router::deadline);
            let (timer, node) = deadlines.zip(0..).min().expect("there are nodes");
            let next = event.min(timer);
            if next > end {
                self.now = end;
                return;
            }
            self.now = next.max(self.now);
            if event <= timer {
                let ((_, _), (node, input)) = self.events.pop_first().expect("there is an event");
                self.give(node.index(), input);
            } else {
                self.give(node, Input::Wake);
            }
            check(self);
        }
    }

    /// Follows the next hops from every node to every destination.
    pub(crate) fn assert_no_loop(&self) {
        for destination in 0..self.routers.len() {
            for start in 0..self.routers.len() {
                let mut path = vec![start];
                let mut at = start;
                while at != destination {
                    let Some(next) = self.routers[at].next_hop(address(destination)) else { break };
                    at = next.index();
                    assert!(!path.contains(&at), "at {} a loop to {destination}: {path:?} and {at} again", self.now);
                    path.push(at);
                }
            }
        }
    }

    /// Every node's distances to every other, as they are: breadth first, from the links.
    pub(crate) fn true_hops(&self, from: usize) -> Vec<Option<u32>> {
        let mut hops = vec![None; self.routers.len()];
        hops[from] = Some(0);
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for next in 0..hops.len() {
                if self.linked[at][next] && hops[next].is_none() {
                    hops[next] = hops[at].map(|h| h + 1);
                    queue.push_back(next);
                }
            }
        }
        hops
    }

    /// Every node knows the length of a shortest path to every other, and to those alone that it can reach.
    pub(crate) fn assert_shortest(&mut self) {
        // What routers work out for others to see holds at the time of their last input.
        (0..self.routers.len()).for_each(|node| self.give(node, Input::Wake));
        for from in 0..self.routers.len() {
            for (to, hops) in self.true_hops(from).into_iter().enumerate().filter(|&(to, _)| to != from) {
                let known = self.routers[from].hops(address(to));
                assert_eq!(known, hops, "{from} to {to} at {}", self.now);
                // The next hop is on a shortest path.
                if let (Some(hops), Some(next)) = (hops, self.routers[from].next_hop(address(to))) {
                    assert!(self.linked[from][next.index()]);
                    assert_eq!(self.true_hops(next.index())[to], Some(hops - 1), "{from} to {to} over {next}");
                }
            }
        }
    }

    /// Data packets on the air or in a router; routing messages that wait for their jitter count too.
    pub(crate) fn held(&self) -> usize {
        let on_air = self.events.values().filter(|(_, input)| match input {
            Input::Receive { packet, .. } | Input::LinkFailed { packet, .. } => !packet.is_routing(),
            _ => false,
        });
        on_air.count() + self.routers.iter().map(Router::held).sum::<usize>()
    }
}

pub(crate) fn address(node: usize) -> Address {
    NodeId(node as u32).address()
}

/// One step of a network's life: link a-b changes or a sends to b; then time passes.
pub(crate) type Step = (usize, usize, u8, u16);

pub(crate) fn steps(nodes: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..nodes, 0..nodes, any::<u8>(), 1..4000u16), 1..60)
}

pub(crate) fn play(field: &mut Field, steps: &[Step], check: impl Fn(&Field) + Copy) {
    for &(a, b, kind, wait) in steps {
        match kind % 8 {
            0..3 => field.link(a, b, true),
            3 => field.link(a, b, false),
            _ => field.send(a, b),
        }
        // Mostly shorter than the protocol's intervals; a few long enough for everything to run out.
        let wait = if kind % 32 == 31 { 50_000 } else { u64::from(wait) };
        field.run_and(Duration::from_millis(wait), |field| check(field));
    }
}
