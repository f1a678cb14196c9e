//! Frames on the air and what stations waited for: `frames.parquet` and `lanes.parquet`, from which a run can be drawn at any
//! moment.
//!
//! Spec      docs/frames.md; words are those of docs/lineage.md
//! Holds     - frames stand in the order in which they left: a frame's number is its row
//!           - a frame that was for one other has one fate, as the run's books have it
//!           - memory grows with what is on the air, not with the run

mod lanes;
mod tries;

use std::collections::VecDeque;
use std::io::{self, Write};

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{Duration, FlowTag, NodeId, Time};
use hopwright_sim::{Event, Miss, Setup};
use hopwright_wire::Packet;

use crate::dot11;
use crate::lineage::word;
use crate::rows::{Cell, Column, Has, RowFile, Shape, Table};
use lanes::{Lanes, Missed};
use tries::{About, Tries};

/// The version of this file's format, which it says of itself.
const FORMAT: &str = "hopwright.frames 1";

/// Rows of such files that wait to be written together.
pub(crate) const GROUP: usize = 1 << 16;

/// How hard such files are compressed: they are carried about.
pub(crate) const LEVEL: i32 = 9;

const FRAMES: Table = Table { name: "frames", group: GROUP, level: LEVEL, ranges: &["frame", "from_ns", "by"] };

const COLUMNS: [Column; 16] = [
    (
        "frame",
        "number of the frame: frames are counted from 0 in the order in which they leave",
        Shape::Growing,
        Has::Always,
    ),
    ("from_ns", "ns since the start of the run; when the first bit left", Shape::Growing, Has::Always),
    ("lasts_ns", "ns; time on the air", Shape::Few, Has::Always),
    ("node", "the node that sent the frame", Shape::Small, Has::Always),
    ("to", "the addressee; null: all nodes", Shape::Small, Has::Sometimes),
    ("kind", "rts, cts, data, ack", Shape::Word, Has::Always),
    ("bytes", "bytes; the whole frame by the standard, check sequence included", Shape::Small, Has::Always),
    ("rate_bps", "bit/s", Shape::Few, Has::Always),
    ("carries", "the kind of the packet that the frame carries, or that its try is about", Shape::Word, Has::Sometimes),
    ("packet", "name of that packet", Shape::Few, Has::Sometimes),
    ("flow", "the flow of that packet", Shape::Small, Has::Sometimes),
    ("tries", "number of the station's try to hand the packet over", Shape::Small, Has::Sometimes),
    (
        "result",
        "of a frame for one node: received, or why not; null: the frame was on the air at the end",
        Shape::Word,
        Has::Sometimes,
    ),
    ("unanswered", "why a received frame was not answered; null: it was answered", Shape::Word, Has::Sometimes),
    ("by", "number of the frame that was in the way", Shape::Growing, Has::Sometimes),
    ("relation", "why the sender did not wait for that frame", Shape::Word, Has::Sometimes),
];

/// A frame whose fate may still become known.
#[derive(Clone, Copy, Debug)]
struct Launched {
    at: Time,
    lasts: Duration,
    node: NodeId,
    to: Option<NodeId>,
    kind: FrameKind,
    bytes: u32,
    about: Option<About>,
    missed: Option<Miss>,
    unanswered: Option<hopwright_sim::Silence>,
}

/// Takes the events of a run and writes the frames of it.
#[derive(Debug)]
pub struct Frames<W: Write + Send> {
    file: RowFile<W>,
    /// The number of the first of `launched`.
    first: u64,
    launched: VecDeque<Launched>,
    tries: Tries,
    lanes: Lanes<W>,
    end: Time,
    decided_after: Duration,
    rates_bps: [u64; 2],
}

impl<W: Write + Send> Frames<W> {
    /// The frames of a run of `setup`: into a file of frames, and one of what stations waited for. `about`: what the files
    /// say about themselves, by key.
    ///
    /// # Errors
    /// If the head of a file cannot be written.
    pub fn new(frames: W, lanes: W, about: &[(&'static str, String)], setup: &Setup) -> io::Result<Self> {
        let said = |format: &str| -> Vec<_> {
            let own = [("format", format.to_owned()), ("end_ns", setup.end.as_nanos().to_string())];
            own.into_iter().chain(about.iter().cloned()).collect()
        };
        Ok(Self {
            file: RowFile::new(frames, FRAMES, COLUMNS, &said(FORMAT))?,
            first: 0,
            launched: VecDeque::new(),
            tries: Tries::new(setup.nodes.len(), setup.flows.len()),
            lanes: Lanes::new(lanes, &said(lanes::FORMAT), setup)?,
            end: setup.end,
            decided_after: crate::decided_after(setup),
            rates_bps: [setup.mac.basic_rate_bps, setup.mac.data_rate_bps],
        })
    }

    /// Something has happened at a node.
    pub fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        match event {
            Event::Transmitted(frame) => self.transmitted(at, frame),
            Event::Attempt { packet, .. } => self.tries.begins(node, packet),
            Event::Sent(_) | Event::GaveUp { .. } => self.tries.ends(node),
            Event::Missed { frame, why } => self.missed(node, frame, why),
            Event::Unanswered { frame, why } => {
                if let Some(launched) = self.get(frame) {
                    launched.unanswered = Some(why);
                }
            }
            Event::Hears { whom, decodes } => self.lanes.hears(at, node, whom, decodes),
            Event::Reserved { from, until } => self.lanes.reserved(node, from, until),
            Event::CountedDown { from, until, slots, left } => {
                self.lanes.counted_down(node, (from, until), slots, left);
            }
            Event::QueueLength(packets) => self.lanes.queue(at, node, packets),
            Event::Switched { up: false } => {
                self.tries.ends(node);
                self.lanes.goes_down(at, node);
            }
            _ => {}
        }
    }

    /// Ends the files: the first error of each.
    pub fn finish(mut self) -> [io::Result<()>; 2] {
        // What nobody could have found out by the end is open.
        while let Some(launched) = self.launched.pop_front() {
            let is_over = launched.at + launched.lasts + self.decided_after <= self.end;
            self.write(&launched, is_over);
        }
        [self.file.finish(), self.lanes.finish()]
    }

    fn transmitted(&mut self, at: Time, frame: &Frame<Packet>) {
        while let Some(&first) = self.launched.front()
            && first.at + first.lasts + self.decided_after < at
        {
            self.launched.pop_front();
            self.write(&first, true);
        }
        let about = match &frame.payload {
            // Of a frame that ended another's try, as where a station went down, what it carries is known still.
            Some(packet) => {
                Some(self.tries.about(frame.tries(), Some(packet)).unwrap_or_else(|| self.tries.read(packet)))
            }
            None => self.tries.about(frame.tries(), None),
        };
        self.launched.push_back(Launched {
            at,
            lasts: frame.air_time,
            node: frame.from,
            to: frame.to,
            kind: frame.kind,
            bytes: dot11::length(frame),
            about,
            missed: None,
            unanswered: None,
        });
    }

    fn get(&mut self, number: u64) -> Option<&mut Launched> {
        self.launched.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn missed(&mut self, node: NodeId, number: u64, why: Miss) {
        let Some(launched) = self.get(number) else { return };
        if launched.to.is_some() {
            launched.missed.get_or_insert(why);
            return;
        }
        let (from, until) = (launched.at, launched.at + launched.lasts);
        self.lanes.missed(node, (from, until), Missed { frame: number, why });
    }

    /// Writes a frame; `is_over`: nothing further will become known of it.
    fn write(&mut self, launched: &Launched, is_over: bool) {
        let Launched { at, lasts, node, to, kind, bytes, about, missed, unanswered } = *launched;
        let number = self.first;
        self.first += 1;
        let is_fast = kind == FrameKind::Data && to.is_some();
        let result = match missed {
            Some(why) => Some(why.name()),
            None => (to.is_some() && is_over).then_some("received"),
        };
        let disturber = missed.and_then(Miss::disturber).or(unanswered.and_then(hopwright_sim::Silence::disturber));
        self.file.push([
            Cell::Whole(number as i64),
            Cell::Whole(at.as_nanos() as i64),
            Cell::Whole(lasts.as_nanos() as i64),
            Cell::Whole(i64::from(node.0)),
            Cell::whole(to.map(|to| to.0)),
            Cell::Word(word(kind)),
            Cell::Whole(i64::from(bytes)),
            Cell::Whole(self.rates_bps[usize::from(is_fast)] as i64),
            Cell::word(about.map(|about| about.carries)),
            Cell::whole(about.map(|about| about.packet.0 as i64)),
            Cell::whole(about.and_then(|about| about.flow).map(|flow| flow as i64)),
            Cell::whole(about.and_then(|about| about.tries)),
            Cell::word(result),
            Cell::word(unanswered.map(|why| why.name())),
            Cell::whole(disturber.map(|by| by.number as i64)),
            Cell::word(disturber.map(|by| by.relation.name())),
        ]);
    }
}

/// The flow of a packet, of `flows`: a connection that a relay has of its own is none.
fn flow_of(packet: &Packet, flows: usize) -> Option<usize> {
    packet.flow.map(FlowTag::flow).filter(|&flow| flow < flows)
}
