//! Messages of this node: HELLO and TC; and how messages are put into packets.
//!
//! Spec      RFC 3626 §3.3, §3.5 (jitter, messages that share a packet), §6.2, §9.3, §15.1
//! Deviates  no MID and no HNA: a node has one interface and no network behind it
//! Holds     a packet fits into an Ethernet frame, as long as no single flooded message is longer

use std::collections::{BTreeMap, BTreeSet};

use hopwright_machine::{Address, Time};
use hopwright_wire::olsr::{Body, Hello, LinkCode, LinkMessage, Message, PACKET_HEADER_BYTES, Packet, Tc, TimeCode};
use hopwright_wire::{Payload, ip, udp};

use super::Olsr;

/// The longest packet that is put together, without UDP and IP: an Ethernet frame's 1500 bytes.
const PACKET_BYTES: u32 = 1500 - ip::HEADER_BYTES - udp::HEADER_BYTES;

/// The most addresses in one message, so that it fits into a packet with any link codes.
const ADDRESSES: usize = 340;

/// TTL of a message that goes through the whole network (§9.1).
const EVERYWHERE: u8 = 255;

impl Olsr {
    /// Sends HELLOs: one, or more if there are very many neighbours.
    pub(super) fn send_hello(&mut self) {
        let now = self.now;
        let mut due = self.links_to_tell().into_iter().peekable();
        loop {
            let mut links: BTreeMap<LinkCode, Vec<Address>> = BTreeMap::new();
            for (code, address) in due.by_ref().take(ADDRESSES) {
                links.entry(code).or_default().push(address);
            }
            let links = links.into_iter().map(|(code, neighbours)| LinkMessage { code, neighbours }).collect();
            let interval = TimeCode::at_least(self.config.hello_interval);
            let hello = Hello { interval, willingness: self.config.willingness, links };
            let message = self.message(1, self.config.neighbour_hold_time, Body::Hello(hello.into()));
            self.send_on(now, message);
            if due.peek().is_none() {
                break;
            }
        }
        let next = now + (self.config.hello_interval.saturating_sub(self.jitter()));
        self.hello_at = next;
        self.flush();
    }

    /// The links that this HELLO must name: every one within REFRESH_INTERVAL, and what has changed (§6.2).
    fn links_to_tell(&mut self) -> Vec<(LinkCode, Address)> {
        let now = self.now;
        let relays = self.near.relays(self.config.mpr_coverage).clone();
        // The next HELLO comes after HELLO_INTERVAL at the latest; then it would be too late.
        let too_late = now + self.config.hello_interval;
        let refresh = self.config.refresh_interval;
        let mut due = Vec::new();
        for (address, neighbour) in self.near.iter_mut() {
            let Some(code) = neighbour.code(now, relays.contains(&address)) else { continue };
            if neighbour.told.is_none_or(|(then, old)| old != code || then + refresh < too_late) {
                neighbour.told = Some((now, code));
                due.push((code, address));
            }
        }
        due
    }

    /// The neighbours that this node tells everybody about (§9.3, §15.1).
    fn advertised(&mut self) -> BTreeSet<Address> {
        let redundancy = self.config.redundancy();
        if redundancy >= 2 {
            return self.near.symmetric().map(|(address, _)| address).collect();
        }
        let selectors: BTreeSet<Address> = self.near.selectors(self.now).collect();
        if redundancy == 0 {
            return selectors;
        }
        selectors.union(self.near.relays(self.config.mpr_coverage)).copied().collect()
    }

    /// Lets a TC message come soon, if the advertised neighbours are no longer what was told last.
    pub(super) fn hasten_tc(&mut self) {
        if self.advertised() != self.told {
            let soon = self.now + self.jitter();
            self.tc_at = self.tc_at.min(soon);
        }
    }

    /// The time for TC messages has come (§9.3).
    pub(super) fn send_tc(&mut self) {
        self.tc_at = self.now + self.config.tc_interval.saturating_sub(self.jitter());
        let advertised = self.advertised();
        if advertised != self.told {
            self.ansn = self.ansn.wrapping_add(1);
            self.told = advertised;
        }
        if !self.told.is_empty() {
            self.told_until = self.now + self.config.topology_hold_time;
        } else if self.told_until <= self.now {
            return; // nothing to say, and nothing to take back any more
        }
        let all: Vec<Address> = self.told.iter().copied().collect();
        let mut parts: Vec<&[Address]> = all.chunks(ADDRESSES).collect();
        if parts.is_empty() {
            parts.push(&[]);
        }
        for part in parts {
            let body = Body::Tc(Tc { ansn: self.ansn, advertised: part.into() }.into());
            let message = self.message(EVERYWHERE, self.config.topology_hold_time, body);
            self.send_on(self.now, message);
        }
        self.flush();
    }

    fn message(&mut self, ttl: u8, validity: hopwright_machine::Duration, body: Body) -> Message {
        let sequence = self.message_sequence;
        self.message_sequence = sequence.wrapping_add(1);
        let validity = TimeCode::at_least(validity);
        Message { validity, originator: self.me(), ttl, hop_count: 0, sequence, body }
    }

    /// Lets a message leave at `time`, or before, with others.
    pub(super) fn send_on(&mut self, time: Time, message: Message) {
        self.waiting.push(message);
        self.flush_at = self.flush_at.min(time);
    }

    /// Sends all messages that wait, in as few packets as hold them.
    pub(super) fn flush(&mut self) {
        self.flush_at = Time::NEVER;
        let mut packet = Vec::new();
        let mut bytes = PACKET_HEADER_BYTES;
        for message in std::mem::take(&mut self.waiting) {
            let more = message.bytes();
            if !packet.is_empty() && bytes + more > PACKET_BYTES {
                self.broadcast(std::mem::take(&mut packet));
                bytes = PACKET_HEADER_BYTES;
            }
            bytes += more;
            packet.push(message);
        }
        if !packet.is_empty() {
            self.broadcast(packet);
        }
    }

    pub(super) fn broadcast(&mut self, messages: Vec<Message>) {
        let sequence = self.packet_sequence;
        self.packet_sequence = sequence.wrapping_add(1);
        let payload = Payload::Olsr(Packet { sequence, messages: messages.into() });
        let packet = self.out.message(Address::BROADCAST, 1, payload);
        self.out.transmit(packet, None);
    }
}
