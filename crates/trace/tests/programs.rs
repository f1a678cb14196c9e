//! Whatever the network: the life of each packet of a program is told, whole, and the same in both scopes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use hopwright_machine::{NodeId, PacketId, Time};
use hopwright_sim::{Options, Outcome, Routing, Setup, Simulation};
use hopwright_trace::{Config, Recorder, lineage};
use hopwright_wire::Payload;
use hopwright_wire::ip::{Head, Opaque, protocol};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use proptest::prelude::*;

use crate::lineage::{Row, number, word};
use crate::support::{at, quiet};

const PORTS: (u16, u16) = (5004, 5005);
const DATA_BYTES: usize = 40;

/// What programs at these nodes send: when, from where, to where.
type Sent = Vec<(Time, NodeId, NodeId)>;

fn datagram() -> Payload {
    let mut bytes = [PORTS.0.to_be_bytes(), PORTS.1.to_be_bytes(), [0, 48], [0, 0]].concat();
    bytes.resize(8 + DATA_BYTES, 7);
    let head = Head { tos: 0, ttl: 64, identification: 1, fragment: 0x4000, options: Box::default() };
    Payload::Opaque(Opaque { protocol: protocol::UDP, bytes: bytes.into(), head: Some(head) }.into())
}

fn folder(name: &str) -> PathBuf {
    let name = format!("programs-{name}-{:?}", std::thread::current().id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// A run in which programs send, with its rows by id, and the packets: how often each came.
fn run(setup: &Setup, lineage: lineage::Config, sent: &Sent) -> (Outcome, Vec<Row>, BTreeMap<PacketId, u64>) {
    let folder = folder("run");
    let config = Config { lineage: Some(lineage), ..Config::default() };
    let (recorder, recorded) = Recorder::new(&config, setup, &folder).handed_over();
    let mut simulation = Simulation::traced(Cow::Borrowed(setup), 1, &Options::default(), Box::new(recorder));
    let nodes = || (0..setup.nodes.len() as u32).map(NodeId);
    nodes().for_each(|node| simulation.attach(node));
    let mut packets = BTreeMap::new();
    for &(when, from, to) in sent {
        simulation.advance(when);
        packets.insert(simulation.inject(from, to.address(), datagram()), 0);
    }
    simulation.advance(setup.end);
    for (_, packet) in nodes().flat_map(|node| simulation.drain(node)).collect::<Vec<_>>() {
        *packets.get_mut(&packet.id).expect("a packet that was sent") += 1;
    }
    let outcome = simulation.finish();
    assert!(recorded.recv().expect("the run is over").unwritten.is_empty());
    let file = File::open(folder.join("events.parquet")).expect("a file");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let row = |row: parquet::errors::Result<parquet::record::Row>| {
        row.expect("a row").into_columns().into_iter().filter(|(_, field)| *field != Field::Null).collect()
    };
    let mut rows: Vec<Row> = reader.get_row_iter(None).expect("rows").map(row).collect();
    rows.sort_by_key(|row| number(row, "id"));
    (outcome, rows, packets)
}

fn config(scope: lineage::Scope, programs: bool) -> lineage::Config {
    lineage::Config { scope, programs, ..lineage::Config::default() }
}

/// The rows about a packet, tries among them.
fn of(rows: &[Row], packet: PacketId) -> Vec<&Row> {
    rows.iter().filter(|row| number(row, "packet") == Some(packet.0.cast_signed())).collect()
}

fn check(setup: &Setup, sent: &Sent) -> Result<(), TestCaseError> {
    let (outcome, rows, packets) = run(setup, config(lineage::Scope::All, true), sent);
    let ids: BTreeMap<_, _> = rows.iter().map(|row| (number(row, "id"), row)).collect();
    let mut is_open = 0;
    for (&packet, &came) in &packets {
        let rows = of(&rows, packet);
        let of = |kind: &str| rows.iter().filter(|row| word(row, "kind") == kind).collect::<Vec<_>>();
        let beginnings = of("sent");
        prop_assert_eq!(beginnings.len(), 1, "{:?}", rows);
        let begin = beginnings[0];
        prop_assert_eq!(number(begin, "source"), number(begin, "node"));
        prop_assert_eq!(number(begin, "destination"), number(begin, "peer"));
        for row in rows.iter().filter(|row| word(row, "kind") != "try") {
            let is = [number(row, "protocol"), number(row, "source_port"), number(row, "destination_port")];
            prop_assert_eq!(is, [Some(17), Some(5004), Some(5005)], "{:?}", row);
            prop_assert_eq!(number(row, "bytes"), Some(DATA_BYTES as i64));
            prop_assert_eq!(number(row, "tcp_seq").or(number(row, "icmp_id")), None);
        }
        prop_assert_eq!(of("delivered").len() as u64, came);
        let lost = of("dropped").into_iter().filter(|row| row.contains_key("loss")).count();
        prop_assert!(lost <= 1, "{rows:?}");
        is_open += usize::from(came == 0 && lost == 0);
        // What came leads back to how it was sent, over each hop; but not a copy that a router sends of what was lost.
        for end in of("delivered").into_iter().take(usize::from(lost == 0)) {
            let mut row: &Row = end;
            while let Some(because) = number(row, "because") {
                row = ids[&Some(because)];
            }
            prop_assert_eq!(number(row, "id"), number(begin, "id"), "{:?}", rows);
        }
    }
    prop_assert!(is_open as u64 <= outcome.ledger.held, "{is_open} of {:?}", outcome.ledger);
    // The other scope tells the same of them, and results depend on neither.
    let (other, fewer, _) = run(setup, config(lineage::Scope::Losses, true), sent);
    prop_assert_eq!(&outcome.report, &other.report);
    for &packet in packets.keys() {
        prop_assert_eq!(of(&rows, packet), of(&fewer, packet));
    }
    let (plain, ..) = run(setup, config(lineage::Scope::All, false), sent);
    prop_assert_eq!(&outcome.report, &plain.report);
    Ok(())
}

fn drawn() -> impl Strategy<Value = (Setup, Sent)> {
    crate::worlds::setup().prop_flat_map(|setup| {
        let nodes = setup.nodes.len() as u32;
        let end = setup.end.as_secs_f64();
        let one = (0.0..end, 0..nodes, 1..nodes.max(2)).prop_map(move |(when, from, on)| {
            let to = (from + on) % nodes;
            (at(when), NodeId(from), NodeId(to))
        });
        let sent = prop::collection::vec(one, 1..60).prop_map(|mut sent| {
            sent.retain(|(_, from, to)| from != to);
            sent.sort();
            sent
        });
        (Just(setup), sent)
    })
}

/// Each case is three runs.
fn cases() -> ProptestConfig {
    let config = crate::worlds::config();
    ProptestConfig { cases: config.cases.div_ceil(4), ..config }
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn each_packet_of_a_program_is_told_of_from_its_beginning_to_its_end((setup, sent) in drawn()) {
        check(&setup, &sent)?;
    }
}

#[test]
fn a_packet_waits_and_goes_from_hop_to_hop() {
    let setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)], true, 3.0, true);
    let sent = vec![(at(1.0), NodeId(0), NodeId(2)), (at(1.0), NodeId(0), NodeId(2))];
    let (_, rows, packets) = run(&setup, config(lineage::Scope::Losses, true), &sent);
    let told = |packet: PacketId| -> Vec<String> {
        let say = |row: &&Row| format!("{} {}", word(row, "kind"), number(row, "node").expect("a node"));
        of(&rows, packet).iter().map(say).collect()
    };
    let first = ["sent 0", "queued 0", "try 0", "came 1", "queued 1", "try 1", "delivered 2"];
    for &packet in packets.keys() {
        assert_eq!(told(packet), first);
    }
    let time = |row: &Row| match row["time_s"] {
        Field::Double(time) => time,
        ref other => panic!("{other}"),
    };
    let second = of(&rows, *packets.keys().last().expect("two"));
    assert!(time(second[2]) - time(second[1]) > 1e-3, "the second waits for the first: {second:?}");
}

#[test]
fn out_of_range_is_a_link_failure_also_of_programs() {
    let mut setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (5000.0, 0.0)], true, 3.0, true);
    setup.routing = Routing::Static(Some(vec![vec![None, None, Some(NodeId(2))], vec![None; 3], vec![None; 3]]));
    let sent = vec![(at(1.0), NodeId(0), NodeId(2))];
    let (_, rows, packets) = run(&setup, config(lineage::Scope::Losses, true), &sent);
    let rows = of(&rows, *packets.keys().next().expect("one"));
    let last = rows.last().expect("a row");
    assert_eq!((word(last, "kind"), word(last, "loss")), ("dropped", "link_failure"), "{rows:?}");
}

#[test]
fn without_programs_the_columns_are_those_of_before() {
    let setup = quiet(&[(0.0, 0.0), (200.0, 0.0)], true, 2.0, true);
    let (_, rows, packets) = run(&setup, config(lineage::Scope::All, false), &vec![(at(1.0), NodeId(0), NodeId(1))]);
    let kinds: Vec<&str> = rows.iter().map(|row| word(row, "kind")).collect();
    assert_eq!(kinds, ["sent", "try", "delivered"]);
    assert!(rows.iter().all(|row| !row.contains_key("protocol")), "{rows:?}");
    assert_eq!(packets.values().sum::<u64>(), 1);
}
