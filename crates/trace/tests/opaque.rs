//! What a program outside sends is recorded as it is, byte by byte.

use std::borrow::Cow;
use std::fs::{self, File};
use std::path::Path;

use hopwright_machine::NodeId;
use hopwright_sim::{Options, Simulation};
use hopwright_trace::{Config, Recorder, lineage, ns2};
use hopwright_wire::Payload;
use hopwright_wire::ip::{Opaque, protocol};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::pcapng::{fields, tshark};
use crate::support::{at, quiet};

/// An echo request (RFC 792) with the text "who goes there?".
const PING: [u8; 23] = *b"\x08\x00\xf8\x1f\x12\x34\x00\x01who goes there?";

#[test]
fn bytes_from_outside_are_in_every_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opaque");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let setup = quiet(&[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)], true, 3.0, true);
    let config = Config {
        pcap: vec![NodeId(1)],
        ns2: Some(ns2::Config { format: ns2::Format::Old, agent: true, router: true, mac: true }),
        lineage: Some(lineage::Config { scope: lineage::Scope::All, ..lineage::Config::default() }),
        ..Config::default()
    };
    let (recorder, recorded) = Recorder::new(&config, &setup, &folder).handed_over();
    let mut simulation = Simulation::traced(Cow::Borrowed(&setup), 1, &Options::default(), Box::new(recorder));
    simulation.attach(NodeId(2));
    simulation.advance(at(1.0));
    let opaque = Opaque { protocol: protocol::ICMP, bytes: PING.into(), head: None };
    let id = simulation.inject(NodeId(0), NodeId(2).address(), Payload::Opaque(opaque.clone().into()));
    simulation.advance(at(2.0));
    let come = simulation.drain(NodeId(2));
    assert_eq!(come.iter().map(|(_, packet)| &packet.payload).collect::<Vec<_>>(), [&Payload::Opaque(opaque.into())]);
    let outcome = simulation.finish();
    assert_eq!((outcome.ledger.originated, outcome.ledger.delivered), (1, 1));
    assert!(recorded.recv().expect("the run is over").unwritten.is_empty());

    let trace = fs::read_to_string(folder.join("trace.tr")).expect("a trace");
    let sent = trace.lines().next().expect("a line");
    assert!(sent.starts_with("s 1.000000000 _0_ AGT") && sent.contains(" live 23 "), "{sent}");
    assert!(trace.lines().any(|line| line.starts_with("r ") && line.contains("_2_ AGT")), "{trace}");

    let file = File::open(folder.join("events.parquet")).expect("a file");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let rows: Vec<String> =
        reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row").to_string()).collect();
    let told = |kind: &str| {
        let is = |row: &&String| {
            row.contains(&format!("kind: \"{kind}\"")) && row.contains("opaque") && row.contains(&format!("{}", id.0))
        };
        rows.iter().filter(is).count()
    };
    assert_eq!((told("sent"), told("delivered")), (1, 1), "{rows:#?}");

    let capture = fs::read(folder.join("node-1.pcapng")).expect("a capture");
    assert_eq!(capture.windows(PING.len()).filter(|bytes| *bytes == PING).count(), 2, "it comes, and goes on");
    if tshark() {
        let seen = fields(
            &folder.join("node-1.pcapng"),
            "icmp",
            &["icmp.type", "icmp.checksum.status", "ip.dst", "data.data"],
        );
        let text: String = PING[8..].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(seen, vec![vec!["8".to_owned(), "1".to_owned(), "10.0.0.3".to_owned(), text]; 2]);
    }
}
