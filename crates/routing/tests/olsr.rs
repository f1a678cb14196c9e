//! RFC 3626, section by section: one router, told what it hears, and what it then sends.

use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::olsr::{Config, Hysteresis, WILL_ALWAYS, WILL_DEFAULT, WILL_NEVER};
use hopwright_routing::{self as routing, Input, Output, Protocol, Router};
use hopwright_wire::olsr::LinkType::{Asymmetric, Lost, Symmetric};
use hopwright_wire::olsr::{
    Body, Hello, LinkCode, LinkMessage, LinkType, Message, NeighbourType, Packet, Tc, TimeCode,
};
use hopwright_wire::{self as wire, Payload, udp};

const ME: u32 = 0;

fn address(node: u32) -> Address {
    NodeId(node).address()
}

fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// One router and its clock.
struct Bench {
    router: Router,
    now: Time,
    sent: Vec<(Time, wire::Packet, Option<NodeId>)>,
    delivered: Vec<wire::Packet>,
    dropped: Vec<(wire::Packet, DropCause)>,
    sequence: u16,
    packets: u16,
}

impl Bench {
    fn new(config: Config) -> Self {
        let router = routing::Config::from(config).router(NodeId(ME), 7, &Arc::default());
        let (sent, delivered, dropped) = (Vec::new(), Vec::new(), Vec::new());
        let mut bench = Self { router, now: Time::ZERO, sent, delivered, dropped, sequence: 100, packets: 0 };
        bench.give(Input::Start);
        bench
    }

    fn give(&mut self, input: Input<'_>) {
        self.router.handle(self.now, input);
        while let Some(output) = self.router.poll() {
            match output {
                Output::Transmit { packet, next_hop } => self.sent.push((self.now, packet, next_hop)),
                Output::Deliver(packet) => self.delivered.push(packet),
                Output::Drop { packet, cause } => self.dropped.push((packet, cause)),
                Output::RouteBroke(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    fn wait(&mut self, ms: u64) {
        let end = self.now + millis(ms);
        while self.router.deadline() <= end {
            assert!(self.router.deadline() >= self.now, "a deadline in the past at {}", self.now);
            self.now = self.router.deadline();
            self.give(Input::Wake);
        }
        self.now = end;
    }

    /// A packet with these messages comes from a neighbour.
    fn hear(&mut self, from: u32, messages: Vec<Message>) {
        self.packets += 1;
        let payload = Payload::Olsr(Packet { sequence: self.packets, messages: messages.into() });
        let packet = wire::Packet::new(PacketId(1), address(from), Address::BROADCAST, 1, payload);
        self.give(Input::Receive { packet, from: NodeId(from) });
    }

    /// A HELLO: its links, with states.
    fn hello(&mut self, from: u32, willingness: u8, links: &[(u32, LinkType, NeighbourType)]) {
        let group = |&(node, link, neighbour)| LinkMessage {
            code: LinkCode::new(link, neighbour),
            neighbours: vec![address(node)],
        };
        let links = links.iter().map(group).collect();
        let hello = Hello { interval: TimeCode::at_least(Duration::from_secs(2)), willingness, links };
        let message = self.message(from, 1, Body::Hello(hello.into()));
        self.hear(from, vec![message]);
    }

    /// A symmetric neighbour that reaches these nodes.
    fn neighbour(&mut self, from: u32, reaches: &[u32]) {
        let me = [(ME, Symmetric, NeighbourType::Symmetric)];
        let links: Vec<_> = reaches.iter().map(|&n| (n, Symmetric, NeighbourType::Symmetric)).chain(me).collect();
        self.hello(from, WILL_DEFAULT, &links);
    }

    /// The same, and it has chosen this node as relay.
    fn selector(&mut self, from: u32) {
        self.hello(from, WILL_DEFAULT, &[(ME, Symmetric, NeighbourType::Mpr)]);
    }

    fn message(&mut self, originator: u32, ttl: u8, body: Body) -> Message {
        self.sequence += 1;
        let validity = TimeCode::at_least(Duration::from_secs(if ttl == 1 { 6 } else { 15 }));
        Message { validity, originator: address(originator), ttl, hop_count: 0, sequence: self.sequence, body }
    }

    fn tc(&mut self, from: u32, originator: u32, ansn: u16, advertised: &[u32]) {
        let body = Body::Tc(Tc { ansn, advertised: advertised.iter().map(|&n| address(n)).collect() }.into());
        let message = self.message(originator, 200, body);
        self.hear(from, vec![message]);
    }

    /// Messages sent since the last call, with their times.
    fn messages(&mut self) -> Vec<(Time, Message)> {
        let all = std::mem::take(&mut self.sent);
        let messages = all.into_iter().flat_map(|(time, packet, _)| match packet.payload {
            Payload::Olsr(packet) => packet.messages.iter().map(|m| (time, m.clone())).collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        messages.collect()
    }

    /// The next HELLO: willingness, and links in the order of their codes and addresses.
    fn next_hello(&mut self) -> Vec<(u32, LinkType, NeighbourType)> {
        self.messages();
        loop {
            self.now = self.router.deadline();
            self.give(Input::Wake);
            for (_, message) in self.messages() {
                let Body::Hello(hello) = message.body else { continue };
                assert_eq!((message.ttl, message.hop_count), (1, 0));
                let links = hello.links.iter().flat_map(|group| {
                    let (link, neighbour) = group.code.types().expect("a valid code");
                    group.neighbours.iter().map(move |a| (a.node().expect("a node").0, link, neighbour))
                });
                return links.collect();
            }
        }
    }

    /// TC messages of this node sent in a time: number and neighbours.
    fn tcs(&mut self, ms: u64) -> Vec<(u16, Vec<u32>)> {
        self.messages();
        self.wait(ms);
        let own = self.messages().into_iter().filter(|(_, message)| message.originator == address(ME));
        own.filter_map(|(_, message)| match message.body {
            Body::Tc(tc) => {
                assert_eq!((message.ttl, message.validity.duration()), (255, Duration::from_secs(15)));
                Some((tc.ansn, tc.advertised.iter().map(|a| a.node().expect("a node").0).collect()))
            }
            _ => None,
        })
        .collect()
    }

    fn route(&self, to: u32) -> Option<(u32, u32)> {
        Some((self.router.next_hop(address(to))?.0, self.router.hops(address(to))?))
    }

    fn data(&self, from: u32, to: u32, ttl: u8) -> wire::Packet {
        let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 9 };
        wire::Packet::new(PacketId(77), address(from), address(to), ttl, Payload::Udp(datagram))
    }
}

const NOT: NeighbourType = NeighbourType::Not;
const SYM: NeighbourType = NeighbourType::Symmetric;
const MPR: NeighbourType = NeighbourType::Mpr;

#[test]
fn section_3_5_intervals_are_jittered_downwards() {
    let mut bench = Bench::new(Config::rfc());
    bench.wait(200_000);
    let times: Vec<Time> = bench.messages().into_iter().map(|(time, _)| time).collect();
    assert!(times[0].as_secs_f64() < 2.0);
    let gaps: Vec<f64> = times.windows(2).map(|w| w[1].since(w[0]).as_secs_f64()).collect();
    assert!(gaps.iter().all(|&gap| gap > 1.5 && gap <= 2.0), "{gaps:?}");
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!((mean - 1.75).abs() < 0.05, "{mean}");
}

#[test]
fn section_6_and_7_a_link_is_told_as_it_is() {
    let mut bench = Bench::new(Config::rfc());
    assert_eq!(bench.next_hello(), []);
    bench.hello(1, WILL_DEFAULT, &[]);
    assert_eq!(bench.next_hello(), [(1, Asymmetric, NOT)]);
    assert_eq!(bench.route(1), None);
    bench.hello(1, WILL_DEFAULT, &[(ME, Asymmetric, NOT)]);
    assert_eq!(bench.next_hello(), [(1, Symmetric, SYM)]);
    assert_eq!(bench.route(1), Some((1, 1)));
    bench.hello(1, WILL_DEFAULT, &[(ME, Lost, NOT)]);
    assert_eq!(bench.next_hello(), [(1, Asymmetric, NOT)]);
    // §7.1.1: nothing more is heard; told as lost for NEIGHB_HOLD_TIME, then no more.
    bench.hello(1, WILL_DEFAULT, &[(ME, Symmetric, SYM)]);
    bench.wait(6100);
    assert_eq!(bench.next_hello(), [(1, Lost, NOT)]);
    bench.wait(6100);
    assert_eq!(bench.next_hello(), []);
}

/// §7.1.1 step 2: every HELLO keeps its link for its validity time, whether it names this node or not.
#[test]
fn section_7_1_1_an_asymmetric_link_lives_as_long_as_it_is_heard() {
    let mut bench = Bench::new(Config::rfc());
    bench.hello(1, WILL_DEFAULT, &[]);
    bench.wait(4000);
    bench.hello(1, WILL_DEFAULT, &[]);
    bench.wait(3900);
    assert_eq!(bench.next_hello(), [(1, Asymmetric, NOT)]);
    bench.wait(2100);
    assert_eq!(bench.next_hello(), []);
}

#[test]
fn section_6_1_1_invalid_link_codes_say_nothing() {
    let mut bench = Bench::new(Config::rfc());
    for code in [0b0010, 0b1110, 0b10_0110] {
        let links = vec![LinkMessage { code: LinkCode(code), neighbours: vec![address(ME), address(9)] }];
        let hello = Hello { interval: TimeCode(5), willingness: 3, links };
        let message = bench.message(1, 1, Body::Hello(hello.into()));
        bench.hear(1, vec![message]);
        assert_eq!((bench.route(1), bench.route(9)), (None, None), "{code:b}");
    }
}

#[test]
fn section_6_2_a_hello_may_leave_out_links_that_are_not_due() {
    let mut bench = Bench::new(Config::papanastasiou());
    let mut named: [Vec<Time>; 2] = Default::default();
    for round in 0..60 {
        bench.neighbour(1, &[]);
        if round >= 20 {
            bench.neighbour(2, &[]);
        }
        for (node, _, _) in bench.next_hello() {
            named[node as usize - 1].push(bench.now);
        }
    }
    for times in named {
        let gaps: Vec<f64> = times.windows(2).map(|w| w[1].since(w[0]).as_secs_f64()).collect();
        assert!(gaps.iter().all(|&gap| gap <= 2.0), "every link within REFRESH_INTERVAL: {gaps:?}");
        assert!(gaps.iter().any(|&gap| gap > 1.0), "but not in every HELLO: {gaps:?}");
    }
    // A change is told with the next.
    bench.hello(2, WILL_DEFAULT, &[(ME, Lost, NOT)]);
    assert!(bench.next_hello().contains(&(2, Asymmetric, NOT)));
}

#[test]
fn section_8_2_and_8_3_who_alone_reaches_a_node_becomes_relay() {
    let mut bench = Bench::new(Config::rfc());
    bench.neighbour(1, &[]);
    bench.neighbour(2, &[9, 1]);
    assert_eq!(bench.next_hello(), [(1, Symmetric, SYM), (2, Symmetric, MPR)]);
    assert_eq!(bench.route(9), Some((2, 2)));
    // §8.2.1: no neighbour of 2 any more; a node that is unwilling is no relay and nobody's way.
    bench.hello(2, WILL_DEFAULT, &[(ME, Symmetric, SYM), (9, Lost, NOT)]);
    bench.hello(1, WILL_NEVER, &[(ME, Symmetric, SYM), (8, Symmetric, SYM)]);
    assert_eq!(bench.next_hello(), [(1, Symmetric, SYM), (2, Symmetric, SYM)]);
    assert_eq!((bench.route(9), bench.route(8)), (None, None));
    bench.hello(1, WILL_ALWAYS, &[(ME, Symmetric, SYM)]);
    assert_eq!(bench.next_hello(), [(2, Symmetric, SYM), (1, Symmetric, MPR)]);
}

#[test]
fn section_8_5_with_a_neighbour_goes_what_it_reached_and_its_choice() {
    let mut bench = Bench::new(Config::rfc());
    bench.hello(1, WILL_DEFAULT, &[(ME, Symmetric, MPR), (9, Symmetric, SYM)]);
    assert_eq!(bench.route(9), Some((1, 2)));
    assert_eq!(bench.tcs(5000), [(1, vec![1])]);
    bench.hello(1, WILL_DEFAULT, &[(ME, Lost, NOT), (9, Symmetric, SYM)]);
    assert_eq!((bench.route(1), bench.route(9)), (None, None));
    assert_eq!(bench.tcs(5000), [(2, vec![])]);
}

/// §8.5: its choice ends with the link; if that comes back, the neighbour has to choose again.
#[test]
fn section_8_5_a_neighbour_that_comes_back_has_chosen_nobody() {
    let mut bench = Bench::new(Config::rfc());
    bench.selector(1);
    bench.hello(1, WILL_DEFAULT, &[(ME, Lost, NOT)]);
    bench.neighbour(1, &[]);
    assert_eq!(bench.route(1), Some((1, 1)));
    let tcs = bench.tcs(5000);
    assert!(tcs.iter().all(|(_, advertised)| advertised.is_empty()), "{tcs:?}");
}

#[test]
fn section_9_3_only_relays_speak_and_an_empty_set_is_told_for_the_hold_time() {
    let mut bench = Bench::new(Config::rfc());
    bench.neighbour(1, &[9]);
    assert_eq!(bench.tcs(20_000), []);
    for _ in 0..5 {
        bench.selector(1);
        bench.selector(2);
        let tcs = bench.tcs(4900);
        assert!(tcs.iter().all(|tc| *tc == (1, vec![1, 2])), "one number while nothing changes: {tcs:?}");
    }
    let tcs = bench.tcs(60_000);
    let empty = tcs.iter().filter(|tc| *tc == &(2, vec![])).count();
    assert!((2..=4).contains(&empty), "for 15 s: {tcs:?}");
    assert!(tcs.iter().all(|tc| tc.0 == 1 || tc.1.is_empty()), "{tcs:?}");
}

#[test]
fn section_9_3_a_change_may_be_told_at_once() {
    for (immediate_tc, within) in [(true, 500), (false, 5000)] {
        let mut bench = Bench::new(Config { immediate_tc, ..Config::rfc() });
        bench.wait(5010); // its first TC would have been
        bench.messages();
        bench.selector(1);
        let tcs = bench.tcs(500);
        assert_eq!(tcs.len(), usize::from(within == 500), "{tcs:?}");
    }
}

/// §3.4.1 step 8: a message goes on until its time to live is used up.
#[test]
fn section_3_4_1_a_message_goes_as_far_as_its_time_to_live() {
    for (ttl, further) in [(3, Some(2)), (2, Some(1)), (1, None)] {
        let mut bench = Bench::new(Config::rfc());
        bench.selector(1);
        let tc = Body::Tc(Tc { ansn: 1, advertised: [address(6)].into() }.into());
        let message = Message { ttl, ..bench.message(5, 200, tc) };
        assert_eq!(sent_on(&mut bench, 1, message).map(|message| message.ttl), further);
    }
}

/// §8.1.1, §10: willingness is what the last HELLO says; routes lead over the most willing.
#[test]
fn section_8_1_1_a_change_of_willingness_changes_routes() {
    let mut bench = Bench::new(Config::rfc());
    for from in [1, 2] {
        bench.hello(from, WILL_DEFAULT, &[(ME, Symmetric, SYM), (9, Symmetric, SYM)]);
    }
    for (willing, unwilling) in [(1, 2), (2, 1)] {
        bench.hello(unwilling, WILL_NEVER, &[(ME, Symmetric, SYM), (9, Symmetric, SYM)]);
        bench.hello(willing, WILL_DEFAULT, &[(ME, Symmetric, SYM), (9, Symmetric, SYM)]);
        assert_eq!(bench.route(9), Some((willing, 2)));
    }
}

/// §9.3, §15.1: what changes the set that is advertised is told at once, and nothing else.
#[test]
fn section_15_1_only_changes_of_what_is_advertised_are_told_at_once() {
    let told = |tc_redundancy, change: fn(&mut Bench)| {
        let mut bench = Bench::new(Config { tc_redundancy, immediate_tc: true, ..Config::rfc() });
        bench.wait(5010);
        bench.selector(1);
        assert_eq!(bench.tcs(500).len(), 1);
        bench.wait(1000);
        change(&mut bench);
        bench.tcs(500).len()
    };
    let neighbour = |bench: &mut Bench| bench.neighbour(2, &[]);
    let relay = |bench: &mut Bench| bench.neighbour(2, &[9]);
    let selector = |bench: &mut Bench| bench.selector(2);
    let nothing = |bench: &mut Bench| bench.selector(1);
    // Whom a neighbour only hears is no neighbour of it.
    let half = |bench: &mut Bench| bench.hello(1, WILL_DEFAULT, &[(ME, Symmetric, MPR), (9, Asymmetric, NOT)]);
    assert_eq!([0, 2].map(|redundancy| told(redundancy, neighbour)), [0, 1]);
    assert_eq!([0, 1, 2].map(|redundancy| told(redundancy, relay)), [0, 1, 1]);
    assert_eq!([0, 1, 2].map(|redundancy| told(redundancy, selector)), [1, 1, 1]);
    assert_eq!([0, 1, 2].map(|redundancy| told(redundancy, nothing)), [0, 0, 0]);
    assert_eq!([0, 1, 2].map(|redundancy| told(redundancy, half)), [0, 0, 0]);
}

#[test]
fn section_15_1_redundancy_adds_relays_then_all_neighbours() {
    for (tc_redundancy, advertised) in [(0, vec![1]), (1, vec![1, 2]), (2, vec![1, 2, 3])] {
        let mut bench = Bench::new(Config { tc_redundancy, ..Config::rfc() });
        bench.selector(1);
        bench.neighbour(2, &[9]);
        bench.neighbour(3, &[]);
        assert_eq!(bench.tcs(5000), [(1, advertised)], "redundancy {tc_redundancy}");
    }
}

#[test]
fn section_9_5_old_numbers_and_strangers_are_not_heard() {
    let mut bench = Bench::new(Config::rfc());
    bench.neighbour(1, &[5]);
    bench.tc(1, 5, 10, &[6]);
    assert_eq!(bench.route(6), Some((1, 3)));
    bench.tc(1, 5, 9, &[7]);
    assert_eq!(bench.route(7), None, "an older number");
    bench.tc(1, 5, 11, &[7]);
    assert_eq!((bench.route(6), bench.route(7)), (None, Some((1, 3))), "a newer one replaces");
    bench.hello(2, WILL_DEFAULT, &[]);
    bench.tc(2, 5, 12, &[8]);
    assert_eq!((bench.route(7), bench.route(8)), (Some((1, 3)), None), "2 is no symmetric neighbour");
    for _ in 0..4 {
        bench.wait(4000);
        bench.neighbour(1, &[5]);
    }
    assert_eq!((bench.route(5), bench.route(7)), (Some((1, 2)), None), "after TOP_HOLD_TIME");
}

#[test]
fn section_15_1_an_unwilling_node_advertises_nobody_but_its_selectors() {
    for tc_redundancy in 0..=2 {
        let mut bench = Bench::new(Config { tc_redundancy, willingness: WILL_NEVER, ..Config::rfc() });
        bench.neighbour(2, &[9]);
        bench.neighbour(3, &[]);
        assert_eq!(bench.tcs(10_000), [], "redundancy {tc_redundancy}");
    }
}

/// What a message looks like when it has been sent on, if it has.
fn sent_on(bench: &mut Bench, from: u32, message: Message) -> Option<Message> {
    bench.messages();
    let (name, start) = ((message.originator, message.sequence), bench.now);
    bench.hear(from, vec![message]);
    bench.wait(500);
    let on = bench.messages().into_iter().find(|(_, message)| (message.originator, message.sequence) == name);
    on.map(|(time, message)| {
        assert!(time.since(start) <= millis(500), "MAXJITTER");
        message
    })
}

#[test]
fn section_3_4_only_what_relays_must_send_on_is_sent_on_and_once() {
    let mut bench = Bench::new(Config::rfc());
    let hna = || Body::Hna([(Address(0xc0a8_0000), Address(0xffff_0000))].into());
    bench.selector(1);
    bench.neighbour(2, &[]);
    bench.hello(3, WILL_DEFAULT, &[]);
    for (kind, body) in [
        ("TC", Body::Tc(Tc { ansn: 1, advertised: [address(9)].into() }.into())),
        ("MID", Body::Mid([address(200)].into())),
        ("HNA", hna()),
        ("unknown", Body::Unknown { kind: 99, content: [1, 2, 3].into() }),
    ] {
        let mut message = bench.message(8, 5, body);
        message.hop_count = 2;
        let on = sent_on(&mut bench, 1, message.clone());
        let expected = Message { ttl: 4, hop_count: 3, ..message.clone() };
        assert_eq!(on, Some(expected), "{kind}");
        assert_eq!(sent_on(&mut bench, 1, message), None, "{kind}: once");
    }
    let spent = bench.message(8, 1, hna());
    assert_eq!(sent_on(&mut bench, 1, spent), None, "TTL");
    let own = bench.message(ME, 9, hna());
    assert_eq!(sent_on(&mut bench, 1, own), None, "its own");
    bench.selector(1); // time has passed
    bench.neighbour(2, &[]);
    let first = bench.message(8, 9, hna());
    assert_eq!(sent_on(&mut bench, 2, first.clone()), None, "2 did not choose this node");
    assert_eq!(sent_on(&mut bench, 1, first), None, "considered already");
    let other = bench.message(8, 9, hna());
    assert_eq!(sent_on(&mut bench, 3, other.clone()), None, "3 is no symmetric neighbour");
    assert!(sent_on(&mut bench, 1, other).is_some(), "and so it was not considered");
}

#[test]
fn section_3_4_messages_that_wait_share_a_packet() {
    for immediate_forwarding in [false, true] {
        let mut bench = Bench::new(Config { immediate_forwarding, ..Config::rfc() });
        bench.selector(1);
        bench.sent.clear();
        let messages: Vec<Message> =
            (0..5).map(|n| bench.message(10 + n, 9, Body::Mid([address(200)].into()))).collect();
        bench.hear(1, messages);
        if immediate_forwarding {
            assert_eq!(bench.sent.len(), 5, "at once, one each");
        } else {
            assert!(bench.sent.is_empty());
            bench.wait(500);
            let sizes = bench.sent.iter().map(|(_, packet, next_hop)| match &packet.payload {
                Payload::Olsr(inside) => (inside.messages.len(), *next_hop, packet.ttl),
                other => panic!("{other:?}"),
            });
            let sizes: Vec<_> = sizes.collect();
            assert!(sizes.iter().any(|size| size.0 >= 5 && size.1.is_none()), "{sizes:?}");
        }
    }
}

#[test]
fn section_3_3_packets_and_messages_are_numbered() {
    let mut bench = Bench::new(Config::rfc());
    bench.wait(20_000);
    let numbers = bench.sent.iter().filter_map(|(_, packet, _)| match &packet.payload {
        Payload::Olsr(packet) => Some((packet.sequence, packet.messages[0].sequence)),
        _ => None,
    });
    let numbers: Vec<_> = numbers.collect();
    assert!(numbers.len() > 8);
    assert!(numbers.windows(2).all(|w| w[1] == (w[0].0 + 1, w[0].1 + 1)), "{numbers:?}");
}

#[test]
fn very_many_neighbours_are_told_in_several_messages() {
    let mut bench = Bench::new(Config { tc_redundancy: 2, ..Config::rfc() });
    for node in 1..=800 {
        bench.neighbour(node, &[]);
    }
    bench.sent.clear();
    bench.wait(7000);
    let mut told = [std::collections::BTreeSet::new(), std::collections::BTreeSet::new()];
    for (_, packet, _) in &bench.sent {
        assert!(packet.bytes() <= 1500, "{} bytes", packet.bytes());
    }
    for (_, message) in bench.messages() {
        match message.body {
            Body::Hello(hello) => told[0].extend(hello.links.iter().flat_map(|group| group.neighbours.clone())),
            Body::Tc(tc) => told[1].extend(tc.advertised.iter().copied()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(told.map(|all| all.len()), [800, 800]);
}

#[test]
fn section_10_routes_grow_hop_by_hop_and_prefer_willing_neighbours_and_selectors() {
    let mut bench = Bench::new(Config::rfc());
    bench.neighbour(1, &[5, 6]);
    bench.hello(2, 6, &[(ME, Symmetric, SYM), (5, Symmetric, SYM)]);
    bench.hello(3, WILL_DEFAULT, &[(ME, Symmetric, MPR), (6, Symmetric, SYM)]);
    assert_eq!(bench.route(5), Some((2, 2)), "the more willing");
    assert_eq!(bench.route(6), Some((3, 2)), "the one that chose this node");
    bench.tc(1, 5, 1, &[7, 1, ME]);
    bench.tc(1, 7, 1, &[8]);
    bench.tc(1, 6, 1, &[8]);
    assert_eq!((bench.route(7), bench.route(8)), (Some((2, 3)), Some((3, 3))));
    // A link that only its far end's TC message tells leads from there on.
    bench.tc(1, 8, 1, &[50]);
    bench.tc(1, 51, 1, &[52]);
    assert_eq!((bench.route(50), bench.route(52)), (Some((3, 4)), None));
}

#[test]
fn packets_follow_routes_or_are_dropped() {
    let mut bench = Bench::new(Config::rfc());
    bench.neighbour(1, &[5]);
    bench.sent.clear();
    let own = bench.data(ME, 5, 64);
    bench.give(Input::Send(own.clone()));
    assert_eq!(bench.sent.pop().map(|(_, packet, next)| (packet, next)), Some((own, Some(NodeId(1)))));
    let foreign = bench.data(2, 5, 9);
    bench.give(Input::Receive { packet: foreign, from: NodeId(2) });
    assert_eq!(bench.sent.pop().map(|(_, packet, next)| (packet.ttl, next)), Some((8, Some(NodeId(1)))));
    for (packet, cause) in [(bench.data(2, 5, 1), DropCause::TtlExpired), (bench.data(2, 77, 9), DropCause::NoRoute)] {
        bench.give(Input::Receive { packet, from: NodeId(2) });
        assert_eq!(bench.dropped.pop().map(|(_, cause)| cause), Some(cause));
    }
    let unknown = bench.data(ME, 77, 64);
    bench.give(Input::Send(unknown));
    assert_eq!(bench.dropped.pop().map(|(_, cause)| cause), Some(DropCause::NoRoute), "OLSR keeps no packet");
    let mine = bench.data(5, ME, 9);
    bench.give(Input::Receive { packet: mine, from: NodeId(1) });
    assert_eq!(bench.delivered.len(), 1);
    assert_eq!(bench.router.held(), 0);
}

#[test]
fn section_13_the_link_layer_ends_a_link_only_where_it_is_asked() {
    for link_layer_notification in [false, true] {
        let mut bench = Bench::new(Config { link_layer_notification, ..Config::rfc() });
        bench.neighbour(1, &[5]);
        bench.neighbour(2, &[5]);
        let packet = bench.data(ME, 5, 64);
        bench.give(Input::LinkFailed { packet, next_hop: NodeId(1), cause: DropCause::RetryLimitRts });
        assert_eq!(bench.dropped.pop().map(|(_, cause)| cause), Some(DropCause::RetryLimitRts));
        if !link_layer_notification {
            assert_eq!((bench.route(1), bench.route(5)), (Some((1, 1)), Some((1, 2))));
            continue;
        }
        assert_eq!((bench.route(1), bench.route(5)), (None, Some((2, 2))));
        assert_eq!(bench.router.counters().route_breaks, 1);
        // HELLOs do not bring it back before NEIGHB_HOLD_TIME is over.
        bench.neighbour(1, &[5]);
        assert!(bench.next_hello().contains(&(1, Lost, NOT)));
        bench.wait(6000);
        bench.neighbour(1, &[5]);
        assert_eq!(bench.route(1), Some((1, 1)));
        // The other neighbour has said nothing meanwhile.
        assert_eq!((bench.route(2), bench.router.counters().route_breaks), (None, 2));
    }
}

#[test]
fn section_14_a_link_must_prove_good_and_is_lost_when_it_proves_bad() {
    let mut bench = Bench::new(Config { hysteresis: Some(Hysteresis::default()), ..Config::rfc() });
    let usable: Vec<bool> = (0..4)
        .map(|_| {
            bench.neighbour(1, &[]);
            bench.route(1).is_some()
        })
        .collect();
    assert_eq!(usable, [false, false, true, true], "0.5, 0.75, 0.875, 0.9375");
    assert_eq!(bench.next_hello(), [(1, Symmetric, SYM)]);
    bench.packets += 1; // one is missing: 0.47, then 0.73
    bench.neighbour(1, &[]);
    assert!(bench.route(1).is_some());
    // Two HELLO intervals of silence: 0.3 and less.
    bench.wait(2 * 2000 + 10);
    assert_eq!(bench.route(1), None);
}
