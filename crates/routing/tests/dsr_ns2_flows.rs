//! Flow state of DSR as ns-2.35 has it (`dsr/dsragent.cc`, `dsr/flowstruct.cc`): packets of an established flow go without
//! their route. The router under test is node 0.

use hopwright_machine::{Machine, NodeId};
use hopwright_routing::dsr::Config;
use hopwright_routing::{Input, Output, Protocol};
use hopwright_wire::Packet;
use hopwright_wire::dsr::{DsrOption, Error, ErrorKind, Flow};

use crate::talk::{Talk, a, control, data, failed, reply, routed, with};

const ROUTED: &str = "to 1: 0->9, flow 1, by 1-2 left 2 salvage 0, Timeout(60), ttl 64";
const BARE: &str = "to 1: 0->9, ttl 64";

/// A router that knows 0-1-2-9.
fn source(config: Config) -> Talk {
    let mut talk = Talk::new(config);
    talk.get(1, reply(&[1, 2, 9]));
    talk
}

fn send(talk: &mut Talk) -> String {
    let said = talk.give(Input::Send(data(1, 0, 9)));
    assert_eq!(said.len(), 1, "{said:?}");
    said[0].clone()
}

/// The packet says that it belongs to this flow.
fn named(mut packet: Packet, id: u16) -> Packet {
    packet.dsr.get_or_insert_default().flow = Some(Flow { hop_count: 2, id });
    packet
}

/// One of the first packets of a flow from node 7 over 3, 0 and 4 to node 9.
fn establishing(id: u16) -> Packet {
    named(with(routed(data(1, 7, 9), &[3, 0, 4], 2, 0), DsrOption::Timeout(60)), id)
}

/// A node on the way of such a flow, which also knows the way to its source.
fn on_the_way(id: u16) -> Talk {
    let mut talk = Talk::new(Config::ns2());
    talk.get(3, reply(&[3, 7]));
    let said = talk.get(3, establishing(id));
    assert_eq!(said, [format!("to 4: 7->9, flow {id}, by 3-0-4 left 1 salvage 0, Timeout(60), ttl 63")]);
    talk
}

fn with_ttl(packet: Packet, ttl: u8) -> Packet {
    Packet { ttl, ..packet }
}

/// `END_TO_END_COUNT` 2, `min_adv_interval` 5 s: the first three packets tell the route, then one in more than five seconds.
#[test]
fn the_first_three_packets_and_one_every_five_seconds_carry_the_route() {
    let mut talk = source(Config::ns2());
    let said: Vec<String> = (0..5).map(|_| send(&mut talk)).collect();
    assert_eq!(said, [ROUTED, ROUTED, ROUTED, BARE, BARE]);
    for (ms, expected) in [(5000, BARE), (5001, ROUTED), (10_001, BARE), (10_002, ROUTED)] {
        talk.until(ms);
        assert_eq!(send(&mut talk), expected, "at {ms} ms");
    }
}

/// `default_flow_timeout` 60 s: from its last packet, whether that carried the route or not.
#[test]
fn a_flow_ends_a_minute_after_its_last_packet() {
    let mut talk = source(Config::ns2());
    for _ in 0..4 {
        send(&mut talk);
    }
    talk.until(1000);
    assert_eq!(send(&mut talk), BARE);
    talk.until(61_000);
    assert_eq!(send(&mut talk), ROUTED);
    talk.until(121_001);
    assert_eq!(send(&mut talk), ROUTED.replace("flow 1", "flow 3"), "default flows have odd numbers");
}

#[test]
fn without_flow_state_every_packet_carries_its_route() {
    let mut talk = source(Config { flow_state: false, ..Config::ns2() });
    for _ in 0..5 {
        assert_eq!(send(&mut talk), "to 1: 0->9, by 1-2 left 2 salvage 0, ttl 64");
    }
}

/// A packet goes without any header only in the default flow and with the time to live by which nodes on the way know it.
#[test]
fn a_packet_of_another_time_to_live_names_its_flow() {
    let mut talk = source(Config::ns2());
    for _ in 0..3 {
        send(&mut talk);
    }
    assert_eq!(talk.give(Input::Send(with_ttl(data(1, 0, 9), 20))), ["to 1: 0->9, flow 1, ttl 20"]);
    assert_eq!(send(&mut talk), BARE);
    // Where one of the packets that told the route had another, nodes may know the flow by either.
    let mut talk = source(Config::ns2());
    send(&mut talk);
    talk.give(Input::Send(with_ttl(data(1, 0, 9), 20)));
    send(&mut talk);
    assert_eq!(send(&mut talk), "to 1: 0->9, flow 1, ttl 64");
}

/// A flow keeps its route unless a new one is shorter.
#[test]
fn only_a_shorter_route_begins_another_flow() {
    let mut talk = source(Config::ns2());
    send(&mut talk);
    talk.get(3, reply(&[3, 9]));
    assert_eq!(send(&mut talk), "to 3: 0->9, flow 3, by 3 left 1 salvage 0, Timeout(60), ttl 64");
    // Learnt shorter, but no shorter than that.
    talk.get(4, reply(&[4, 9]));
    assert!(send(&mut talk).starts_with("to 3: 0->9, flow 3,"));
}

/// A broken link ends the flows of this node over it.
#[test]
fn a_broken_link_ends_flows() {
    let mut talk = source(Config::ns2());
    for _ in 0..4 {
        send(&mut talk);
    }
    talk.get(3, reply(&[3, 4, 9]));
    assert_eq!(send(&mut talk), BARE);
    talk.get(5, reply(&[5, 6, 8]));
    let other = |talk: &mut Talk| talk.give(Input::Send(data(2, 0, 8)));
    for _ in 0..3 {
        other(&mut talk);
    }
    talk.until(1000);
    let kind = ErrorKind::NodeUnreachable(a(9));
    let error = DsrOption::Error(Error { salvage: 0, source: a(2), destination: a(0), kind });
    talk.get(1, routed(control(9, 2, a(0), 60, error), &[1], 0, 0));
    assert_eq!(send(&mut talk), "to 3: 0->9, flow 5, by 3-4 left 2 salvage 0, Timeout(60), ttl 64");
    assert_eq!(other(&mut talk), ["to 5: 0->8, ttl 64"], "a flow over other links");
}

/// Nodes on the way forward what names the flow, and what names none in the default flow: by its time to live.
#[test]
fn established_flows_are_forwarded_without_a_route() {
    let mut talk = on_the_way(5);
    assert_eq!(talk.get(3, named(data(2, 7, 9), 5)), ["to 4: 7->9, flow 5, ttl 63"]);
    assert_eq!(talk.get(3, with_ttl(named(data(3, 7, 9), 5), 20)), ["to 4: 7->9, flow 5, ttl 19"]);
    assert_eq!(talk.get(3, data(4, 7, 9)), ["to 4: 7->9, ttl 63"]);
    let said = talk.get(3, with_ttl(named(data(5, 7, 9), 5), 0));
    assert!(said.len() == 1 && said[0].starts_with("drop ttl_expired"), "{said:?}");
    let said = talk.get(3, with_ttl(named(data(6, 7, 9), 5), 1));
    assert_eq!(said, ["to 4: 7->9, flow 5, ttl 0"]);
}

/// The hop count in the flow header grows on the way (RFC 4728 §7.1: seven bits).
#[test]
fn the_hop_count_of_a_flow_grows() {
    let mut talk = on_the_way(5);
    for packet in [named(data(2, 7, 9), 5), establishing(5)] {
        talk.router.handle(talk.now, Input::Receive { packet, from: NodeId(3) });
        let Some(Output::Transmit { packet, .. }) = talk.router.poll() else { panic!("it is not passed on") };
        assert_eq!(packet.dsr.and_then(|header| header.flow), Some(Flow { hop_count: 3, id: 5 }));
    }
}

/// What names no flow belongs to the default flow, the newest of an odd number; of even numbers none is.
#[test]
fn an_even_flow_is_no_default() {
    let mut talk = on_the_way(6);
    assert_eq!(talk.get(3, named(data(2, 7, 9), 6)), ["to 4: 7->9, flow 6, ttl 63"]);
    let said = talk.get(3, data(3, 7, 9));
    assert_eq!(said[0], "to 4: 7->9, by 0-4 left 1 salvage 1, ttl 64");
    assert!(said.len() == 2 && said[1].contains("no usual flow 7->9"), "{said:?}");
}

/// A packet of an unknown flow is salvaged, and its source told.
#[test]
fn the_source_is_told_of_an_unknown_flow() {
    let told = |what: &str| format!("to 3: 0->7, flow 1, {what}, by 3 left 1 salvage 0, Timeout(60), ttl 255");
    let salvaged = "to 4: 7->9, by 0-4 left 1 salvage 1";
    let mut talk = on_the_way(5);
    let said = talk.get(3, named(data(2, 7, 9), 7));
    assert!(said[0].starts_with(salvaged), "{said:?}");
    assert_eq!(said[1..], [told("no flow 7 7->9")]);
    let said = talk.get(3, with_ttl(data(3, 7, 9), 63));
    assert!(said[0].starts_with(salvaged), "{said:?}");
    assert_eq!(said[1..], [told("no usual flow 7->9")], "not the time to live of that flow");

    let mut talk = Talk::new(Config::ns2());
    talk.get(3, reply(&[3, 7]));
    talk.get(4, reply(&[4, 9]));
    assert_eq!(talk.get(3, data(1, 0, 9)), ["drop no_route: 0->9, ttl 64"], "its own, come back");
    assert_eq!(talk.get(3, data(2, 7, 9))[1..], [told("no usual flow 7->9")]);
}

/// Its next three packets carry the route again.
#[test]
fn a_source_that_is_told_of_an_unknown_flow_tells_the_route_again() {
    let told = |tell, kind| {
        let error = DsrOption::Error(Error { salvage: 0, source: a(2), destination: tell, kind });
        routed(control(9, 2, a(0), 60, error), &[1], 0, 0)
    };
    let unknown = |id| ErrorKind::UnknownFlow { destination: a(9), id };
    for (tell, kind, again) in [
        (a(0), unknown(1), true),
        (a(0), unknown(3), false),
        (a(5), unknown(1), false),
        (a(0), ErrorKind::DefaultFlowUnknown(a(9)), false), // which ns-2 has no number for
    ] {
        let mut talk = source(Config::ns2());
        for _ in 0..4 {
            send(&mut talk);
        }
        assert_eq!(talk.get(1, told(tell, kind.clone())), Vec::<String>::new());
        let said: Vec<String> = (0..4).map(|_| send(&mut talk)).collect();
        assert_eq!(said, if again { [ROUTED, ROUTED, ROUTED, BARE] } else { [BARE; 4] }, "{kind:?}");
    }
}

/// A packet without a route that fails is told and salvaged by the route of its flow.
#[test]
fn a_flow_that_breaks_is_told_along_its_route() {
    let told = "to 3: 0->7, RERR 0-4 tell 7 salvage 0, by 3 left 1 salvage 0, ttl 255";
    for bare in [data(2, 7, 9), named(data(2, 7, 9), 5)] {
        let mut talk = on_the_way(5);
        talk.get(5, reply(&[5, 6, 9]));
        let said = talk.give(failed(bare.clone(), 4));
        assert_eq!(said, ["to 5: 7->9, by 0-5-6 left 2 salvage 1, ttl 64", "reclaim 4", told]);
        assert_eq!(talk.router.next_hop(a(9)), Some(NodeId(5)));
        // A node on the way keeps a flow for as long as its source says, and 60 s from each packet on.
        for (ms, known) in [(60_000, true), (60_001, false)] {
            let mut talk = on_the_way(5);
            talk.until(ms);
            let said = talk.give(failed(bare.clone(), 4));
            assert_eq!(said.contains(&told.to_owned()), known, "{said:?}");
        }
    }
    let mut talk = on_the_way(5);
    talk.until(50_000);
    talk.get(3, data(2, 7, 9));
    talk.until(110_000);
    assert!(talk.give(failed(data(3, 7, 9), 4)).contains(&told.to_owned()));
}

/// Of flows with the same ends the first to be told counts: a later packet with its name changes nothing.
#[test]
fn a_known_flow_keeps_its_next_hop() {
    let mut talk = on_the_way(5);
    let other = named(with(routed(data(2, 7, 9), &[3, 0, 6], 2, 0), DsrOption::Timeout(60)), 5);
    assert!(talk.get(3, other)[0].starts_with("to 6: 7->9, flow 5, by 3-0-6"));
    assert_eq!(talk.get(3, named(data(3, 7, 9), 5)), ["to 4: 7->9, flow 5, ttl 63"]);
    // A newer default flow takes its place.
    let newer = named(with(routed(data(4, 7, 9), &[3, 0, 6], 2, 0), DsrOption::Timeout(60)), 7);
    talk.get(3, newer);
    assert_eq!(talk.get(3, data(5, 7, 9)), ["to 6: 7->9, ttl 63"]);
}

/// Unknown flows nest as errors do: who is named in the last sends the others on.
#[test]
fn unknown_flows_that_are_left_go_on() {
    let unknown = |tell: u32, id| {
        let kind = ErrorKind::UnknownFlow { destination: a(9), id };
        DsrOption::Error(Error { salvage: 0, source: a(2), destination: a(tell), kind })
    };
    let mut talk = Talk::new(Config::ns2());
    talk.get(3, reply(&[3, 7]));
    let nested = with(control(9, 2, a(0), 60, unknown(7, 5)), unknown(0, 1));
    let said = talk.get(1, routed(nested, &[1], 0, 0));
    assert_eq!(said, ["to 3: 0->7, flow 1, no flow 5 7->9, by 3 left 1 salvage 0, Timeout(60), ttl 255"]);
}
