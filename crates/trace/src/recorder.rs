//! What is recorded, and the files it goes to.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, Setup, Trace};

use crate::hops::{self, Hops};
use crate::lineage::{self, Lineage};
use crate::series::{Picture, Series};
use crate::{ns2, pcapng, series};

/// The files of flows and queues over time, of ns-2's trace, and of lineage.
const EVENTS: &str = "events.parquet";
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
    /// Whether `Recorder::finish` returns what figures show.
    pub picture: bool,
    /// Whether it returns the per-hop report.
    pub hops: bool,
}

/// Writes the files that a configuration asks for.
///
/// The first error ends the writing of that file and is kept for `finish`.
#[derive(Debug)]
pub struct Recorder {
    /// The capture of each node that has one.
    captures: Vec<Option<pcapng::Capture<BufWriter<File>>>>,
    ns2: Option<ns2::Writer<BufWriter<File>>>,
    series: Option<Series<File>>,
    lineage: Option<Lineage<File>>,
    hops: Option<Hops>,
    follows_packets: bool,
    /// Whether anything but lineage is recorded.
    has_others: bool,
}

impl Recorder {
    /// Opens the files in `folder`, which must exist.
    ///
    /// # Errors
    /// If one cannot be created, or a captured node does not exist.
    pub fn new(config: &Config, setup: &Setup, folder: &Path) -> io::Result<Self> {
        let create = |name: &str| File::create(folder.join(name)).map_err(|error| named(name, error));
        let mut captures: Vec<_> = setup.nodes.iter().map(|_| None).collect();
        for &node in &config.pcap {
            let Some(place) = captures.get_mut(node.index()) else {
                let count = setup.nodes.len();
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("node {node} is to be captured, but there are {count}"),
                ));
            };
            let file = BufWriter::new(create(&capture_name(node))?);
            *place = Some(pcapng::Capture::new(file, setup, node).map_err(|error| named(&capture_name(node), error))?);
        }
        let ns2 = match config.ns2 {
            Some(ns2) => Some(ns2::Writer::new(BufWriter::new(create(NS2)?), setup, ns2)),
            None => None,
        };
        let file = match &config.series {
            Some(series) => Some((create(SERIES)?, series)), // it has a buffer of its own
            None => None,
        };
        let series = if file.is_some() || config.picture {
            Some(Series::new(file, setup, config.picture).map_err(|error| named(SERIES, error))?)
        } else {
            None
        };
        let lineage = match &config.lineage {
            Some(lineage) => {
                let lineage = Lineage::new(create(EVENTS)?, lineage, setup);
                Some(lineage.map_err(|error| named(EVENTS, error))?)
            }
            None => None,
        };
        let hops = config.hops.then(|| Hops::new(setup));
        let follows_packets = ns2.is_some() || lineage.is_some() || hops.is_some() || !config.pcap.is_empty();
        let has_others = series.is_some() || ns2.is_some() || hops.is_some() || !config.pcap.is_empty();
        Ok(Self { captures, ns2, series, lineage, hops, follows_packets, has_others })
    }

    /// Writes out what is still held back; returns what figures show, and the per-hop report, if they were asked for.
    ///
    /// # Errors
    /// The first error of any file, with the file's name.
    pub fn finish(self) -> io::Result<(Option<Picture>, Option<hops::Report>)> {
        for (node, capture) in self.captures.into_iter().enumerate() {
            if let Some(capture) = capture {
                capture.finish().map_err(|error| named(&capture_name(NodeId(node as u32)), error))?;
            }
        }
        if let Some(ns2) = self.ns2 {
            ns2.finish().map_err(|error| named(NS2, error))?;
        }
        if let Some(lineage) = self.lineage {
            lineage.finish().map_err(|error| named(EVENTS, error))?;
        }
        let picture = self.series.map_or(Ok(None), Series::finish).map_err(|error| named(SERIES, error))?;
        Ok((picture, self.hops.map(Hops::finish)))
    }
}

impl Recorder {
    /// Tells all but lineage, which is often the only one.
    #[inline(never)]
    fn tell_others(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if let Some(series) = &mut self.series {
            series.event(at, node, event);
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
        if let Some(hops) = &mut self.hops {
            hops.event(at, node, event);
        }
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
        self.has_others
    }

    fn asks_how_busy(&self) -> bool {
        self.hops.is_some()
    }
}

fn capture_name(node: NodeId) -> String {
    format!("node-{node}.pcapng")
}

/// An error that says which file it is about.
fn named(name: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}
