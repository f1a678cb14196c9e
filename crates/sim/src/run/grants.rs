//! Who may have the air, where it is granted (`mac.kind = "ideal"`): a greedy schedule free of collisions.
//!
//! A station asks when a packet comes into service, or a try has failed. Whenever somebody asks, and whenever an
//! exchange is over, all that wait are gone through, the one that has waited longest first, of several the lowest number
//! first; and whoever's exchange could neither disturb nor be disturbed by one on the air is granted it. An exchange has the air
//! from its first frame until its last one has passed all who can hear it.
//!
//! The schedule knows where everybody is. It is not the best one: it does not look ahead, a source may send more than
//! its relays can pass on, and one whose neighbours on two sides have the air one after the other may wait for long.
//!
//! Spec      decided here; the conflicts are those of the protocol model of Jain, Padhye, Padmanabhan, Qiu: "Impact of
//!           interference on multi-hop wireless network performance", MobiCom 2003, §3.1, in which the receiver answers
//! Holds     two exchanges that have the air at once have no station in common, and no station that sends in one is heard by
//!           one that receives in the other, by whatever luck, while both last; of a frame for everyone, those receive who
//!           decode it without luck. But for nodes that jump from place to place, and for answers that come later than
//!           `propagation_allowance` allows

use hopwright_link::{Ask, Mac};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_wire::Packet;

use crate::medium::Medium;
use crate::run::Run;
use crate::trace::Sink;

/// Who waits for the air, and who has it.
#[derive(Debug)]
pub(crate) struct Grants {
    /// By node.
    waiting: Vec<Option<Waiting>>,
    /// By the time of the grant.
    on_air: Vec<Exchange>,
    /// How long a frame is on its way at most.
    farthest: Duration,
    /// When somebody may be granted what he waits for.
    due: Time,
}

/// A wish.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    ask: Ask,
    /// It is not looked at again before the exchange that this node leads is over.
    behind: Option<NodeId>,
}

/// An exchange that has the air, or is to have it.
#[derive(Debug)]
struct Exchange {
    leader: NodeId,
    /// Who sends in it.
    senders: Vec<NodeId>,
    /// Who must not be disturbed.
    receivers: Vec<NodeId>,
    /// When it is over if all goes well.
    until: Time,
    /// When it is, if that is known.
    over: Time,
}

impl Exchange {
    fn new(leader: NodeId, ask: Ask, now: Time, medium: &mut Medium, farthest: Duration) -> Self {
        let (senders, receivers) = match ask.next_hop {
            Some(next_hop) => (vec![leader, next_hop], vec![leader, next_hop]),
            None => (vec![leader], medium.decoders(leader, now)),
        };
        // Each of up to four frames takes its way.
        let until = now + ask.lasts + farthest * 4;
        Self { leader, senders, receivers, until, over: Time::NEVER }
    }

    fn has(&self, node: NodeId) -> bool {
        self.senders.contains(&node) || self.receivers.contains(&node)
    }

    /// Whether either would lose to the other, if both were on the air from `now` on.
    fn conflicts_with(&self, other: &Self, now: Time, medium: &mut Medium) -> bool {
        let within = self.until.since(now).max(other.until.since(now));
        let mut disturbs = |one: &Self, other: &Self| {
            one.senders.iter().any(|&sender| {
                other.has(sender) || other.receivers.iter().any(|&node| medium.may_hear(node, sender, now, within))
            })
        };
        disturbs(self, other) || disturbs(other, self)
    }
}

impl Grants {
    pub(crate) fn new(nodes: usize, medium: &Medium) -> Self {
        Self { waiting: vec![None; nodes], on_air: Vec::new(), farthest: medium.longest_delay(), due: Time::NEVER }
    }

    /// When somebody may be granted what he waits for.
    pub(crate) fn due(&self) -> Time {
        self.due
    }

    /// How the station of a node stands after whatever happened to it.
    fn update(&mut self, now: Time, node: NodeId, ask: Option<Ask>, has_air: bool, is_down: bool) {
        let led = self.on_air.iter_mut().find(|exchange| exchange.leader == node && exchange.over == Time::NEVER);
        if let Some(exchange) = led.filter(|_| !has_air) {
            // Of one that is cut off, answers may still be on their way.
            exchange.over = if is_down { exchange.until.max(now) } else { now + self.farthest };
            self.due = self.due.min(exchange.over);
        }
        let known = &mut self.waiting[node.index()];
        if ask != known.map(|waiting| waiting.ask) {
            *known = ask.map(|ask| Waiting { ask, behind: None });
            self.due = self.due.min(if ask.is_some() { now } else { Time::NEVER });
        }
    }

    /// Who is granted the air at `now`, in this order.
    fn decide(&mut self, now: Time, medium: &mut Medium) -> Vec<NodeId> {
        let mut over = Vec::new();
        self.on_air.retain(|exchange| {
            let is_over = exchange.over <= now;
            over.extend(is_over.then_some(exchange.leader));
            !is_over
        });
        let looked_at = |waiting: &&(usize, Waiting)| waiting.1.behind.is_none_or(|leader| over.contains(&leader));
        let all = self.waiting.iter().enumerate().filter_map(|(node, waiting)| Some((node, (*waiting)?)));
        let mut wishes: Vec<_> = all.filter(|wish| looked_at(&wish)).collect();
        wishes.sort_by_key(|&(node, waiting)| (waiting.ask.since, node));
        let mut granted = Vec::new();
        for (index, Waiting { ask, .. }) in wishes {
            let node = NodeId(index as u32);
            let exchange = Exchange::new(node, ask, now, medium, self.farthest);
            let in_its_way = self.on_air.iter().find(|other| exchange.conflicts_with(other, now, medium));
            if let Some(other) = in_its_way {
                self.waiting[index] = Some(Waiting { ask, behind: Some(other.leader) });
            } else {
                self.waiting[index] = None;
                self.on_air.push(exchange);
                granted.push(node);
            }
        }
        self.due = self.on_air.iter().map(|exchange| exchange.over).min().unwrap_or(Time::NEVER);
        granted
    }
}

impl<T: Sink, M: Mac<Packet>> Run<T, M> {
    /// Something has happened to the station of a node: does it want the air, or is it done with it?
    pub(crate) fn ask_for_air(&mut self, node: usize, now: Time) {
        let Some(grants) = &mut self.grants else { return };
        let (id, node) = (NodeId(node as u32), &self.nodes[node]);
        grants.update(now, id, node.wants_air(), node.has_air(), self.medium.is_down(id));
        self.deadlines.set(self.nodes.len() + 1, grants.due());
    }

    /// Grants the air to whom it can be granted.
    #[cold]
    pub(crate) fn grant(&mut self, now: Time) {
        let Some(grants) = &mut self.grants else { return };
        for node in grants.decide(now, &mut self.medium) {
            self.nodes[node.index()].grant(now);
            self.schedule(node.index(), now);
        }
        let due = self.grants.as_ref().map_or(Time::NEVER, |grants| grants.due());
        self.deadlines.set(self.nodes.len() + 1, due);
    }
}
