//! Properties of whole networks of routers, over links that come, go and lose packets.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Purpose, Stream, Time};
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Input, Output, Protocol, Router};
use hopwright_wire::aodv::{Message, Rerr, Rrep, Rreq};
use hopwright_wire::{Packet, Payload, udp};
use proptest::prelude::*;

/// Nodes with ideal links: a broadcast reaches each neighbour with a probability; a unicast arrives, or its
/// sender is told that it did not.
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
    dropped: usize,
}

impl Network {
    fn new(nodes: usize, seed: u64, loss: u32, config: &Config) -> Self {
        let router = |n| routing::Config::from(config.clone()).router(NodeId(n as u32), seed, &Arc::default());
        Self {
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

    fn give(&mut self, node: usize, input: Input<'static>) {
        self.routers[node].handle(self.now, input);
        while let Some(output) = self.routers[node].poll() {
            self.carry(node, output);
        }
    }

    fn carry(&mut self, node: usize, output: Output) {
        match output {
            Output::Deliver(packet) => self.delivered += usize::from(!packet.is_routing()),
            Output::Drop { packet, .. } => self.dropped += usize::from(!packet.is_routing()),
            Output::PurgeNextHop(_) | Output::ReclaimNextHop(_) | Output::Notify(_) | Output::RouteUp(_) => {}
            Output::Doubled(packet) => panic!("nobody asked for a second {packet:?}"),
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
            Input::Receive { packet, .. } | Input::LinkFailed { packet, .. } => !packet.is_routing(),
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
    ]
}

/// One step of a network's life: link a-b changes or a sends to b; then time passes.
type Step = (usize, usize, u8, u16);

fn steps(nodes: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..nodes, 0..nodes, any::<u8>(), 1..3000u16), 1..80)
}

fn play(network: &mut Network, steps: &[Step], check: impl Fn(&Network) + Copy) {
    for &(a, b, kind, wait) in steps {
        match kind % 8 {
            0..3 => network.link(a, b, true),
            3 => network.link(a, b, false),
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

    /// Whatever links do and however many packets are lost, RFC 3561's next hops never form a loop.
    #[test]
    fn next_hops_never_form_a_loop(seed in any::<u64>(), loss in 0..40u32, steps in steps(8)) {
        let mut network = Network::new(8, seed, loss, &Config::rfc());
        play(&mut network, &steps, Network::assert_no_loop);
    }

    /// Every packet sent is delivered, dropped with a cause, or still inside, in both dialects.
    #[test]
    fn no_packet_is_lost_without_a_cause(
        seed in any::<u64>(), loss in 0..40u32, ns2 in any::<bool>(), steps in steps(8),
    ) {
        let config = if ns2 { Config::ns2() } else { Config::rfc() };
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
        let mut network = Network::new(7, seed, 10, &config);
        play(&mut network, &steps, |_| {});
        network.loss = 0;
        for node in 1..7 {
            network.link(node, (shape >> (4 * node)) as usize % node, true); // a random tree, at least
        }
        // Old routes are first found broken, old searches end, numbers catch up.
        for _ in 0..8 {
            for node in 1..7 {
                network.send(0, node);
                network.send(node, 0);
            }
            network.run(Duration::from_secs(12), |_| {});
        }
        let before = network.delivered;
        for node in 1..7 {
            network.send(0, node);
            network.send(node, 0);
        }
        network.run(Duration::from_secs(12), |_| {});
        prop_assert_eq!(network.delivered - before, 12);
    }
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
