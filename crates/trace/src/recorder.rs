//! What is recorded, and the files it goes to.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Event, Setup, Trace};

use crate::{ns2, pcapng};

/// What is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Nodes with a monitor interface; each gets a file `node-<n>.pcapng`.
    pub pcap: Vec<NodeId>,
    /// What goes to `trace.tr`, if anything.
    pub ns2: Option<ns2::Config>,
}

/// Writes the files that a configuration asks for.
///
/// The first error ends the writing of that file and is kept for `finish`.
#[derive(Debug)]
pub struct Recorder {
    /// The capture of each node that has one.
    captures: Vec<Option<pcapng::Capture<BufWriter<File>>>>,
    ns2: Option<ns2::Writer<BufWriter<File>>>,
}

impl Recorder {
    /// Opens the files in `folder`, which must exist.
    ///
    /// # Errors
    /// If one cannot be created, or a captured node does not exist.
    pub fn new(config: &Config, setup: &Setup, folder: &Path) -> io::Result<Self> {
        let create = |name: &str| Ok::<_, io::Error>(BufWriter::new(File::create(folder.join(name))?));
        let mut captures: Vec<_> = setup.nodes.iter().map(|_| None).collect();
        for &node in &config.pcap {
            let Some(place) = captures.get_mut(node.index()) else {
                let count = setup.nodes.len();
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("node {node} is to be captured, but there are {count}"),
                ));
            };
            *place = Some(pcapng::Capture::new(create(&format!("node-{node}.pcapng"))?, setup, node)?);
        }
        let ns2 = match config.ns2 {
            Some(ns2) => Some(ns2::Writer::new(create("trace.tr")?, setup, ns2)),
            None => None,
        };
        Ok(Self { captures, ns2 })
    }

    /// Writes out what is still held back.
    ///
    /// # Errors
    /// The first error of any file.
    pub fn finish(self) -> io::Result<()> {
        let captures = self.captures.into_iter().flatten().map(|capture| capture.finish().map(drop));
        let ns2 = self.ns2.map(|writer| writer.finish().map(drop));
        captures.chain(ns2).fold(Ok(()), Result::and)
    }
}

impl Trace for Recorder {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if let Some(capture) = &mut self.captures[node.index()] {
            capture.event(at, event);
        }
        if let Some(ns2) = &mut self.ns2 {
            ns2.event(at, node, event);
        }
    }

    fn hears(&self, node: NodeId) -> bool {
        self.captures[node.index()].is_some() || self.ns2.as_ref().is_some_and(|ns2| ns2.hears(node))
    }
}
