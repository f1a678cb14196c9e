//! Destination-sequenced distance vectors (DSDV).
//!
//! Every node tells its neighbours its whole table now and then, and what has changed in between. Numbers that only
//! destinations raise say which news is fresh.
//!
//! How ns-2 differs from the paper: its updates do not begin with the sender's own entry, unless they are full; a route
//! under a newer number has to settle even where its metric is the old one, and is left out of full updates
//! meanwhile; a break that a neighbour tells of is passed on with the next update, and triggers none; the link
//! layer's failures are not used unless `link_layer_feedback` says so; an update counts 12 bytes per entry and no
//! header; TCP's segments count 20 bytes twice; packets start with TTL 32; a node drops its own packet that comes back.
//!
//! Spec      Perkins and Bhagwat 1994; ns-2.35 as its source shows it
//! Deviates  ns2: numbers wrap; packets kept for a destination leave when its route is usable, not when anybody offers
//!           one; a packet that failed is routed again as it was, its TTL is not counted down twice
//! Holds     next hops towards a destination never form a loop

mod config;
mod route;
mod updates;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

pub use config::{Config, Rules};
use hopwright_machine::{Address, DropCause, Machine, NodeId, Purpose, Stream, Time};
use hopwright_wire::dsdv::{INFINITE, Update};
use hopwright_wire::{Packet, Payload, ip};
use route::{Effect, Offer, Route};

use crate::parts::{Outbox, Watch};
use crate::{Counters, Input, Output, Protocol, Wishes};

/// The number before a node's first.
const FIRST_NUMBER: u32 = 0;

/// The time to live of ns-2's packets.
const NS2_TTL: u8 = 32;

/// The length of `packet` with IP header as ns-2 counts it: TCP's segments have the IP header twice, since agent and router
/// each add it; an update has no UDP header and no header of its own.
fn ns2_bytes(packet: &Packet) -> u32 {
    match &packet.payload {
        Payload::Dsdv(update) => ip::HEADER_BYTES + update.bytes() - hopwright_wire::dsdv::HEADER_BYTES,
        Payload::Tcp(_) => packet.bytes() + ip::HEADER_BYTES,
        _ => packet.bytes(),
    }
}

/// The DSDV router of one node.
#[derive(Debug)]
pub struct Dsdv {
    config: Config,
    now: Time,
    out: Outbox,
    watch: Watch,
    stream: Stream,
    routes: BTreeMap<Address, Route>,
    /// The number of the last own update.
    sequence: u32,
    full_at: Time,
    last_update: Option<Time>,
    /// When news is to be told, by time and by destination.
    triggers: BTreeSet<(Time, Address)>,
    trigger_of: BTreeMap<Address, Time>,
    /// When silent neighbours are lost, by time and by neighbour.
    silences: BTreeSet<(Time, NodeId)>,
    silence_of: BTreeMap<NodeId, Time>,
    /// Packets that wait for a route.
    kept: BTreeMap<Address, VecDeque<Packet>>,
}

impl Dsdv {
    /// The router of `node`; `seed` is the run's, `wishes` what transports ask of all routers.
    #[must_use]
    pub fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        let bytes = match config.rules {
            Rules::Perkins => Packet::bytes,
            Rules::Ns2 => ns2_bytes,
        };
        Self {
            now: Time::ZERO,
            out: Outbox::new(node, seed, wishes, bytes),
            watch: Watch::default(),
            stream: Stream::new(seed, node, Purpose::Routing),
            routes: BTreeMap::new(),
            sequence: FIRST_NUMBER,
            full_at: Time::NEVER,
            last_update: None,
            triggers: BTreeSet::new(),
            trigger_of: BTreeMap::new(),
            silences: BTreeSet::new(),
            silence_of: BTreeMap::new(),
            kept: BTreeMap::new(),
            config,
        }
    }

    fn me(&self) -> Address {
        self.out.node.address()
    }

    fn route(&self, destination: Address) -> Option<&Route> {
        self.routes.get(&destination).filter(|route| route.is_usable() && route.metric > 0)
    }

    fn on_time(&mut self) {
        self.out.release(self.now);
        while let Some(&(time, neighbour)) = self.silences.first() {
            if time > self.now {
                break;
            }
            self.on_neighbour_lost(neighbour);
        }
        self.follow_triggers();
        if self.full_at <= self.now {
            self.send_full();
        }
    }

    fn on_receive(&mut self, mut packet: Packet, from: NodeId) {
        match &packet.payload {
            Payload::Dsdv(update) => self.on_update(update, from),
            _ if packet.destination == self.me() || packet.destination.is_broadcast() => self.out.deliver(packet),
            _ if self.config.rules == Rules::Ns2 && packet.source == self.me() => {
                self.out.drop(packet, DropCause::RoutingLoop);
            }
            _ if self.out.spares(&packet, from, |to| self.next_hop(to)) => {
                self.out.drop(packet, DropCause::NoticeSpared);
            }
            // RFC 1812 §5.3.1
            _ if packet.ttl <= 1 => self.out.drop(packet, DropCause::TtlExpired),
            _ => {
                packet.ttl -= 1;
                self.forward(packet);
            }
        }
    }

    fn on_update(&mut self, update: &Update, from: NodeId) {
        for entry in update.entries.iter() {
            let metric = entry.metric.saturating_add(1);
            self.on_offer(entry.destination, Offer { from, metric, sequence: entry.sequence });
        }
        let (now, config) = (self.now, &self.config);
        // A neighbour that did not name itself is known all the same.
        self.routes.entry(from.address()).or_insert_with(|| Route::unheard(from, 1, now, config));
        self.hear(from);
        self.watch.alive(from);
        self.release();
    }

    fn on_offer(&mut self, destination: Address, offer: Offer) {
        let now = self.now;
        if destination == self.me() {
            // Somebody believes this node is gone: it has the last word.
            if offer.metric == INFINITE {
                self.full_at = now;
            }
            return;
        }
        let effect = match self.routes.get_mut(&destination) {
            Some(route) => route.consider(now, offer, &self.config),
            None => {
                let (route, effect) = Route::first(now, offer, &self.config);
                self.routes.insert(destination, route);
                effect
            }
        };
        if effect == Effect::Trigger
            && let Some(time) = self.routes.get(&destination).map(|route| route.advertise_at)
        {
            // What settled long ago is told at once (Perkins and Bhagwat 1994 §3: the advertisement waits for the route
            // to settle, and for nothing else).
            self.trigger(destination, time.max(now));
        }
    }

    /// Starts the neighbour's time of silence anew.
    fn hear(&mut self, neighbour: NodeId) {
        self.forget_silence(neighbour);
        let time = self.now + self.config.neighbour_timeout();
        self.silences.insert((time, neighbour));
        self.silence_of.insert(neighbour, time);
    }

    fn forget_silence(&mut self, neighbour: NodeId) {
        if let Some(old) = self.silence_of.remove(&neighbour) {
            self.silences.remove(&(old, neighbour));
        }
    }

    fn on_neighbour_lost(&mut self, neighbour: NodeId) {
        self.forget_silence(neighbour);
        let now = self.now;
        let through = self.routes.iter().filter(|(_, route)| route.next_hop == neighbour && route.is_usable());
        let lost: Vec<Address> = through.map(|(&destination, _)| destination).collect();
        if !lost.is_empty() {
            self.out.broke(neighbour);
        }
        for destination in lost {
            if let Some(route) = self.routes.get_mut(&destination) {
                route.fail(now);
            }
            self.trigger(destination, now);
        }
        self.follow_triggers();
    }

    /// Sends a packet along its route, or keeps it until there is one.
    fn forward(&mut self, packet: Packet) {
        let destination = packet.destination;
        if destination == self.me() {
            return self.out.deliver(packet);
        }
        if destination.is_broadcast() {
            self.out.broadcast_jittered(self.now, self.config.broadcast_jitter, packet);
            return;
        }
        if let Some(next_hop) = self.next_hop(destination) {
            return self.out.transmit(packet, Some(next_hop));
        }
        self.report(&packet, None);
        self.keep(packet);
    }

    /// Keeps a packet until there is a route.
    fn keep(&mut self, packet: Packet) {
        let kept = self.kept.entry(packet.destination).or_default();
        kept.push_back(packet);
        if kept.len() > self.config.buffer_packets
            && let Some(oldest) = kept.pop_front()
        {
            self.out.drop(oldest, DropCause::RouteBufferFull);
        }
    }

    /// Sends the packets whose destinations have got a route.
    fn release(&mut self) {
        if self.kept.is_empty() {
            return;
        }
        let ready: Vec<Address> = self.kept.keys().copied().filter(|&to| self.route(to).is_some()).collect();
        for destination in ready {
            for packet in self.kept.remove(&destination).into_iter().flatten() {
                self.forward(packet);
            }
        }
    }

    fn on_link_failed(&mut self, packet: Packet, next_hop: NodeId, cause: DropCause) {
        self.report(&packet, Some(next_hop));
        self.on_link_lost(next_hop);
        if !self.config.link_layer_feedback {
            return self.out.drop(packet, cause);
        }
        // Its source has been told, if it wants to know.
        match self.next_hop(packet.destination) {
            other @ Some(_) => self.out.transmit(packet, other),
            None => self.keep(packet),
        }
    }

    /// The link layer says that a neighbour does not answer.
    fn on_link_lost(&mut self, neighbour: NodeId) {
        self.out.counters.link_failures += 1;
        if self.config.link_layer_feedback {
            self.on_neighbour_lost(neighbour);
        }
    }

    /// Tells the source of a packet that it cannot be forwarded, if the source wants to know.
    fn report(&mut self, packet: &Packet, next_hop: Option<NodeId>) {
        let notice = self.watch.undeliverable(&mut self.out, self.now, packet, next_hop);
        if let Some(notice) = notice {
            let next_hop = self.next_hop(packet.source);
            self.out.notify(packet.source, notice, next_hop);
        }
    }
}

impl Protocol for Dsdv {
    fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.route(destination).map(|route| route.next_hop)
    }

    fn hops(&self, destination: Address) -> Option<u32> {
        self.route(destination).map(|route| route.metric)
    }

    fn held(&self) -> usize {
        self.out.held() + self.kept.values().map(VecDeque::len).sum::<usize>()
    }

    fn heed(&mut self, wishes: &Arc<Wishes>) {
        self.out.heed(wishes);
    }

    fn counters(&self) -> Counters {
        self.out.counters
    }

    fn first_ttl(&self) -> u8 {
        match self.config.rules {
            Rules::Perkins => ip::DEFAULT_TTL,
            Rules::Ns2 => NS2_TTL,
        }
    }

    fn packet_bytes(&self, packet: &Packet) -> u32 {
        match self.config.rules {
            Rules::Perkins => packet.bytes(),
            Rules::Ns2 => ns2_bytes(packet),
        }
    }
}

impl Machine for Dsdv {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        self.on_time();
        match input {
            Input::Start => self.start(),
            // There is no search: a route is known or not.
            Input::Wake | Input::Seek(_) | Input::Overheard { .. } | Input::Left { .. } | Input::Passed { .. } => {}
            Input::LinkLost(neighbour) => self.on_link_lost(neighbour),
            Input::Send(mut packet) | Input::SendOver { mut packet, .. } => {
                packet.ttl = packet.ttl.min(self.first_ttl());
                self.forward(packet);
            }
            Input::Receive { packet, from } => self.on_receive(packet, from),
            Input::LinkFailed { packet, next_hop, cause } => self.on_link_failed(packet, next_hop, cause),
            // Never asked for.
            Input::Reclaimed { packet, .. } => self.forward(packet),
        }
        if self.out.may_be_watched() {
            let routes = self.out.wanted(|address| self.next_hop(address));
            self.watch.tell(&mut self.out, routes);
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.poll()
    }

    fn deadline(&self) -> Time {
        let trigger = self.triggers.first().map_or(Time::NEVER, |(time, _)| *time);
        let silence = self.silences.first().map_or(Time::NEVER, |(time, _)| *time);
        self.out.deadline().min(self.full_at).min(trigger).min(silence)
    }
}
