//! IPv4 packets (RFC 791), without options and fragments.

use hopwright_machine::{Address, PacketId};

use crate::{aodv, tcp, udp};

/// Length of an IPv4 header without options, in bytes.
pub const HEADER_BYTES: u32 = 20;

/// The time to live a host gives its packets (RFC 1700; contract of this project).
pub const DEFAULT_TTL: u8 = 64;

/// An IPv4 packet.
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

/// What an IPv4 packet carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A TCP segment.
    Tcp(tcp::Segment),
    /// A UDP datagram of an application.
    Udp(udp::Datagram),
    /// An AODV message, in UDP to port 654.
    Aodv(aodv::Message),
}

impl Packet {
    /// Length of the whole packet on the wire, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        HEADER_BYTES
            + match &self.payload {
                Payload::Tcp(segment) => segment.bytes(),
                Payload::Udp(datagram) => datagram.bytes(),
                Payload::Aodv(message) => udp::HEADER_BYTES + message.bytes(),
            }
    }

    /// Whether this is a routing protocol's own message: it goes to the front of the interface queue.
    #[must_use]
    pub const fn is_routing(&self) -> bool {
        matches!(self.payload, Payload::Aodv(_))
    }
}
