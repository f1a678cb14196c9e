//! Local repair: the node before a lost link looks for another way itself.
//!
//! Spec      RFC 3561 §6.12
//! Deviates  the discovery period is RING_TRAVERSAL_TIME of the request; a node that lost its own first hop
//!           searches as for any packet of its own (§6.3); a node that is told with N of a longer route does not
//!           look for a shorter one; a packet given back by the link layer goes on at once where another route
//!           is known by now
//! Holds     a route is repaired only while it would have been in use, and precursors hear of the loss at the
//!           latest when the repair has failed

use hopwright_machine::{Address, DropCause, NodeId, Time};
use hopwright_wire::{Packet, Payload};

use super::Rfc;

impl Rfc {
    /// Whether the route to `destination`, in use until now, may be repaired here.
    pub(super) fn may_become_repairable(&self, destination: Address) -> bool {
        let near = self.table.valid(destination).is_some_and(|route| route.hops <= self.config.max_repair_ttl);
        self.config.local_repair && near
    }

    /// Whether packets to `destination` wait here for a repair, going on or to be begun.
    pub(super) fn is_repairable(&self, destination: Address) -> bool {
        let route = self.table.get(destination).filter(|route| !route.valid);
        route.is_some_and(|route| self.now < route.repairable_until)
    }

    /// Keeps another's packet for a repair until then, and begins that if need be. `from`: the neighbour that sent it
    /// here.
    pub(super) fn keep_for_repair(&mut self, packet: Packet, from: Option<NodeId>, until: Time) {
        let (source, destination) = (packet.source, packet.destination);
        if let Some(route) = self.table.get_mut(destination) {
            route.precursors.extend(from); // it has to hear if there is no way
        }
        self.keep(packet, until);
        if !self.searches.contains_key(&destination) {
            self.repair(destination, source);
        }
    }

    /// A packet that the link layer could not deliver or had still queued for a lost neighbour.
    pub(super) fn send_elsewhere(&mut self, packet: Packet, cause: DropCause) {
        let destination = packet.destination;
        let is_data = !packet.is_routing() && !matches!(packet.payload, Payload::Notice(_));
        let mine = packet.source == self.me() && !self.is_rebooting();
        let next_hop = self.next_hop(destination);
        let has_hope = is_data && (mine || next_hop.is_some() || self.is_repairable(destination));
        if !self.config.local_repair || !has_hope || destination.is_broadcast() {
            return self.out.drop(packet, cause);
        }
        // Should a link carry messages but no data, this could go on for ever: a packet has one time to wait.
        let (now, timeout) = (self.now, self.config.buffer_timeout);
        self.given_back.retain(|_, until| now < *until + timeout);
        let until = *self.given_back.entry(packet.id).or_insert(now + timeout);
        if until <= now {
            self.out.drop(packet, DropCause::RouteBufferTimeout);
        } else if next_hop.is_some() {
            self.out.transmit(packet, next_hop);
        } else if mine {
            self.keep(packet, until);
            self.search(destination);
        } else {
            self.keep_for_repair(packet, None, until);
        }
    }

    fn repair(&mut self, destination: Address, source: Address) {
        let Some(route) = self.table.get(destination) else { return };
        let hops_back = self.table.valid(source).map_or(0, |route| route.hops);
        // MIN_REPAIR_TTL is the last known length (§10).
        let ttl = route.hops.max(hops_back / 2).saturating_add(self.config.local_add_ttl);
        self.search_for_repair(destination, ttl.min(self.config.net_diameter));
    }

    /// The repair's one request had no answer. Own packets go on waiting, others' are lost. Says whether
    /// there are own ones.
    pub(super) fn on_repair_failed(&mut self, destination: Address) -> bool {
        while let Some(packet) = self.buffer.take_from_others(destination, self.me()) {
            self.out.drop(packet, DropCause::NoRoute);
        }
        self.tell_unrepaired(destination);
        self.buffer.has(destination)
    }

    /// Whoever sends this way has not heard of the loss, since it was to be repaired.
    pub(super) fn tell_unrepaired(&mut self, destination: Address) {
        let route = self.table.get_mut(destination);
        let Some(route) = route.filter(|route| !route.valid && route.repairable_until > Time::ZERO) else { return };
        route.repairable_until = Time::ZERO;
        if !route.precursors.is_empty() {
            let sequence = route.sequence.unwrap_or(0);
            self.send_error(vec![(destination, sequence)], false, false);
        }
    }

    /// The length of a lost route of whose loss nobody has been told, because it was to be repaired.
    pub(super) fn under_repair(&self, destination: Address) -> Option<u8> {
        let route = self.table.get(destination).filter(|route| !route.valid && route.repairable_until > Time::ZERO);
        route.map(|route| route.hops)
    }

    /// There is a way again. If it is longer, those who send this way hear of it and keep the route.
    pub(super) fn on_repaired(&mut self, destination: Address, hops_before: u8) {
        let Some(route) = self.table.valid(destination) else { return };
        if route.hops > hops_before && !route.precursors.is_empty() {
            let sequence = route.sequence.unwrap_or(0);
            self.send_error(vec![(destination, sequence)], true, false);
        }
    }

    /// Packets that waited in the interface queue for a lost neighbour come back one by one.
    pub(super) fn on_reclaimed(&mut self, packet: Packet, next_hop: NodeId) {
        let notice = self.out.undeliverable(self.now, &packet, Some(next_hop));
        let source = packet.source;
        self.send_elsewhere(packet, DropCause::NextHopLost);
        self.notify(source, notice);
    }
}
