//! Packets that wait for a route.
//!
//! Spec      RFC 3561 §6.3 (buffering)
//! Deviates  nothing
//! Holds     never more than its limit

use std::collections::VecDeque;

use hopwright_machine::{Address, Time};
use hopwright_wire::Packet;

/// Packets that wait for a route, in the order of their expiry: oldest first.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    packets: VecDeque<(Time, Packet)>,
}

impl Buffer {
    /// Keeps a packet until `expiry`; gives back the oldest one if `limit` is exceeded.
    pub(crate) fn push(&mut self, packet: Packet, expiry: Time, limit: usize) -> Option<Packet> {
        // Whoever has waited before stands before those that come now.
        let place = self.packets.partition_point(|(other, _)| *other <= expiry);
        self.packets.insert(place, (expiry, packet));
        if self.packets.len() > limit { self.packets.pop_front().map(|(_, packet)| packet) } else { None }
    }

    /// Takes the oldest packet to `destination`.
    pub(crate) fn take(&mut self, destination: Address) -> Option<Packet> {
        let place = self.packets.iter().position(|(_, packet)| packet.destination == destination)?;
        self.packets.remove(place).map(|(_, packet)| packet)
    }

    /// Takes the oldest packet to `destination` that does not come from `source`.
    pub(crate) fn take_from_others(&mut self, destination: Address, source: Address) -> Option<Packet> {
        let fits = |(_, packet): &(Time, Packet)| packet.destination == destination && packet.source != source;
        let place = self.packets.iter().position(fits)?;
        self.packets.remove(place).map(|(_, packet)| packet)
    }

    /// Takes the oldest packet of all.
    pub(crate) fn take_any(&mut self) -> Option<Packet> {
        self.packets.pop_front().map(|(_, packet)| packet)
    }

    /// Takes a packet whose time has run out.
    pub(crate) fn take_expired(&mut self, now: Time) -> Option<Packet> {
        if self.deadline() <= now { self.packets.pop_front().map(|(_, packet)| packet) } else { None }
    }

    pub(crate) fn has(&self, destination: Address) -> bool {
        self.packets.iter().any(|(_, packet)| packet.destination == destination)
    }

    pub(crate) fn deadline(&self) -> Time {
        self.packets.front().map_or(Time::NEVER, |(expiry, _)| *expiry)
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }
}
