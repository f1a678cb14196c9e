//! Properties of whole networks of DSR routers, over links that come, go and lose packets.

use std::collections::BTreeSet;

use hopwright_machine::{Address, Duration, NodeId};
use hopwright_routing::Protocol;
use hopwright_routing::dsr::{CacheKind, Config, Dialect, Order};
use hopwright_wire::Packet;
use hopwright_wire::dsr::Header;
use proptest::prelude::*;

use crate::field::Field;

/// A network in which every packet's routes are looked at.
fn network(nodes: usize, seed: u64, loss: u32, config: &Config) -> Field {
    let mut network = Field::new(nodes, seed, loss, &config.clone().into());
    network.inspect = assert_routes_name_nobody_twice;
    network
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

fn play(network: &mut Field, steps: &[Step]) {
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
            cache: if path { CacheKind::Path } else { usual.cache },
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
        let kinds = [0, 1, 2, 3, 27, 32, 96, 128, 160, 224];
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
        // ns-2 keeps its messages about lost messages for 30 s at every node that cannot salvage them. Of each lost one
        // come two, until errors nest three deep and salvages are used up: they die out late, and at a loss of 39 % one
        // case of some 2,000 had not after an hour.
        let (loss, patience) = if config.dialect == Dialect::Ns2 { (loss.min(25), 3600) } else { (loss, 150) };
        let mut network = network(8, seed, loss, &config);
        play(&mut network, &steps);
        network.run(Duration::from_secs(patience));
        prop_assert_eq!(network.held(), 0);
        prop_assert_eq!(network.sent, network.delivered + network.dropped);
        let before = network.made;
        network.run(Duration::from_secs(60));
        prop_assert_eq!(network.made, before, "a search goes on though nothing waits");
    }

    /// No packet of data is put on the air more often than its time to live, each salvage and each repetition allow.
    #[test]
    fn no_packet_wanders(seed in any::<u64>(), loss in 0..20u32, ns2 in any::<bool>(), steps in steps(8)) {
        let config = if ns2 { Config::ns2() } else { Config::rfc() };
        let mut network = network(8, seed, loss, &config);
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
        let mut network = network(7, seed, 10, &config);
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
        let before = network.arrived.len();
        for node in 1..7 {
            network.send(0, node);
            network.send(node, 0);
        }
        network.run(Duration::from_secs(12));
        prop_assert_eq!(network.arrived.len() - before, 12);
    }

    /// The same seed gives the same run.
    #[test]
    fn runs_repeat(seed in any::<u64>(), config in config(), steps in steps(6)) {
        let run = || {
            let mut network = network(6, seed, 20, &config);
            play(&mut network, &steps);
            (network.made, network.now, network.hops, network.arrived)
        };
        prop_assert_eq!(run(), run());
    }
}

/// R1 and R2 in a chain of four hops: the neighbours are asked first, the network 30 ms later; the route has 4 hops.
#[test]
fn a_string_is_routed_by_one_search() {
    for config in [Config::rfc(), Config::papanastasiou(), Config::ns2()] {
        let mut network = network(5, 1, 0, &config);
        for node in 1..5 {
            network.link(node - 1, node, true);
        }
        network.heard = Some(Vec::new());
        network.send(0, 4);
        network.run(Duration::from_secs(3));
        assert_eq!(network.arrived.len(), 1);
        let requests = requests_of_0(&network);
        let [(first, 1), (second, limit)] = requests[..] else { panic!("{requests:?}") };
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
        assert_eq!((network.arrived.len(), requests_of_0(&network).len()), (3, 2));
    }
}

/// Times, in ms, and hop limits of the requests that node 0 made.
fn requests_of_0(network: &Field) -> Vec<(u64, u8)> {
    let own = network
        .heard
        .iter()
        .flatten()
        .filter(|(_, from, packet)| *from == NodeId(0) && packet.source == from.address() && packet.is_routing());
    own.map(|(time, _, packet)| (time.as_nanos() / 1_000_000, packet.ttl)).collect()
}
