//! `lanes.parquet`: what each station waited for, a row for each stretch of time.
//!
//! Nodes take account of what they hear late, and of some very late: rows are in order within a row group, of one kind and
//! one node after the other, not over the whole file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use hopwright_machine::{NodeId, Time};
use hopwright_sim::{Miss, Setup};

use super::{GROUP, LEVEL};
use crate::rows::{Cell, Column, Has, RowFile, Shape, Table};

/// The version of this file's format, which it says of itself.
pub(super) const FORMAT: &str = "hopwright.lanes 1";

const LANES: Table = Table { name: "lanes", group: GROUP, level: LEVEL, ranges: &["from_ns", "frame", "by"] };

const COLUMNS: [Column; 12] = [
    ("kind", "decodes, senses, reserved, backoff, queue or missed", Shape::Word, Has::Always),
    ("node", "the node", Shape::Small, Has::Always),
    ("peer", "the node whose frames it decodes or senses", Shape::Small, Has::Sometimes),
    ("from_ns", "ns since the start of the run", Shape::Growing, Has::Always),
    ("lasts_ns", "ns", Shape::Few, Has::Always),
    ("slots", "of a back-off: slots to wait at from_ns", Shape::Small, Has::Sometimes),
    ("left", "of a back-off: slots that remained at its end; 0: it ended by itself", Shape::Small, Has::Sometimes),
    ("packets", "packets that waited in the interface queue", Shape::Small, Has::Sometimes),
    ("frame", "the frame for all nodes that was missed", Shape::Growing, Has::Sometimes),
    ("cause", "why the frame was missed", Shape::Word, Has::Sometimes),
    ("by", "number of the frame that was in the way", Shape::Growing, Has::Sometimes),
    ("relation", "why the sender did not wait for that frame", Shape::Word, Has::Sometimes),
];

/// A frame for everyone that a node missed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missed {
    pub(super) frame: u64,
    pub(super) why: Miss,
}

/// What a stretch is of, in the order of the file.
#[derive(Clone, Copy, Debug)]
enum What {
    Hears { whom: NodeId, decodes: bool },
    Reserved,
    Backoff { slots: u32, left: u32 },
    Queue(usize),
    Missed(Missed),
}

impl What {
    const fn place(&self) -> u8 {
        match self {
            Self::Hears { decodes: true, .. } => 0,
            Self::Hears { decodes: false, .. } => 1,
            Self::Reserved => 2,
            Self::Backoff { .. } => 3,
            Self::Queue(_) => 4,
            Self::Missed(_) => 5,
        }
    }

    const fn word(&self) -> &'static str {
        ["decodes", "senses", "reserved", "backoff", "queue", "missed"][self.place() as usize]
    }
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    what: What,
    node: NodeId,
    from: Time,
    until: Time,
}

/// What goes on at a node.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// What is reserved, which may become longer.
    reserved: Option<(Time, Time)>,
    /// Since when so many packets wait.
    queue: (Time, usize),
}

#[derive(Debug)]
pub(super) struct Lanes<W: Write + Send> {
    file: RowFile<W>,
    lanes: Vec<Lane>,
    /// By node and whom it hears: since when, and whether strongly enough.
    hearing: BTreeMap<(NodeId, NodeId), (Time, bool)>,
    waiting: Vec<Stretch>,
    end: Time,
}

impl<W: Write + Send> Lanes<W> {
    pub(super) fn new(out: W, about: &[(&'static str, String)], setup: &Setup) -> io::Result<Self> {
        let file = RowFile::new(out, LANES, COLUMNS, about)?;
        let (lanes, hearing) = (vec![Lane::default(); setup.nodes.len()], BTreeMap::new());
        Ok(Self { file, lanes, hearing, waiting: Vec::new(), end: setup.end })
    }

    /// From now on a node hears another one in another way.
    pub(super) fn hears(&mut self, at: Time, node: NodeId, whom: NodeId, decodes: Option<bool>) {
        let before = match decodes {
            Some(decodes) => self.hearing.insert((node, whom), (at, decodes)),
            None => self.hearing.remove(&(node, whom)),
        };
        if let Some((from, decodes)) = before {
            self.push(Stretch { what: What::Hears { whom, decodes }, node, from, until: at });
        }
    }

    /// A station takes the medium for reserved. What overlaps, or follows at once, is one stretch.
    pub(super) fn reserved(&mut self, node: NodeId, from: Time, until: Time) {
        let open = &mut self.lanes[node.index()].reserved;
        if let Some((_, end)) = open.as_mut().filter(|(_, end)| from <= *end) {
            *end = until.max(*end);
            return;
        }
        if let Some((from, until)) = open.replace((from, until)) {
            self.push(Stretch { what: What::Reserved, node, from, until });
        }
    }

    pub(super) fn counted_down(&mut self, node: NodeId, (from, until): (Time, Time), slots: u32, left: u32) {
        self.push(Stretch { what: What::Backoff { slots, left }, node, from, until });
    }

    /// So many packets wait from now on.
    pub(super) fn queue(&mut self, at: Time, node: NodeId, packets: usize) {
        let (from, before) = std::mem::replace(&mut self.lanes[node.index()].queue, (at, packets));
        if before > 0 {
            self.push(Stretch { what: What::Queue(before), node, from, until: at });
        }
    }

    pub(super) fn missed(&mut self, node: NodeId, (from, until): (Time, Time), missed: Missed) {
        self.push(Stretch { what: What::Missed(missed), node, from, until });
    }

    /// A node goes down, and forgets what it heard.
    pub(super) fn goes_down(&mut self, at: Time, node: NodeId) {
        if let Some((from, until)) = self.lanes[node.index()].reserved.take() {
            self.push(Stretch { what: What::Reserved, node, from, until: until.min(at) });
        }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        for node in (0..self.lanes.len() as u32).map(NodeId) {
            self.goes_down(self.end, node);
            self.queue(self.end, node, 0);
        }
        while let Some((&(node, whom), _)) = self.hearing.first_key_value() {
            self.hears(self.end, node, whom, None);
        }
        self.write();
        self.file.finish()
    }

    fn push(&mut self, stretch: Stretch) {
        if stretch.from < stretch.until {
            self.waiting.push(stretch);
        }
        if self.waiting.len() >= GROUP {
            self.write();
        }
    }

    /// Writes what waits, as a row group.
    fn write(&mut self) {
        self.waiting.sort_by_key(|stretch| (stretch.what.place(), stretch.node, stretch.from));
        for stretch in self.waiting.drain(..) {
            let Stretch { what, node, from, until } = stretch;
            let (mut peer, mut backoff, mut packets, mut missed) = (None, None, None, None);
            match what {
                What::Hears { whom, .. } => peer = Some(whom.0),
                What::Reserved => {}
                What::Backoff { slots, left } => backoff = Some((slots, left)),
                What::Queue(waiting) => packets = Some(waiting as i64),
                What::Missed(frame) => missed = Some(frame),
            }
            let disturber = missed.and_then(|missed| missed.why.disturber());
            self.file.push([
                Cell::Word(what.word()),
                Cell::Whole(i64::from(node.0)),
                Cell::whole(peer),
                Cell::Whole(from.as_nanos() as i64),
                Cell::Whole(until.since(from).as_nanos() as i64),
                Cell::whole(backoff.map(|(slots, _)| slots)),
                Cell::whole(backoff.map(|(_, left)| left)),
                Cell::whole(packets),
                Cell::whole(missed.map(|missed| missed.frame as i64)),
                Cell::word(missed.map(|missed| missed.why.name())),
                Cell::whole(disturber.map(|by| by.number as i64)),
                Cell::word(disturber.map(|by| by.relation.name())),
            ]);
        }
    }
}
