//! What is recorded, and the files it goes to.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, Setup, Trace};

use crate::flow_time::{self, FlowTime};
use crate::frames::Frames;
use crate::hops::{self, Hops};
use crate::lineage::{self, Lineage};
use crate::medium_use::{self, MediumUse};
use crate::positions::Positions;
use crate::series::{Picture, Series};
use crate::{ns2, pcapng, series};

/// The files of lineage, of frames, of what stations waited for, of where nodes were, of flows and queues over time, and of
/// ns-2's trace.
const EVENTS: &str = "events.parquet";
const FRAMES: &str = "frames.parquet";
const LANES: &str = "lanes.parquet";
const POSITIONS: &str = "positions.parquet";
const SERIES: &str = "series.parquet";
const NS2: &str = "trace.tr";

/// What is recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Nodes with a monitor interface; each gets a file `node-<n>.pcapng`.
    pub pcap: Vec<NodeId>,
    /// What goes to `trace.tr`, if anything.
    pub ns2: Option<ns2::Config>,
    /// What goes to `series.parquet`, if anything.
    pub series: Option<series::Config>,
    /// What `events.parquet` says about itself, if there is to be one.
    pub lineage: Option<lineage::Config>,
    /// What `frames.parquet` and `lanes.parquet` say about themselves, by key, if there are to be any.
    pub frames: Option<Vec<(&'static str, String)>>,
    /// What `positions.parquet` says about itself, if there is to be one.
    pub positions: Option<Vec<(&'static str, String)>>,
    /// Whether `Recorder::finish` returns what figures show.
    pub picture: bool,
    /// Whether it returns the per-hop report.
    pub hops: bool,
    /// Whether it returns how the medium was used.
    pub medium_use: bool,
    /// Whether it returns where each flow's time went.
    pub flow_time: bool,
}

/// Writes the files that a configuration asks for.
///
/// The first error ends the writing of that file and is kept for `finish`: what is beside a result never costs it.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    /// The capture of each node that has one.
    captures: Vec<Option<pcapng::Capture<BufWriter<File>>>>,
    ns2: Option<ns2::Writer<BufWriter<File>>>,
    series: Option<Series<File>>,
    lineage: Option<Lineage<File>>,
    frames: Option<Frames<File>>,
    positions: Option<Positions<File>>,
    hops: Option<Hops>,
    medium_use: Option<MediumUse>,
    flow_time: Option<FlowTime>,
    follows_packets: bool,
    /// Whether anything but lineage is recorded.
    has_others: bool,
    asks_for_layers: bool,
    unwritten: Vec<Unwritten>,
}

/// A file that could not be written. It is not there.
#[derive(Debug)]
pub struct Unwritten {
    /// Its name.
    pub name: String,
    /// Why.
    pub error: io::Error,
}

/// What a recorder leaves beside its files.
#[derive(Debug, Default)]
pub struct Recorded {
    /// What figures show, if that was asked for.
    pub picture: Option<Picture>,
    /// The per-hop report, if it was asked for.
    pub hops: Option<hops::Report>,
    /// How the medium was used, if that was asked for.
    pub medium_use: Option<medium_use::Report>,
    /// Where each flow's time went, if that was asked for.
    pub flow_time: Option<flow_time::Report>,
    /// The files that are missing.
    pub unwritten: Vec<Unwritten>,
}

impl Recorder {
    /// Opens the files in `folder`, which must exist.
    ///
    /// # Panics
    /// If a captured node does not exist: scenarios with one are refused.
    #[must_use]
    pub fn new(config: &Config, setup: &Setup, folder: &Path) -> Self {
        let mut files = Files { folder, unwritten: Vec::new() };
        let mut captures: Vec<_> = setup.nodes.iter().map(|_| None).collect();
        for &node in &config.pcap {
            let name = capture_name(node);
            captures[node.index()] = files.open(&name, |file| pcapng::Capture::new(BufWriter::new(file), setup, node));
        }
        let ns2 =
            config.ns2.and_then(|ns2| files.open(NS2, |file| Ok(ns2::Writer::new(BufWriter::new(file), setup, ns2))));
        let series = config.series.as_ref().and_then(|series| {
            // The file has a buffer of its own.
            files.open(SERIES, |file| Series::new(Some((file, series)), setup, config.picture))
        });
        let series = series.or_else(|| config.picture.then(|| Series::for_figures(setup)));
        let lineage =
            config.lineage.as_ref().and_then(|lineage| files.open(EVENTS, |file| Lineage::new(file, lineage, setup)));
        let positions = config
            .positions
            .as_ref()
            .and_then(|about| files.open(POSITIONS, |file| Positions::new(file, about, setup)));
        let frames = config.frames.as_ref().and_then(|about| files.open_frames(about, setup));
        let hops = config.hops.then(|| Hops::new(setup));
        let medium_use = config.medium_use.then(|| MediumUse::new(setup));
        let flow_time = config.flow_time.then(|| FlowTime::new(setup));
        let reports = hops.is_some() || medium_use.is_some() || flow_time.is_some();
        let follow = [ns2.is_some(), reports, captures.iter().any(Option::is_some)];
        let others_follow = follow.contains(&true) || series.as_ref().is_some_and(Series::follows_packets);
        let asks_for_layers = series.is_some() || others_follow;
        Self {
            follows_packets: lineage.is_some() || frames.is_some() || others_follow,
            has_others: frames.is_some() || positions.is_some() || asks_for_layers,
            asks_for_layers,
            folder: folder.to_owned(),
            captures,
            ns2,
            series,
            lineage,
            frames,
            positions,
            hops,
            medium_use,
            flow_time,
            unwritten: files.unwritten,
        }
    }

    /// Writes out what is still held back; removes the files of which not all could be written.
    #[must_use]
    pub fn finish(self) -> Recorded {
        let mut files = Files { folder: &self.folder, unwritten: self.unwritten };
        for (node, capture) in self.captures.into_iter().enumerate() {
            if let Some(capture) = capture {
                files.end(&capture_name(NodeId(node as u32)), capture.finish());
            }
        }
        if let Some(ns2) = self.ns2 {
            files.end(NS2, ns2.finish());
        }
        if let Some(lineage) = self.lineage {
            files.end(EVENTS, lineage.finish());
        }
        if let Some(frames) = self.frames {
            let [frames, lanes] = frames.finish();
            files.end(FRAMES, frames);
            files.end(LANES, lanes);
        }
        if let Some(positions) = self.positions {
            files.end(POSITIONS, positions.finish());
        }
        let picture = self.series.and_then(|series| {
            let (written, picture) = series.finish();
            files.end(SERIES, written);
            picture
        });
        let (hops, medium_use) = (self.hops.map(Hops::finish), self.medium_use.map(MediumUse::finish));
        let flow_time = self.flow_time.map(FlowTime::finish);
        Recorded { picture, hops, medium_use, flow_time, unwritten: files.unwritten }
    }
}

/// The files of a folder, and those that are missing.
struct Files<'a> {
    folder: &'a Path,
    unwritten: Vec<Unwritten>,
}

impl Files<'_> {
    /// What writes into a new file.
    fn open<W>(&mut self, name: &str, make: impl FnOnce(File) -> io::Result<W>) -> Option<W> {
        let made = File::create(self.folder.join(name)).and_then(make);
        made.map_err(|error| self.without(name, error)).ok()
    }

    /// The files of frames and of what stations waited for: neither is there without the other at first.
    fn open_frames(&mut self, about: &[(&'static str, String)], setup: &Setup) -> Option<Frames<File>> {
        let missing = |name: &str| io::Error::other(format!("{name} cannot be written"));
        let Some(lanes) = self.open(LANES, Ok) else {
            self.without(FRAMES, missing(LANES));
            return None;
        };
        let frames = self.open(FRAMES, |file| Frames::new(file, lanes, about, setup));
        if frames.is_none() {
            self.without(LANES, missing(FRAMES));
        }
        frames
    }

    fn end<T>(&mut self, name: &str, written: io::Result<T>) {
        if let Err(error) = written {
            self.without(name, error);
        }
    }

    fn without(&mut self, name: &str, error: io::Error) {
        // It may never have been there.
        let _ = fs::remove_file(self.folder.join(name));
        self.unwritten.push(Unwritten { name: name.to_owned(), error });
    }
}

impl Recorder {
    /// Tells all but lineage, which is often the only one.
    #[inline(never)]
    fn tell_others(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if let Some(series) = &mut self.series {
            series.event(at, node, event);
        }
        if let Some(positions) = &mut self.positions {
            positions.event(at, node, event);
        }
        if !self.follows_packets {
            return;
        }
        if let Some(capture) = &mut self.captures[node.index()] {
            capture.event(at, event);
        }
        if let Some(ns2) = &mut self.ns2 {
            ns2.event(at, node, event);
        }
        if let Some(frames) = &mut self.frames {
            frames.event(at, node, event);
        }
        if let Some(hops) = &mut self.hops {
            hops.event(at, node, event);
        }
        if let Some(medium_use) = &mut self.medium_use {
            medium_use.event(at, node, event);
        }
        if let Some(flow_time) = &mut self.flow_time {
            flow_time.event(at, node, event);
        }
    }
}

impl Recorder {
    /// The same for a run that keeps it: what it leaves comes through a channel when the run lets go of it.
    #[must_use]
    pub fn handed_over(self) -> (HandedOver, Receiver<Recorded>) {
        let (sender, receiver) = channel();
        (HandedOver { recorder: Some(self), sender }, receiver)
    }
}

/// A recorder that finishes by itself: see [`Recorder::handed_over`].
#[derive(Debug)]
pub struct HandedOver {
    /// There until it is dropped.
    recorder: Option<Recorder>,
    sender: Sender<Recorded>,
}

impl Drop for HandedOver {
    fn drop(&mut self) {
        let recorded = self.recorder.take().map(Recorder::finish).unwrap_or_default();
        let _ = self.sender.send(recorded); // nobody waits for what a run leaves that was broken off
    }
}

impl Trace for HandedOver {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(at, node, event);
        }
    }

    fn hears(&self, node: NodeId) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.hears(node))
    }

    fn follows_packets(&self) -> bool {
        self.recorder.as_ref().is_some_and(Trace::follows_packets)
    }

    fn asks_for_layers(&self) -> bool {
        self.recorder.as_ref().is_some_and(Trace::asks_for_layers)
    }

    fn asks_how_busy(&self) -> bool {
        self.recorder.as_ref().is_some_and(Trace::asks_how_busy)
    }

    fn asks_for_waits(&self) -> bool {
        self.recorder.as_ref().is_some_and(Trace::asks_for_waits)
    }
}

impl Trace for Recorder {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if let Some(lineage) = &mut self.lineage {
            lineage.event(at, node, event);
        }
        if self.has_others {
            self.tell_others(at, node, event);
        }
    }

    fn hears(&self, node: NodeId) -> bool {
        self.captures[node.index()].is_some() || self.ns2.as_ref().is_some_and(|ns2| ns2.hears(node))
    }

    fn follows_packets(&self) -> bool {
        self.follows_packets
    }

    fn asks_for_layers(&self) -> bool {
        self.asks_for_layers
    }

    fn asks_how_busy(&self) -> bool {
        self.hops.is_some()
    }

    fn asks_for_waits(&self) -> bool {
        self.frames.is_some()
    }
}

fn capture_name(node: NodeId) -> String {
    format!("node-{node}.pcapng")
}
