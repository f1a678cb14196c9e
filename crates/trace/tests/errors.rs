//! Disks that are full, folders that are not there, nodes that do not exist.

#[path = "../../sim/tests/support/mod.rs"]
mod support;

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_sim::{Event, Options, Trace, Watch, run_traced};
use hopwright_trace::series::{Quantity, Series};
use hopwright_trace::{Config, Recorder, ns2, pcapng, series};
use support::string;

/// Takes so many bytes and no more.
struct Small(usize);

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Every(pcapng::Capture<Small>, ns2::Writer<Small>, Series<Small>);

impl Trace for Every {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if node == NodeId(0) {
            self.0.event(at, event);
        }
        self.1.event(at, node, event);
        self.2.event(at, node, event);
    }

    fn hears(&self, _: NodeId) -> bool {
        true
    }
}

#[test]
fn a_full_disk_is_told_at_the_end_and_does_not_stop_the_run() {
    let setup = string(2, "newreno", 0.5, false);
    let whole = support::outcome(&setup, 1);
    let series = series::Config { quantities: vec![Quantity::Cwnd], interval: Duration::ZERO, about: vec![] };
    for room in [300, 5000] {
        let capture = pcapng::Capture::new(Small(room), &setup, NodeId(0)).expect("the head has room");
        let ns2 = ns2::Writer::new(Small(room), &setup, ns2::Config::default());
        let series = Series::new(Some((Small(room.min(600)), &series)), &setup, false).expect("the head has room");
        let mut every = Every(capture, ns2, series);
        let outcome = run_traced(&setup, 1, &Options::default(), &Watch::default(), &mut every).expect("not cancelled");
        assert_eq!(outcome.report, whole.report);
        assert_eq!(every.0.finish().err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
        assert_eq!(every.2.finish().err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
        assert_eq!(every.1.finish().err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
    }
    assert!(pcapng::Capture::new(Small(3), &setup, NodeId(0)).is_err());
}

#[test]
fn what_cannot_be_recorded_is_refused_at_the_start() {
    let setup = string(2, "newreno", 0.5, false);
    let refused = |config: &Config, folder: &Path| Recorder::new(config, &setup, folder).err().map(|e| e.kind());
    let there = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let unknown = Config { pcap: vec![NodeId(3)], ..Config::default() };
    assert_eq!(refused(&unknown, there), Some(ErrorKind::InvalidInput));
    let figures = Config { picture: true, ..Config::default() };
    assert!(Recorder::new(&figures, &setup, &there.join("not-there")).is_ok(), "figures need no file");
    let trace = Config { ns2: Some(ns2::Config::default()), ..Config::default() };
    assert_eq!(refused(&trace, &there.join("not-there")), Some(ErrorKind::NotFound));
}
