//! Nodes that are told of no frame for others until they act.
//!
//! Most nodes have nothing to send, and most frames that a node hears are for others. A node sleeps if its station is idle
//! and it has heard several such frames in a row. Frames for others are then only written into a log. Before a sleeper
//! acts, and before it is told of a frame that it must act on, it looks back: it is told of those frames in the log that
//! can still make a difference. So results are the same as if it had been told of all frames.
//!
//! What an idle station keeps of frames for others is until when they occupied and reserved the medium, and whether the
//! reception of the last one failed, which lengthens the space before the next access. So the look back ends at a frame
//! that the sleeper heard, and before which the medium was idle for it; but not as long as earlier frames may have reserved
//! the medium until now, or until less than the longest space ago.
//!
//! The log has a part for each cell of the medium, so that a look back finds no frames from far away.
//!
//! Routers that listen to frames for others, as DSR's do, listen while their nodes sleep: see `overhearing`.
//!
//! Spec      IEEE 802.11-1999 §9.2.1 (physical and virtual carrier sense), §9.2.3.4 (EIFS), §9.2.5.4 (NAV): what a station
//!           keeps of frames for others
//! Deviates  nothing
//! Holds     a station decides as one would that is told of each frame; nobody sleeps where the channel is random, since
//!           nothing is drawn for sleepers, nor where somebody wants to know of each frame that a node hears

mod overhearing;

use hopwright_link::{Config, Mac};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_radio::Signal;
use hopwright_wire::Packet;

use overhearing::Overhearing;

use super::{Leaving, Run};
use crate::medium::{CELLS_AROUND, Hearer, Medium, Role, Tag, Wanted};
use crate::trace::Sink;

/// So many frames for others in a row, and an idle station may sleep; later if it slept in vain before. For a station that acts
/// more often, looking back would take more time than being told.
const MANY: u8 = 8;

/// Nobody waits for more of them.
const MOST: u8 = 128;

/// With each frame, so many nodes are asked in turn whether they may sleep.
const ASKED: usize = 4;

/// With so few nodes, hardly any is idle for long, and nobody sleeps.
const FEW_NODES: usize = 16;

/// The log holds fewer frames, or fewer for each node. When it is full, all sleepers look back.
const LONGEST_LOG: usize = 1024;
const LONGEST_LOG_PER_NODE: usize = 16;

/// A frame in the log.
#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u32,
    from: NodeId,
    at: Time,
    air_time: Duration,
    /// What it is to those that it is not for.
    tag: Tag,
}

/// Who sleeps, and what was sent meanwhile.
#[derive(Debug)]
pub(super) struct Sleepers {
    may_sleep: bool,
    /// By node.
    asleep: Vec<bool>,
    /// How many sleep.
    count: usize,
    /// By node: so many frames for others in a row, and it may sleep.
    patience: Vec<u8>,
    /// By node: the number of the first frame that a sleeper was not told of.
    since: Vec<u32>,
    /// By the sender's cell, in order.
    log: Vec<Vec<Sent>>,
    /// Who is asked next whether it may sleep.
    next: usize,
    /// How many frames were written into the log.
    written: u32,
    /// How long a frame is on its way, at most.
    farthest: Duration,
    /// The longest space before an access.
    space: Duration,
    /// No frame so far took longer from its launch until it had passed everybody.
    longest: Duration,
    /// No frame so far took longer from its launch until it made no difference: its reservation was over, and the longest
    /// space after that.
    longest_reserved: Duration,
    /// Memory for an answer.
    heard: Vec<Heard>,
    /// What sleepers listen to, where routers listen.
    overhearing: Option<Overhearing>,
}

/// What a sleeper must be told of.
#[derive(Clone, Copy, Debug)]
struct Heard {
    /// Of the frame in the log.
    number: u32,
    /// When the frame left its sender.
    at: Time,
    /// How it arrives.
    signal: Signal<Tag>,
}

impl<T: Sink, M: Mac<Packet>> Run<T, M> {
    /// The node is awake from now on, and knows what it would know if it had not slept. Returns whether it slept, and was
    /// listening to a frame for another.
    #[inline(never)]
    pub(crate) fn rouse(&mut self, node: usize) -> bool {
        self.sleepers.has(node) && {
            let was_listening = self.tell_sleeper(node);
            self.sleepers.remove(node);
            was_listening
        }
    }

    /// Who hears what a node sends now, where some sleep. Those who must act on it are awake then; others that sleep are left
    /// out, and counted if they listen to it. `to`: as in `Frame`.
    #[inline(never)]
    pub(super) fn heard_awake(&mut self, leaving: &Leaving, node: NodeId, to: Option<NodeId>) -> (Vec<Hearer>, u32) {
        if self.medium.cells_change(self.now) {
            self.empty_log();
        }
        if let Some(to) = to {
            self.rouse(to.index());
        }
        if to.is_some() && leaving.tag.role == Role::Other {
            let heard = self.medium.heard_by(node, self.now, Wanted::Awake(&self.sleepers.asleep));
            return (self.medium.awake(node, heard, &self.sleepers.asleep), 0);
        }
        let heard = self.medium.heard_by(node, self.now, Wanted::AwakeOrDecoding(&self.sleepers.asleep));
        let mut listeners = 0;
        for link in &heard {
            if self.sleepers.has(link.node as usize) && link.hurdle.is_decodable() {
                if to.is_some() && self.listen(leaving, node, link) {
                    listeners += 1;
                } else {
                    self.rouse(link.node as usize);
                }
            }
        }
        (self.medium.awake(node, heard, &self.sleepers.asleep), listeners)
    }

    /// Writes into the log what was sent, and asks some whether they may sleep.
    #[inline(never)]
    pub(super) fn log(&mut self, leaving: &Leaving, from: NodeId) {
        let &Leaving { now, air_time, tag, .. } = leaving;
        self.sleepers.write(now, from, air_time, Tag { role: Role::Other, ..tag }, &self.medium);
        if self.sleepers.is_log_full() {
            self.empty_log();
        }
        for _ in 0..ASKED {
            let node = self.sleepers.next();
            if node == from.index() {
                continue; // what it is about to wait for is not planned yet
            }
            let antenna = &self.antennas[node];
            if self.listening {
                self.ask_listener(node);
            } else if antenna.is_indifferent() {
                self.sleepers.ask(node, antenna.receiver.aside());
            }
        }
    }

    /// All sleepers look back, and sleep on: the log can be forgotten.
    #[cold]
    #[inline(never)]
    fn empty_log(&mut self) {
        for node in 0..self.nodes.len() {
            if self.sleepers.has(node) {
                self.tell_sleeper(node);
            }
        }
        self.sleepers.clear();
    }

    /// Tells a sleeper of what was sent meanwhile. Returns whether it was listening to a frame for another.
    fn tell_sleeper(&mut self, node: usize) -> bool {
        let overheard = self.sleepers.take_overheard(node);
        let antenna = &mut self.antennas[node];
        let heard = self.sleepers.look_back(node, self.now, antenna.receiver.over_by(), &mut self.medium);
        for &Heard { number, at, mut signal } in &heard {
            if antenna.receiver.is_behind() {
                self.nodes[node].catch_up(at, antenna, &mut self.medium, &mut self.world);
                self.nodes[node].note_idle(antenna);
            }
            if overheard.is_some_and(|overheard| overheard.number == number) {
                signal.frame.role = Role::Tapped;
                antenna.receiver.announce(signal); // it attends to this one already
            } else {
                let trace = &mut self.world.trace;
                antenna.announce_other(
                    at,
                    || signal,
                    |ended, how| trace.forgotten(at, NodeId(node as u32), ended, how),
                );
            }
        }
        if antenna.receiver.is_behind() {
            self.nodes[node].catch_up(self.now, antenna, &mut self.medium, &mut self.world);
        }
        self.sleepers.keep(heard);
        overheard.is_some()
    }
}

impl Sleepers {
    /// All are awake. `may_sleep`: nothing of what each node hears is random, and nobody wants to know of it. `listening`:
    /// routers listen to frames for others.
    pub(super) fn new(nodes: usize, may_sleep: bool, listening: bool, farthest: Duration, mac: &Config) -> Self {
        let may_sleep = may_sleep && nodes > FEW_NODES;
        Self {
            may_sleep,
            asleep: vec![false; nodes],
            count: 0,
            patience: vec![MANY; nodes],
            since: vec![0; nodes],
            log: Vec::new(),
            next: 0,
            written: 0,
            farthest,
            space: mac.eifs_time().max(mac.difs),
            longest: Duration::ZERO,
            longest_reserved: Duration::ZERO,
            heard: Vec::new(),
            overhearing: (may_sleep && listening).then(|| Overhearing::new(nodes)),
        }
    }

    /// Whether nodes may sleep in this run.
    #[inline]
    pub(super) const fn may_sleep(&self) -> bool {
        self.may_sleep
    }

    /// Whether any node sleeps.
    #[inline]
    pub(super) const fn any(&self) -> bool {
        self.count > 0
    }

    /// Whether this node sleeps.
    #[inline]
    fn has(&self, node: usize) -> bool {
        self.asleep.get(node).is_some_and(|&asleep| asleep)
    }

    /// Who is to be asked next whether it may sleep.
    fn next(&mut self) -> usize {
        self.next = if self.next + 1 < self.asleep.len() { self.next + 1 } else { 0 };
        self.next
    }

    /// The node has nothing to do, and was last told of so many frames for others in a row, of all that were sent: it sleeps if
    /// that is enough.
    fn ask(&mut self, node: usize, frames: u8) {
        if frames >= self.patience[node] && !self.asleep[node] {
            self.asleep[node] = true;
            self.count += 1;
            self.since[node] = self.written;
        }
    }

    /// The node is awake.
    fn remove(&mut self, node: usize) {
        if let Some(overhearing) = &mut self.overhearing {
            overhearing.forget(node);
        }
        self.count -= usize::from(std::mem::replace(&mut self.asleep[node], false));
    }

    /// A frame left at `at`, and all who are awake have been told of it. `tag`: as those have it that it is not for.
    fn write(&mut self, at: Time, from: NodeId, air_time: Duration, tag: Tag, medium: &Medium) {
        let passes = air_time + self.farthest;
        self.longest = self.longest.max(passes);
        self.longest_reserved = self.longest_reserved.max(passes + self.reserved(tag));
        if !self.any() {
            return;
        }
        let cell = medium.cell(from);
        if self.log.len() <= cell {
            self.log.resize_with(cell + 1, Vec::new);
        }
        self.log[cell].push(Sent { number: self.written, from, at, air_time, tag });
        self.written += 1;
    }

    /// How long after its end a frame can make a difference.
    fn reserved(&self, tag: Tag) -> Duration {
        Duration::from_nanos(u64::from(tag.nav_ns)).max(self.space) + self.space
    }

    /// Whether all sleepers must look back, and the log must then be cleared.
    fn is_log_full(&self) -> bool {
        self.written as usize >= LONGEST_LOG.max(LONGEST_LOG_PER_NODE * self.asleep.len())
    }

    /// All sleepers have looked back.
    fn clear(&mut self) {
        self.log.iter_mut().for_each(Vec::clear);
        self.since.fill(0);
        self.written = 0;
    }

    /// What a sleeper must be told of, in order. `over_by`: all that it has been told of is over then. To be given back with
    /// `keep`.
    fn look_back(&mut self, node: usize, now: Time, over_by: Time, medium: &mut Medium) -> Vec<Heard> {
        let id = NodeId(node as u32);
        let since = self.since[node];
        let mut heard = std::mem::take(&mut self.heard);
        // In each cell around: the frames that are not looked at yet.
        let mut parts = [const { &[] as &[Sent] }; CELLS_AROUND];
        for (part, cell) in parts.iter_mut().zip(medium.cells_around(id)) {
            *part = self.log.get(cell).map_or(&[], |part| part.as_slice());
        }
        // Of `heard`: how many it must be told of, when the first of those arrives, and when the first of all arrives.
        let (mut needed, mut first, mut earliest) = (0, Time::NEVER, Time::NEVER);
        let mut is_enough = false;
        let number = |part: &&mut &[Sent]| part.last().map_or(0, |sent| sent.number + 1);
        while let Some(part) = parts.iter_mut().max_by_key(number)
            && let Some((sent, before)) = part.split_last()
            && sent.number >= since
        {
            *part = before;
            if needed > 0 && sent.at + self.longest <= first && sent.at + self.longest_reserved <= now {
                is_enough = true;
                break;
            }
            let Some(link) = medium.link(sent.from, id, sent.at) else { continue };
            let from = sent.at.after(link.delay);
            let until = from.after(sent.air_time);
            let signal = Signal { from, until, power_mw: link.power_mw, hurdle: link.hurdle, frame: sent.tag };
            heard.push(Heard { number: sent.number, at: sent.at, signal });
            earliest = earliest.min(from);
            if needed == 0 || until > first || until + self.reserved(sent.tag) > now {
                (needed, first) = (heard.len(), earliest);
            }
        }
        // Otherwise it is told of all: what it knew already may still make a difference, and what overlapped that changes it.
        if is_enough || (over_by <= first && over_by + self.longest_reserved <= now) {
            heard.truncate(needed);
        }
        heard.reverse();
        // It has slept in vain if it must be told of all that it would have been told of.
        let patience = &mut self.patience[node];
        *patience = if is_enough { MANY } else { patience.saturating_mul(2).min(MOST) };
        heard
    }

    /// Takes back what `look_back` gave.
    fn keep(&mut self, mut heard: Vec<Heard>) {
        heard.clear();
        self.heard = heard;
    }
}
