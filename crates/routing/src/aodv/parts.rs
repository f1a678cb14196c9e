//! What both dialects of AODV share: outgoing packets, kept packets, requests already seen.
//!
//! Spec      RFC 3561 §6.3 (PATH_DISCOVERY_TIME, buffering)
//! Deviates  nothing
//! Holds     packets leave the outbox in the order of their times, ties in the order they were put in

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hopwright_machine::{Address, DropCause, Duration, NodeId, PacketId, Purpose, Stream, Time};
use hopwright_wire::{Packet, Payload, aodv::Message};

use crate::{Counters, Output};

/// Where outputs wait to be collected, some of them for a time of their own.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) node: NodeId,
    pub(super) counters: Counters,
    made: u64,
    delays: u64,
    stream: Stream,
    bytes: fn(&Packet) -> u32,
    ready: VecDeque<Output>,
    delayed: BTreeMap<(Time, u64), (Packet, Option<NodeId>)>,
}

impl Outbox {
    pub(super) fn new(node: NodeId, seed: u64, bytes: fn(&Packet) -> u32) -> Self {
        Self {
            node,
            counters: Counters::default(),
            made: 0,
            delays: 0,
            stream: Stream::new(seed, node, Purpose::Routing),
            bytes,
            ready: VecDeque::new(),
            delayed: BTreeMap::new(),
        }
    }

    /// A message of this node. Bit 39 keeps its identity apart from those of the applications' packets.
    pub(super) fn message(&mut self, destination: Address, ttl: u8, message: Message) -> Packet {
        let id = PacketId((u64::from(self.node.0) << 40) | (1 << 39) | self.made);
        self.made += 1;
        self.counters.control_made += 1;
        Packet { id, source: self.node.address(), destination, ttl, payload: Payload::Aodv(message) }
    }

    pub(super) fn transmit(&mut self, packet: Packet, next_hop: Option<NodeId>) {
        if packet.is_routing() {
            self.counters.control_packets += 1;
            self.counters.control_bytes += u64::from((self.bytes)(&packet));
        }
        self.ready.push_back(Output::Transmit { packet, next_hop });
    }

    pub(super) fn transmit_at(&mut self, time: Time, packet: Packet, next_hop: Option<NodeId>) {
        self.delayed.insert((time, self.delays), (packet, next_hop));
        self.delays += 1;
    }

    /// Broadcasts after a random time below `jitter`.
    pub(super) fn broadcast_jittered(&mut self, now: Time, jitter: Duration, packet: Packet) {
        let wait = self.stream.duration_below(jitter);
        self.transmit_at(now + wait, packet, None);
    }

    /// A random time below `limit`.
    pub(super) fn wait_below(&mut self, limit: Duration) -> Duration {
        self.stream.duration_below(limit)
    }

    /// Drops what still waits for its time.
    pub(super) fn drop_delayed(&mut self, cause: DropCause) {
        let delayed = std::mem::take(&mut self.delayed);
        delayed.into_values().for_each(|(packet, _)| self.drop(packet, cause));
    }

    pub(super) fn deliver(&mut self, packet: Packet) {
        self.ready.push_back(Output::Deliver(packet));
    }

    pub(super) fn drop(&mut self, packet: Packet, cause: DropCause) {
        self.ready.push_back(Output::Drop { packet, cause });
    }

    pub(super) fn purge(&mut self, next_hop: NodeId) {
        self.ready.push_back(Output::PurgeNextHop(next_hop));
    }

    pub(super) fn reclaim(&mut self, next_hop: NodeId) {
        self.purge(next_hop);
    }

    /// Moves what has become due to the outputs.
    pub(super) fn release(&mut self, now: Time) {
        while let Some(entry) = self.delayed.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let (packet, next_hop) = entry.remove();
            self.transmit(packet, next_hop);
        }
    }

    pub(super) fn poll(&mut self) -> Option<Output> {
        self.ready.pop_front()
    }

    pub(super) fn deadline(&self) -> Time {
        self.delayed.first_key_value().map_or(Time::NEVER, |((time, _), _)| *time)
    }

    /// Packets inside; notices that carry none do not count.
    pub(super) fn held(&self) -> usize {
        self.delayed.len() + self.ready.iter().filter(|output| !matches!(output, Output::PurgeNextHop(_))).count()
    }
}

/// Packets that wait for a route, oldest first.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    packets: VecDeque<(Time, Packet)>,
}

impl Buffer {
    /// Keeps a packet until `expiry`; gives back the oldest one if `limit` is exceeded.
    pub(super) fn push(&mut self, packet: Packet, expiry: Time, limit: usize) -> Option<Packet> {
        self.packets.push_back((expiry, packet));
        if self.packets.len() > limit { self.packets.pop_front().map(|(_, packet)| packet) } else { None }
    }

    /// Takes the oldest packet to `destination`.
    pub(super) fn take(&mut self, destination: Address) -> Option<Packet> {
        let place = self.packets.iter().position(|(_, packet)| packet.destination == destination)?;
        self.packets.remove(place).map(|(_, packet)| packet)
    }

    /// Takes the oldest packet to `destination` that does not come from `source`.
    pub(super) fn take_from_others(&mut self, destination: Address, source: Address) -> Option<Packet> {
        let fits = |(_, packet): &(Time, Packet)| packet.destination == destination && packet.source != source;
        let place = self.packets.iter().position(fits)?;
        self.packets.remove(place).map(|(_, packet)| packet)
    }

    /// Takes the oldest packet of all.
    pub(super) fn take_any(&mut self) -> Option<Packet> {
        self.packets.pop_front().map(|(_, packet)| packet)
    }

    /// Takes a packet whose time has run out. All wait equally long, so the oldest is the first.
    pub(super) fn take_expired(&mut self, now: Time) -> Option<Packet> {
        if self.deadline() <= now { self.packets.pop_front().map(|(_, packet)| packet) } else { None }
    }

    pub(super) fn has(&self, destination: Address) -> bool {
        self.packets.iter().any(|(_, packet)| packet.destination == destination)
    }

    pub(super) fn deadline(&self) -> Time {
        self.packets.front().map_or(Time::NEVER, |(expiry, _)| *expiry)
    }

    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }
}

/// Requests already seen, so that their copies are recognized (RFC 3561 §6.3, §6.5).
#[derive(Debug, Default)]
pub(super) struct Seen {
    order: VecDeque<(Time, Address, u32)>,
    requests: BTreeSet<(Address, u32)>,
}

impl Seen {
    /// Whether the request is new; it is remembered until `now + keep`.
    pub(super) fn is_new(&mut self, now: Time, keep: Duration, originator: Address, id: u32) -> bool {
        while let Some(&(expiry, address, old)) = self.order.front() {
            if expiry > now {
                break;
            }
            self.order.pop_front();
            self.requests.remove(&(address, old));
        }
        let new = self.requests.insert((originator, id));
        if new {
            self.order.push_back((now + keep, originator, id));
        }
        new
    }
}

/// Allows so many events in any second (RREQ_RATELIMIT and RERR_RATELIMIT, RFC 3561 §10).
#[derive(Debug, Default)]
pub(super) struct Limiter {
    recent: VecDeque<Time>,
}

impl Limiter {
    /// Takes one event's place if there is one; otherwise says when there will be.
    pub(super) fn admit(&mut self, now: Time, limit: u32) -> Result<(), Time> {
        let second = Duration::from_secs(1);
        while self.recent.front().is_some_and(|&time| time + second <= now) {
            self.recent.pop_front();
        }
        if self.recent.len() >= limit as usize {
            return Err(self.recent.front().map_or(Time::NEVER, |&time| time + second));
        }
        self.recent.push_back(now);
        Ok(())
    }
}
