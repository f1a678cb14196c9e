//! `positions.parquet`: where nodes are at any moment, exactly, and when they are down.
//!
//! Rows are stretches, not samples: from one time to the next a node goes straight on at one speed. So the file is small,
//! and says of every nanosecond what the simulator said.
//!
//! Spec      docs/frames.md
//! Holds     - of a node, a row `leg` ends where the next begins; the last one has no end
//!           - a row's place and velocity are those that the run computed with, bit for bit

use std::io::{self, Write};

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Leg, Trajectory};
use hopwright_radio::Radio;
use hopwright_sim::{Event, Setup};

use crate::frames::{GROUP, LEVEL};
use crate::rows::{Cell, Column, Has, RowFile, Shape, Table};

/// The version of this file's format, which it says of itself.
const FORMAT: &str = "hopwright.positions 1";

const POSITIONS: Table = Table { name: "positions", group: GROUP, level: LEVEL, ranges: &["from_ns", "until_ns"] };

const COLUMNS: [Column; 8] = [
    ("kind", "'leg': the node moves in a straight line; 'down': the node is down", Shape::Word, Has::Always),
    ("node", "which", Shape::Small, Has::Always),
    ("from_ns", "ns since the start of the run", Shape::Growing, Has::Always),
    ("until_ns", "ns; null: until the end of the run", Shape::Growing, Has::Sometimes),
    ("x_m", "m; where a leg starts", Shape::Real, Has::Sometimes),
    ("y_m", "m", Shape::Real, Has::Sometimes),
    ("vx_mps", "m/s; of a leg", Shape::Real, Has::Sometimes),
    ("vy_mps", "m/s", Shape::Real, Has::Sometimes),
];

/// Takes the events of a run and writes where nodes were.
#[derive(Debug)]
pub struct Positions<W: Write + Send> {
    file: RowFile<W>,
    end: Time,
    /// The way of each node from some time on; what was before is written.
    ways: Vec<(Time, Trajectory)>,
    /// Since when a node is down, if it is.
    down: Vec<Option<Time>>,
}

impl<W: Write + Send> Positions<W> {
    /// The positions of a run of `setup`. `about`: what the file says about itself, by key.
    ///
    /// # Errors
    /// If the head of the file cannot be written.
    pub fn new(out: W, about: &[(&'static str, String)], setup: &Setup) -> io::Result<Self> {
        let radio = Radio::new(&setup.radio);
        let ranges = [
            ("format", FORMAT.to_owned()),
            ("nodes", setup.nodes.len().to_string()),
            ("end_ns", setup.end.as_nanos().to_string()),
            ("reception_range_m", radio.reception_range_m().to_string()),
            ("carrier_sense_range_m", radio.carrier_sense_range_m().to_string()),
        ];
        let about: Vec<_> = ranges.into_iter().chain(about.iter().cloned()).collect();
        Ok(Self {
            file: RowFile::new(out, POSITIONS, COLUMNS, &about)?,
            end: setup.end,
            ways: setup.nodes.iter().map(|way| (Time::ZERO, way.clone())).collect(),
            down: vec![None; setup.nodes.len()],
        })
    }

    /// Something has happened at a node.
    pub fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Moved(path) => {
                self.went(node, Some(at));
                self.ways[node.index()] = (at, path.clone());
            }
            Event::Switched { up: false } => self.down[node.index()] = Some(at),
            Event::Switched { up: true } => self.comes_up(node, Some(at)),
            _ => {}
        }
    }

    /// Ends the file: the first error there was, if any.
    ///
    /// # Errors
    /// That one.
    pub fn finish(mut self) -> io::Result<()> {
        for node in (0..self.ways.len() as u32).map(NodeId) {
            self.went(node, None);
            self.comes_up(node, None);
        }
        self.file.finish()
    }

    /// Writes the legs of a node's way, up to where it leaves that.
    fn went(&mut self, node: NodeId, until: Option<Time>) {
        let (since, way) = &self.ways[node.index()];
        let (since, end) = (*since, until.unwrap_or(self.end));
        for leg in way.legs(end).into_iter().filter(|leg| leg.until > since) {
            let last = leg.until >= end;
            let leaves = if last { until } else { Some(leg.until) };
            if leaves.is_some_and(|leaves| leaves <= since) {
                continue; // it was moved twice at one time
            }
            let Leg { start, from, velocity, .. } = leg;
            self.file.push([
                Cell::Word("leg"),
                Cell::Whole(i64::from(node.0)),
                Cell::Whole(start.as_nanos() as i64),
                Cell::whole(leaves.map(|leaves| leaves.as_nanos() as i64)),
                Cell::Real(from.x_m),
                Cell::Real(from.y_m),
                Cell::Real(velocity.x_mps),
                Cell::Real(velocity.y_mps),
            ]);
        }
    }

    fn comes_up(&mut self, node: NodeId, until: Option<Time>) {
        let Some(from) = self.down[node.index()].take() else { return };
        self.file.push([
            Cell::Word("down"),
            Cell::Whole(i64::from(node.0)),
            Cell::Whole(from.as_nanos() as i64),
            Cell::whole(until.map(|until| until.as_nanos() as i64)),
            Cell::None,
            Cell::None,
            Cell::None,
            Cell::None,
        ]);
    }
}
