//! Stations that are granted the air: no frame is lost to another, and what that gains.

use hopwright_link::{Config, FrameKind, Kind};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_mobility::{Position, Switch, Trajectory};
use hopwright_radio::{FrameErrors, Threshold};
use hopwright_routing::{aodv, olsr};
use hopwright_sim::{Errors, Flow, FlowKind, FrameClass, Outcome, Pattern, Routing, Setup, Source};

use crate::support::{at, outcome, quiet, star, string, traced};

/// A string over which the first node sends more than the medium takes.
fn saturated(hops: u32, ns2: bool, kind: Kind) -> Setup {
    let mut setup = string(hops, "reno", 8.0, ns2);
    setup.mac.kind = kind;
    let source = Source { payload_bytes: 1460, rate_bps: 3e6, jitter: 0.5, pattern: Pattern::Steady };
    setup.flows[0].kind = FlowKind::Udp(source);
    setup.warm_up = at(2.0);
    setup
}

fn received_bps(setup: &Setup) -> f64 {
    outcome(setup, 1).report.flows.iter().map(|flow| flow.received_bps).sum()
}

/// Nobody disturbed anybody, and no station was busy with something else.
fn assert_undisturbed(run: &Outcome, what: &str) {
    let ledger = &run.ledger;
    assert_eq!((ledger.frames_collided, ledger.frames_missed), (0, 0), "{what}");
    assert_eq!(run.report.mac.collisions.total, 0, "{what}");
}

#[test]
fn one_sender_is_granted_the_air_as_soon_as_its_last_frame_has_passed_everybody() {
    for rts in [true, false] {
        let mut setup = star(1, rts, 2.0, false);
        setup.mac.kind = Kind::Ideal;
        let run = traced(&setup, 1, &[]);
        let first = if rts { FrameKind::Rts } else { FrameKind::Data };
        let starts: Vec<Time> =
            run.frames.iter().filter(|frame| frame.from == NodeId(1) && frame.kind == first).map(|f| f.at).collect();
        // 1460 bytes, 8 of UDP, 20 of IP, 36 of the MAC at 2 Mb/s; 50 m, each frame; then 550 m, and a nanosecond.
        let data_us = 192 + (1488 + 36) * 4;
        let (frames_us, ways) = if rts { (352 + 304 + 3 * 10 + data_us + 304, 4) } else { (10 + data_us + 304, 2) };
        let cycle = Duration::from_nanos(frames_us * 1000 + ways * 167 + 1835 + 1);
        let saturated = starts.windows(2).skip(50);
        assert!(starts.len() > 250 && saturated.clone().all(|pair| pair[1].since(pair[0]) == cycle), "rts {rts}");
        let exchange = setup.mac.exchange_time(1460 + 28);
        assert_eq!(exchange, Duration::from_micros(frames_us), "what a bound of capacity is computed from");
    }
}

#[test]
fn the_first_packet_leaves_when_it_comes() {
    let mut setup = quiet(&[(0.0, 0.0), (100.0, 0.0)], true, 1.0, false);
    setup.mac.kind = Kind::Ideal;
    setup.flows = vec![crate::support::datagrams(0, 1, 100, 0.5, 1)];
    let frames = traced(&setup, 1, &[]).frames;
    let kinds: Vec<FrameKind> = frames.iter().map(|frame| frame.kind).collect();
    assert_eq!(kinds, [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack]);
    assert_eq!(frames[0].at, at(0.5), "neither DIFS nor back-off");
}

/// Nodes 0, 1 | 2, 3 far from each other, and 4, 5 between them.
#[test]
fn who_has_waited_longest_comes_first_and_who_disturbs_nobody_at_once() {
    let mut setup =
        quiet(&[(0.0, 0.0), (200.0, 0.0), (2000.0, 0.0), (2200.0, 0.0), (600.0, 0.0), (700.0, 0.0)], false, 1.0, false);
    setup.mac.kind = Kind::Ideal;
    let once = |from: u32, at_s: f64| crate::support::datagrams(from, from + 1, 1400, at_s, 1);
    // 4 wants the air before 0 does again; 2 is too far off to be asked.
    setup.flows = vec![once(0, 0.5), once(4, 0.501), once(2, 0.502), once(0, 0.5015)];
    let frames = traced(&setup, 1, &[]).frames;
    let data: Vec<u32> = frames.iter().filter(|f| f.kind == FrameKind::Data).map(|f| f.from.0).collect();
    assert_eq!(data, [0, 2, 4, 0]);
    let left = |n: usize| frames.iter().filter(|f| f.kind == FrameKind::Data).nth(n).map(|f| f.at);
    assert_eq!(left(1), Some(at(0.502)));
}

/// Nodes 200 m apart are noticed over 550 m: of four hops in a row one can be used (Li et al., MobiCom 2001). Over just
/// four hops, stations that contend come within a tenth of that, and there is not more to be had.
#[test]
fn strings_lose_nothing_and_carry_a_quarter_of_one_hop_which_contention_does_not() {
    for ns2 in [false, true] {
        let one_hop = received_bps(&saturated(1, ns2, Kind::Ideal));
        for hops in [4, 5, 8, 16] {
            let ideal = saturated(hops, ns2, Kind::Ideal);
            assert_undisturbed(&outcome(&ideal, 1), &format!("{hops} hops"));
            let (ideal, dcf) = (received_bps(&ideal), received_bps(&saturated(hops, ns2, Kind::Dcf)));
            assert!((ideal / one_hop - 0.25).abs() < 0.003, "{hops} hops, ns2 {ns2}: {ideal} of {one_hop}");
            let gain = if hops > 4 { 1.3 } else { 1.05 };
            assert!(ideal >= gain * dcf, "{hops} hops, ns2 {ns2}: {ideal} against {dcf}");
        }
    }
}

/// Nodes that move through each other, under routers that flood: no jumps, and time-outs that fit the distances.
#[test]
fn nodes_on_the_move_lose_nothing_either() {
    let routers: [fn() -> Routing; 3] = [
        || Routing::Found(aodv::Config::rfc().into()),
        || Routing::Found(olsr::Config::rfc().into()),
        || Routing::Static(None),
    ];
    for (which, routing) in routers.into_iter().enumerate() {
        let mut setup = string(2, "newreno", 15.0, which == 1);
        setup.mac.kind = Kind::Ideal;
        setup.routing = routing();
        setup.nodes = (0..20_u32)
            .map(|n| {
                let (x, y) = (f64::from(n % 5) * 180.0, f64::from(n / 5) * 180.0);
                let mut way = Trajectory::fixed(Position::new(x, y));
                way.travel_to(at(f64::from(n) * 0.3), Position::new(y * 1.3, x * 0.9), 3.0 + f64::from(n));
                way
            })
            .collect();
        setup.flows = (0..6_u32)
            .map(|n| {
                let flow = setup.flows[0].clone();
                Flow { from: NodeId(n), to: NodeId(19 - n), start: at(1.0 + 0.1 * f64::from(n)), ..flow }
            })
            .collect();
        let run = outcome(&setup, 7);
        assert_undisturbed(&run, &format!("routing {which}"));
        let received_bps: f64 = run.report.flows.iter().map(|flow| flow.received_bps).sum();
        assert!(received_bps > 100_000.0 && run.ledger.frames > 5_000, "routing {which}: {received_bps}");
    }
}

#[test]
fn a_next_hop_that_is_gone_is_given_up_after_as_many_tries_as_elsewhere() {
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0)], true, 2.0, false);
    setup.mac.kind = Kind::Ideal;
    setup.nodes[1].place_at(at(0.1), Position::new(900.0, 0.0));
    setup.flows = vec![crate::support::datagrams(0, 1, 100, 0.5, 1)];
    let run = traced(&setup, 1, &[]);
    assert_eq!(run.frames.len(), Config::default().short_retry_limit as usize);
    assert_eq!(run.report.mac.failures.rts_cts, 1);
}

/// Its exchange would be over by now, but for the time-out that it waits for: which is longer than the way there and back.
#[test]
fn a_station_may_go_down_while_it_waits_in_vain_for_an_answer() {
    for down_us in [506_400, 506_505, 506_508, 506_512, 507_000] {
        let mut setup = quiet(&[(0.0, 0.0), (40.0, 0.0)], false, 2.0, false);
        setup.mac.kind = Kind::Ideal;
        setup.radio.reception = Threshold::Range(50.0);
        setup.radio.carrier_sense = Threshold::Range(100.0);
        let model = FrameErrors::Uniform { probability: 1.0 };
        setup.errors = vec![Errors { from: None, to: None, frames: vec![FrameClass::MacAck], model }];
        setup.flows = vec![crate::support::datagrams(0, 1, 1000, 0.5, 500)];
        let at = Time::from_nanos(down_us * 1000);
        let back = Time::from_nanos(600_000_000);
        setup.switches =
            vec![Switch { at, node: NodeId(0), up: false }, Switch { at: back, node: NodeId(0), up: true }];
        let run = traced(&setup, 1, &[]);
        assert_undisturbed(&run, "down");
        assert!(run.frames.iter().any(|frame| frame.at > back), "it goes on when it is up again");
    }
}
