//! Disks that are full, folders that are not there, nodes that do not exist.

#[path = "../../sim/tests/support/mod.rs"]
mod support;

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, Options, Trace, Watch, run_traced};
use hopwright_trace::{Config, Recorder, ns2, pcapng};
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

struct Both(pcapng::Capture<Small>, ns2::Writer<Small>);

impl Trace for Both {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if node == NodeId(0) {
            self.0.event(at, event);
        }
        self.1.event(at, node, event);
    }

    fn hears(&self, _: NodeId) -> bool {
        true
    }
}

#[test]
fn a_full_disk_is_told_at_the_end_and_does_not_stop_the_run() {
    let setup = string(2, "newreno", 0.5, false);
    let whole = support::outcome(&setup, 1);
    for room in [300, 5000] {
        let capture = pcapng::Capture::new(Small(room), &setup, NodeId(0)).expect("the head has room");
        let mut both = Both(capture, ns2::Writer::new(Small(room), &setup, ns2::Config::default()));
        let outcome = run_traced(&setup, 1, &Options::default(), &Watch::default(), &mut both).expect("not cancelled");
        assert_eq!(outcome.report, whole.report);
        assert_eq!(both.0.finish().err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
        assert_eq!(both.1.finish().err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
    }
    assert!(pcapng::Capture::new(Small(3), &setup, NodeId(0)).is_err());
}

#[test]
fn what_cannot_be_recorded_is_refused_at_the_start() {
    let setup = string(2, "newreno", 0.5, false);
    let refused = |config: &Config, folder: &Path| Recorder::new(config, &setup, folder).err().map(|e| e.kind());
    let there = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let unknown = Config { pcap: vec![NodeId(3)], ns2: None };
    assert_eq!(refused(&unknown, there), Some(ErrorKind::InvalidInput));
    let trace = Config { pcap: vec![], ns2: Some(ns2::Config::default()) };
    assert_eq!(refused(&trace, &there.join("not-there")), Some(ErrorKind::NotFound));
}
