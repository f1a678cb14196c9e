//! Whatever the setup: what lineage tells adds up to what the run counts, and nothing is unexplained.

#[path = "../../sim/tests/support/mod.rs"]
mod support;
#[path = "../../sim/tests/support/worlds.rs"]
mod worlds;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use hopwright_machine::{LossCause, NodeId, Time};
use hopwright_sim::{Event, Options, Outcome, Setup, Trace, Watch, run, run_traced};
use hopwright_trace::lineage::{Config, Lineage, Scope};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;

/// A row: what it has, by column.
type Row = BTreeMap<String, Field>;

fn word<'a>(row: &'a Row, column: &str) -> &'a str {
    match row.get(column) {
        Some(Field::Str(word)) => word,
        _ => "",
    }
}

fn number(row: &Row, column: &str) -> Option<i64> {
    match row.get(column)? {
        Field::Long(number) => Some(*number),
        Field::Int(number) => Some(i64::from(*number)),
        other => panic!("{column}: {other}"),
    }
}

struct Told(Lineage<File>);

impl Trace for Told {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.0.event(at, node, event);
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

/// A run with its lineage, by id.
fn told(setup: &Setup, seed: u64, scope: Scope) -> (Outcome, BTreeMap<i64, Row>) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lineage.parquet");
    let file = File::create(&path).expect("a file");
    let lineage = Lineage::new(file, &Config { scope, ..Config::default() }, setup).expect("a file");
    let mut trace = Told(lineage);
    let (options, watch) = (Options::default(), Watch::default());
    let outcome = run_traced(setup, seed, &options, &watch, &mut trace).expect("nobody cancels");
    trace.0.finish().expect("a file");
    let reader = SerializedFileReader::new(File::open(&path).expect("the file")).expect("a Parquet file");
    let mut rows = BTreeMap::new();
    for row in reader.get_row_iter(None).expect("rows") {
        let columns = row.expect("a row").into_columns();
        let row: Row = columns.into_iter().filter(|(_, field)| *field != Field::Null).collect();
        let id = number(&row, "id").expect("an id");
        assert!(rows.insert(id, row).is_none(), "event {id} is told twice");
    }
    (outcome, rows)
}

/// How many rows are such.
fn count(rows: &BTreeMap<i64, Row>, is_such: impl Fn(&Row) -> bool) -> u64 {
    rows.values().filter(|row| is_such(row)).count() as u64
}

fn check(setup: &Setup, outcome: &Outcome, rows: &BTreeMap<i64, Row>, scope: Scope) -> Result<(), TestCaseError> {
    let (report, many) = (&outcome.report, outcome.ledger.doubled > 0);
    // What led to an event came before it, and is told of.
    for (id, row) in rows {
        let Some(other) = number(row, "because") else { continue };
        prop_assert!(rows.contains_key(&other), "event {id} names {other}, which nobody tells of: {row:?}");
        prop_assert!(other < *id, "{row:?}");
    }
    for (flow, told) in report.flows.iter().enumerate() {
        let of = |row: &Row| number(row, "flow") == Some(flow as i64);
        let is = |row: &Row, kind: &str| of(row) && word(row, "kind") == kind;
        // Losses by cause, of segments and of acknowledgements.
        for cause in LossCause::ALL {
            let lost = |row: &Row, acks: bool| {
                let is_ack = matches!(word(row, "carries"), "ack") || is_answer(row, setup, flow);
                is(row, "dropped") && word(row, "loss") == cause.name() && is_ack == acks
            };
            let data = count(rows, |row| lost(row, false));
            prop_assert!(many || data == told.losses.of(cause), "{cause:?}: {data} of {:?}", told.losses);
            if let Some(tcp) = &told.tcp {
                let acks = count(rows, |row| lost(row, true));
                prop_assert!(many || acks == tcp.ack_losses.of(cause), "{cause:?}: {acks} of {:?}", tcp.ack_losses);
            }
        }
        let Some(tcp) = &told.tcp else { continue };
        prop_assert_eq!(count(rows, |row| is(row, "rto")), tcp.rto_count);
        let needless = count(rows, |row| {
            is(row, "resent") && word(row, "carries") == "segment" && word(row, "cause") != "data_lost"
        });
        prop_assert!(many || needless == tcp.spurious_retransmissions, "{needless}: {tcp:?}");
        // Each reaction answers a loss, or what it missed is late.
        for row in rows.values().filter(|row| is(row, "rto") || is(row, "fast_retransmit") || is(row, "resent")) {
            let cause = word(row, "cause");
            let is_lost = matches!(cause, "data_lost" | "ack_lost");
            prop_assert_eq!(is_lost, row.contains_key("loss"), "{:?}", row);
            prop_assert!(is_lost || matches!(cause, "data_late" | "ack_late" | "not_acknowledged"), "{row:?}");
            prop_assert!(row.contains_key("because"), "{row:?}");
            if word(row, "kind") != "resent" {
                let because = &rows[&number(row, "because").expect("a cause")];
                prop_assert!(!is_lost || word(because, "kind") == "dropped", "{row:?} because {because:?}");
                prop_assert!(!is_lost || word(because, "loss") == word(row, "loss"), "{row:?} because {because:?}");
            }
        }
    }
    // Tries that ended badly, as the MAC counts them.
    let collisions =
        count(rows, |row| matches!(word(row, "kind"), "try" | "missed") && word(row, "cause") == "collision");
    let missed = count(rows, |row| word(row, "kind") == "missed" && word(row, "cause") == "collision");
    prop_assert!(collisions <= report.mac.collisions.total, "{collisions} of {:?}", report.mac.collisions);
    prop_assert!(missed <= report.mac.collisions.total);
    prop_assert!(scope == Scope::All || missed == 0);
    let gave_up = count(rows, |row| word(row, "kind") == "gave_up");
    let failures = &report.mac.failures;
    prop_assert_eq!(gave_up, failures.data + failures.ack + failures.routing);
    for row in rows.values().filter(|row| word(row, "kind") == "gave_up") {
        let last = &rows[&number(row, "because").expect("its last try")];
        prop_assert_eq!(word(last, "kind"), "try", "{:?}", row);
        prop_assert!(last.contains_key("cause"), "{last:?}");
        prop_assert!(!matches!(word(last, "cause"), "unanswered"), "{last:?}");
    }
    Ok(())
}

/// Whether a packet without a word of its own goes the way of acknowledgements: the answer to a SYN, the receiver's FIN.
fn is_answer(row: &Row, setup: &Setup, flow: usize) -> bool {
    let receiver = i64::from(setup.flows[flow].to.0);
    number(row, "packet").is_some_and(|packet| packet >> 40 == receiver)
}

proptest! {
    #![proptest_config(worlds::config())]

    #[test]
    fn everything_is_explained(setup in worlds::setup(), seed in 0u64..1000, all: bool) {
        let scope = if all { Scope::All } else { Scope::Losses };
        let (outcome, rows) = told(&setup, seed, scope);
        let plain = run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels");
        prop_assert_eq!(&outcome.report, &plain.report);
        check(&setup, &outcome, &rows, scope)?;
    }
}
