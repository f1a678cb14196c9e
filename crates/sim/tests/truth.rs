//! What senders believe of their losses, against what the run knows.

use std::collections::BTreeMap;

use hopwright_machine::{NodeId, Time};
use hopwright_radio::FrameErrors;
use hopwright_sim::{Errors, Event, FlowKind, FlowReport, FrameClass, Options, Setup, Trace, Watch, run_traced};
use hopwright_transport::{Value, slots};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::{outcome, string};
use crate::worlds::{config, contended, setup};

/// The same with this part as the diagnosis of every TCP flow, and these words for its parameters.
fn diagnosing(mut setup: Setup, part: &str, words: &[(&str, &str)]) -> Setup {
    for flow in &mut setup.flows {
        let FlowKind::Tcp { recipe, params, .. } = &mut flow.kind else { continue };
        **recipe = recipe.with("diagnosis", part).expect("a known part");
        for (name, word) in words {
            params.set(name, Value::Word((*word).into())).expect("a known parameter");
        }
    }
    setup
}

fn diagnoses(report: &FlowReport) -> &BTreeMap<String, u64> {
    &report.tcp.as_ref().expect("a flow of TCP").diagnoses
}

/// What a transport that knows the truth believes.
fn belief(truth: &str) -> &'static str {
    match truth.strip_prefix("ack_").unwrap_or(truth) {
        "queue" => "congestion",
        "contention" => "contention",
        "link_failure" | "no_route" | "node_down" => "route",
        "channel" | "nothing" | "other" => "channel",
        other => panic!("{other}"),
    }
}

/// Truth and belief of a cell.
fn cell(name: &str) -> (&str, &str) {
    name.split_once("_as_").expect("two words")
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_oracle_is_right(setup in setup(), seed in 0u64..1000) {
        let setup = diagnosing(contended(setup, seed), "oracle", &[]);
        let run = outcome(&setup, seed);
        for (flow, report) in setup.flows.iter().zip(&run.report.flows) {
            let FlowKind::Tcp { .. } = flow.kind else { continue };
            for name in diagnoses(report).keys() {
                let (truth, believed) = cell(name);
                prop_assert_eq!(believed, belief(truth), "{:?}", diagnoses(report));
            }
        }
        prop_assert_eq!(run.report, outcome(&setup, seed).report);
    }

    #[test]
    fn an_error_on_purpose_is_made_always_and_is_the_only_one(setup in setup(), seed in 0u64..1000) {
        let words = [("oracle_contention_as", "route"), ("oracle_nothing_as", "congestion")];
        let setup = diagnosing(contended(setup, seed), "oracle", &words);
        for report in outcome(&setup, seed).report.flows.iter().filter(|flow| flow.tcp.is_some()) {
            for name in diagnoses(report).keys() {
                let (truth, believed) = cell(name);
                let expected = match truth {
                    "contention" | "ack_contention" => "route",
                    "nothing" | "other" | "ack_other" => "congestion",
                    truth => belief(truth),
                };
                prop_assert_eq!(believed, expected, "{:?}", diagnoses(report));
            }
        }
    }
}

/// The properties are worth what their worlds bring about.
#[test]
fn the_worlds_bring_about_what_there_is_to_know() {
    let mut runner = TestRunner::deterministic();
    let mut found = BTreeMap::<String, u64>::new();
    for seed in 0..300 {
        let setup = setup().new_tree(&mut runner).expect("a setup").current();
        let run = outcome(&diagnosing(contended(setup, seed), "oracle", &[]), seed);
        for tcp in run.report.flows.iter().filter_map(|flow| flow.tcp.as_ref()) {
            for (name, count) in &tcp.diagnoses {
                *found.entry(cell(name).0.to_owned()).or_default() += count;
            }
        }
    }
    for truth in ["queue", "contention", "link_failure", "no_route", "channel", "node_down"] {
        let of_acks = format!("ack_{truth}");
        assert!(found.contains_key(truth) || found.contains_key(&of_acks), "no {truth}: {found:?}");
        assert!(["no_route", "node_down"].contains(&truth) || found.contains_key(truth), "no {truth}: {found:?}");
    }
    assert!(found.contains_key("nothing") && found.contains_key("ack_contention"), "{found:?}");
}

/// A bulk transfer over one hop, in which only what the test adds can go wrong.
fn hop(id: &str) -> Setup {
    let mut setup = string(1, id, 60.0, false);
    // Bursts beyond what a lone pair of stations gets into a queue.
    setup.mac.queue_packets = 1000;
    setup
}

fn damaged(mut setup: Setup, frames: &[FrameClass], probability: f64) -> Setup {
    let model = FrameErrors::Uniform { probability };
    setup.errors.push(Errors { from: None, to: None, frames: frames.to_vec(), model });
    setup
}

/// All truths, and how often each.
fn truths(setup: &Setup) -> BTreeMap<String, u64> {
    let run = outcome(setup, 1);
    let mut truths = BTreeMap::new();
    for (name, count) in diagnoses(&run.report.flows[0]) {
        *truths.entry(cell(name).0.to_owned()).or_default() += count;
    }
    truths
}

/// Whether there is no other truth, but for few needless reactions: 3 % at the most.
fn is_only(truths: &BTreeMap<String, u64>, only: &str) -> bool {
    let needless = truths.get("nothing").copied().unwrap_or_default();
    truths.keys().all(|truth| truth == only || truth == "nothing") && 100 * needless <= 3 * truths.values().sum::<u64>()
}

#[test]
fn where_only_the_channel_loses_it_is_always_to_blame() {
    let mut setup = damaged(hop("newreno"), &[FrameClass::Data], 0.4);
    setup.mac.short_retry_limit = 3;
    setup.mac.long_retry_limit = 3;
    let truths = truths(&setup);
    assert!(truths["channel"] > 20, "{truths:?}");
    assert!(is_only(&truths, "channel"), "{truths:?}");
}

#[test]
fn where_only_a_queue_loses_it_is_always_to_blame() {
    let mut setup = hop("newreno");
    setup.mac.queue_packets = 5;
    let truths = truths(&setup);
    assert!(truths["queue"] > 20, "{truths:?}");
    assert!(is_only(&truths, "queue"), "{truths:?}");
}

#[test]
fn where_only_acknowledgements_are_lost_they_are_counted_apart() {
    let mut setup = damaged(hop("newreno"), &[FrameClass::Ack], 0.9);
    setup.mac.short_retry_limit = 2;
    setup.mac.long_retry_limit = 2;
    let truths = truths(&setup);
    assert!(truths["ack_channel"] > 5, "{truths:?}");
    assert!(is_only(&truths, "ack_channel"), "{truths:?}");
}

/// How often a sender has had to ask for a cause: NewReno does for each time-out of data and each fast retransmit.
struct Asked {
    from: Time,
    /// Time-outs and fast retransmits: before `from`, and up to now.
    before: u64,
    now: u64,
}

impl Trace for Asked {
    fn event(&mut self, at: Time, _: NodeId, event: Event<'_>) {
        let Event::Sender { public, .. } = event else { return };
        self.now = public.timeouts + public.fast_retransmits;
        if at < self.from {
            self.before = self.now;
        }
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

#[test]
fn as_many_diagnoses_are_counted_as_were_made() {
    let mut setup = damaged(hop("newreno"), &[FrameClass::Data], 0.3);
    setup.mac.long_retry_limit = 2;
    setup.mac.short_retry_limit = 2;
    // The warm-up does not count.
    for warm_up in [Time::ZERO, crate::support::at(30.0)] {
        setup.warm_up = warm_up;
        let mut asked = Asked { from: warm_up, before: 0, now: 0 };
        let run = run_traced(&setup, 1, &Options::default(), &Watch::default(), &mut asked).expect("nobody cancels");
        let tcp = run.report.flows[0].tcp.as_ref().expect("a flow of TCP");
        let counted: u64 = tcp.diagnoses.values().sum();
        let (asked, silences) = (asked.now - asked.before, tcp.rto_count);
        assert_eq!(counted, asked, "{tcp:?}");
        assert!(0 < silences && silences < asked && asked > 50, "both kinds: {silences} of {asked}");
    }
}

#[test]
fn who_believes_in_congestion_says_so() {
    let setup = damaged(string(4, "newreno", 60.0, true), &[FrameClass::Data], 0.1);
    let run = outcome(&setup, 1);
    let diagnoses = diagnoses(&run.report.flows[0]);
    assert!(diagnoses.values().sum::<u64>() > 10, "{diagnoses:?}");
    assert!(diagnoses.keys().all(|name| cell(name).1 == "congestion"), "{diagnoses:?}");
}

#[test]
fn any_diagnosis_goes_with_any_response() {
    let parts = |name| slots().into_iter().find(|slot| slot.name == name).expect("a slot").parts;
    for diagnosis in parts("diagnosis") {
        for response in parts("response") {
            let mut setup = damaged(string(2, "newreno", 20.0, false), &[FrameClass::Data, FrameClass::Ack], 0.3);
            setup.mac.short_retry_limit = 3;
            setup.mac.long_retry_limit = 3;
            let mut setup = diagnosing(setup, diagnosis.id, &[]);
            let FlowKind::Tcp { recipe, params, .. } = &mut setup.flows[0].kind else { unreachable!("TCP") };
            **recipe = recipe.with("response", response.id).expect("a known part");
            params.set("timestamps", Value::Bool(true)).expect("a known parameter");
            recipe.check(params).expect("no conflict");
            let run = outcome(&setup, 1);
            let (flow, pair) = (&run.report.flows[0], (diagnosis.id, response.id));
            assert!(diagnoses(flow).values().sum::<u64>() > 5, "{pair:?}: {:?}", diagnoses(flow));
            assert!(flow.received_bps > 10e3, "{pair:?}: {}", flow.received_bps);
        }
    }
}
