//! The same scenario and seed give the same bits, in every build on every machine.
//!
//! `fingerprints.txt` is checked here, in a build for tests, and by `tests/python/test_determinism.py` in the one
//! that users have. A change of behaviour changes it: then its new lines are what the failing test prints.

use std::path::Path;

use hopwright_scenario::load;
use hopwright_sim::{Options, Report, Watch, run};

const TABLE: &str = include_str!("fingerprints.txt");

fn report(file: &str, profile: &str, seed: u64, duration_s: &str) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
    let overrides = [("profile", profile), ("duration_s", duration_s)].map(|(k, v)| (k.to_owned(), v.to_owned()));
    let loaded = load(&path, &overrides).unwrap_or_else(|errors| panic!("{errors}"));
    let setup = loaded.setup(seed).unwrap_or_else(|errors| panic!("{errors}"));
    run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels").report
}

/// A whole summary, but for how many events the engine needed: that is its own affair and falls as it gets better.
fn summary(file: &str, profile: &str, duration_s: &str) -> Report {
    Report { events: 0, ..report(file, profile, 1, duration_s) }
}

/// The table's lines, cut into words, without its comments.
fn lines() -> impl Iterator<Item = Vec<&'static str>> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace().collect())
}

#[test]
fn every_scenario_has_its_fingerprint() {
    let mut found: Vec<String> = TABLE.lines().filter(|l| l.starts_with('#')).map(str::to_owned).collect();
    for line in lines() {
        let &[file, profile, seed, duration_s, _, _] = line.as_slice() else { panic!("not a line: {line:?}") };
        let report = report(file, profile, seed.parse().expect("a seed"), duration_s);
        let (frames, fingerprint) = (report.frames, report.fingerprint);
        found.push(format!("{file:<12} {profile:<8} {seed:>4} {duration_s:>4} {frames:>6} {fingerprint}"));
    }
    assert!(found == TABLE.lines().collect::<Vec<_>>(), "the table now reads:\n{}", found.join("\n"));
}

#[test]
fn every_scenario_is_in_the_table_in_both_profiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    for file in std::fs::read_dir(folder).expect("there are scenarios") {
        let file = file.expect("a file").file_name().into_string().expect("a name in UTF-8");
        for profile in ["standard", "ns2"].iter().filter(|_| file.ends_with(".toml")) {
            let wanted = [file.as_str(), profile];
            assert!(lines().any(|line| line[..2] == wanted), "fingerprints.txt lacks {wanted:?}");
        }
    }
}

#[test]
fn another_seed_is_another_run() {
    let [one, two] = [1, 2].map(|seed| report("grid.toml", "standard", seed, "5").fingerprint);
    assert_ne!(one, two);
}

#[test]
fn the_chain_in_full() {
    insta::assert_debug_snapshot!(summary("chain.toml", "standard", "30"));
}

#[test]
fn the_star_in_full_as_ns2_has_it() {
    insta::assert_debug_snapshot!(summary("star.toml", "ns2", "10"));
}

#[test]
fn walking_nodes_in_full() {
    insta::assert_debug_snapshot!(summary("mobile.toml", "standard", "30"));
}
