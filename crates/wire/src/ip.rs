//! IPv4 packets (RFC 791), without options and fragments; and what travels in their place.

use hopwright_machine::{Address, PacketId};

use crate::{aodv, arp, tcp, udp};

/// Length of an IPv4 header without options, in bytes.
pub const HEADER_BYTES: u32 = 20;

/// The time to live a host gives its packets (RFC 1700; contract of this project).
pub const DEFAULT_TTL: u8 = 64;

/// An IPv4 packet, or an address resolution message, which has no IP header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Identity, kept through all layers and hops. Not on the wire.
    pub id: PacketId,
    /// Source address.
    pub source: Address,
    /// Destination address.
    pub destination: Address,
    /// Hops the packet may still make.
    pub ttl: u8,
    /// What it carries.
    pub payload: Payload,
}

/// What a packet carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A TCP segment.
    Tcp(tcp::Segment),
    /// A UDP datagram of an application.
    Udp(udp::Datagram),
    /// An AODV message, in UDP to port 654.
    Aodv(aodv::Message),
    /// An address resolution message, without IP.
    Arp(arp::Message),
}

impl Packet {
    /// Length of the whole packet on the wire, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        match &self.payload {
            Payload::Tcp(segment) => HEADER_BYTES + segment.bytes(),
            Payload::Udp(datagram) => HEADER_BYTES + datagram.bytes(),
            Payload::Aodv(message) => HEADER_BYTES + udp::HEADER_BYTES + message.bytes(),
            Payload::Arp(_) => arp::BYTES,
        }
    }

    /// Whether this is a routing protocol's own message: it goes to the front of the interface queue.
    #[must_use]
    pub const fn is_routing(&self) -> bool {
        matches!(self.payload, Payload::Aodv(_))
    }
}
