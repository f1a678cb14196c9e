//! Notices to transports over DSR, by RFC 4728 and by ns-2: one router, node 0, and a flow from node 7, or of its own, to node 9.

use hopwright_machine::NodeId;
use hopwright_routing::dsr::Config;
use hopwright_routing::{Input, Protocol, Wishes};
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::{Asks, Flow, Kind, Restored};
use hopwright_wire::{Packet, Payload, tcp};

use crate::talk::{Talk, a, data, failed, reply, request, routed};

fn configs() -> [Config; 2] {
    [Config::rfc(), Config { flow_state: false, ..Config::ns2() }]
}

fn asked(config: Config, source: u32, restored: Restored) -> Talk {
    let flow = Flow { source: a(source), destination: a(9), source_port: 33_001, destination_port: 5001 };
    let wish = Asks { failed: Kind::Rfn, every_detector: true, restored, seeks: false };
    Talk::asked(config, 0, Wishes::from([(flow, wish)]))
}

fn segment(id: u64, from: u32, seq: u32) -> Packet {
    let segment = tcp::Segment {
        source_port: 33_001,
        destination_port: 5001,
        seq: tcp::Seq(seq),
        ack: tcp::Seq(0),
        flags: tcp::Flags::ACK,
        window: 9,
        urgent: 0,
        options: tcp::Options::default(),
        payload_bytes: 100,
        ecn: Ecn::NotCapable,
    };
    Packet { payload: Payload::Tcp(segment.into()), ..data(id, from, 9) }
}

/// All that comes until then, but for requests, which come in their own time.
fn answers(talk: &mut Talk, mut said: Vec<String>, ms: u64) -> Vec<String> {
    said.extend(talk.lines_until(ms));
    said.retain(|line| !line.contains("RREQ"));
    said
}

/// A sender here is told of its route's failure at once, and once of its return.
#[test]
fn a_sender_here_is_told_of_failure_and_return() {
    for config in configs() {
        let mut talk = asked(config, 0, Restored::Sender);
        talk.get(1, reply(&[1, 9]));
        talk.until(1000);
        let said = talk.give(failed(routed(segment(1, 0, 5), &[1], 1, 0), 1));
        let said = answers(&mut talk, said, 1000);
        assert!(said.contains(&"tell Rfn 5".to_owned()), "{said:?}");
        assert!(!said.iter().any(|line| line.starts_with("up")), "{said:?}");
        let said = talk.get(2, reply(&[2, 9]));
        let said = answers(&mut talk, said, 1100);
        assert_eq!(said.iter().filter(|line| *line == "up 9").count(), 1, "{said:?}");
        let said = talk.get(3, reply(&[3, 9]));
        assert_eq!(answers(&mut talk, said, 1200), Vec::<String>::new());
    }
}

/// The return of a route that a transport had sought is told; of one that nobody missed nothing.
#[test]
fn a_route_that_was_sought_is_told() {
    for config in configs() {
        let mut talk = asked(config.clone(), 0, Restored::Sender);
        let said = talk.get(1, reply(&[1, 9]));
        assert_eq!(said, Vec::<String>::new(), "nobody missed it");

        let mut talk = asked(config, 0, Restored::Sender);
        let said = talk.give(Input::Seek(a(9)));
        assert_eq!(answers(&mut talk, said, 100), Vec::<String>::new());
        assert_eq!(talk.get(1, reply(&[1, 9])), ["up 9"]);
    }
}

/// A notice travels in the error to the packet's source, one in a second for each flow and link.
#[test]
fn a_notice_travels_with_the_error() {
    for config in configs() {
        let mut talk = asked(config, 7, Restored::Nobody);
        talk.get(3, reply(&[3, 7]));
        let mut lose = |ms, seq| {
            talk.until(ms);
            let said = talk.give(failed(routed(segment(seq, 7, seq as u32), &[3, 0, 4], 1, 0), 4));
            let said = answers(&mut talk, said, ms);
            said.into_iter().find(|line| line.starts_with("to 3: 0->7, RERR 0-4 tell 7")).unwrap_or_default()
        };
        assert!(lose(1000, 5).contains("Rfn 5"));
        assert!(!lose(1999, 6).contains("Rfn"), "so soon after the last");
        assert!(lose(2000, 7).contains("Rfn 7"));
        assert!(lose(2001, 4).contains("Rfn 4"), "a segment before it");
        assert_eq!(talk.router.counters().notices, 3);
    }
}

/// The node that told of a failure tells the source when it has a route to the destination again.
#[test]
fn the_node_that_told_of_a_failure_tells_of_the_return() {
    for config in configs() {
        for restored in [Restored::Sender, Restored::Nobody] {
            let mut talk = asked(config.clone(), 7, restored);
            talk.get(3, reply(&[3, 7]));
            talk.until(1000);
            talk.give(failed(routed(segment(1, 7, 5), &[3, 0, 4], 1, 0), 4));
            talk.until(1001);
            let before = talk.router.counters().notices;
            let said = talk.get(5, reply(&[5, 9]));
            let said = answers(&mut talk, said, 1001);
            let told = said.iter().filter(|line| line.starts_with("to 3: 0->7")).count();
            let expected = usize::from(restored == Restored::Sender);
            assert_eq!((told, talk.router.counters().notices - before), (expected, expected as u64), "{said:?}");
        }
    }
}

/// A receiver here hears of the route back to the sender when the reply to the sender's request has left, not before.
#[test]
fn a_receiver_hears_of_the_route_after_its_reply() {
    for config in configs() {
        let flow = Flow { source: a(7), destination: a(0), source_port: 33_001, destination_port: 5001 };
        let wish = Asks { failed: Kind::Rfn, every_detector: true, restored: Restored::Receiver, seeks: false };
        let mut talk = Talk::asked(config, 0, Wishes::from([(flow, wish)]));
        talk.until(1000);
        assert_eq!(talk.get(2, request(7, 1, 0, &[2], 20)), Vec::<String>::new());
        assert_eq!(talk.router.next_hop(a(7)), Some(NodeId(2)));
        let said = talk.lines_until(1010);
        assert!(said.len() == 2 && said[0].starts_with("to 2: 0->7, RREP") && said[1] == "up 7", "{said:?}");
        let said = talk.give(Input::Seek(a(9)));
        assert_eq!(answers(&mut talk, said, 1100), Vec::<String>::new());
        assert_eq!(talk.get(1, reply(&[1, 9])), Vec::<String>::new(), "no end of the flow");
    }
}
