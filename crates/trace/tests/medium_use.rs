//! How the medium was used, beside closed forms.

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Position, Trajectory};
use hopwright_sim::{FlowKind, IndependentSet, Options, Pattern, Report, Setup, Source, Watch, run, run_traced};
use hopwright_trace::{Config, Recorder, medium_use};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::support::{at, datagrams, quiet, string};
use crate::worlds;

/// A run with what was found, and its report as an untraced run makes it.
fn used(setup: &Setup) -> (medium_use::Report, Report) {
    let config = Config { medium_use: true, ..Config::default() };
    let mut recorder = Recorder::new(&config, setup, "".as_ref());
    let (options, watch) = (Options::default(), Watch::default());
    let traced = run_traced(setup, 1, &options, &watch, &mut recorder).expect("nobody cancels");
    let plain = run(setup, 1, &options, &watch).expect("nobody cancels");
    assert_eq!(traced.report, plain.report);
    (recorder.finish().medium_use.expect("it was asked for"), plain.report)
}

/// Pairs of nodes 100 m apart, each pair so far from the one before that it neither hears nor disturbs it; every first node
/// has more datagrams of 532 bytes to send than the medium takes.
fn pairs(count: u32) -> Setup {
    let places: Vec<(f64, f64)> =
        (0..count).flat_map(|n| [(5000.0 * f64::from(n), 0.0), (5000.0 * f64::from(n), 100.0)]).collect();
    let mut setup = quiet(&places, true, 20.0, false);
    setup.warm_up = at(2.0);
    let source = Source { payload_bytes: 532, rate_bps: 2e6, jitter: 0.0, pattern: Pattern::Steady };
    let flow = |n| hopwright_sim::Flow {
        from: NodeId(2 * n),
        to: NodeId(2 * n + 1),
        start: at(1.0),
        stop: setup.end,
        kind: FlowKind::Udp(source),
    };
    setup.flows = (0..count).map(flow).collect();
    setup
}

/// 560 bytes of IP: what a data frame takes, and what the whole exchange does with the mean of the back-off, microseconds.
const DATA_US: f64 = 192.0 + 4.0 * (560.0 + 36.0);
const EXCHANGE_US: f64 = 50.0 + 310.0 + 352.0 + 10.0 + 304.0 + 10.0 + DATA_US + 10.0 + 304.0;

#[test]
fn one_saturated_hop_is_used_as_the_formula_says() {
    let (found, _) = used(&pairs(1));
    let medium = found.medium;
    let share = DATA_US / EXCHANGE_US; // .656
    assert!((medium.mac_utilisation - share).abs() < 0.005, "{medium:?}, not {share}");
    assert_eq!((medium.spatial_reuse.max, medium.spatial_reuse.mean), (1, medium.mac_utilisation));
    assert_eq!((medium.contending_mac_flows, found.reverse_bps), (1.0, vec![0.0]));
    assert_eq!(medium.independent_set, IndependentSet { mean: 1.0, max: 1, exact: 1.0 });
}

#[test]
fn pairs_that_do_not_hear_each_other_use_the_medium_at_once() {
    let (found, _) = used(&pairs(2));
    let (medium, share) = (found.medium, DATA_US / EXCHANGE_US);
    assert_eq!((medium.spatial_reuse.max, medium.contending_mac_flows), (2, 2.0));
    assert_eq!(medium.independent_set, IndependentSet { mean: 2.0, max: 2, exact: 1.0 });
    assert!((medium.spatial_reuse.mean - 2.0 * share).abs() < 0.01, "{medium:?}");
    // Independent of each other: there is one unless there is none of either.
    let either = 1.0 - (1.0 - share) * (1.0 - share);
    assert!((medium.mac_utilisation - either).abs() < 0.03, "{medium:?}, not {either}");
}

/// Nodes in a row, so far apart, every one of which but the last has more datagrams for the next than the medium takes.
fn saturated_string(links: u32, spacing_m: f64) -> Setup {
    let places: Vec<(f64, f64)> = (0..=links).map(|n| (spacing_m * f64::from(n), 0.0)).collect();
    let mut setup = quiet(&places, true, 6.0, false);
    setup.warm_up = at(2.0);
    let source = Source { payload_bytes: 532, rate_bps: 2e6, jitter: 0.0, pattern: Pattern::Steady };
    let flow = |n| hopwright_sim::Flow {
        from: NodeId(n),
        to: NodeId(n + 1),
        start: at(1.0),
        stop: setup.end,
        kind: FlowKind::Udp(source),
    };
    setup.flows = (0..links).map(flow).collect();
    setup
}

/// Who hears 550 m far senses so many hops. A link and the next exclude each other up to one that begins as many hops
/// behind the end of the first.
#[test]
fn of_a_string_with_work_everywhere_one_link_in_so_many_could_send() {
    for (links, spacing_m, apart) in
        [(1, 200.0, 4), (4, 200.0, 4), (5, 200.0, 4), (13, 200.0, 4), (9, 150.0, 5), (7, 100.0, 7)]
    {
        let (found, _) = used(&saturated_string(links, spacing_m));
        let (medium, most) = (found.medium, links.div_ceil(apart));
        let expected = IndependentSet { mean: most.into(), max: most, exact: 1.0 };
        assert_eq!(medium.independent_set, expected, "{links} links of {spacing_m} m");
        assert_eq!(medium.contending_mac_flows, f64::from(links));
        assert!(medium.spatial_reuse.mean < medium.independent_set.mean, "{medium:?}");
    }
}

/// Two pairs that begin far from each other. The second comes nearer by 100 m/s, so that its first node is 550 m from
/// the first pair's 5.5 s after it has begun.
#[test]
fn links_that_come_near_exclude_each_other_from_then_on() {
    let mut setup = pairs(2);
    (setup.warm_up, setup.end) = (at(2.0), at(12.0));
    for (n, x_m) in [(2, 1100.0), (3, 1200.0)] {
        let mut path = Trajectory::fixed(Position::new(x_m, 0.0));
        path.travel_to(at(2.0), Position::new(x_m - 900.0, 0.0), 100.0);
        setup.nodes[n] = path;
    }
    setup.flows.iter_mut().for_each(|flow| flow.stop = setup.end);
    let (found, _) = used(&setup);
    assert_eq!(found.medium.independent_set.max, 2);
    assert!((found.medium.independent_set.mean - 1.55).abs() < 0.0011, "{found:?}");
}

#[test]
fn frames_that_are_lost_do_not_count() {
    // Two senders as far from a receiver between them, both of which begin at once: the first two frames are lost.
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)], false, 1.0, false);
    setup.flows = vec![datagrams(0, 1, 1400, 1.0, 1), datagrams(2, 1, 1400, 1.0, 1)];
    let (found, report) = used(&setup);
    assert!(report.mac.collisions.data > 0 && report.flows.iter().all(|flow| flow.received_bps > 0.0), "{report:?}");
    let two_frames_s = 2.0 * (192.0 + 4.0 * (1428.0 + 36.0)) * 1e-6;
    assert_eq!(found.medium.spatial_reuse.max, 1);
    assert!((found.medium.mac_utilisation * 2.0 - two_frames_s).abs() < 1e-9, "{found:?}");
}

#[test]
fn acknowledgements_of_every_segment_come_back_as_forty_bytes_each() {
    let mut setup = string(1, "newreno", 20.0, false);
    setup.warm_up = at(3.0);
    if let FlowKind::Tcp { recipe, params, .. } = &mut setup.flows[0].kind {
        **recipe = recipe.with("acking", "every").expect("a known part");
        params.window_limit_segments = 10; // no queue is full, and all data come in order
    }
    let (found, report) = used(&setup);
    let segments_per_s = report.flows[0].received_bps / (8.0 * 1460.0);
    let expected = 40.0 * 8.0 * segments_per_s;
    assert!(expected > 20_000.0, "{expected}");
    assert!((found.reverse_bps[0] / expected - 1.0).abs() < 0.002, "{:?}, not {expected}", found.reverse_bps);
    let mut report = report;
    found.write_into(&mut report);
    assert_eq!(report.flows[0].reverse_bps, Some(found.reverse_bps[0]));
    assert_eq!(report.medium_use, Some(found.medium));
}

#[test]
fn nothing_is_left_in_stations_that_have_sent_everything() {
    let mut setup = string(3, "newreno", 30.0, false);
    setup.flows = vec![datagrams(0, 3, 500, 1.0, 20)];
    setup.warm_up = at(5.0);
    let (found, _) = used(&setup);
    let mut nothing = medium_use::Report::default();
    nothing.medium.independent_set.exact = 1.0;
    assert_eq!(found, medium_use::Report { reverse_bps: vec![0.0], ..nothing });
}

/// Whatever the setup: shares are shares, and the run is the same.
#[test]
fn any_world_has_a_report() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let mut setup = worlds::setup().new_tree(&mut runner).expect("a setup").current();
        setup.warm_up = setup.warm_up.min(setup.end);
        let (found, report) = used(&setup);
        let medium = found.medium;
        assert!((0.0..=1.0).contains(&medium.mac_utilisation), "{medium:?}");
        assert!(medium.spatial_reuse.mean >= medium.mac_utilisation, "{medium:?}");
        assert!(medium.spatial_reuse.mean <= f64::from(medium.spatial_reuse.max), "{medium:?}");
        assert_eq!(medium.spatial_reuse.max == 0, medium.mac_utilisation == 0.0);
        // Of links that exclude each other one can send; and there are no more links than MAC flows.
        assert!(medium.independent_set.mean <= medium.contending_mac_flows, "{medium:?}");
        assert!(medium.independent_set.mean <= f64::from(medium.independent_set.max), "{medium:?}");
        assert_eq!(medium.independent_set.max == 0, medium.contending_mac_flows == 0.0);
        assert!((0.0..=1.0).contains(&medium.independent_set.exact), "{medium:?}");
        assert!(setup.end > Time::ZERO && found.reverse_bps.len() == report.flows.len());
    }
}
