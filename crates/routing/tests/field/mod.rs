//! Whole networks of routers over links that come, go and lose packets. Every node has a queue, which it serves packet
//! by packet: a broadcast reaches each neighbour with a probability; a unicast arrives, or its sender is told that it
//! did not; every neighbour that listens overhears it. Over a link that carries only one way, routing messages arrive
//! and the sender is told that they did not.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::Hasher as _;
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Purpose, Stream, Time};
use hopwright_routing::{Config, Input, Output, Protocol, Router, Wishes};
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, Payload, udp};
use proptest::prelude::*;
use siphasher::sip::SipHasher13;

/// What happens later.
#[derive(Debug)]
enum Event {
    Give(Input<'static>),
    /// The link layer tries the next packet of its queue.
    Serve,
}

/// What a router tells the transports of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Notice(Notice),
    Up(Address),
}

pub(crate) struct Field {
    pub(crate) now: Time,
    pub(crate) routers: Vec<Router>,
    queues: Vec<VecDeque<(Packet, Option<NodeId>)>>,
    /// Whether frames of the first reach the second.
    pub(crate) linked: Vec<Vec<bool>>,
    /// Probability that a copy is lost, in percent.
    pub(crate) loss: u32,
    stream: Stream,
    events: BTreeMap<(Time, u64), (NodeId, Event)>,
    /// Events so far.
    pub(crate) made: u64,
    /// Data packets sent, and second copies of packets.
    pub(crate) sent: usize,
    pub(crate) delivered: usize,
    pub(crate) dropped: usize,
    /// Why data packets and notices were dropped.
    pub(crate) causes: Vec<DropCause>,
    /// Which data packets have been delivered: from where, to where, and which.
    pub(crate) arrived: BTreeSet<(Address, Address, PacketId)>,
    /// How often each data packet was put on the air.
    pub(crate) hops: BTreeMap<PacketId, usize>,
    /// How often that had no effect.
    pub(crate) failed: BTreeMap<PacketId, usize>,
    /// Packets put on the air for all, with their time and sender, if they are to be kept.
    pub(crate) heard: Option<Vec<(Time, NodeId, Packet)>>,
    /// What transports were told, with time and node.
    pub(crate) told: Vec<(Time, usize, Told)>,
    /// Looks at every packet that a router hands to its link layer.
    pub(crate) inspect: fn(&Packet),
    /// How often each kind of thing happened, for comparing two runs.
    pub(crate) log: Vec<(Time, u32, u64)>,
    /// A sum over all that routers put out, if it is wanted.
    pub(crate) sum: Option<SipHasher13>,
    /// Outputs in it.
    pub(crate) summed: usize,
}

impl Field {
    pub(crate) fn new(nodes: usize, seed: u64, loss: u32, config: &Config) -> Self {
        Self::asked(nodes, seed, loss, config, &Arc::default())
    }

    /// A network whose transports ask for notices.
    pub(crate) fn asked(nodes: usize, seed: u64, loss: u32, config: &Config, wishes: &Arc<Wishes>) -> Self {
        let router = |n| config.router(NodeId(n as u32), seed, wishes);
        let mut field = Self {
            now: Time::ZERO,
            routers: (0..nodes).map(router).collect(),
            queues: vec![VecDeque::new(); nodes],
            linked: vec![vec![false; nodes]; nodes],
            loss,
            stream: Stream::new(seed, NodeId(1000), Purpose::Placement),
            events: BTreeMap::new(),
            made: 0,
            sent: 0,
            delivered: 0,
            dropped: 0,
            causes: Vec::new(),
            arrived: BTreeSet::new(),
            hops: BTreeMap::new(),
            failed: BTreeMap::new(),
            heard: None,
            told: Vec::new(),
            inspect: |_| {},
            log: Vec::new(),
            sum: None,
            summed: 0,
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

    /// Makes every link carry both ways.
    pub(crate) fn mend(&mut self) {
        for a in 0..self.routers.len() {
            for b in 0..a {
                self.link(a, b, self.linked[a][b] || self.linked[b][a]);
            }
        }
    }

    /// Links each node to the next.
    pub(crate) fn string(&mut self, nodes: std::ops::Range<usize>) {
        nodes.clone().zip(nodes.skip(1)).for_each(|(a, b)| self.link(a, b, true));
    }

    pub(crate) fn send(&mut self, from: usize, to: usize) {
        let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 100 };
        self.send_payload(from, to, Payload::Udp(datagram));
    }

    pub(crate) fn send_payload(&mut self, from: usize, to: usize, payload: Payload) {
        self.sent += 1;
        let (ttl, id) = (self.routers[from].first_ttl(), PacketId(self.sent as u64));
        self.give(from, Input::Send(Packet::new(id, address(from), address(to), ttl, payload)));
    }

    /// From node 0 to every other and back, with time to look for routes.
    pub(crate) fn send_to_and_from_0(&mut self) {
        for node in 1..self.routers.len() {
            self.send(0, node);
            self.send(node, 0);
        }
        self.run(Duration::from_secs(12));
    }

    pub(crate) fn give(&mut self, node: usize, input: Input<'_>) {
        self.routers[node].handle(self.now, input);
        while let Some(output) = self.routers[node].poll() {
            self.carry(node, output);
        }
        let deadline = self.routers[node].deadline();
        assert!(deadline >= self.now, "node {node}: a deadline in the past, {deadline} at {}", self.now);
    }

    fn carry(&mut self, node: usize, output: Output) {
        let me = NodeId(node as u32);
        self.note(node, &output);
        match output {
            Output::Doubled(packet) => {
                assert!(!packet.is_routing(), "a second {packet:?}");
                self.sent += usize::from(is_data(&packet));
            }
            Output::Deliver(packet) => {
                assert!(!packet.is_routing(), "a routing message for the transport");
                assert!(packet.dsr.is_none() && packet.destination == address(node), "{packet:?}");
                self.log.push((self.now, me.0, packet.id.0));
                if let Payload::Notice(notice) = packet.payload {
                    self.told.push((self.now, node, Told::Notice(notice)));
                } else {
                    self.delivered += 1;
                    self.arrived.insert((packet.source, packet.destination, packet.id));
                }
            }
            Output::Drop { packet, cause } => self.drop(&packet, cause),
            Output::Notify(notice) => self.told.push((self.now, node, Told::Notice(notice))),
            Output::RouteUp(there) => self.told.push((self.now, node, Told::Up(there))),
            Output::RouteBroke(_) => {}
            Output::PurgeNextHop(next_hop) => {
                for packet in self.take_queued(node, next_hop) {
                    self.drop(&packet, DropCause::NextHopLost);
                }
            }
            Output::ReclaimNextHop(next_hop) => {
                for packet in self.take_queued(node, next_hop) {
                    self.give(node, Input::Reclaimed { packet, next_hop });
                }
            }
            Output::Transmit { packet, next_hop } => {
                (self.inspect)(&packet);
                assert_ne!(next_hop, Some(me), "to itself: {packet:?}");
                self.queues[node].push_back((packet, next_hop));
                if self.queues[node].len() == 1 {
                    self.later(me, Event::Serve);
                }
            }
        }
    }

    fn note(&mut self, node: usize, output: &Output) {
        let Some(sum) = &mut self.sum else { return };
        let mut bytes = vec![];
        let (kind, packet, word) = match output {
            Output::Deliver(packet) => (0, Some(packet), 0),
            Output::Transmit { packet, next_hop } => (1, Some(packet), next_hop.map_or(0, |next| 1 + next.0)),
            Output::PurgeNextHop(next) => (2, None, next.0),
            Output::ReclaimNextHop(next) => (3, None, next.0),
            Output::Drop { packet, cause } => {
                bytes.extend(cause.to_string().bytes());
                (4, Some(packet), 0)
            }
            Output::Doubled(packet) => (5, Some(packet), 0),
            Output::Notify(notice) => {
                bytes.extend(notice.emit());
                (6, None, 0)
            }
            Output::RouteUp(there) => (7, None, there.0),
            Output::RouteBroke(next) => (8, None, next.0),
        };
        if let Some(packet) = packet {
            bytes.extend(packet.id.0.to_le_bytes());
            packet.emit(&mut bytes);
        }
        for word in [self.now.as_nanos(), node as u64, kind, u64::from(word)] {
            sum.write(&word.to_le_bytes());
        }
        sum.write(&bytes);
        self.summed += 1;
    }

    /// Adds what every router knows and has counted.
    pub(crate) fn note_routes(&mut self) {
        let Some(sum) = &mut self.sum else { return };
        let mut add = |number: u64| sum.write(&number.to_le_bytes());
        for router in &self.routers {
            for to in 0..self.routers.len() {
                add(router.next_hop(address(to)).map_or(0, |next| 1 + u64::from(next.0)));
                add(router.hops(address(to)).map_or(0, |hops| 1 + u64::from(hops)));
            }
            let counters = router.counters();
            add(counters.control_made);
            add(counters.control_packets);
            add(counters.control_bytes);
            add(counters.notices);
            add(counters.link_failures);
            add(counters.route_breaks);
            add(router.held() as u64);
        }
    }

    fn drop(&mut self, packet: &Packet, cause: DropCause) {
        self.dropped += usize::from(is_data(packet));
        if !packet.is_routing() {
            self.causes.push(cause);
        }
    }

    fn left(&mut self, node: usize, packet: PacketId) {
        if self.routers[node].follows() {
            self.give(node, Input::Left { packet, sent: true });
        }
    }

    fn take_queued(&mut self, node: usize, next_hop: NodeId) -> Vec<Packet> {
        let queue = std::mem::take(&mut self.queues[node]);
        let (taken, rest): (VecDeque<_>, VecDeque<_>) = queue.into_iter().partition(|(_, to)| *to == Some(next_hop));
        self.queues[node] = rest;
        taken.into_iter().map(|(packet, _)| packet).collect()
    }

    fn serve(&mut self, node: usize) {
        let Some((packet, next_hop)) = self.queues[node].pop_front() else { return };
        if !self.queues[node].is_empty() {
            self.later(NodeId(node as u32), Event::Serve);
        }
        let from = NodeId(node as u32);
        if is_data(&packet) {
            *self.hops.entry(packet.id).or_default() += 1;
        }
        if next_hop.is_none() {
            self.log.push((self.now, from.0, packet.id.0));
            if let Some(heard) = &mut self.heard {
                heard.push((self.now, from, packet.clone()));
            }
        }
        let mut failed = next_hop;
        for other in 0..self.routers.len() {
            if !self.linked[node][other] {
                continue;
            }
            let (receiver, is_lost) = (NodeId(other as u32), self.stream.below(100) < self.loss);
            let one_way = !self.linked[other][node];
            match next_hop {
                Some(to) if to != receiver => {
                    if !is_lost && self.routers[other].listens() {
                        self.give(other, Input::Overheard { packet: &packet, from, to });
                    }
                    continue;
                }
                Some(_) if one_way && !packet.is_routing() => continue,
                Some(_) if !one_way && !is_lost => failed = None,
                Some(_) if !one_way => continue,
                None if is_lost => continue,
                _ => {}
            }
            self.later(receiver, Event::Give(Input::Receive { packet: packet.clone(), from }));
        }
        if let Some(next_hop) = failed {
            if is_data(&packet) {
                *self.failed.entry(packet.id).or_default() += 1;
            }
            self.give(node, Input::LinkFailed { packet, next_hop, cause: DropCause::RetryLimitRts });
        } else if next_hop.is_some() {
            self.left(node, packet.id);
        }
    }

    fn later(&mut self, node: NodeId, event: Event) {
        let time = self.now + Duration::from_micros(200 + u64::from(self.stream.below(1000)));
        self.events.insert((time, self.made), (node, event));
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
            self.now = next;
            if event <= timer {
                match self.events.pop_first().expect("there is an event").1 {
                    (node, Event::Give(input)) => self.give(node.index(), input),
                    (node, Event::Serve) => self.serve(node.index()),
                }
            } else {
                self.give(node, Input::Wake);
            }
            check(self);
        }
    }

    /// Follows the next hops from every node to every destination; a loop comes with its destination.
    pub(crate) fn find_loop(&self) -> Option<(usize, Vec<usize>)> {
        for destination in 0..self.routers.len() {
            for start in 0..self.routers.len() {
                let mut path = vec![start];
                let mut at = start;
                while at != destination {
                    let Some(next) = self.routers[at].next_hop(address(destination)) else { break };
                    at = next.index();
                    if let Some(from) = path.iter().position(|&node| node == at) {
                        return Some((destination, path.split_off(from)));
                    }
                    path.push(at);
                }
            }
        }
        None
    }

    pub(crate) fn assert_no_loop(&self) {
        let found = self.find_loop();
        assert!(found.is_none(), "at {}: a loop to {found:?}", self.now);
    }

    /// No data packet goes from node to node more often than its time to live lets it.
    pub(crate) fn assert_hops_end(&self) {
        let most = usize::from(self.routers[0].first_ttl());
        for (packet, &tries) in &self.hops {
            let hops = tries - self.failed.get(packet).copied().unwrap_or_default();
            assert!(hops <= most, "{packet:?} made {hops} hops");
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

    /// Data packets in queues, on the air or in a router; routing messages that wait for their jitter count too.
    pub(crate) fn held(&self) -> usize {
        let on_air = self.events.values().filter(|(_, event)| match event {
            Event::Give(Input::Receive { packet, .. }) => is_data(packet),
            _ => false,
        });
        let queued = self.queues.iter().flatten().filter(|(packet, _)| is_data(packet));
        on_air.count() + queued.count() + self.routers.iter().map(Router::held).sum::<usize>()
    }
}

/// Neither a routing message nor a notice.
fn is_data(packet: &Packet) -> bool {
    !packet.is_routing() && !matches!(packet.payload, Payload::Notice(_))
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
