//! Runs a scenario with the core alone, for measuring what it costs: no Python, no threads, no output but this.
//!
//! ```text
//! cargo run --release --example run -- scenarios/chain.toml profile=ns2 duration_s=61
//! ```

use std::path::Path;
use std::process::ExitCode;

use hopwright_scenario::load;
use hopwright_sim::{Options, Watch, run};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: run FILE [KEY=VALUE]...");
        return ExitCode::from(2);
    };
    let overrides = arguments.map(|word| {
        let (key, value) = word.split_once('=').unwrap_or((&word, ""));
        (key.to_owned(), value.to_owned())
    });
    let overrides: Vec<_> = overrides.collect();
    let setup = load(Path::new(&file), &overrides).and_then(|loaded| {
        let seed = loaded.scenario.run.seed;
        Ok((loaded.setup(seed)?, seed))
    });
    let (setup, seed) = match setup {
        Ok(ready) => ready,
        Err(errors) => {
            eprintln!("{errors}");
            return ExitCode::from(2);
        }
    };
    let report = run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels").report;
    println!("frames {}", report.frames);
    println!("events {}", report.events);
    println!("fingerprint {}", report.fingerprint);
    let segments = report.flows.iter().filter_map(|flow| Some(flow.tcp.as_ref()?.goodput_segments)).sum::<u64>();
    println!("segments {segments}");
    let bytes = report.flows.iter().map(|flow| flow.received_bps * flow.measured_s / 8.0).sum::<f64>();
    println!("bytes {bytes:.0}");
    if let Some(kb) = peak_kb() {
        println!("peak_kb {kb}");
    }
    ExitCode::SUCCESS
}

/// Largest resident size of this process so far, where the system tells.
fn peak_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix("kB")?.trim().parse().ok()
}
