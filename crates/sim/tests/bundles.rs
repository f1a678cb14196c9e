//! Bundles over 802.11 and over every routing protocol: the closed form, the vectors that need a medium, and failures.

use std::sync::Arc;

use hopwright_bundle::{Config, InitialTimer, News, Service};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_mobility::{Position, Switch, Trajectory};
use hopwright_routing::{aodv, dsdv, dsr, olsr};
use hopwright_sim::{BundleReport, Event, Flow, FlowKind, Options, Outcome, Routing, Setup, Trace, Watch, run_traced};

use crate::support::{at, outcome, string};

/// Section 4 of the specification: a packet and a message over one hop, seconds.
const PACKET_S: f64 = 3926e-6;
const MESSAGE_S: f64 = 1878e-6;
const BUNDLE: u64 = 512_000;

/// A timer that does not run out, as section 4 has it.
fn patient() -> Config {
    Config { initial_timer: InitialTimer::Fixed(Duration::from_secs(300)), ..Config::default() }
}

fn bundles(config: Config, bytes: Option<u64>) -> FlowKind {
    FlowKind::Bundles { protocol: "nctp".into(), config: Arc::new(config), bytes }
}

/// A file over a string, from time zero on.
fn over_string(hops: u32, config: Config, bytes: u64, seconds: f64) -> Setup {
    let mut setup = string(hops, "newreno", seconds, false);
    (setup.flows[0].start, setup.flows[0].kind) = (Time::ZERO, bundles(config, Some(bytes)));
    setup
}

fn of(run: &Outcome, flow: usize) -> &BundleReport {
    run.report.flows[flow].bundles.as_ref().expect("a flow over bundles")
}

/// What was told of bundles.
#[derive(Default)]
struct Told(Vec<(Time, NodeId, usize, u32, News)>);

impl Trace for Told {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if let Event::Bundle { flow, bundle, news } = event {
            self.0.push((at, node, flow, bundle, *news));
        }
    }

    fn hears(&self, _node: NodeId) -> bool {
        false
    }
}

impl Told {
    fn of(setup: &Setup, seed: u64) -> (Outcome, Self) {
        let mut told = Self::default();
        let (options, watch) = (Options::default(), Watch::default());
        let outcome = run_traced(setup, seed, &options, &watch, &mut told).expect("nobody cancels");
        (outcome, told)
    }

    fn when(&self, node: u32, news: News) -> f64 {
        let found = self.0.iter().find(|(_, at, _, _, what)| (*at, *what) == (NodeId(node), news));
        found.expect("it happens").0.as_secs_f64()
    }

    fn count(&self, node: u32, news: News) -> usize {
        self.0.iter().filter(|(_, at, _, _, what)| (*at, *what) == (NodeId(node), news)).count()
    }
}

/// S packets of 4096 bits take h (S 3926 us + 1878 us): within 2 % over one to eight hops.
#[test]
fn alone_it_is_as_fast_as_the_closed_form() {
    for hops in 1..=8u32 {
        let count = 8;
        let cycle_s = f64::from(hops) * (1000.0 * PACKET_S + MESSAGE_S);
        let setup = over_string(hops, patient(), count * BUNDLE, 2.0 * cycle_s * count as f64);
        let (run, told) = Told::of(&setup, 1);
        let delivered = told.0.iter().rfind(|(_, _, _, _, news)| *news == News::Delivered).expect("it arrives");
        let took_s = delivered.0.as_secs_f64() + f64::from(hops) * MESSAGE_S;
        // A probe that is lost costs the second in which its answer is waited for: chance, not the closed form.
        let silent_s = of(&run, 0).happened.silent_probes as f64;
        let ratio = (took_s - silent_s) / (cycle_s * count as f64);
        assert!((ratio - 1.0).abs() < 0.01, "{hops} hops: {ratio}, {silent_s} probes without an answer");
        assert!((took_s / (cycle_s * count as f64) - 1.0).abs() < 0.02, "{hops} hops: {took_s} s");
        assert_eq!(
            (run.report.flows[0].mean_hops, of(&run, 0).happened.hops_made),
            (Some(hops.into()), count * u64::from(hops))
        );
    }
}

/// N2 of NCTP: the acknowledgement of a bundle over three hops is there after 11.78 s, and its round trip is 7.86 s.
#[test]
fn n2_over_three_hops_of_802_11() {
    let (run, told) = Told::of(&over_string(3, patient(), BUNDLE, 20.0), 1);
    let delivered_s = told.when(3, News::Delivered);
    assert!((delivered_s + 3.0 * MESSAGE_S - 11.78).abs() < 0.05, "{delivered_s} s");
    let round_trip_s = of(&run, 0).mean_rtt_s.expect("one sample");
    assert!((round_trip_s - 7.86).abs() < 0.05, "{round_trip_s} s");
}

/// N3 of NCTP: with the thesis' timer the copy of the source contends with the bundle on its last hop.
#[test]
fn n3_the_copy_contends() {
    let (run, told) = Told::of(&over_string(3, Config::default(), BUNDLE, 60.0), 1);
    let expired_s = told.when(0, News::Expired);
    assert!((expired_s - 8.93).abs() < 0.05, "{expired_s} s");
    assert!(told.when(3, News::Delivered) > 11.78, "alone it would have been there");
    assert_eq!((told.count(3, News::Delivered), told.count(1, News::Begun)), (1, 2));
    let report = &run.report.flows[0];
    assert!((report.received_bps * 61.0 / 8.0 - BUNDLE as f64).abs() < 1.0, "once");
    assert_eq!(of(&run, 0).happened.parts_deleted, 1, "the source stops its copy, and the relay deletes the part");
}

/// N17 of NCTP: two bundles share a relay packet by packet, or one goes first.
#[test]
fn n17_two_bundles_in_a_relay_of_802_11() {
    for service in [Service::Turns, Service::OldestFirst] {
        let config = Config { service, ..patient() };
        let mut setup = over_string(2, config.clone(), BUNDLE, 60.0);
        // A second source beside the first one, out of reach of the destination.
        setup.nodes.push(Trajectory::fixed(Position::new(0.0, 50.0)));
        let second = Flow { from: NodeId(3), kind: bundles(config, Some(BUNDLE)), ..setup.flows[0].clone() };
        setup.flows.push(second);
        let (_, told) = Told::of(&setup, 1);
        let gone = told.0.iter().filter(|e| (e.1, e.4) == (NodeId(1), News::HandedOver(NodeId(2))));
        let gone: Vec<f64> = gone.map(|e| e.0.as_secs_f64()).collect();
        // Both come in by turns, one a little earlier than the other, as 802.11 has it.
        let apart_s = gone[1] - gone[0];
        match service {
            Service::Turns => assert!(apart_s < 1.0, "{gone:?}"),
            _ => assert!((apart_s - 1000.0 * PACKET_S).abs() < 0.1, "{gone:?}"),
        }
        let all_s = told.when(2, News::Delivered).max(gone[1]);
        assert!((all_s - 4000.0 * PACKET_S).abs() < 0.4, "the relay's air carries four transfers: {all_s} s");
    }
}

fn routings() -> Vec<(&'static str, Routing)> {
    vec![
        ("static", Routing::Static(None)),
        ("aodv", Routing::Found(aodv::Config::rfc().into())),
        ("aodv of ns-2", Routing::Found(aodv::Config::ns2().into())),
        ("dsr", Routing::Found(dsr::Config::rfc().into())),
        ("dsr of ns-2", Routing::Found(dsr::Config::ns2().into())),
        ("olsr", Routing::Found(olsr::Config::papanastasiou().into())),
        ("dsdv", Routing::Found(dsdv::Config::perkins().into())),
    ]
}

/// Whoever finds the routes, the whole file arrives.
#[test]
fn every_routing_protocol_carries_bundles() {
    for (name, routing) in routings() {
        let mut setup = over_string(4, Config { bundle_packets: 100, ..Config::default() }, 10 * 51_200, 300.0);
        setup.flows[0].start = at(60.0); // so long tables take to fill
        setup.routing = routing;
        let run = outcome(&setup, 3);
        let happened = of(&run, 0).happened;
        assert_eq!((happened.bundles_cut, happened.bundles_delivered), (10, 10), "{name}: {happened:?}");
        assert_eq!(run.report.bundles.expect("bundles").left, 0, "{name}");
    }
}

/// A relay moves out of reach and another one is there: links fail, the bundle finds another way.
#[test]
fn a_lost_link_makes_another_way() {
    for (name, routing) in routings().into_iter().skip(1) {
        let mut setup = over_string(3, Config { bundle_packets: 500, ..Config::default() }, 4 * 256_000, 400.0);
        setup.flows[0].start = at(60.0);
        // A second relay comes beside node 1 before that leaves, while the first bundle is handed to it.
        setup.nodes.push(Trajectory::fixed(Position::new(200.0, 9000.0)));
        setup.nodes[4].place_at(at(60.5), Position::new(200.0, 60.0));
        setup.nodes[1].place_at(at(61.0), Position::new(200.0, 5000.0));
        setup.routing = routing;
        let (run, told) = Told::of(&setup, 1);
        let happened = of(&run, 0).happened;
        assert_eq!(happened.bundles_delivered, 4, "{name}: {happened:?}");
        assert!(happened.link_failures >= 1, "{name}: {happened:?}");
        assert!(told.0.iter().any(|(_, node, _, _, news)| (*node, *news) == (NodeId(4), News::Owned)), "{name}");
    }
}

/// A link ahead of a relay breaks before that asks: DSR's error about the probe has it look for another way at once (V
/// 6.5.2), where it would else wait for the answer.
#[test]
fn an_error_about_a_probe_ends_the_wait_for_its_answer() {
    for (name, dsr) in [("rfc", dsr::Config::rfc()), ("ns-2", dsr::Config::ns2())] {
        for heeds_errors in [true, false] {
            let config = Config { bundle_packets: 500, heeds_errors, ..patient() };
            let mut setup = over_string(4, config, 256_000, 60.0);
            setup.flows[0].start = at(5.0);
            // Node 3 leaves while the bundle is handed to node 1; another one comes to its place.
            setup.nodes.push(Trajectory::fixed(Position::new(600.0, 9000.0)));
            setup.nodes[5].place_at(at(6.0), Position::new(600.0, 60.0));
            setup.nodes[3].place_at(at(6.0), Position::new(600.0, 5000.0));
            setup.routing = Routing::Found(dsr.clone().into());
            let (run, told) = Told::of(&setup, 1);
            assert_eq!(of(&run, 0).happened.bundles_delivered, 1, "{name}: {:?}", of(&run, 0));
            let waited_s = told.when(1, News::Silent) - told.when(1, News::Probed);
            let is_at_once = waited_s < 0.5;
            assert!(is_at_once == heeds_errors && waited_s < 1.0001, "{name} {heeds_errors}: {waited_s} s");
        }
    }
}

/// The owner goes down: the bundle is lost with it, or is there when it comes up.
#[test]
fn a_relay_that_goes_down_loses_what_it_owns() {
    for survives_down in [false, true] {
        let config = Config { survives_down, bundle_packets: 500, ..Config::default() };
        let mut setup = over_string(2, config, 2 * 256_000, 200.0);
        setup.switches = [(2.5, false), (4.0, true)].map(|(s, up)| Switch { at: at(s), node: NodeId(1), up }).into();
        let (run, told) = Told::of(&setup, 1);
        let happened = of(&run, 0).happened;
        assert_eq!(happened.bundles_delivered, 2, "{happened:?}");
        assert_eq!(happened.bundles_lost, u64::from(!survives_down), "{happened:?}");
        assert_eq!(told.count(1, News::Owned), if survives_down { 2 } else { 3 });
    }
}

/// Looking on changes nothing, and a flow over TCP beside bundles does not, either: no part of either knows the other.
#[test]
fn a_run_is_the_same_with_and_without_a_trace() {
    let mut setup = over_string(3, Config { bundle_packets: 50, ..Config::default() }, 100 * 25_600, 30.0);
    setup.routing = Routing::Found(dsr::Config::rfc().into());
    let tcp = string(3, "newreno", 30.0, false).flows.remove(0);
    setup.flows.push(tcp);
    let (traced, _) = Told::of(&setup, 5);
    assert_eq!(outcome(&setup, 5).report, traced.report);
    assert!(traced.report.flows.iter().all(|flow| flow.received_bps > 0.0));
}
