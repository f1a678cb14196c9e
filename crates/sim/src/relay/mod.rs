//! Relays: nodes between two links that help connections over TCP (`Setup::relays`).
//!
//! A `snoop` looks at packets that pass and sends some of them again; a `split` ends the connection that comes from the
//! sender, and carries the data on over another of its own. Either sees the connections whose way leads over its node:
//! each is known by its number, that of its flow or one beyond (`connections`).

pub(crate) mod eln;
pub(crate) mod snoop;
pub(crate) mod split;

use std::borrow::Cow;
use std::collections::BTreeMap;

use hopwright_machine::{Machine, NodeId, Time};
use hopwright_routing::NextHops;
use hopwright_wire::{Packet, Payload};

use crate::report::SnoopReport;
use crate::setup::{Flow, FlowKind, Relay, RelayKind, Setup, Split};

use eln::Holes;
use snoop::Snoop;
use split::Joint;

/// The hop behind a node that lies between both ends of a way.
fn behind(way: &[NodeId], node: NodeId) -> Option<NodeId> {
    let place = way.iter().position(|other| *other == node).filter(|&place| place > 0)?;
    way.get(place + 1).copied()
}

impl Relay {
    const fn split(&self) -> Option<&Split> {
        match &self.kind {
            RelayKind::Split(split) => Some(split),
            RelayKind::Snoop(_) => None,
        }
    }

    /// Whether it sends copies of packets.
    pub(crate) const fn copies(&self) -> bool {
        matches!(self.kind, RelayKind::Snoop(_))
    }

    /// Whether it lies on the way of a flow, and helps data that go this way.
    fn helps(&self, way: &[NodeId]) -> bool {
        behind(way, self.node).is_some_and(|next| self.towards.is_none_or(|towards| towards == next))
    }
}

/// The connections of a run, by number: those of the scenario's flows, each up to the first relay that splits it, and
/// then those by which relays carry them on. And where one goes over into the other.
pub(crate) fn connections<'a>(setup: &'a Setup, routes: &NextHops) -> (Cow<'a, [Flow]>, Vec<Joint>) {
    let mut flows = Cow::Borrowed(setup.flows.as_slice());
    let mut joints = Vec::new();
    if setup.relays.iter().all(|relay| relay.split().is_none()) {
        return (flows, joints);
    }
    for (number, flow) in setup.flows.iter().enumerate() {
        let way = routes.way(flow.from, flow.to);
        let mut incoming = number;
        for &node in &way {
            let mut here = setup.relays.iter().filter(|relay| relay.node == node && relay.helps(&way));
            let Some(split) = here.find_map(Relay::split) else { continue };
            let Some((protocol, kind)) = split.carries_on(&flow.kind) else { continue };
            let outgoing = flows.len();
            let own = Flow { from: node, kind, ..flow.clone() };
            let flows = flows.to_mut();
            flows[incoming].to = node;
            flows.push(own);
            joints.push(Joint::new((number, protocol), (incoming, outgoing), split.buffer_bytes, setup.warm_up));
            incoming = outgoing;
        }
    }
    (flows, joints)
}

/// What a `snoop` does for one connection.
#[derive(Debug)]
enum Helper {
    /// Data go to the wireless side.
    Snoop(Box<Snoop>),
    /// They come from there.
    Holes(Holes),
}

/// What becomes of a packet that passes.
pub(crate) enum Fate {
    /// It goes on.
    Pass(Packet),
    /// A copy of a packet that passed before goes the way that it went.
    Again(Packet),
    /// It ends here.
    Suppress(Packet),
}

/// A `snoop` at its node.
#[derive(Debug)]
pub(crate) struct Guard {
    node: NodeId,
    /// By the numbers of connections.
    helpers: BTreeMap<usize, Helper>,
    at_warm_up: SnoopReport,
}

impl Guard {
    /// The one at a node, if there is one.
    pub(crate) fn at(node: NodeId, setup: &Setup, flows: &[Flow], routes: &NextHops) -> Option<Box<Self>> {
        let here = |relay: &Relay| relay.node == node && matches!(relay.kind, RelayKind::Snoop(_));
        let relay = setup.relays.iter().find(|relay| here(relay))?;
        let RelayKind::Snoop(config) = relay.kind else { return None };
        let helper = |(connection, flow): (usize, &Flow)| {
            let FlowKind::Tcp { .. } = flow.kind else { return None };
            let (there, back) = (routes.way(flow.from, flow.to), routes.way(flow.to, flow.from));
            behind(&there, node).zip(behind(&back, node))?;
            if relay.helps(&there) {
                return Some((connection, Helper::Snoop(Box::new(Snoop::new(config)))));
            }
            relay.helps(&back).then(|| (connection, Helper::Holes(Holes::default())))
        };
        let helpers = flows.iter().enumerate().filter_map(helper).collect();
        Some(Box::new(Self { node, helpers, at_warm_up: SnoopReport::default() }))
    }

    /// A packet passes; `has_room`: whether the queue that it goes to takes it.
    pub(crate) fn pass(&mut self, now: Time, mut packet: Packet, has_room: bool) -> Option<Packet> {
        let Some((tag, helper)) = packet.flow.and_then(|tag| Some((tag, self.helpers.get_mut(&tag.flow())?))) else {
            return Some(packet);
        };
        match helper {
            Helper::Snoop(snoop) => {
                let input = match tag.is_forward() {
                    true => snoop::Input::Data { packet, has_room },
                    false => snoop::Input::Ack(packet),
                };
                snoop.handle(now, input);
                None
            }
            Helper::Holes(holes) => {
                if let Payload::Tcp(segment) = &mut packet.payload {
                    if tag.is_forward() {
                        holes.on_data(segment);
                    } else if holes.on_ack(segment) {
                        let options = &mut std::sync::Arc::make_mut(segment).options;
                        options.extra.set_loss_notice();
                        options.fit();
                    }
                }
                Some(packet)
            }
        }
    }

    fn snoops(&mut self) -> impl Iterator<Item = &mut Snoop> {
        self.helpers.values_mut().filter_map(|helper| match helper {
            Helper::Snoop(snoop) => Some(snoop.as_mut()),
            Helper::Holes(_) => None,
        })
    }

    /// Its deadline may have come.
    pub(crate) fn wake(&mut self, now: Time) {
        for snoop in self.snoops().filter(|snoop| snoop.deadline() <= now) {
            snoop.handle(now, snoop::Input::Wake);
        }
    }

    /// What is to be done next.
    pub(crate) fn poll(&mut self) -> Option<Fate> {
        self.snoops().find_map(Snoop::poll).map(|output| match output {
            snoop::Output::Pass(packet) => Fate::Pass(packet),
            snoop::Output::Again(packet) => Fate::Again(packet),
            snoop::Output::Suppress(packet) => Fate::Suppress(packet),
        })
    }

    pub(crate) fn deadline(&self) -> Time {
        let due = |helper: &Helper| match helper {
            Helper::Snoop(snoop) => snoop.deadline(),
            Helper::Holes(_) => Time::NEVER,
        };
        self.helpers.values().map(due).min().unwrap_or(Time::NEVER)
    }

    /// What was done so far does not count.
    pub(crate) fn warmed_up(&mut self) {
        self.at_warm_up = self.counts();
    }

    fn counts(&self) -> SnoopReport {
        let mut sum = SnoopReport::default();
        for helper in self.helpers.values() {
            match helper {
                Helper::Snoop(snoop) => {
                    sum.cached += snoop.counts.cached;
                    sum.sent_again_by_duplicates += snoop.counts.by_duplicates;
                    sum.sent_again_by_timer += snoop.counts.by_timer;
                    sum.suppressed_acks += snoop.counts.suppressed;
                }
                Helper::Holes(holes) => sum.loss_notices += holes.notices,
            }
        }
        sum
    }

    /// What it did since measurements started.
    pub(crate) fn report(&self) -> SnoopReport {
        let (now, before) = (self.counts(), self.at_warm_up);
        SnoopReport {
            node: self.node.0,
            cached: now.cached - before.cached,
            sent_again_by_duplicates: now.sent_again_by_duplicates - before.sent_again_by_duplicates,
            sent_again_by_timer: now.sent_again_by_timer - before.sent_again_by_timer,
            suppressed_acks: now.suppressed_acks - before.suppressed_acks,
            loss_notices: now.loss_notices - before.loss_notices,
        }
    }
}
