//! What radios take: times that can be worked out by hand, and sums that must hold whatever is set up.

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::Switch;
use hopwright_radio::Powers;
use hopwright_sim::{
    EnergyReport, Event, FlowReport, Options, Outcome, OverStates, RadioReport, Setup, Trace, Watch, run, run_traced,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::{at, datagrams, outcome, quiet, string};
use crate::worlds::{config, contended, setup};

/// Powers that no two states share.
const POWERS: Powers =
    Powers { transmit_w: 1.7, receive_w: 1.3, overhear_w: 1.1, sense_w: 0.9, idle_w: 0.7, off_w: 0.05 };

fn of_radios(report: &EnergyReport) -> &RadioReport {
    report.radio.as_ref().expect("it is counted")
}

fn energy(setup: &Setup) -> EnergyReport {
    outcome(setup, 1).report.energy.expect("asked for")
}

fn listed(of: &OverStates) -> [f64; 6] {
    [of.transmit, of.receive, of.overhear, of.sense, of.idle, of.off]
}

/// Whole nanoseconds; seconds as results give them hold them exactly.
fn ns(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

fn watts(of: &Powers) -> [f64; 6] {
    [of.transmit_w, of.receive_w, of.overhear_w, of.sense_w, of.idle_w, of.off_w]
}

/// One datagram of 1000 bytes without RTS: 192 µs of preamble, 1064 bytes at 2 Mb/s.
const DATA_NS: u64 = (192 + (1000 + 28 + 36) * 4) * 1000;
/// 192 µs of preamble, 14 bytes at 1 Mb/s.
const ACK_NS: u64 = 304_000;

/// Node 0 sends `count` datagrams to node 1; 2 can decode both, 3 hears node 0 too weakly and node 1 not at all.
fn four(count: u32) -> Setup {
    let places = [(0.0, 0.0), (200.0, 0.0), (100.0, 50.0), (-400.0, 0.0)];
    let mut setup = quiet(&places, false, 3.0, false);
    setup.radio.powers = Some(POWERS);
    setup.flows = vec![datagrams(0, 1, 1000, 1.0, count)];
    setup
}

#[test]
fn one_hop_costs_what_can_be_worked_out() {
    for count in [1u32, 20] {
        let setup = four(count);
        let run = outcome(&setup, 1);
        let (flow, report) = (&run.report.flows[0], run.report.energy.as_ref().expect("asked for"));
        let (n, end) = (u64::from(count), setup.end.as_nanos());
        let (data, ack) = (n * DATA_NS, n * ACK_NS);
        let idle = end - data - ack;
        let expected = [
            [data, ack, 0, 0, idle, 0],
            [ack, data, 0, 0, idle, 0],
            [0, 0, data + ack, 0, idle, 0],
            [0, 0, 0, data, end - data, 0],
        ];
        let found: Vec<_> = of_radios(report).nodes.iter().map(|node| listed(&node.state_time_s).map(ns)).collect();
        assert_eq!(found, expected);
        let p = watts(&POWERS);
        let busy_j = 1e-9 * (data + ack) as f64 * (p[0] + p[1] + p[2]) + 1e-9 * data as f64 * p[3];
        let idle_j = 1e-9 * (3 * idle + end - data) as f64 * p[4];
        assert!((of_radios(report).communication_j - busy_j).abs() < 1e-9);
        assert!((of_radios(report).radio_j - busy_j - idle_j).abs() < 1e-9);
        // All of it is the flow's, the acknowledgements of the MAC included.
        assert!((flow.data_j.expect("asked for") - busy_j).abs() < 1e-9);
        assert_eq!((of_radios(report).routing_j, of_radios(report).state_j.off), (0.0, 0.0));
        let bits = 8000.0 * f64::from(count);
        assert_eq!(report.j_per_received_bit, Some(of_radios(report).radio_j / bits));
        assert_eq!(of_radios(report).communication_j_per_received_bit, Some(of_radios(report).communication_j / bits));
    }
}

#[test]
fn without_a_bit_there_is_no_energy_for_it() {
    let mut setup = four(1);
    setup.flows.clear();
    let report = energy(&setup);
    assert_eq!((report.j_per_received_bit, of_radios(&report).communication_j_per_received_bit), (None, None));
    assert_eq!(of_radios(&report).communication_j, 0.0);
    assert!((of_radios(&report).radio_j - 4.0 * 4.0 * 0.7).abs() < 1e-12, "four nodes idle for 4 s");
}

#[test]
fn only_the_measured_time_counts() {
    let mut setup = four(1);
    setup.warm_up = at(2.0);
    let report = energy(&setup);
    assert_eq!(of_radios(&report).communication_j, 0.0);
    assert!((of_radios(&report).radio_j - 4.0 * 2.0 * 0.7).abs() < 1e-12);
}

#[test]
fn a_node_that_is_down_is_off() {
    let mut setup = four(1);
    let switch = |at_s: f64, up: bool| Switch { at: at(at_s), node: NodeId(2), up };
    setup.switches = vec![switch(0.5, false), switch(2.5, true)];
    let report = energy(&setup);
    assert_eq!(listed(&of_radios(&report).nodes[2].state_time_s), [0.0, 0.0, 0.0, 0.0, 2.0, 2.0]);
    assert!((of_radios(&report).nodes[2].radio_j - 2.0 * (0.7 + 0.05)).abs() < 1e-12);
}

/// The RTS, CTS and MAC acknowledgements of a packet are on its account, forwarded or not, and in both directions.
#[test]
fn a_tcp_flow_pays_for_its_data_and_its_acknowledgements() {
    let mut setup = string(3, "newreno", 5.0, true);
    setup.radio.powers = Some(POWERS);
    let run = outcome(&setup, 1);
    let report = run.report.energy.expect("asked for");
    let tcp = run.report.flows[0].tcp.as_ref().expect("TCP");
    let (data_j, acks_j) = (run.report.flows[0].data_j.expect("asked for"), tcp.acks_j.expect("asked for"));
    assert!(acks_j > 0.0 && data_j > acks_j, "{data_j} and {acks_j} J");
    assert!((data_j + acks_j - of_radios(&report).communication_j).abs() < 1e-9);
    assert_eq!(of_radios(&report).routing_j, 0.0);
}

#[test]
fn nobody_asks_and_nothing_is_said() {
    let run = outcome(&string(2, "newreno", 2.0, true), 1);
    assert_eq!((run.report.energy, run.report.flows[0].data_j), (None, None));
    assert!(run.packets_j.is_empty());
}

fn with_packets(setup: &Setup, seed: u64) -> Outcome {
    let options = Options { packet_energy: true, ..Options::default() };
    run(setup, seed, &options, &Watch::default()).expect("nobody cancels")
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// A world that is asked what it takes, from some time on.
fn metered() -> impl Strategy<Value = Setup> {
    let power = || 0.0..3.0;
    let powers = (power(), power(), power(), power(), power(), power());
    (setup(), powers, 0.0..0.9).prop_map(
        |(mut setup, (transmit_w, receive_w, overhear_w, sense_w, idle_w, off_w), share)| {
            setup.radio.powers = Some(Powers { transmit_w, receive_w, overhear_w, sense_w, idle_w, off_w });
            setup.warm_up = at(setup.end.as_secs_f64() * share);
            setup
        },
    )
}

/// Hears everything, and keeps nothing.
struct Ears;

impl Trace for Ears {
    fn event(&mut self, _: Time, _: NodeId, _: Event<'_>) {}

    fn hears(&self, _: NodeId) -> bool {
        true
    }
}

/// What was spent on the packets that go the way of a flow's acknowledgements.
fn acks_j(flow: &FlowReport) -> Option<f64> {
    let (tcp, bundles) = (flow.tcp.as_ref(), flow.bundles.as_ref());
    let of_bundles = bundles.and_then(|bundles| bundles.acks_j);
    tcp.and_then(|tcp| tcp.acks_j).or(flow.atp.and_then(|atp| atp.acks_j)).or(of_bundles)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_joule_is_somebodys(setup in metered(), seed in 0u64..1000) {
        let setup = contended(setup, seed);
        let outcome = with_packets(&setup, seed);
        let mut report = outcome.report;
        let energy = report.energy.clone().expect("asked for");
        // Each radio is in one state at a time, to the nanosecond.
        let measured = setup.end.since(setup.warm_up).as_nanos();
        for node in &of_radios(&energy).nodes {
            let times = listed(&node.state_time_s);
            prop_assert_eq!(times.map(ns).iter().sum::<u64>(), measured);
            let powers = watts(&setup.radio.powers.expect("given"));
            prop_assert!(is_near(node.radio_j, times.iter().zip(powers).map(|(s, w)| s * w).sum()));
        }
        prop_assert_eq!(of_radios(&energy).nodes.len(), setup.nodes.len());
        // Over nodes, over states, over flows, over packets: the same sum.
        let nobodys = of_radios(&energy).state_j.idle + of_radios(&energy).state_j.off;
        let flows = report.flows.iter().flat_map(|f| [f.data_j, acks_j(f)]);
        let flows: f64 = flows.flatten().sum();
        let packets: f64 = outcome.packets_j.iter().map(|(_, joules)| joules).sum();
        prop_assert!(is_near(of_radios(&energy).radio_j, of_radios(&energy).nodes.iter().map(|node| node.radio_j).sum()));
        prop_assert!(is_near(of_radios(&energy).radio_j, listed(&of_radios(&energy).state_j).iter().sum()));
        prop_assert!(is_near(of_radios(&energy).radio_j, flows + of_radios(&energy).routing_j + nobodys), "{:?}", energy);
        prop_assert!(is_near(of_radios(&energy).radio_j, packets + nobodys), "{} of packets, {:?}", packets, energy);
        prop_assert!(is_near(of_radios(&energy).radio_j, of_radios(&energy).communication_j + nobodys));
        // Whoever looks on, it is the same; and it changes nothing else.
        let watched = run_traced(&setup, seed, &Options::default(), &Watch::default(), &mut Ears).expect("not cancelled");
        prop_assert_eq!(&watched.report, &report);
        let mut unmetered = setup.clone();
        unmetered.radio.powers = None;
        report.energy = None;
        for flow in &mut report.flows {
            flow.data_j = None;
            if let Some(tcp) = &mut flow.tcp {
                tcp.acks_j = None;
            }
            if let Some(atp) = &mut flow.atp {
                atp.acks_j = None;
            }
            if let Some(bundles) = &mut flow.bundles {
                bundles.acks_j = None;
            }
        }
        prop_assert_eq!(crate::support::outcome(&unmetered, seed).report, report);
    }
}

/// The property is worth what its worlds reach: every state, and every account.
#[test]
fn the_worlds_know_every_state() {
    let mut runner = TestRunner::deterministic();
    let (mut states, mut accounts, mut packets) = ([0.0; 6], [0.0; 3], 0);
    for seed in 0..40 {
        let setup = metered().new_tree(&mut runner).expect("a setup").current();
        let outcome = with_packets(&setup, seed);
        let energy = outcome.report.energy.expect("asked for");
        listed(&of_radios(&energy).state_j).into_iter().zip(&mut states).for_each(|(joules, sum)| *sum += joules);
        accounts[0] += of_radios(&energy).routing_j;
        for flow in &outcome.report.flows {
            accounts[1] += flow.data_j.unwrap_or_default();
            accounts[2] += acks_j(flow).unwrap_or_default();
        }
        packets += outcome.packets_j.len();
    }
    assert!(states.iter().chain(&accounts).all(|&joules| joules > 1.0), "{states:?}, {accounts:?}");
    assert!(packets > 1000, "{packets}");
}
