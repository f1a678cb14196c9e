//! Address resolution on the air: what is sent before the first packet to a neighbour, and what becomes of those
//! that wait.

use hopwright_link::arp;
use hopwright_machine::NodeId;
use hopwright_routing::aodv;
use hopwright_sim::{FlowKind, FrameRecord, Ledger, Options, Pattern, Routing, Setup, Source, Watch, run};

use crate::support::{at, string};

/// ns-2.35: one hop over AODV, seed 57. The request of RREP's sender leaves 25 µs up + 5 µs + DIFS + two slots
/// after RREQ; its answer 5 µs + DIFS + one slot after that.
const NS2: &str = "
    1.000075000 0 AODV RREQ
    1.001043667 1 ARP request
    1.001807333 0 RTS
    1.002170000 1 CTS
    1.002484667 0 ARP reply
    1.002935333 1 ACK
    1.003509333 1 RTS
    1.003872000 0 CTS
    1.004186667 1 AODV RREP
    1.004701333 0 ACK
    1.005255333 0 RTS
    1.005618000 1 CTS
    1.005932667 0 tcp
    1.006431333 1 ACK
    1.007085333 1 RTS";

/// The back-off counters of that run, as `golden.rs` explains.
const DRAWS: [&[u32]; 2] = [&[0, 0, 1, 0, 10], &[2, 0, 11, 0, 15]];

/// A string over AODV.
fn over_aodv(hops: u32, seconds: f64, ns2: bool, arp: Option<arp::Config>) -> Setup {
    let mut setup = string(hops, "newreno", seconds, ns2);
    setup.routing = Routing::Found(if ns2 { aodv::Config::ns2() } else { aodv::Config::rfc() }.into());
    setup.mac.arp = arp;
    setup
}

/// Two nodes that cannot hear each other, a route between them, and a datagram every 250 ms.
fn out_of_reach(arp: arp::Config) -> Setup {
    let mut setup = crate::support::star(1, true, 10.0, true);
    setup.nodes = string(2, "newreno", 1.0, true).nodes.into_iter().step_by(2).collect();
    setup.routing = Routing::Static(Some(vec![vec![None, None], vec![Some(NodeId(0)), None]]));
    setup.mac.arp = Some(arp);
    setup.warm_up = at(0.0);
    setup.flows[0].start = at(1.0);
    let source = Source { payload_bytes: 1000, rate_bps: 32_000.0, jitter: 0.0, pattern: Pattern::Steady };
    setup.flows[0].kind = FlowKind::Udp(source);
    setup
}

fn frames(setup: &Setup, options: Options) -> (Vec<FrameRecord>, Ledger) {
    let options = Options { frames: true, ..options };
    let outcome = run(setup, 1, &options, &Watch::default()).expect("nobody cancels");
    (outcome.frames, outcome.ledger)
}

/// Who sent data frames to whom, the first `number` of them; repeated ones once.
fn first_data_frames(setup: &Setup, number: usize) -> Vec<String> {
    let (frames, _) = frames(setup, Options::default());
    let data = frames.iter().filter(|f| f.kind == hopwright_link::FrameKind::Data);
    let show = |f: &FrameRecord| format!("{} to {}", f.from, f.to.map_or("all".into(), |to| to.to_string()));
    let mut shown: Vec<String> = data.map(show).collect();
    shown.dedup();
    shown.truncate(number);
    shown
}

#[test]
fn the_first_exchanges_agree_with_ns2_to_the_microsecond() {
    let backoff_script = DRAWS.iter().map(|draws| Some(draws.to_vec())).collect();
    let setup = over_aodv(1, 0.01, true, Some(arp::Config::ns2()));
    let (frames, _) = frames(&setup, Options { backoff_script, ..Options::default() });
    let lines: Vec<&str> = NS2.trim().lines().map(str::trim).collect();
    assert!(frames.len() >= lines.len(), "only {} frames", frames.len());
    for (line, frame) in lines.iter().zip(&frames) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kind = match words[2] {
            "AODV" | "ARP" | "tcp" => "Data".to_owned(),
            control => control[..1].to_owned() + &control[1..].to_lowercase(),
        };
        assert_eq!((words[1], kind), (frame.from.to_string().as_str(), format!("{:?}", frame.kind)), "{line}");
        let theirs: f64 = words[0].parse().expect("a time");
        let difference_us = (frame.at.as_secs_f64() - theirs).abs() * 1e6;
        assert!(difference_us < 0.5, "{} is {difference_us:.3} us off: {line}", frame.at);
    }
}

#[test]
fn neighbours_are_asked_for_before_the_first_packet_to_them() {
    let known = ["0 to all", "1 to all", "2 to 1", "1 to 0", "0 to 1", "1 to 2"]; // RREQ, RREQ, RREP, RREP, SYN, SYN
    let asked = ["0 to all", "1 to all", "2 to all", "1 to 2", "2 to 1", "1 to all", "0 to 1", "1 to 0", "0 to 1"];
    for (ns2, arp) in [(true, arp::Config::ns2()), (false, arp::Config::default())] {
        assert_eq!(first_data_frames(&over_aodv(2, 0.5, ns2, None), 6), known);
        assert_eq!(first_data_frames(&over_aodv(2, 0.5, ns2, Some(arp)), 9), asked);
    }
}

#[test]
fn each_pair_of_neighbours_asks_once_and_the_books_balance() {
    let without = over_aodv(4, 20.0, true, None);
    let with = over_aodv(4, 20.0, true, Some(arp::Config::ns2()));
    let (before, after) = (crate::support::outcome(&without, 1), crate::support::outcome(&with, 1));
    for outcome in [&before, &after] {
        assert_eq!(outcome.ledger.check(), Ok(()));
        assert!(outcome.report.flows[0].tcp.as_ref().is_some_and(|tcp| tcp.goodput_bps > 100e3));
    }
    // Static routes make no messages: what is counted there is address resolution alone, four requests and replies.
    let mut fixed = string(4, "newreno", 20.0, true);
    fixed.mac.arp = Some(arp::Config::ns2());
    assert_eq!(crate::support::outcome(&fixed, 1).ledger.control_made, 8);
}

#[test]
fn a_neighbour_that_does_not_answer_is_given_up_as_ns2_does() {
    // Of four datagrams the first two are replaced, and the fourth takes the third with it.
    let outcome = crate::support::outcome(&out_of_reach(arp::Config::ns2()), 1);
    let flow = &outcome.report.flows[0];
    let drops: Vec<_> = flow.drops.iter().map(|(cause, count)| (*cause, *count)).collect();
    assert_eq!(flow.segments_sent, 40);
    assert_eq!(drops, [("arp_replaced", 20), ("arp_unanswered", 20)]);
    assert_eq!(outcome.report.frames, 30); // requests, and nothing else
}

#[test]
fn a_neighbour_that_does_not_answer_is_asked_for_once_a_second() {
    let outcome = crate::support::outcome(&out_of_reach(arp::Config::default()), 1);
    let flow = &outcome.report.flows[0];
    assert_eq!(outcome.report.frames, 10);
    assert_eq!(flow.drops.get("arp_unanswered"), Some(&3)); // after three seconds each
    assert_eq!(flow.segments_sent, 40);
}
