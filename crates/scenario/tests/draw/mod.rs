//! Draws scenarios over every key of the schema, and says what is wrong with what becomes of them.
//!
//! The schema is the program's own, so a new key is drawn without a line here. A drawn scenario that is refused loses
//! the keys that it is refused for and is read again: so nearly every one ends as a scenario that runs, and each
//! refusal on the way is looked at too. `tests/drawn.rs` draws from numbers, `fuzz/fuzz_targets/world.rs` from the
//! fuzzer's bytes.

mod numbers;
mod table;

use std::path::Path;
use std::sync::LazyLock;

use hopwright_machine::{NodeId, Purpose, Stream, Time};
use hopwright_scenario::{Loaded, ScenarioErrors, parse, schema};
use hopwright_sim::{Event, Options, Report, Trace, Watch, run, run_traced};
use serde_json::Value as Schema;
use toml::{Table, Value};

/// Runs end after about so many events: a drawn network may have anything to do.
const MOST_EVENTS: u64 = 6_000;

/// How often a scenario that is refused is mended: at least one key goes each time.
const MOST_REPAIRS: usize = 40;

static SCHEMA: LazyLock<Schema> = LazyLock::new(schema);

/// Where choices come from: bytes, and random numbers when they are used up.
pub(crate) struct Dice<'a> {
    bytes: &'a [u8],
    stream: Stream,
}

impl<'a> Dice<'a> {
    /// Choices that a number names.
    pub(crate) fn of_number(seed: u64) -> Self {
        Self { bytes: &[], stream: Stream::new(seed, NodeId(0), Purpose::Placement) }
    }

    /// Choices that bytes name.
    #[allow(dead_code, reason = "the fuzzer draws so")]
    pub(crate) fn of_bytes(bytes: &'a [u8]) -> Self {
        let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self { bytes, ..Self::of_number(bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold)) }
    }

    /// One of `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        match self.bytes.split_first_chunk::<2>() {
            Some((&pair, rest)) => {
                self.bytes = rest;
                usize::from(u16::from_le_bytes(pair)) % n
            }
            None => self.stream.below(n as u32) as usize,
        }
    }

    /// Whether something happens that does so in `percent` of all cases.
    pub(crate) fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// From 0 to 1.
    fn part(&mut self) -> f64 {
        self.below(10_001) as f64 / 1e4
    }

    pub(crate) fn one_of<'v, T>(&mut self, all: &'v [T]) -> &'v T {
        &all[self.below(all.len())]
    }
}

/// What became of a drawn scenario.
#[derive(Debug)]
pub(crate) enum Fate {
    /// It was refused, however often it was mended.
    Refused,
    /// It had too much to do.
    Cut,
    /// It ran to its end.
    Ran(Box<Report>),
}

/// Draws a scenario, reads it, and runs it twice: as it is, and as it is written out with every default. Paths in it
/// start at `folder`, which holds the files that this module names.
///
/// # Panics
///
/// If something is wrong with what comes of it.
pub(crate) fn draw_and_run(dice: &mut Dice<'_>, folder: &Path) -> (String, Fate) {
    match draw(dice, folder) {
        Ok((text, loaded)) => {
            if std::env::var_os("SHOW").is_some() {
                println!("{text}");
            }
            let fate = run_twice(&text, &loaded, folder);
            (text, fate)
        }
        Err(text) => (text, Fate::Refused),
    }
}

/// Draws a scenario and reads it: its text and what it says; or the text that was refused, however often it was mended.
///
/// # Panics
///
/// If a refusal does not say where and why.
pub(crate) fn draw(dice: &mut Dice<'_>, folder: &Path) -> Result<(String, Loaded), String> {
    let mut table = table::draw(dice, &SCHEMA);
    for _ in 0..MOST_REPAIRS {
        let text = toml::to_string(&table).expect("what is drawn can be written");
        match parse("drawn.toml", &text, folder, &[]) {
            Ok(loaded) => return Ok((text, loaded)),
            Err(errors) => {
                check_refusal(&text, &errors);
                // A file that is wrong is at no key.
                let keys = errors.errors().iter().map(|error| match error.key.as_str() {
                    "" if error.origin.contains("coefficients") => "energy.compute",
                    "" => "topology.file",
                    key => key,
                });
                if !table::mend(&mut table, keys) {
                    break;
                }
            }
        }
    }
    Err(toml::to_string(&table).expect("what is drawn can be written"))
}

/// A refusal says where and why.
fn check_refusal(text: &str, errors: &ScenarioErrors) {
    let shown = errors.render(false);
    let are_all_shown = !shown.ends_with("more errors are not shown\n");
    for error in errors.errors() {
        let has_place = error.line > 0 && error.column > 0 && !error.reason.is_empty();
        assert!(has_place && (!are_all_shown || shown.contains(&error.reason)), "{error:?}\n{text}");
        let lines = if error.origin == "drawn.toml" { text.lines().count() } else { usize::MAX };
        assert!(error.line <= lines.max(1), "{error:?}\n{text}");
    }
}

/// Runs a scenario as it is, and as it is written out; `text` shows it where something is wrong.
///
/// # Panics
///
/// If something is wrong.
pub(crate) fn run_twice(text: &str, loaded: &Loaded, folder: &Path) -> Fate {
    let printed = loaded.scenario.to_toml();
    let again = parse("printed.toml", &printed, folder, &[])
        .unwrap_or_else(|errors| panic!("{errors}\nrefused although printed:\n{printed}\nof\n{text}"));
    assert_eq!(again.scenario, loaded.scenario, "another scenario, printed:\n{printed}\nof\n{text}");
    assert_eq!(again.scenario.to_toml(), printed, "printed twice:\n{printed}\nof\n{text}");
    let _ = loaded.idle_parameters();
    let seed = loaded.scenario.run.seed;
    let options = Options { most_events: Some(MOST_EVENTS), ..Options::default() };
    let setup = |loaded: &Loaded| loaded.setup(seed).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    // The books are checked where a run ends.
    let once = run(&setup(loaded), seed, &options, &Watch::default());
    let traced = run_traced(&setup(&again), seed, &options, &Watch::default(), &mut Listener::default());
    match (once, traced) {
        (Ok(once), Ok(traced)) => {
            let (once, traced) = (once.report, traced.report);
            assert_eq!(traced.fingerprint, once.fingerprint, "another run, printed:\n{printed}\nof\n{text}");
            let shown = format!("{once:?}");
            let is_number = |word: &str| !["NaN", "inf"].contains(&word);
            assert!(shown.split(|c: char| !c.is_alphanumeric()).all(is_number), "{shown}\n{text}");
            Fate::Ran(Box::new(once))
        }
        _ => Fate::Cut,
    }
}

/// Looks at everything, for the parts of a run that only traces have.
#[derive(Debug, Default)]
struct Listener {
    last: Time,
}

impl Trace for Listener {
    fn event(&mut self, at: Time, _node: NodeId, _event: Event<'_>) {
        assert!(at >= self.last, "a trace goes back to {at} from {}", self.last);
        self.last = at;
    }

    fn hears(&self, node: NodeId) -> bool {
        node.0.is_multiple_of(2)
    }

    fn asks_how_busy(&self) -> bool {
        true
    }
}

/// A value of the schema as TOML has it.
fn toml_of(value: &Schema) -> Value {
    match value {
        Schema::Bool(b) => Value::Boolean(*b),
        Schema::Number(n) => n.as_i64().map_or_else(|| Value::Float(n.as_f64().unwrap_or_default()), Value::Integer),
        Schema::String(s) => Value::String(s.clone()),
        Schema::Array(list) => Value::Array(list.iter().map(toml_of).collect()),
        Schema::Object(table) => {
            Value::Table(table.iter().map(|(key, value)| (key.clone(), toml_of(value))).collect::<Table>())
        }
        Schema::Null => unreachable!("TOML has no null"),
    }
}
