//! AODV as ns-2.35 runs it: an early draft with link-layer feedback and local repair.
//!
//! How it differs from RFC 3561: the first request for a destination already has TTL 30, as the last known
//! length of an unknown route counts as 255 hops; rings grow from the last known length; waits follow the
//! measured time per hop; after a failed search requests pause for 10 s; a table walk twice a second expires
//! routes and asks again for kept packets; sequence numbers count in steps of two, odd ones mark lost routes;
//! errors go to everybody, without precursors and without a rate limit, where the failure is found; a
//! received error also empties the interface queue; a packet that fails nearer to its destination than to
//! its source is kept while the node searches for a new route (local repair).
//!
//! Spec      ns-2.35, as packet traces of its runs show it
//! Deviates  the table is walked in the order of addresses; the time per hop is measured from the last
//!           request for the destination (the trace format has no room for a time stamp); a reply without
//!           any next hop is not sent; where ns-2 would stop at an assertion, it goes on
//! Holds     every packet kept is released or dropped; NOT that routes are free of loops: a route under
//!           repair is still offered to others

mod messages;
mod route;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, NodeId, Time};
use hopwright_wire::aodv::Message;
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, Payload, ip};
use route::{Route, State};

use super::Config;
use crate::parts::{Buffer, Outbox, Seen};
use crate::{Counters, Input, Output, Wishes};

/// The length of `packet` with IP header as ns-2 counts it: no UDP header, four bytes more in requests and
/// replies for the time stamp.
pub(super) fn packet_bytes(packet: &Packet) -> u32 {
    match &packet.payload {
        Payload::Aodv(message @ (Message::Rreq(_) | Message::Rrep(_))) => ip::HEADER_BYTES + message.bytes() + 4,
        Payload::Aodv(message) => ip::HEADER_BYTES + message.bytes(),
        _ => packet.bytes(),
    }
}

#[derive(Debug)]
pub(super) struct Ns2 {
    config: Config,
    now: Time,
    out: Outbox,
    buffer: Buffer,
    seen: Seen,
    routes: BTreeMap<Address, Route>,
    sequence: u32,
    request_id: u32,
    next_walk: Time,
    repairs: BTreeSet<(Time, Address)>,
    /// Destinations that a transport asked for, though no packet waits, and until when.
    sought: BTreeMap<Address, Time>,
}

impl Ns2 {
    pub(super) fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self {
            now: Time::ZERO,
            out: Outbox::new(node, seed, wishes, packet_bytes),
            buffer: Buffer::default(),
            seen: Seen::default(),
            routes: BTreeMap::new(),
            sequence: 2,
            request_id: 1,
            next_walk: Time::ZERO + config.purge_interval,
            repairs: BTreeSet::new(),
            sought: BTreeMap::new(),
            config,
        }
    }

    pub(super) const fn first_ttl(&self) -> u8 {
        self.config.net_diameter
    }

    pub(super) fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.routes.get(&destination).filter(|route| route.state == State::Up)?.next_hop
    }

    pub(super) fn hops(&self, destination: Address) -> Option<u32> {
        self.routes.get(&destination).filter(|route| route.state == State::Up).map(|route| route.hops)
    }

    pub(super) fn held(&self) -> usize {
        self.buffer.len() + self.out.held()
    }

    pub(super) fn heed(&mut self, wishes: &Arc<Wishes>) {
        self.out.heed(wishes);
    }

    pub(super) fn counters(&self) -> Counters {
        self.out.counters
    }

    pub(super) fn poll(&mut self) -> Option<Output> {
        self.out.poll()
    }

    pub(super) fn deadline(&self) -> Time {
        // With an empty table the walk would do nothing, so an idle node sleeps.
        let walk = if self.routes.is_empty() { Time::NEVER } else { self.next_walk };
        let repair = self.repairs.first().map_or(Time::NEVER, |(time, _)| *time);
        self.out.deadline().min(self.buffer.deadline()).min(walk).min(repair)
    }

    pub(super) fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        self.on_time();
        match input {
            Input::Start => self.next_walk = now + self.config.purge_interval,
            Input::Wake | Input::Overheard { .. } | Input::Left { .. } => {}
            Input::Seek(destination) => self.seek(destination),
            // Never asked for: what waits for a lost neighbour is purged.
            Input::Reclaimed { packet, .. } => self.out.drop(packet, DropCause::NextHopLost),
            Input::Send(packet) | Input::SendOver { packet, .. } => self.on_send(packet),
            Input::Passed { packet, came, .. } => self.on_passed(packet, came),
            Input::LinkLost(neighbour) => {
                self.out.counters.link_failures += 1;
                self.out.purge(neighbour);
                self.on_neighbour_lost(neighbour);
            }
            Input::Receive { packet, from } => self.on_receive(packet, from),
            Input::LinkFailed { packet, next_hop, cause } => self.on_link_failed(packet, next_hop, cause),
        }
    }

    fn me(&self) -> Address {
        self.out.node.address()
    }

    fn on_time(&mut self) {
        self.out.release(self.now);
        while let Some(packet) = self.buffer.take_expired(self.now) {
            self.out.drop(packet, DropCause::RouteBufferTimeout);
        }
        while let Some(&(time, destination)) = self.repairs.first() {
            if time > self.now {
                break;
            }
            self.repairs.pop_first();
            if let Some(route) = self.routes.get_mut(&destination).filter(|route| route.state != State::Up) {
                route.take_down(); // the repair has failed; nobody is told
            }
        }
        if self.next_walk <= self.now {
            let missed = self.now.since(self.next_walk).whole(self.config.purge_interval);
            self.next_walk += self.config.purge_interval * (missed + 1);
            self.walk();
        }
    }

    /// The look over all routes, twice a second.
    fn walk(&mut self) {
        let destinations: Vec<Address> = self.routes.keys().copied().collect();
        for destination in destinations {
            let now = self.now;
            let route = self.route(destination);
            if route.state == State::Up && route.expiry < now {
                route.sequence = route.sequence.wrapping_add(1);
                route.take_down();
                self.give_up(destination);
            } else if route.state == State::Up {
                self.release(destination, self.config.release_gap);
            } else if self.buffer.has(destination) || self.sought.get(&destination).is_some_and(|&until| now < until) {
                self.request(destination);
            }
        }
    }

    fn on_send(&mut self, mut packet: Packet) {
        if packet.destination == self.me() {
            self.out.deliver(packet);
        } else if packet.destination.is_broadcast() {
            self.out.transmit(packet, None);
        } else {
            packet.ttl = packet.ttl.min(self.first_ttl());
            self.resolve(packet);
        }
    }

    fn on_receive(&mut self, mut packet: Packet, from: NodeId) {
        match &packet.payload {
            Payload::Aodv(Message::Rreq(request)) => self.on_request(*request, packet.ttl.saturating_sub(1), from),
            Payload::Aodv(Message::Rrep(reply)) => {
                self.on_reply(*reply, packet.destination, packet.ttl.saturating_sub(1), from);
            }
            Payload::Aodv(Message::Rerr(error)) => self.on_error(error, from),
            Payload::Aodv(Message::RrepAck) => {} // never asked for here
            _ if packet.destination == self.me() || packet.destination.is_broadcast() => self.out.deliver(packet),
            _ if packet.source == self.me() => self.out.drop(packet, DropCause::RoutingLoop),
            _ if self.out.spares(&packet, from, |to| self.next_hop(to)) => {
                self.out.drop(packet, DropCause::NoticeSpared);
            }
            _ if packet.ttl <= 1 => self.out.drop(packet, DropCause::TtlExpired),
            _ => {
                packet.ttl -= 1;
                self.resolve(packet);
            }
        }
    }

    /// Sends a packet on, keeps it, or drops it with an error to all neighbours.
    fn resolve(&mut self, packet: Packet) {
        let destination = packet.destination;
        let mine = packet.source == self.me();
        let route = self.route(destination);
        let (state, sequence) = (route.state, route.sequence);
        match state {
            State::Up => self.forward(packet, Duration::ZERO),
            // A notice must neither wait nor make messages.
            _ if matches!(packet.payload, Payload::Notice(_)) => self.out.drop(packet, DropCause::NoRoute),
            _ if mine => {
                self.keep(packet);
                self.request(destination);
            }
            State::InRepair => {
                let (source, notice) = (packet.source, self.out.undeliverable(self.now, &packet, None));
                self.keep(packet);
                self.notify(source, notice);
            }
            State::Down => {
                let (source, notice) = (packet.source, self.out.undeliverable(self.now, &packet, None));
                self.send_error(vec![(destination, sequence)], false);
                self.out.drop(packet, DropCause::NoRoute);
                self.notify(source, notice);
            }
        }
    }

    /// Sends along the route, which must be up; using it renews it.
    fn forward(&mut self, packet: Packet, wait: Duration) {
        let now = self.now;
        let expiry = now + self.config.active_route_timeout;
        let route = self.route(packet.destination);
        route.expiry = expiry;
        let next_hop = route.next_hop;
        if wait > Duration::ZERO {
            self.out.transmit_at(now + wait, packet, next_hop);
        } else {
            self.out.transmit(packet, next_hop);
        }
    }

    /// A transport takes a packet from neighbour to neighbour itself: what it goes over is renewed.
    fn on_passed(&mut self, packet: &Packet, came: bool) {
        let expiry = self.now + self.config.active_route_timeout;
        let route = self.route(packet.destination);
        if !came && route.state == State::Up {
            route.expiry = expiry;
        }
    }

    /// Looks for a route, as for a packet that waits.
    fn seek(&mut self, destination: Address) {
        if destination != self.me() && self.route(destination).state != State::Up {
            self.sought.insert(destination, self.now + self.config.buffer_timeout);
            self.request(destination);
        }
    }

    fn keep(&mut self, packet: Packet) {
        let expiry = self.now + self.config.buffer_timeout;
        if let Some(oldest) = self.buffer.push(packet, expiry, self.config.buffer_packets) {
            self.out.drop(oldest, DropCause::RouteBufferFull);
        }
    }

    /// Sends the packets kept for a destination, `gap` apart.
    fn release(&mut self, destination: Address, gap: Duration) {
        let mut wait = Duration::ZERO;
        while let Some(packet) = self.buffer.take(destination) {
            self.forward(packet, wait);
            wait += gap;
        }
    }

    fn give_up(&mut self, destination: Address) {
        while let Some(packet) = self.buffer.take(destination) {
            self.out.drop(packet, DropCause::NoRoute);
        }
    }

    fn route(&mut self, destination: Address) -> &mut Route {
        self.routes.entry(destination).or_default()
    }

    fn on_link_failed(&mut self, packet: Packet, next_hop: NodeId, cause: DropCause) {
        self.out.counters.link_failures += 1;
        let route = self.routes.get(&packet.destination);
        let Some(route) = route.filter(|_| !packet.is_routing() && !packet.destination.is_broadcast()) else {
            // A lost routing message says nothing about the link.
            return self.out.drop(packet, cause);
        };
        // Every packet starts with TTL 30, so the TTL tells how far it has come.
        let travelled = u32::from(self.first_ttl().saturating_sub(packet.ttl));
        let is_near = travelled > route.hops && !matches!(packet.payload, Payload::Notice(_));
        let (source, notice) = (packet.source, self.out.undeliverable(self.now, &packet, Some(next_hop)));
        if is_near {
            self.repair(packet, next_hop);
        } else {
            self.out.drop(packet, cause);
            self.out.purge(next_hop);
            self.on_neighbour_lost(next_hop);
        }
        self.notify(source, notice);
    }

    /// Sends a notice where a route is known, if there is one to be sent.
    fn notify(&mut self, to: Address, notice: Option<Notice>) {
        if let Some(notice) = notice {
            let next_hop = self.next_hop(to);
            self.out.notify(to, notice, next_hop);
        }
    }

    /// Whoever waits for a route to this destination hears of it.
    fn tell_route_up(&mut self, destination: Address) {
        for (to, notice) in self.out.route_up(destination) {
            self.notify(to, Some(notice));
        }
    }

    /// Local repair: keeps the packet and searches. The route stays as it is, only marked.
    fn repair(&mut self, packet: Packet, next_hop: NodeId) {
        let destination = packet.destination;
        self.out.broke(next_hop);
        self.keep(packet);
        self.route(destination).state = State::InRepair;
        self.request(destination);
        // The wait is the instant at which the next request may go, taken for a span: so it grows in the
        // course of the run, and repairs late in a run are never given up.
        let wait = Duration::from_nanos(self.route(destination).request_timeout.as_nanos());
        self.repairs.insert((self.now + wait, destination));
    }

    fn on_neighbour_lost(&mut self, neighbour: NodeId) {
        self.sequence = self.sequence.wrapping_add(2); // the set of neighbours has changed
        let mut lost = Vec::new();
        for (destination, route) in &mut self.routes {
            if route.is_known() && route.next_hop == Some(neighbour) {
                route.sequence = route.sequence.wrapping_add(1);
                lost.push((*destination, route.sequence));
                route.take_down();
            }
            route.precursors.remove(&neighbour);
        }
        if !lost.is_empty() {
            self.out.broke(neighbour);
            self.send_error(lost, false);
        }
    }
}
