//! A run in a web page: what the playground of the site calls.
//!
//! The simulator and the scenario are the ones that everybody uses, compiled to WebAssembly: the same file and seed give the same
//! results as `hopwright run`, to the last bit. A page has no files, so that a scenario that names one is refused.
//!
//! Holds     a run is stopped after `MOST_EVENTS` events, so that no scenario keeps a page busy for ever

mod curves;

use std::path::Path;

use hopwright_scenario::Loaded;
use hopwright_sim::{Options, Report, Watch};
use serde::Serialize;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::curves::{Curve, Curves};

/// The most events of a run: a row of eight hops for more than an hour.
const MOST_EVENTS: u64 = 20_000_000;

/// What a run gives the page.
#[derive(Debug, Serialize)]
struct Played {
    /// Every result, as `hopwright run --json` has them.
    report: Report,
    /// The congestion window of each flow of TCP over time, in the scenario's order; empty for other flows.
    windows: Vec<Curve>,
}

/// Runs a scenario, a text in TOML, with one seed. Gives JSON: `report`, the results of the run, and `windows`, for each flow
/// `time_s` and `segments`.
///
/// # Errors
///
/// Everything that is wrong with the scenario, as the command line prints it; or that the run takes more than a page should.
#[wasm_bindgen]
pub fn run(scenario: &str, seed: u32) -> Result<String, JsError> {
    played(scenario, seed).map_err(|reason| JsError::new(&reason))
}

fn played(scenario: &str, seed: u32) -> Result<String, String> {
    let loaded = hopwright_scenario::parse("scenario", scenario, Path::new(""), &[]).map_err(|e| e.render(false))?;
    let played = simulated(&loaded, u64::from(seed))?;
    Ok(serde_json::to_string(&played).expect("numbers and texts have a form in JSON"))
}

fn simulated(loaded: &Loaded, seed: u64) -> Result<Played, String> {
    let setup = loaded.setup(seed).map_err(|errors| errors.render(false))?;
    let mut curves = Curves::of(&setup);
    let options = Options { most_events: Some(MOST_EVENTS), ..Options::default() };
    let outcome = hopwright_sim::run_traced(&setup, seed, &options, &Watch::default(), &mut curves)
        .map_err(|_| format!("the run takes more than {MOST_EVENTS} events; choose a shorter one or fewer nodes"))?;
    Ok(Played { report: outcome.report, windows: curves.windows })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: &str = r#"
        duration_s = 20
        topology = { kind = "chain", hops = 3 }
        flows = [{ from = 0, to = 3, transport = { protocol = "newreno", window_limit_segments = 8 } }]
    "#;

    fn read(text: &str) -> serde_json::Value {
        serde_json::from_str(text).expect("it is JSON")
    }

    #[test]
    fn results_are_those_of_an_untraced_run() {
        let played = read(&played(CHAIN, 3).expect("a scenario"));
        let loaded = hopwright_scenario::parse("scenario", CHAIN, Path::new(""), &[]).expect("a scenario");
        let setup = loaded.setup(3).expect("a network");
        let alone =
            hopwright_sim::run(&setup, 3, &Options::default(), &Watch::default()).expect("nobody stops it").report;
        assert_eq!(played["report"]["fingerprint"], alone.fingerprint);
        assert_eq!(played["report"]["flows"][0]["goodput_bps"].as_f64(), alone.flows[0].goodput_bps());
    }

    #[test]
    fn windows_are_within_their_limit_and_end_with_the_run() {
        let played = read(&played(CHAIN, 1).expect("a scenario"));
        let window = &played["windows"][0];
        let times: Vec<f64> = serde_json::from_value(window["time_s"].clone()).expect("numbers");
        let segments: Vec<f64> = serde_json::from_value(window["segments"].clone()).expect("numbers");
        assert_eq!(times.len(), segments.len());
        assert!(times.len() > 100, "{} samples", times.len());
        assert!(times.is_sorted());
        assert!(segments.iter().all(|&each| each >= 1.0));
        assert!(segments.windows(2).all(|two| two[0] != two[1]), "a sample where nothing changed");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let reason = played(&CHAIN.replace("hops", "hop"), 1).expect_err("there is no such key");
        assert!(reason.contains("scenario:3:") && reason.contains("did you mean 'hops'"), "{reason}");
    }

    #[test]
    fn a_run_that_never_ends_is_stopped() {
        let long = CHAIN.replace("duration_s = 20", "duration_s = 1000000");
        let reason = played(&long, 1).expect_err("a million seconds are more than a page should take");
        assert!(reason.contains("choose a shorter one"), "{reason}");
    }
}
