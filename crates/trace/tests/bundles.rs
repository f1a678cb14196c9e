//! What lineage tells of bundles: whose copy, which owner, and why one was sent again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopwright_bundle::{Config, InitialTimer, LetsGo, TimerStarts, WhenFull};
use hopwright_machine::{Duration, NodeId};
use hopwright_mobility::Switch;
use hopwright_radio::FrameErrors;
use hopwright_routing::{self as routing, dsr};
use hopwright_sim::{Errors, Flow, FlowKind, FrameClass, Happened, Outcome, Routing, Setup};
use hopwright_trace::lineage::Scope;

use crate::lineage::{Row, count, number, told, word};
use crate::support::{at, string};

type Rows = BTreeMap<i64, Row>;
type Count = fn(&Happened) -> u64;

const MILLI: Duration = Duration::from_millis(1);

/// Why a bundle is sent again, and why a part of one is deleted.
const RESENT: [&str; 9] = [
    "data_late",
    "ack_lost",
    "ack_late",
    "not_acknowledged",
    "owner_lost",
    "part_deleted",
    "incomplete",
    "no_room",
    "no_way",
];
const DELETED: [&str; 8] =
    ["node_down", "link_failed", "owner_lost", "incomplete", "no_room", "given_up", "acknowledged", "data_late"];

/// Bundles of ten packets, of which a hop takes about 40 ms, and a source that waits for long.
fn config() -> Config {
    Config { bundle_packets: 10, initial_timer: InitialTimer::Fixed(MILLI * 20_000), ..Config::default() }
}

fn timer(millis: u64) -> InitialTimer {
    InitialTimer::Fixed(MILLI * millis)
}

/// So many full bundles over a string of `hops`, from second 1 on.
fn bundles(hops: u32, config: Config, many: u64) -> Setup {
    let mut setup = string(hops, "newreno", 20.0, false);
    let bytes = many * u64::from(config.bundle_packets) * u64::from(config.payload_bytes);
    setup.flows[0].kind = FlowKind::Bundles { protocol: "nctp".into(), config: Arc::new(config), bytes: Some(bytes) };
    setup
}

fn fall(seconds: f64, node: u32, up: bool) -> Switch {
    Switch { at: at(seconds), node: NodeId(node), up }
}

/// Frames of a class on their way between two nodes are always damaged.
fn damage(from: u32, to: u32, class: FrameClass) -> Errors {
    let (from, to) = (Some(NodeId(from)), Some(NodeId(to)));
    Errors { from, to, frames: vec![class], model: FrameErrors::Uniform { probability: 1.0 } }
}

/// A run: what it counts of bundles, and its rows. Whatever happens, each row is told of once and names an earlier one, both
/// scopes tell the same, and rows are as many as were counted.
fn run(setup: &Setup) -> (Outcome, Rows) {
    run_with(setup, 1)
}

fn run_with(setup: &Setup, seed: u64) -> (Outcome, Rows) {
    let (outcome, all, _) = told(setup, seed, Scope::All);
    let (_, rows, _) = told(setup, seed, Scope::Losses);
    for (id, row) in &rows {
        assert_eq!(all.get(id), Some(row), "both scopes tell the same");
        if let Some(because) = number(row, "because") {
            assert!(because < *id && rows.contains_key(&because), "{row:?}");
        }
    }
    let of_bundles = |rows: &Rows| count(rows, |row| word(row, "kind").starts_with("bundle_"));
    assert_eq!(of_bundles(&rows), of_bundles(&all), "what happens to bundles is always told of");
    let flows = || outcome.report.flows.iter().filter_map(|flow| flow.bundles.as_ref());
    let sum = |counts: Count| flows().map(|bundles| counts(&bundles.happened)).sum::<u64>();
    let counted: [(&str, Count); 11] = [
        ("bundle_cut", |h| h.bundles_cut),
        ("bundle_delivered", |h| h.bundles_delivered),
        ("bundle_resent", |h| h.bundles_resent),
        ("bundle_handed_over", |h| h.hops_made),
        ("bundle_part_deleted", |h| h.parts_deleted),
        ("bundle_link_failed", |h| h.link_failures),
        ("bundle_probed", |h| h.probes),
        ("bundle_silent", |h| h.silent_probes),
        ("bundle_lost", |h| h.bundles_lost),
        ("bundle_no_room", |h| h.packets_without_room),
        ("bundle_refused", |h| h.refusals),
    ];
    for (kind, counts) in counted {
        assert_eq!(of(&rows, kind).len() as u64, sum(counts), "{kind}");
    }
    for row in rows.values() {
        let known: &[&str] = match word(row, "kind") {
            "bundle_resent" => &RESENT,
            "bundle_part_deleted" => &DELETED,
            "bundle_lost" => &["node_down", "no_way", "no_room"],
            "bundle_silent" => &["probe_lost", "probe_late", "answer_lost", "answer_late"],
            _ => continue,
        };
        // A relay may keep a copy of what it has handed over, and lose it when nobody remembers it.
        let is_known = row.contains_key("because") || word(row, "kind") == "bundle_lost";
        assert!(known.contains(&word(row, "cause")) && is_known, "{row:?}");
        let is_lost =
            ["ack_lost", "owner_lost", "probe_lost", "answer_lost", "node_down"].contains(&word(row, "cause"));
        let may_be = ["link_failed", "part_deleted"].contains(&word(row, "cause"));
        assert!(may_be || is_lost == row.contains_key("loss"), "{row:?}");
    }
    (outcome, rows)
}

fn of<'a>(rows: &'a Rows, kind: &str) -> Vec<&'a Row> {
    rows.values().filter(|row| word(row, "kind") == kind).collect()
}

/// The kinds of what led to a row, the latest first.
fn chain<'a>(rows: &'a Rows, row: &'a Row) -> Vec<&'a str> {
    std::iter::successors(Some(row), |row| rows.get(&number(row, "because")?)).map(|row| word(row, "kind")).collect()
}

/// The row that led to another.
fn before<'a>(rows: &'a Rows, row: &Row) -> &'a Row {
    &rows[&number(row, "because").expect("something led to it")]
}

/// Why bundles were sent again.
fn causes(rows: &Rows) -> BTreeSet<&str> {
    of(rows, "bundle_resent").iter().map(|row| word(row, "cause")).collect()
}

/// From the destination rows lead back from owner to owner, and at last to the source.
#[test]
fn the_way_of_a_bundle_leads_back_to_its_source() {
    let (outcome, rows) = run(&bundles(3, config(), 2));
    assert_eq!(outcome.report.flows[0].bundles.as_ref().expect("bundles").happened.bundles_delivered, 2);
    assert!(of(&rows, "bundle_resent").is_empty());
    for delivered in of(&rows, "bundle_delivered") {
        let chain = chain(&rows, delivered);
        let steps: Vec<&str> = chain.iter().copied().filter(|kind| *kind != "try").collect();
        let hop = ["bundle_owned", "delivered", "sent"];
        let expected: Vec<&str> = ["bundle_delivered"].into_iter().chain(hop.repeat(3)).chain(["bundle_cut"]).collect();
        assert_eq!(steps, expected, "{chain:?}");
    }
    // Each owner had it from the one before, whose last packet says so.
    for owned in of(&rows, "bundle_owned") {
        let (node, from) = (number(owned, "node").expect("a node"), number(owned, "peer").expect("an owner"));
        assert_eq!(from + 1, node);
        let packet = before(&rows, owned);
        assert_eq!((word(packet, "kind"), word(packet, "carries")), ("delivered", "bundle"));
        assert_eq!(number(packet, "packet").expect("a packet") >> 40, from, "its owner made it");
        let bundle = number(owned, "bundle").expect("a bundle");
        assert_eq!(number(packet, "bundle"), Some(bundle));
        assert_eq!(number(packet, "first_byte"), Some(1 + (10 * bundle + 9) * 512));
    }
    for told in of(&rows, "bundle_handed_over") {
        assert_eq!(word(before(&rows, told), "kind"), "try");
        assert_eq!(number(told, "peer"), number(told, "node").map(|node| node + 1));
    }
    let (cut, acked) = (of(&rows, "bundle_cut"), of(&rows, "bundle_acknowledged"));
    assert_eq!((cut.len(), acked.len()), (2, 2));
    assert_eq!((number(cut[1], "first_byte"), number(cut[1], "bytes")), (Some(5121), Some(5120)));
    assert_eq!(chain(&rows, acked[0])[..2], ["bundle_acknowledged", "delivered"]);
    assert!(chain(&rows, acked[0]).contains(&"bundle_delivered"));
    for probed in of(&rows, "bundle_probed") {
        let probe = number(probed, "packet").expect("its packet");
        assert_eq!(count(&rows, |row| number(row, "packet") == Some(probe)), 1, "it ended well");
    }
}

/// The timer runs out while a copy is on its way: nothing was lost.
#[test]
fn a_timer_that_is_too_early_misses_a_copy_on_its_way() {
    let (_, rows) = run(&bundles(3, Config { initial_timer: timer(20), ..config() }, 1));
    let first = of(&rows, "bundle_resent")[0];
    assert_eq!((word(first, "cause"), number(first, "tries")), ("data_late", Some(2)));
    assert!(!first.contains_key("loss"));
    // The first owner has it, and is handing it over.
    assert_eq!((number(first, "peer"), word(before(&rows, first), "kind")), (Some(1), "bundle_owned"));
    // The copy is dropped once, and delivered never.
    assert_eq!(of(&rows, "bundle_delivered").len(), 1);
    let early = Config { initial_timer: timer(20), timer_starts: TimerStarts::BeforeTransfer, ..config() };
    let (_, rows) = run(&bundles(3, early, 1));
    let first = of(&rows, "bundle_resent")[0];
    assert_eq!((word(first, "cause"), number(first, "peer")), ("data_late", Some(0)), "the source has it still");
}

/// Acknowledgements do not come through: the loss is named, with its frames.
#[test]
fn a_lost_acknowledgement_is_named() {
    let mut setup = bundles(3, Config { initial_timer: timer(400), ..config() }, 1);
    setup.errors = vec![damage(2, 1, FrameClass::Ack)];
    let (_, rows) = run(&setup);
    assert_eq!(causes(&rows), BTreeSet::from(["ack_lost"]));
    assert!(of(&rows, "bundle_acknowledged").is_empty());
    for resent in of(&rows, "bundle_resent") {
        assert_eq!(word(resent, "loss"), "channel");
        let lost = before(&rows, resent);
        assert_eq!(
            (word(lost, "kind"), word(lost, "carries"), word(lost, "loss")),
            ("dropped", "bundle_ack", "channel")
        );
        let chain = chain(&rows, resent);
        assert_eq!(chain[2..5], ["gave_up", "try", "try"]);
        assert!(chain.contains(&"bundle_delivered"), "{chain:?}");
    }
}

/// Some timer runs out while the acknowledgement is under way.
#[test]
fn a_late_acknowledgement_is_where_it_is() {
    let late = (150..220).find_map(|millis| {
        let (_, rows) = run(&bundles(5, Config { initial_timer: timer(millis), ..config() }, 1));
        of(&rows, "bundle_resent").into_iter().find(|row| word(row, "cause") == "ack_late").cloned()
    });
    let late = late.expect("in 5 hops it takes longer than a millisecond");
    assert!((0..=5).contains(&number(&late, "peer").expect("a node")) && !late.contains_key("loss"), "{late:?}");
}

/// An owner goes down: the bundle is lost with it, and what had come of it is deleted.
#[test]
fn an_owner_that_goes_down_is_named() {
    let mut setup = bundles(3, Config { initial_timer: timer(400), receive_timer: MILLI * 100, ..config() }, 1);
    setup.switches = vec![fall(1.11, 2, false), fall(1.3, 2, true)];
    let (_, rows) = run(&setup);
    let lost = of(&rows, "bundle_lost");
    assert_eq!((lost.len(), number(lost[0], "node"), word(lost[0], "cause")), (1, Some(2), "node_down"));
    let resent = of(&rows, "bundle_resent");
    assert_eq!((resent.len(), word(resent[0], "cause"), word(resent[0], "loss")), (1, "owner_lost", "node_down"));
    assert_eq!((number(resent[0], "peer"), number(resent[0], "because")), (Some(2), number(lost[0], "id")));
    // A delivery leads back over the copy to the loss.
    let delivered = chain(&rows, of(&rows, "bundle_delivered")[0]);
    assert!(delivered.ends_with(&["bundle_cut"]) && delivered.contains(&"bundle_lost"), "{delivered:?}");
}

/// A part of which nothing more comes is deleted, for a reason; what was handed over in parts is gone.
#[test]
fn a_part_that_is_deleted_is_named() {
    // The link to the next owner fails for a while; a part there dies meanwhile.
    let mut setup = bundles(2, Config { receive_timer: MILLI * 50, ..config() }, 1);
    setup.switches = vec![fall(1.02, 1, false), fall(1.1, 1, true)];
    let (_, rows) = run(&setup);
    let deleted = of(&rows, "bundle_part_deleted");
    assert_eq!((number(deleted[0], "node"), word(deleted[0], "cause")), (Some(1), "node_down"));
    let failed = of(&rows, "bundle_link_failed");
    assert!(!failed.is_empty());
    for failed in failed {
        assert_eq!(chain(&rows, failed)[1..3], ["dropped", "gave_up"]);
    }
    // A timer shorter than the gap between packets deletes each of them: the last makes no bundle.
    let setup = bundles(2, Config { receive_timer: MILLI, initial_timer: timer(300), ..config() }, 1);
    let (_, rows) = run(&setup);
    assert_eq!(causes(&rows), BTreeSet::from(["part_deleted"]));
    let deleted = of(&rows, "bundle_part_deleted");
    let why = |row: &&Row| word(row, "cause").to_owned();
    assert_eq!(deleted.iter().map(why).collect::<BTreeSet<_>>(), ["data_late", "incomplete"].map(String::from).into());
    let resent = of(&rows, "bundle_resent")[0];
    assert_eq!((number(resent, "peer"), word(before(&rows, resent), "kind")), (Some(1), "bundle_part_deleted"));
}

/// A relay without room drops what the MAC has acknowledged, or says so.
#[test]
fn want_of_room_is_named() {
    // Two bundles take turns; the relay has room for one.
    let crowded = Config { in_transit: 2, room: Some(1), ..config() };
    let (_, rows) = run(&bundles(3, Config { initial_timer: timer(400), ..crowded.clone() }, 2));
    let resent = of(&rows, "bundle_resent");
    assert!(resent.iter().any(|row| word(row, "cause") == "no_room"), "{resent:?}");
    for resent in resent.iter().filter(|row| word(row, "cause") == "no_room") {
        let dropped = before(&rows, resent);
        assert_eq!((word(dropped, "kind"), number(dropped, "bundle")), ("bundle_no_room", number(resent, "bundle")));
        assert_eq!(number(dropped, "peer"), Some(0), "whose packet it was");
    }
    // One that refuses loses nothing; the source's timer may run out before.
    let (timer_starts, when_full) = (TimerStarts::BeforeTransfer, WhenFull::Refuse);
    let refusing = Config { timer_starts, when_full, initial_timer: timer(40), retry: MILLI * 50, ..crowded };
    let (_, rows) = run(&bundles(3, refusing, 2));
    let refused = of(&rows, "bundle_refused");
    assert!(!refused.is_empty());
    for refused in refused {
        let chain = chain(&rows, refused);
        assert!(chain.contains(&"bundle_no_room"), "{chain:?}");
    }
    assert!(causes(&rows).contains("no_room"), "{:?}", causes(&rows));
}

/// An owner that has no way waits, and gives the bundle up at last.
#[test]
fn want_of_a_way_is_named() {
    let config = Config { initial_timer: timer(1_000), hold: Some(MILLI * 3_000), ..config() };
    let mut setup = bundles(3, config, 1);
    setup.routing = Routing::Found(Box::new(routing::Config::Dsr(dsr::Config::rfc())));
    setup.switches = vec![fall(1.11, 2, false)];
    let (_, rows) = run(&setup);
    let found = causes(&rows);
    assert!(found.contains("no_way"), "{found:?}");
    let waits = of(&rows, "bundle_resent").into_iter().find(|row| word(row, "cause") == "no_way").expect("one");
    assert!(number(waits, "peer").is_some() && waits.contains_key("because"), "{waits:?}");
}

/// A probe that nobody answers in time is looked after.
#[test]
fn a_silent_probe_is_explained() {
    let (_, rows) = run(&bundles(3, Config { probe_timer: Duration::from_micros(500), ..config() }, 1));
    let silent = of(&rows, "bundle_silent");
    assert!(!silent.is_empty());
    for silent in silent {
        assert!(matches!(word(silent, "cause"), "probe_late" | "answer_late"), "{silent:?}");
        assert!(silent.contains_key("because") && silent.contains_key("peer"), "{silent:?}");
    }
    let mut setup = bundles(2, Config { probe_timer: MILLI * 100, ..config() }, 1);
    setup.switches = vec![fall(1.001, 2, false), fall(1.2, 2, true)];
    let (_, rows) = run(&setup);
    let silent = of(&rows, "bundle_silent")[0];
    assert_eq!((word(silent, "cause"), word(silent, "loss")), ("probe_lost", "link_failure"));
    assert_eq!(word(before(&rows, silent), "carries"), "bundle_probe");
}

/// Flows that cross where nodes fall and have little room: whatever happens is explained.
#[test]
fn in_a_crowd_everything_is_explained() {
    let mut found = BTreeSet::new();
    for seed in 0..20 {
        let when_full = if seed % 2 == 0 { WhenFull::Drop } else { WhenFull::Refuse };
        let lets_go = if seed % 3 == 0 { LetsGo::OnAck } else { LetsGo::OnTransfer };
        let crowd = Config {
            in_transit: 2,
            room: Some(2),
            when_full,
            lets_go,
            cut_through: seed % 5 == 4,
            timer_starts: if seed % 7 == 6 { TimerStarts::BeforeTransfer } else { TimerStarts::AfterTransfer },
            initial_timer: timer(600),
            max_timer: MILLI * 2_000,
            receive_timer: MILLI * 60,
            hold: Some(MILLI * 1_500),
            survives_down: seed % 4 == 3,
            ..config()
        };
        let mut setup = bundles(4, crowd, 20);
        for (from, to) in [(4, 0), (1, 3)] {
            setup.flows.push(Flow { from: NodeId(from), to: NodeId(to), ..setup.flows[0].clone() });
        }
        if seed % 4 < 2 {
            setup.routing = Routing::Found(Box::new(routing::Config::Dsr(dsr::Config::rfc())));
        }
        for (n, node) in [2, 1, 3, 2, 1, 2].into_iter().enumerate() {
            let down = 1.3 + 2.7 * n as f64 + 0.1 * seed as f64;
            setup.switches.extend([fall(down, node, false), fall(down + 0.4, node, true)]);
        }
        let frames = vec![FrameClass::Ack, FrameClass::Data];
        setup.errors = vec![Errors { from: None, to: None, frames, model: FrameErrors::Uniform { probability: 0.1 } }];
        let (_, rows) = run_with(&setup, seed);
        for row in rows.values().filter(|row| word(row, "kind").starts_with("bundle_")) {
            found.insert((word(row, "kind").to_owned(), word(row, "cause").to_owned()));
        }
    }
    let all = |kind: &'static str, causes: &'static [&str]| causes.iter().map(move |cause| (kind, *cause));
    let rare = ["not_acknowledged", "ack_late", "incomplete"];
    let missing: Vec<_> = all("bundle_resent", &RESENT)
        .chain(all("bundle_part_deleted", &DELETED))
        .filter(|(kind, cause)| !rare.contains(cause) && !found.contains(&((*kind).into(), (*cause).into())))
        .collect();
    assert!(missing.is_empty(), "{missing:?} of {found:?}");
}

/// Files of runs without bundles do not have the column.
#[test]
fn other_files_stay_as_they_are() {
    let (_, rows, _) = told(&string(2, "newreno", 0.2, false), 1, Scope::All);
    assert!(!rows.is_empty() && rows.values().all(|row| !row.contains_key("bundle")));
}
