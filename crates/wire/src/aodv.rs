//! AODV messages (RFC 3561 §5), carried in UDP to port 654.
//!
//! Spec      RFC 3561 §5.1 to §5.4
//! Deviates  the flags J and R (multicast) and the prefix size are written as zero and not read; extensions
//!           (§9) after a message are skipped
//! Holds     what is emitted parses to the same message; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::Address;

/// The UDP port of AODV (RFC 3561 §11).
pub const PORT: u16 = 654;

/// The most destinations that one route error names: its count has eight bits (RFC 3561 §5.3).
pub const MAX_UNREACHABLE: usize = 255;

const TYPE_RREQ: u8 = 1;
const TYPE_RREP: u8 = 2;
const TYPE_RERR: u8 = 3;
const TYPE_RREP_ACK: u8 = 4;

/// An AODV message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Route request (§5.1).
    Rreq(Rreq),
    /// Route reply (§5.2).
    Rrep(Rrep),
    /// Route error (§5.3).
    Rerr(Rerr),
    /// Route reply acknowledgement (§5.4). It does not say which reply it acknowledges.
    RrepAck,
}

/// Route request (RFC 3561 §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rreq {
    /// G: a gratuitous reply should go to the destination.
    pub gratuitous: bool,
    /// D: only the destination may reply.
    pub destination_only: bool,
    /// U: the destination sequence number is unknown.
    pub unknown_sequence: bool,
    /// Hops from the originator to the node handling the request.
    pub hop_count: u8,
    /// Identifies the request together with the originator.
    pub id: u32,
    /// The node a route is wanted to.
    pub destination: Address,
    /// Latest sequence number the originator knows of the destination.
    pub destination_sequence: u32,
    /// The node that wants the route.
    pub originator: Address,
    /// The originator's current sequence number.
    pub originator_sequence: u32,
}

/// Route reply (RFC 3561 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rrep {
    /// A: an acknowledgement is wanted.
    pub ack_required: bool,
    /// Hops from the originator of the request to the destination.
    pub hop_count: u8,
    /// The node the route leads to.
    pub destination: Address,
    /// The destination's sequence number.
    pub destination_sequence: u32,
    /// The node that asked.
    pub originator: Address,
    /// For how long receivers may consider the route valid, in milliseconds.
    pub lifetime_ms: u32,
}

/// Route error (RFC 3561 §5.3).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Rerr {
    /// N: upstream nodes should not delete the route, it is under local repair.
    pub no_delete: bool,
    /// Unreachable destinations with their sequence numbers; at least one.
    pub unreachable: Vec<(Address, u32)>,
}

impl Message {
    /// Length of the message in bytes, without UDP and IP.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        match self {
            Self::Rreq(_) => 24,
            Self::Rrep(_) => 20,
            Self::Rerr(rerr) => 4 + 8 * rerr.unreachable.len() as u32,
            Self::RrepAck => 2,
        }
    }

    /// The bytes of the message. An error names at most `MAX_UNREACHABLE` destinations; more are left out.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes() as usize);
        match self {
            Self::Rreq(m) => {
                let flags =
                    (m.gratuitous as u8) << 5 | (m.destination_only as u8) << 4 | (m.unknown_sequence as u8) << 3;
                bytes.extend([TYPE_RREQ, flags, 0, m.hop_count]);
                let words = [m.id, m.destination.0, m.destination_sequence, m.originator.0, m.originator_sequence];
                bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
            }
            Self::Rrep(m) => {
                bytes.extend([TYPE_RREP, (m.ack_required as u8) << 6, 0, m.hop_count]);
                let words = [m.destination.0, m.destination_sequence, m.originator.0, m.lifetime_ms];
                bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
            }
            Self::Rerr(m) => {
                let count = m.unreachable.len().min(MAX_UNREACHABLE);
                bytes.extend([TYPE_RERR, (m.no_delete as u8) << 7, 0, count as u8]);
                for (destination, sequence) in &m.unreachable[..count] {
                    bytes.extend(destination.0.to_be_bytes());
                    bytes.extend(sequence.to_be_bytes());
                }
            }
            Self::RrepAck => bytes.extend([TYPE_RREP_ACK, 0]),
        }
        bytes
    }

    /// Reads a message from the payload of a UDP datagram.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        if let &[TYPE_RREP_ACK, _, ..] = bytes {
            return Ok(Self::RrepAck);
        }
        let &[kind, flags, _, count, ref rest @ ..] = bytes else { return Err(DecodeError::Truncated) };
        let words: Vec<u32> = rest.chunks_exact(4).map(|w| u32::from_be_bytes([w[0], w[1], w[2], w[3]])).collect();
        match (kind, words.as_slice()) {
            (TYPE_RREQ, &[id, destination, destination_sequence, originator, originator_sequence, ..]) => {
                Ok(Self::Rreq(Rreq {
                    gratuitous: flags & 0x20 != 0,
                    destination_only: flags & 0x10 != 0,
                    unknown_sequence: flags & 0x08 != 0,
                    hop_count: count,
                    id,
                    destination: Address(destination),
                    destination_sequence,
                    originator: Address(originator),
                    originator_sequence,
                }))
            }
            (TYPE_RREP, &[destination, destination_sequence, originator, lifetime_ms, ..]) => Ok(Self::Rrep(Rrep {
                ack_required: flags & 0x40 != 0,
                hop_count: count,
                destination: Address(destination),
                destination_sequence,
                originator: Address(originator),
                lifetime_ms,
            })),
            (TYPE_RERR, _) if count == 0 => Err(DecodeError::NoDestination),
            (TYPE_RERR, words) if words.len() >= 2 * usize::from(count) => Ok(Self::Rerr(Rerr {
                no_delete: flags & 0x80 != 0,
                unreachable: words
                    .chunks_exact(2)
                    .take(usize::from(count))
                    .map(|pair| (Address(pair[0]), pair[1]))
                    .collect(),
            })),
            (TYPE_RREQ | TYPE_RREP | TYPE_RERR, _) => Err(DecodeError::Truncated),
            (kind, _) => Err(DecodeError::UnknownType(kind)),
        }
    }
}

/// Why bytes are no AODV message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the message needs.
    Truncated,
    /// Not a type of §5.
    UnknownType(u8),
    /// A route error without a destination (§5.3: at least one).
    NoDestination,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("AODV message is cut short"),
            Self::UnknownType(kind) => write!(f, "AODV message of unknown type {kind}"),
            Self::NoDestination => f.write_str("AODV route error without a destination"),
        }
    }
}

impl std::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u32) -> Address {
        Address(0x0a00_0000 + last)
    }

    #[test]
    fn route_request_is_laid_out_as_in_section_5_1() {
        let message = Message::Rreq(Rreq {
            gratuitous: true,
            destination_only: false,
            unknown_sequence: true,
            hop_count: 3,
            id: 0x0102_0304,
            destination: address(5),
            destination_sequence: 0,
            originator: address(1),
            originator_sequence: 258,
        });
        #[rustfmt::skip]
        let bytes = [
            1, 0b0010_1000, 0, 3, // type; J R G D U, reserved; hop count
            1, 2, 3, 4,           // RREQ ID
            10, 0, 0, 5,  0, 0, 0, 0,
            10, 0, 0, 1,  0, 0, 1, 2,
        ];
        assert_eq!(message.emit(), bytes);
        assert_eq!(Message::parse(&bytes), Ok(message));
    }

    #[test]
    fn route_reply_is_laid_out_as_in_section_5_2() {
        let message = Message::Rrep(Rrep {
            ack_required: true,
            hop_count: 2,
            destination: address(5),
            destination_sequence: 7,
            originator: address(1),
            lifetime_ms: 6000,
        });
        #[rustfmt::skip]
        let bytes = [
            2, 0b0100_0000, 0, 2, // type; R A, reserved; prefix size; hop count
            10, 0, 0, 5,  0, 0, 0, 7,
            10, 0, 0, 1,  0, 0, 0x17, 0x70,
        ];
        assert_eq!(message.emit(), bytes);
        assert_eq!(Message::parse(&bytes), Ok(message));
    }

    #[test]
    fn route_error_is_laid_out_as_in_section_5_3() {
        let unreachable = vec![(address(5), 8), (address(6), 0)];
        let message = Message::Rerr(Rerr { no_delete: true, unreachable });
        #[rustfmt::skip]
        let bytes = [
            3, 0b1000_0000, 0, 2, // type; N, reserved; destination count
            10, 0, 0, 5,  0, 0, 0, 8,
            10, 0, 0, 6,  0, 0, 0, 0,
        ];
        assert_eq!(message.emit(), bytes);
        assert_eq!(message.bytes() as usize, bytes.len());
        assert_eq!(Message::parse(&bytes), Ok(message));
    }

    #[test]
    fn an_acknowledgement_is_laid_out_as_in_section_5_4() {
        assert_eq!(Message::RrepAck.emit(), [4, 0]);
        assert_eq!(Message::RrepAck.bytes(), 2);
        assert_eq!(Message::parse(&[4, 0xff]), Ok(Message::RrepAck), "what is reserved is ignored");
    }

    #[test]
    fn bad_bytes_are_refused_and_extensions_skipped() {
        assert_eq!(Message::parse(&[]), Err(DecodeError::Truncated));
        assert_eq!(Message::parse(&[1; 23]), Err(DecodeError::Truncated));
        assert_eq!(Message::parse(&[2; 19]), Err(DecodeError::Truncated));
        assert_eq!(Message::parse(&[3, 0, 0, 1, 10, 0, 0, 5]), Err(DecodeError::Truncated));
        assert_eq!(Message::parse(&[3, 0, 0, 0]), Err(DecodeError::NoDestination));
        assert_eq!(Message::parse(&[4]), Err(DecodeError::Truncated));
        assert_eq!(Message::parse(&[5, 0, 0, 0]), Err(DecodeError::UnknownType(5)));
        let mut extended = vec![2, 0, 0, 0];
        extended.extend([0; 16]);
        let plain = Message::parse(&extended);
        extended.extend([1, 4, 0, 0, 0, 9]); // Hello Interval extension (§9.1)
        assert_eq!(Message::parse(&extended), plain);
        assert!(plain.is_ok());
    }
}
