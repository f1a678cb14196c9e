//! Mutation testing of one crate: small mistakes are put into its code, one at a time; do the tests notice?
//!
//! All mistakes are compiled in at once, each behind a switch that an environment variable turns on, so a crate is
//! built once and not once for every mistake. Of the tests only those are run that come by the mistake.

mod crates;
mod equivalent;
mod find;
mod run;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crates::Mutated;
use equivalent::{Equivalents, Key, key};
use find::Mutant;

pub(crate) type Fault = Box<dyn std::error::Error>;

const USAGE: &str = "usage: mutants CRATE [--file TEXT] [--sample N] [--seed N] [--again] [--own] [--patience S]

CRATE     a folder of crates/
--file    only mutants of files with this in their path
--sample  so many mutants, drawn at random (else all)
--seed    of the draw (1)
--again   only those that survived the last time; the others keep their fates
--own     only the crate's own tests
--patience  no tests that take more seconds of processor time (600)";

/// Of tests of other crates each mutant gets so many seconds, the fastest first.
const PATIENCE_S: f64 = 10.0;

/// Whose tests count beside the crate's own.
fn dependents(krate: &str) -> &'static [&'static str] {
    match krate {
        "link" | "radio" | "routing" | "mobility" => &["sim"],
        "transport" => &["converse", "host", "sim"],
        _ => &[],
    }
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fate {
    /// A test of its crate failed.
    Noticed,
    /// None did, but one of a crate that builds on it.
    NoticedBeyond,
    /// All tests passed.
    Survived,
    /// No test came by it.
    NotMet,
    /// It changes nothing that matters, says `equivalent.toml`.
    Equivalent,
}

impl Fate {
    /// Whether no test has noticed the mutant, and none need not.
    const fn is_open(self) -> bool {
        matches!(self, Self::Survived | Self::NotMet)
    }
}

/// A line of the results.
#[derive(Debug, Serialize, Deserialize)]
struct Outcome {
    file: String,
    line: usize,
    function: String,
    original: String,
    mutated: String,
    fate: Fate,
    /// The test that failed.
    by: Option<String>,
}

impl Outcome {
    fn key(&self) -> Key {
        [self.file.clone(), self.function.clone(), self.original.clone(), self.mutated.clone()]
    }
}

struct Arguments {
    krate: String,
    file: String,
    sample: usize,
    seed: u64,
    again: bool,
    own: bool,
    patience_s: f64,
}

fn arguments() -> Result<Arguments, lexopt::Error> {
    use lexopt::prelude::*;
    let mut found = Arguments {
        krate: String::new(),
        file: String::new(),
        sample: usize::MAX,
        seed: 1,
        again: false,
        own: false,
        patience_s: 600.0,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Value(krate) if found.krate.is_empty() => found.krate = krate.string()?,
            Long("file") => found.file = parser.value()?.string()?,
            Long("sample") => found.sample = parser.value()?.parse()?,
            Long("seed") => found.seed = parser.value()?.parse()?,
            Long("again") => found.again = true,
            Long("patience") => found.patience_s = parser.value()?.parse()?,
            Long("own") => found.own = true,
            other => return Err(other.unexpected()),
        }
    }
    if found.krate.is_empty() { Err("which crate?".into()) } else { Ok(found) }
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match mutate(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}

fn mutate(arguments: &Arguments) -> Result<(), Fault> {
    let krate = &*arguments.krate;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the workspace");
    if !root.join("crates").join(krate).is_dir() {
        return Err(format!("there is no crates/{krate}").into());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let scratch = target.join("mutants");
    let results = scratch.join(format!("{krate}.json"));
    let equivalents = Equivalents::read(&root.join("mutants/equivalent.toml"))?;

    let mut mutated = Mutated::new(root, &scratch, krate)?;
    let own = mutated.compile(&[krate])?;

    let mutants: Vec<(String, &Mutant)> = mutated.compiled().collect();
    let known: BTreeSet<_> = mutants.iter().map(|(file, mutant)| key(file, mutant)).collect();
    for [file, function, _, mutated] in equivalents.stale(&format!("crates/{krate}/"), &known) {
        println!("in equivalent.toml, but in the code no more: {file} {function}: {mutated}");
    }
    let count = mutants.len();
    let wanted = mutants.into_iter().filter(|(file, _)| file.contains(&arguments.file)).collect();
    let mut drawn = draw(wanted, arguments.sample, arguments.seed);
    let mut kept: Vec<Outcome> = Vec::new();
    if arguments.again {
        let last: Vec<Outcome> = serde_json::from_slice(&fs::read(&results)?)?;
        let (open, closed): (Vec<_>, Vec<_>) = last.into_iter().partition(|outcome| outcome.fate.is_open());
        let open: BTreeSet<Key> = open.iter().map(Outcome::key).collect();
        drawn.retain(|(file, mutant)| open.contains(&key(file, mutant)));
        kept = closed.into_iter().filter(|outcome| known.contains(&outcome.key())).collect();
    }

    let mut outcomes: Vec<(u32, Outcome)> = Vec::new();
    for (file, mutant) in drawn {
        let (function, original) = (mutant.function.clone(), mutant.original.clone());
        let fate = if equivalents.has(&file, mutant) { Fate::Equivalent } else { Fate::NotMet };
        let (line, mutated) = (mutant.line, mutant.mutated.clone());
        outcomes.push((mutant.id, Outcome { file, line, function, original, mutated, fate, by: None }));
    }
    judge(&mut outcomes, Fate::Noticed, f64::INFINITY, &run::tests(&own, arguments.patience_s, &scratch)?)?;
    if !arguments.own && outcomes.iter().any(|(_, outcome)| outcome.fate.is_open()) {
        let others = mutated.compile(dependents(krate))?;
        judge(&mut outcomes, Fate::NoticedBeyond, PATIENCE_S, &run::tests(&others, arguments.patience_s, &scratch)?)?;
    }

    let outcomes: Vec<Outcome> = kept.into_iter().chain(outcomes.into_iter().map(|(_, outcome)| outcome)).collect();
    for Outcome { file, line, function, original, mutated, fate, .. } in outcomes.iter().filter(|o| o.fate.is_open()) {
        println!("{file}:{line} {function}\n    {original}\n    {mutated}\n    {fate:?}");
    }
    if arguments.file.is_empty() {
        fs::write(&results, serde_json::to_string_pretty(&outcomes)?)?;
    }
    println!("{krate}: {count} mutants, {} more do not compile", mutated.dropped.len());
    println!("{}", summary(&outcomes));
    Ok(())
}

/// Runs tests with each mutant that none has noticed yet, for so many seconds.
fn judge(outcomes: &mut [(u32, Outcome)], noticed: Fate, patience_s: f64, tests: &[run::Test]) -> Result<(), Fault> {
    eprintln!("{} tests, {:.0} s", tests.len(), tests.iter().map(|test| test.seconds).sum::<f64>());
    let open = outcomes.iter_mut().filter(|(_, outcome)| outcome.fate.is_open());
    for (n, (id, outcome)) in open.enumerate() {
        let mut spent_s = 0.0;
        for test in tests.iter().filter(|test| test.meets.contains(id)) {
            spent_s += test.seconds;
            if spent_s > patience_s {
                break;
            }
            outcome.fate = Fate::Survived;
            if !test.passes(*id)? {
                (outcome.fate, outcome.by) = (noticed, Some(test.title()));
                break;
            }
        }
        if n % 100 == 99 {
            eprintln!("{} mutants", n + 1);
        }
    }
    Ok(())
}

/// So many, in an order that depends on the seed and on each mutant alone.
fn draw(mutants: Vec<(String, &Mutant)>, sample: usize, seed: u64) -> Vec<(String, &Mutant)> {
    let mut times: BTreeMap<Key, u32> = BTreeMap::new();
    let mut placed: Vec<(u64, (String, &Mutant))> = mutants
        .into_iter()
        .map(|(file, mutant)| {
            let key = key(&file, mutant);
            let mut hasher = SipHasher13::new_with_keys(seed, 0);
            for part in &key {
                hasher.write(part.as_bytes());
                hasher.write_u8(0xff);
            }
            let time = times.entry(key).or_default();
            hasher.write_u32(*time);
            *time += 1;
            (hasher.finish(), (file, mutant))
        })
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.truncate(sample);
    let mut drawn: Vec<_> = placed.into_iter().map(|(_, mutant)| mutant).collect();
    drawn.sort_by_key(|(_, mutant)| mutant.id);
    drawn
}

/// How many had which fate, and the share of those noticed.
fn summary(outcomes: &[Outcome]) -> String {
    let count = |fate: Fate| outcomes.iter().filter(|outcome| outcome.fate == fate).count();
    let (own, beyond) = (count(Fate::Noticed), count(Fate::NoticedBeyond));
    let (survived, missed, equivalent) = (count(Fate::Survived), count(Fate::NotMet), count(Fate::Equivalent));
    let judged = outcomes.len() - equivalent;
    let (low, high) = wilson(own + beyond, judged);
    format!(
        "{} drawn: {own} noticed by the crate's own tests, {beyond} by others', {equivalent} equivalent, {survived} \
         survived, {missed} not met by any test; noticed {:.1} % of {judged} (95 %: {:.1} to {:.1} %)",
        outcomes.len(),
        100.0 * (own + beyond) as f64 / judged.max(1) as f64,
        100.0 * low,
        100.0 * high
    )
}

/// The interval of Wilson, J. Amer. Stat. Assoc. 22 (1927), for a share that was seen `k` times of `n`, 95 %.
fn wilson(k: usize, n: usize) -> (f64, f64) {
    const Z: f64 = 1.959_963_985;
    if n == 0 {
        return (0.0, 1.0);
    }
    let (n, p) = (n as f64, k as f64 / n as f64);
    let middle = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + Z * Z / n;
    ((middle - half) / whole, (middle + half) / whole)
}

#[cfg(test)]
mod tests;
