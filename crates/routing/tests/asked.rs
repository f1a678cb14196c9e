//! What every router can be asked, whatever its protocol; and constants that documents make of others.

use std::collections::BTreeSet;
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::{self as routing, Counters, Input, Output, Protocol, aodv, dsdv, dsr, olsr};
use hopwright_wire::{Packet, Payload, udp};

/// All dialects, as they come.
fn all() -> Vec<(&'static str, routing::Config)> {
    vec![
        ("AODV", aodv::Config::rfc().into()),
        ("ns-2's AODV", aodv::Config::ns2().into()),
        ("DSR", dsr::Config::rfc().into()),
        ("ns-2's DSR", dsr::Config::ns2().into()),
        ("OLSR", olsr::Config::rfc().into()),
        ("DSDV", dsdv::Config::perkins().into()),
        ("ns-2's DSDV", dsdv::Config::ns2().into()),
    ]
}

fn data(id: u64, from: u32, to: u32) -> Packet {
    let payload = Payload::Udp(udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 100 });
    Packet::new(PacketId(id), NodeId(from).address(), NodeId(to).address(), 64, payload)
}

#[test]
fn what_was_done_adds_up_and_is_taken_off_again() {
    let counters = |by: u64| Counters {
        control_made: by,
        control_packets: 2 * by,
        control_bytes: 3 * by,
        notices: 4 * by,
        link_failures: 5 * by,
        route_breaks: 6 * by,
    };
    assert_eq!(counters(10).plus(counters(7)), counters(17));
    assert_eq!(counters(17).less(counters(7)), counters(10));
}

/// Each failure that the link layer reports is one, whatever the router makes of it.
#[test]
fn a_link_failure_is_counted_once() {
    for (name, config) in all() {
        let mut router = config.router(NodeId(0), 1, &Arc::default());
        router.handle(Time::ZERO, Input::Start);
        for n in 1..=3 {
            let (packet, next_hop) = (data(n, 0, 5), NodeId(1));
            let now = Time::ZERO + Duration::from_secs(n);
            while router.deadline() < now {
                router.handle(router.deadline(), Input::Wake);
                while router.poll().is_some() {}
            }
            router.handle(now, Input::LinkFailed { packet, next_hop, cause: DropCause::RetryLimitRts });
            while router.poll().is_some() {}
            assert_eq!(router.counters().link_failures, n, "{name}");
        }
    }
}

/// A packet for everyone around needs no route.
#[test]
fn a_frame_for_everyone_leaves_once_and_for_everyone() {
    for (name, config) in all() {
        let mut router = config.router(NodeId(0), 1, &Arc::default());
        router.handle(Time::ZERO, Input::Start);
        while router.poll().is_some() {}
        let packet = Packet { destination: Address::BROADCAST, ..data(3, 0, 1) };
        router.handle(Time::ZERO, Input::Send(packet));
        let mut came: Vec<Output> = std::iter::from_fn(|| router.poll()).collect();
        while router.deadline() <= Time::ZERO + Duration::from_millis(10) {
            router.handle(router.deadline(), Input::Wake); // jitter
            came.extend(std::iter::from_fn(|| router.poll()));
        }
        let to: Vec<_> = came
            .into_iter()
            .filter_map(|output| match output {
                Output::Transmit { packet, next_hop } if packet.id == PacketId(3) => Some(next_hop),
                Output::Drop { packet, cause } if packet.id == PacketId(3) => panic!("{name}: {cause}"),
                _ => None,
            })
            .collect();
        assert_eq!(to, [None], "{name}");
    }
}

/// Who adds nothing to packets counts their bytes as they are.
#[test]
fn proactive_protocols_add_nothing_to_data() {
    for config in [routing::Config::from(olsr::Config::rfc()), dsdv::Config::perkins().into()] {
        let router = config.router(NodeId(0), 1, &Arc::default());
        assert_eq!(router.packet_bytes(&data(3, 0, 1)), 20 + 8 + 100);
    }
}

/// Nobody routes to itself, and messages of different nodes have different identities.
#[test]
fn nodes_have_messages_of_their_own_and_no_route_to_themselves() {
    for (name, config) in all() {
        let mut known = BTreeSet::new();
        for node in [NodeId(1), NodeId(2)] {
            let mut router = config.router(node, 1, &Arc::default());
            router.handle(Time::ZERO, Input::Start);
            router.handle(Time::ZERO, Input::Send(data(3, node.0, 9)));
            let mut made = 0;
            while made < 3 {
                while let Some(output) = router.poll() {
                    if let Output::Transmit { packet, .. } = output {
                        assert!(known.insert(packet.id), "{name}: {:?} twice", packet.id);
                        assert!(packet.id.0 & (1 << 39) != 0, "{name}: apart from those of applications");
                        made += 1;
                    }
                }
                router.handle(router.deadline(), Input::Wake);
            }
            assert_eq!((router.next_hop(node.address()), router.hops(node.address())), (None, None), "{name}");
        }
    }
}

/// What a router has been given and not given back is counted, whether it waits or is about to leave.
#[test]
fn a_packet_inside_is_counted() {
    for (name, config) in all() {
        let mut router = config.router(NodeId(0), 1, &Arc::default());
        router.handle(Time::ZERO, Input::Start);
        while router.poll().is_some() {}
        let before = router.held();
        for (n, id) in (1..).zip([3, 4]) {
            let packet = Packet { destination: Address::BROADCAST, ..data(id, 0, 1) };
            router.handle(Time::ZERO, Input::Send(packet));
            assert_eq!(router.held(), before + n, "{name}");
        }
    }
}

/// Only DSR asks when a packet has left, where it waits for acknowledgements of its own; and only DSR listens.
#[test]
fn who_does_not_ask_is_not_told() {
    let asked = |config: routing::Config| {
        let router = config.router(NodeId(0), 1, &Arc::default());
        (router.follows(), router.listens())
    };
    for (name, config) in all() {
        let is_dsr = name.ends_with("DSR");
        assert_eq!(asked(config).1, is_dsr, "{name}");
    }
    for (name, config) in all().into_iter().filter(|(name, _)| !name.ends_with("DSR")) {
        assert!(!asked(config).0, "{name}");
    }
    let network = dsr::Config { link_layer_feedback: false, network_acks: true, ..dsr::Config::rfc() };
    assert!(asked(network.into()).0);
    for link_layer in [dsr::Config::rfc(), dsr::Config::ns2()] {
        assert!(!asked(link_layer.into()).0);
    }
}

/// RFC 3561 §10: NET_TRAVERSAL_TIME = 2 NODE_TRAVERSAL_TIME NET_DIAMETER; PATH_DISCOVERY_TIME and BLACKLIST_TIMEOUT
/// are made of it, NEXT_HOP_WAIT of NODE_TRAVERSAL_TIME, DELETE_PERIOD and MY_ROUTE_TIMEOUT of ACTIVE_ROUTE_TIMEOUT.
#[test]
fn aodvs_times_are_those_that_its_rfc_makes_of_others() {
    let ms = Duration::from_millis;
    for (config, active_route_timeout) in [
        (aodv::Config::rfc(), ms(10_000)),
        (aodv::Config::papanastasiou(), ms(3000)),
        (aodv::Config::papanastasiou_trace(), ms(5000)),
    ] {
        assert_eq!((config.node_traversal_time, config.net_diameter), (ms(40), 35));
        let net_traversal_time = ms(2 * 40 * 35);
        assert_eq!(config.path_discovery_time, net_traversal_time * 2);
        assert_eq!(config.blacklist_timeout, net_traversal_time * 2);
        assert_eq!(config.next_hop_wait, ms(50));
        assert_eq!(config.active_route_timeout, active_route_timeout);
        assert_eq!(config.my_route_timeout, active_route_timeout * 2);
        assert_eq!(config.delete_period, active_route_timeout * 5, "K = 5");
    }
}

/// Broch et al. 1998, table 2: updates every 15 s, three may be missed; DSDV hears from the link layer, ns-2's does not.
#[test]
fn dsdvs_constants_are_those_of_its_papers() {
    let (perkins, ns2) = (dsdv::Config::perkins(), dsdv::Config::ns2());
    assert_eq!((perkins.link_layer_feedback, ns2.link_layer_feedback), (true, false));
    for config in [perkins, ns2] {
        assert_eq!((config.update_interval, config.missed_updates), (Duration::from_secs(15), 3));
        assert_eq!(config.neighbour_timeout(), Duration::from_secs(45));
        assert_eq!((config.buffer_packets, config.broadcast_jitter), (5, Duration::from_millis(10)));
        assert_eq!(config.trigger_spacing, Duration::from_secs(1));
    }
}

/// ns-2.35, `aodv/aodv.h` and `aodv.cc`.
#[test]
fn the_constants_of_ns_2s_aodv_are_those_of_its_sources() {
    let (ms, s, config) = (Duration::from_millis, Duration::from_secs, aodv::Config::ns2());
    assert_eq!((config.active_route_timeout, config.my_route_timeout, config.rev_route_life), (s(10), s(10), s(6)));
    assert_eq!((config.ttl_start, config.ttl_increment, config.ttl_threshold, config.net_diameter), (5, 2, 7, 30));
    assert_eq!((config.node_traversal_time, config.path_discovery_time), (ms(30), s(6)), "BCAST_ID_SAVE");
    assert_eq!((config.rreq_retries, config.max_rreq_timeout), (3, s(10)));
    assert_eq!((config.buffer_packets, config.buffer_timeout), (64, s(30)));
    assert_eq!((config.release_gap, config.broadcast_jitter), (ms(10), ms(10)), "ARP_DELAY, DELAY");
    assert_eq!(config.purge_interval, ms(500), "FREQUENCY");
}

/// RFC 4728 §9, appendix A; ns-2.35, `dsr/dsragent.cc`, `mobicache.cc`.
#[test]
fn dsrs_constants_are_those_of_its_rfc_and_of_ns_2s_sources() {
    let (ms, s) = (Duration::from_millis, Duration::from_secs);
    for config in [dsr::Config::rfc(), dsr::Config::ns2()] {
        assert_eq!((config.send_buffer_timeout, config.send_buffer_packets), (s(30), 64));
        assert_eq!((config.request_period, config.max_request_period), (ms(500), s(10)));
        assert_eq!((config.nonprop_request_timeout, config.broadcast_jitter), (ms(30), ms(10)));
        assert_eq!((config.max_salvage_count, config.grat_reply_holdoff), (15, s(1)));
    }
    let rfc = dsr::Config::rfc();
    assert_eq!((rfc.discovery_hop_limit, rfc.route_cache_timeout), (255, s(300)));
    assert_eq!((rfc.request_table_size, rfc.request_table_ids, rfc.max_request_rexmt), (64, 16, 16));
    assert_eq!((rfc.maintenance_buffer_packets, rfc.maint_holdoff), (50, ms(250)));
    assert_eq!((rfc.max_maint_rexmt, rfc.try_passive_acks, rfc.passive_ack_timeout), (2, 1, ms(100)));
    assert_eq!((rfc.init_stability, rfc.min_lifetime, rfc.use_extends), (s(25), s(1), s(120)));
    let ns2 = dsr::Config::ns2();
    assert_eq!((ns2.primary_paths, ns2.secondary_paths, ns2.flow_state), (30, 64, true));
    assert_eq!((ns2.flow_timeout, ns2.flow_route_interval, ns2.release_gap), (s(60), s(5), ms(30)));
}

/// RFC 3626 §18.2, §18.3, §14.3.
#[test]
fn olsrs_constants_are_those_of_its_rfc() {
    let (ms, s, config) = (Duration::from_millis, Duration::from_secs, olsr::Config::rfc());
    assert_eq!((config.hello_interval, config.refresh_interval, config.tc_interval), (s(2), s(2), s(5)));
    assert_eq!(
        (config.neighbour_hold_time, config.topology_hold_time, config.duplicate_hold_time),
        (s(6), s(15), s(30))
    );
    assert_eq!((config.max_jitter, config.mpr_coverage, config.tc_redundancy), (ms(500), 1, 0));
    assert!(!config.immediate_tc && !config.immediate_forwarding && !config.link_layer_notification);
    assert_eq!((config.hysteresis, config.willingness), (None, olsr::WILL_DEFAULT));
    let hysteresis = olsr::Hysteresis::default();
    assert_eq!((hysteresis.high, hysteresis.low, hysteresis.scaling), (0.8, 0.3, 0.5));
}
