//! A packet that a host wants sent.

use hopwright_machine::Address;
use hopwright_wire::tcp::{self, Segment};

use crate::identity::Handle;

/// A packet to be sent. Its bytes: `Host::emit`.
#[derive(Clone, Debug)]
pub struct Outgoing(pub(crate) Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Segment {
        to: Address,
        segment: Segment,
        /// Payload of each of the segments that this one is to be cut into; 0: none.
        unit: u32,
        /// Number of the first of them; `None` if it may not be fragmented, having no payload.
        identification: Option<u16>,
        /// Whose payload.
        from: Option<Handle>,
    },
    Bytes(Vec<u8>),
}

impl Outgoing {
    pub(crate) const fn of_no_connection(to: Address, segment: Segment) -> Self {
        Self(Kind::Segment { to, segment, unit: 0, identification: None, from: None })
    }

    pub(crate) const fn ready_made(bytes: Vec<u8>) -> Self {
        Self(Kind::Bytes(bytes))
    }

    /// If the device has to cut the packet into segments: the payload of each but the last, in bytes.
    #[must_use]
    pub fn segment_bytes(&self) -> Option<u16> {
        match &self.0 {
            Kind::Segment { segment, unit, .. } if segment.payload_bytes > *unit && *unit > 0 => Some(*unit as u16),
            _ => None,
        }
    }

    /// Length of the TCP header with its options; `None` for packets of other kinds, whose checksums are whole.
    #[must_use]
    pub fn tcp_header_bytes(&self) -> Option<u16> {
        match &self.0 {
            Kind::Segment { segment, .. } => Some((tcp::HEADER_BYTES + segment.options.bytes()) as u16),
            Kind::Bytes(_) => None,
        }
    }

    /// The TCP segment in the packet.
    #[must_use]
    pub fn segment(&self) -> Option<&Segment> {
        match &self.0 {
            Kind::Segment { segment, .. } => Some(segment),
            Kind::Bytes(_) => None,
        }
    }
}
