//! Properties of whole networks of routers, over links that come, go and lose packets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Purpose, Stream, Time};
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Input, Output, Protocol, Router};
use hopwright_wire::aodv::{Message, Rerr, Rrep, Rreq};
use hopwright_wire::{Packet, Payload, udp};
use proptest::prelude::*;

/// Nodes with ideal links: a broadcast reaches each neighbour with a probability; a unicast arrives, or its
/// sender is told that it did not. Over a link that carries only one way, messages arrive and the sender is told that
/// they did not.
struct Network {
    now: Time,
    routers: Vec<Router>,
    linked: Vec<Vec<bool>>,
    /// Probability that a broadcast copy or a unicast is lost, in percent.
    loss: u32,
    stream: Stream,
    events: BTreeMap<(Time, u64), (NodeId, Input<'static>)>,
    made: u64,
    sent: usize,
    delivered: usize,
    /// From where to where a packet has been delivered.
    arrived: BTreeSet<(Address, Address)>,
    dropped: usize,
}

impl Network {
    fn new(nodes: usize, seed: u64, loss: u32, config: &Config) -> Self {
        let router = |n| routing::Config::from(config.clone()).router(NodeId(n as u32), seed, &Arc::default());
        let mut network = Self {
            now: Time::ZERO,
            routers: (0..nodes).map(router).collect(),
            linked: vec![vec![false; nodes]; nodes],
            loss,
            stream: Stream::new(seed, NodeId(1000), Purpose::Placement),
            events: BTreeMap::new(),
            made: 0,
            sent: 0,
            delivered: 0,
            arrived: BTreeSet::new(),
            dropped: 0,
        };
        (0..nodes).for_each(|node| network.give(node, Input::Start));
        network
    }

    /// Makes every link carry both ways.
    fn mend(&mut self) {
        for a in 0..self.routers.len() {
            for b in 0..a {
                self.link(a, b, self.linked[a][b] || self.linked[b][a]);
            }
        }
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
        let payload = Payload::Udp(datagram);
        self.sent += 1;
        let packet = Packet::new(PacketId(self.sent as u64), source, destination, 64, payload);
        self.give(from, Input::Send(packet));
    }

    fn send_to_and_from_0(&mut self) {
        for node in 1..self.routers.len() {
            self.send(0, node);
            self.send(node, 0);
        }
        self.run(Duration::from_secs(12), |_| {});
    }

    fn give(&mut self, node: usize, input: Input<'static>) {
        self.routers[node].handle(self.now, input);
        while let Some(output) = self.routers[node].poll() {
            self.carry(node, output);
        }
    }

    fn carry(&mut self, node: usize, output: Output) {
        match output {
            Output::Deliver(packet) => {
                self.delivered += usize::from(!packet.is_routing());
                self.arrived.insert((packet.source, packet.destination));
            }
            Output::Drop { packet, .. } => self.dropped += usize::from(!packet.is_routing()),
            Output::Doubled(packet) => panic!("nobody asked for a second {packet:?}"),
            Output::Notify(_) | Output::RouteUp(_) => {}
            Output::PurgeNextHop(next_hop) => {
                for packet in self.take_queued(node, next_hop) {
                    self.dropped += usize::from(!packet.is_routing());
                }
            }
            Output::ReclaimNextHop(next_hop) => {
                for packet in self.take_queued(node, next_hop) {
                    self.later(NodeId(node as u32), Input::Reclaimed { packet, next_hop });
                }
            }
            Output::Transmit { packet, next_hop: None } => {
                for other in 0..self.routers.len() {
                    if self.linked[node][other] && self.stream.below(100) >= self.loss {
                        let from = NodeId(node as u32);
                        self.later(NodeId(other as u32), Input::Receive { packet: packet.clone(), from });
                    }
                }
            }
            Output::Transmit { packet, next_hop: Some(next_hop) } => {
                let me = NodeId(node as u32);
                let one_way = self.linked[node][next_hop.index()] && !self.linked[next_hop.index()][node];
                if one_way && packet.is_routing() {
                    self.later(next_hop, Input::Receive { packet: packet.clone(), from: me });
                }
                if !one_way && self.linked[node][next_hop.index()] && self.stream.below(100) >= self.loss {
                    self.later(next_hop, Input::Receive { packet, from: me });
                } else {
                    self.later(me, Input::LinkFailed { packet, next_hop, cause: DropCause::RetryLimitRts });
                }
            }
        }
    }

    /// What is on its way to a neighbour may as well wait in the interface queue.
    fn take_queued(&mut self, node: usize, next_hop: NodeId) -> Vec<Packet> {
        let me = NodeId(node as u32);
        let broadcast = |packet: &Packet| packet.destination.is_broadcast();
        let queued = self.events.extract_if(.., |_, (to, input)| {
            *to == next_hop && matches!(input, Input::Receive { packet, from } if *from == me && !broadcast(packet))
        });
        let packets = queued.filter_map(|(_, (_, input))| match input {
            Input::Receive { packet, .. } => Some(packet),
            _ => None,
        });
        packets.collect()
    }

    fn later(&mut self, node: NodeId, input: Input<'static>) {
        let time = self.now + Duration::from_micros(1000 + u64::from(self.stream.below(1000)));
        self.events.insert((time, self.made), (node, input));
        self.made += 1;
    }

    fn run(&mut self, span: Duration, check: impl Fn(&Self)) {
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
    fn assert_no_loop(&self) {
        for destination in 0..self.routers.len() {
            let address = NodeId(destination as u32).address();
            for start in 0..self.routers.len() {
                let mut path = vec![start];
                let mut at = start;
                while at != destination {
                    let Some(next) = self.routers[at].next_hop(address) else { break };
                    at = next.index();
                    assert!(!path.contains(&at), "at {} a loop to {destination}: {path:?} and {at} again", self.now);
                    path.push(at);
                }
            }
        }
    }

    fn held(&self) -> usize {
        let on_air = self.events.values().filter(|(_, input)| match input {
            Input::Receive { packet, .. } | Input::LinkFailed { packet, .. } | Input::Reclaimed { packet, .. } => {
                !packet.is_routing()
            }
            _ => false,
        });
        on_air.count() + self.routers.iter().map(Router::held).sum::<usize>()
    }
}

fn message() -> impl Strategy<Value = Message> {
    let address = || any::<u32>().prop_map(Address);
    let rreq = (any::<[bool; 3]>(), any::<u8>(), any::<[u32; 3]>(), address(), address());
    let rrep = (any::<bool>(), any::<u8>(), any::<[u32; 2]>(), address(), address());
    prop_oneof![
        rreq.prop_map(|(flags, hop_count, words, destination, originator)| {
            Message::Rreq(Rreq {
                gratuitous: flags[0],
                destination_only: flags[1],
                unknown_sequence: flags[2],
                hop_count,
                id: words[0],
                destination,
                destination_sequence: words[1],
                originator,
                originator_sequence: words[2],
            })
        }),
        rrep.prop_map(|(ack_required, hop_count, words, destination, originator)| {
            Message::Rrep(Rrep {
                ack_required,
                hop_count,
                destination,
                destination_sequence: words[0],
                originator,
                lifetime_ms: words[1],
            })
        }),
        (any::<bool>(), prop::collection::vec((address(), any::<u32>()), 1..=255))
            .prop_map(|(no_delete, unreachable)| Message::Rerr(Rerr { no_delete, unreachable })),
        Just(Message::RrepAck),
    ]
}

/// Both dialects.
fn dialects() -> impl Strategy<Value = Config> {
    prop_oneof![2 => options(), 1 => Just(Config::ns2())]
}

/// RFC 3561 with any of its options. Intervals are short, so that much happens.
fn options() -> impl Strategy<Value = Config> {
    let times = (prop::sample::select(vec![1u64, 3, 10]), 50..1000u64, 0..50u64, 1..4u32);
    (any::<[bool; 8]>(), times, 1..4u8).prop_map(|(on, (timeout, hello, jitter, loss), ttl_start)| {
        let active_route_timeout = Duration::from_secs(timeout);
        Config {
            active_route_timeout,
            my_route_timeout: active_route_timeout * 2,
            delete_period: active_route_timeout * 5,
            ttl_start,
            gratuitous: on[0],
            destination_only: on[1],
            link_feedback: on[2],
            hello: on[3],
            hello_always: on[4],
            hello_interval: Duration::from_millis(hello),
            hello_jitter: Duration::from_millis(jitter),
            allowed_hello_loss: loss,
            local_repair: on[5],
            rrep_ack: on[6],
            blacklist: on[7],
            ..Config::rfc()
        }
    })
}

/// One step of a network's life: link a-b changes, a sends to b, or, from kind 128 on, the link carries one way only or
/// node a loses its memory; then time passes.
type Step = (usize, usize, u8, u16);

fn steps(nodes: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..nodes, 0..nodes, any::<u8>(), 1..3000u16), 1..80)
}

fn play(network: &mut Network, steps: &[Step], check: impl Fn(&Network) + Copy) {
    for &(a, b, kind, wait) in steps {
        match kind % 8 {
            0..3 => network.link(a, b, true),
            3 => network.link(a, b, false),
            4 if kind >= 128 => network.linked[a][b] = a != b && !network.linked[a][b], // one way only
            5 if kind >= 224 => network.give(a, Input::Start),
            _ => network.send(a, b),
        }
        // Mostly short waits, so that messages of several searches cross; a few long enough to expire routes.
        let wait =
            if kind % 32 == 31 { Duration::from_millis(12_000) } else { Duration::from_millis(wait.into()) / 10 };
        network.run(wait, check);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_emitted_parses_to_the_same(message in message()) {
        let bytes = message.emit();
        prop_assert_eq!(bytes.len(), message.bytes() as usize);
        prop_assert_eq!(Message::parse(&bytes), Ok(message));
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = Message::parse(&bytes);
    }

    /// Whatever links do, however many packets are lost, and whoever loses his memory: RFC 3561's next hops never form
    /// a loop, with any of its options.
    #[test]
    fn next_hops_never_form_a_loop(
        seed in any::<u64>(), loss in 0..40u32, config in options(), steps in steps(8),
    ) {
        let mut network = Network::new(8, seed, loss, &config);
        play(&mut network, &steps, Network::assert_no_loop);
    }

    /// Every packet sent is delivered, dropped with a cause, or still inside, in both dialects.
    #[test]
    fn no_packet_is_lost_without_a_cause(
        seed in any::<u64>(), loss in 0..40u32, config in dialects(), steps in steps(8),
    ) {
        let mut network = Network::new(8, seed, loss, &config);
        play(&mut network, &steps, |_| {});
        network.run(Duration::from_secs(120), |_| {});
        prop_assert_eq!(network.held(), 0);
        prop_assert_eq!(network.sent, network.delivered + network.dropped);
    }

    /// After any life, once links stand still and lose nothing, every pair in one component finds a route.
    #[test]
    fn a_connected_network_that_stays_still_is_routed(
        seed in any::<u64>(), ns2 in any::<bool>(), steps in steps(7), shape in any::<u32>(),
    ) {
        let config = if ns2 { Config::ns2() } else { Config::rfc() };
        // Only links that come and go: ns-2's AODV knows neither one-way links nor reboots.
        let steps: Vec<Step> = steps.into_iter().map(|(a, b, kind, wait)| (a, b, kind % 128, wait)).collect();
        let mut network = stilled(seed, &config, &steps, shape);
        let before = network.delivered;
        network.send_to_and_from_0();
        prop_assert_eq!(network.delivered - before, 12);
    }

    /// With other options a packet may meet a route that has ended further on; then the next one finds another.
    #[test]
    fn a_network_that_stays_still_is_routed_with_any_option(
        seed in any::<u64>(), config in options(), steps in steps(7), shape in any::<u32>(),
    ) {
        let mut network = stilled(seed, &config, &steps, shape);
        network.arrived.clear();
        (0..3).for_each(|_| network.send_to_and_from_0());
        prop_assert_eq!(network.arrived.len(), 12);
    }
}

/// Seven nodes after any life, on links that from now on stand still, connect all and lose nothing.
fn stilled(seed: u64, config: &Config, steps: &[Step], shape: u32) -> Network {
    let mut network = Network::new(7, seed, 10, config);
    play(&mut network, steps, |_| {});
    network.loss = 0;
    network.mend();
    for node in 1..7 {
        network.link(node, (shape >> (4 * node)) as usize % node, true); // a random tree, at least
    }
    // Old routes are first found broken, old searches end, numbers catch up.
    (0..8).for_each(|_| network.send_to_and_from_0());
    network
}

/// The routes found on a still string are the shortest, and the second packet needs no search.
#[test]
fn a_string_is_routed_by_one_search() {
    for config in [Config::rfc(), Config::ns2()] {
        let mut network = Network::new(5, 1, 0, &config);
        for node in 1..5 {
            network.link(node - 1, node, true);
        }
        network.send(0, 4);
        network.run(Duration::from_secs(3), Network::assert_no_loop);
        assert_eq!(network.delivered, 1);
        assert_eq!(network.routers[0].hops(NodeId(4).address()), Some(4));
        assert_eq!(network.routers[4].hops(NodeId(0).address()), Some(4));
        let control = network.routers.iter().map(|router| router.counters().control_packets).sum::<u64>();
        network.send(0, 4);
        network.send(4, 0);
        network.run(Duration::from_secs(1), Network::assert_no_loop);
        assert_eq!(network.delivered, 3);
        assert_eq!(control, network.routers.iter().map(|router| router.counters().control_packets).sum::<u64>());
    }
}
