//! A frame of a program outside is recorded as it was on the air: its EtherType, its bytes, its group.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use hopwright_machine::{Address, NodeId};
use hopwright_sim::{Options, Simulation};
use hopwright_trace::{Config, Recorder, lineage, ns2};
use hopwright_wire::Payload;
use hopwright_wire::arp::MacAddress;
use hopwright_wire::ethernet::Frame;

use crate::pcapng::{fields, tshark};
use crate::support::{at, quiet};

/// An ARP request of node 0 for node 1, as a kernel writes it.
const REQUEST: [u8; 28] =
    *b"\x00\x01\x08\x00\x06\x04\x00\x01\x02\x00\x00\x00\x00\x00\x0a\x00\x00\x01\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x02";

#[test]
fn frames_from_outside_are_in_every_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("frames");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let setup = quiet(&[(0.0, 0.0), (200.0, 0.0)], true, 3.0, true);
    let config = Config {
        pcap: vec![NodeId(1)],
        ns2: Some(ns2::Config { format: ns2::Format::Old, agent: true, router: true, mac: true }),
        lineage: Some(lineage::Config { scope: lineage::Scope::All, about: Vec::new(), programs: false }),
        ..Config::default()
    };
    let (recorder, recorded) = Recorder::new(&config, &setup, &folder).handed_over();
    let mut simulation = Simulation::traced(Cow::Borrowed(&setup), 1, &Options::default(), Box::new(recorder));
    simulation.attach_frames(NodeId(1));
    simulation.advance(at(1.0));
    let send = |simulation: &mut Simulation<'_>, to: Address, destination, ether_type| {
        let frame = Frame { destination, ether_type, bytes: REQUEST.into() };
        simulation.inject(NodeId(0), to, Payload::Frame(frame.into()));
    };
    send(&mut simulation, Address::BROADCAST, MacAddress([0xff; 6]), 0x0806);
    send(&mut simulation, Address::BROADCAST, MacAddress([0x33, 0x33, 0, 0, 0, 1]), 0x88b5);
    send(&mut simulation, NodeId(1).address(), MacAddress::of(NodeId(1)), 0x88b5);
    simulation.advance(at(2.0));
    assert_eq!(simulation.drain(NodeId(1)).len(), 3);
    let _ = simulation.finish();
    assert!(recorded.recv().expect("the run is over").unwritten.is_empty());
    let trace = fs::read_to_string(folder.join("trace.tr")).expect("a trace");
    assert!(
        trace.lines().any(|line| line.starts_with("r ") && line.contains("_1_ MAC") && line.contains("88b5")),
        "{trace}"
    );
    let capture = fs::read(folder.join("node-1.pcapng")).expect("a capture");
    assert_eq!(capture.windows(REQUEST.len()).filter(|bytes| *bytes == REQUEST).count(), 3);
    if tshark() {
        let seen = fields(&folder.join("node-1.pcapng"), "llc", &["wlan.da", "llc.type", "arp.dst.proto_ipv4"]);
        let line = |fields: [&str; 3]| fields.map(str::to_owned).to_vec();
        let expected = [
            line(["ff:ff:ff:ff:ff:ff", "0x0806", "10.0.0.2"]),
            line(["33:33:00:00:00:01", "0x88b5", ""]),
            line(["02:00:00:00:00:01", "0x88b5", ""]),
        ];
        assert_eq!(seen, expected);
    }
}
