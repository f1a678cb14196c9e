//! DSDV, one rule per conversation with one router: node 0, by Perkins' rules or ns-2's.

use std::sync::Arc;

use hopwright_machine::{DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::{Config, Input, Output, Protocol, Router, Wishes, dsdv};
use hopwright_wire::dsdv::{Entry, INFINITE, Update};
use hopwright_wire::notice::{Asks, Flow, Kind, Restored};
use hopwright_wire::{Packet, Payload, tcp, udp};

struct Bench {
    router: Router,
    now: Time,
}

impl Bench {
    fn new(config: dsdv::Config) -> Self {
        let mut router = Config::from(config).router(NodeId(0), 1, &Arc::default());
        router.handle(Time::ZERO, Input::Start);
        Self { router, now: Time::ZERO }
    }

    fn outputs(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.router.poll()).collect()
    }

    /// What comes in so many seconds.
    fn wait(&mut self, seconds: u64) -> Vec<Output> {
        let (end, mut came) = (self.now + Duration::from_secs(seconds), Vec::new());
        while self.router.deadline() <= end {
            assert!(self.router.deadline() >= self.now, "a deadline in the past at {}", self.now);
            self.now = self.router.deadline();
            self.router.handle(self.now, Input::Wake);
            came.extend(self.outputs());
        }
        self.now = end;
        came
    }

    fn give(&mut self, packet: Packet) -> Vec<Output> {
        self.router.handle(self.now, Input::Receive { packet, from: NodeId(1) });
        self.outputs()
    }

    /// Neighbour 1 offers routes.
    fn offer(&mut self, entries: impl IntoIterator<Item = (u32, u32, u32)>) -> Vec<Output> {
        let entry = |(node, metric, sequence)| Entry { destination: NodeId(node).address(), metric, sequence };
        let payload = Payload::Dsdv(Update { entries: entries.into_iter().map(entry).collect() });
        self.give(Packet::new(PacketId(9), NodeId(1).address(), hopwright_machine::Address::BROADCAST, 1, payload))
    }
}

fn updates(outputs: &[Output]) -> Vec<(Packet, Update)> {
    let of = |output: &Output| match output {
        Output::Transmit { packet, .. } => match &packet.payload {
            Payload::Dsdv(update) => Some((packet.clone(), update.clone())),
            _ => None,
        },
        _ => None,
    };
    outputs.iter().filter_map(of).collect()
}

/// Perkins and Bhagwat §4: whoever hears itself told of as gone has the last word, with a newer number of its own.
#[test]
fn a_node_that_is_said_to_be_gone_contradicts_at_once() {
    let mut bench = Bench::new(dsdv::Config::perkins());
    bench.wait(20);
    bench.offer([(1, 0, 100), (0, INFINITE, 1001)]);
    let own = |update: &Update| update.entries.iter().find(|entry| entry.destination == NodeId(0).address()).copied();
    let answered = updates(&bench.wait(2)).iter().find_map(|(_, update)| own(update)).expect("it answers");
    assert_eq!(answered.metric, 0);
    assert!(answered.sequence % 2 == 0, "an even number is the node's own: {}", answered.sequence);
    // Who says nothing of the kind is not contradicted before the next update is due.
    let mut bench = Bench::new(dsdv::Config { start_jitter: Duration::from_nanos(1), ..dsdv::Config::perkins() });
    bench.wait(1);
    bench.offer([(1, 0, 100), (0, 1, 100)]);
    assert!(updates(&bench.wait(2)).iter().all(|(_, update)| update.entries.len() < 3));
}

/// ns-2 drops a packet that comes back to its source; Perkins' rules know no such case.
#[test]
fn ns2_drops_own_packets_that_come_back() {
    for (config, looped) in [(dsdv::Config::ns2(), true), (dsdv::Config::perkins(), false)] {
        let mut bench = Bench::new(config);
        let payload = Payload::Udp(udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 100 });
        let own = Packet::new(PacketId(7), NodeId(0).address(), NodeId(5).address(), 30, payload);
        let came = bench.give(own);
        let dropped = came.iter().any(|o| matches!(o, Output::Drop { cause: DropCause::RoutingLoop, .. }));
        assert_eq!(dropped, looped, "{came:?}");
    }
}

/// Updates are for neighbours alone; ns-2 gives them its usual time to live (`IP_DEF_TTL` 32), which nobody uses up.
#[test]
fn updates_make_one_hop() {
    for (config, ttl) in [(dsdv::Config::perkins(), 1), (dsdv::Config::ns2(), 32)] {
        let said = updates(&Bench::new(config).wait(16));
        assert!(!said.is_empty() && said.iter().all(|(packet, _)| packet.ttl == ttl), "{said:?}");
    }
}

/// A table of 300 routes goes in packets that fit into a frame, by Perkins' rules; in ns-2's, of 255 routes each.
#[test]
fn a_long_table_goes_in_several_packets() {
    for (config, most) in [(dsdv::Config::perkins(), None), (dsdv::Config::ns2(), Some(255))] {
        let mut bench = Bench::new(config);
        bench.wait(16);
        bench.offer((2..300).map(|node| (node, 3, 100)));
        bench.offer([(1, 0, 100)]);
        let mut told = Vec::new();
        for _ in 0..5 {
            bench.offer([(1, 0, 100)]);
            told.extend(updates(&bench.wait(15)));
        }
        let largest = told.iter().map(|(_, update)| update.entries.len()).max();
        match most {
            Some(most) => assert_eq!(largest, Some(most)),
            None => {
                let bytes = |packet: &Packet| bench.router.packet_bytes(packet);
                let most = told.iter().map(|(packet, _)| bytes(packet)).max().unwrap();
                assert!(most <= 1500 && most > 1500 - 12, "{most} bytes: as many entries as fit");
            }
        }
    }
}

/// ns-2's `DSDV_Agent::recv` adds an IP header to what TCP has given one already: its traces have 1520 bytes for segments of 1460, and
/// 1028 for CBR of 1000 bytes and 8 for UDP.
#[test]
fn ns2_counts_the_ip_header_of_segments_twice() {
    let segment = crate::talk::segment(1, 0, 1);
    for (config, twice) in [(dsdv::Config::ns2(), 20), (dsdv::Config::perkins(), 0)] {
        let bench = Bench::new(config);
        assert_eq!(bench.router.packet_bytes(&segment), 20 + 20 + 100 + twice);
        assert_eq!(bench.router.packet_bytes(&crate::talk::data(1, 0, 1)), 20 + 8 + 100);
    }
}

/// Broch et al. 1998 §3.1.2: packets without a route are kept, the newest five, and leave when an update brings one.
#[test]
fn an_update_releases_what_waits_for_it() {
    let mut bench = Bench::new(dsdv::Config::perkins());
    let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 9 };
    let packet =
        |id, to: u32| Packet::new(PacketId(id), NodeId(0).address(), NodeId(to).address(), 64, Payload::Udp(datagram));
    for (id, to) in [(1, 5), (2, 6), (3, 5)] {
        bench.router.handle(bench.now, Input::Send(packet(id, to)));
        assert_eq!(bench.outputs(), []);
    }
    let released = bench.offer([(5, 1, 10)]);
    let sent = |id| Output::Transmit { packet: packet(id, 5), next_hop: Some(NodeId(1)) };
    assert_eq!(released.iter().filter(|output| **output == sent(1) || **output == sent(3)).count(), 2, "{released:?}");
    assert_eq!(bench.router.held(), 1);
    for id in 10..15 {
        bench.router.handle(bench.now, Input::Send(packet(id, 6)));
    }
    assert_eq!(bench.outputs(), [Output::Drop { packet: packet(2, 6), cause: DropCause::RouteBufferFull }]);
}

/// A transport whose segment finds no route is told; without a route the segment is kept all the same.
#[test]
fn the_source_of_a_segment_without_a_route_is_told() {
    let [source, destination] = [0, 5].map(|node| NodeId(node).address());
    let flow = Flow { source, destination, source_port: 33_001, destination_port: 5001 };
    let wish = Asks { failed: Kind::Rfn, every_detector: true, restored: Restored::Sender, seeks: false };
    let wishes = Arc::new(Wishes::from([(flow, wish)]));
    let mut router = Config::from(dsdv::Config::perkins()).router(NodeId(0), 1, &wishes);
    router.handle(Time::ZERO, Input::Start);
    let segment = tcp::Segment {
        source_port: 33_001,
        destination_port: 5001,
        seq: tcp::Seq(7),
        ack: tcp::Seq(0),
        flags: tcp::Flags::ACK,
        window: 9,
        urgent: 0,
        options: tcp::Options::default(),
        payload_bytes: 100,
        ecn: hopwright_wire::ip::Ecn::NotCapable,
    };
    router.handle(
        Time::ZERO,
        Input::Send(Packet::new(PacketId(1), source, destination, 64, Payload::Tcp(segment.into()))),
    );
    let said: Vec<Output> = std::iter::from_fn(|| router.poll()).collect();
    assert!(
        matches!(said[..], [Output::Notify(notice)] if notice.flow == flow && notice.seq == tcp::Seq(7)),
        "{said:?}"
    );
    assert_eq!(router.held(), 1);
}

/// Perkins and Bhagwat §3, Broch et al. 1998: news is told at once, but no sooner than a second after the last update.
#[test]
fn triggered_updates_keep_their_distance() {
    let mut bench = Bench::new(dsdv::Config::perkins());
    bench.wait(3); // the first full update has left
    bench.offer((1..60).map(|node| (node, 1, 100)));
    bench.wait(30);
    // Times of updates while there is news every 100 ms.
    let mut times = Vec::new();
    for n in 0..80 {
        bench.offer([(1, 0, 200 + 2 * n), (5 + n % 50, INFINITE, 201 + 2 * n)]);
        let end = bench.now + Duration::from_millis(100);
        while bench.router.deadline() <= end {
            assert!(bench.router.deadline() >= bench.now, "a deadline in the past at {}", bench.now);
            bench.now = bench.router.deadline();
            bench.router.handle(bench.now, Input::Wake);
            let outputs = bench.outputs();
            times.extend(updates(&outputs).iter().map(|_| bench.now));
        }
        bench.now = end;
    }
    assert!(times.len() >= 5, "{times:?}");
    // Each has a jitter of up to 10 ms.
    let near = times.windows(2).filter(|w| w[1].since(w[0]) < Duration::from_millis(990)).count();
    assert!(near <= 1, "only a periodic one may come sooner: {times:?}");
}
