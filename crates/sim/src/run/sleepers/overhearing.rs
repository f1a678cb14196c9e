//! Routers that listen to frames for others while their nodes sleep.
//!
//! A sleeper takes note of a frame for another that it decodes, and is woken after its end as if it were awake. If the
//! frame met no other at the sleeper, it was received: the router hears of it, and the node sleeps on unless the router
//! then wants something. Otherwise the node looks back first, and its receiver decides. So a sleeper is spared all other
//! frames, such as RTS, CTS and acknowledgements.
//!
//! Spec      RFC 4728 §3.3.1, §3.4.3 (what a DSR node overhears)
//! Deviates  nothing
//! Holds     a router hears of the same frames, in the same order and at the same times, as that of a node that is awake

use hopwright_link::{Frame, Mac};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_routing::Input as Route;
use hopwright_wire::Packet;

use super::{ASKED, MANY, Sent, Sleepers};
use crate::medium::{Hearer, Medium};
use crate::node::attended;
use crate::run::{Leaving, Run};
use crate::trace::Sink;

/// A frame for another, to which a sleeper listens, and of which its receiver was not told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overheard {
    /// Its number in the log.
    pub(super) number: u32,
    /// Its place in the medium.
    frame: u32,
    sender: NodeId,
    /// When it left its sender.
    at: Time,
    air_time: Duration,
    /// When it has arrived at the sleeper.
    until: Time,
}

/// What is known of nodes whose routers listen, by node.
#[derive(Debug)]
pub(super) struct Overhearing {
    /// What a sleeper listens to.
    now: Vec<Option<Overheard>>,
    /// For about how many frames the node has had nothing to do but to listen, up to 255.
    quiet: Vec<u8>,
    /// A frame, by its sender and when it left, and how many frames the log had.
    last: (NodeId, Time, u32),
    /// The frames of the log that were in the air at the same time as that one.
    beside_last: Vec<Sent>,
}

impl Overhearing {
    pub(super) fn new(nodes: usize) -> Self {
        let last = (NodeId(u32::MAX), Time::ZERO, 0);
        Self { now: vec![None; nodes], quiet: vec![0; nodes], last, beside_last: Vec::new() }
    }

    /// The node is awake.
    pub(super) fn forget(&mut self, node: usize) {
        self.quiet[node] = 0;
    }
}

impl<T: Sink, M: Mac<Packet>> Run<T, M> {
    /// A sleeper begins to listen to what a node sends now to another; not if it still listens to something else.
    pub(super) fn listen(&mut self, leaving: &Leaving, sender: NodeId, link: &Hearer) -> bool {
        let node = link.node as usize;
        let Some(overhearing) = &mut self.sleepers.overhearing else { return false };
        if overhearing.now[node].is_some() {
            return false;
        }
        let &Leaving { now: at, air_time, acts_after, tag, .. } = leaving;
        let until = at.after(link.delay).after(air_time);
        let number = self.sleepers.written; // it is written next
        overhearing.now[node] = Some(Overheard { number, frame: tag.frame, sender, at, air_time, until });
        let antenna = &mut self.antennas[node];
        antenna.attend(until.after(acts_after), tag.frame, false);
        let deadline = antenna.deadline(&self.mac);
        if deadline < self.deadlines.of(node) {
            self.deadlines.set(node, deadline);
        }
        true
    }

    /// A node is woken. If it sleeps, and was only listening to a frame that it received for certain, its router hears of
    /// the frame. Returns whether that was all, and it sleeps on.
    #[inline(never)]
    pub(in crate::run) fn overhears_asleep(&mut self, node: usize) -> bool {
        let Some(overheard) = self.sleepers.overheard(node) else { return false };
        let (now, antenna) = (self.now, &mut self.antennas[node]);
        let receiver = &antenna.receiver;
        if antenna.arrival > now
            || antenna.attending.len() > 1
            || receiver.adds_up()
            || receiver.over_by() > overheard.at
            || !self.nodes[node].only_listens(now)
            || !self.sleepers.was_alone(node, &overheard, &mut self.medium)
        {
            return false;
        }
        let Some(&Frame { from, to: Some(to), payload: Some(ref packet), .. }) = self.medium.frame(overheard.frame)
        else {
            return false;
        };
        self.sleepers.take_overheard(node);
        let input = Route::Overheard { packet, from, to };
        if !self.nodes[node].overhear(now, overheard.until, input, &mut self.world) {
            return false;
        }
        attended(now, antenna, &mut self.medium, &mut self.world);
        self.schedule(node, now);
        true
    }

    /// The node was roused only because it listened to a frame. If it still has nothing to do, it sleeps again.
    pub(in crate::run) fn doze(&mut self, node: usize) {
        if self.has_nothing_to_do(node) && self.antennas[node].arrival == Time::NEVER {
            self.sleepers.ask(node, u8::MAX);
        }
    }

    /// A node whose router listens is asked whether it may sleep.
    pub(super) fn ask_listener(&mut self, node: usize) {
        let is_quiet = self.has_nothing_to_do(node);
        let between = (self.nodes.len() / ASKED).min(usize::from(MANY)) as u8;
        let Some(overhearing) = &mut self.sleepers.overhearing else { return };
        let quiet = &mut overhearing.quiet[node];
        *quiet = if is_quiet { quiet.saturating_add(between) } else { 0 };
        let quiet = *quiet;
        if self.antennas[node].arrival == Time::NEVER {
            self.sleepers.ask(node, quiet);
        }
    }

    fn has_nothing_to_do(&self, node: usize) -> bool {
        self.antennas[node].is_indifferent() && self.antennas[node].is_idle
    }
}

impl Sleepers {
    /// What a sleeper listens to.
    fn overheard(&self, node: usize) -> Option<Overheard> {
        *self.overhearing.as_ref()?.now.get(node)?
    }

    /// The same, which the sleeper then listens to no more.
    pub(super) fn take_overheard(&mut self, node: usize) -> Option<Overheard> {
        self.overhearing.as_mut()?.now.get_mut(node)?.take()
    }

    /// Whether a frame to which a sleeper listened met none of those there that the sleeper was not told of. All who listen to
    /// a frame ask one after the other: so what was in the air at the same time is looked up once.
    fn was_alone(&mut self, node: usize, overheard: &Overheard, medium: &mut Medium) -> bool {
        let &Overheard { sender, at, air_time, .. } = overheard;
        let (over, longest, farthest) = (at + air_time + self.farthest, self.longest, self.farthest);
        let Some(overhearing) = &mut self.overhearing else { return false };
        let last = (sender, at, self.written);
        if overhearing.last != last {
            overhearing.last = last;
            overhearing.beside_last.clear();
            for part in &self.log {
                let lately = part.iter().rev().take_while(|sent| sent.at + longest > at);
                let is_beside = |sent: &&Sent| sent.at + sent.air_time + farthest > at && sent.at < over;
                let others = lately.filter(is_beside).filter(|sent| (sent.from, sent.at) != (sender, at));
                overhearing.beside_last.extend(others);
            }
        }
        overhearing.beside_last.iter().all(|sent| medium.link(sent.from, NodeId(node as u32), sent.at).is_none())
    }
}
