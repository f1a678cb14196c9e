//! AODV as RFC 3561 describes it: lost links are found by the link layer, by missing HELLOs, or both.
//!
//! Spec      RFC 3561 §6.1 to §6.13
//! Deviates  a lost link also clears the interface queue for that neighbour; the sender of an undeliverable
//!           packet is always told, precursor or not; forwarded broadcasts are jittered (RFC 5148); no
//!           multicast, no subnets (§7), no extensions (§9)
//! Holds     next hops towards a destination never form a loop; at most RREQ_RATELIMIT requests and
//!           RERR_RATELIMIT errors leave in any second

mod connectivity;
mod discovery;
mod errors;
mod reboot;
mod repair;
mod replies;
mod table;
mod unidirectional;

use std::collections::BTreeMap;
use std::sync::Arc;

use connectivity::Connectivity;
use discovery::Search;
use hopwright_machine::{Address, DropCause, Duration, NodeId, PacketId, Time};
use hopwright_wire::aodv::Message;
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, Payload};
use table::{News, Route, Table};
use unidirectional::Unidirectional;

use super::Config;
use crate::parts::{Buffer, Limiter, Outbox, Seen};
use crate::{Counters, Input, Output, Wishes};

// In this order, a copy of a request that is known touches four lines of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Rfc {
    now: Time,
    /// When something is due.
    due: Time,
    /// Nothing is due before, and no request is ignored.
    quiet_until: Time,
    /// Of `config`, as `hello`.
    active_route_timeout: Duration,
    hello: bool,
    seen: Seen,
    out: Outbox,
    table: Table,
    config: Config,
    buffer: Buffer,
    searches: BTreeMap<Address, Search>,
    requests: Limiter,
    errors: Limiter,
    connectivity: Connectivity,
    unidirectional: Unidirectional,
    /// Packets that the link layer gave back, and until when they may wait (§6.12).
    given_back: BTreeMap<PacketId, Time>,
    sequence: u32,
    request_id: u32,
    started: bool,
    /// Until when this node takes no part in routing (§6.13).
    rebooting_until: Time,
}

impl Rfc {
    pub(super) fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self {
            now: Time::ZERO,
            due: Time::NEVER,
            quiet_until: Time::ZERO,
            active_route_timeout: config.active_route_timeout,
            hello: config.hello,
            seen: Seen::default(),
            out: Outbox::new(node, seed, wishes, Packet::bytes),
            table: Table::new(config.delete_period),
            buffer: Buffer::default(),
            searches: BTreeMap::new(),
            requests: Limiter::default(),
            errors: Limiter::default(),
            connectivity: Connectivity::new(),
            unidirectional: Unidirectional::default(),
            given_back: BTreeMap::new(),
            sequence: 0,
            request_id: 0,
            started: false,
            rebooting_until: Time::ZERO,
            config,
        }
    }

    pub(super) fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.route(destination).map(|route| route.next_hop)
    }

    pub(super) fn hops(&self, destination: Address) -> Option<u32> {
        self.route(destination).map(|route| u32::from(route.hops))
    }

    /// A route that packets may take now.
    fn route(&self, destination: Address) -> Option<&Route> {
        self.table.valid(destination).filter(|_| !self.is_rebooting())
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
        let output = self.out.poll();
        if matches!(output, Some(Output::Transmit { next_hop: None, .. })) {
            self.note_broadcast();
            self.plan();
        }
        output
    }

    pub(super) fn deadline(&self) -> Time {
        self.due
    }

    /// Works out again when something is due.
    fn plan(&mut self) {
        let search = self.searches.values().map(Search::deadline).min().unwrap_or(Time::NEVER);
        let others = self.connectivity_deadline().min(self.unidirectional.deadline());
        self.due = self.out.deadline().min(self.buffer.deadline()).min(search).min(others);
        let is_plain = !self.unidirectional.ignores_some();
        self.quiet_until = if is_plain { self.due.min(self.table.quiet_until()) } else { Time::ZERO };
    }

    pub(super) fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        if let Input::Receive { packet, from } = &input
            && now < self.quiet_until
            && self.is_mere_copy(packet, *from)
        {
            return;
        }
        self.handle_fully(now, input);
        self.plan();
    }

    /// Whether a packet is one more copy of a request that is known, from a neighbour that is known: most of what comes
    /// while routes are looked for. All that it tells is told here: the neighbour is there.
    #[inline]
    fn is_mere_copy(&mut self, packet: &Packet, from: NodeId) -> bool {
        let Payload::Aodv(Message::Rreq(request)) = &packet.payload else { return false };
        let is_mere = self.seen.is_known(self.now, request.originator, request.id)
            && self.table.hear_again(from, self.now + self.active_route_timeout);
        if is_mere && self.hello {
            self.note_heard(from);
        }
        is_mere
    }

    fn handle_fully(&mut self, now: Time, input: Input<'_>) {
        self.table.advance(now);
        self.out.release(now);
        while let Some(packet) = self.buffer.take_expired(now) {
            self.out.drop(packet, DropCause::RouteBufferTimeout);
        }
        self.check_acknowledgements();
        self.keep_connected();
        self.continue_searches();
        match input {
            Input::Start => self.on_start(),
            Input::Wake | Input::Overheard { .. } | Input::Left { .. } => {}
            Input::Seek(destination) => self.seek(destination),
            Input::Reclaimed { packet, next_hop } => self.on_reclaimed(packet, next_hop),
            Input::Send(packet) | Input::SendOver { packet, .. } => self.forward(packet, None),
            Input::Passed { packet, neighbour, came } => self.on_passed(packet, neighbour, came),
            Input::LinkLost(neighbour) => {
                self.out.counters.link_failures += 1;
                if self.config.link_feedback {
                    self.on_link_lost(neighbour);
                }
            }
            Input::Receive { packet, from } => self.on_receive(packet, from),
            Input::LinkFailed { packet, next_hop, cause } => self.on_link_failed(packet, next_hop, cause),
        }
    }

    /// A node that starts again has lost its memory (§6.13).
    fn on_start(&mut self) {
        if self.started {
            self.reboot();
        }
        self.started = true;
        self.start_hellos();
    }

    fn on_link_failed(&mut self, packet: Packet, next_hop: NodeId, cause: DropCause) {
        self.out.counters.link_failures += 1;
        if !self.config.link_feedback {
            return self.out.drop(packet, cause);
        }
        if matches!(packet.payload, Payload::Aodv(Message::Rrep(_))) {
            self.note_reply_lost(next_hop);
        }
        let notice = self.out.undeliverable(self.now, &packet, Some(next_hop));
        let source = packet.source;
        if self.config.local_repair {
            self.on_link_lost(next_hop);
            self.send_elsewhere(packet, cause);
        } else {
            self.out.drop(packet, cause);
            self.on_link_lost(next_hop);
        }
        self.notify(source, notice);
    }

    fn me(&self) -> Address {
        self.out.node.address()
    }

    fn on_receive(&mut self, mut packet: Packet, from: NodeId) {
        self.note_heard(from);
        match packet.payload {
            Payload::Aodv(Message::Rrep(hello)) if packet.destination.is_broadcast() => self.on_hello(&hello, from),
            Payload::Aodv(Message::Rreq(_)) if self.is_blacklisted(from) => {}
            Payload::Aodv(message) => {
                self.note_neighbour(from);
                match message {
                    Message::Rreq(request) => self.on_request(request, packet.ttl, from),
                    Message::Rrep(reply) => self.on_reply(reply, from),
                    Message::Rerr(error) => self.on_error(&error, from),
                    Message::RrepAck => self.on_acknowledgement(from),
                }
            }
            _ if packet.destination == self.me() => {
                self.note_activity();
                self.renew_backwards(packet.source, Some(from));
                self.out.deliver(packet);
            }
            _ if packet.destination.is_broadcast() => self.out.deliver(packet),
            _ if self.out.spares(&packet, from, |to| self.next_hop(to)) => {
                self.out.drop(packet, DropCause::NoticeSpared);
            }
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
        let (destination, until) = (packet.destination, self.now + self.config.buffer_timeout);
        if destination == self.me() {
            return self.out.deliver(packet);
        }
        if destination.is_broadcast() {
            return self.out.transmit(packet, None);
        }
        if from.is_some() && self.is_rebooting() {
            return self.refuse_after_reboot(packet);
        }
        if let Some(next_hop) = self.next_hop(destination) {
            self.renew_forwards(destination, next_hop);
            self.renew_backwards(packet.source, from);
            self.out.transmit(packet, Some(next_hop));
        } else if matches!(packet.payload, Payload::Notice(_)) {
            self.out.drop(packet, DropCause::NoRoute); // a notice must not make messages
        } else if let Some(from) = from {
            let notice = self.out.undeliverable(self.now, &packet, None);
            let source = packet.source;
            if self.is_repairable(destination) {
                self.keep_for_repair(packet, Some(from), until);
            } else {
                self.refuse(destination, from);
                self.out.drop(packet, DropCause::NoRoute);
            }
            self.notify(source, notice);
        } else {
            self.keep(packet, until);
            self.search(destination);
        }
    }

    /// Keeps a packet until there is a route, at most until then.
    fn keep(&mut self, packet: Packet, until: Time) {
        if let Some(oldest) = self.buffer.push(packet, until, self.config.buffer_packets) {
            self.out.drop(oldest, DropCause::RouteBufferFull);
        }
    }

    /// §6.2: use keeps alive the routes to both ends and to both neighbours.
    fn renew_forwards(&mut self, destination: Address, next_hop: NodeId) {
        self.note_activity();
        let lifetime = self.now + self.config.active_route_timeout;
        self.table.extend(destination, lifetime);
        self.table.extend(next_hop.address(), lifetime);
    }

    /// A transport takes a packet from neighbour to neighbour itself.
    fn on_passed(&mut self, packet: &Packet, neighbour: NodeId, came: bool) {
        if came {
            self.note_heard(neighbour);
            self.note_activity();
            self.renew_backwards(packet.source, Some(neighbour));
        } else {
            self.renew_forwards(packet.destination, neighbour);
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
        let lifetime = self.now + self.config.active_route_timeout;
        if !self.table.hear(neighbour, lifetime) {
            self.learn_neighbour(neighbour, None, lifetime);
        }
    }

    /// Updates the table; if that gave a route, ends the search for it and lets kept packets go.
    fn learn(&mut self, destination: Address, news: News) -> bool {
        let lost = self.under_repair(destination);
        let was_known = self.table.valid(destination).is_some();
        let learned = destination != self.me() && self.table.update(destination, news);
        if learned && !self.is_rebooting() {
            self.searches.remove(&destination);
            if let Some(hops) = lost {
                self.on_repaired(destination, hops);
            }
            if !was_known {
                self.tell_route_up(destination);
            }
            self.release(destination);
        }
        learned
    }

    /// Whoever waits for a route to this destination hears of it.
    fn tell_route_up(&mut self, destination: Address) {
        for (to, notice) in self.out.route_up(destination) {
            self.notify(to, Some(notice));
        }
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

#[cfg(test)]
mod tests;
