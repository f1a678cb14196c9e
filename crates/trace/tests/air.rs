//! Frames, what stations waited for, and where nodes were: beside the run's books, lineage, captures and a clock.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Position, Trajectory, ns2};
use hopwright_sim::{Options, Outcome, Setup, Simulation, Watch, run, run_traced};
use hopwright_trace::lineage::{self, Scope};
use hopwright_trace::positions::Positions;
use hopwright_trace::{Config, Recorder};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;

use crate::lineage::{Row, number, word};
use crate::pcapng::{fields, tshark};
use crate::support::{at, datagrams, quiet, string};

/// A folder of its own.
fn folder(name: &str) -> PathBuf {
    let name = format!("air-{name}-{:?}", std::thread::current().id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn rows(file: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(file).expect("the file")).expect("a Parquet file");
    let row = |row: Result<parquet::record::Row, _>| -> Row {
        row.expect("a row").into_columns().into_iter().filter(|(_, field)| *field != Field::Null).collect()
    };
    reader.get_row_iter(None).expect("rows").map(row).collect()
}

/// All that can be drawn of a run.
struct Drawn {
    outcome: Outcome,
    frames: Vec<Row>,
    lanes: Vec<Row>,
    events: Vec<Row>,
}

fn config() -> Config {
    let lineage = lineage::Config { scope: Scope::All, ..lineage::Config::default() };
    Config { frames: Some(vec![]), positions: Some(vec![]), lineage: Some(lineage), ..Config::default() }
}

fn drawn(setup: &Setup, seed: u64) -> Drawn {
    let folder = folder("drawn");
    let mut recorder = Recorder::new(&config(), setup, &folder);
    let options = Options { frames: true, ..Options::default() };
    let outcome = run_traced(setup, seed, &options, &Watch::default(), &mut recorder).expect("nobody cancels");
    assert!(recorder.finish().unwritten.is_empty());
    let [frames, lanes, events] =
        ["frames", "lanes", "events"].map(|name| rows(&folder.join(format!("{name}.parquet"))));
    Drawn { outcome, frames, lanes, events }
}

fn whole(row: &Row, column: &str) -> i64 {
    number(row, column).unwrap_or_else(|| panic!("no {column} in {row:?}"))
}

fn span(row: &Row) -> (i64, i64) {
    let from = whole(row, "from_ns");
    (from, from + whole(row, "lasts_ns"))
}

/// Frames have the fates that the run's books know, and are those that the run lists.
fn check_fates(Drawn { outcome, frames, .. }: &Drawn) -> Result<(), TestCaseError> {
    let ledger = &outcome.ledger;
    let count = |words: &[&str]| {
        frames.iter().filter(|row| row.contains_key("to") && words.contains(&word(row, "result"))).count() as u64
    };
    prop_assert_eq!(frames.len() as u64, ledger.frames);
    prop_assert_eq!(frames.iter().filter(|row| !row.contains_key("to")).count() as u64, ledger.frames_broadcast);
    prop_assert_eq!(count(&["collision"]), ledger.frames_collided, "{:?}", ledger);
    prop_assert_eq!(count(&["captured", "transmitting"]), ledger.frames_missed, "{:?}", ledger);
    prop_assert_eq!(count(&["channel"]), ledger.frames_damaged, "{:?}", ledger);
    prop_assert_eq!(count(&["out_of_range"]), ledger.frames_out_of_range, "{:?}", ledger);
    prop_assert_eq!(count(&["down", "cut_off"]), ledger.frames_node_down, "{:?}", ledger);
    let (received, open) = (count(&["received"]), count(&[""]));
    prop_assert_eq!(received + open, ledger.frames_received + ledger.frames_in_air, "{:?}", ledger);
    prop_assert!(received <= ledger.frames_received + ledger.frames_in_air && open >= ledger.frames_in_air);
    for ((row, listed), place) in frames.iter().zip(&outcome.frames).zip(0..) {
        prop_assert_eq!(whole(row, "frame"), place);
        prop_assert_eq!(whole(row, "from_ns"), listed.at.as_nanos() as i64);
        prop_assert_eq!(whole(row, "node"), i64::from(listed.from.0));
        prop_assert_eq!(number(row, "to"), listed.to.map(|to| i64::from(to.0)));
        prop_assert_eq!(word(row, "kind").to_lowercase(), format!("{:?}", listed.kind).to_lowercase());
    }
    Ok(())
}

/// Each try of lineage that came to nothing has its frame here, lost to the same for the same reason.
fn check_lineage(Drawn { frames, events, lanes, .. }: &Drawn) -> Result<(), TestCaseError> {
    let mut of_try: BTreeMap<(i64, i64, i64), Vec<&Row>> = BTreeMap::new();
    for row in frames {
        let (Some(packet), Some(tries)) = (number(row, "packet"), number(row, "tries")) else { continue };
        let answers = matches!(word(row, "kind"), "cts" | "ack");
        let tried = if answers { whole(row, "to") } else { whole(row, "node") };
        of_try.entry((tried, packet, tries)).or_default().push(row);
    }
    let by = |row: &Row| number(row, "by").map(|by| &frames[by as usize]);
    let seconds = |row: &Row| whole(row, "from_ns") as f64 / 1e9;
    let is_same = |event: &Row, row: &Row| -> Result<(), TestCaseError> {
        let by = by(row);
        prop_assert_eq!(number(event, "by_node"), by.map(|by| whole(by, "node")), "{:?}, {:?}", event, row);
        prop_assert_eq!(word(event, "by_frame"), by.map_or("", |by| word(by, "kind")));
        prop_assert_eq!(event.get("by_time_s").cloned(), by.map(seconds).map(Field::Double));
        prop_assert_eq!(word(event, "relation"), word(row, "relation"));
        Ok(())
    };
    for event in events.iter().filter(|event| word(event, "kind") == "try") {
        let key = (whole(event, "node"), whole(event, "packet"), whole(event, "tries"));
        // A packet may be handed over, come back and be tried again for the first time.
        let since = |row: &&&Row| seconds(row) >= real(event, "time_s");
        let found: Vec<&Row> = of_try.get(&key).into_iter().flatten().filter(since).copied().collect();
        prop_assert!(!found.is_empty(), "no frame of {event:?}");
        prop_assert_eq!(number(event, "flow"), number(found[0], "flow"));
        prop_assert_eq!(seconds(found[0]), real(event, "time_s"));
        let cause = word(event, "cause");
        // What the sender alone knows: that no answer came, or came too late for it.
        if matches!(cause, "" | "deferred" | "late" | "unfinished") {
            continue;
        }
        let lost = |row: &&&Row| {
            word(row, "kind") == word(event, "frame") && [word(row, "result"), word(row, "unanswered")].contains(&cause)
        };
        let Some(row) = found.iter().find(lost) else {
            prop_assert!(matches!(cause, "cut_off" | "down"), "{event:?} but {found:?}");
            continue;
        };
        is_same(event, row)?;
    }
    // Frames for everyone that somebody missed.
    let told = events.iter().filter(|event| word(event, "kind") == "missed");
    let mut missed: BTreeMap<(i64, Option<i64>), Vec<&Row>> = BTreeMap::new();
    for row in lanes.iter().filter(|row| word(row, "kind") == "missed") {
        let packet = number(&frames[whole(row, "frame") as usize], "packet");
        missed.entry((whole(row, "node"), packet)).or_default().push(row);
    }
    for event in told {
        let missed = missed.entry((whole(event, "node"), number(event, "packet"))).or_default();
        let is_it = |row: &&Row| {
            word(row, "cause") == word(event, "cause")
                && event.get("by_time_s").cloned() == by(row).map(seconds).map(Field::Double)
        };
        let place = missed.iter().position(is_it);
        prop_assert!(place.is_some(), "{event:?}");
        is_same(event, missed.swap_remove(place.expect("a place")))?;
    }
    Ok(())
}

fn real(row: &Row, column: &str) -> f64 {
    match row[column] {
        Field::Double(number) => number,
        ref other => panic!("{column}: {other}"),
    }
}

/// Stretches of one kind at one node do not overlap; and slots pass only while the station neither senses nor sends.
fn check_lanes(Drawn { frames, lanes, .. }: &Drawn, slot_ns: i64) -> Result<(), TestCaseError> {
    let mut by_lane: BTreeMap<(&str, i64), Vec<&Row>> = BTreeMap::new();
    for row in lanes {
        by_lane.entry((word(row, "kind"), whole(row, "node"))).or_default().push(row);
    }
    for row in frames {
        by_lane.entry(("sent", whole(row, "node"))).or_default().push(row);
    }
    for ((kind, _), rows) in &mut by_lane {
        rows.sort_by_key(|row| whole(row, "from_ns"));
        if !matches!(*kind, "missed" | "decodes" | "senses") {
            let apart = rows.windows(2).all(|pair| span(pair[0]).1 <= span(pair[1]).0);
            prop_assert!(apart, "{kind}: {rows:?}");
        }
    }
    for ((_, node), rows) in by_lane.iter().filter(|((kind, _), _)| *kind == "backoff") {
        for row in rows {
            let (from, until) = span(row);
            let (slots, left) = (whole(row, "slots"), whole(row, "left"));
            prop_assert_eq!(slots - left, (until - from) / slot_ns, "{:?}", row);
            for kind in ["reserved", "sent"] {
                // They do not overlap each other: the first that ends later is the one to look at.
                let others = by_lane.get(&(kind, *node)).map_or(&[][..], Vec::as_slice);
                let later = others.partition_point(|other| span(other).1 <= from);
                let found = others.get(later).filter(|other| span(other).0 < until);
                prop_assert!(found.is_none(), "{row:?} while {found:?}");
            }
        }
    }
    // What a node hears interrupts it.
    for node in by_lane.keys().filter(|(kind, _)| *kind == "backoff").map(|&(_, node)| node) {
        let begins: Vec<i64> = heard(frames, lanes, node).iter().map(|frame| whole(frame, "from_ns")).collect();
        for row in &by_lane[&("backoff", node)] {
            let (from, until) = span(row);
            let next = begins.partition_point(|&begin| begin <= from);
            // From 4.5 km away it comes that much later.
            let is_first = begins.get(next).is_none_or(|begin| begin + 15_000 >= until);
            prop_assert!(is_first, "{row:?} while one sends at {:?}", begins.get(next));
        }
    }
    Ok(())
}

/// The frames that a node hears, in the order in which they leave.
fn heard<'a>(frames: &'a [Row], lanes: &[Row], node: i64) -> Vec<&'a Row> {
    let mut hearing: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for row in lanes.iter().filter(|row| whole(row, "node") == node && row.contains_key("peer")) {
        hearing.entry(whole(row, "peer")).or_default().push(span(row));
    }
    hearing.values_mut().for_each(|stretches| stretches.sort_unstable());
    let is_heard = |frame: &&Row| {
        let at = whole(frame, "from_ns");
        let stretches = hearing.get(&whole(frame, "node")).map_or(&[][..], Vec::as_slice);
        let later = stretches.partition_point(|&(_, until)| until <= at);
        stretches.get(later).is_some_and(|&(from, _)| from <= at)
    };
    frames.iter().filter(is_heard).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::worlds::config().cases.div_ceil(8), ..crate::worlds::config() })]

    #[test]
    fn what_is_drawn_is_what_happened(setup in crate::worlds::setup(), seed in 0u64..1000) {
        let setup = crate::worlds::contended(setup, seed);
        let drawn = drawn(&setup, seed);
        let plain = run(&setup, seed, &Options::default(), &Watch::default()).expect("nobody cancels");
        prop_assert_eq!(&drawn.outcome.report, &plain.report);
        check_fates(&drawn)?;
        check_lineage(&drawn)?;
        check_lanes(&drawn, setup.mac.slot.as_nanos() as i64)?;
    }
}

/// One packet over one hop, overheard: every time is that of the standard.
#[test]
fn an_exchange_is_drawn_to_the_microsecond() {
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)], true, 1.0, false);
    // A station that has nothing to do takes account of what it hears when it has heard more.
    setup.flows.push(datagrams(0, 1, 512, 1.0, 20));
    let Drawn { mut frames, lanes, .. } = drawn(&setup, 1);
    assert!(frames.len() > 40);
    frames.truncate(4);
    let kinds: Vec<&str> = frames.iter().map(|row| word(row, "kind")).collect();
    assert_eq!(kinds, ["rts", "cts", "data", "ack"]);
    // 192 us of preamble; RTS, CTS and ACK at 1 Mb/s, 24 + 8 + 540 + 4 bytes of data at 2 Mb/s.
    let lasts: Vec<i64> = frames.iter().map(|row| whole(row, "lasts_ns") / 1000).collect();
    assert_eq!(lasts, [192 + 160, 192 + 112, 192 + 576 * 4, 192 + 112]);
    assert_eq!(frames.iter().map(|row| whole(row, "bytes")).collect::<Vec<_>>(), [20, 14, 576, 14]);
    assert_eq!(
        frames.iter().map(|row| whole(row, "rate_bps")).collect::<Vec<_>>(),
        [1e6, 1e6, 2e6, 1e6].map(|r| r as i64)
    );
    assert!(frames.iter().all(|row| word(row, "result") == "received" && word(row, "carries") == "datagram"));
    assert!(frames.iter().all(|row| (whole(row, "flow"), whole(row, "tries")) == (0, 1)));
    // Node 2 senses node 0 from 400 m and reads node 1: the CTS reserves the medium up to the end of the ACK.
    let of = |node: i64, kind: &str| -> Vec<(i64, i64)> {
        let rows = lanes.iter().filter(|row| whole(row, "node") == node && word(row, "kind") == kind);
        rows.map(span).collect()
    };
    let hears = |kind: &str| -> Vec<(i64, i64)> {
        let rows = lanes.iter().filter(|row| word(row, "kind") == kind);
        rows.map(|row| (whole(row, "node"), whole(row, "peer"))).collect()
    };
    assert_eq!(hears("decodes"), [(0, 1), (1, 0), (2, 1)]);
    assert_eq!(hears("senses"), [(2, 0)]);
    assert_eq!(heard(&frames, &lanes, 2).len(), 4);
    assert_eq!(heard(&frames, &lanes, 0).len(), 2);
    // 200 m are 667 ns of light.
    let (cts_end, ack_end) = (span(&frames[1]).1 + 667, span(&frames[3]).1 + 667);
    let reserved = of(2, "reserved");
    assert!((reserved[0].0 - cts_end).abs() <= 1 && (reserved[0].1 - ack_end).abs() < 3_000, "{reserved:?}: {ack_end}");
    assert!(of(0, "reserved").is_empty() && of(1, "reserved").is_empty());
}

/// A capture at each node has the same frames of that node: when they ended, how long they are.
#[test]
fn wireshark_sees_the_same_frames() {
    if !tshark() {
        return;
    }
    let setup = string(3, "newreno", 2.0, false);
    let folder = folder("wireshark");
    let pcap = (0..4).map(NodeId).collect();
    let mut recorder = Recorder::new(&Config { pcap, ..config() }, &setup, &folder);
    run_traced(&setup, 3, &Options::default(), &Watch::default(), &mut recorder).expect("nobody cancels");
    assert!(recorder.finish().unwritten.is_empty());
    let frames = rows(&folder.join("frames.parquet"));
    for node in 0..4 {
        let file = folder.join(format!("node-{node}.pcapng"));
        let names = ["frame.time_epoch", "wlan.fc.type_subtype", "frame.len", "radiotap.length", "radiotap.datarate"];
        // 2: the frame went out.
        let seen = fields(&file, "frame.packet_flags_direction == 2", &names);
        let sent: Vec<&Row> = frames.iter().filter(|row| whole(row, "node") == node).collect();
        assert_eq!(seen.len(), sent.len(), "node {node}");
        assert!(!sent.is_empty());
        for (seen, row) in seen.iter().zip(sent) {
            let nanoseconds: i64 = seen[0].replace('.', "").parse().expect("digits");
            assert_eq!(nanoseconds, span(row).1, "{seen:?} {row:?}");
            let subtype = match word(row, "kind") {
                "rts" => "0x001b",
                "cts" => "0x001c",
                "ack" => "0x001d",
                _ => "0x0020",
            };
            assert_eq!(seen[1], subtype);
            let bytes: i64 = seen[2].parse::<i64>().expect("bytes") - seen[3].parse::<i64>().expect("bytes");
            assert_eq!(bytes, whole(row, "bytes"), "{seen:?} {row:?}");
            assert_eq!(seen[4].parse::<f64>().expect("Mb/s") * 1e6, whole(row, "rate_bps") as f64);
        }
    }
}

/// Where a node was, by its row of that moment.
fn place(rows: &[Row], node: u32, now: Time) -> Position {
    let now_ns = now.as_nanos() as i64;
    let is_it = |row: &&Row| {
        word(row, "kind") == "leg"
            && whole(row, "node") == i64::from(node)
            && whole(row, "from_ns") <= now_ns
            && number(row, "until_ns").is_none_or(|until| now_ns < until)
    };
    let found: Vec<&Row> = rows.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "node {node} at {now}: {found:?}");
    let s = (now_ns - whole(found[0], "from_ns")) as f64 / 1e9;
    let along = |from: &str, speed: &str| real(found[0], from) + real(found[0], speed) * s;
    Position::new(along("x_m", "vx_mps"), along("y_m", "vy_mps"))
}

fn is_down(rows: &[Row], node: u32, now: Time) -> bool {
    let now_ns = now.as_nanos() as i64;
    rows.iter().any(|row| {
        word(row, "kind") == "down"
            && whole(row, "node") == i64::from(node)
            && whole(row, "from_ns") <= now_ns
            && number(row, "until_ns").is_none_or(|until| now_ns < until)
    })
}

/// Nodes that go their ways, jump, are moved, go down and come up: at any moment they are where the run has them.
#[test]
fn positions_are_those_of_the_run() {
    let mut setup = string(3, "newreno", 9.0, false);
    setup.nodes[1].travel_to(at(2.0), Position::new(500.0, 77.0), 13.0);
    setup.nodes[1].travel_to(at(3.3), Position::new(1.0, 1.0), 7.0);
    setup.nodes[2] = Trajectory::fixed(Position::new(5.0, 6.0));
    setup.nodes[2].place_at(at(4.0), Position::new(50.0, 60.0));
    let folder = folder("positions");
    let options = Options { steered: true, ..Options::default() };
    let (recorder, recorded) = Recorder::new(&config(), &setup, &folder).handed_over();
    let mut simulation = Simulation::traced(Cow::Borrowed(&setup), 1, &options, Box::new(recorder));
    let mut seen = Vec::new();
    for tenth in 0..=100 {
        simulation.advance(at(0.1 * f64::from(tenth)));
        match tenth {
            20 => simulation.travel(NodeId(0), Position::new(900.0, 900.0), 31.0).expect("a medium"),
            30 => simulation.switch(NodeId(3), false).expect("a medium"),
            35 => simulation.place(NodeId(1), Position::new(3.0, 4.0)).expect("a medium"),
            47 => simulation.travel(NodeId(0), Position::new(0.0, 900.0), 0.0).expect("a medium"),
            50 => {
                simulation.switch(NodeId(3), true).expect("a medium");
                simulation.place(NodeId(3), Position::new(1.0, 2.0)).expect("a medium");
                simulation.place(NodeId(3), Position::new(2.0, 1.0)).expect("a medium");
            }
            _ => {}
        }
        for node in 0..4 {
            let state = simulation.node(NodeId(node));
            seen.push((simulation.now(), node, state.position, state.is_up));
        }
    }
    let _ = simulation.finish();
    assert!(recorded.recv().expect("the run is over").unwritten.is_empty());
    let rows = rows(&folder.join("positions.parquet"));
    for (now, node, position, is_up) in seen {
        assert_eq!(place(&rows, node, now), position, "node {node} at {now}");
        assert_eq!(!is_down(&rows, node, now), is_up, "node {node} at {now}");
    }
}

/// Positions that ns-2 printed of a movement file, beside those that the file of positions has.
#[test]
fn positions_are_those_of_ns2() {
    let movements = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../validation/movements");
    for name in ["corners", "rwp_strip_v20_s3"] {
        let text = |ending: &str| std::fs::read_to_string(movements.join(format!("{name}.{ending}"))).expect("a file");
        let mut setup = quiet(&[(0.0, 0.0)], true, 1.0, false);
        setup.nodes = ns2::parse(&text("tcl")).expect("a movement file");
        setup.end = at(900.0);
        let folder = folder(name);
        let file = File::create(folder.join("positions.parquet")).expect("a file");
        Positions::new(file, &[], &setup).and_then(Positions::finish).expect("a file");
        let rows = rows(&folder.join("positions.parquet"));
        let mut compared = 0;
        for line in text("csv").lines().skip(1) {
            let values: Vec<f64> = line.split(',').map(|value| value.parse().expect("a number")).collect();
            let found = place(&rows, values[1] as u32, at(values[0]));
            let theirs = Position::new(values[2], values[3]);
            assert!(found.distance(theirs) < 1e-3, "{name}, {line}: {found:?}");
            compared += 1;
        }
        assert!(compared > 10);
    }
}
