//! Packets that wait for a route.
//!
//! Spec      RFC 3561 §6.3 (buffering)
//! Deviates  nothing
//! Holds     never more than its limit

use std::collections::VecDeque;

use hopwright_machine::{Address, Time};
use hopwright_wire::Packet;

/// Packets that wait for a route, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    packets: VecDeque<(Time, Packet)>,
}

impl Buffer {
    /// Keeps a packet until `expiry`; gives back the oldest one if `limit` is exceeded.
    pub(crate) fn push(&mut self, packet: Packet, expiry: Time, limit: usize) -> Option<Packet> {
        self.packets.push_back((expiry, packet));
        if self.packets.len() > limit { self.packets.pop_front().map(|(_, packet)| packet) } else { None }
    }

    /// Takes the oldest packet to `destination`.
    pub(crate) fn take(&mut self, destination: Address) -> Option<Packet> {
        let place = self.packets.iter().position(|(_, packet)| packet.destination == destination)?;
        self.packets.remove(place).map(|(_, packet)| packet)
    }

    /// Takes a packet whose time has run out. All wait equally long, so the oldest is the first.
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
