//! Whatever the setup: what lineage tells adds up to what the run counts, and nothing is unexplained.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use hopwright_machine::{LossCause, NodeId, Time};
use hopwright_mobility::Switch;
use hopwright_routing::{self as routing, dsr::Dialect};
use hopwright_sim::{Event, Options, Outcome, Routing, Setup, Trace, Watch, run, run_traced};
use hopwright_trace::hops::{self, Hops};
use hopwright_trace::lineage::{Config, Lineage, Scope};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A row: what it has, by column.
pub(crate) type Row = BTreeMap<String, Field>;

pub(crate) fn word<'a>(row: &'a Row, column: &str) -> &'a str {
    match row.get(column) {
        Some(Field::Str(word)) => word,
        _ => "",
    }
}

pub(crate) fn number(row: &Row, column: &str) -> Option<i64> {
    match row.get(column)? {
        Field::Long(number) => Some(*number),
        Field::Int(number) => Some(i64::from(*number)),
        other => panic!("{column}: {other}"),
    }
}

fn real(row: &Row, column: &str) -> f64 {
    match row[column] {
        Field::Double(number) => number,
        ref other => panic!("{column}: {other}"),
    }
}

struct Told(Lineage<File>, Hops);

impl Trace for Told {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.0.event(at, node, event);
        self.1.event(at, node, event);
    }

    fn hears(&self, _: NodeId) -> bool {
        false
    }
}

/// A run with its lineage, by id, and its per-hop report.
pub(crate) fn told(setup: &Setup, seed: u64, scope: Scope) -> (Outcome, BTreeMap<i64, Row>, hops::Report) {
    let name = format!("lineage-{}-{:?}.parquet", std::process::id(), std::thread::current().id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let file = File::create(&path).expect("a file");
    let lineage = Lineage::new(file, &Config { scope, ..Config::default() }, setup).expect("a file");
    let mut trace = Told(lineage, Hops::new(setup));
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
    (outcome, rows, trace.1.finish())
}

/// How many rows are such.
pub(crate) fn count(rows: &BTreeMap<i64, Row>, is_such: impl Fn(&Row) -> bool) -> u64 {
    rows.values().filter(|row| is_such(row)).count() as u64
}

fn check(setup: &Setup, outcome: &Outcome, rows: &BTreeMap<i64, Row>, scope: Scope) -> Result<(), TestCaseError> {
    let (report, many) = (&outcome.report, outcome.ledger.doubled > 0);
    let because = |row: &Row| number(row, "because").and_then(|id| rows.get(&id));
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
                is(row, "dropped") && word(row, "loss") == cause.name() && is_answer(row, setup, flow) == acks
            };
            let data = count(rows, |row| lost(row, false));
            // What was lost with one copy may be found in another.
            let most = |counted: u64| if many { u64::MAX } else { counted };
            let right = told.losses.of(cause)..=most(told.losses.of(cause));
            prop_assert!(right.contains(&data), "{cause:?}: {data} of {:?}", told.losses);
            if let Some(tcp) = &told.tcp {
                let acks = count(rows, |row| lost(row, true));
                let right = tcp.ack_losses.of(cause)..=most(tcp.ack_losses.of(cause));
                prop_assert!(right.contains(&acks), "{cause:?}: {acks} of {:?}", tcp.ack_losses);
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
            let because = because(row).expect("a cause");
            prop_assert_eq!(number(because, "flow"), number(row, "flow"), "{:?} because {:?}", row, because);
            if is_lost && word(row, "kind") != "resent" {
                prop_assert_eq!(word(because, "kind"), "dropped", "{:?} because {:?}", row, because);
                prop_assert_eq!(word(because, "loss"), word(row, "loss"), "{:?} because {:?}", row, because);
                let (lost, missed) = (number(because, "first_byte"), number(row, "first_byte"));
                let end = lost.map(|lost| lost + number(because, "bytes").unwrap_or(1).max(1));
                let answers = is_answer(because, setup, flow);
                let covers = if answers { lost > missed } else { lost <= missed && missed < end };
                prop_assert!(covers && answers == (cause == "ack_lost"), "{row:?} because {because:?}");
            }
        }
        let diagnoses = told_diagnoses(rows, &of);
        prop_assert!(many || diagnoses == tcp.diagnoses, "{diagnoses:?}: {:?}", tcp.diagnoses);
        check_windows(rows, &of, because)?;
    }
    // Tries that ended badly, as the MAC counts them.
    let collisions =
        count(rows, |row| matches!(word(row, "kind"), "try" | "missed") && word(row, "cause") == "collision");
    let missed = count(rows, |row| word(row, "kind") == "missed" && word(row, "cause") == "collision");
    prop_assert!(collisions <= report.mac.collisions.total, "{collisions} of {:?}", report.mac.collisions);
    prop_assert!(scope == Scope::All || missed == 0);
    let gave_up = count(rows, |row| word(row, "kind") == "gave_up");
    let failures = &report.mac.failures;
    prop_assert_eq!(gave_up, failures.data + failures.ack + failures.routing);
    for row in rows.values().filter(|row| word(row, "kind") == "gave_up") {
        let last = &rows[&number(row, "because").expect("its last try")];
        prop_assert_eq!(word(last, "kind"), "try", "{:?}", row);
        prop_assert!(last.contains_key("cause"), "{last:?}");
    }
    // An addressee that neither lost a frame nor held back has answered.
    prop_assert_eq!(count(rows, |row| word(row, "cause") == "unanswered"), 0);
    // Each drop names what came before it: where a station gave up, that. Of a message that DSR sends again under the
    // same identity nothing is remembered once one of its copies has ended.
    let many_messages = |row: &Row| {
        let Routing::Found(routing) = &setup.routing else { return false };
        matches!(&**routing, routing::Config::Dsr(dsr) if dsr.dialect == Dialect::Rfc4728) && !row.contains_key("flow")
    };
    for row in rows.values().filter(|row| word(row, "kind") == "dropped") {
        prop_assert!(many || many_messages(row) || row.contains_key("because"), "{row:?}");
        if word(row, "cause").starts_with("retry_limit") {
            let gave_up = because(row).expect("a station that gave up");
            prop_assert_eq!(word(gave_up, "kind"), "gave_up", "{:?} because {:?}", row, gave_up);
            prop_assert_eq!((&gave_up["packet"], &gave_up["node"]), (&row["packet"], &row["node"]));
        }
    }
    Ok(())
}

/// What senders believed of losses, and what led to these: by lineage, as results count it.
fn told_diagnoses(rows: &BTreeMap<i64, Row>, of: &impl Fn(&Row) -> bool) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for row in rows.values().filter(|row| of(row) && row.contains_key("diagnosis")) {
        let (loss, diagnosis) = (word(row, "loss"), word(row, "diagnosis"));
        let truth = match word(row, "cause") {
            "data_lost" => loss.to_owned(),
            "ack_lost" => format!("ack_{loss}"),
            _ => "nothing".to_owned(),
        };
        *found.entry(format!("{truth}_as_{diagnosis}")).or_default() += 1;
    }
    found
}

/// Windows are cut for what the rows name; who freezes thaws before freezing again.
fn check_windows<'a>(
    rows: &'a BTreeMap<i64, Row>,
    of: &impl Fn(&Row) -> bool,
    because: impl Fn(&Row) -> Option<&'a Row>,
) -> Result<(), TestCaseError> {
    let mut is_frozen = false;
    for row in rows.values().filter(|row| of(row)) {
        match word(row, "kind") {
            "cut" => {
                let (before, after) = (real(row, "window_before_segments"), real(row, "window_after_segments"));
                prop_assert!(0.0 < after && after < before, "{row:?}");
                if matches!(word(row, "cause"), "rto" | "fast_retransmit" | "freeze" | "thaw") {
                    let reaction = because(row).expect("a reaction");
                    prop_assert_eq!(word(reaction, "kind"), word(row, "cause"), "{:?} because {:?}", row, reaction);
                    prop_assert_eq!((&reaction["time_s"], &reaction["flow"]), (&row["time_s"], &row["flow"]));
                }
            }
            kind @ ("freeze" | "thaw") => {
                prop_assert_eq!(is_frozen, kind == "thaw", "{:?}", row);
                is_frozen = kind == "freeze";
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a packet goes the way of acknowledgements: its name begins with the node that made it. Each node makes packets of
/// bundles, and messages about them, which are answers.
fn is_answer(row: &Row, setup: &Setup, flow: usize) -> bool {
    if word(row, "carries").starts_with("bundle") {
        return word(row, "carries") != "bundle";
    }
    let receiver = i64::from(setup.flows[flow].to.0);
    number(row, "packet").is_some_and(|packet| packet >> 40 == receiver)
}

/// Tries that came to nothing, by sender, addressee and cause.
type BadTries = BTreeMap<(i64, i64, String), u64>;

fn bad_tries(rows: &BTreeMap<i64, Row>) -> BadTries {
    let mut found = BadTries::new();
    let failed = |row: &&Row| row.contains_key("cause") && word(row, "cause") != "unfinished";
    for row in rows.values().filter(|row| word(row, "kind") == "try").filter(failed) {
        let [from, to] = ["node", "peer"].map(|column| number(row, column).expect("a node"));
        *found.entry((from, to, word(row, "cause").into())).or_default() += 1;
    }
    found
}

/// The same, by the per-hop report.
fn by_link(hops: &hops::Report) -> BadTries {
    let link = |link: &hops::Link| {
        let (from, to) = (i64::from(link.from), i64::from(link.to));
        link.causes.iter().map(move |(&cause, &tries)| ((from, to, cause.to_owned()), tries)).collect::<Vec<_>>()
    };
    hops.links.iter().flat_map(link).collect()
}

proptest! {
    #![proptest_config(crate::worlds::config())]

    #[test]
    fn everything_is_explained(setup in crate::worlds::setup(), seed in 0u64..1000, all: bool) {
        let setup = crate::worlds::contended(setup, seed);
        let scope = if all { Scope::All } else { Scope::Losses };
        let (outcome, rows, hops) = told(&setup, seed, scope);
        let plain = run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels");
        prop_assert_eq!(&outcome.report, &plain.report);
        check(&setup, &outcome, &rows, scope)?;
        if scope == Scope::All {
            prop_assert_eq!(bad_tries(&rows), by_link(&hops));
        }
    }
}

/// The property is worth what its worlds bring about.
#[test]
fn the_worlds_bring_about_what_there_is_to_explain() {
    let all: [(&str, &[&str]); 13] = [
        ("loss", &["queue", "contention", "link_failure", "no_route", "channel", "node_down"]),
        ("relation", &["hidden", "unread", "answer", "tie", "deaf"]),
        ("missed", &["collision", "captured", "transmitting", "channel"]),
        ("try", &["collision", "captured", "transmitting", "channel", "out_of_range", "down"]),
        ("try", &["reserved", "carrier", "engaged", "deferred"]),
        ("gave_up", &["retry_limit_rts", "retry_limit_data"]),
        ("dropped", &["link_red", "next_hop_lost", "arp_replaced", "route_buffer_full"]),
        ("route_broke", &["in_range", "out_of_range"]),
        ("resent", &["data_lost", "ack_lost", "data_late", "ack_late", "not_acknowledged"]),
        ("rto", &["data_lost", "ack_lost", "data_late"]),
        ("fast_retransmit", &["data_lost"]),
        ("cut", &["rto", "fast_retransmit", "mark", "recovery"]),
        ("freeze", &[""]),
    ];
    let mut missing: Vec<(&str, &str)> =
        all.iter().flat_map(|(kind, causes)| causes.iter().map(move |cause| (*kind, *cause))).collect();
    let mut runner = TestRunner::deterministic();
    for seed in 0..250 {
        let setup = crate::worlds::setup().new_tree(&mut runner).expect("a setup").current();
        let (outcome, rows, _) = told(&crate::worlds::contended(setup, seed), seed, Scope::All);
        if outcome.ledger.doubled > 0 {
            continue;
        }
        for row in rows.values() {
            let told = [(word(row, "kind"), "cause"), ("loss", "loss"), ("relation", "relation")];
            missing.retain(|&(kind, cause)| !told.iter().any(|&(k, column)| k == kind && word(row, column) == cause));
        }
        if missing.is_empty() {
            return;
        }
    }
    panic!("none of {missing:?} in 250 worlds");
}

/// Whenever one of two nodes goes down: what it had not answered, or had begun, came to nothing because of that.
#[test]
fn a_node_that_goes_down_is_the_cause_of_what_it_breaks_off() {
    let mut found = BTreeMap::<(u32, String), u64>::new();
    for (node, step) in (0..2).flat_map(|node| (0..1_000).map(move |step| (node, step))) {
        let mut setup = crate::support::string(1, "newreno", 0.1, false);
        setup.mac.rts_threshold_bytes = 0;
        setup.switches =
            vec![Switch { at: crate::support::at(1.05 + 8e-6 * f64::from(step)), node: NodeId(node), up: false }];
        let (_, rows, hops) = told(&setup, 1, Scope::All);
        assert_eq!(bad_tries(&rows), by_link(&hops), "node {node}, step {step}");
        for row in rows.values().filter(|row| word(row, "kind") == "try" && row.contains_key("cause")) {
            *found.entry((node, format!("{} {}", word(row, "frame"), word(row, "cause")))).or_default() += 1;
        }
    }
    for (node, what) in found.keys() {
        assert!(what.ends_with(" cut_off") || what.ends_with(" down"), "node {node}: {what}");
    }
    for what in ["rts down", "data down", "rts cut_off", "cts cut_off", "data cut_off", "ack cut_off"] {
        assert!((0..2).all(|node| found.contains_key(&(node, what.into()))), "no {what}: {found:?}");
    }
}
