//! Route Errors: to whom a broken link is told, and what nodes make of it.
//!
//! Spec      RFC 4728 §3.4.4, §8.3.4, §8.3.5
//! Deviates  an error whose destination has no known route is not sent, as it starts no search
//! Holds     one error to a node about one break, unless an error takes along what the lost packet carried

use std::collections::BTreeSet;

use hopwright_machine::{Address, DropCause, NodeId};
use hopwright_wire::dsr::{DsrOption, Error, ErrorKind, Header};
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, Payload};

use super::Rfc;
use crate::dsr::config::Order;
use crate::dsr::route::Route;

/// Errors that a request carries at most.
const MAX_HELD: usize = 3;

impl Rfc {
    pub(super) fn on_link_failed(&mut self, packet: Packet, next_hop: NodeId, cause: DropCause) {
        if !self.config.link_layer_feedback {
            self.on_left(packet.id); // acknowledgements will tell
            return self.out.drop(packet, cause);
        }
        self.out.counters.link_failures += 1;
        self.returned.push((packet, next_hop));
        self.out.reclaim(next_hop);
    }

    /// A neighbour did not answer to a packet that stays with its transport.
    pub(super) fn on_link_lost(&mut self, neighbour: NodeId) {
        self.out.counters.link_failures += 1;
        if self.config.link_layer_feedback {
            self.link_lost(neighbour, Vec::new());
            self.out.reclaim(neighbour);
        }
    }

    /// Deals with the packets that the link layer gave back.
    pub(super) fn rescue_returned(&mut self) {
        while let Some(&(_, next_hop)) = self.returned.first() {
            let mut packets = Vec::new();
            let (same, others) = std::mem::take(&mut self.returned).into_iter().partition(|entry| entry.1 == next_hop);
            self.returned = others;
            let same: Vec<(Packet, NodeId)> = same;
            packets.extend(same.into_iter().map(|(packet, _)| packet));
            self.link_lost(next_hop, packets);
        }
    }

    /// A neighbour is lost, with these packets that were for it, oldest first.
    pub(super) fn link_lost(&mut self, next_hop: NodeId, mut packets: Vec<Packet>) {
        if self.cache.remove_link(self.now, self.me(), next_hop.address()) {
            self.out.broke(next_hop);
        }
        if self.config.maintenance_order == Order::Lifo {
            packets.reverse();
        }
        let mut told = BTreeSet::new();
        for packet in packets {
            self.tell_source(&packet, next_hop, &mut told);
            self.rescue(packet);
        }
    }

    /// Tells who chose the packet's route that it is broken (§8.3.4): its source, or who salvaged it.
    fn tell_source(&mut self, packet: &Packet, next_hop: NodeId, told: &mut BTreeSet<Address>) {
        let me = self.me();
        if packet.source == me {
            if let Some(notice) = self.out.undeliverable(self.now, packet, Some(next_hop)) {
                self.out.notify(me, notice, None);
            }
            return;
        }
        let Some(route) = Route::of(packet) else { return };
        // A notice goes with an error to the packet's source, not with one to who salvaged it.
        let notice = (route.path[0] == packet.source)
            .then(|| self.out.undeliverable(self.now, packet, Some(next_hop)))
            .flatten();
        let carried = carried(packet, route.salvage, self.config.max_salvage_count);
        if told.insert(route.path[0]) || notice.is_some() || !carried.is_empty() {
            self.report(packet, ErrorKind::NodeUnreachable(next_hop.address()), notice);
        }
    }

    /// Sends an error about `packet` to who chose its route.
    pub(super) fn report(&mut self, packet: &Packet, kind: ErrorKind, notice: Option<Notice>) {
        let me = self.me();
        let Some(route) = Route::of(packet) else { return };
        let Some(here) = route.path.iter().position(|&node| node == me).filter(|&here| here > 0) else { return };
        let destination = route.path[0];
        let error = Error { salvage: route.salvage, source: me, destination, kind };
        let mut header = Header::with(DsrOption::Error(error));
        header.options.extend(carried(packet, route.salvage, self.config.max_salvage_count));
        if destination == packet.source {
            header.options.extend(notice.map(DsrOption::Notice));
        }
        let mut message = self.out.message(destination, self.config.discovery_hop_limit, Payload::Nothing);
        message.dsr = Some(Box::new(header));
        let back: Vec<Address> = route.path[..=here].iter().rev().copied().collect();
        self.send_over(message, &back);
    }

    /// An error has come, and with it, next to it, what it is about: if this node made that, it goes out again over
    /// another route (§8.3.5).
    pub(super) fn tell_again(&mut self, error: &Error, following: &[DsrOption]) {
        let me = self.me();
        let destination = match following.first() {
            Some(DsrOption::Error(own)) if own.source == me => own.destination,
            Some(DsrOption::Acknowledgement(own)) if own.source == me => own.destination,
            _ => return,
        };
        let Some(path) = self.cache.find(self.now, destination) else { return };
        let Some(next_hop) = path.get(1).and_then(|node| node.node()) else { return };
        self.cache.used(self.now, &path);
        let options = following.iter().filter(|option| is_told_again(option)).cloned().collect();
        let mut message = self.out.message(destination, self.config.discovery_hop_limit, Payload::Nothing);
        message.dsr = Some(Box::new(Header { flow: None, options }));
        Route { path, at: 1, salvage: error.salvage }.write(&mut message);
        self.hand_down(message, next_hop);
    }

    /// An error in a packet that came by or was overheard.
    pub(super) fn on_error(&mut self, error: &Error) {
        let ErrorKind::NodeUnreachable(to) = error.kind else { return };
        self.cache.remove_link(self.now, error.source, to);
        if error.destination == self.me() && !self.held_errors.contains(error) {
            self.held_errors.push(error.clone());
            if self.held_errors.len() > MAX_HELD {
                self.held_errors.remove(0);
            }
        }
    }
}

const fn is_told_again(option: &DsrOption) -> bool {
    matches!(option, DsrOption::Error(_) | DsrOption::Acknowledgement(_) | DsrOption::Notice(_))
}

/// What of a packet goes along with the error about it (§8.3.4): its errors and what belongs to them, until their
/// total salvage count (§6.4), which starts with the new error's, is above `limit`.
fn carried(packet: &Packet, salvage: u8, limit: u8) -> Vec<DsrOption> {
    let mut total = 1 + u32::from(salvage);
    let options = packet.dsr.iter().flat_map(|header| &header.options).filter(|option| is_told_again(option));
    let fits = |option: &&DsrOption| {
        if let DsrOption::Error(error) = option {
            total += 1 + u32::from(error.salvage);
        }
        total <= u32::from(limit)
    };
    options.take_while(fits).cloned().collect()
}
