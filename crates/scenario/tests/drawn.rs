//! Scenarios drawn over every key: those that are accepted run to their end, twice alike, with their books in balance;
//! those that are refused say where and why. What is wrong is found by `draw`.

use std::collections::BTreeSet;
use std::path::Path;

use hopwright_scenario::{parse, schema};

use crate::draw::{Dice, Fate, draw_and_run, run_twice};
use crate::results::Results;

/// How many are drawn. `DRAWN=5000 cargo test -p hopwright-scenario --test it drawn` draws more, `FIRST=126 DRAWN=1 SHOW=1`
/// with `-- --nocapture` shows one before it runs; `SAVE=FILE` writes all that had something to do as a JSON list.
const DRAWN: u64 = 1_000;

#[test]
fn whatever_is_accepted_runs_and_runs_again() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (first, drawn) = (number("FIRST").unwrap_or(0), number("DRAWN").unwrap_or(DRAWN));
    let (mut ran, mut cut, mut busy) = (0, 0, 0);
    let mut texts = Vec::new();
    let mut protocols = BTreeSet::new();
    let mut results = Results::new();
    for n in first..first + drawn {
        println!("scenario {n}");
        let (text, fate) = draw_and_run(&mut Dice::of_number(n), Path::new("tests/files"));
        match fate {
            Fate::Refused => {}
            Fate::Cut => cut += 1,
            Fate::Ran(report) => {
                ran += 1;
                results.check(&report, &text);
                if report.frames > 0 {
                    busy += 1;
                    texts.push(text);
                }
                protocols.extend(report.flows.iter().map(|flow| flow.protocol.clone()));
            }
        }
    }
    if let Some(file) = std::env::var_os("SAVE") {
        std::fs::write(file, serde_json::to_string_pretty(&texts).expect("texts are JSON"))
            .expect("the file is written");
    }
    println!("{drawn} drawn: {ran} ran, {busy} of them with frames; {cut} were cut; {} transports", protocols.len());
    // A net with holes would catch nothing.
    let unseen = results.unseen();
    assert!(drawn < DRAWN || unseen.is_empty(), "no result has {unseen:?}");
    assert!(ran + cut >= drawn * 9 / 10 && busy >= drawn / 3, "{ran} ran, {cut} were cut, {busy} were busy");
}

/// A chain with little to send, for a minute: so that what happens seldom happens.
const MINUTE: &str = "\
duration_s = 60
topology = { kind = 'chain', hops = 3 }
[[flows]]
from = 0
to = 3
app = 'cbr'
rate_kbps = 1
payload_bytes = 100
";

#[test]
fn every_switch_of_every_router_runs_for_a_minute() {
    let schema = schema();
    let routing = schema["properties"]["routing"]["properties"].as_object().expect("routing is a table");
    let mut seen = 0;
    for (protocol, table) in routing {
        let Some(keys) = table["properties"].as_object() else { continue };
        let words = |schema: &serde_json::Value| -> Vec<String> {
            match schema["enum"].as_array() {
                Some(words) => words.iter().map(ToString::to_string).collect(),
                None if schema["type"] == "boolean" => vec!["true".to_owned(), "false".to_owned()],
                None => Vec::new(),
            }
        };
        for profile in words(&keys["profile"]) {
            for (key, value) in
                keys.iter().flat_map(|(key, inner)| words(inner).into_iter().map(move |word| (key, word)))
            {
                let sets = [("protocol", format!("\"{protocol}\"")), ("profile", profile.clone()), (key, value)];
                let [protocol_is, profile_is, key_is] = sets.map(|(key, value)| (key.to_owned(), value));
                let below = |(key, value): (String, String)| (format!("routing.{protocol}.{key}"), value);
                let overrides = [("routing.protocol".to_owned(), protocol_is.1), below(profile_is), below(key_is)];
                // Some say nothing with some profiles.
                let Ok(loaded) = parse("minute.toml", MINUTE, Path::new(""), &overrides) else { continue };
                println!("{overrides:?}");
                let fate = run_twice(&format!("{overrides:?}"), &loaded, Path::new(""));
                assert!(matches!(fate, Fate::Ran(_)), "{overrides:?}: {fate:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "only {seen} switches were set");
}
