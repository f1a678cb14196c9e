//! What nodes say to programs outside by themselves: answers to echoes, and errors.

use std::borrow::Cow;

use hopwright_machine::{NodeId, Time};
use hopwright_routing::{aodv, dsdv, dsr, olsr};
use hopwright_sim::{Options, Routing, Setup, Simulation};
use hopwright_wire::Payload;
use hopwright_wire::icmp::{Echo, Message, unreachable};
use hopwright_wire::ip::{Head, Opaque, protocol};

use crate::support::{at, quiet};

const PROGRAM: NodeId = NodeId(0);

/// A packet of a program.
fn sent(protocol: u8, ttl: u8, fragment: u16, bytes: &[u8]) -> Payload {
    let head = Head { tos: 0x20, ttl, identification: 7, fragment, options: [].into() };
    Payload::Opaque(Opaque { protocol, bytes: bytes.into(), head: Some(head) }.into())
}

fn echo(ttl: u8, data: &[u8]) -> Payload {
    let mut bytes = Vec::new();
    Message::EchoRequest(Echo { identifier: 5, sequence: 9, data }).emit(&mut bytes);
    sent(protocol::ICMP, ttl, 0, &bytes)
}

/// Four nodes in a row, 200 m apart, and one that nobody hears.
fn row(routing: Routing) -> Setup {
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0), (600.0, 0.0), (9000.0, 0.0)], false, 100.0, false);
    setup.routing = routing;
    setup
}

/// A run with a program at the first node, in which nodes answer.
fn answering(setup: &Setup) -> Simulation<'_> {
    let mut simulation = Simulation::new(Cow::Borrowed(setup), 1, &Options::default());
    simulation.attach(PROGRAM);
    simulation.answer();
    simulation
}

/// What the program hears until then: from which node, with which time to live, the message.
fn heard(simulation: &mut Simulation<'_>, until: f64) -> Vec<(u32, u8, Vec<u8>)> {
    simulation.advance(at(until));
    let came = simulation.drain(PROGRAM);
    let heard = came.iter().map(|(_, packet)| {
        let bytes = packet.foreign_bytes(simulation.routers(packet)).expect("it lives");
        assert_eq!((bytes[9], &bytes[16..20]), (protocol::ICMP, &[10, 0, 0, 1][..]));
        (packet.source.node().expect("a node's").0, bytes[8], bytes[20..].to_vec())
    });
    heard.collect()
}

/// How packets find their ways, and when that is known.
fn routings() -> Vec<(Routing, f64)> {
    vec![
        (Routing::Static(None), 0.0),
        (Routing::Found(aodv::Config::rfc().into()), 0.0),
        (Routing::Found(aodv::Config::ns2().into()), 0.0),
        (Routing::Found(dsr::Config::rfc().into()), 0.0),
        (Routing::Found(olsr::Config::rfc().into()), 30.0),
        (Routing::Found(dsdv::Config::perkins().into()), 60.0),
    ]
}

#[test]
fn a_node_without_a_program_answers_echoes_with_what_they_carried() {
    for (routing, begin) in routings() {
        let setup = row(routing);
        let mut simulation = answering(&setup);
        simulation.advance(at(begin));
        simulation.inject(PROGRAM, NodeId(3).address(), echo(64, b"as it was"));
        let heard = heard(&mut simulation, begin + 5.0);
        let [(3, 62, message)] = &heard[..] else { panic!("{:?}: {heard:?}", setup.routing) };
        let expected = Message::EchoReply(Echo { identifier: 5, sequence: 9, data: b"as it was" });
        assert_eq!(Message::parse(message), Ok(expected));
    }
}

#[test]
fn a_time_to_live_that_runs_out_is_told_by_the_router_where_it_does() {
    for (routing, begin) in routings() {
        let setup = row(routing);
        let mut simulation = answering(&setup);
        simulation.advance(at(begin));
        simulation.inject(PROGRAM, NodeId(3).address(), echo(64, b"")); // the way is known afterwards
        heard(&mut simulation, begin + 5.0);
        for (ttl, from) in [(1, 1), (2, 2), (3, 3), (64, 3)] {
            simulation.inject(PROGRAM, NodeId(3).address(), sent(protocol::UDP, ttl, 0, &[1; 600]));
            let until = begin + 5.0 + f64::from(ttl);
            let heard = heard(&mut simulation, until);
            let [(node, _, message)] = &heard[..] else { panic!("{ttl}, {:?}: {heard:?}", setup.routing) };
            assert_eq!(*node, from, "{ttl}, {:?}", setup.routing);
            let quoted = match Message::parse(message) {
                Ok(Message::TimeExceeded { quoted }) if from < 3 => quoted,
                Ok(Message::Unreachable { code: unreachable::PORT, quoted }) if from == 3 => quoted,
                other => panic!("{ttl}, {:?}: {other:?}", setup.routing),
            };
            assert_eq!(quoted.len(), 548, "576 with both headers");
            let left = if ttl == 64 { 62 } else { 1 };
            assert_eq!((quoted[8], &quoted[12..20], quoted[20]), (left, &[10, 0, 0, 1, 10, 0, 0, 4][..], 1));
        }
    }
}

#[test]
fn a_way_that_is_not_found_is_told_by_the_program_s_own_node() {
    for routing in
        [Routing::Static(None), Routing::Found(aodv::Config::rfc().into()), Routing::Found(dsr::Config::rfc().into())]
    {
        let setup = row(routing);
        let mut simulation = answering(&setup);
        simulation.inject(PROGRAM, NodeId(4).address(), echo(64, b""));
        let heard = heard(&mut simulation, 90.0);
        let [(0, 64, message)] = &heard[..] else { panic!("{:?}: {heard:?}", setup.routing) };
        assert!(matches!(Message::parse(message), Ok(Message::Unreachable { code: unreachable::HOST, .. })));
    }
}

#[test]
fn nothing_is_said_of_errors_and_later_fragments_and_not_without_end() {
    let setup = row(Routing::Static(None));
    let mut simulation = answering(&setup);
    let mut error = Vec::new();
    Message::TimeExceeded { quoted: &[0; 28] }.emit(&mut error);
    for silent in [
        sent(protocol::ICMP, 1, 0, &error),
        sent(protocol::ICMP, 1, 0, &[8, 0, 1, 2, 3, 4, 5, 6]), // a wrong sum: may be an error
        sent(protocol::UDP, 1, 7, &[1; 100]),
        sent(protocol::UDP, 64, 7, &[1; 100]),
    ] {
        simulation.inject(PROGRAM, NodeId(3).address(), silent);
    }
    assert_eq!(heard(&mut simulation, 1.0), []);
    simulation.inject(PROGRAM, NodeId(2).address(), sent(99, 64, 0, &[1; 100]));
    let of_protocol = heard(&mut simulation, 2.0);
    let code = |message: &[u8]| message[1];
    assert_eq!(of_protocol.iter().map(|heard| code(&heard.2)).collect::<Vec<_>>(), [unreachable::PROTOCOL]);
    for n in 0..400 {
        simulation.advance(at(2.0) + hopwright_machine::Duration::from_millis(10) * n);
        simulation.inject(PROGRAM, NodeId(2).address(), sent(protocol::UDP, 1, 0, &[1; 10]));
    }
    let count = heard(&mut simulation, 10.0).len();
    assert!((245..=252).contains(&count), "a second's worth, and four seconds at 50: {count}");
}

#[test]
fn who_does_not_ask_for_answers_has_none() {
    let setup = row(Routing::Static(None));
    let mut simulation = Simulation::new(Cow::Borrowed(&setup), 1, &Options::default());
    simulation.attach(PROGRAM);
    simulation.inject(PROGRAM, NodeId(3).address(), echo(64, b""));
    simulation.inject(PROGRAM, NodeId(3).address(), sent(protocol::UDP, 1, 0, &[1; 10]));
    assert_eq!(heard(&mut simulation, 2.0), []);
    assert!(simulation.now() == Time::ZERO + hopwright_machine::Duration::from_secs(2));
}
