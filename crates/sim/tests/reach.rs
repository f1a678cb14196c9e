//! Who hears whom: ranges, hidden stations, broadcasts, the time to live.

use hopwright_link::FrameKind;
use hopwright_machine::{DropCause, NodeId, Time};
use hopwright_radio::{Capture, Interference, WeakFrames};
use hopwright_routing::aodv;
use hopwright_sim::{Outcome, Routing};

use crate::support::{at, datagrams, quiet, traced};

/// When a node's frames of this kind began, microseconds after second 1.
fn sent(run: &Outcome, node: u32, kind: FrameKind) -> Vec<f64> {
    let of = run.frames.iter().filter(|f| f.from == NodeId(node) && f.kind == kind);
    of.map(|f| f.at.since(at(1.0)).as_nanos() as f64 / 1e3).collect()
}

/// Routes that lead straight to every destination, however far.
fn straight(nodes: usize) -> Routing {
    Routing::Static(Some(vec![(0..nodes as u32).map(|n| Some(NodeId(n))).collect(); nodes]))
}

#[test]
fn a_frame_is_decoded_up_to_250_metres() {
    for (distance_m, received) in [(250.0, true), (250.1, false)] {
        let mut setup = quiet(&[(0.0, 0.0), (distance_m, 0.0)], false, 1.0, false);
        setup.routing = straight(2);
        setup.flows = vec![datagrams(0, 1, 1000, 1.0, 1)];
        let run = traced(&setup, 1, &[]);
        let tries = sent(&run, 0, FrameKind::Data).len();
        let ledger = &run.ledger;
        if received {
            assert_eq!((tries, ledger.delivered, ledger.frames_received), (1, 1, 2), "{distance_m} m");
        } else {
            assert_eq!((tries, ledger.delivered, ledger.frames_out_of_range), (7, 0, 7), "{distance_m} m");
        }
        let routes_of_its_own = traced(
            &{
                setup.routing = Routing::Static(None);
                setup
            },
            1,
            &[],
        );
        assert_eq!(routes_of_its_own.ledger.delivered, u64::from(received), "{distance_m} m");
    }
}

#[test]
fn a_frame_is_sensed_up_to_550_metres() {
    // 2 <- 0 ......... 1 -> 3: both frames are for a node on the far side. Node 0 begins at 0, node 1's datagram
    // comes at 1000 µs, while 192 + (1028 + 36) x 4 = 4448 µs of node 0's frame are in the air.
    for (distance_m, sensed) in [(250.1, true), (550.0, true), (550.1, false)] {
        let mut setup =
            quiet(&[(0.0, 0.0), (distance_m, 0.0), (-100.0, 0.0), (distance_m + 100.0, 0.0)], false, 1.0, false);
        setup.flows = vec![datagrams(0, 2, 1000, 1.0, 1), datagrams(1, 3, 1000, 1.001, 1)];
        let run = traced(&setup, 1, &[]); // what is drawn from a stream is at least zero
        let start = sent(&run, 1, FrameKind::Data)[0];
        if sensed {
            assert!(start >= 4448.0 + 364.0, "{distance_m} m: sent at {start}, before EIFS after a frame not decoded");
        } else {
            assert_eq!(start, 1000.0, "{distance_m} m");
        }
    }
}

/// Five nodes 200 m apart; 0 sends to 1 at `first_us`, 3 sends to 4 at `second_us`. 0 and 3 do not hear each
/// other; node 1 hears 0 sixteen times as strongly as 3.
fn hidden(first_us: f64, second_us: f64, ns2: bool, change: impl Fn(&mut hopwright_radio::ReceptionRule)) -> Outcome {
    let places: Vec<_> = (0..5).map(|i| (200.0 * f64::from(i), 0.0)).collect();
    let mut setup = quiet(&places, false, 1.0, ns2);
    change(&mut setup.radio.rule);
    setup.flows =
        vec![datagrams(0, 1, 1460, 1.0 + first_us * 1e-6, 1), datagrams(3, 4, 1460, 1.0 + second_us * 1e-6, 1)];
    traced(&setup, 1, &[])
}

#[test]
fn a_hidden_station_that_starts_later_is_captured() {
    for ns2 in [false, true] {
        let run = hidden(0.0, 1000.0, ns2, |_| {});
        assert_eq!((sent(&run, 0, FrameKind::Data).len(), sent(&run, 3, FrameKind::Data).len()), (1, 1), "ns2 {ns2}");
        assert_eq!((run.report.mac.collisions.total, run.ledger.delivered), (0, 2), "ns2 {ns2}");
    }
}

#[test]
fn a_hidden_station_that_starts_first_costs_the_other_its_frame() {
    for ns2 in [false, true] {
        let run = hidden(1000.0, 0.0, ns2, |_| {});
        let tries = sent(&run, 0, FrameKind::Data);
        assert_eq!((tries.len(), sent(&run, 3, FrameKind::Data).len()), (2, 1), "ns2 {ns2}");
        assert_eq!((run.report.mac.collisions.data, run.report.mac.collisions.total), (1, 1), "ns2 {ns2}");
        assert_eq!((run.ledger.frames_collided, run.ledger.delivered), (1, 2), "ns2 {ns2}");
    }
}

#[test]
fn unless_weak_frames_are_only_energy_or_the_stronger_frame_takes_over() {
    let energy = hidden(1000.0, 0.0, false, |rule| rule.weak_frames = WeakFrames::Energy);
    assert_eq!((sent(&energy, 0, FrameKind::Data).len(), energy.ledger.delivered), (1, 2));
    for interference in [Interference::All, Interference::Locked] {
        let any = hidden(1000.0, 0.0, false, |rule| {
            rule.capture = Capture::Any;
            rule.interference = interference;
        });
        assert_eq!((sent(&any, 0, FrameKind::Data).len(), any.ledger.delivered), (1, 2), "{interference:?}");
    }
}

#[test]
fn a_broadcast_goes_once_at_the_basic_rate_without_rts_or_ack() {
    // 149.896 m: 0.5 µs. The RREQ has 24 bytes, 52 with UDP and IP, 88 in the air: 192 + 88 x 8 = 896 µs at 1 Mb/s.
    let mut setup = quiet(&[(0.0, 0.0), (149.896_229, 0.0)], true, 1.0, false);
    setup.routing = Routing::Found(aodv::Config::rfc().into());
    setup.flows = vec![datagrams(0, 1, 472, 1.0, 1)];
    let run = traced(&setup, 1, &[]);
    let broadcasts: Vec<_> = run.frames.iter().filter(|f| f.to.is_none()).collect();
    assert_eq!(broadcasts.len(), 1, "{:?}", run.frames);
    assert_eq!((run.frames[0].kind, run.frames[0].from), (FrameKind::Data, NodeId(0)), "no RTS before it");
    // The reply's RTS leaves DIFS after the request has arrived: nobody acknowledged it.
    let reply = run.frames[1];
    assert_eq!((reply.kind, reply.from, reply.to), (FrameKind::Rts, NodeId(1), Some(NodeId(0))));
    assert_eq!(reply.at.since(run.frames[0].at).as_nanos(), 896_000 + 500 + 50_000);
    assert_eq!(run.ledger.delivered, 1);
}

#[test]
fn a_broadcast_that_nobody_hears_is_not_repeated_by_the_mac() {
    for config in [aodv::Config::rfc(), aodv::Config::ns2()] {
        let mut setup = quiet(&[(0.0, 0.0), (600.0, 0.0)], true, 30.0, false);
        setup.routing = Routing::Found(config.into());
        setup.flows = vec![datagrams(0, 1, 472, 1.0, 1)];
        let run = traced(&setup, 1, &[]);
        let ledger = &run.ledger;
        assert!(ledger.frames > 1, "one search is several requests");
        assert_eq!((ledger.frames_broadcast, ledger.control_made), (ledger.frames, ledger.frames));
        assert_eq!((ledger.broadcast_done, ledger.broadcast_copies), (ledger.frames, 0));
        assert_eq!(ledger.delivered, 0);
    }
}

#[test]
fn a_packet_makes_64_hops_and_not_one_more() {
    for (hops, arrives) in [(64, true), (65, false)] {
        let places: Vec<_> = (0..=hops).map(|i| (200.0 * f64::from(i), 0.0)).collect();
        let mut setup = quiet(&places, true, 2.0, false);
        setup.flows = vec![datagrams(0, hops, 472, 1.0, 1)];
        let run = traced(&setup, 1, &[]);
        assert_eq!(run.ledger.delivered, u64::from(arrives), "{hops} hops");
        assert_eq!(run.ledger.dropped[DropCause::TtlExpired as usize], u64::from(!arrives), "{hops} hops");
        if arrives {
            assert_eq!(run.report.flows[0].mean_hops, Some(64.0));
        }
    }
}

#[test]
fn a_packet_that_goes_round_in_circles_ends_with_its_time_to_live() {
    let mut setup = quiet(&[(0.0, 0.0), (100.0, 0.0), (5000.0, 0.0)], true, 2.0, false);
    let to = |n: u32| Some(NodeId(n));
    setup.routing = Routing::Static(Some(vec![vec![None, to(1), to(1)], vec![to(0), None, to(0)], vec![None; 3]]));
    setup.flows = vec![datagrams(0, 2, 472, 1.0, 1)];
    let run = traced(&setup, 1, &[]);
    let frames = run.frames.iter().filter(|f| f.kind == FrameKind::Data).count();
    assert_eq!((frames, run.ledger.dropped[DropCause::TtlExpired as usize]), (64, 1));
    assert_eq!(run.ledger.held, 0);
    assert!(run.frames.iter().all(|f| f.at > Time::ZERO));
}
