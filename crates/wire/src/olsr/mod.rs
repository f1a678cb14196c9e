//! OLSR packets and messages (RFC 3626), carried in UDP to port 698.
//!
//! What a message holds is shared, not copied: a broadcast reaches many nodes, and a flooded message is sent on
//! as it came.
//!
//! Spec      RFC 3626 §3.3 (headers), §5.1 (MID), §6.1 (HELLO), §9.1 (TC), §12.1 (HNA), §18.3 (times)
//! Deviates  reserved fields are written as zero and not read
//! Holds     what is emitted parses to the same packet; no bytes make `parse` panic

mod bytes;
mod hello;
mod times;

use std::sync::Arc;

pub use bytes::DecodeError;
pub use hello::{Hello, LinkCode, LinkMessage, LinkType, NeighbourType};
use hopwright_machine::Address;
pub use times::TimeCode;

/// The UDP port of OLSR (RFC 3626 §3.1).
pub const PORT: u16 = 698;

/// Length of a packet's header, in bytes (§3.3.1).
pub const PACKET_HEADER_BYTES: u32 = 4;

/// Length of a message's header, in bytes (§3.3.2).
pub const MESSAGE_HEADER_BYTES: u32 = 12;

/// Message types (§18.4).
pub mod kind {
    /// Link sensing and neighbour detection.
    pub const HELLO: u8 = 1;
    /// Topology control.
    pub const TC: u8 = 2;
    /// Multiple interface declaration.
    pub const MID: u8 = 3;
    /// Host and network association.
    pub const HNA: u8 = 4;
}

/// An OLSR packet: messages that travel one hop together (§3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Counts the packets of the interface that sends it.
    pub sequence: u16,
    /// What it carries; a packet without messages is ignored by its receivers (§3.4).
    pub messages: Arc<[Message]>,
}

/// A message with its header (§3.3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// For how long after reception what it says is to be believed.
    pub validity: TimeCode,
    /// Main address of the node that made it; not changed on the way.
    pub originator: Address,
    /// Hops it may still make.
    pub ttl: u8,
    /// Hops it has made.
    pub hop_count: u8,
    /// Tells messages of one originator apart.
    pub sequence: u16,
    /// What it says.
    pub body: Body,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// §6.1.
    Hello(Arc<Hello>),
    /// §9.1.
    Tc(Arc<Tc>),
    /// Addresses of the originator's other interfaces (§5.1).
    Mid(Arc<[Address]>),
    /// Networks behind the originator, each with its mask (§12.1).
    Hna(Arc<[(Address, Address)]>),
    /// A message type that is not in RFC 3626: flooded all the same (§3.4).
    Unknown {
        /// Its message type.
        kind: u8,
        /// What follows the header.
        content: Arc<[u8]>,
    },
}

/// Topology control: links of the originator (§9.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tc {
    /// Advertised neighbour sequence number: grows with every change of the set of advertised neighbours.
    pub ansn: u16,
    /// Main addresses of the advertised neighbours.
    pub advertised: Box<[Address]>,
}

impl Packet {
    /// Length in bytes, without UDP and IP.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        PACKET_HEADER_BYTES + self.messages.iter().map(Message::bytes).sum::<u32>()
    }
}

impl Message {
    /// Length in bytes, with the message's header.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        MESSAGE_HEADER_BYTES
            + match &self.body {
                Body::Hello(hello) => hello.bytes(),
                Body::Tc(tc) => 4 + 4 * tc.advertised.len() as u32,
                Body::Mid(addresses) => 4 * addresses.len() as u32,
                Body::Hna(networks) => 8 * networks.len() as u32,
                Body::Unknown { content, .. } => content.len() as u32,
            }
    }
}
