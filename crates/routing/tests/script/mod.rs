//! Conversations with one router, written as text.
//!
//! A line is a time, a mark and what happens. `<` is an input, `>` the next output, `=` a fact. Node n has
//! address n, the router under test is node 0. `100ms+ >` allows up to 10 ms more (jitter), `100ms+900 >` up to 900 ms.
//! `?` stands for "unknown".
//!
//! ```text
//! seek 5                                        a transport wants a route to node 5, but has nothing to send
//! send 5                                        this node's transport sends to node 5
//! get 1 tcp 7->5 seq 8                          a segment, of the flow that asks for notices; also with a ttl
//! get 1 Rfn 7->5 to 7                           a notice about that flow, on its way to node 7
//! reclaimed 1 data 0->5 ttl 64                  a packet that waited for neighbour 1 is given back
//! get 1 data 7->5 ttl 9                         a packet comes from neighbour 1
//! get 1 RREQ 3 7->5 own 4 known ? hops 0 ttl 9  request 3 of node 7, its number 4, that of node 5 unknown
//! get 1 RREP 5 seq 7 hops 1 to 0 life 6000      reply about node 5
//! get 1 RREP 5 seq 7 hops 1 to 0 life 6000 A    the same, to be acknowledged: get 1 ACK
//! get 1 HELLO 1 seq 4 life 2000                 neighbour 1 is there
//! get 1 RERR 5:8 6:0                            node 5, number 8, and node 6 cannot be reached; RERR N 5:8
//! fail 1 data 0->5 ttl 64                       the link layer gave a packet to neighbour 1 up
//! start                                         the node begins to work, again
//! ```

use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::{Input, Output, Protocol, Router, Wishes};
use hopwright_wire::aodv::{Message, Rerr, Rrep, Rreq};
use hopwright_wire::notice::{Asks, Flow, Kind, Notice, Restored};
use hopwright_wire::{Packet, Payload, tcp, udp};

/// Plays a script to a router and compares every output.
pub(crate) fn check(mut router: Router, script: &str) {
    let mut outputs: Vec<(Time, String)> = Vec::new();
    let mut now = Time::ZERO;
    router.handle(now, Input::Start);
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, rest) = line.split_once(' ').expect("a time and more");
        let (mark, what) = rest.trim().split_at(1);
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
        let (head, more) = head.split_once('+').map_or((head, "0"), |(head, more)| (head, more));
        let time = millis(head.trim_end_matches("ms"));
        assert!(time >= now || mark == ">", "script goes back in time: {line}");
        let until =
            if more.is_empty() { time + Duration::from_millis(10) } else { time + millis(more).since(Time::ZERO) };
        run(&mut router, &mut now, until, &mut outputs);
        match mark {
            "<" => {
                assert!(outputs.is_empty(), "before `{line}` came {outputs:?}");
                router.handle(now, input(&what));
                collect(&mut router, now, &mut outputs);
            }
            ">" => {
                assert!(!outputs.is_empty(), "nothing came: `{line}`");
                let (at, text) = outputs.remove(0);
                assert_eq!(text, what, "at {at}, wanted `{line}`");
                assert!(at >= time && at <= until, "`{line}` came at {at}");
            }
            "=" => assert_eq!(fact(&router, &what), what, "{line}"),
            _ => panic!("unknown mark: {line}"),
        }
    }
    assert!(outputs.is_empty(), "at the end came {outputs:?}");
}

fn run(router: &mut Router, now: &mut Time, until: Time, outputs: &mut Vec<(Time, String)>) {
    collect(router, *now, outputs);
    while router.deadline() <= until {
        assert!(router.deadline() >= *now, "a deadline in the past: {} at {now}", router.deadline());
        *now = router.deadline();
        router.handle(*now, Input::Wake);
        collect(router, *now, outputs);
    }
    *now = until.max(*now);
}

fn collect(router: &mut Router, now: Time, outputs: &mut Vec<(Time, String)>) {
    while let Some(output) = router.poll() {
        if !matches!(output, Output::RouteBroke(_)) {
            outputs.push((now, describe(&output))); // breaks are counted: `breaks`
        }
    }
}

fn fact(router: &Router, what: &str) -> String {
    let words: Vec<&str> = what.split(' ').collect();
    match words[0] {
        "held" => format!("held {}", router.held()),
        "breaks" => format!("breaks {}", router.counters().route_breaks),
        "control" => format!("control {} {}", router.counters().control_packets, router.counters().control_bytes),
        "route" => match (router.next_hop(address(words[1])), router.hops(address(words[1]))) {
            (Some(next), Some(hops)) => format!("route {} via {next} hops {hops}", words[1]),
            _ => format!("route {} none", words[1]),
        },
        _ => panic!("unknown fact: {what}"),
    }
}

fn input(what: &str) -> Input<'static> {
    let words: Vec<&str> = what.split(' ').collect();
    match words[0] {
        "start" => Input::Start,
        "send" => Input::Send(data("0", words[1], 64)),
        "reclaimed" => Input::Reclaimed { packet: packet(&words[2..], node("0")), next_hop: node(words[1]) },
        "seek" => Input::Seek(address(words[1])),
        "get" => Input::Receive { packet: packet(&words[2..], node(words[1])), from: node(words[1]) },
        "fail" => {
            let packet = packet(&words[2..], node("0"));
            Input::LinkFailed { packet, next_hop: node(words[1]), cause: DropCause::RetryLimitRts }
        }
        _ => panic!("unknown input: {what}"),
    }
}

fn packet(words: &[&str], from: NodeId) -> Packet {
    let mut ttl = 30;
    let mut destination = Address::BROADCAST;
    let message = match words {
        ["tcp", ends, "seq", seq, ttl @ ..] => {
            let (source, destination) = ends.split_once("->").expect("two ends");
            let ttl = ttl.get(1).map_or(64, |ttl| number(ttl) as u8);
            return Packet { ttl, ..segment(source, destination, number(seq)) };
        }
        ["Rfn", ends, "to", to] => {
            let (source, destination) = ends.split_once("->").expect("two ends");
            let (source, destination) = (address(source), address(destination));
            let flow = Flow { source, destination, source_port: PORTS.0, destination_port: PORTS.1 };
            let notice = Notice { kind: Kind::Rfn, hops: 0, id: 1, flow, seq: tcp::Seq(0) };
            return Packet::new(PacketId(0), from.address(), address(to), 64, Payload::Notice(notice));
        }
        ["data", ends, "ttl", ttl] => {
            let (source, destination) = ends.split_once("->").expect("two ends");
            return data(source, destination, number(ttl) as u8);
        }
        ["RREQ", id, ends, "own", own, "known", known, "hops", hops, "ttl", time_to_live, flags @ ..] => {
            let (source, destination) = ends.split_once("->").expect("two ends");
            ttl = number(time_to_live) as u8;
            Message::Rreq(Rreq {
                gratuitous: flags.contains(&"G"),
                destination_only: flags.contains(&"D"),
                unknown_sequence: *known == "?",
                hop_count: number(hops) as u8,
                id: number(id),
                destination: address(destination),
                destination_sequence: if *known == "?" { 0 } else { number(known) },
                originator: address(source),
                originator_sequence: number(own),
            })
        }
        ["ACK"] => {
            destination = address("0");
            Message::RrepAck
        }
        ["HELLO", about, "seq", seq, "life", life] => Message::Rrep(Rrep {
            ack_required: false,
            hop_count: 0,
            destination: address(about),
            destination_sequence: number(seq),
            originator: address(about),
            lifetime_ms: number(life),
        }),
        ["RREP", about, "seq", seq, "hops", hops, "to", to, "life", life, flags @ ..] => {
            destination = address(to);
            Message::Rrep(Rrep {
                ack_required: flags.contains(&"A"),
                hop_count: number(hops) as u8,
                destination: address(about),
                destination_sequence: number(seq),
                originator: address(to),
                lifetime_ms: number(life),
            })
        }
        ["RERR", lost @ ..] => {
            let no_delete = lost.first() == Some(&"N");
            let pairs = lost.iter().skip(usize::from(no_delete)).map(|pair| pair.split_once(':').expect("node:number"));
            let unreachable = pairs.map(|(node, sequence)| (address(node), number(sequence))).collect();
            Message::Rerr(Rerr { no_delete, unreachable })
        }
        _ => panic!("unknown packet: {words:?}"),
    };
    Packet::new(PacketId(1), from.address(), destination, ttl, Payload::Aodv(message))
}

fn data(source: &str, destination: &str, ttl: u8) -> Packet {
    let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 100 };
    let (source, destination) = (address(source), address(destination));
    Packet::new(PacketId(0), source, destination, ttl, Payload::Udp(datagram))
}

fn segment(source: &str, destination: &str, seq: u32) -> Packet {
    let segment = tcp::Segment {
        source_port: PORTS.0,
        destination_port: PORTS.1,
        seq: tcp::Seq(seq),
        ack: tcp::Seq(0),
        flags: tcp::Flags::ACK,
        window: 9,
        urgent: 0,
        options: tcp::Options::default(),
        payload_bytes: 100,
        ecn: hopwright_wire::ip::Ecn::NotCapable,
    };
    Packet::new(PacketId(0), address(source), address(destination), 64, Payload::Tcp(segment.into()))
}

/// What the routers under test are asked for: notices about the flow from `source` to `destination`.
#[allow(dead_code, reason = "not every test file asks")]
pub(crate) fn wishes(source: &str, destination: &str, restored: Restored) -> Arc<Wishes> {
    let (source, destination) = (address(source), address(destination));
    let flow = Flow { source, destination, source_port: PORTS.0, destination_port: PORTS.1 };
    let wish = Asks { failed: Kind::Rfn, every_detector: true, restored, seeks: true };
    Arc::new(Wishes::from([(flow, wish)]))
}

/// The ports of that flow.
const PORTS: (u16, u16) = (33_001, 5001);

fn describe(output: &Output) -> String {
    match output {
        Output::Deliver(packet) => format!("deliver {}", show(packet)),
        Output::Transmit { packet, next_hop: Some(next) } => format!("{next} {}", show(packet)),
        Output::Transmit { packet, next_hop: None } => format!("all {}", show(packet)),
        Output::PurgeNextHop(next) => format!("purge {next}"),
        Output::ReclaimNextHop(next) => format!("reclaim {next}"),
        Output::Drop { packet, cause } => format!("drop {cause} {}", show(packet)),
        Output::Doubled(packet) => format!("again {}", show(packet)),
        Output::Notify(notice) => format!("tell {}", say(notice)),
        Output::RouteUp(there) => format!("up {}", name(*there)),
        Output::RouteBroke(neighbour) => format!("broke {neighbour}"),
    }
}

fn say(notice: &Notice) -> String {
    let Notice { kind, hops, flow, seq, .. } = notice;
    format!("{kind:?} {}->{} seq {seq:?} hops {hops}", name(flow.source), name(flow.destination))
}

fn show(packet: &Packet) -> String {
    match &packet.payload {
        Payload::Notice(notice) => format!("{} to {} ttl {}", say(notice), name(packet.destination), packet.ttl),
        Payload::Aodv(Message::Rreq(m)) => {
            let known = if m.unknown_sequence { "?".into() } else { m.destination_sequence.to_string() };
            let flags = if m.gratuitous { " G" } else { "" };
            let flags = if m.destination_only { format!("{flags} D") } else { flags.into() };
            let (from, to, own) = (name(m.originator), name(m.destination), m.originator_sequence);
            format!("RREQ {} {from}->{to} own {own} known {known} hops {} ttl {}{flags}", m.id, m.hop_count, packet.ttl)
        }
        Payload::Aodv(Message::Rrep(m)) if packet.destination.is_broadcast() => {
            assert_eq!((packet.ttl, m.hop_count, m.originator), (1, 0, m.destination), "a HELLO by §6.9");
            format!("HELLO {} seq {} life {}", name(m.destination), m.destination_sequence, m.lifetime_ms)
        }
        Payload::Aodv(Message::Rrep(m)) => {
            let (about, to, seq) = (name(m.destination), name(m.originator), m.destination_sequence);
            let flags = if m.ack_required { " A" } else { "" };
            format!("RREP {about} seq {seq} hops {} to {to} life {}{flags}", m.hop_count, m.lifetime_ms)
        }
        Payload::Aodv(Message::RrepAck) => "ACK".into(),
        Payload::Aodv(Message::Rerr(m)) => {
            let lost = m.unreachable.iter().map(|(node, sequence)| format!(" {}:{sequence}", name(*node)));
            format!("RERR{}{}", if m.no_delete { " N" } else { "" }, lost.collect::<String>())
        }
        Payload::Tcp(segment) => {
            format!("tcp {}->{} seq {:?}", name(packet.source), name(packet.destination), segment.seq)
        }
        _ => format!("data {}->{} ttl {}", name(packet.source), name(packet.destination), packet.ttl),
    }
}

fn millis(text: &str) -> Time {
    Time::ZERO + Duration::from_millis(u64::from(number(text)))
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

fn node(text: &str) -> NodeId {
    NodeId(number(text))
}

fn address(text: &str) -> Address {
    node(text).address()
}

fn name(address: Address) -> String {
    address.node().map_or("all".into(), |node| node.to_string())
}
