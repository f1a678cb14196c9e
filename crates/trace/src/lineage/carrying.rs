//! What happens to bundles, as rows: each names what led to it, so that from an owner the rows lead back over the hop
//! to the owner before, and at last to the source.
//!
//! Spec      the events and their words are in docs/lineage.md
//! Holds     what happens to bundles is always told of, so that the way of each can be told

use std::io::Write;

use hopwright_bundle::News;
use hopwright_machine::{NodeId, PacketId, Time};
use hopwright_wire::Packet;
use hopwright_wire::nctp::{self, Kind};

use super::Lineage;
use super::bundles::{Holds, NO_ROOM, NO_WAY, NODE_DOWN, Number, Why, without};
use super::row::{Blame, Row};
use super::story::Event;

impl<W: Write + Send> Lineage<W> {
    /// A row about a bundle.
    fn row_of_bundle(&mut self, at: Time, kind: &'static str, node: NodeId, (flow, bundle): Number) -> Row {
        Row { flow: Some(flow), bundle: Some(bundle), ..self.row(at, kind, node) }
    }

    /// A packet of a bundle, or a message about one, leaves a node.
    pub(super) fn bundle_leaves(&mut self, at: Time, node: NodeId, packet: &Packet, about: &nctp::Packet) {
        let (mut row, _) = self.row_of(at, "sent", node, packet);
        row.peer = about.receiver.node();
        let number = number(about);
        let last = self.bundles.get_mut(number).and_then(|bundle| bundle.place(node).last.clone());
        let last_of = |(_, event): (Time, Event)| event;
        let because = if about.kind == Kind::Data {
            last.map(last_of).or_else(|| self.trigger(at, node))
        } else {
            // What the node has just done, or what has just come to it.
            let now = last.clone().filter(|&(when, _)| when == at);
            now.map(last_of).or_else(|| self.trigger(at, node)).or_else(|| last.map(last_of))
        };
        let sent = self.happens(row, because);
        if let Some(bundle) = self.bundles.get_mut(number) {
            match about.kind {
                Kind::Data => bundle.goes_on(node, about, &sent),
                _ => bundle.says(packet.id, about),
            }
        }
        self.ways.begin(packet.id, node, sent);
    }

    /// A packet of a bundle, or a message about one, has arrived.
    pub(super) fn bundle_comes(
        &mut self,
        at: Time,
        node: NodeId,
        packet: PacketId,
        about: &nctp::Packet,
        delivered: Event,
    ) {
        let (number, from) = (number(about), about.sender.node());
        self.bundles.heard(node, from);
        let Some(bundle) = self.bundles.get_mut(number) else { return };
        if about.kind == Kind::Data {
            bundle.place(node).from = from;
            return;
        }
        bundle.hears(packet);
        if about.kind == Kind::Ack && about.key.source.node() == Some(node) && std::mem::take(&mut bundle.is_open) {
            bundle.place(node).holds = Holds::Nothing;
            let row =
                Row { peer: from, packet: Some(packet), ..self.row_of_bundle(at, "bundle_acknowledged", node, number) };
            let event = self.matters(row, Some(delivered));
            if let Some(bundle) = self.bundles.get_mut(number) {
                bundle.acknowledged = Some(event);
            }
        }
        self.bundles.forget(number);
    }

    /// The next owner has a packet.
    pub(super) fn bundle_sent(&mut self, node: NodeId, packet: &Packet, about: &nctp::Packet) {
        let tried = self.nodes[node.index()].tries.as_ref().filter(|last| last.packet == packet.id);
        let tried = tried.map(|last| Event::clone(&last.event));
        if about.kind == Kind::Data
            && let Some(bundle) = self.bundles.get_mut(number(about))
        {
            bundle.place(node).sent = tried;
        }
    }

    /// Something has happened to a bundle.
    pub(super) fn bundle(&mut self, at: Time, node: NodeId, number: Number, news: &News) {
        let trigger = self.trigger(at, node);
        let from = self.bundles.sender(node);
        let came = |kind, peer| (kind, Blame { peer, ..Blame::default() }, trigger.clone());
        let falls = self.bundles.falls(at, node);
        // Which packets came, their own rows tell.
        if matches!(news, News::Arrived(_) | News::Duplicate) {
            return;
        }
        let bundle = self.bundles.enter(number);
        let place = bundle.place(node);
        let last = place.last.as_ref().map(|(_, event)| Event::clone(event));
        let stands = place.stands.clone();
        let of_packet = place.dropped.as_ref().filter(|(when, _)| *when == at).map(|(_, loss)| loss.clone());
        let (kind, blame, because) = match news {
            News::Cut { .. } => ("bundle_cut", Blame::default(), None),
            News::Begun => came("bundle_begun", from),
            News::Owned => came("bundle_owned", from),
            News::HandedOver(to) => {
                let (kind, blame, _) = came("bundle_handed_over", Some(*to));
                (kind, blame, place.sent.take().or(last))
            }
            News::LinkFailed(to) => {
                let (kind, blame, because) = came("bundle_link_failed", Some(*to));
                (kind, blame, of_packet.as_ref().map(|(event, _)| Event::clone(event)).or(because))
            }
            News::Probed => ("bundle_probed", Blame::default(), trigger.clone().or(last)),
            News::Silent => with("bundle_silent", bundle.unanswered(node, &self.ways)),
            News::PartDeleted if falls => ("bundle_part_deleted", FALLS, last),
            News::PartDeleted => with("bundle_part_deleted", bundle.cut_short(node)),
            News::Lost if falls => ("bundle_lost", FALLS, last),
            News::Lost => {
                let given_up = stands.map(|(blame, event)| (blame, Some(event)));
                with("bundle_lost", given_up.unwrap_or((without(NO_WAY, node), last)))
            }
            News::NoRoom => came("bundle_no_room", from),
            News::Refused => came("bundle_refused", from),
            News::Delivered => ("bundle_delivered", Blame::default(), last),
            News::Expired => with("bundle_resent", bundle.missing(node, &self.ways)),
            News::Arrived(_) | News::Duplicate => return,
        };
        let (copies, probe) = (bundle.copies + 1, bundle.probe(node));
        let mut row = self.row_of_bundle(at, kind, node, number).blaming(blame);
        match news {
            News::Cut { bytes, .. } => {
                row.first_byte = self.bundles.first_byte(number);
                row.bytes = u32::try_from(*bytes).ok();
            }
            News::Probed => row.packet = probe,
            News::Expired => row.tries = Some(copies),
            _ => {}
        }
        let event = self.matters(row, because);
        self.bundle_stands(at, node, number, news, (blame, of_packet.and_then(|(_, loss)| loss)), event);
    }

    /// How a bundle stands after something has happened to it.
    fn bundle_stands(
        &mut self,
        at: Time,
        node: NodeId,
        number: Number,
        news: &News,
        (blame, loss): (Blame, Option<&'static str>),
        event: Event,
    ) {
        let from = self.bundles.sender(node);
        let Some(bundle) = self.bundles.get_mut(number) else { return };
        // Questions are asked about a bundle that stays where it is: its packets leave for what brought it here.
        if !matches!(news, News::Probed | News::Silent) {
            bundle.place(node).happened(at, &event);
        }
        match news {
            News::Cut { .. } => {
                (bundle.is_open, bundle.copies) = (true, 1);
                bundle.place(node).holds = Holds::All;
            }
            News::Begun => (bundle.place(node).holds, bundle.place(node).from) = (Holds::Part, from),
            News::Owned => {
                let place = bundle.place(node);
                (place.holds, place.no_room) = (Holds::All, None);
            }
            News::HandedOver(to) => bundle.handed_over(node, *to, event),
            News::LinkFailed(to) => bundle.fails(node, *to, (event, loss)),
            News::Silent => bundle.place(node).stands = Some((without(NO_WAY, node), event)),
            News::PartDeleted => bundle.deleted(node, (event, blame.loss)),
            News::Lost => bundle.lost(node, blame, event),
            News::NoRoom => bundle.place(node).no_room = Some(event),
            News::Refused => {
                let place = bundle.place(node);
                (place.holds, place.stands) = (Holds::All, Some((without(NO_ROOM, from.unwrap_or(node)), event)));
            }
            News::Delivered => {
                bundle.place(node).holds = Holds::Nothing;
                bundle.delivered = Some(event);
            }
            News::Expired => bundle.restarts(node),
            News::Probed | News::Arrived(_) | News::Duplicate => {}
        }
        self.bundles.forget(number);
    }
}

/// What is lost with its node.
const FALLS: Blame = Blame { cause: Some(NODE_DOWN), loss: Some(NODE_DOWN), peer: None };

fn with(kind: &'static str, (blame, because): Why) -> (&'static str, Blame, Option<Event>) {
    (kind, blame, because)
}

const fn number(about: &nctp::Packet) -> Number {
    (about.key.connection as usize, about.key.bundle)
}
