//! Our traces beside ns-2's own.

use std::collections::BTreeMap;

use hopwright_link::arp;
use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_routing::aodv;
use hopwright_sim::{Event, Options, Routing, Setup, Trace, Watch, run_traced};
use hopwright_trace::ns2::{Config, Format, Writer};

use crate::support::{at, string};

struct InMemory(Writer<Vec<u8>>);

impl Trace for InMemory {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.0.event(at, node, event);
    }

    fn hears(&self, node: NodeId) -> bool {
        self.0.hears(node)
    }
}

/// The trace of a run whose back-off counters are these, as far as they are given.
fn trace(setup: &Setup, draws: &[&[u32]], config: Config) -> String {
    let mut memory = InMemory(Writer::new(Vec::new(), setup, config));
    let backoff_script = draws.iter().map(|draws| Some(draws.to_vec())).collect();
    let options = Options { backoff_script, ..Options::default() };
    run_traced(setup, 1, &options, &Watch::default(), &mut memory).expect("nobody cancels");
    String::from_utf8(memory.0.finish().expect("memory takes everything")).expect("ASCII")
}

/// A string over AODV, its nodes where ns-2's script puts them.
fn over_aodv(hops: u32, seconds: f64) -> Setup {
    let mut setup = string(hops, "newreno", seconds, true);
    let place = |n: u32| Position::new(10.0 + 200.0 * f64::from(n), 50.0);
    setup.nodes = (0..=hops).map(|n| Trajectory::fixed(place(n))).collect();
    setup.routing = Routing::Found(aodv::Config::ns2().into());
    setup.mac.arp = Some(arp::Config::ns2());
    setup
}

/// Compares two lines without their times, and the times: ours are whole nanoseconds, so that each of `hops` of
/// 666.7 ns is a third of a nanosecond longer.
fn compare(ours: &str, theirs: &str, hops: u64) {
    let split = |line: &str| {
        let from = line.find(|c: char| c.is_ascii_digit()).expect("a time");
        let to = line[from..].find(' ').expect("more fields") + from;
        let nanos: u64 = line[from..to].replace('.', "").parse().expect("nine digits behind the point");
        (nanos, format!("{}{}", &line[..from], &line[to..]))
    };
    let ((our_time, our_rest), (their_time, their_rest)) = (split(ours), split(theirs));
    assert_eq!(our_rest, their_rest);
    assert!(our_time.abs_diff(their_time) <= hops.div_ceil(3), "{ours}\n{theirs}");
}

/// As far as node 3's answer to the first acknowledgement; four RTS of node 0 collide on the way.
const GOLDEN_LINES: usize = 60;
/// Those of `golden.rs` of the simulator, and what node 0 waits after each RTS that collided: 670 us for its CTS, DIFS,
/// and 20 us per slot; the last is only long enough. Node 4 waits 9 slots after its MAC's acknowledgement before it
/// sends TCP's.
const GOLDEN_DRAWS: [&[u32]; 5] =
    [&[2, 0, 18, 25, 51, 59, 116, 400], &[28, 0, 27, 0, 8], &[16, 0, 12, 0, 17], &[8, 0, 7, 0, 10], &[12, 0, 9]];

#[test]
fn the_golden_trace_is_written_as_ns2_writes_it() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation/ns2/golden.tr");
    let theirs = std::fs::read_to_string(path).expect("the golden trace is part of the project");
    let mac = Config { agent: false, router: false, mac: true, format: Format::Old };
    let ours = trace(&string(4, "newreno", 0.05, true), &GOLDEN_DRAWS, mac);
    // The golden trace has no lines for what is received. Its script routes without routing agent, which leaves
    // time to live and next hop as the transport set them.
    let sent = ours.lines().filter(|line| !line.starts_with('r'));
    let unrouted = |line: &str| match line.find("------- [") {
        Some(ip) => {
            let (head, tail) = line.split_at(ip);
            let (addresses, rest) = tail.split_once("] ").expect("the IP fields end");
            let fields: Vec<&str> = addresses.split(' ').collect();
            format!("{head}{} {} {} 32 0] {rest}", fields[0], fields[1], fields[2])
        }
        None => line.to_owned(),
    };
    let pairs: Vec<_> = sent.zip(theirs.lines()).take(GOLDEN_LINES).collect();
    assert_eq!(pairs.len(), GOLDEN_LINES);
    assert_eq!(pairs.iter().filter(|(ours, _)| ours.contains(" COL ")).count(), 4);
    for (frame, (ours, theirs)) in pairs.into_iter().enumerate() {
        compare(&unrouted(ours), theirs, frame as u64 + 1);
    }
}

/// `one-hop-aodv.tr`, as `one-hop-aodv.tcl hops=1 seed=57 dur=0.5` wrote it; `arp.rs` of the simulator has its draws.
const AODV_LINES: usize = 40;
const AODV_DRAWS: [&[u32]; 2] = [&[0, 0, 1, 0, 10], &[2, 0, 11, 0, 15]];

#[test]
fn agents_routers_and_stations_are_traced_as_ns2_traces_them() {
    let old = include_str!("data/one-hop-aodv.tr");
    let new = include_str!("data/one-hop-aodv.new.tr");
    for (format, theirs) in [(Format::Old, old), (Format::New, new)] {
        let ours = trace(&over_aodv(1, 0.5), &AODV_DRAWS, Config { format, ..Config::default() });
        // ns-2's agents write a time to live of 32, and AODV 30 over it.
        let theirs = theirs.lines().map(|line| line.replace(" 32 0] ", " 30 0] ").replace("-Iv 32 ", "-Iv 30 "));
        let pairs: Vec<_> = ours.lines().zip(theirs).take(AODV_LINES).collect();
        assert_eq!(pairs.len(), AODV_LINES);
        for (line, (ours, theirs)) in pairs.into_iter().enumerate() {
            compare(ours, &theirs, line as u64 + 1);
        }
    }
}

/// Two hops, whose far end is gone after 0.3 s: what happens then, in the order in which ns-2 says it.
#[test]
fn a_lost_neighbour_leaves_the_lines_it_leaves_in_ns2() {
    let mut setup = over_aodv(2, 20.0);
    setup.nodes[2].place_at(at(1.3), Position::new(5000.0, 50.0));
    let ours = trace(&setup, &[], Config::default());
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for line in ours.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        *kinds.entry(format!("{} {} {} {}", words[0], words[3], words[4], words[6])).or_default() += 1;
    }
    // Every kind of line of ns-2's run of the same, but `f` for AODV: whoever passes a reply on is its source here.
    for kind in [
        "D MAC RET RTS",
        "D MAC RET tcp",
        "D RTR CBK tcp",
        "D RTR NRTE tcp",
        "f RTR --- ack",
        "f RTR --- tcp",
        "r AGT --- ack",
        "r AGT --- tcp",
        "r MAC --- ACK",
        "r MAC --- AODV",
        "r MAC --- ARP",
        "r MAC --- CTS",
        "r MAC --- RTS",
        "r MAC --- ack",
        "r MAC --- tcp",
        "r RTR --- AODV",
        "r RTR --- ack",
        "r RTR --- tcp",
        "s AGT --- ack",
        "s AGT --- tcp",
        "s MAC --- ACK",
        "s MAC --- AODV",
        "s MAC --- ARP",
        "s MAC --- CTS",
        "s MAC --- RTS",
        "s MAC --- ack",
        "s MAC --- tcp",
        "s RTR --- AODV",
        "s RTR --- ack",
        "s RTR --- tcp",
    ] {
        assert!(kinds.contains_key(kind), "no line '{kind}': {kinds:?}");
    }
    // Node 1 gives up: the RTS, then what routing drops, then the packet itself, then the route error.
    let lines: Vec<&str> = ours.lines().collect();
    let rts = lines.iter().position(|l| l.contains("_1_ MAC  RET 0 RTS 44 [1b36 2 1 0]")).expect("node 1 gives up");
    let given_up = lines[rts + 1..].iter().position(|l| l.contains("MAC  RET")).expect("its packet") + rts + 1;
    assert!(lines[rts + 1..given_up].iter().all(|l| l.contains("_1_ RTR  CBK")) && given_up > rts + 1);
    assert!(lines[given_up].contains("tcp 1500 [13a 2 1 800] ------- [0:0 2:0 29 2] ["), "{}", lines[given_up]);
    let error = lines[given_up + 1];
    assert!(
        error.contains("_1_ RTR  --- 0 AODV 32 [0 0 0 0] ------- [1:255 -1:255 1 0] [0x8 1 [2 0] 0.000000] (ERROR)"),
        "{error}"
    );
}

#[test]
fn lines_are_in_the_order_of_time_and_layers_can_be_left_out() {
    let setup = over_aodv(4, 6.0);
    let everything = trace(&setup, &[], Config::default());
    let times: Vec<f64> = everything.lines().map(|l| l.split(' ').nth(1).unwrap().parse().unwrap()).collect();
    assert!(times.windows(2).all(|w| w[0] <= w[1]));
    assert!(everything.contains(" MAC  COL "), "a string of four hops has collisions");
    let only = |agent, router, mac| trace(&setup, &[], Config { agent, router, mac, format: Format::Old });
    let of = |layer: &str| -> String {
        let layer = format!("_ {layer} ");
        everything.lines().filter(|l| l.contains(&layer)).map(|l| format!("{l}\n")).collect()
    };
    let without_queue =
        |text: String| -> String { text.lines().filter(|l| !l.contains("_ IFQ ")).map(|l| format!("{l}\n")).collect() };
    assert_eq!(without_queue(only(true, false, false)), of("AGT"));
    assert_eq!(without_queue(only(false, true, false)), of("RTR"));
    assert_eq!(without_queue(only(false, false, true)), of("MAC"));
}
