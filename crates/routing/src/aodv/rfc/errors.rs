//! Telling others of lost routes.
//!
//! Spec      RFC 3561 §6.11
//! Deviates  an error beyond RERR_RATELIMIT is left out (the next undeliverable packet brings it again); the
//!           number of a route already out of use is not incremented again; precursors that were told
//!           are forgotten, but those of a route that is still used or repaired (§6.12)
//! Holds     an error goes only to neighbours that may use one of the lost routes

use std::collections::BTreeSet;

use hopwright_machine::{Address, NodeId};
use hopwright_wire::Payload;
use hopwright_wire::aodv::{MAX_UNREACHABLE, Message, Rerr};

use super::Rfc;

impl Rfc {
    /// Case (i): the link to a neighbour has broken.
    pub(super) fn on_link_lost(&mut self, neighbour: NodeId) {
        if self.config.local_repair {
            self.out.reclaim(neighbour);
        } else {
            self.out.purge(neighbour);
        }
        self.table.forget_precursor(neighbour);
        let lost = self.table.through(neighbour);
        if lost.is_empty() {
            return;
        }
        self.out.broke(neighbour);
        let mut unreachable = Vec::new();
        for destination in lost {
            if self.may_become_repairable(destination) {
                self.table.invalidate_for_repair(destination, self.now);
                continue;
            }
            let route = self.table.invalidate(destination, None, self.now);
            if let Some(route) = route.filter(|route| !route.precursors.is_empty()) {
                unreachable.push((destination, route.sequence.unwrap_or(0)));
            }
        }
        self.send_error(unreachable, false, false);
    }

    /// Case (ii): a neighbour sent a packet that cannot go on.
    pub(super) fn refuse(&mut self, destination: Address, from: NodeId) {
        // As long as packets come, the neighbour has not heard: remember the number for it.
        if let Some(route) = self.table.invalidate(destination, None, self.now) {
            route.precursors.insert(from);
            let sequence = route.sequence.unwrap_or(0);
            return self.send_error(vec![(destination, sequence)], false, false);
        }
        self.transmit_error(vec![(destination, 0)], &BTreeSet::from([from]), false, false);
    }

    /// Case (iii): a neighbour has lost routes.
    pub(super) fn on_error(&mut self, error: &Rerr, from: NodeId) {
        let mut unreachable = Vec::new();
        for &(destination, sequence) in &error.unreachable {
            if self.table.valid(destination).is_none_or(|route| route.next_hop != from) {
                continue;
            }
            let route = if error.no_delete {
                self.table.get_mut(destination) // §6.12: under repair at the neighbour, the route stays
            } else {
                self.table.invalidate(destination, Some(sequence), self.now)
            };
            if let Some(route) = route.filter(|route| !route.precursors.is_empty()) {
                unreachable.push((destination, route.sequence.unwrap_or(sequence)));
            }
        }
        self.send_error(unreachable, error.no_delete, true);
    }

    /// `no_delete`: the flag N (§6.12).
    pub(super) fn send_error(&mut self, mut unreachable: Vec<(Address, u32)>, no_delete: bool, passed_on: bool) {
        if self.is_rebooting() {
            return; // §6.13
        }
        unreachable.truncate(MAX_UNREACHABLE); // `refuse` tells of the others when packets for them come
        let mut told = BTreeSet::new();
        for (destination, _) in &unreachable {
            if let Some(route) = self.table.get(*destination) {
                told.extend(route.precursors.iter().copied());
            }
        }
        if self.transmit_error(unreachable.clone(), &told, no_delete, passed_on) {
            for (destination, _) in unreachable {
                if let Some(route) = self.table.get_mut(destination).filter(|route| !route.valid) {
                    route.precursors.clear();
                }
            }
        }
    }

    /// Unicast to one, broadcast to several. Says whether the rate limit let it pass.
    fn transmit_error(
        &mut self,
        unreachable: Vec<(Address, u32)>,
        told: &BTreeSet<NodeId>,
        no_delete: bool,
        passed_on: bool,
    ) -> bool {
        let Some(&first) = told.first() else { return false };
        if self.errors.admit(self.now, self.config.rerr_ratelimit).is_err() {
            return false;
        }
        let message = Message::Rerr(Rerr { no_delete, unreachable });
        if told.len() == 1 {
            let packet = self.out.message(first.address(), 1, Payload::Aodv(message));
            self.out.transmit(packet, Some(first));
        } else {
            let packet = self.out.message(Address::BROADCAST, 1, Payload::Aodv(message));
            if passed_on {
                self.out.broadcast_jittered(self.now, self.config.broadcast_jitter, packet);
            } else {
                self.out.transmit(packet, None);
            }
        }
        true
    }
}
