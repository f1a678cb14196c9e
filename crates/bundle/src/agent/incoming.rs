//! What comes in: packets of bundles, to be kept or delivered, and messages about them.
//!
//! Spec      Velayutham 2005 §6.4.3, §6.4.5, §6.5.2, §6.5.3
//! Deviates  see the parent module
//! Holds     a packet counts once, however often it comes

use std::sync::Arc;

use hopwright_machine::{Address, NodeId, Time};
use hopwright_wire::nctp::{Key, Kind, Packet};

use super::Agent;
use crate::bundle::{Bundle, Probe, Role, Stage};
use crate::config::{AcksAgain, WhenFull};
use crate::news::{News, Output, Route};
use crate::parts::Parts;
use crate::source::Shape;

impl Agent {
    pub(super) fn on_packet(&mut self, packet: &Packet, (from, hops): (NodeId, u8), route: Option<Route<'_>>) {
        match packet.kind {
            Kind::Data if packet.destination == self.me() => self.on_arrival(packet, route),
            Kind::Data => self.on_relayed(packet, (from, hops), route),
            Kind::Probe => self.message(Kind::Alive, packet.key, (packet.destination, packet.sender), [].into()),
            Kind::Alive => self.on_alive(packet.destination),
            Kind::Ack => self.on_ack(packet.key),
            Kind::Refusal => self.on_refusal(packet.key, packet.sender),
        }
    }

    /// A packet of a bundle for this node.
    pub(super) fn on_arrival(&mut self, packet: &Packet, route: Option<Route<'_>>) {
        let key = packet.key;
        let sink = self.sinks.entry((key.source, key.connection)).or_default();
        if sink.has(key.bundle) {
            self.tell(key, News::Duplicate);
            let acks = match self.config.acks_again {
                AcksAgain::Complete => packet.number == packet.packets,
                AcksAgain::FirstPacket => packet.number == 1,
            };
            if acks {
                self.acknowledge(packet, route);
            }
            return;
        }
        if !self.bundles.contains_key(&key) {
            self.begin(packet, Role::Destination);
        }
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        if !bundle.parts.add(packet.number) {
            return self.tell(key, News::Duplicate);
        }
        bundle.note_bytes(packet);
        let (is_whole, bytes) = (bundle.parts.is_whole(), bundle.shape.bytes());
        self.tell(key, News::Arrived(packet.payload_bytes));
        if is_whole {
            self.bundles.remove(&key);
            self.tell(key, News::Owned);
            let sink = self.sinks.entry((key.source, key.connection)).or_default();
            let bytes = sink.take(key.bundle, bytes);
            self.tell(key, News::Delivered);
            if bytes > 0 {
                self.out.push_back(Output::Deliver { source: key.source, connection: key.connection, bytes });
            }
            self.acknowledge(packet, route);
        }
    }

    /// Acknowledges a bundle to its source, back over the way that the packet came if that began at the source.
    pub(super) fn acknowledge(&mut self, packet: &Packet, route: Option<Route<'_>>) {
        let (key, destination) = (packet.key, packet.destination);
        let back = route.filter(|route| route.nodes.first() == Some(&key.source) && route.at > 0);
        let path = back.map(|route| route.nodes[..=route.at].iter().rev().copied().collect());
        self.message(Kind::Ack, key, (destination, key.source), path.unwrap_or_default());
    }

    /// A bundle of which nothing is here yet.
    pub(super) fn begin(&mut self, packet: &Packet, role: Role) {
        let (full_bytes, tail_bytes) = (packet.payload_bytes, packet.payload_bytes);
        let shape = Shape { packets: packet.packets, full_bytes, tail_bytes, is_last: packet.is_last };
        self.add(packet.key, Bundle::new(role, packet.destination, shape, Parts::none(packet.packets)));
        self.tell(packet.key, News::Begun);
    }

    pub(super) fn add(&mut self, key: Key, mut bundle: Bundle) {
        bundle.order = self.came;
        self.came += 1;
        if bundle.role == Role::Relay {
            self.relayed += 1;
            self.most_relayed = self.most_relayed.max(self.relayed);
        }
        self.bundles.insert(key, bundle);
    }

    pub(super) fn remove(&mut self, key: &Key) {
        let removed = self.bundles.remove(key);
        self.relayed -= u32::from(removed.is_some_and(|bundle| bundle.role == Role::Relay));
    }

    /// A packet of a bundle for another node.
    pub(super) fn on_relayed(&mut self, packet: &Packet, (from, hops): (NodeId, u8), route: Option<Route<'_>>) {
        let key = packet.key;
        if !self.bundles.contains_key(&key) {
            if self.config.room.is_some_and(|room| self.relayed >= room) {
                self.tell(key, News::NoRoom);
                if self.config.when_full == WhenFull::Refuse {
                    let path = Arc::from([self.me(), from.address()]);
                    self.message(Kind::Refusal, key, (packet.destination, from.address()), path);
                }
                return;
            }
            self.begin(packet, Role::Relay);
        }
        let (now, config) = (self.now, Arc::clone(&self.config));
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        if !bundle.parts.add(packet.number) {
            let has_come_back = matches!(bundle.stage, Stage::Away) && packet.number == packet.packets;
            self.tell(key, News::Duplicate);
            if has_come_back {
                self.send_again(key); // nobody further on has it, but this node has a copy
            }
            return;
        }
        bundle.note_bytes(packet);
        bundle.hops_made = hops;
        if let Some(route) = route {
            (bundle.route, bundle.at) = (route.nodes.into(), route.at);
        }
        // What goes through at once cannot wait for an answer.
        let asks = bundle.probe == Probe::NotSent
            && !config.cut_through
            && packet.packets - packet.number <= config.probe_lead;
        let is_whole = bundle.parts.is_whole();
        bundle.deleted_at = if is_whole { Time::NEVER } else { now + config.receive_timer };
        if asks {
            self.ask(key);
        }
        if is_whole {
            self.tell(key, News::Owned);
        }
        self.go_on(key);
    }

    /// Asks the destination whether the way ahead is alive.
    pub(super) fn ask(&mut self, key: Key) {
        let (me, until) = (self.me(), self.now + self.config.probe_timer);
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        bundle.probe = Probe::Sent(until);
        let ahead = bundle.route.get(bundle.at..).unwrap_or_default();
        let (destination, path) = (bundle.destination, ahead.into());
        self.message(Kind::Probe, Key { source: me, ..key }, (destination, destination), path);
        self.tell(key, News::Probed);
    }

    /// A relay's bundle goes on if all is there that it needs for it.
    pub(super) fn go_on(&mut self, key: Key) {
        let cut_through = self.config.cut_through;
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        if !matches!(bundle.stage, Stage::Gathering) {
            return;
        }
        let may_go = bundle.parts.is_whole() && !matches!(bundle.probe, Probe::Sent(_) | Probe::NotSent);
        if cut_through || may_go {
            let knows = bundle.probe != Probe::Silent;
            match bundle.way_ahead().filter(|_| knows) {
                Some(way) => self.send_over(key, way),
                None => self.seek(key),
            }
        }
    }

    /// A link is broken: over it no answer comes.
    pub(super) fn on_broken(&mut self, from: Address, to: Address) {
        if !self.config.heeds_errors {
            return;
        }
        let keys: Vec<Key> = self.bundles.iter().filter(|(_, b)| b.asks_over(from, to)).map(|(&key, _)| key).collect();
        keys.into_iter().for_each(|key| self.silent(key));
    }

    /// No answer comes: the bundle wants another way.
    pub(super) fn silent(&mut self, key: Key) {
        if let Some(bundle) = self.bundles.get_mut(&key) {
            bundle.probe = Probe::Silent;
        }
        self.tell(key, News::Silent);
        self.go_on(key);
    }

    /// The destination has answered.
    pub(super) fn on_alive(&mut self, destination: Address) {
        let asked = |bundle: &Bundle| bundle.destination == destination && matches!(bundle.probe, Probe::Sent(_));
        let keys: Vec<Key> = self.bundles.iter().filter(|(_, b)| asked(b)).map(|(&key, _)| key).collect();
        for key in keys {
            if let Some(bundle) = self.bundles.get_mut(&key) {
                bundle.probe = Probe::Alive;
            }
            self.go_on(key);
        }
    }
}
