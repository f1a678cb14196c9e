//! Disks that are full, folders that are not there, nodes that do not exist.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_sim::{Event, Options, Trace, Watch, run_traced};
use hopwright_trace::series::{Quantity, Series};
use hopwright_trace::{Config, Recorder, lineage, ns2, pcapng, series};

use crate::support::string;

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
    let whole = crate::support::outcome(&setup, 1);
    let series = series::Config { quantities: vec![Quantity::Cwnd], interval: Duration::ZERO, about: vec![] };
    for room in [300, 5000] {
        let capture = pcapng::Capture::new(Small(room), &setup, NodeId(0)).expect("the head has room");
        let ns2 = ns2::Writer::new(Small(room), &setup, ns2::Config::default());
        let series = Series::new(Some((Small(room.min(600)), &series)), &setup, false).expect("the head has room");
        let mut every = Every(capture, ns2, series);
        let outcome = run_traced(&setup, 1, &Options::default(), &Watch::default(), &mut every).expect("not cancelled");
        assert_eq!(outcome.report, whole.report);
        assert_eq!(every.0.finish().err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
        assert_eq!(every.2.finish().0.err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
        assert_eq!(every.1.finish().err().map(|e| e.kind()), Some(ErrorKind::StorageFull));
    }
    assert!(pcapng::Capture::new(Small(3), &setup, NodeId(0)).is_err());
}

/// What can be written is, and the run is the same; what cannot is named, and nothing half is left of it.
#[test]
fn a_file_that_cannot_be_written_costs_nothing_else() {
    let setup = string(2, "newreno", 0.5, false);
    let whole = crate::support::outcome(&setup, 1);
    let series = series::Config { quantities: vec![Quantity::Cwnd], interval: Duration::ZERO, about: vec![] };
    let config = Config {
        pcap: vec![NodeId(0), NodeId(1)],
        ns2: Some(ns2::Config::default()),
        series: Some(series),
        lineage: Some(lineage::Config::default()),
        frames: Some(vec![]),
        positions: Some(vec![]),
        picture: true,
        hops: true,
        medium_use: true,
        flow_time: true,
    };
    let files = [
        "node-0.pcapng",
        "node-1.pcapng",
        "trace.tr",
        "events.parquet",
        "series.parquet",
        "positions.parquet",
        "frames.parquet",
        "lanes.parquet",
    ];
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unwritten");
    for broken in files.iter().map(Some).chain([None]) {
        let _ = fs::remove_dir_all(&folder);
        if let Some(name) = broken {
            fs::create_dir_all(&folder).expect("a place to write");
            // It takes nothing, but can be opened.
            std::os::unix::fs::symlink("/dev/full", folder.join(name)).expect("a link");
        }
        let mut recorder = Recorder::new(&config, &setup, &folder);
        let outcome =
            run_traced(&setup, 1, &Options::default(), &Watch::default(), &mut recorder).expect("not cancelled");
        assert_eq!(outcome.report, whole.report);
        let found = recorder.finish();
        assert!(found.picture.is_some() && found.hops.is_some());
        let missing: Vec<&str> = found.unwritten.iter().map(|each| &*each.name).collect();
        match broken {
            Some(name) => assert_eq!(missing, [*name]),
            None => assert_eq!(missing.len(), files.len(), "without a folder, all"),
        }
        for name in files {
            assert_eq!(folder.join(name).exists(), !missing.contains(&name), "{name}, without {broken:?}");
        }
    }
}
