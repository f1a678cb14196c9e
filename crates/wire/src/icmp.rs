//! Internet control messages: echo, and destinations that cannot be reached.
//!
//! Spec      RFC 792; RFC 1122 §3.2.2; RFC 1812 §5.2.7.1 (codes)
//! Deviates  other kinds are told apart only by their number
//! Holds     what is emitted parses to the same message; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::Address;

use crate::checksum::Checksum;
use crate::ip::{self, protocol};
use crate::tcp::Seq;

/// Length of the header of every message understood here, in bytes.
pub const HEADER_BYTES: u32 = 8;

const ECHO_REPLY: u8 = 0;
const UNREACHABLE: u8 = 3;
const ECHO_REQUEST: u8 = 8;
const TIME_EXCEEDED: u8 = 11;

/// Codes of "destination unreachable". Those from `PROTOCOL` on end an attempt to connect (RFC 1122 §4.2.3.9).
pub mod unreachable {
    /// No way leads to the host.
    pub const HOST: u8 = 1;
    /// The host does not speak the protocol.
    pub const PROTOCOL: u8 = 2;
    /// Nobody listens at the port.
    pub const PORT: u8 = 3;
}

/// An Internet control message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Asks whether we are there.
    EchoRequest(Echo<'a>),
    /// We are, or somebody else is.
    EchoReply(Echo<'a>),
    /// A packet did not get where it was sent.
    Unreachable {
        /// Why: see [`unreachable`].
        code: u8,
        /// The beginning of that packet, from its IP header on.
        quoted: &'a [u8],
    },
    /// A packet's time to live ran out on its way.
    TimeExceeded {
        /// The beginning of that packet, from its IP header on.
        quoted: &'a [u8],
    },
    /// A message of another kind, known by its number.
    Other(u8),
}

/// What an echo carries back and forth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo<'a> {
    /// Tells askers apart.
    pub identifier: u16,
    /// Tells questions apart.
    pub sequence: u16,
    /// Whatever the asker wants to see again.
    pub data: &'a [u8],
}

/// Why bytes are no control message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than a header.
    Truncated,
    /// The checksum is wrong.
    Checksum,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "ICMP message is cut short",
            Self::Checksum => "ICMP message with a wrong checksum",
        })
    }
}

impl std::error::Error for DecodeError {}

impl<'a> Message<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// If the bytes are no message, or their checksum is wrong.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let Some((header, rest)) = bytes.split_first_chunk::<{ HEADER_BYTES as usize }>() else {
            return Err(DecodeError::Truncated);
        };
        let mut sum = Checksum::default();
        sum.add(bytes);
        if sum.finish() != 0 {
            return Err(DecodeError::Checksum);
        }
        let short = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let echo = Echo { identifier: short(4), sequence: short(6), data: rest };
        Ok(match header[0] {
            ECHO_REQUEST => Self::EchoRequest(echo),
            ECHO_REPLY => Self::EchoReply(echo),
            UNREACHABLE => Self::Unreachable { code: header[1], quoted: rest },
            TIME_EXCEEDED if header[1] == 0 => Self::TimeExceeded { quoted: rest },
            other => Self::Other(other),
        })
    }

    /// Appends the message with its checksum. Of a message of another kind, only the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let (kind, code, rest, data): (u8, u8, [u16; 2], &[u8]) = match *self {
            Self::EchoRequest(echo) => (ECHO_REQUEST, 0, [echo.identifier, echo.sequence], echo.data),
            Self::EchoReply(echo) => (ECHO_REPLY, 0, [echo.identifier, echo.sequence], echo.data),
            Self::Unreachable { code, quoted } => (UNREACHABLE, code, [0, 0], quoted),
            Self::TimeExceeded { quoted } => (TIME_EXCEEDED, 0, [0, 0], quoted),
            Self::Other(kind) => (kind, 0, [0, 0], &[]),
        };
        let start = out.len();
        out.extend([kind, code, 0, 0]);
        out.extend(rest[0].to_be_bytes());
        out.extend(rest[1].to_be_bytes());
        out.extend_from_slice(data);
        let mut sum = Checksum::default();
        sum.add(&out[start..]);
        out[start + 2..start + 4].copy_from_slice(&sum.finish().to_be_bytes());
    }
}

/// What a quoted TCP segment tells: its addresses, ports and sequence number. More is not promised to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotedSegment {
    /// Who sent it.
    pub source: Address,
    /// Whereto.
    pub destination: Address,
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Its sequence number.
    pub seq: Seq,
}

impl QuotedSegment {
    /// Reads the beginning of a quoted packet; `None` if it is too short or carries no TCP.
    #[must_use]
    pub fn parse(quoted: &[u8]) -> Option<Self> {
        let header = quoted.first_chunk::<{ ip::HEADER_BYTES as usize }>()?;
        let length = usize::from(header[0] & 15) * 4;
        if header[0] >> 4 != 4 || length < header.len() || header[9] != protocol::TCP {
            return None;
        }
        let tcp = quoted.get(length..)?.first_chunk::<8>()?;
        let address =
            |at: usize| Address(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
        Some(Self {
            source: address(12),
            destination: address(16),
            source_port: u16::from_be_bytes([tcp[0], tcp[1]]),
            destination_port: u16::from_be_bytes([tcp[2], tcp[3]]),
            seq: Seq(u32::from_be_bytes([tcp[4], tcp[5], tcp[6], tcp[7]])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::{Flags, Options, Segment};

    fn bytes(message: &Message<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        message.emit(&mut out);
        out
    }

    #[test]
    fn an_echo_is_laid_out_as_in_rfc_792() {
        let echo = Echo { identifier: 0x1234, sequence: 1, data: b"hi" };
        let request = bytes(&Message::EchoRequest(echo));
        assert_eq!(request, [8, 0, 0x7d, 0x61, 0x12, 0x34, 0, 1, b'h', b'i']);
        assert_eq!(Message::parse(&request), Ok(Message::EchoRequest(echo)));
        assert_eq!(Message::parse(&bytes(&Message::EchoReply(echo))), Ok(Message::EchoReply(echo)));
        let exceeded = Message::TimeExceeded { quoted: &[1, 2, 3] };
        assert_eq!(bytes(&exceeded)[..2], [11, 0]);
        assert_eq!(Message::parse(&bytes(&exceeded)), Ok(exceeded));
        assert_eq!(Message::parse(&bytes(&Message::Other(13))), Ok(Message::Other(13)));
    }

    #[test]
    fn bad_messages_are_refused() {
        let mut message = bytes(&Message::Unreachable { code: 3, quoted: &[1, 2, 3] });
        assert_eq!(Message::parse(&message[..7]), Err(DecodeError::Truncated));
        message[9] ^= 1;
        assert_eq!(Message::parse(&message), Err(DecodeError::Checksum));
    }

    #[test]
    fn a_quoted_segment_is_found_again() {
        let segment = Segment {
            source_port: 40_000,
            destination_port: 80,
            seq: Seq(77),
            ack: Seq(0),
            flags: Flags::SYN,
            window: 1,
            urgent: 0,
            options: Options::default(),
            payload_bytes: 0,
            ecn: crate::ip::Ecn::NotCapable,
        };
        let (source, destination) = (Address(0x0a00_0001), Address(0x0a00_0002));
        let mut packet = Vec::new();
        ip::Header {
            source,
            destination,
            protocol: protocol::TCP,
            ecn: ip::Ecn::default(),
            ttl: 64,
            identification: 0,
            payload_bytes: 20,
        }
        .emit(&mut packet);
        segment.emit(source, destination, [&[]; 2], &mut packet);
        let expected = QuotedSegment { source, destination, source_port: 40_000, destination_port: 80, seq: Seq(77) };
        assert_eq!(QuotedSegment::parse(&packet[..28]), Some(expected));
        assert_eq!(QuotedSegment::parse(&packet[..27]), None);
        packet[9] = protocol::UDP;
        assert_eq!(QuotedSegment::parse(&packet), None);
    }
}
