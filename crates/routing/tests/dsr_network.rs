//! Properties of whole networks of DSR routers, over links that come, go and lose packets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Purpose, Stream, Time};
use hopwright_routing::dsr::{CacheKind, Config, Dialect, Order};
use hopwright_routing::{self as routing, Input, Output, Protocol, Router};
use hopwright_wire::dsr::Header;
use hopwright_wire::{Packet, Payload, udp};
use proptest::prelude::*;

/// What happens on the air, later.
#[derive(Debug)]
enum Event {
    Give(Input<'static>),
    /// The link layer tries the next packet of its queue.
    Serve,
}

/// Nodes with a queue each: a broadcast reaches each neighbour with a probability; a unicast arrives, or its sender is
/// told that it did not. Every neighbour overhears a unicast that is sent.
struct Network {
    now: Time,
    routers: Vec<Router>,
    queues: Vec<Vec<(Packet, Option<NodeId>)>>,
    linked: Vec<Vec<bool>>,
    /// Probability that a copy is lost, in percent.
    loss: u32,
    stream: Stream,
    events: BTreeMap<(Time, u64), (NodeId, Event)>,
    made: u64,
    sent: usize,
    /// Packets made, with second copies; and those that ended.
    copies: usize,
    delivered: BTreeSet<PacketId>,
    ended: usize,
    /// How often each packet of data was put on the air.
    hops: BTreeMap<PacketId, usize>,
    /// Times and hop limits of the requests of node 0.
    requests: Vec<(u64, u8)>,
}

impl Network {
    fn new(nodes: usize, seed: u64, loss: u32, config: &Config) -> Self {
        let router = |n| routing::Config::from(config.clone()).router(NodeId(n as u32), seed, &Arc::default());
        let mut network = Self {
            now: Time::ZERO,
            routers: (0..nodes).map(router).collect(),
            queues: vec![Vec::new(); nodes],
            linked: vec![vec![false; nodes]; nodes],
            loss,
            stream: Stream::new(seed, NodeId(1000), Purpose::Placement),
            events: BTreeMap::new(),
            made: 0,
            sent: 0,
            copies: 0,
            delivered: BTreeSet::new(),
            ended: 0,
            hops: BTreeMap::new(),
            requests: Vec::new(),
        };
        for node in 0..nodes {
            network.give(node, Input::Start);
        }
        network
    }

    fn link(&mut self, a: usize, b: usize, linked: bool) {
        if a != b {
            self.linked[a][b] = linked;
            self.linked[b][a] = linked;
        }
    }

    fn send(&mut self, from: usize, to: usize) {
        let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 100 };
        let (source, destination) = (NodeId(from as u32).address(), NodeId(to as u32).address());
        (self.sent, self.copies) = (self.sent + 1, self.copies + 1);
        let ttl = self.routers[from].first_ttl();
        let packet = Packet::new(PacketId(self.sent as u64), source, destination, ttl, Payload::Udp(datagram));
        self.give(from, Input::Send(packet));
    }

    fn give(&mut self, node: usize, input: Input<'_>) {
        self.routers[node].handle(self.now, input);
        while let Some(output) = self.routers[node].poll() {
            self.carry(node, output);
        }
    }

    fn carry(&mut self, node: usize, output: Output) {
        match output {
            Output::Deliver(packet) => {
                assert!(packet.dsr.is_none() && packet.destination == NodeId(node as u32).address());
                self.delivered.insert(packet.id);
                self.ended += 1;
            }
            Output::Drop { packet, .. } => self.ended += usize::from(!packet.is_routing()),
            Output::Doubled(packet) => {
                assert!(!packet.is_routing());
                self.copies += 1;
            }
            Output::Notify(_) | Output::RouteUp(_) => {}
            Output::PurgeNextHop(next) => panic!("DSR takes back what waits for {next}"),
            Output::ReclaimNextHop(next) => {
                let queue = std::mem::take(&mut self.queues[node]);
                let (lost, rest): (Vec<_>, Vec<_>) = queue.into_iter().partition(|(_, to)| *to == Some(next));
                self.queues[node] = rest;
                for (packet, _) in lost {
                    self.give(node, Input::Reclaimed { packet, next_hop: next });
                }
            }
            Output::Transmit { packet, next_hop } => {
                assert_routes_name_nobody_twice(&packet);
                assert_ne!(next_hop, Some(NodeId(node as u32)), "to itself: {packet:?}");
                self.queues[node].push((packet, next_hop));
                if self.queues[node].len() == 1 {
                    self.later(NodeId(node as u32), Event::Serve);
                }
            }
        }
    }

    fn serve(&mut self, node: usize) {
        if self.queues[node].is_empty() {
            return; // taken back
        }
        let (packet, next_hop) = self.queues[node].remove(0);
        if !self.queues[node].is_empty() {
            self.later(NodeId(node as u32), Event::Serve);
        }
        let from = NodeId(node as u32);
        if !packet.is_routing() {
            *self.hops.entry(packet.id).or_default() += 1;
        } else if node == 0 && next_hop.is_none() && packet.source == from.address() {
            self.requests.push((self.now.as_nanos() / 1_000_000, packet.ttl));
        }
        let arrives: Vec<bool> =
            (0..self.routers.len()).map(|n| self.linked[node][n] && self.stream.below(100) >= self.loss).collect();
        for other in (0..self.routers.len()).filter(|&other| arrives[other]) {
            let receiver = NodeId(other as u32);
            match next_hop {
                Some(to) if to != receiver => {
                    if self.routers[other].listens() {
                        self.give(other, Input::Overheard { packet: &packet, from, to });
                    }
                }
                _ => self.later(receiver, Event::Give(Input::Receive { packet: packet.clone(), from })),
            }
        }
        if let Some(next_hop) = next_hop.filter(|next| !arrives[next.index()]) {
            let failed = Input::LinkFailed { packet, next_hop, cause: DropCause::RetryLimitRts };
            self.give(node, failed);
        }
    }

    fn later(&mut self, node: NodeId, event: Event) {
        let time = self.now + Duration::from_micros(200 + u64::from(self.stream.below(1000)));
        self.events.insert((time, self.made), (node, event));
        self.made += 1;
    }

    fn run(&mut self, span: Duration) {
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
                match self.events.pop_first().expect("there is an event").1 {
                    (node, Event::Give(input)) => self.give(node.index(), input),
                    (node, Event::Serve) => self.serve(node.index()),
                }
            } else {
                self.give(node, Input::Wake);
            }
        }
    }

    /// Packets of data in queues and on the air, and everything in routers.
    fn held(&self) -> usize {
        let on_air = self.events.values().filter(|(_, event)| match event {
            Event::Give(Input::Receive { packet, .. }) => !packet.is_routing(),
            _ => false,
        });
        let queued = self.queues.iter().flatten().filter(|(packet, _)| !packet.is_routing());
        on_air.count() + queued.count() + self.routers.iter().map(Router::held).sum::<usize>()
    }
}

/// RFC 4728 §8.1.3: no loops. Replies, requests and source routes alike.
fn assert_routes_name_nobody_twice(packet: &Packet) {
    let Some(header) = &packet.dsr else { return };
    let (source, destination) = (packet.source, packet.destination);
    let whole = |route: &[&[Address]]| {
        let nodes = route.concat();
        let different: BTreeSet<_> = nodes.iter().collect();
        assert_eq!(different.len(), nodes.len(), "{packet:?}");
    };
    if let Some(request) = header.request() {
        whole(&[&[source], &request.addresses, &[request.target]]);
    }
    if let Some(reply) = header.reply() {
        whole(&[&[destination], &reply.addresses]);
    }
    if let Some(route) = header.source_route() {
        if route.salvage == 0 {
            whole(&[&[source], &route.addresses, &[destination]]);
        } else {
            whole(&[&route.addresses, &[destination]]);
        }
        assert!(usize::from(route.segments_left) <= route.addresses.len());
        assert!(route.salvage <= 15);
    }
}

/// One step of a network's life: link a-b changes or a sends to b; then time passes.
type Step = (usize, usize, u8, u16);

fn steps(nodes: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..nodes, 0..nodes, any::<u8>(), 1..3000u16), 1..80)
}

fn play(network: &mut Network, steps: &[Step]) {
    for &(a, b, kind, wait) in steps {
        match kind % 8 {
            0..3 => network.link(a, b, true),
            3 => network.link(a, b, false),
            _ => network.send(a, b),
        }
        let wait =
            if kind % 32 == 31 { Duration::from_millis(12_000) } else { Duration::from_millis(wait.into()) / 10 };
        network.run(wait);
    }
}

fn config() -> impl Strategy<Value = Config> {
    let switches = any::<[bool; 9]>();
    (0..3u8, any::<bool>(), switches, 1usize..70).prop_map(|(profile, path, switches, packets)| {
        let usual = [Config::rfc(), Config::papanastasiou(), Config::ns2()][usize::from(profile)].clone();
        let [ring, from_cache, salvage, listens, shorter, snoop, network_acks, feedback, lifo] = switches;
        Config {
            cache: if path { CacheKind::Path } else { CacheKind::Link },
            send_buffer_packets: packets,
            nonpropagating_request: ring,
            reply_from_cache: from_cache,
            salvage,
            promiscuous: listens,
            gratuitous_replies: shorter,
            snoop,
            network_acks,
            link_layer_feedback: usual.link_layer_feedback && feedback || !network_acks && !usual.passive_acks,
            maintenance_order: if lifo { Order::Lifo } else { Order::Fifo },
            ..usual
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any bytes are a header or an error; what is read from them is written and read back the same.
    #[test]
    fn no_bytes_make_the_parser_panic(
        options in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 0..20)), 0..6),
        flow in any::<bool>(), cut in 0..8usize,
    ) {
        let kinds = [0, 1, 2, 3, 32, 96, 123, 128, 160, 224];
        let body: Vec<u8> = options
            .iter()
            .flat_map(|(kind, data)| {
                let kind = kinds.get(usize::from(*kind) % 12).copied().unwrap_or(*kind);
                [vec![kind, data.len() as u8], data.clone()].concat()
            })
            .collect();
        let length = (body.len() as u16 / 4 * 4).to_be_bytes();
        let mut bytes = if flow { vec![48, 0x81, 0, 7] } else { vec![] };
        bytes.extend([6, 0, length[0], length[1]]);
        bytes.extend(body);
        bytes.truncate(bytes.len().saturating_sub(cut));
        if let Ok((header, next, _)) = Header::parse(&bytes) {
            let mut again = Vec::new();
            header.emit(next, &mut again);
            prop_assert_eq!(again.len(), header.bytes() as usize);
            prop_assert_eq!(Header::parse(&again), Ok((header, next, &[][..])));
        }
    }

    /// Whatever links do and however many packets are lost, with every option: each packet is delivered, dropped with
    /// a cause, or still inside; no route names a node twice; every search ends.
    #[test]
    fn no_packet_is_lost_without_a_cause(
        seed in any::<u64>(), loss in 0..40u32, config in config(), steps in steps(8),
    ) {
        let mut network = Network::new(8, seed, loss, &config);
        play(&mut network, &steps);
        // ns-2 keeps its messages about lost messages for 30 s at every node that cannot salvage them. Of each lost one
        // come two, until errors nest three deep and salvages are used up: at such a loss they die out late.
        let patience = if config.dialect == Dialect::Ns2 { 3600 } else { 150 };
        network.run(Duration::from_secs(patience));
        prop_assert_eq!(network.held(), 0);
        prop_assert_eq!(network.copies, network.ended);
        let before = network.made;
        network.run(Duration::from_secs(60));
        prop_assert_eq!(network.made, before, "a search goes on though nothing waits");
    }

    /// No packet of data is put on the air more often than its time to live, each salvage and each repetition allow.
    #[test]
    fn no_packet_wanders(seed in any::<u64>(), loss in 0..20u32, ns2 in any::<bool>(), steps in steps(8)) {
        let config = if ns2 { Config::ns2() } else { Config::rfc() };
        let mut network = Network::new(8, seed, loss, &config);
        play(&mut network, &steps);
        network.run(Duration::from_secs(60));
        for (packet, hops) in &network.hops {
            prop_assert!(*hops <= 64 + 16, "{packet:?} made {hops} hops");
        }
    }

    /// After any life, once links stand still and lose nothing, every pair in one component finds a route.
    #[test]
    fn a_connected_network_that_stays_still_is_routed(
        seed in any::<u64>(), profile in 0..3usize, steps in steps(7), shape in any::<u32>(),
    ) {
        let config = [Config::rfc(), Config::papanastasiou(), Config::ns2()][profile].clone();
        let mut network = Network::new(7, seed, 10, &config);
        play(&mut network, &steps);
        network.loss = 0;
        for node in 1..7 {
            network.link(node, (shape >> (4 * node)) as usize % node, true); // a random tree, at least
        }
        for _ in 0..8 {
            for node in 1..7 {
                network.send(0, node);
                network.send(node, 0);
            }
            network.run(Duration::from_secs(12));
        }
        let before = network.delivered.len();
        for node in 1..7 {
            network.send(0, node);
            network.send(node, 0);
        }
        network.run(Duration::from_secs(12));
        prop_assert_eq!(network.delivered.len() - before, 12);
    }

    /// The same seed gives the same run.
    #[test]
    fn runs_repeat(seed in any::<u64>(), config in config(), steps in steps(6)) {
        let run = || {
            let mut network = Network::new(6, seed, 20, &config);
            play(&mut network, &steps);
            (network.made, network.now, network.hops, network.delivered)
        };
        prop_assert_eq!(run(), run());
    }
}

/// R1 and R2 in a chain of four hops: the neighbours are asked first, the network 30 ms later; the route has 4 hops.
#[test]
fn a_string_is_routed_by_one_search() {
    for config in [Config::rfc(), Config::papanastasiou(), Config::ns2()] {
        let mut network = Network::new(5, 1, 0, &config);
        for node in 1..5 {
            network.link(node - 1, node, true);
        }
        network.send(0, 4);
        network.run(Duration::from_secs(3));
        assert_eq!(network.delivered.len(), 1);
        let [(first, 1), (second, limit)] = network.requests[..] else { panic!("{:?}", network.requests) };
        assert!(limit >= 32);
        if config == Config::ns2() {
            // Both jittered by up to 10 ms; the send buffer is looked over every 30 to 60 ms.
            assert!((20..=102).contains(&(second - first)), "{first} {second}");
        } else {
            assert!(first <= 1 && (30..=31).contains(&second), "{first} {second}");
        }
        assert_eq!(network.routers[0].hops(NodeId(4).address()), Some(4));
        assert_eq!(network.routers[4].hops(NodeId(0).address()), Some(4));
        network.send(0, 4);
        network.send(4, 0);
        network.run(Duration::from_secs(1));
        assert_eq!((network.delivered.len(), network.requests.len()), (3, 2));
    }
}
