//! The schema of results: that results are as it says, and that it says all of each number.

use std::collections::BTreeSet;

use hopwright_sim::{
    MediumUseReport, NetworkTimes, Options, PacketTimes, Report, SenderTimes, Timed, Watch, run, schema,
};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::common::good;

/// What only traces fill in; and what is not drawn: relays, and triggers that have read something before a short run ends.
const NOT_DRAWN: [&str; 7] = [
    "medium_use",
    "flows.reverse_bps",
    "flows.sender_time_s",
    "flows.network_time_s",
    "flows.packet_time_s",
    "relays",
    "flows.adaptation.readings",
];

/// Looks at results, and remembers which fields some had.
pub(crate) struct Results {
    validator: Validator,
    seen: BTreeSet<String>,
}

impl Results {
    pub(crate) fn new() -> Self {
        let schema = schema::of::<Timed<'_>>();
        jsonschema::meta::validate(&schema).expect("the schema is one");
        Self { validator: jsonschema::validator_for(&schema).expect("it can be used"), seen: BTreeSet::new() }
    }

    /// Panics if a result is not as the schema says; `of`: what it is the result of.
    pub(crate) fn check(&mut self, report: &Report, of: &str) {
        let result = serde_json::to_value(Timed { report, wall_s: 0.1 }).expect("results are JSON");
        let wrong: Vec<_> =
            self.validator.iter_errors(&result).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:#?}\n{of}");
        leaves(&result, "", &mut self.seen);
    }

    /// The fields that no result had so far.
    pub(crate) fn unseen(&self) -> Vec<String> {
        let mut all = BTreeSet::new();
        numbers(&schema::of::<Timed<'_>>(), "", &mut |name, _| {
            all.insert(name.to_owned());
        });
        let is_drawn = |name: &String| !is_tally(name) && !NOT_DRAWN.iter().any(|of| name.starts_with(of));
        all.difference(&self.seen).filter(|name| is_drawn(name)).cloned().collect()
    }
}

/// What need not occur.
fn is_tally(name: &str) -> bool {
    ["drops.", "diagnoses."].iter().any(|tally| name.contains(tally))
}

fn leaves(value: &Value, name: &str, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, part)| leaves(part, &below(name, key), seen)),
        Value::Array(parts) => parts.iter().for_each(|part| leaves(part, name, seen)),
        _ => {
            seen.insert(name.to_owned());
        }
    }
}

fn below(name: &str, key: &str) -> String {
    if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") }
}

/// Shows `look` every number that a schema describes, with its path; places in lists leave no trace in that.
fn numbers(schema: &Value, name: &str, look: &mut impl FnMut(&str, &Value)) {
    if schema.get("x-shown").is_some() {
        look(name, schema);
    }
    for kind in ["anyOf", "oneOf"].iter().filter_map(|keyword| schema[keyword].as_array()).flatten() {
        numbers(kind, name, look);
    }
    if schema["items"].is_object() {
        numbers(&schema["items"], name, look);
    }
    for (key, part) in schema["properties"].as_object().into_iter().flatten() {
        numbers(part, &below(name, key), look);
    }
}

#[test]
fn every_number_says_all_about_itself() {
    let mut told = 0;
    numbers(&schema::of::<Timed<'_>>(), "", &mut |name, number| {
        told += 1;
        for keyword in ["title", "x-better", "x-shown"] {
            assert!(!number[keyword].is_null(), "{name} has no {keyword}");
        }
        assert!(number["title"].as_str().is_some_and(|title| !title.is_empty()), "{name} has no title");
        assert!(
            is_tally(name) || name.contains(".work_") || number["description"].is_string(),
            "{name} has no meaning"
        );
        assert_eq!(number["x-over-flows"].is_string(), name.starts_with("flows."), "{name}");
    });
    assert!(told > 200, "{told}");
}

#[test]
fn what_a_trace_adds_is_as_the_schema_says() {
    let setup = good(crate::common::CHAIN, &["duration_s=2"]).setup(1).unwrap();
    let mut report = run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels").report;
    let mut results = Results::new();
    results.check(&report, "a chain");
    report.medium_use = Some(MediumUseReport::default());
    report.flows[0].reverse_bps = Some(1.0);
    report.flows[0].network_time_s = Some(NetworkTimes::default());
    report.flows[0].packet_time_s = Some(PacketTimes::default());
    report.flows[0].tcp.as_mut().expect("TCP").sender_time_s = Some(SenderTimes::default());
    results.check(&report, "a chain with a trace");
}

#[test]
fn a_field_that_the_schema_does_not_know_is_none() {
    let results = Results::new();
    let setup = good(crate::common::CHAIN, &["duration_s=2"]).setup(1).unwrap();
    let report = run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels").report;
    let right = serde_json::to_value(Timed { report: &report, wall_s: 0.1 }).unwrap();
    assert!(results.validator.is_valid(&right));
    for path in ["", "/mac", "/flows/0", "/flows/0/losses", "/flows/0/drops"] {
        let mut wrong = right.clone();
        wrong.pointer_mut(path).unwrap()["goodput"] = json!(1);
        assert!(!results.validator.is_valid(&wrong), "{path}");
    }
    for (path, name) in [("/flows/0", "rto_count"), ("/mac", "collisions"), ("", "events")] {
        let mut wrong = right.clone();
        wrong.pointer_mut(path).unwrap().as_object_mut().unwrap().remove(name);
        assert!(!results.validator.is_valid(&wrong), "{path} without {name}");
    }
}
