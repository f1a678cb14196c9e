//! DSR as RFC 4728 has it.
//!
//! Spec      RFC 4728 §3.1 to §3.4, §4, §6, §8
//! Deviates  no flow state (§3.5, §7) and no nodes outside the DSR network (§3.6); links work both ways, so there is no
//!           blacklist (§4.6) and replies take the request's way back; a packet keeps a source route of no nodes on
//!           its last hop; the time to wait for a network-layer acknowledgement is never below PassiveAckTimeout
//!           (§8.3.3 names no least)
//! Holds     every packet kept is sent or dropped; no source route names a node twice; every search ends

mod caches;
mod discovery;
mod errors;
mod forwarding;
mod maintenance;
mod overhearing;
mod replies;
mod request_table;
mod salvage;
mod signals;
mod unknown;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use caches::Cache;
use discovery::Search;
use hopwright_machine::{Address, DropCause, NodeId, Time};
use hopwright_wire::dsr::Error;
use hopwright_wire::{Packet, Payload};
use maintenance::Maintenance;
use replies::Delayed;
use request_table::RequestTable;

use super::Config;
use crate::parts::{Buffer, Outbox};
use crate::{Counters, Input, Output, Wishes};

#[derive(Debug)]
pub(super) struct Rfc {
    config: Config,
    now: Time,
    out: Outbox,
    cache: Cache,
    /// Whether the cache has learnt something since packets that wait were last looked at.
    has_learnt: bool,
    buffer: Buffer,
    searches: BTreeMap<Address, Search>,
    request_id: u16,
    requests: RequestTable,
    /// Replies that wait for their time.
    delayed: Vec<Delayed>,
    /// Errors told to this node, for its next request.
    held_errors: Vec<Error>,
    maintenance: Maintenance,
    /// Packets given back by the link layer, with the neighbour that was lost.
    returned: Vec<(Packet, NodeId)>,
    /// When a source was last told of a shorter way past this neighbour.
    shortened: BTreeMap<(Address, NodeId), Time>,
    /// Destinations that a transport asked for though no packet waits, and until when.
    sought: BTreeMap<Address, Time>,
    /// Destinations without a route of which a transport somewhere wants to know when they have one again.
    missed: BTreeSet<Address>,
    /// For the path of the next packet that is overheard: most packets are, many times.
    memory: Vec<Address>,
}

impl Rfc {
    pub(super) fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self {
            now: Time::ZERO,
            out: Outbox::new(node, seed, wishes, Packet::bytes),
            cache: Cache::new(node.address(), &config),
            has_learnt: false,
            buffer: Buffer::default(),
            searches: BTreeMap::new(),
            request_id: 0,
            requests: RequestTable::new(config.request_table_size, config.request_table_ids),
            delayed: Vec::new(),
            held_errors: Vec::new(),
            maintenance: Maintenance::default(),
            returned: Vec::new(),
            shortened: BTreeMap::new(),
            sought: BTreeMap::new(),
            missed: BTreeSet::new(),
            memory: Vec::new(),
            config,
        }
    }

    pub(super) fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.cache.find(self.now, destination)?.get(1)?.node()
    }

    pub(super) fn hops(&self, destination: Address) -> Option<u32> {
        self.cache.find(self.now, destination).map(|route| route.len() as u32 - 1)
    }

    pub(super) fn path(&self, destination: Address) -> Option<Vec<Address>> {
        self.cache.find(self.now, destination)
    }

    pub(super) fn held(&self) -> usize {
        self.buffer.len() + self.out.held() + self.delayed.len() + self.returned.len()
    }

    pub(super) fn heed(&mut self, wishes: &Arc<Wishes>) {
        self.out.heed(wishes);
    }

    pub(super) const fn counters(&self) -> Counters {
        self.out.counters
    }

    pub(super) const fn listens(&self) -> bool {
        self.config.promiscuous
    }

    /// Acknowledgements are waited for from when a packet has left.
    pub(super) const fn follows(&self) -> bool {
        let c = &self.config;
        !c.link_layer_feedback && (c.network_acks || c.passive_acks)
    }

    pub(super) fn has_output(&self) -> bool {
        self.out.has_output()
    }

    pub(super) fn poll(&mut self) -> Option<Output> {
        self.out.poll()
    }

    pub(super) fn deadline(&self) -> Time {
        if !self.returned.is_empty() {
            return self.now;
        }
        let search = self.searches.values().filter(|search| search.is_on).map(|search| search.due).min();
        let reply = self.delayed.iter().map(|delayed| delayed.due).min();
        let others = search.unwrap_or(Time::NEVER).min(reply.unwrap_or(Time::NEVER));
        self.out.deadline().min(self.buffer.deadline()).min(self.maintenance.deadline()).min(others)
    }

    pub(super) fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        // What the interface queue gives back comes piece by piece, and is dealt with as a whole.
        if !matches!(input, Input::Reclaimed { .. }) {
            self.rescue_returned();
        }
        self.on_time();
        match input {
            Input::Start | Input::Wake => {}
            Input::Send(packet) => self.on_send(packet),
            Input::Receive { packet, from } => self.on_receive(packet, from),
            Input::LinkFailed { packet, next_hop, cause } => self.on_link_failed(packet, next_hop, cause),
            Input::Reclaimed { packet, next_hop } => {
                self.maintenance.forget_queued(packet.id, next_hop);
                self.returned.push((packet, next_hop));
            }
            Input::Left { packet, sent: true } => self.on_left(packet),
            Input::Left { packet, sent: false } => self.maintenance.forget_dropped(packet),
            Input::Overheard { packet, from, .. } => self.on_overheard(packet, from),
            Input::Seek(destination) => self.on_seek(destination),
            Input::SendOver { packet, path } => self.send_over(packet, path),
            Input::Passed { packet, came, .. } => self.on_passed(packet, came),
            Input::LinkLost(neighbour) => self.on_link_lost(neighbour),
        }
        if std::mem::take(&mut self.has_learnt) {
            self.release_waiting();
        }
    }

    fn on_time(&mut self) {
        self.out.release(self.now);
        while let Some(packet) = self.buffer.take_expired(self.now) {
            self.out.drop(packet, DropCause::RouteBufferTimeout);
        }
        self.send_due_replies();
        self.look_after_unconfirmed();
        self.repeat_searches();
    }

    fn me(&self) -> Address {
        self.out.node.address()
    }

    /// Learns that each of these nodes is a neighbour of the next.
    fn learn(&mut self, path: &[Address]) {
        self.cache.add(self.now, path);
        self.has_learnt = true;
    }

    fn on_send(&mut self, packet: Packet) {
        if packet.destination.is_broadcast() {
            self.out.transmit(packet, None);
        } else if packet.destination == self.me() {
            self.out.deliver(packet);
        } else {
            self.originate(packet);
        }
    }

    /// Sends a packet of this node over a route of the cache, or keeps it and looks for one (§8.1.1).
    fn originate(&mut self, packet: Packet) {
        if let Some(route) = self.cache.find(self.now, packet.destination) {
            return self.send_over(packet, &route);
        }
        self.miss(packet.destination);
        if packet.is_routing() || matches!(packet.payload, Payload::Notice(_)) {
            return self.out.drop(packet, DropCause::NoRoute); // only data are worth a search
        }
        let (destination, expiry) = (packet.destination, self.now + self.config.send_buffer_timeout);
        if let Some(oldest) = self.buffer.push(packet, expiry, self.config.send_buffer_packets) {
            self.out.drop(oldest, DropCause::RouteBufferFull);
        }
        self.search(destination);
    }
}
