//! Route Maintenance without the link layer's help: the maintenance buffer, passive and network-layer
//! acknowledgements.
//!
//! The buffer holds second copies: the packet itself is with the link layer, whatever becomes of it. A copy counts
//! as a packet only when it is sent again.
//!
//! A packet in the interface queue is not waited for: the buffer is for packets "already transmitted" (§4.5), and times
//! run from "this transmission" (§8.3.2). So a clock starts when the link layer says that it has sent the packet or
//! given it up. There is never a second copy in the queue of what still waits there, and what the queue drops is gone.
//!
//! Spec      RFC 4728 §4.5, §8.3.1 to §8.3.3
//! Deviates  the next hop is also taken to have the packet if it is heard to send it on salvaged, with more nodes left
//!           to visit; what finds the buffer full is sent, but not watched
//! Holds     never more packets that have left than the buffer takes; each is confirmed, repeated, or taken for lost

use std::collections::BTreeMap;

use hopwright_machine::{Duration, NodeId, PacketId, Time};
use hopwright_wire::dsr::{Acknowledgement, DsrOption, Header, SourceRoute};
use hopwright_wire::{Packet, Payload};

use super::Rfc;
use crate::dsr::route::Route;

/// A copy whose next hop has not confirmed it.
#[derive(Clone, Debug)]
struct Unconfirmed {
    packet: Packet,
    next_hop: NodeId,
    /// The identification of its acknowledgement request, once there is one.
    asked: Option<u16>,
    /// Times it was sent again: with the hope of a passive acknowledgement, or with a request.
    repeated: u32,
    /// When it left, and when its confirmation is overdue; nothing while the link layer has it.
    clock: Option<Clock>,
}

#[derive(Clone, Copy, Debug)]
struct Clock {
    left: Time,
    due: Time,
}

impl Unconfirmed {
    fn due(&self) -> Time {
        self.clock.map_or(Time::NEVER, |clock| clock.due)
    }
}

/// What is known of a neighbour.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbour {
    confirmed: Option<Time>,
    /// Smoothed round trip of acknowledgements and its variation (as RFC 6298 has them).
    round_trip: Option<(Duration, Duration)>,
}

/// The maintenance buffer.
#[derive(Debug, Default)]
pub(super) struct Maintenance {
    unconfirmed: Vec<Unconfirmed>,
    neighbours: BTreeMap<NodeId, Neighbour>,
    next_id: u16,
}

impl Maintenance {
    pub(super) fn deadline(&self) -> Time {
        self.unconfirmed.iter().map(Unconfirmed::due).min().unwrap_or(Time::NEVER)
    }

    fn is_confirmed(&self, now: Time, next_hop: NodeId, holdoff: Duration) -> bool {
        let confirmed = self.neighbours.get(&next_hop).and_then(|neighbour| neighbour.confirmed);
        confirmed.is_some_and(|time| now.since(time) < holdoff)
    }

    /// What waits to be sent for the first time has still to be confirmed, unless it leaves soon.
    fn confirm(&mut self, now: Time, next_hop: NodeId) {
        self.neighbours.entry(next_hop).or_default().confirmed = Some(now);
        self.unconfirmed.retain(|entry| entry.next_hop != next_hop || entry.clock.is_none() && entry.repeated == 0);
    }

    /// The link layer gave a packet back: the copy is not needed.
    pub(super) fn forget_queued(&mut self, packet: PacketId, next_hop: NodeId) {
        self.forget(|entry| entry.packet.id == packet && entry.next_hop == next_hop);
    }

    /// A packet was dropped without being tried, which says nothing of its next hop.
    pub(super) fn forget_dropped(&mut self, packet: PacketId) {
        self.forget(|entry| entry.packet.id == packet);
    }

    fn forget(&mut self, is_it: impl Fn(&Unconfirmed) -> bool) {
        if let Some(place) = self.unconfirmed.iter().position(|entry| entry.clock.is_none() && is_it(entry)) {
            self.unconfirmed.remove(place);
        }
    }

    /// How long an acknowledgement may take.
    fn patience(&self, next_hop: NodeId, least: Duration) -> Duration {
        let round_trip = self.neighbours.get(&next_hop).and_then(|neighbour| neighbour.round_trip);
        round_trip.map_or(least, |(mean, variation)| (mean + variation * 4).max(least))
    }

    fn measure(&mut self, next_hop: NodeId, sample: Duration) {
        let neighbour = self.neighbours.entry(next_hop).or_default();
        neighbour.round_trip = Some(match neighbour.round_trip {
            None => (sample, sample / 2),
            Some((mean, variation)) => {
                let apart = mean.saturating_sub(sample).max(sample.saturating_sub(mean));
                ((mean * 7 + sample) / 8, (variation * 3 + apart) / 4)
            }
        });
    }

    fn new_id(&mut self) -> u16 {
        self.next_id = self.next_id.wrapping_add(1);
        self.next_id
    }
}

impl Rfc {
    /// Gives a packet to the link layer; keeps a copy if its next hop has to confirm it.
    pub(super) fn hand_down(&mut self, mut packet: Packet, next_hop: NodeId) {
        let c = &self.config;
        let (watches, asks) = (c.passive_acks && c.promiscuous, c.network_acks || c.passive_acks);
        if c.link_layer_feedback || !asks || self.maintenance.is_confirmed(self.now, next_hop, c.maint_holdoff) {
            return self.out.transmit(packet, Some(next_hop));
        }
        let is_last = packet.destination == next_hop.address();
        let asked = (is_last || !watches).then(|| self.maintenance.new_id());
        if let Some(id) = asked {
            ask(&mut packet, id);
        }
        let entry = Unconfirmed { packet: packet.clone(), next_hop, asked, repeated: 0, clock: None };
        self.maintenance.unconfirmed.push(entry);
        self.out.transmit(packet, Some(next_hop));
    }

    /// The link layer is done with a packet: from now on its confirmation is waited for.
    pub(super) fn on_left(&mut self, packet: PacketId) {
        let (now, c, maintenance) = (self.now, &self.config, &mut self.maintenance);
        let is_it = |entry: &Unconfirmed| entry.clock.is_none() && entry.packet.id == packet;
        let Some(place) = maintenance.unconfirmed.iter().position(is_it) else { return };
        let mut entry = maintenance.unconfirmed.remove(place);
        let watched = maintenance.unconfirmed.iter().filter(|entry| entry.clock.is_some()).count();
        if maintenance.is_confirmed(now, entry.next_hop, c.maint_holdoff) || watched >= c.maintenance_buffer_packets {
            return;
        }
        let patience = match entry.asked {
            Some(_) => maintenance.patience(entry.next_hop, c.passive_ack_timeout) * (1 << entry.repeated.min(6)),
            None => c.passive_ack_timeout,
        };
        entry.clock = Some(Clock { left: now, due: now + patience });
        maintenance.unconfirmed.push(entry);
    }

    /// Takes the acknowledgement request out of a packet; answers it if it is for this node (§8.3.3).
    pub(super) fn heed_acknowledgement_request(&mut self, packet: &mut Packet, from: NodeId) {
        let Some(header) = packet.dsr.as_deref_mut() else { return };
        let Some(id) = header.acknowledgement_request() else { return };
        header.options.retain(|option| !matches!(option, DsrOption::AcknowledgementRequest(_)));
        let next = header.source_route().and_then(SourceRoute::next).unwrap_or(packet.destination);
        let answers = header.options.iter().any(|option| matches!(option, DsrOption::Acknowledgement(_)));
        if next == self.me() && (!answers || packet.destination == self.me()) {
            self.acknowledge(from, id);
        }
    }

    fn acknowledge(&mut self, to: NodeId, id: u16) {
        let (source, destination) = (self.me(), to.address());
        let mut packet = self.out.message(destination, 1, Payload::Nothing);
        let answer = DsrOption::Acknowledgement(Acknowledgement { id, source, destination });
        packet.dsr = Some(Box::new(Header::with(answer)));
        self.out.transmit(packet, Some(to));
    }

    pub(super) fn on_answer(&mut self, answer: &Acknowledgement) {
        let Some(neighbour) = answer.source.node() else { return };
        let known = self.maintenance.unconfirmed.iter();
        let known = known.filter(|entry| entry.next_hop == neighbour).find(|entry| entry.asked == Some(answer.id));
        let Some(entry) = known else { return };
        if let (0, Some(clock)) = (entry.repeated, entry.clock) {
            let sample = self.now.since(clock.left);
            self.maintenance.measure(neighbour, sample);
        }
        self.maintenance.confirm(self.now, neighbour);
    }

    /// The next hop is heard to pass on a packet that it had from here (§8.3.2).
    pub(super) fn note_passive(&mut self, packet: &Packet, route: &Route, from: NodeId) {
        if !self.config.passive_acks {
            return;
        }
        let is_same = |entry: &Unconfirmed| {
            entry.next_hop == from
                && entry.packet.id == packet.id
                && entry.packet.source == packet.source
                && Route::of(&entry.packet).is_some_and(|sent| {
                    sent.path.len() - sent.at > route.path.len() - route.at || sent.salvage < route.salvage
                })
        };
        if self.maintenance.unconfirmed.iter().any(is_same) {
            self.maintenance.confirm(self.now, from);
        }
    }

    /// Repeats packets whose confirmation is overdue, or takes their next hop for lost.
    pub(super) fn look_after_unconfirmed(&mut self) {
        while let Some(place) = self.maintenance.unconfirmed.iter().position(|entry| entry.due() <= self.now) {
            let mut entry = self.maintenance.unconfirmed.remove(place);
            let c = &self.config;
            let limit = if entry.asked.is_some() { c.max_maint_rexmt } else { c.try_passive_acks };
            if entry.repeated >= limit {
                if entry.asked.is_some() || !c.network_acks {
                    self.lose(entry);
                    continue;
                }
                let id = self.maintenance.new_id();
                (entry.asked, entry.repeated) = (Some(id), 0);
                ask(&mut entry.packet, id);
            }
            entry.repeated += 1;
            entry.clock = None;
            let copy = self.out.copy(&entry.packet);
            self.out.transmit(copy, Some(entry.next_hop));
            self.maintenance.unconfirmed.push(entry);
        }
    }

    /// The next hop of a copy is taken for lost, and with it everything else that was sent there. What the link layer
    /// still has comes back by itself.
    fn lose(&mut self, entry: Unconfirmed) {
        let next_hop = entry.next_hop;
        self.maintenance.neighbours.remove(&next_hop);
        let mut packets = vec![entry.packet];
        self.maintenance.unconfirmed.retain(|other| {
            let is_lost = other.next_hop == next_hop && other.clock.is_some();
            if is_lost {
                packets.push(other.packet.clone());
            }
            !is_lost
        });
        let copies = packets.iter().map(|packet| self.out.copy(packet)).collect();
        self.out.counters.link_failures += 1;
        self.link_lost(next_hop, copies);
        self.out.reclaim(next_hop);
    }
}

/// Adds an acknowledgement request in the place of the one that is there.
fn ask(packet: &mut Packet, id: u16) {
    let header = packet.dsr.get_or_insert_default();
    header.options.retain(|option| !matches!(option, DsrOption::AcknowledgementRequest(_)));
    header.options.push(DsrOption::AcknowledgementRequest(id));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6298 §2: SRTT and RTTVAR with gains of an eighth and a quarter; what is waited for is SRTT + 4 RTTVAR.
    #[test]
    fn patience_follows_the_round_trips_of_acknowledgements() {
        let (mut maintenance, there, ms) = (Maintenance::default(), NodeId(1), Duration::from_millis);
        assert_eq!(maintenance.patience(there, ms(100)), ms(100));
        for (sample, patience) in [
            (80, 80 + 4 * 40),
            (80, 80 + 4 * 30), // RTTVAR 3/4 of 40
            (160, 90 + 4 * (30 * 3 + 80) / 4),
        ] {
            maintenance.measure(there, ms(sample));
            assert_eq!(maintenance.patience(there, Duration::ZERO), ms(patience), "after {sample} ms");
        }
        assert_eq!(maintenance.patience(NodeId(2), ms(100)), ms(100), "another neighbour");
    }
}
