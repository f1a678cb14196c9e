//! Packets of programs outside that no router sees: to groups, flooded over the network; and Ethernet frames.

use std::borrow::Cow;

use hopwright_link::Kind;
use hopwright_machine::{Address, DropCause, Duration, NodeId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_routing::{aodv, smf};
use hopwright_sim::{Options, Routing, Setup, Simulation};
use hopwright_wire::arp::MacAddress;
use hopwright_wire::ethernet::Frame;
use hopwright_wire::ip::{Head, Opaque};
use hopwright_wire::{Packet, Payload};
use proptest::prelude::*;

use crate::support::{at, quiet};

const GROUP: Address = Address(0xe401_0203);

/// A datagram of a program, with this time to live.
fn datagram(ttl: u8) -> Payload {
    let head = Head { tos: 0, ttl, identification: 7, fragment: 0, options: [].into() };
    Payload::Opaque(Opaque { protocol: 17, bytes: vec![1; 100].into(), head: Some(head) }.into())
}

/// Nodes in a row, 200 m apart, that flood packets to groups.
fn row(nodes: u32) -> Setup {
    let places: Vec<_> = (0..nodes).map(|n| (f64::from(n) * 200.0, 0.0)).collect();
    let mut setup = quiet(&places, false, 10.0, false);
    setup.multicast = Some(smf::Config { jitter: Duration::from_millis(10) });
    setup
}

/// A run with programs at all nodes.
fn attached(setup: &Setup) -> Simulation<'_> {
    let mut simulation = Simulation::new(Cow::Borrowed(setup), 1, &Options::default());
    (0..setup.nodes.len() as u32).for_each(|n| simulation.attach(NodeId(n)));
    simulation
}

/// What has come to each node.
fn come(simulation: &mut Simulation<'_>) -> Vec<Vec<(Time, Packet)>> {
    (0..simulation.setup().nodes.len() as u32).map(|n| simulation.drain(NodeId(n))).collect()
}

#[test]
fn a_packet_to_a_group_comes_to_every_node_once_in_as_many_frames_as_there_are_nodes() {
    let mut setup = row(6);
    setup.mac.kind = Kind::Ideal;
    let mut simulation = attached(&setup);
    simulation.inject(NodeId(2), GROUP, datagram(64));
    simulation.advance(at(1.0));
    let come = come(&mut simulation);
    let counts: Vec<_> = come.iter().map(Vec::len).collect();
    assert_eq!(counts, [1, 1, 0, 1, 1, 1], "the sender's kernel has it already");
    for (node, come) in come.iter().enumerate() {
        for (_, packet) in come {
            let hops = node.abs_diff(2) as u8;
            assert_eq!(simulation.routers(packet), hops - 1);
            let bytes = packet.foreign_bytes(hops - 1).expect("it lives");
            assert_eq!((bytes[8], &bytes[16..20]), (64 - (hops - 1), &[228, 1, 2, 3][..]));
        }
    }
    // The air is granted to one at a time: each node sends once, and hears each neighbour once.
    let ledger = simulation.finish().ledger;
    assert_eq!((ledger.frames, ledger.frames_broadcast), (6, 6));
    assert_eq!((ledger.originated, ledger.broadcast_copies, ledger.delivered), (1, 10, 5));
    assert_eq!((ledger.doubled, ledger.absorbed, ledger.broadcast_done), (5, 5, 6));
    assert_eq!(ledger.dropped.iter().sum::<u64>(), 0);
}

#[test]
fn a_time_to_live_ends_the_way_and_link_local_groups_have_none() {
    for (ttl, to, reached) in [
        (1, GROUP, 1),
        (2, GROUP, 2),
        (3, GROUP, 3),
        (64, Address(0xe000_00fb), 1),
        (255, Address::BROADCAST, 1),
        (64, Address::NETWORK_BROADCAST, 4),
    ] {
        let setup = row(5);
        let mut simulation = attached(&setup);
        simulation.inject(NodeId(0), to, datagram(ttl));
        simulation.advance(at(1.0));
        let counts: Vec<_> = come(&mut simulation).iter().map(Vec::len).collect();
        let expected: Vec<_> = (0..5).map(|n| usize::from(n > 0 && n <= reached)).collect();
        assert_eq!(counts, expected, "{to}, time to live {ttl}");
        let frames = simulation.finish().ledger.frames;
        assert_eq!(frames, if reached == 4 { 5 } else { reached as u64 }, "{to}, time to live {ttl}");
    }
}

#[test]
fn nodes_without_programs_pass_packets_on_and_nothing_counts_as_lost() {
    let setup = row(4);
    let mut simulation = Simulation::new(Cow::Borrowed(&setup), 1, &Options::default());
    simulation.attach(NodeId(3));
    simulation.inject(NodeId(0), GROUP, datagram(64));
    simulation.advance(at(1.0));
    assert_eq!(simulation.drain(NodeId(3)).len(), 1);
    let ledger = simulation.finish().ledger;
    assert_eq!((ledger.delivered, ledger.dropped.iter().sum::<u64>()), (1, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// With stations that share the air by grants nothing collides: who is connected has each packet once, and every node
    /// that has it sends it once. Stations that contend may lose frames, but the books are right and nothing comes twice.
    #[test]
    fn who_is_connected_has_each_packet_once(
        places in prop::collection::vec((0.0..900.0, 0.0..500.0), 2..14),
        ideal in any::<bool>(),
        jitter_ms in 0u64..20,
        packets in 1usize..5,
        link_delay_us in prop_oneof![Just(0), Just(25)],
    ) {
        let mut setup = quiet(&places, false, 10.0, false);
        setup.nodes = places.iter().map(|&(x, y)| Trajectory::fixed(Position::new(x, y))).collect();
        setup.multicast = Some(smf::Config { jitter: Duration::from_millis(jitter_ms) });
        setup.mac.link_delay = Duration::from_micros(link_delay_us);
        if ideal {
            setup.mac.kind = Kind::Ideal;
        }
        let mut simulation = attached(&setup);
        for n in 0..packets {
            simulation.inject(NodeId(0), GROUP, datagram(64));
            simulation.advance(at(n as f64 * 0.01));
        }
        simulation.advance(at(5.0));
        let reached = connected(&places);
        for (node, come) in come(&mut simulation).iter().enumerate() {
            let mut ids: Vec<_> = come.iter().map(|(_, packet)| packet.id).collect();
            ids.sort_unstable();
            let all = ids.len();
            ids.dedup();
            prop_assert_eq!(ids.len(), all, "node {} has one twice", node);
            if ideal {
                prop_assert_eq!(all, if reached[node] && node > 0 { packets } else { 0 }, "node {}", node);
            }
        }
        let ledger = simulation.finish().ledger; // checks the books
        if ideal {
            let senders = reached.iter().filter(|&&reached| reached).count();
            prop_assert_eq!(ledger.frames, (senders * packets) as u64);
        }
    }
}

/// Who can be reached from node 0 over hops of 250 m.
fn connected(places: &[(f64, f64)]) -> Vec<bool> {
    let mut reached = vec![false; places.len()];
    let mut next = vec![0];
    while let Some(n) = next.pop() {
        if !std::mem::replace(&mut reached[n], true) {
            let near = |m: &usize| (places[*m].0 - places[n].0).hypot(places[*m].1 - places[n].1) <= 250.0;
            next.extend((0..places.len()).filter(near));
        }
    }
    reached
}

fn frame(destination: MacAddress, bytes: usize) -> Payload {
    Payload::Frame(Frame { destination, ether_type: 0x86dd, bytes: vec![5; bytes].into() }.into())
}

#[test]
fn a_frame_goes_to_the_neighbour_of_its_address_and_a_group_s_to_all_that_hear_it() {
    let setup = row(4);
    let mut simulation = Simulation::new(Cow::Borrowed(&setup), 1, &Options::default());
    simulation.attach(NodeId(0)); // takes packets, no frames
    (1..3).for_each(|n| simulation.attach_frames(NodeId(n)));
    let group = MacAddress([0x33, 0x33, 0, 0, 0, 1]);
    simulation.inject(NodeId(1), NodeId(2).address(), frame(MacAddress::of(NodeId(2)), 60));
    simulation.inject(NodeId(1), Address::BROADCAST, frame(group, 60));
    simulation.inject(NodeId(1), NodeId(3).address(), frame(MacAddress::of(NodeId(3)), 60)); // two hops: no router helps
    simulation.advance(at(1.0));
    let come = come(&mut simulation);
    assert_eq!(come.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 2, 0]);
    let bytes = come[2][0].1.foreign_frame().expect("a frame");
    assert_eq!(bytes[..14], [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd]);
    assert_eq!(come[2][1].1.foreign_frame().expect("a frame")[..6], group.0);
    let ledger = simulation.finish().ledger;
    let dropped = |cause: DropCause| ledger.dropped[cause as usize];
    assert_eq!((ledger.originated, ledger.delivered), (3, 2));
    assert_eq!(dropped(DropCause::NoListener), 1, "the group's, at node 0");
    assert_eq!(dropped(DropCause::RetryLimitRts) + dropped(DropCause::RetryLimitData), 1, "nobody answered");
}

/// On the air a frame is as long as an IP packet of as many bytes: the MAC puts LLC and SNAP before both.
#[test]
fn a_frame_is_as_long_on_the_air_as_what_it_carries() {
    let took = |payload: Payload| {
        let setup = row(2);
        let mut simulation = Simulation::new(Cow::Borrowed(&setup), 1, &Options::default());
        simulation.attach(NodeId(1));
        simulation.attach_frames(NodeId(1));
        simulation.inject(NodeId(0), NodeId(1).address(), payload);
        simulation.advance(at(1.0));
        simulation.drain(NodeId(1))[0].0
    };
    assert_eq!(took(frame(MacAddress::of(NodeId(1)), 120)), took(datagram(64)), "20 bytes of a header, and 100");
}

/// A router whose route breaks has the queue cleared: not of frames, which go on being tried, each by itself.
#[test]
fn a_router_at_the_node_does_not_touch_frames() {
    let mut setup = row(2);
    setup.nodes[1].place_at(at(1.0), Position::new(9000.0, 0.0));
    setup.nodes[1].place_at(at(1.5), Position::new(200.0, 0.0));
    setup.routing = Routing::Found(aodv::Config::rfc().into());
    let mut simulation = attached(&setup);
    (0..2).for_each(|n| simulation.attach_frames(NodeId(n)));
    simulation.inject(NodeId(0), NodeId(1).address(), datagram(64)); // a route is found
    simulation.advance(at(1.0));
    assert_eq!(simulation.drain(NodeId(1)).len(), 1);
    let to = NodeId(1).address();
    for _ in 0..3 {
        simulation.inject(NodeId(0), to, datagram(64));
        simulation.inject(NodeId(0), to, frame(MacAddress::of(NodeId(1)), 60));
    }
    simulation.advance(at(1.6));
    let ledger = simulation.finish().ledger;
    let lost = ledger.dropped[DropCause::NextHopLost as usize];
    let tried = ledger.dropped[DropCause::RetryLimitRts as usize] + ledger.dropped[DropCause::RetryLimitData as usize];
    assert_eq!((tried, lost), (4, 2), "all frames are tried, and of the packets the first alone: {ledger:?}");
}

#[test]
fn frames_and_packets_to_groups_are_lost_with_their_node_and_the_books_know() {
    use hopwright_mobility::Switch;
    let mut setup = row(3);
    let switch = |at_s, up| Switch { at: at(at_s), node: NodeId(1), up };
    setup.switches = vec![switch(1.005, false), switch(2.0, true)];
    let mut simulation = attached(&setup);
    (0..3).for_each(|n| simulation.attach_frames(NodeId(n)));
    for n in 0..400 {
        simulation.advance(at(f64::from(n) * 0.01));
        simulation.inject(NodeId(n as u32 % 3), GROUP, datagram(64));
        simulation.inject(NodeId(0), NodeId(1).address(), frame(MacAddress::of(NodeId(1)), 500));
        simulation.inject(NodeId(1), Address::BROADCAST, frame(MacAddress([0xff; 6]), 60));
    }
    simulation.advance(at(9.0));
    let ledger = simulation.finish().ledger;
    assert!(ledger.dropped[DropCause::NodeDown as usize] > 100, "{ledger:?}");
}
