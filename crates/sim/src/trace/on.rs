//! All events go to a trace, and what receivers notice is told when it happens.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use hopwright_link::{Forecast, Frame, FrameKind};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_radio::{Ended, Receiver, RxEvent, Signal};
use hopwright_wire::{Packet, Payload};

use super::{Event, LostTo, Sink, Trace};
use crate::disturbance::Air;
use crate::medium::{Hearer, Medium, Role, Tag};
use crate::misses::{Miss, Silence};
use crate::setup::Setup;

/// All events go to a trace.
pub(crate) struct On<'a> {
    trace: Box<dyn Trace + 'a>,
    asks_for_layers: bool,
    asks_for_waits: bool,
    follows_hearing: bool,
    /// Who heard each node's last frame, and whether strongly enough to be decoded.
    hearing: Vec<Vec<(u32, bool)>>,
    slot: Duration,
    air: Air,
    /// Frames that nodes have missed, and that nobody was told of.
    missed: Vec<Missed>,
    /// Per node whose hearing is traced, a receiver that is not lazy; empty if there is none.
    ears: Vec<Option<Receiver<Heard>>>,
    /// When to look at an ear: a nanosecond after each arrival, and at each end.
    alarms: BinaryHeap<Reverse<(Time, u32)>>,
    frames: Frames,
    /// Memory for what ears tell, and which.
    told: Vec<(Time, u32, RxEvent<Heard>)>,
}

/// A frame that a node has missed.
#[derive(Clone, Copy, Debug)]
struct Missed {
    node: NodeId,
    /// Since then.
    then: Time,
    /// Its place in the medium.
    frame: u32,
    lost: LostTo,
}

/// A signal at an ear.
#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    frame: u32,
    until: Time,
    power_mw: f64,
    mine: bool,
}

impl<'a> On<'a> {
    pub(crate) fn new(trace: Box<dyn Trace + 'a>, setup: &Setup) -> Self {
        let nodes = setup.nodes.len();
        let ear = |n| trace.hears(NodeId(n as u32)).then(|| Receiver::new(setup.radio.rule));
        let mut ears: Vec<_> = (0..nodes).map(ear).collect();
        if ears.iter().all(Option::is_none) {
            ears = Vec::new();
        }
        let (alarms, frames, told) = (BinaryHeap::new(), Frames::default(), Vec::new());
        let busy_from = trace.asks_how_busy().then_some(setup.warm_up);
        let (asks_for_layers, asks_for_waits) = (trace.asks_for_layers(), trace.asks_for_waits());
        let (air, slot) = (Air::new(&setup.mac, nodes, busy_from), setup.mac.slot);
        let hearing = vec![Vec::new(); if asks_for_waits { nodes } else { 0 }];
        let follows_hearing = !ears.is_empty() || asks_for_waits || busy_from.is_some();
        let missed = Vec::new();
        Self {
            trace,
            asks_for_layers,
            asks_for_waits,
            follows_hearing,
            hearing,
            slot,
            air,
            missed,
            ears,
            alarms,
            frames,
            told,
        }
    }

    #[inline]
    fn tell_reserved(&mut self, now: Time, node: NodeId, from: Time, until: Time) {
        if self.asks_for_waits && from < until {
            self.trace.event(now, node, Event::Reserved { from, until });
        }
    }

    /// Tells what a node has missed.
    #[inline(never)]
    fn tell_all_missed(&mut self, now: Time, node: NodeId, medium: &mut Medium) {
        let mut missed = std::mem::take(&mut self.missed);
        for missed in missed.extract_if(.., |missed| missed.node == node) {
            self.tell_of_missed(now, missed, medium);
        }
        self.missed = missed;
    }

    /// Tells why a node missed a frame.
    fn tell_of_missed(&mut self, now: Time, Missed { node, then, frame, lost }: Missed, medium: &mut Medium) {
        let Some(frame) = self.air.number(frame, then) else { return };
        let mut by = |place| self.air.disturber(frame, self.air.number(place, then)?, now, medium);
        let why = match lost {
            LostTo::Collision(place) => Miss::Collision(by(place)),
            LostTo::Captured(place) => Miss::Captured(by(place)),
            LostTo::Transmitting => {
                let own = self.air.own(node, then).and_then(|own| self.air.disturber(frame, own, now, medium));
                Miss::Transmitting(own)
            }
            LostTo::Channel => Miss::Channel,
        };
        self.trace.event(now, node, Event::Missed { frame, why });
    }

    fn catch_up(&mut self, now: Time, node: u32) {
        self.told.clear();
        self.hear(now, node);
        self.tell();
    }

    fn hear(&mut self, now: Time, node: u32) {
        if let Some(Some(ear)) = self.ears.get_mut(node as usize) {
            ear.advance(now, |at, event| self.told.push((at, node, event)));
        }
    }

    /// Tells what was heard, in the order of time.
    fn tell(&mut self) {
        self.told.sort_by_key(|&(at, ..)| at);
        for &(at, node, event) in &self.told {
            let (heard, event) = match event {
                RxEvent::Ended(Ended::Received(heard)) => {
                    let Some(frame) = self.frames.at(heard.frame) else { continue };
                    (heard, Event::Received { frame, power_mw: heard.power_mw, mine: heard.mine })
                }
                RxEvent::Collided { frame: heard, .. } => {
                    let Some(frame) = self.frames.at(heard.frame) else { continue };
                    let carrier = self.told.iter().find_map(|&(when, whose, other)| match other {
                        RxEvent::Carrier(until) if (when, whose) == (at, node) => Some(until),
                        _ => None,
                    });
                    let busy_until = carrier.unwrap_or(heard.until);
                    (heard, Event::Collided { frame, mine: heard.mine, until: heard.until, busy_until })
                }
                RxEvent::Carrier(_) | RxEvent::Held(_) | RxEvent::Missed { .. } | RxEvent::Ended(_) => continue,
            };
            debug_assert!(heard.until >= at);
            self.trace.event(at, NodeId(node), event);
        }
    }
}

impl Sink for On<'_> {
    const ON: bool = true;
    const PACKETS: bool = true;

    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.trace.event(at, node, event);
    }

    #[inline(always)] // asked before each event, and mostly there is no ear
    fn listen(&mut self, now: Time) {
        while let Some(&Reverse((at, _))) = self.alarms.peek()
            && at <= now
        {
            // Together: one tells of an arrival a nanosecond ago, another of an end now.
            self.told.clear();
            while let Some(&Reverse((_, node))) = self.alarms.peek().filter(|Reverse((same, _))| *same == at) {
                self.alarms.pop();
                self.hear(at, node);
            }
            self.tell();
            self.frames.forget(at);
        }
    }

    fn launch(&mut self, now: Time, frame: &Frame<Packet>, place: u32, senses: bool) {
        self.air.launch(now, frame, place, senses);
        self.trace.event(now, frame.from, Event::Transmitted(frame));
        if self.ears.is_empty() {
            return;
        }
        self.frames.forget(now);
        self.frames.launch(frame);
        self.catch_up(now, frame.from.0);
        if let Some(ear) = &mut self.ears[frame.from.index()] {
            let _ = ear.transmit(now + frame.air_time); // what is lost with that is told by the receiver itself
        }
    }

    #[inline]
    fn announce(&mut self, now: Time, node: u32, signal: Signal<Tag>) {
        if self.ears.is_empty() {
            return;
        }
        self.catch_up(now, node);
        let Some(Some(ear)) = self.ears.get_mut(node as usize) else { return };
        let Signal { from, until, power_mw, hurdle, frame: Tag { role, .. } } = signal;
        let mine = role == Role::Mine;
        let frame = self.frames.hold(until);
        let frame = Heard { frame, until, power_mw, mine };
        ear.announce(Signal { from, until, power_mw, hurdle, frame });
        // An ear takes account of an arrival a nanosecond later, and of an end at once.
        self.alarms.push(Reverse((from + Duration::from_nanos(1), node)));
        self.alarms.push(Reverse((until, node)));
    }

    fn deafen(&mut self, now: Time, node: u32) {
        if let Some(frame) = self.air.forget(NodeId(node)) {
            self.trace.event(now, NodeId(node), Event::Unanswered { frame, why: Silence::Down });
        }
        self.catch_up(now, node);
        if let Some(Some(ear)) = self.ears.get_mut(node as usize) {
            ear.clear();
        }
    }

    fn spoil(&mut self, now: Time, node: u32, until: Time, power_mw: f64) {
        self.catch_up(now, node);
        if let Some(Some(ear)) = self.ears.get_mut(node as usize) {
            ear.spoil(until, power_mw);
        }
    }

    fn air(&mut self) -> Option<&mut Air> {
        Some(&mut self.air)
    }

    fn heard(&mut self, now: Time, sender: NodeId, heard: &[Hearer]) {
        let hearing = &mut self.hearing[sender.index()];
        let is_same = |(was, is): (&(u32, bool), &Hearer)| *was == (is.node, is.hurdle.is_decodable());
        if hearing.len() == heard.len() && hearing.iter().zip(heard).all(is_same) {
            return;
        }
        let decodes = |node: u32| heard.iter().find(|link| link.node == node).map(|link| link.hurdle.is_decodable());
        for &(node, _) in hearing.iter().filter(|&&(node, was)| decodes(node) != Some(was)) {
            self.trace.event(now, NodeId(node), Event::Hears { whom: sender, decodes: decodes(node) });
        }
        for link in heard.iter().filter(|link| hearing.iter().all(|&(node, _)| node != link.node)) {
            let decodes = Some(link.hurdle.is_decodable());
            self.trace.event(now, NodeId(link.node), Event::Hears { whom: sender, decodes });
        }
        hearing.clear();
        hearing.extend(heard.iter().map(|link| (link.node, link.hurdle.is_decodable())));
    }

    #[inline]
    fn reserved(&mut self, now: Time, node: NodeId, at: Time, until: Time, place: u32) {
        self.air.reserved(node, at, until, place);
        self.tell_reserved(now, node, at, until);
    }

    #[inline]
    fn failed(&mut self, now: Time, node: NodeId, at: Time, until: Time, place: u32) {
        if let Some(held_until) = self.air.failed(node, at, until, place) {
            self.tell_reserved(now, node, at, held_until);
        }
    }

    #[inline]
    fn asks_for_waits(&self) -> bool {
        self.asks_for_waits
    }

    #[inline]
    fn follows_hearing(&self) -> bool {
        self.follows_hearing
    }

    #[inline]
    fn forgotten(&mut self, now: Time, node: NodeId, at: Time, how: Ended<Tag>) {
        match how {
            Ended::Received(tag) => {
                self.reserved(now, node, at, at + Duration::from_nanos(u64::from(tag.nav_ns)), tag.frame);
            }
            Ended::Failed(tag) | Ended::Damaged(tag) => self.failed(now, node, at, at, tag.frame),
            Ended::Unnoticed => {}
        }
    }

    fn counted(&mut self, now: Time, node: NodeId, at: Time, before: Option<Forecast>, after: Option<Forecast>) {
        let Some((from, slots)) = before.map(|before| before.counts()) else { return };
        if slots == 0 || at <= from || after.is_some_and(|after| after.counts() == (from, slots)) {
            return;
        }
        // One that ran out with nothing to send ended then.
        let until = at.min(from + self.slot * u64::from(slots));
        let left = u64::from(slots).saturating_sub(until.since(from).whole(self.slot)) as u32;
        self.trace.event(now, node, Event::CountedDown { from, until, slots, left });
    }

    fn missed(&mut self, then: Time, node: NodeId, frame: u32, lost: LostTo) {
        self.missed.push(Missed { node, then, frame, lost });
    }

    #[inline(always)] // asked before each event, and mostly there is nothing
    fn tell_missed(&mut self, now: Time, node: NodeId, medium: &mut Medium) {
        if !self.missed.is_empty() {
            self.tell_all_missed(now, node, medium);
        }
    }

    fn unreached(&mut self, now: Time, node: NodeId, frame: u32, why: Miss) {
        if let Some(frame) = self.air.number(frame, now) {
            self.trace.event(now, node, Event::Missed { frame, why });
        }
    }

    #[inline]
    fn shows(&self, packet: &Packet) -> bool {
        self.asks_for_layers || packet.payload.is_message() || matches!(packet.payload, Payload::Opaque(_))
    }

    fn end(&mut self, now: Time, nodes: usize) {
        self.listen(now);
        if !self.trace.asks_how_busy() {
            return;
        }
        for node in (0..nodes as u32).map(NodeId) {
            self.trace.event(now, node, Event::Busy(self.air.busy(node, now)));
        }
    }

    #[inline(always)] // as `tell_missed`
    fn acted(&mut self, now: Time, node: NodeId, sent: impl Fn() -> Option<FrameKind>, medium: &mut Medium) {
        if self.air.should_answer(now, node)
            && let Some((frame, why)) = self.air.unanswered(now, node, sent(), medium)
        {
            self.trace.event(now, node, Event::Unanswered { frame, why });
        }
    }
}

/// The frames in the air, as long as an ear may need them.
#[derive(Default)]
struct Frames {
    /// The frame that an ear was told of first is the oldest; with the end of its last signal.
    air: VecDeque<(Frame<Packet>, Time)>,
    /// The number of the oldest.
    first: u32,
}

impl Frames {
    fn launch(&mut self, frame: &Frame<Packet>) {
        self.air.push_back((frame.clone(), Time::ZERO));
    }

    /// The youngest frame is needed until then; returns its number.
    fn hold(&mut self, until: Time) -> u32 {
        if let Some((_, end)) = self.air.back_mut() {
            *end = until.max(*end);
        }
        self.first.wrapping_add(self.air.len() as u32).wrapping_sub(1)
    }

    fn at(&self, number: u32) -> Option<&Frame<Packet>> {
        self.air.get(number.wrapping_sub(self.first) as usize).map(|f| &f.0)
    }

    /// Lets go of the oldest frames whose last signal ended before `now`.
    fn forget(&mut self, now: Time) {
        while self.air.front().is_some_and(|f| f.1 < now) {
            self.air.pop_front();
            self.first = self.first.wrapping_add(1);
        }
    }
}
