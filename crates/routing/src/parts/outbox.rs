//! Where outputs wait to be collected, some of them for a time of their own.
//!
//! Spec      RFC 5148 (jitter)
//! Deviates  nothing
//! Holds     packets leave in the order of their times, ties in the order they were put in

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Duration, NodeId, PacketId, Purpose, Stream, Time};
use hopwright_wire::dsr::DsrOption;
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, Payload, ip};

use super::Notifier;
use crate::{Counters, Output, Wishes};

/// Where outputs wait to be collected, some of them for a time of their own.
#[derive(Debug)]
#[repr(C)] // what is asked at every event stands first
pub(crate) struct Outbox {
    ready: VecDeque<Output>,
    delayed: BTreeMap<(Time, u64), (Packet, Option<NodeId>)>,
    pub(crate) node: NodeId,
    pub(crate) counters: Counters,
    notifier: Notifier,
    made: u64,
    delays: u64,
    stream: Stream,
    bytes: fn(&Packet) -> u32,
}

impl Outbox {
    /// The outbox of `node`; `bytes` is the length of a packet as the protocol counts it.
    pub(crate) fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, bytes: fn(&Packet) -> u32) -> Self {
        Self {
            node,
            counters: Counters::default(),
            notifier: Notifier::new(node, wishes),
            made: 0,
            delays: 0,
            stream: Stream::new(seed, node, Purpose::Routing),
            bytes,
            ready: VecDeque::new(),
            delayed: BTreeMap::new(),
        }
    }

    /// A message of this node. Bit 39 keeps its identity apart from those of the applications' packets.
    pub(crate) fn message(&mut self, destination: Address, ttl: u8, payload: Payload) -> Packet {
        let id = PacketId((u64::from(self.node.0) << 40) | (1 << 39) | self.made);
        self.made += 1;
        self.counters.control_made += 1;
        Packet::new(id, self.node.address(), destination, ttl, payload)
    }

    /// A packet of another node that is sent on. A message, which is absorbed where it is received, is made again; it
    /// keeps its identity.
    pub(crate) fn again(&mut self, packet: Packet) -> Packet {
        if packet.is_routing() {
            self.counters.control_made += 1;
        }
        packet
    }

    /// A second copy of a packet, which is to be sent again. From now on there are two.
    pub(crate) fn copy(&mut self, packet: &Packet) -> Packet {
        if packet.is_routing() {
            self.counters.control_made += 1;
        } else {
            self.ready.push_back(Output::Doubled(packet.clone()));
        }
        packet.clone()
    }

    /// A message that was made but is not sent after all.
    pub(crate) fn unmake(&mut self, _message: &Packet) {
        self.counters.control_made -= 1;
    }

    /// A random time below `limit`.
    pub(crate) fn duration_below(&mut self, limit: Duration) -> Duration {
        self.stream.duration_below(limit)
    }

    pub(crate) fn transmit(&mut self, mut packet: Packet, next_hop: Option<NodeId>) {
        if packet.is_routing() {
            self.counters.control_packets += 1;
            self.counters.control_bytes += u64::from((self.bytes)(&packet));
        } else if let Payload::Notice(notice) = &mut packet.payload {
            notice.hops = notice.hops.saturating_add(1);
            self.counters.notices += 1;
        }
        if self.notifier.is_asked() {
            self.counters.notices += carried_notices(&packet);
        }
        if self.notifier.is_asked()
            && packet.source != self.node.address()
            && let Some(notice) = notice_in(&packet)
        {
            self.notifier.passed_on(notice);
        }
        self.ready.push_back(Output::Transmit { packet, next_hop });
    }

    pub(crate) fn transmit_at(&mut self, time: Time, packet: Packet, next_hop: Option<NodeId>) {
        self.delayed.insert((time, self.delays), (packet, next_hop));
        self.delays += 1;
    }

    /// Broadcasts after a random time below `jitter`; returns how long the packet waits.
    pub(crate) fn broadcast_jittered(&mut self, now: Time, jitter: Duration, packet: Packet) -> Duration {
        let wait = self.wait_below(jitter);
        self.transmit_at(now + wait, packet, None);
        wait
    }

    /// The same of an own packet. Without jitter nothing is drawn and it leaves at once, as RFC 3561 and RFC 4728 have it.
    pub(crate) fn broadcast_own(&mut self, now: Time, jitter: Duration, packet: Packet) -> Duration {
        if jitter == Duration::ZERO {
            self.transmit(packet, None);
            return Duration::ZERO;
        }
        self.broadcast_jittered(now, jitter, packet)
    }

    /// A random time below `limit`.
    pub(crate) fn wait_below(&mut self, limit: Duration) -> Duration {
        self.stream.duration_below(limit)
    }

    /// Drops what still waits for its time.
    pub(crate) fn drop_delayed(&mut self, cause: DropCause) {
        let delayed = std::mem::take(&mut self.delayed);
        delayed.into_values().for_each(|(packet, _)| self.drop(packet, cause));
    }

    /// A neighbour is taken for lost, which takes routes out of use.
    pub(crate) fn broke(&mut self, neighbour: NodeId) {
        self.counters.route_breaks += 1;
        self.ready.push_back(Output::RouteBroke(neighbour));
    }

    pub(crate) fn deliver(&mut self, packet: Packet) {
        self.ready.push_back(Output::Deliver(packet));
    }

    /// A packet cannot be forwarded to `next_hop`, or to anybody: the notice to be sent to its source, if the flow asks
    /// for one and has not just got it.
    pub(crate) fn undeliverable(&mut self, now: Time, packet: &Packet, next_hop: Option<NodeId>) -> Option<Notice> {
        self.notifier.undeliverable(now, packet, next_hop)
    }

    /// Whether a packet of another is a notice that ends here; see `Notifier::is_spared`, `is_repeated`. `from`: the
    /// neighbour that sent it; `way`: where packets go from here to an address.
    pub(crate) fn spares(&self, packet: &Packet, from: NodeId, way: impl FnOnce(Address) -> Option<NodeId>) -> bool {
        let Payload::Notice(notice) = &packet.payload else { return false };
        if self.repeats(packet) {
            return true;
        }
        self.notifier.is_spared(notice) && way(notice.flow.destination).is_some_and(|next_hop| next_hop != from)
    }

    /// Whether a packet of another is a notice of what was told from here already, and ends here; see
    /// `Notifier::is_repeated`.
    pub(crate) fn repeats(&self, packet: &Packet) -> bool {
        matches!(&packet.payload, Payload::Notice(notice) if self.notifier.is_repeated(notice))
    }

    /// Transports ask for something else from now on.
    pub(crate) fn heed(&mut self, wishes: &Arc<Wishes>) {
        self.notifier.heed(wishes);
    }

    /// Whether any transport asks for notices.
    pub(crate) fn is_asked(&self) -> bool {
        self.notifier.is_asked()
    }

    /// Whether somebody wants to hear of this address's return.
    pub(crate) fn is_wanted(&self, address: Address) -> bool {
        self.notifier.wanted().contains(&address)
    }

    /// Whether somebody may want to hear of an address's return.
    #[inline]
    pub(crate) fn may_be_watched(&self) -> bool {
        self.notifier.may_be_watched()
    }

    /// The addresses whose return somebody wants to hear of, usually none, with the next hops to them.
    pub(crate) fn wanted(&self, next_hop: impl Fn(Address) -> Option<NodeId>) -> BTreeMap<Address, Option<NodeId>> {
        self.notifier.wanted().into_iter().map(|address| (address, next_hop(address))).collect()
    }

    /// This node has a route to `address` after it had none: a transport here may want to know. What it is to tell
    /// others is returned, with the node to be told.
    pub(crate) fn route_up(&mut self, address: Address) -> Vec<(Address, Notice)> {
        if self.notifier.watches(address) {
            self.ready.push_back(Output::RouteUp(address));
        }
        self.notifier.restored(address)
    }

    /// Sends a notice to `to` by this next hop; without one it goes nowhere. A notice to this node itself takes no hop.
    pub(crate) fn notify(&mut self, to: Address, notice: Notice, next_hop: Option<NodeId>) {
        if to == self.node.address() {
            self.ready.push_back(Output::Notify(notice));
        } else if let Some(next_hop) = next_hop {
            let packet = self.message(to, ip::DEFAULT_TTL, Payload::Notice(notice));
            self.transmit(packet, Some(next_hop));
        } else {
            self.notifier.went_nowhere(&notice);
        }
    }

    pub(crate) fn drop(&mut self, packet: Packet, cause: DropCause) {
        self.ready.push_back(Output::Drop { packet, cause });
    }

    /// Asks for the packets that wait in the interface queue for this neighbour.
    pub(crate) fn reclaim(&mut self, next_hop: NodeId) {
        self.ready.push_back(Output::ReclaimNextHop(next_hop));
    }

    pub(crate) fn purge(&mut self, next_hop: NodeId) {
        self.ready.push_back(Output::PurgeNextHop(next_hop));
    }

    /// Moves what has become due to the outputs.
    #[inline]
    pub(crate) fn release(&mut self, now: Time) {
        if !self.delayed.is_empty() {
            self.release_due(now); // seldom: all events ask
        }
    }

    fn release_due(&mut self, now: Time) {
        while let Some(entry) = self.delayed.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let (packet, next_hop) = entry.remove();
            self.transmit(packet, next_hop);
        }
    }

    /// Whether `poll` would give something.
    pub(crate) fn has_output(&self) -> bool {
        !self.ready.is_empty()
    }

    pub(crate) fn poll(&mut self) -> Option<Output> {
        let output = self.ready.pop_front()?;
        if self.ready.is_empty() {
            self.ready.clear(); // the next one is put where the last one was: that memory is near
        }
        Some(output)
    }

    pub(crate) fn deadline(&self) -> Time {
        self.delayed.first_key_value().map_or(Time::NEVER, |((time, _), _)| *time)
    }

    /// Packets inside; notices that carry none do not count.
    pub(crate) fn held(&self) -> usize {
        self.delayed.len() + self.ready.iter().filter(|output| output.is_packet()).count()
    }
}

/// How many notices ride in a packet's DSR header, beside its route errors.
fn carried_notices(packet: &Packet) -> u64 {
    let options = packet.dsr.iter().flat_map(|header| &header.options);
    options.filter(|option| matches!(option, DsrOption::Notice(_))).count() as u64
}

/// The notice that a packet is, or that its DSR header carries.
#[must_use]
pub fn notice_in(packet: &Packet) -> Option<&Notice> {
    if let Payload::Notice(notice) = &packet.payload {
        return Some(notice);
    }
    packet.dsr.as_deref()?.options.iter().find_map(|option| match option {
        DsrOption::Notice(notice) => Some(notice),
        _ => None,
    })
}
