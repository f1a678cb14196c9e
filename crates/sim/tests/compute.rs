//! What transports compute is charged for by event and function.

use std::collections::BTreeMap;

use hopwright_machine::NodeId;
use hopwright_mobility::Switch;
use hopwright_sim::{ComputeReport, FlowReport, Outcome, Setup};

use crate::support::{at, datagrams, outcome, string};

/// Joules that tell functions apart: of the first 1, of the second 10, ...
const POWERS: [f64; 6] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5];

fn charged(mut setup: Setup, id: &str, joules: [f64; 6]) -> Setup {
    setup.compute = Some(BTreeMap::from([(id.to_owned(), joules)]));
    setup
}

fn computed(flow: &FlowReport) -> &ComputeReport {
    flow.tcp.as_ref().expect("a TCP flow").compute.as_ref().expect("it is counted")
}

fn total(outcome: &Outcome) -> f64 {
    outcome.report.energy.as_ref().and_then(|energy| energy.compute_j).expect("it is counted")
}

#[test]
fn joules_are_events_times_what_one_costs() {
    // Some frames are lost, and a node goes down: every function of a sender without route signals has work.
    let mut setup = charged(string(6, "newreno", 60.0, true), "newreno", POWERS);
    let switch = |at_s, up| Switch { at: at(at_s), node: NodeId(3), up };
    setup.switches = vec![switch(20.0, false), switch(25.0, true)];
    let outcome = outcome(&setup, 1);
    let report = computed(&outcome.report.flows[0]);
    let names = ["slow_start", "congestion_avoidance", "recovery", "timers", "path", "receiver"];
    let mut expected = 0.0;
    for (name, joules) in names.into_iter().zip(POWERS) {
        assert_eq!(report.work_j[name], report.work_events[name] as f64 * joules, "{name}");
        assert_eq!(report.work_events[name] > 0, name != "path", "{name}: {}", report.work_events[name]);
        expected += report.work_j[name];
    }
    assert_eq!(report.compute_j, expected);
    assert_eq!(total(&outcome), expected);
    assert_eq!(report.j_per_sent_byte, Some(expected / report.sent_bytes as f64));
    assert_eq!(report.sent_bytes, outcome.report.flows[0].segments_sent * 1460);
}

#[test]
fn who_is_told_of_routes_works_for_the_path() {
    let mut setup = charged(string(3, "adaptive-cwl", 5.0, false), "adaptive-cwl", POWERS);
    setup.warm_up = at(0.0);
    assert!(computed(&outcome(&setup, 1).report.flows[0]).work_events["path"] > 0);
}

#[test]
fn counting_changes_nothing_else() {
    let plain = string(4, "sack", 20.0, true);
    let mut counted = outcome(&charged(plain.clone(), "sack", POWERS), 7).report;
    counted.energy = None;
    counted.flows[0].tcp.as_mut().expect("a TCP flow").compute = None;
    assert_eq!(counted, outcome(&plain, 7).report);
}

#[test]
fn the_warm_up_is_not_charged() {
    // Frames are lost, and a node goes down, before the warm-up ends and after.
    let mut whole = charged(string(6, "newreno", 60.0, true), "newreno", POWERS);
    let switch = |at_s, up| Switch { at: at(at_s), node: NodeId(3), up };
    whole.switches = vec![switch(10.0, false), switch(15.0, true), switch(40.0, false), switch(45.0, true)];
    // The same run up to the end of the warm-up: what is not to be charged.
    let (mut early, mut late) = (whole.clone(), whole.clone());
    (early.end, late.warm_up) = (at(31.0), at(31.0));
    let [whole, early, late] = [whole, early, late].map(|setup| computed(&outcome(&setup, 1).report.flows[0]).clone());
    for (name, &events) in &late.work_events {
        assert_eq!(events, whole.work_events[name] - early.work_events[name], "{name}");
        assert_eq!(early.work_events[name] > 0, *name != "path", "{name}");
        // What a window of two segments leaves after a time-out is no slow start.
        assert_eq!(events > 0, !["path", "slow_start"].contains(name), "{name}: {events}");
    }
    assert_eq!(late.work_events.len(), POWERS.len());
    assert_eq!(late.sent_bytes, whole.sent_bytes - early.sent_bytes);
    assert!(late.sent_bytes > 100_000 && early.sent_bytes > 100_000);
    assert_eq!(late.compute_j, late.work_j.values().sum::<f64>());
}

#[test]
fn what_costs_nothing_and_datagrams_are_not_charged() {
    let mut setup = charged(string(2, "reno", 5.0, false), "reno", [0.0; 6]);
    assert_eq!(total(&outcome(&setup, 1)), 0.0);
    setup.compute = Some(BTreeMap::from([("udp".to_owned(), POWERS)]));
    setup.flows = vec![datagrams(0, 2, 512, 1.0, 100)];
    let outcome = outcome(&setup, 1);
    assert_eq!(total(&outcome), 0.0);
    assert!(outcome.report.flows[0].tcp.is_none() && outcome.report.flows[0].received_bps > 0.0);
}

#[test]
fn radios_and_transports_add_up_per_received_bit() {
    let alone = |setup: Setup| outcome(&setup, 1).report;
    let mut both = charged(string(2, "newreno", 5.0, true), "newreno", POWERS.map(|joules| joules * 1e-6));
    let computes = alone(both.clone());
    both.radio.powers = Some(hopwright_radio::Powers::WAVELAN);
    let (report, computes) = (alone(both.clone()), computes.energy.expect("it is counted"));
    both.compute = None;
    let radios = alone(both).energy.expect("it is counted");
    let bits = report.flows[0].received_bps * 5.0;
    let energy = report.energy.expect("it is counted");
    assert_eq!((energy.compute_j, &energy.radio), (computes.compute_j, &radios.radio));
    assert!(radios.compute_j.is_none() && computes.radio.is_none());
    let (radio_j, compute_j) = (radios.radio.expect("it is counted").radio_j, computes.compute_j.expect("it is"));
    let per_bit = |of: Option<f64>| of.expect("bits arrive") * bits;
    assert!((per_bit(energy.j_per_received_bit) - radio_j - compute_j).abs() < 1e-9 * radio_j);
    assert!((per_bit(computes.j_per_received_bit) - compute_j).abs() < 1e-9 * compute_j);
}
