//! What a run measures, and what is known of it before: both as JSON.

use std::path::Path;

use hopwright_machine::DropCause;
use hopwright_sim::{Options, Timed, Watch, run, schema};

fn main() {
    let file = std::env::args().nth(1).expect("a scenario");
    let loaded = hopwright_scenario::load(Path::new(&file), &[]).expect("it is right");
    let setup = loaded.setup(1).expect("it is right");
    let report = run(&setup, 1, &Options::default(), &Watch::default()).expect("nobody cancels").report;
    let said: Vec<_> = DropCause::ALL.iter().map(|cause| cause.says()).collect();
    let result = Timed { report: &report, wall_s: 0.0 };
    println!("{}", serde_json::json!({ "result": result, "schema": schema::of::<Timed<'_>>(), "said": said }));
}
