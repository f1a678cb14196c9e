//! Where the copies of bundles are, what became of those that are gone, and so why a source had to send one again.
//!
//! A source that sends a bundle again misses the acknowledgement. Either the destination has the bundle, and the
//! acknowledgement was lost or is late. Or it has not: then a copy goes on, or stands still at its owner, or the last
//! copy has come to an end, with its owner or between two owners.
//!
//! Holds     what is known of a bundle is kept until its source has the acknowledgement and no node has a part of it

use std::collections::BTreeMap;

use hopwright_machine::{NodeId, PacketId, Time};
use hopwright_sim::{FlowKind, Setup};
use hopwright_wire::nctp::{self, Kind};
use rustc_hash::FxHashMap;

use super::packets::Ways;
use super::row::{Blame, Id};
use super::story::Event;

/// A flow, and the place of a bundle in it.
pub(super) type Number = (usize, u32);

/// An event, and what a packet was lost to with it.
pub(super) type Loss = (Event, Option<&'static str>);

/// All bundles on their way.
#[derive(Debug)]
pub(super) struct Bundles {
    known: FxHashMap<Number, Bundle>,
    /// Of each flow, the bytes in a full bundle and in a full packet of it.
    lengths: Vec<Option<(u64, u64)>>,
    /// Who sent each node the last packet of a bundle, or message about one, that came to it.
    from: Vec<Option<NodeId>>,
    /// When which node goes down.
    falls: Vec<(Time, NodeId)>,
}

/// What is known of a bundle.
#[derive(Debug, Default)]
pub(super) struct Bundle {
    /// Its source waits for the acknowledgement.
    pub(super) is_open: bool,
    /// How often its source has sent it.
    pub(super) copies: u32,
    /// The destination has it.
    pub(super) delivered: Option<Event>,
    pub(super) acknowledged: Option<Event>,
    places: BTreeMap<NodeId, Place>,
    messages: Vec<Message>,
}

/// What a node has of a bundle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Holds {
    #[default]
    Nothing,
    Part,
    /// All of it: the node is its owner.
    All,
}

/// A bundle at a node.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) holds: Holds,
    /// What last happened to it here: what its packets leave for.
    pub(super) last: Option<(Time, Event)>,
    /// Why it does not go on from here, if it does not: with the node that is to blame.
    pub(super) stands: Option<(Blame, Event)>,
    /// Who sent the last packet of it that came.
    pub(super) from: Option<NodeId>,
    /// Who gets it from here, and the event with which that began.
    to: Option<(NodeId, Id)>,
    /// Whom it could not reach, until it goes there again.
    unreached: BTreeMap<NodeId, Loss>,
    /// How it left.
    left: Option<Left>,
    /// The last packet for which there was no room.
    pub(super) no_room: Option<Event>,
    /// The part of it that was deleted last.
    deleted: Option<Loss>,
    /// The packet of it that was dropped last.
    pub(super) dropped: Option<(Time, Loss)>,
    /// The try with which the last packet of it left.
    pub(super) sent: Option<Event>,
}

/// How a bundle left its owner.
#[derive(Debug)]
enum Left {
    HandedOver(NodeId, Event),
    /// It is gone: why, and what its packets count as lost to.
    Lost(Blame, Event),
}

/// A message about a bundle.
#[derive(Debug)]
struct Message {
    packet: PacketId,
    kind: Kind,
    /// Of a probe and its answer: who asks.
    asker: Option<NodeId>,
    fate: Fate,
}

#[derive(Debug)]
enum Fate {
    UnderWay,
    Arrived,
    Lost(Event, &'static str),
}

/// Why something did not happen, and the event that tells more.
pub(super) type Why = (Blame, Option<Event>);

impl Bundles {
    pub(super) fn new(setup: &Setup) -> Self {
        let lengths = |flow: &hopwright_sim::Flow| {
            let FlowKind::Bundles { config, .. } = &flow.kind else { return None };
            let packet = u64::from(config.payload_bytes);
            Some((packet * u64::from(config.bundle_packets), packet))
        };
        let lengths: Vec<_> = setup.flows.iter().map(lengths).collect();
        let has_any = lengths.iter().any(Option::is_some);
        let falls = setup.switches.iter().filter(|switch| has_any && !switch.up);
        Self {
            known: FxHashMap::default(),
            lengths,
            from: vec![None; if has_any { setup.nodes.len() } else { 0 }],
            falls: falls.map(|switch| (switch.at, switch.node)).collect(),
        }
    }

    /// Where in its flow's stream the first byte of a packet is, or that of a bundle.
    pub(super) fn begins(&self, flow: usize, packet: &nctp::Packet) -> Option<u64> {
        let (_, full) = (*self.lengths.get(flow)?)?;
        let before = full * u64::from(packet.number.checked_sub(1)?);
        Some(self.first_byte((flow, packet.key.bundle))? + before)
    }

    /// Where in its flow's stream a bundle begins: all before it are full.
    pub(super) fn first_byte(&self, (flow, bundle): Number) -> Option<u64> {
        let (full, _) = (*self.lengths.get(flow)?)?;
        Some(1 + full * u64::from(bundle))
    }

    pub(super) fn get_mut(&mut self, number: Number) -> Option<&mut Bundle> {
        self.known.get_mut(&number)
    }

    /// A bundle; a late copy may be of one that was forgotten.
    pub(super) fn enter(&mut self, number: Number) -> &mut Bundle {
        self.known.entry(number).or_default()
    }

    /// Who sent a node what came to it last.
    pub(super) fn sender(&self, node: NodeId) -> Option<NodeId> {
        self.from.get(node.index()).copied().flatten()
    }

    /// Something came to a node.
    pub(super) fn heard(&mut self, node: NodeId, from: Option<NodeId>) {
        if let Some(place) = self.from.get_mut(node.index()) {
            *place = from;
        }
    }

    /// Whether a node goes down in this instant.
    pub(super) fn falls(&self, at: Time, node: NodeId) -> bool {
        self.falls.contains(&(at, node))
    }

    /// A packet of a bundle, or message about one, is dropped: lost with it, if nothing else carries it.
    pub(super) fn dropped(&mut self, at: Time, node: NodeId, packet: PacketId, about: &nctp::Packet, loss: Loss) {
        let number = (usize::from(about.key.connection), about.key.bundle);
        let Some(bundle) = self.known.get_mut(&number) else { return };
        if about.kind == Kind::Data {
            bundle.place(node).dropped = Some((at, loss));
        } else if let (event, Some(to)) = loss {
            bundle.set(packet, Fate::Lost(event, to));
        }
        self.forget(number);
    }

    /// Forgets a bundle of which nobody waits for anything.
    pub(super) fn forget(&mut self, number: Number) {
        let is_over = |bundle: &Bundle| !bundle.is_open && bundle.places.values().all(|p| p.holds == Holds::Nothing);
        if self.known.get(&number).is_some_and(is_over) {
            self.known.remove(&number);
        }
    }
}

impl Bundle {
    pub(super) fn place(&mut self, node: NodeId) -> &mut Place {
        self.places.entry(node).or_default()
    }

    /// A message about it leaves.
    pub(super) fn says(&mut self, packet: PacketId, about: &nctp::Packet) {
        let asks = matches!(about.kind, Kind::Probe | Kind::Alive);
        let asker = about.key.source.node().filter(|_| asks);
        self.messages.push(Message { packet, kind: about.kind, asker, fate: Fate::UnderWay });
    }

    /// A message about it has arrived.
    pub(super) fn hears(&mut self, packet: PacketId) {
        self.set(packet, Fate::Arrived);
    }

    fn set(&mut self, packet: PacketId, fate: Fate) {
        if let Some(message) = self.messages.iter_mut().find(|message| message.packet == packet) {
            message.fate = fate;
        }
    }

    /// The last question that a node asked.
    pub(super) fn probe(&self, node: NodeId) -> Option<PacketId> {
        self.asked(node, Kind::Probe).map(|message| message.packet)
    }

    fn asked(&self, node: NodeId, kind: Kind) -> Option<&Message> {
        self.messages.iter().rev().find(|message| message.kind == kind && message.asker == Some(node))
    }

    /// A packet of it leaves a node.
    pub(super) fn goes_on(&mut self, node: NodeId, about: &nctp::Packet, event: &Event) {
        let place = self.place(node);
        if place.holds == Holds::Nothing {
            place.holds = Holds::All;
        }
        (place.stands, place.left) = (None, None);
        if let Some(to) = about.receiver.node() {
            place.unreached.remove(&to);
            if about.number == 1 || place.to.is_none_or(|(before, _)| before != to) {
                place.to = Some((to, event.id()));
            }
        }
    }

    /// A node could not hand it over.
    pub(super) fn fails(&mut self, node: NodeId, to: NodeId, loss: Loss) {
        let place = self.place(node);
        place.stands = Some((without(NO_WAY, node), Event::clone(&loss.0)));
        place.unreached.insert(to, loss);
    }

    /// A node has handed it over.
    pub(super) fn handed_over(&mut self, node: NodeId, to: NodeId, event: Event) {
        let place = self.place(node);
        (place.holds, place.stands, place.left) = (Holds::Nothing, None, Some(Left::HandedOver(to, event)));
    }

    /// An owner has lost it; one that had handed it over has lost no more than what it kept.
    pub(super) fn lost(&mut self, node: NodeId, blame: Blame, event: Event) {
        let place = self.place(node);
        let cause = blame.cause.map(|cause| if cause == NODE_DOWN { OWNER_LOST } else { cause });
        if place.has_it() {
            place.left = Some(Left::Lost(Blame { cause, peer: blame.peer.or(Some(node)), ..blame }, event));
        }
        place.holds = Holds::Nothing;
    }

    /// The part that was at a node is deleted.
    pub(super) fn deleted(&mut self, node: NodeId, loss: Loss) {
        let place = self.place(node);
        (place.holds, place.deleted) = (Holds::Nothing, Some(loss));
    }

    /// The source sends it again.
    pub(super) fn restarts(&mut self, source: NodeId) {
        self.copies += 1;
        let place = self.place(source);
        (place.holds, place.stands, place.left) = (Holds::All, None, None);
    }

    /// Why its source has no acknowledgement.
    pub(super) fn missing(&self, source: NodeId, ways: &Ways) -> Why {
        if let Some(delivered) = &self.delivered {
            let acks = self.messages.iter().filter(|message| message.kind == Kind::Ack);
            let unasked = Blame { cause: Some("not_acknowledged"), ..Blame::default() };
            let answers = ["ack_late", "ack_lost"];
            return fate_of(acks, answers, ways).unwrap_or_else(|| (unasked, Some(Event::clone(delivered))));
        }
        let last = |place: &Place| place.last.as_ref().map_or(-1, |(_, event)| event.id());
        let owners = || self.places.iter().filter(|(_, place)| place.has_it()).rev();
        // A copy that goes on needs no second one, whatever became of others.
        if let Some((&node, place)) = owners().filter(|(_, place)| place.stands.is_none()).max_by_key(|(_, p)| last(p))
        {
            let event = place.last.as_ref().map(|(_, event)| Event::clone(event));
            return (Blame { cause: Some("data_late"), loss: None, peer: Some(node) }, event);
        }
        if let Some((_, place)) = owners().max_by_key(|(_, place)| last(place))
            && let Some((blame, event)) = &place.stands
        {
            return (*blame, Some(Event::clone(event)));
        }
        let left = self.places.values().filter_map(|place| Some((place, place.left.as_ref()?)));
        match left.max_by_key(|(_, left)| left.event().id()) {
            Some((_, Left::Lost(blame, event))) => (*blame, Some(event.clone())),
            Some((place, Left::HandedOver(to, event))) => self.between(place, *to, event),
            None => (Blame { cause: Some("not_sent"), loss: None, peer: Some(source) }, None),
        }
    }

    /// What became of a bundle that its owner took for handed over, and that did not become whole at the next one.
    fn between(&self, before: &Place, to: NodeId, handed_over: &Event) -> Why {
        let since = before.to.map_or(-1, |(_, id)| id);
        let there = self.places.get(&to);
        let no_room = there.and_then(|place| place.no_room.as_ref()).filter(|event| event.id() > since);
        let deleted = there.and_then(|place| place.deleted.as_ref()).filter(|(event, _)| event.id() > since);
        let (cause, (event, loss)) = match (no_room, deleted) {
            (Some(event), _) => (NO_ROOM, (event, None)),
            (None, Some((event, loss))) => ("part_deleted", (event, *loss)),
            (None, None) => (INCOMPLETE, (handed_over, None)),
        };
        (Blame { cause: Some(cause), loss, peer: Some(to) }, Some(Event::clone(event)))
    }

    /// Why nothing more came of a part, so that it is deleted.
    pub(super) fn cut_short(&self, node: NodeId) -> Why {
        let place = self.places.get(&node);
        let Some(from) = place.and_then(|place| place.from) else { return Why::default() };
        let blame = |cause, loss| Blame { cause: Some(cause), loss, peer: Some(from) };
        let before = self.places.get(&from);
        if let Some((event, loss)) = before.and_then(|before| before.unreached.get(&node)) {
            return (blame("link_failed", *loss), Some(Event::clone(event)));
        }
        match before.and_then(|before| Some((before, before.left.as_ref()?))) {
            Some((_, Left::Lost(why, event))) => {
                let cause = if why.cause == Some(OWNER_LOST) { OWNER_LOST } else { "given_up" };
                return (blame(cause, why.loss), Some(Event::clone(event)));
            }
            Some((before, Left::HandedOver(to, event))) if *to == node => {
                let since = before.to.map_or(-1, |(_, id)| id);
                let no_room = place.and_then(|place| place.no_room.as_ref()).filter(|event| event.id() > since);
                let cause = if no_room.is_some() { NO_ROOM } else { INCOMPLETE };
                return (blame(cause, None), Some(Event::clone(no_room.unwrap_or(event))));
            }
            _ => {}
        }
        let last = |place: &Place| place.last.as_ref().map(|(_, event)| Event::clone(event));
        if before.is_some_and(Place::has_it) || self.is_open {
            return (blame("data_late", None), before.and_then(last));
        }
        // Who had more of it has stopped, as nobody needs it; the acknowledgement may be forgotten.
        let acknowledged = self.acknowledged.clone();
        (blame("acknowledged", None), acknowledged.or_else(|| place.and_then(last)))
    }

    /// Why a node has no answer to its question.
    pub(super) fn unanswered(&self, node: NodeId, ways: &Ways) -> Why {
        let answer = fate_of(self.asked(node, Kind::Alive).into_iter(), ["answer_late", "answer_lost"], ways);
        let probe = || fate_of(self.asked(node, Kind::Probe).into_iter(), ["probe_late", "probe_lost"], ways);
        answer.or_else(probe).unwrap_or_default()
    }
}

/// The words of `cause` that several rows have.
pub(super) const NO_WAY: &str = "no_way";
pub(super) const NO_ROOM: &str = "no_room";
pub(super) const NODE_DOWN: &str = "node_down";
const OWNER_LOST: &str = "owner_lost";
const INCOMPLETE: &str = "incomplete";

/// What an owner lacks, and who is to blame.
pub(super) const fn without(what: &'static str, node: NodeId) -> Blame {
    Blame { cause: Some(what), loss: None, peer: Some(node) }
}

impl Place {
    /// Whether a copy goes on from here, or would if it could.
    fn has_it(&self) -> bool {
        self.holds == Holds::All || (self.holds == Holds::Part && self.to.is_some() && self.left.is_none())
    }

    pub(super) fn happened(&mut self, at: Time, event: &Event) {
        self.last = Some((at, Event::clone(event)));
    }
}

impl Left {
    const fn event(&self) -> &Event {
        match self {
            Self::HandedOver(_, event) | Self::Lost(_, event) => event,
        }
    }
}

/// What keeps all of these messages away: the first word if one of them is on its way, the second if all were lost, the
/// last of them as told.
fn fate_of<'a>(messages: impl Iterator<Item = &'a Message>, words: [&'static str; 2], ways: &Ways) -> Option<Why> {
    let mut last: Option<(&Event, &'static str)> = None;
    for message in messages {
        match &message.fate {
            Fate::UnderWay => {
                let peer = ways.get(message.packet).map(|way| way.node);
                return Some((Blame { cause: Some(words[0]), loss: None, peer }, ways.last(message.packet)));
            }
            Fate::Lost(event, to) if last.is_none_or(|(other, _)| other.id() < event.id()) => last = Some((event, to)),
            Fate::Lost(..) | Fate::Arrived => {}
        }
    }
    let (event, to) = last?;
    Some((Blame { cause: Some(words[1]), loss: Some(to), peer: None }, Some(Event::clone(event))))
}
