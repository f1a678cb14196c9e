//! A transport that takes packets from neighbour to neighbour itself: what routers learn of it, and what it asks of them.

use std::sync::Arc;

use hopwright_machine::{Duration, Machine, NodeId, Time};
use hopwright_routing::{self as routing, Input, Output, Protocol, Router, Wishes, aodv, dsdv, dsr, olsr};
use hopwright_wire::aodv::{Message, Rrep};
use hopwright_wire::{Packet, Payload};

use crate::talk::{Talk, a, all, data, reply};

fn dialects() -> [dsr::Config; 2] {
    [dsr::Config::rfc(), dsr::Config::ns2()]
}

fn after(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A packet goes where its transport says, though the router knows another way, or none.
#[test]
fn dsr_sends_over_the_nodes_that_it_is_given() {
    for config in dialects() {
        let mut talk = Talk::new(config);
        talk.give(Input::Send(data(1, 0, 9)));
        talk.get(1, reply(&[1, 2, 9]));
        let said = talk.give(Input::SendOver { packet: data(2, 0, 9), path: &all(&[0, 4, 5, 9]) });
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("to 4: 0->9") && said[0].contains("by 4-5 left 2 salvage 0"), "{said:?}");
        assert_eq!(talk.router.path(a(9)), Some(all(&[0, 1, 2, 9])));
    }
}

/// A source route that is written reads back, of a packet from here as of one whose route begins further on.
#[test]
fn dsr_writes_and_reads_source_routes() {
    for config in dialects() {
        let talk = Talk::new(config);
        for (nodes, at) in [(&[7, 5, 0, 9][..], 2), (&[0, 4, 9], 1), (&[0, 9], 1)] {
            let mut packet = data(1, 7, 9);
            assert_eq!(talk.router.source_route(&packet), None);
            talk.router.write_source_route(&mut packet, &all(nodes), at);
            assert_eq!(talk.router.source_route(&packet), Some((all(nodes), at)), "{nodes:?}");
        }
    }
}

/// What comes by tells of links; what does not get on takes one away.
#[test]
fn dsr_learns_from_what_passes_and_forgets_what_failed() {
    for config in dialects() {
        let mut talk = Talk::new(config);
        let mut packet = data(1, 7, 9);
        talk.router.write_source_route(&mut packet, &all(&[7, 5, 0, 3, 9]), 2);
        assert_eq!(talk.router.next_hop(a(9)), None);
        talk.give(Input::Passed { packet: &packet, neighbour: NodeId(5), came: true });
        assert_eq!(talk.router.path(a(9)), Some(all(&[0, 3, 9])));
        let said = talk.give(Input::LinkLost(NodeId(3)));
        assert_eq!(said, ["reclaim 3"], "no packet is dropped or sent on");
        assert_eq!((talk.router.path(a(9)), talk.router.counters().link_failures), (None, 1));
    }
}

fn aodv_with_a_route(config: aodv::Config) -> Router {
    let mut router = routing::Config::from(config).router(NodeId(0), 1, &Arc::new(Wishes::new()));
    router.handle(Time::ZERO, Input::Start);
    router.handle(Time::ZERO, Input::Send(data(1, 0, 9)));
    let (destination, originator) = (a(9), a(0));
    let rrep =
        Rrep { ack_required: false, hop_count: 1, destination, destination_sequence: 4, originator, lifetime_ms: 2000 };
    let message = Packet::new(data(2, 1, 0).id, a(9), a(0), 30, Payload::Aodv(Message::Rrep(rrep)));
    router.handle(after(10), Input::Receive { packet: message, from: NodeId(1) });
    while router.poll().is_some() {}
    assert_eq!(router.next_hop(a(9)), Some(NodeId(1)));
    router
}

/// Sleeps as a driver does; returns whether the route is in use at the end.
fn knows_at(router: &mut Router, end: Time) -> bool {
    while router.deadline() <= end {
        let at = router.deadline();
        router.handle(at, Input::Wake);
        while router.poll().is_some() {}
    }
    router.handle(end, Input::Wake);
    router.next_hop(a(9)).is_some()
}

/// A route over which packets pass stays in use (RFC 3561 §6.2), another runs out.
#[test]
fn aodv_keeps_routes_that_are_used_without_it() {
    for config in [aodv::Config::rfc(), aodv::Config::ns2()] {
        for is_used in [false, true] {
            let mut router = aodv_with_a_route(config.clone());
            for ms in (1000..=30_000).step_by(1000) {
                let knew = knows_at(&mut router, after(ms));
                if knew && is_used {
                    let packet = data(3, 7, 9);
                    router.handle(after(ms), Input::Passed { packet: &packet, neighbour: NodeId(1), came: false });
                }
            }
            assert_eq!(router.next_hop(a(9)).is_some(), is_used, "{config:?}");
        }
    }
}

/// A neighbour that does not answer takes its routes with it, and no packet is touched.
#[test]
fn a_lost_link_takes_routes_out_of_use() {
    for config in [aodv::Config::rfc(), aodv::Config::ns2()] {
        let mut router = aodv_with_a_route(config);
        router.handle(after(20), Input::LinkLost(NodeId(1)));
        assert_eq!((router.next_hop(a(9)), router.counters().link_failures), (None, 1));
        let said: Vec<Output> = std::iter::from_fn(|| router.poll()).collect();
        assert!(said.contains(&Output::RouteBroke(NodeId(1))), "{said:?}");
        assert!(!said.iter().any(|output| matches!(output, Output::Drop { .. })), "{said:?}");
    }
}

/// Protocols without source routes send a packet as any other, and have no path to tell.
#[test]
fn others_have_no_source_routes() {
    let configs: [routing::Config; 3] =
        [aodv::Config::rfc().into(), olsr::Config::papanastasiou().into(), dsdv::Config::perkins().into()];
    for config in configs {
        let mut router = config.router(NodeId(0), 1, &Arc::new(Wishes::new()));
        let mut packet = data(1, 0, 9);
        let before = packet.clone();
        router.write_source_route(&mut packet, &all(&[0, 4, 9]), 1);
        assert_eq!(packet, before);
        assert_eq!((router.source_route(&packet), router.path(a(9))), (None, None));
        router.handle(Time::ZERO, Input::SendOver { packet, path: &all(&[0, 4, 9]) });
        let said: Vec<Output> = std::iter::from_fn(|| router.poll()).collect();
        assert!(!said.iter().any(|o| matches!(o, Output::Transmit { next_hop: Some(NodeId(4)), .. })), "{said:?}");
    }
}
