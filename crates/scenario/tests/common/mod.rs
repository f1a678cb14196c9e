//! A small scenario that is right, and how tests tell what is wrong with others.

#![allow(dead_code, reason = "every test file takes what it needs")]

use std::path::Path;

use hopwright_scenario::{Loaded, ScenarioErrors, parse};

/// Four hops, one flow.
pub(crate) const CHAIN: &str = "\
duration_s = 100

[topology]
kind = \"chain\"
hops = 4

[[flows]]
from = 0
to = 4
";

/// Reads a scenario from text; paths inside it start in this crate's folder of test files.
pub(crate) fn read(text: &str, overrides: &[&str]) -> Result<Loaded, ScenarioErrors> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|o| o.split_once('=').expect("key=value"))
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect();
    parse("a.toml", text, Path::new("tests/files"), &overrides)
}

/// The scenario, which must be right.
pub(crate) fn good(text: &str, overrides: &[&str]) -> Loaded {
    read(text, overrides).unwrap_or_else(|errors| panic!("refused:\n{errors}\n{text}"))
}

/// What is wrong, one line per error.
pub(crate) fn lines(text: &str, overrides: &[&str]) -> String {
    match read(text, overrides) {
        Ok(_) => "accepted\n".to_owned(),
        Err(errors) => errors.errors().iter().map(|e| format!("{e}\n")).collect(),
    }
}

/// `CHAIN` with `from` replaced by `to`.
pub(crate) fn chain_with(from: &str, to: &str) -> String {
    assert!(CHAIN.contains(from), "nothing to replace: {from}");
    CHAIN.replacen(from, to, 1)
}
