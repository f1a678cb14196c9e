//! Lineage: every packet, try and reaction with what led to it, for `events.parquet`.
//!
//! A try is one attempt of a station to hand a packet over: RTS, CTS, DATA, ACK, as far as it came. Rows link back: a
//! reaction to the loss that it answers, a loss to the station that gave up, that to its tries, each try to the frame
//! that stood in its way. What a row says was known when it happened; nothing is worked out from other rows afterwards.
//!
//! Spec      the events and their words are in docs/lineage.md
//! Holds     - each time-out, each fast retransmit and each bundle that is sent again names a loss, or what is late
//!           - memory grows with what is on its way, not with the run

mod about;
mod bundles;
mod carrying;
mod file;
mod flows;
mod foreign;
mod packets;
mod programs;
pub(crate) mod reasons;
mod row;
mod senders;
mod story;

use std::io::{self, Write};

use hopwright_link::{Frame, FrameKind};
use hopwright_machine::{DropCause, FlowTag, LossCause, NodeId, PacketId, Time};
use hopwright_sim::{Event as Told, FlowKind, Miss, Setup, Silence};
use hopwright_wire::{Packet, Payload};

use crate::answer;
use about::About;
use bundles::Bundles;
use file::{File, More};
use flows::{Flow, Part};
use foreign::Reader;
use packets::{Frames, Ways, is_route_error};
pub(crate) use packets::{carries, word};
use row::{By, Id, Row};
use story::{Event, Step};

/// What of a run is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// What was lost, what the senders did, and all that led to either.
    #[default]
    Losses,
    /// Everything.
    All,
}

/// What `events.parquet` holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// What of a run is told.
    pub scope: Scope,
    /// What the file says about itself, by key.
    pub about: Vec<(&'static str, String)>,
    /// Whether programs are attached. Then all that happens to their packets is told of, whatever the scope: nobody
    /// here knows what a program was waiting for.
    pub programs: bool,
}

/// A station's last try.
#[derive(Clone, Debug)]
struct Try {
    event: Event,
    id: Id,
    packet: PacketId,
    /// How many tries of this packet it is.
    count: u32,
    goes_on: bool,
    is_broadcast: bool,
    /// Whether it is told of however it ends.
    is_news: bool,
    /// Which frame was lost, why, and to which.
    lost: Option<(&'static str, &'static str, Option<By>)>,
    /// The last CTS or ACK for it.
    answer: Option<FrameKind>,
}

/// What is known of a node.
#[derive(Clone, Debug, Default)]
struct Node {
    tries: Option<Try>,
    /// The last thing that came to it, and when.
    heard: Option<(Time, Event)>,
    /// What last took a route from it.
    broke: Option<Event>,
    /// The packet that its station gave up last.
    gave_up: Option<(PacketId, Event)>,
}

/// Takes the events of a run and writes what led to what.
#[derive(Debug)]
pub struct Lineage<W: Write + Send> {
    file: File<W>,
    scope: Scope,
    next: Id,
    nodes: Vec<Node>,
    frames: Frames,
    ways: Ways,
    /// Of flows, and of the connections by which relays carry them on.
    flows: Vec<Flow>,
    /// Of each of these, the flow.
    owners: Vec<usize>,
    bundles: Bundles,
    /// There if programs are attached.
    programs: Option<Reader>,
    /// From whom and to whom each flow goes.
    ends: Vec<(NodeId, NodeId)>,
    segment_bytes: Vec<f64>,
    data_waits_for_idle: bool,
}

impl<W: Write + Send> Lineage<W> {
    /// The lineage of a run of `setup`.
    ///
    /// # Errors
    /// If the head of the file cannot be written.
    pub fn new(out: W, config: &Config, setup: &Setup) -> io::Result<Self> {
        let bytes = |flow: &hopwright_sim::Flow| match &flow.kind {
            FlowKind::Tcp { params, .. } => f64::from(params.segment_bytes),
            FlowKind::Udp(source) => f64::from(source.payload_bytes),
            FlowKind::Atp { params, .. } => f64::from(params.segment_bytes),
            FlowKind::Bundles { config, .. } => f64::from(config.payload_bytes),
        };
        let (details, bundles) = (crate::has_triggers(setup), crate::has_bundles(setup));
        let more = More { details, bundles, programs: config.programs };
        Ok(Self {
            file: File::new(out, &config.about, more)?,
            scope: config.scope,
            next: 0,
            nodes: vec![Node::default(); setup.nodes.len()],
            frames: Frames::default(),
            ways: Ways::default(),
            flows: vec![Flow::new(); setup.flows.len()],
            owners: (0..setup.flows.len()).collect(),
            ends: setup.flows.iter().map(|flow| (flow.from, flow.to)).collect(),
            bundles: Bundles::new(setup),
            programs: config.programs.then(Reader::default),
            segment_bytes: setup.flows.iter().map(bytes).collect(),
            data_waits_for_idle: setup.mac.data_waits_for_idle,
        })
    }

    /// Something has happened at a node.
    #[inline(always)] // it has one caller, and is told often
    pub fn event(&mut self, at: Time, node: NodeId, event: Told<'_>) {
        match event {
            Told::Originated(packet) => self.originated(at, node, packet),
            Told::Routing { packet, from, .. } if from != node => self.came(at, node, packet, from),
            Told::Enqueued { packet, next_hop, .. } if self.is_foreign(packet) => {
                self.queued(at, node, packet, next_hop)
            }
            Told::Routed { packet, .. } | Told::Enqueued { packet, .. } => self.made(at, node, packet),
            Told::Attempt { packet, next_hop } => self.tries(at, node, packet, next_hop),
            Told::Transmitted(frame) => self.transmitted(at, frame),
            Told::Missed { frame, why } => self.missed(at, node, frame, why),
            Told::Unanswered { frame, why } => self.unanswered(frame, why),
            Told::Sent(packet) => self.sent(at, node, packet),
            Told::GaveUp { packet, next_hop, cause, .. } => self.gave_up(at, node, packet, next_hop, cause),
            Told::RouteBroke { neighbour, in_range } => self.route_broke(at, node, neighbour, in_range),
            Told::Dropped { packet, cause, lost, .. } => self.dropped(at, node, packet, cause, lost),
            Told::Delivered(packet) => self.delivered(at, node, packet),
            Told::SentAgain { packet, by_relay } => self.sent_again(at, node, packet, by_relay),
            Told::CarriesOn { flow } => {
                self.flows.push(Flow::new());
                self.owners.push(flow);
            }
            Told::Sender { flow, public, .. } => self.sender(at, node, flow, public),
            Told::Adapted { flow, change } => self.adapted(at, node, flow, change),
            Told::Bundle { flow, bundle, news } => self.bundle(at, node, (flow, bundle), news),
            _ => {}
        }
    }

    /// Writes out what is still held back.
    ///
    /// # Errors
    /// The first error there was.
    pub fn finish(mut self) -> io::Result<()> {
        for node in 0..self.nodes.len() {
            if let Some(last) = self.nodes[node].tries.take().filter(|last| last.goes_on) {
                // A broadcast may have reached everybody; nobody waits for an answer.
                if !last.is_broadcast {
                    let (frame, _) = answer::failing(last.answer, self.data_waits_for_idle);
                    let (frame, cause, by) = last.lost.unwrap_or((word(frame), answer::UNFINISHED[0], None));
                    last.event.fail(frame, cause, by);
                }
                self.end(&last.event, last.is_news);
            }
        }
        let flows = self.ends.iter().zip(&self.flows).map(|(&(from, to), flow)| {
            let segment_bytes = flow.longest_bytes;
            format!(r#"{{"from": {from}, "to": {to}, "segment_bytes": {segment_bytes}}}"#)
        });
        self.file.say("flows", format!("[{}]", flows.collect::<Vec<_>>().join(", ")));
        self.file.finish()
    }

    /// A row that begins now.
    fn row(&mut self, at: Time, kind: &'static str, node: NodeId) -> Row {
        self.next += 1;
        Row::new(self.next - 1, at, kind, node)
    }

    /// Something that has happened, and may be told of later.
    fn happens(&mut self, row: Row, because: Option<Event>) -> Event {
        let event = Event::new(row, because);
        if self.scope == Scope::All {
            self.tell(&event);
        }
        event
    }

    /// Something that is told of, with what led to it.
    fn matters(&mut self, row: Row, because: Option<Event>) -> Event {
        let event = Event::new(row, because);
        self.tell(&event);
        event
    }

    fn tell(&mut self, event: &Event) {
        story::tell(event, |row| self.file.push(row));
    }

    /// A try that went on is over.
    fn end(&mut self, event: &Event, is_news: bool) {
        if event.end() || is_news || self.scope == Scope::All {
            self.tell(event);
        }
    }

    /// A row about a packet.
    fn row_of(&mut self, at: Time, kind: &'static str, node: NodeId, packet: &Packet) -> (Row, About) {
        let about = self.about(packet);
        let first_byte = about.part.map(|part| match part {
            Part::Data(position, _) | Part::Ack(position) | Part::Request(position, _) | Part::Answer(position, _) => {
                position
            }
        });
        let first_byte = first_byte.or(about.begins);
        let row = Row {
            packet: Some(packet.id),
            flow: about.flow,
            first_byte,
            bytes: about.bytes,
            carries: about.carries,
            bundle: about.bundle,
            foreign: about.foreign.map(Box::new),
            ..self.row(at, kind, node)
        };
        (row, about)
    }

    /// What came to a node in this instant.
    fn trigger(&self, at: Time, node: NodeId) -> Option<Event> {
        let heard = self.nodes[node.index()].heard.as_ref().filter(|(when, _)| *when == at);
        heard.map(|(_, event)| Event::clone(event))
    }

    /// What took a route from a node: a failure in this instant, or the last one that it noticed or was told of.
    fn break_at(&self, at: Time, node: NodeId) -> Option<Event> {
        let failure = |event: &Event| matches!(event.kind(), "gave_up" | "route_broke");
        self.trigger(at, node).filter(failure).or_else(|| self.nodes[node.index()].broke.clone())
    }

    fn originated(&mut self, at: Time, node: NodeId, packet: &Packet) {
        if let Payload::Nctp(about) = &packet.payload {
            return self.bundle_leaves(at, node, packet, about);
        }
        let (mut row, about) = self.row_of(at, "sent", node, packet);
        row.peer = packet.destination.node();
        // New data and acknowledgements follow from what arrives, and so on back to the beginning: that is no news.
        let mut because = None;
        if let (Some(book), Some(part)) = (about.book, about.part) {
            let flow = &mut self.flows[book];
            if let Part::Data(start, _) | Part::Request(start, _) = part
                && flow.has_sent(start)
            {
                let (blame, event) = flow.gap(start, &self.ways);
                row.kind = "resent";
                (row.cause, row.loss) = (blame.cause, blame.loss);
                because = flow.answer.as_ref().map(|(answer, _)| Event::clone(answer)).or(event);
            }
            row.tries = u32::try_from(flow.leaves(packet.id, part)).ok();
            if let Part::Answer(..) = part {
                because = self.trigger(at, node); // the request
            }
        }
        let is_news = row.kind == "resent";
        let sent = if is_news { self.matters(row, because) } else { self.happens_to(packet, row, because) };
        self.ways.begin(packet.id, node, sent);
    }

    /// A message of routing, address resolution or a notice enters the network where it is first seen.
    fn made(&mut self, at: Time, node: NodeId, packet: &Packet) {
        if !packet.payload.is_message() {
            return;
        }
        if self.ways.get(packet.id).is_none() {
            let (mut row, _) = self.row_of(at, "sent", node, packet);
            row.peer = packet.destination.node();
            let sent = self.happens(row, self.trigger(at, node));
            self.ways.begin(packet.id, node, sent);
        }
        if packet.destination.is_group() {
            self.ways.spread(at, packet.id);
        }
    }

    /// A packet has come to a node.
    fn came(&mut self, at: Time, node: NodeId, packet: &Packet, from: NodeId) {
        if self.is_foreign(packet) {
            self.foreign_came(at, node, packet, from);
        }
        let Some(way) = self.ways.get_mut(packet.id) else { return };
        let known = &mut self.nodes[node.index()];
        if is_route_error(packet) {
            known.broke = Some(Event::clone(&way.last));
        }
        let is_message = packet.payload.is_message();
        // What a flow's packet leads to has another name: a reaction, a loss, a message.
        known.heard = Some((at, Event::clone(&way.last)));
        if packet.destination.is_group() {
            return;
        }
        way.node = node;
        if is_message && packet.destination == node.address() {
            self.ways.end(packet.id); // what is sent on is a new message
        }
    }

    fn tries(&mut self, at: Time, node: NodeId, packet: &Packet, next_hop: Option<NodeId>) {
        self.end_try(node, false);
        let flow = packet.flow.map(FlowTag::flow);
        let is_news = self.is_foreign(packet);
        let (id, packet, is_broadcast) = (self.next, packet.id, next_hop.is_none());
        self.next += 1;
        // The next hop may have the packet, and have passed it on, while this station goes on trying.
        let way = self.ways.get_mut(packet).filter(|way| way.node == node);
        let last = &mut self.nodes[node.index()].tries;
        let again = last.as_ref().filter(|last| last.packet == packet);
        let count = again.map_or(1, |last| last.count + 1);
        let before = again.map(|last| &last.event).or(way.as_ref().map(|way| &way.last)).cloned();
        let event = Event::begin(packet, flow, Step::new(id, at, node, next_hop, count), before);
        if let Some(way) = way {
            way.last = Event::clone(&event);
        }
        *last = Some(Try { event, id, packet, count, goes_on: true, is_broadcast, is_news, lost: None, answer: None });
    }

    /// A station's try is over, well or not.
    fn end_try(&mut self, node: NodeId, well: bool) {
        let Some(last) = self.nodes[node.index()].tries.as_mut().filter(|last| last.goes_on) else { return };
        last.goes_on = false;
        if !well && !last.is_broadcast {
            let (failing, how) = answer::failing(last.answer, self.data_waits_for_idle);
            let (frame, cause, by) = last.lost.unwrap_or((word(failing), how, None));
            last.event.fail(frame, cause, by);
        }
        let (event, is_news) = (Event::clone(&last.event), last.is_news);
        self.end(&event, is_news);
    }

    fn transmitted(&mut self, at: Time, frame: &Frame<Packet>) {
        let tries = frame.tries();
        let going_on = self.nodes[tries.index()].tries.as_mut().filter(|last| last.goes_on);
        let event = going_on.map(|going_on| {
            if frame.kind.is_answer() {
                going_on.answer = Some(frame.kind);
            }
            (going_on.id, going_on.packet)
        });
        self.frames.launch(packets::Frame { at, tries, event, kind: frame.kind });
    }

    /// The try that a frame belongs to, if it is going on.
    fn try_of(&mut self, frame: u64) -> Option<(&mut Try, FrameKind)> {
        let frame = self.frames.get(frame)?;
        let going_on = self.nodes[frame.tries.index()].tries.as_mut().filter(|last| last.goes_on)?;
        let is_it = frame.event.is_some_and(|(id, _)| id == going_on.id);
        Some((going_on, frame.kind)).filter(|_| is_it)
    }

    fn missed(&mut self, at: Time, node: NodeId, frame: u64, why: Miss) {
        let (cause, by) = (why.name(), why.disturber().map(|other| self.frames.by(other)));
        let scope = self.scope;
        let Some((going_on, kind)) = self.try_of(frame) else { return };
        if !going_on.is_broadcast {
            going_on.lost.get_or_insert((word(kind), cause, by));
            return;
        }
        if scope == Scope::Losses {
            self.next += 1; // numbers do not depend on the scope
            return; // who did not hear a message for everyone leads to nothing that could name it
        }
        let (tried, packet) = (Event::clone(&going_on.event), Some(going_on.packet));
        let (frame, cause) = (Some(word(kind)), Some(cause));
        let row = Row { packet, frame, cause, by: by.map(Box::new), ..self.row(at, "missed", node) };
        self.happens(row, Some(tried));
    }

    fn unanswered(&mut self, frame: u64, why: Silence) {
        let (cause, by) = (why.name(), why.disturber().map(|other| self.frames.by(other)));
        if let Some((going_on, kind)) = self.try_of(frame) {
            going_on.lost.get_or_insert((word(kind), cause, by));
        }
    }

    fn sent(&mut self, at: Time, node: NodeId, packet: &Packet) {
        let is_broadcast = self.nodes[node.index()].tries.as_ref().is_some_and(|last| last.is_broadcast);
        if is_broadcast {
            // Who missed it is told in this instant, or a little later: the try stays known until the next one.
            self.ways.spread(at, packet.id);
            return;
        }
        self.end_try(node, true);
        match &packet.payload {
            Payload::Arp(_) => self.ways.end(packet.id), // routing is not told that it came
            Payload::Nctp(about) => self.bundle_sent(node, packet, about),
            _ => {}
        }
    }

    fn gave_up(&mut self, at: Time, node: NodeId, packet: &Packet, next_hop: NodeId, cause: DropCause) {
        self.end_try(node, false);
        let (mut row, _) = self.row_of(at, "gave_up", node, packet);
        (row.peer, row.cause) = (Some(next_hop), Some(cause.name()));
        let last = self.nodes[node.index()].tries.as_ref();
        row.tries = last.map(|last| last.count);
        let because = last.map(|last| Event::clone(&last.event));
        let gave_up = self.matters(row, because);
        if let Some(way) = self.ways.get_mut(packet.id).filter(|way| way.node == node) {
            way.last = Event::clone(&gave_up);
        }
        let known = &mut self.nodes[node.index()];
        (known.heard, known.gave_up) = (Some((at, Event::clone(&gave_up))), Some((packet.id, gave_up)));
    }

    fn route_broke(&mut self, at: Time, node: NodeId, neighbour: NodeId, in_range: bool) {
        let cause = Some(if in_range { "in_range" } else { "out_of_range" });
        let row = Row { peer: Some(neighbour), cause, ..self.row(at, "route_broke", node) };
        let broke = self.matters(row, self.trigger(at, node));
        let known = &mut self.nodes[node.index()];
        (known.heard, known.broke) = (Some((at, Event::clone(&broke))), Some(broke));
    }

    fn dropped(&mut self, at: Time, node: NodeId, packet: &Packet, cause: DropCause, lost: Option<LossCause>) {
        let (mut row, about) = self.row_of(at, "dropped", node, packet);
        let loss = lost.map(LossCause::name);
        (row.cause, row.loss) = (Some(cause.name()), loss);
        row.tries = self.nodes[node.index()].tries.as_ref().filter(|t| t.packet == packet.id).map(|t| t.count);
        let is_for_want_of_a_route =
            cause.loss(LossCause::Contention) == LossCause::NoRoute || cause == DropCause::NextHopLost;
        let because = match cause {
            DropCause::RetryLimitRts | DropCause::RetryLimitData => {
                let given_up = self.nodes[node.index()].gave_up.as_ref().filter(|(given_up, _)| *given_up == packet.id);
                given_up.map(|(_, event)| Event::clone(event))
            }
            _ if is_for_want_of_a_route => self.break_at(at, node),
            _ => None,
        };
        // Of a packet of which a copy has arrived nothing is remembered.
        let because = because.or_else(|| self.ways.last(packet.id)).or_else(|| self.trigger(at, node));
        let dropped = self.matters(row, because);
        if let (Some(book), Some(part), Some(loss)) = (about.book, about.part, loss) {
            self.flows[book].loses(packet.id, part, dropped, loss);
        } else if let Payload::Nctp(about) = &packet.payload {
            self.bundles.dropped(at, node, packet.id, about, (dropped, loss));
        }
        // What is for everyone may be in other hands.
        let is_followed = about.flow.is_some() || about.foreign.is_some();
        if lost.is_some() || !(is_followed || packet.destination.is_group()) {
            self.ways.end(packet.id);
        }
        let going_on = self.nodes[node.index()].tries.as_mut().filter(|last| last.goes_on && last.packet == packet.id);
        if let Some(last) = going_on.filter(|_| cause == DropCause::NodeDown) {
            let (frame, _) = answer::failing(last.answer, self.data_waits_for_idle);
            last.lost.get_or_insert((word(frame), Miss::CutOff.name(), None));
            self.end_try(node, false);
        }
    }

    fn delivered(&mut self, at: Time, node: NodeId, packet: &Packet) {
        let (mut row, about) = self.row_of(at, "delivered", node, packet);
        row.peer = match &packet.payload {
            Payload::Nctp(about) => about.sender.node(), // the owner before this one
            _ => packet.source.node(),
        };
        let delivered = self.happens_to(packet, row, self.ways.last(packet.id));
        self.ways.end(packet.id);
        self.nodes[node.index()].heard = Some((at, Event::clone(&delivered)));
        if let (Some(book), Some(part)) = (about.book, about.part) {
            self.flows[book].arrives(packet.id, part, delivered);
            if let (Part::Ack(position), true) = (part, book >= self.ends.len()) {
                self.flows[book].acknowledged(position); // of a relay's sender nothing else is told
            }
        } else if let Payload::Nctp(about) = &packet.payload {
            self.bundle_comes(at, node, packet.id, about, delivered);
        }
    }

    /// There is a copy more of a packet.
    fn sent_again(&mut self, at: Time, node: NodeId, packet: &Packet, by_relay: bool) {
        let (mut row, about) = self.row_of(at, "copied", node, packet);
        row.peer = packet.destination.node();
        row.cause = Some(if by_relay { reasons::RELAY } else { reasons::DUPLICATED });
        let because = self.ways.last(packet.id).or_else(|| self.trigger(at, node));
        let copied = self.matters(row, because);
        if let (Some(book), Some(part)) = (about.book, about.part) {
            self.flows[book].goes_on(packet.id, part);
        }
        self.ways.begin(packet.id, node, copied);
    }
}
