//! Over one hop: a way is found, and packets are handed to the link, one at a time for each bundle.
//!
//! Spec      Velayutham 2005 §6.4.6, §6.5.4
//! Deviates  see the parent module
//! Holds     nothing is handed to the link that is not here; each packet in the link is let go of once

use std::collections::btree_map::Entry;
use std::sync::Arc;

use hopwright_machine::{Address, NodeId, Time};
use hopwright_wire::nctp::{Key, Kind, Packet};

use super::{Agent, FIRST_SEEK, Search};
use crate::bundle::{Bundle, Role, Stage, Transfer, Way};
use crate::config::{LetsGo, Resumes, Service, TimerStarts, WhenFull};
use crate::news::{News, Output};

impl Agent {
    /// The next owner has no room for a bundle.
    pub(super) fn on_refusal(&mut self, key: Key, by: Address) {
        let resumes = self.now + self.config.retry;
        let now = self.now;
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        match &mut bundle.stage {
            Stage::Sending(transfer) if transfer.way.next_hop.address() == by => {
                (transfer.next, transfer.resumes) = (1, resumes);
                bundle.refused_since = bundle.refused_since.min(now);
            }
            Stage::Lingering { .. } | Stage::Away => {
                bundle.rests_until = resumes;
                bundle.refused_since = bundle.refused_since.min(now);
                self.send_again(key);
            }
            _ => return,
        }
        self.tell(key, News::Refused);
    }

    /// A bundle that has left goes out again.
    pub(super) fn send_again(&mut self, key: Key) {
        if let Some(bundle) = self.bundles.get_mut(&key) {
            (bundle.due, bundle.failed_at) = (Time::NEVER, None);
        }
        self.seek(key);
    }

    /// A bundle wants a way.
    pub(super) fn seek(&mut self, key: Key) {
        let now = self.now;
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        if !matches!(bundle.stage, Stage::Routing { .. }) {
            bundle.stage = Stage::Routing { since: now };
        }
        let destination = bundle.destination;
        if let Entry::Vacant(place) = self.searches.entry(destination) {
            place.insert(Search { again_at: now + FIRST_SEEK, gap: FIRST_SEEK });
            self.out.push_back(Output::Seek(destination));
        }
    }

    pub(super) fn on_way(&mut self, destination: Address, way: &Way) {
        if self.searches.remove(&destination).is_none() {
            return;
        }
        let wants =
            |bundle: &Bundle| bundle.destination == destination && matches!(bundle.stage, Stage::Routing { .. });
        let keys: Vec<Key> = self.bundles.iter().filter(|(_, b)| wants(b)).map(|(&key, _)| key).collect();
        for key in keys {
            self.send_over(key, way.clone());
        }
    }

    /// The transfer of a bundle begins.
    pub(super) fn send_over(&mut self, key: Key, way: Way) {
        let (now, config) = (self.now, &self.config);
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        let same = bundle.failed_at.take().filter(|&(next_hop, _)| next_hop == way.next_hop);
        let next = match (config.resumes, same) {
            (Resumes::WhereItFailed, Some((_, number))) => number,
            _ => 1,
        };
        if bundle.role == Role::Source {
            bundle.hops = way.hops;
            if config.timer_starts == TimerStarts::BeforeTransfer && bundle.due.is_never() {
                self.start_timer(key);
            }
        }
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        let resumes = now.max(bundle.rests_until);
        bundle.stage = Stage::Sending(Transfer { way, next, in_link: None, failures: 0, resumes });
    }

    /// Hands the next packets to the link.
    pub(super) fn serve(&mut self) {
        let now = self.now;
        let ready = |bundle: &Bundle| match &bundle.stage {
            Stage::Sending(t) => t.in_link.is_none() && t.resumes <= now && bundle.parts.has(t.next),
            _ => false,
        };
        if self.config.service == Service::Turns {
            let keys: Vec<Key> = self.bundles.iter().filter(|(_, b)| ready(b)).map(|(&key, _)| key).collect();
            keys.into_iter().for_each(|key| self.hand(key));
            return;
        }
        let in_link = |bundle: &Bundle| matches!(&bundle.stage, Stage::Sending(t) if t.in_link.is_some());
        if self.bundles.values().any(in_link) {
            return;
        }
        let hops = |bundle: &Bundle| match (&bundle.stage, self.config.service) {
            (Stage::Sending(t), Service::NearestFirst) => t.way.hops.unwrap_or(u32::MAX),
            _ => 0,
        };
        let waiting = self.bundles.iter().filter(|(_, bundle)| ready(bundle));
        if let Some((&key, _)) = waiting.min_by_key(|(_, bundle)| (hops(bundle), bundle.order)) {
            self.hand(key);
        }
    }

    pub(super) fn hand(&mut self, key: Key) {
        let me = self.me();
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        let (destination, shape, hops) = (bundle.destination, bundle.shape, bundle.hops_made);
        let Stage::Sending(transfer) = &mut bundle.stage else { return };
        let number = transfer.next;
        transfer.in_link = Some(number);
        let packet = Packet {
            kind: Kind::Data,
            key,
            destination,
            sender: me,
            receiver: transfer.way.next_hop.address(),
            number,
            packets: shape.packets,
            is_last: shape.is_last,
            payload_bytes: shape.bytes_of(number),
        };
        self.out.push_back(Output::Hop { packet, way: transfer.way.clone(), hops });
    }

    /// The link has let go of a packet; the transfer that it is part of, if there still is one.
    pub(super) fn let_go(&mut self, packet: &Packet) -> Option<&mut Bundle> {
        let bundle = self.bundles.get_mut(&packet.key)?;
        let transfer = bundle.transfer()?;
        (transfer.in_link.take_if(|number| *number == packet.number)).is_some().then_some(bundle)
    }

    pub(super) fn on_sent(&mut self, packet: &Packet) {
        let Some(bundle) = self.let_go(packet) else { return };
        let packets = bundle.shape.packets;
        let Some(transfer) = bundle.transfer() else { return };
        // A refusal may have sent it back to the beginning.
        if transfer.next == packet.number {
            transfer.next += 1;
            transfer.failures = 0;
            if packet.number == packets {
                self.handed_over(packet.key);
            }
        }
    }

    /// The next owner has all of a bundle.
    pub(super) fn handed_over(&mut self, key: Key) {
        let (now, config) = (self.now, Arc::clone(&self.config));
        let Some(bundle) = self.bundles.get_mut(&key) else { return };
        let Stage::Sending(transfer) = &bundle.stage else { return };
        let to = transfer.way.next_hop;
        match (bundle.role, config.lets_go, config.when_full, config.room) {
            (Role::Source, ..) => {
                bundle.stage = Stage::Away;
                if config.timer_starts == TimerStarts::AfterTransfer {
                    self.start_timer(key);
                }
            }
            (_, LetsGo::OnAck, ..) => bundle.stage = Stage::Away,
            // The last packet may have been refused.
            (_, LetsGo::OnTransfer, WhenFull::Refuse, Some(_)) => {
                bundle.stage = Stage::Lingering { until: now + config.retry };
            }
            (_, LetsGo::OnTransfer, ..) => self.remove(&key),
        }
        self.tell(key, News::HandedOver(to));
    }

    pub(super) fn on_failed(&mut self, packet: &Packet) {
        let (most, resumes) = (self.config.link_tries, self.now + self.config.retry);
        let Some(transfer) = self.let_go(packet).and_then(Bundle::transfer) else { return };
        transfer.failures += 1;
        if transfer.failures < most {
            transfer.resumes = resumes; // the same packet again
            return;
        }
        let next_hop = transfer.way.next_hop;
        self.out.push_back(Output::LinkLost(next_hop));
        self.lost(packet, next_hop);
    }

    pub(super) fn on_link_lost(&mut self, packet: &Packet) {
        let Some(transfer) = self.let_go(packet).and_then(Bundle::transfer) else { return };
        let next_hop = transfer.way.next_hop;
        self.lost(packet, next_hop);
    }

    /// The link over which a bundle was handed is lost.
    fn lost(&mut self, packet: &Packet, next_hop: NodeId) {
        let Some(bundle) = self.bundles.get_mut(&packet.key) else { return };
        let Some(transfer) = bundle.transfer() else { return };
        bundle.failed_at = Some((next_hop, packet.number.min(transfer.next)));
        bundle.refused_since = Time::NEVER;
        self.tell(packet.key, News::LinkFailed(next_hop));
        self.seek(packet.key);
    }

    pub(super) fn on_refused(&mut self, packet: &Packet) {
        let resumes = self.now + self.config.retry;
        if let Some(transfer) = self.let_go(packet).and_then(Bundle::transfer) {
            transfer.resumes = resumes;
        }
    }
}
