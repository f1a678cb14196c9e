//! How the medium was used: frames on the air at once, stations that contend, and what goes the other way.
//!
//! A data frame counts if it is for one other and that one receives it, whatever it carries. Whether it does is known when
//! the frame is over and its addressee would have answered; so frames are looked at that long after they left.
//!
//! Re-use is there in two readings: what there was, and what would have been possible on the links that had work.
//!
//! Spec      Velayutham 2005 §5.4 (reverse traffic), §5.5 (MAC flows, utilisation), §7.3.2 (spatial re-use index)
//! Deviates  decided here: a MAC flow is a node, a next hop and a flow; a link with work is a node and a next hop of one;
//!           what excludes what: see `possible`; of bundles, all messages about them are reverse traffic
//! Holds     only the measured time counts; the mean of frames at once is the sum of their air times over it

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{DropCause, Duration, FlowTag, NodeId, PacketId, Time};
use hopwright_sim::{Event, IndependentSet, Layer, MediumUseReport, Setup, SpatialReuse};
use hopwright_wire::nctp::Kind;
use hopwright_wire::{Packet, Payload};

use crate::possible::Possible;

/// How far samples of MAC flows and of links are apart.
const SAMPLE: Duration = Duration::from_millis(10);

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Of the medium.
    pub medium: MediumUseReport,
    /// Of each flow: bits per second of acknowledgements, or of messages about bundles, that came to whom they were for.
    pub reverse_bps: Vec<f64>,
}

impl Report {
    /// Puts it into the report of its run.
    pub fn write_into(&self, report: &mut hopwright_sim::Report) {
        report.medium_use = Some(self.medium);
        for (flow, &bps) in report.flows.iter_mut().zip(&self.reverse_bps) {
            flow.reverse_bps = Some(bps);
        }
    }
}

/// A data frame whose fate is not known yet.
#[derive(Clone, Copy, Debug)]
struct Undecided {
    number: u64,
    from: Time,
    until: Time,
    is_lost: bool,
}

/// A node, a next hop and a flow.
type MacFlow = (NodeId, NodeId, usize);

/// Makes the report from the events of a run.
#[derive(Debug)]
pub struct MediumUse {
    begin: Time,
    end: Time,
    /// When a frame's fate is known, after its end.
    decided_after: Duration,
    frames: u64,
    undecided: VecDeque<Undecided>,
    air: Air,
    /// Packets of flows at a station, by its node, and their next hops; of copies of one packet, how many.
    held: BTreeMap<(NodeId, PacketId, NodeId), (usize, u32)>,
    /// MAC flows, and the packets of each.
    contending: BTreeMap<MacFlow, u32>,
    next_sample: Time,
    samples: u64,
    sampled: u64,
    possible: Possible,
    /// Links that could have been used at once: the sum over samples, and the most.
    could: u64,
    could_most: u32,
    /// Samples of which that is known to be the most.
    surely: u64,
    /// Of each flow: from when on it is measured, and the bytes that have come back.
    reverse: Vec<(Time, u64)>,
}

/// Frames that are received, in the order in which they left.
#[derive(Debug)]
struct Air {
    begin: Time,
    end: Time,
    /// When those on the air at `swept` end.
    ends: BinaryHeap<Reverse<Time>>,
    swept: Time,
    /// In the measured time up to `swept`: for how long there was one, the sum of their times, and the most at once.
    busy: Duration,
    total: Duration,
    most: u32,
}

impl Air {
    fn frame(&mut self, from: Time, until: Time) {
        self.sweep(from);
        self.ends.push(Reverse(until));
    }

    /// Goes on to `to`.
    fn sweep(&mut self, to: Time) {
        while let Some(&Reverse(until)) = self.ends.peek().filter(|Reverse(until)| *until <= to) {
            self.pass(until);
            self.ends.pop();
        }
        self.pass(to);
    }

    /// Goes on to `to`, up to which the frames stay the same.
    fn pass(&mut self, to: Time) {
        let at_once = self.ends.len() as u32;
        let time = to.min(self.end).since(self.swept.max(self.begin));
        if at_once > 0 && time > Duration::ZERO {
            self.busy += time;
            self.total += time * u64::from(at_once);
            self.most = self.most.max(at_once);
        }
        self.swept = self.swept.max(to);
    }
}

impl MediumUse {
    /// Of a run of `setup`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let (begin, end) = (setup.warm_up, setup.end);
        let air = Air {
            begin,
            end,
            ends: BinaryHeap::new(),
            swept: Time::ZERO,
            busy: Duration::ZERO,
            total: Duration::ZERO,
            most: 0,
        };
        Self {
            begin,
            end,
            decided_after: crate::decided_after(setup),
            frames: 0,
            undecided: VecDeque::new(),
            air,
            held: BTreeMap::new(),
            contending: BTreeMap::new(),
            next_sample: begin + SAMPLE,
            samples: 0,
            sampled: 0,
            possible: Possible::new(setup),
            could: 0,
            could_most: 0,
            surely: 0,
            reverse: setup.flows.iter().map(|flow| (flow.start.max(begin), 0)).collect(),
        }
    }

    /// Something has happened at a node.
    pub fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if self.next_sample < at {
            self.sample(at);
        }
        match event {
            Event::Transmitted(frame) => self.transmitted(at, frame),
            Event::Missed { frame, .. } => {
                let place = self.undecided.binary_search_by_key(&frame, |undecided| undecided.number);
                if let Ok(place) = place {
                    self.undecided[place].is_lost = true;
                }
            }
            Event::Enqueued { packet, next_hop: Some(next_hop), .. } => self.comes(node, packet, next_hop),
            Event::Sent(packet) | Event::GaveUp { packet, .. } | Event::TakenBack(packet) => self.goes(node, packet.id),
            // A packet that its sender's station still has is none of this one's.
            Event::Dropped { cause: DropCause::MistakenRepeat, .. } => {}
            Event::Dropped { packet, layer: Layer::Queue | Layer::Mac, .. } => self.goes(node, packet.id),
            Event::Delivered(packet) => self.delivered(at, packet),
            _ => {}
        }
    }

    /// The report, once the run is over.
    #[must_use]
    pub fn finish(mut self) -> Report {
        self.sample(self.end + Duration::from_nanos(1));
        while let Some(frame) = self.undecided.pop_front() {
            // What is on the air at the end has not been received.
            if !frame.is_lost && frame.until <= self.end {
                self.air.frame(frame.from, frame.until);
            }
        }
        self.air.sweep(self.end);
        let span_s = self.end.since(self.begin).as_secs_f64();
        let share = |time: Duration| if span_s > 0.0 { time.as_secs_f64() / span_s } else { 0.0 };
        let sampled = |sum: u64| if self.samples > 0 { sum as f64 / self.samples as f64 } else { 0.0 };
        let medium = MediumUseReport {
            mac_utilisation: share(self.air.busy),
            spatial_reuse: SpatialReuse { mean: share(self.air.total), max: self.air.most },
            independent_set: IndependentSet {
                mean: sampled(self.could),
                max: self.could_most,
                exact: if self.samples > 0 { sampled(self.surely) } else { 1.0 },
            },
            contending_mac_flows: sampled(self.sampled),
        };
        let bps = |&(begin, bytes): &(Time, u64)| {
            let measured = self.end.since(begin).max(Duration::from_nanos(1));
            bytes as f64 * 8.0 / measured.as_secs_f64()
        };
        Report { medium, reverse_bps: self.reverse.iter().map(bps).collect() }
    }

    fn transmitted(&mut self, at: Time, frame: &Frame<Packet>) {
        let number = self.frames;
        self.frames += 1;
        if frame.kind != FrameKind::Data || frame.to.is_none() {
            return;
        }
        while let Some(first) = self.undecided.front().copied().filter(|first| first.until + self.decided_after < at) {
            self.undecided.pop_front();
            if !first.is_lost {
                self.air.frame(first.from, first.until);
            }
        }
        self.undecided.push_back(Undecided { number, from: at, until: at + frame.air_time, is_lost: false });
    }

    /// Takes all samples that are due before `at`.
    fn sample(&mut self, at: Time) {
        while self.next_sample < at {
            self.samples += 1;
            self.sampled += self.contending.len() as u64;
            let could = self.possible.at_once(self.next_sample, links(&self.contending));
            self.could += u64::from(could.count);
            self.could_most = self.could_most.max(could.count);
            self.surely += u64::from(could.is_exact);
            self.next_sample += SAMPLE;
        }
    }

    fn comes(&mut self, node: NodeId, packet: &Packet, next_hop: NodeId) {
        let Some(flow) = packet.flow.map(FlowTag::flow) else { return };
        self.held.entry((node, packet.id, next_hop)).or_insert((flow, 0)).1 += 1;
        *self.contending.entry((node, next_hop, flow)).or_default() += 1;
    }

    /// A station has no longer what it had.
    fn goes(&mut self, node: NodeId, packet: PacketId) {
        let of_packet = (node, packet, NodeId(0))..=(node, packet, NodeId(u32::MAX));
        let Some((&key, &(flow, copies))) = self.held.range(of_packet).next() else { return };
        if copies > 1 {
            self.held.insert(key, (flow, copies - 1));
        } else {
            self.held.remove(&key);
        }
        let mac_flow = (node, key.2, flow);
        if let Some(packets) = self.contending.get_mut(&mac_flow) {
            *packets -= 1;
            if *packets == 0 {
                self.contending.remove(&mac_flow);
            }
        }
    }

    fn delivered(&mut self, at: Time, packet: &Packet) {
        let Some(flow) = packet.flow.filter(|tag| !tag.is_forward()).map(FlowTag::flow) else { return };
        let is_answer = match &packet.payload {
            Payload::Tcp(segment) => segment.is_pure_ack(),
            Payload::Nctp(about) => about.kind != Kind::Data,
            _ => false,
        };
        if let Some((_, bytes)) = self.reverse.get_mut(flow).filter(|(begin, _)| is_answer && at >= *begin) {
            *bytes += u64::from(packet.bytes());
        }
    }
}

/// Nodes and next hops of MAC flows, each once.
fn links(contending: &BTreeMap<MacFlow, u32>) -> impl Iterator<Item = (NodeId, NodeId)> + Clone {
    let mut last = None;
    let ends = contending.keys().map(|&(node, next_hop, _)| (node, next_hop));
    ends.filter(move |&link| last.replace(link) != Some(link))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_at_once_are_counted_in_the_measured_time() {
        let t = Time::from_nanos;
        let (ends, zero) = (BinaryHeap::new(), Duration::ZERO);
        let mut air = Air { begin: t(10), end: t(100), ends, swept: t(0), busy: zero, total: zero, most: 0 };
        // Three at once, but before; two at once; one after the other without a gap; and one that the end cuts off.
        for (from, until) in [(0, 5), (1, 5), (2, 15), (20, 40), (30, 50), (50, 60), (95, 120)] {
            air.frame(t(from), t(until));
        }
        air.sweep(t(100));
        assert_eq!((air.busy, air.total, air.most), (Duration::from_nanos(50), Duration::from_nanos(60), 2));
    }
}
