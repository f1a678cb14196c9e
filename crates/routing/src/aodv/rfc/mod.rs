//! AODV as RFC 3561 describes it, with link-layer feedback.
//!
//! Spec      RFC 3561 §6.1 to §6.8, §6.11
//! Deviates  no HELLO (§6.9), no local repair (§6.12), no RREP-ACK and blacklist (§6.8); a link failure also
//!           clears the interface queue for that neighbour; the sender of an undeliverable packet is always
//!           told, precursor or not; forwarded broadcasts are jittered (RFC 5148)
//! Holds     next hops towards a destination never form a loop; at most RREQ_RATELIMIT requests and
//!           RERR_RATELIMIT errors leave in any second

mod discovery;
mod errors;
mod replies;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use discovery::Search;
use hopwright_machine::{Address, DropCause, NodeId, Time};
use hopwright_wire::aodv::Message;
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, Payload};
use table::{News, Table};

use super::Config;
use crate::parts::{Buffer, Limiter, Outbox, Seen};
use crate::{Counters, Input, Output, Wishes};

#[derive(Debug)]
pub(super) struct Rfc {
    config: Config,
    now: Time,
    out: Outbox,
    buffer: Buffer,
    seen: Seen,
    table: Table,
    searches: BTreeMap<Address, Search>,
    requests: Limiter,
    errors: Limiter,
    sequence: u32,
    request_id: u32,
}

impl Rfc {
    pub(super) fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self {
            now: Time::ZERO,
            out: Outbox::new(node, seed, wishes, Packet::bytes),
            buffer: Buffer::default(),
            seen: Seen::default(),
            table: Table::new(config.delete_period),
            searches: BTreeMap::new(),
            requests: Limiter::default(),
            errors: Limiter::default(),
            sequence: 0,
            request_id: 0,
            config,
        }
    }

    pub(super) fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.table.valid(destination).map(|route| route.next_hop)
    }

    pub(super) fn hops(&self, destination: Address) -> Option<u32> {
        self.table.valid(destination).map(|route| u32::from(route.hops))
    }

    pub(super) fn held(&self) -> usize {
        self.buffer.len() + self.out.held()
    }

    pub(super) fn counters(&self) -> Counters {
        self.out.counters
    }

    pub(super) fn poll(&mut self) -> Option<Output> {
        self.out.poll()
    }

    pub(super) fn deadline(&self) -> Time {
        let search = self.searches.values().map(Search::deadline).min().unwrap_or(Time::NEVER);
        self.out.deadline().min(self.buffer.deadline()).min(search)
    }

    pub(super) fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        self.table.advance(now);
        self.out.release(now);
        while let Some(packet) = self.buffer.take_expired(now) {
            self.out.drop(packet, DropCause::RouteBufferTimeout);
        }
        self.continue_searches();
        match input {
            Input::Start | Input::Wake | Input::Overheard { .. } => {}
            Input::Seek(destination) => self.seek(destination),
            // Never asked for: what waits for a lost neighbour is purged.
            Input::Reclaimed { packet, .. } => self.out.drop(packet, DropCause::NextHopLost),
            Input::Send(packet) => self.forward(packet, None),
            Input::Receive { packet, from } => self.on_receive(packet, from),
            Input::LinkFailed { packet, next_hop, cause } => {
                self.out.counters.link_failures += 1;
                let notice = self.out.undeliverable(now, &packet, Some(next_hop));
                let source = packet.source;
                self.out.drop(packet, cause);
                self.on_link_lost(next_hop);
                self.notify(source, notice);
            }
        }
    }

    fn me(&self) -> Address {
        self.out.node.address()
    }

    fn on_receive(&mut self, mut packet: Packet, from: NodeId) {
        match packet.payload {
            Payload::Aodv(message) => {
                self.note_neighbour(from);
                match message {
                    Message::Rreq(request) => self.on_request(request, packet.ttl, from),
                    Message::Rrep(reply) => self.on_reply(reply, from),
                    Message::Rerr(error) => self.on_error(&error, from),
                }
            }
            _ if packet.destination == self.me() => {
                self.renew_backwards(packet.source, Some(from));
                self.out.deliver(packet);
            }
            _ if packet.destination.is_broadcast() => self.out.deliver(packet),
            // RFC 1812 §5.3.1
            _ if packet.ttl <= 1 => self.out.drop(packet, DropCause::TtlExpired),
            _ => {
                packet.ttl -= 1;
                self.forward(packet, Some(from));
            }
        }
    }

    /// Sends a packet along its route; without one, keeps an own packet and refuses another's.
    fn forward(&mut self, packet: Packet, from: Option<NodeId>) {
        let destination = packet.destination;
        if destination == self.me() {
            return self.out.deliver(packet);
        }
        if destination.is_broadcast() {
            return self.out.transmit(packet, None);
        }
        if let Some(route) = self.table.valid(destination) {
            let next_hop = route.next_hop;
            // §6.2: use keeps alive the routes to both ends and to both neighbours.
            let lifetime = self.now + self.config.active_route_timeout;
            self.table.extend(destination, lifetime);
            self.table.extend(next_hop.address(), lifetime);
            self.renew_backwards(packet.source, from);
            self.out.transmit(packet, Some(next_hop));
        } else if let Some(from) = from {
            let notice = self.out.undeliverable(self.now, &packet, None);
            let source = packet.source;
            self.refuse(destination, from);
            self.out.drop(packet, DropCause::NoRoute);
            self.notify(source, notice);
        } else {
            let expiry = self.now + self.config.buffer_timeout;
            if let Some(oldest) = self.buffer.push(packet, expiry, self.config.buffer_packets) {
                self.out.drop(oldest, DropCause::RouteBufferFull);
            }
            self.search(destination);
        }
    }

    fn renew_backwards(&mut self, source: Address, from: Option<NodeId>) {
        let lifetime = self.now + self.config.active_route_timeout;
        self.table.extend(source, lifetime);
        if let Some(from) = from {
            self.table.extend(from.address(), lifetime);
        }
    }

    /// A message came from this neighbour, so it is one hop away (§6.5, §6.7). Its number stays unknown.
    fn note_neighbour(&mut self, neighbour: NodeId) {
        let destination = neighbour.address();
        let lifetime = self.now + self.config.active_route_timeout;
        if self.table.valid(destination).is_some_and(|route| route.next_hop == neighbour) {
            self.table.extend(destination, lifetime);
        } else {
            self.learn(destination, News { sequence: None, hops: 1, next_hop: neighbour, lifetime });
        }
    }

    /// Updates the table; if that gave a route, ends the search for it and lets kept packets go.
    fn learn(&mut self, destination: Address, news: News) -> bool {
        let was_known = self.table.valid(destination).is_some();
        let learned = destination != self.me() && self.table.update(destination, news);
        if learned {
            self.searches.remove(&destination);
            if !was_known {
                for (to, notice) in self.out.route_up(destination) {
                    self.notify(to, Some(notice));
                }
            }
            self.release(destination);
        }
        learned
    }

    /// Sends a notice where a route is known, if there is one to be sent.
    fn notify(&mut self, to: Address, notice: Option<Notice>) {
        if let Some(notice) = notice {
            let next_hop = self.next_hop(to);
            self.out.notify(to, notice, next_hop);
        }
    }

    fn release(&mut self, destination: Address) {
        let mut time = self.now;
        while let Some(packet) = self.buffer.take(destination) {
            if time == self.now {
                self.forward(packet, None);
            } else {
                let next_hop = self.next_hop(destination);
                self.out.transmit_at(time, packet, next_hop);
            }
            time += self.config.release_gap;
        }
    }
}
