//! What a router tells a transport elsewhere about a route: that it failed, or that it is there again.
//!
//! Spec      20 bytes in an IP packet of the protocol number for experiments (RFC 3692 §1.1, RFC 4727 §2.2); the fields
//!           are those that Holland and Vaidya 1999 (ELFN), Chandran et al. 2001 (RFN, RRN) and Liu and Singh 2001
//!           (destination unreachable) ask for. None of them fixes a layout; this one is the project's
//! Deviates  nothing
//! Holds     what is emitted parses to the same notice; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::Address;

use crate::tcp::Seq;

/// Length of a notice, in bytes.
pub const BYTES: u32 = 20;

/// What is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Explicit link failure notification: a link on the way is broken.
    Elfn = 1,
    /// Route failure notification.
    Rfn = 2,
    /// Route re-establishment notification.
    Rrn = 3,
    /// Destination unreachable.
    Unreachable = 4,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Elfn, Self::Rfn, Self::Rrn, Self::Unreachable];
}

/// The flow that a notice is about, in the direction of its data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Flow {
    /// Who sends the data.
    pub source: Address,
    /// Who receives it.
    pub destination: Address,
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
}

/// A notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notice {
    /// What is told.
    pub kind: Kind,
    /// Hops it has made.
    pub hops: u8,
    /// Counts the notices of the node that made it.
    pub id: u16,
    /// The flow.
    pub flow: Flow,
    /// The first byte of the segment that could not be forwarded; zero in a `Rrn`.
    pub seq: Seq,
}

/// What the transport of a flow asks of the network. One that asks for nothing has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asks {
    /// What the source is sent when a segment of the flow cannot be forwarded.
    pub failed: Kind,
    /// Whether every node's `Rfn` goes all the way; if not, a node on its way that forwards to the flow's destination
    /// by another neighbour than the one it came from keeps it to itself (TCP-F). Not so over DSR, where packets go on
    /// as their source says, whatever a node between knows. One that passed it on tells the end that asks of the
    /// route's return as soon as it knows a route, and lets no later news of it pass.
    pub every_detector: bool,
    /// Whose routing layer tells the connection that it knows a route again.
    pub restored: Restored,
    /// Whether the source's router looks for a route while the sender stands still, though nothing waits to be sent.
    pub seeks: bool,
}

/// The end of a flow that is told when the route is there again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restored {
    /// None.
    Nobody,
    /// The sender of the data.
    Sender,
    /// Their receiver, whose routing layer answered the sender's search.
    Receiver,
}

/// Why bytes are no notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// Not 20 bytes.
    Length(usize),
    /// A kind that does not exist.
    Kind(u8),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(bytes) => write!(f, "notice of {bytes} bytes, not {BYTES}"),
            Self::Kind(number) => write!(f, "notice of unknown kind {number}"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Notice {
    /// The bytes: kind, hops, id, addresses of source and destination, their ports, sequence number.
    #[must_use]
    pub fn emit(&self) -> [u8; BYTES as usize] {
        let Flow { source, destination, source_port, destination_port } = self.flow;
        let mut bytes = [0; BYTES as usize];
        bytes[0] = self.kind as u8;
        bytes[1] = self.hops;
        bytes[2..4].copy_from_slice(&self.id.to_be_bytes());
        bytes[4..8].copy_from_slice(&source.0.to_be_bytes());
        bytes[8..12].copy_from_slice(&destination.0.to_be_bytes());
        bytes[12..14].copy_from_slice(&source_port.to_be_bytes());
        bytes[14..16].copy_from_slice(&destination_port.to_be_bytes());
        bytes[16..20].copy_from_slice(&self.seq.0.to_be_bytes());
        bytes
    }

    /// Reads a notice.
    ///
    /// # Errors
    /// If the bytes are none.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Ok(fixed) = <&[u8; BYTES as usize]>::try_from(bytes) else { return Err(DecodeError::Length(bytes.len())) };
        let short = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
        let long = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let kind = Kind::ALL.into_iter().find(|&kind| kind as u8 == fixed[0]).ok_or(DecodeError::Kind(fixed[0]))?;
        let flow = Flow {
            source: Address(long(4)),
            destination: Address(long(8)),
            source_port: short(12),
            destination_port: short(14),
        };
        Ok(Self { kind, hops: fixed[1], id: short(2), flow, seq: Seq(long(16)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTICE: Notice = Notice {
        kind: Kind::Rfn,
        hops: 3,
        id: 0x0102,
        flow: Flow {
            source: Address(0x0a00_0001),
            destination: Address(0x0a00_0009),
            source_port: 33_001,
            destination_port: 5001,
        },
        seq: Seq(0x0304_0506),
    };

    #[test]
    fn the_layout_is_the_documented_one() {
        let expected = [2, 3, 1, 2, 10, 0, 0, 1, 10, 0, 0, 9, 0x80, 0xe9, 0x13, 0x89, 3, 4, 5, 6];
        assert_eq!(NOTICE.emit(), expected);
        assert_eq!(Notice::parse(&expected), Ok(NOTICE));
    }

    #[test]
    fn what_is_no_notice_is_refused() {
        let mut bytes = NOTICE.emit();
        assert_eq!(Notice::parse(&bytes[..19]), Err(DecodeError::Length(19)));
        bytes[0] = 5;
        assert_eq!(Notice::parse(&bytes), Err(DecodeError::Kind(5)));
        bytes[0] = 0;
        assert_eq!(Notice::parse(&bytes), Err(DecodeError::Kind(0)));
    }
}
