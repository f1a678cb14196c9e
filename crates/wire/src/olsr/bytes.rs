//! The bytes of OLSR packets.
//!
//! Spec      RFC 3626 §3.3, §5.1, §6.1, §9.1, §12.1
//! Deviates  bytes behind the packet length are ignored
//! Holds     no bytes make `parse` panic

use core::fmt;
use std::sync::Arc;

use hopwright_machine::Address;

use super::{Body, Hello, LinkCode, LinkMessage, MESSAGE_HEADER_BYTES, Message, Packet, Tc, TimeCode, kind};

/// Why bytes are no OLSR packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than a length field says, or than a header.
    Truncated,
    /// A length field that is smaller than what it counts at least, or no multiple of what it counts.
    Length(u16),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("OLSR packet is cut short"),
            Self::Length(length) => write!(f, "OLSR packet with a length field of {length} that cannot be"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Packet {
    /// The bytes of the packet, without UDP and IP.
    ///
    /// # Panics
    /// If the packet, a message or a group of links is longer than its length field can say.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes() as usize);
        out.extend(short(self.bytes()).to_be_bytes());
        out.extend(self.sequence.to_be_bytes());
        for message in self.messages.iter() {
            message.emit(&mut out);
        }
        out
    }

    /// Reads a packet from the payload of a UDP datagram.
    ///
    /// # Errors
    /// If a length field cannot be right.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (length, sequence) = shorts(bytes)?;
        let mut rest = part(bytes, length, 4)?;
        let mut messages = Vec::new();
        while !rest.is_empty() {
            let (message, behind) = Message::parse(rest)?;
            messages.push(message);
            rest = behind;
        }
        Ok(Self { sequence, messages: messages.into() })
    }
}

impl Message {
    fn emit(&self, out: &mut Vec<u8>) {
        let kind = match &self.body {
            Body::Hello(_) => kind::HELLO,
            Body::Tc(_) => kind::TC,
            Body::Mid(_) => kind::MID,
            Body::Hna(_) => kind::HNA,
            Body::Unknown { kind, .. } => *kind,
        };
        out.extend([kind, self.validity.0]);
        out.extend(short(self.bytes()).to_be_bytes());
        put(out, self.originator);
        out.extend([self.ttl, self.hop_count]);
        out.extend(self.sequence.to_be_bytes());
        match &self.body {
            Body::Hello(hello) => {
                out.extend([0, 0, hello.interval.0, hello.willingness]);
                for group in &hello.links {
                    out.extend([group.code.0, 0]);
                    out.extend(short(4 + 4 * group.neighbours.len() as u32).to_be_bytes());
                    group.neighbours.iter().for_each(|&address| put(out, address));
                }
            }
            Body::Tc(tc) => {
                out.extend(tc.ansn.to_be_bytes());
                out.extend([0, 0]);
                tc.advertised.iter().for_each(|&address| put(out, address));
            }
            Body::Mid(addresses) => addresses.iter().for_each(|&address| put(out, address)),
            Body::Hna(networks) => networks.iter().for_each(|&(network, mask)| {
                put(out, network);
                put(out, mask);
            }),
            Body::Unknown { content, .. } => out.extend_from_slice(content),
        }
    }

    /// Reads a message; what is behind it comes along.
    fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let Some(header) = bytes.first_chunk::<{ MESSAGE_HEADER_BYTES as usize }>() else {
            return Err(DecodeError::Truncated);
        };
        let &[kind, validity, size_high, size_low, a, b, c, d, ttl, hop_count, sequence_high, sequence_low] = header;
        let size = u16::from_be_bytes([size_high, size_low]);
        let content = part(bytes, size, header.len())?;
        let body = match kind {
            kind::HELLO => Body::Hello(Arc::new(hello(content)?)),
            kind::TC => {
                let (ansn, _) = shorts(content)?;
                Body::Tc(Tc { ansn, advertised: addresses(&content[4..], size)?.into() }.into())
            }
            kind::MID => Body::Mid(addresses(content, size)?.into()),
            kind::HNA => {
                let words = addresses(content, size)?;
                if words.len() % 2 == 1 {
                    return Err(DecodeError::Length(size));
                }
                Body::Hna(words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
            }
            _ => Body::Unknown { kind, content: content.into() },
        };
        let message = Self {
            validity: TimeCode(validity),
            originator: Address(u32::from_be_bytes([a, b, c, d])),
            ttl,
            hop_count,
            sequence: u16::from_be_bytes([sequence_high, sequence_low]),
            body,
        };
        Ok((message, &bytes[usize::from(size)..]))
    }
}

fn hello(content: &[u8]) -> Result<Hello, DecodeError> {
    let Some((&[_, _, interval, willingness], mut rest)) = content.split_first_chunk::<4>() else {
        return Err(DecodeError::Truncated);
    };
    let mut links = Vec::new();
    while !rest.is_empty() {
        let (_, size) = shorts(rest)?;
        let neighbours = addresses(part(rest, size, 4)?, size)?;
        links.push(LinkMessage { code: LinkCode(rest[0]), neighbours });
        rest = &rest[usize::from(size)..];
    }
    Ok(Hello { interval: TimeCode(interval), willingness, links })
}

/// What lies between the header and the end that a length field names; both count from the first byte.
fn part(bytes: &[u8], length: u16, header: usize) -> Result<&[u8], DecodeError> {
    let end = usize::from(length);
    if end < header {
        return Err(DecodeError::Length(length));
    }
    bytes.get(header..end).ok_or(DecodeError::Truncated)
}

fn shorts(bytes: &[u8]) -> Result<(u16, u16), DecodeError> {
    match bytes.first_chunk::<4>() {
        Some(&[a, b, c, d]) => Ok((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))),
        None => Err(DecodeError::Truncated),
    }
}

/// The addresses that fill `bytes`, which a length field of `length` counts among others.
fn addresses(bytes: &[u8], length: u16) -> Result<Vec<Address>, DecodeError> {
    let words = bytes.chunks_exact(4);
    if !words.remainder().is_empty() {
        return Err(DecodeError::Length(length));
    }
    Ok(words.map(|w| Address(u32::from_be_bytes([w[0], w[1], w[2], w[3]]))).collect())
}

fn put(out: &mut Vec<u8>, address: Address) {
    out.extend(address.0.to_be_bytes());
}

fn short(length: u32) -> u16 {
    u16::try_from(length).expect("an OLSR length has 16 bits")
}

#[cfg(test)]
mod tests {
    use super::super::{LinkType, NeighbourType};
    use super::*;

    fn address(last: u32) -> Address {
        Address(0x0a00_0000 + last)
    }

    fn message(ttl: u8, sequence: u16, body: Body) -> Message {
        Message { validity: TimeCode(0x86), originator: address(1), ttl, hop_count: 0, sequence, body }
    }

    fn check(packet: &Packet, bytes: &[u8]) {
        assert_eq!(packet.emit(), bytes);
        assert_eq!(packet.bytes() as usize, bytes.len());
        assert_eq!(Packet::parse(bytes).as_ref(), Ok(packet));
        for cut in 0..bytes.len() {
            assert_eq!(Packet::parse(&bytes[..cut]), Err(DecodeError::Truncated), "{cut} bytes");
        }
    }

    #[test]
    fn hello_is_laid_out_as_in_sections_3_3_and_6_1() {
        let group = |link, neighbour, addresses: &[u32]| LinkMessage {
            code: LinkCode::new(link, neighbour),
            neighbours: addresses.iter().map(|&a| address(a)).collect(),
        };
        let links = vec![
            group(LinkType::Symmetric, NeighbourType::Mpr, &[5]),
            group(LinkType::Asymmetric, NeighbourType::Not, &[6, 7]),
        ];
        let hello = Hello { interval: TimeCode(0x05), willingness: 3, links };
        let messages = [message(1, 258, Body::Hello(Arc::new(hello)))].into();
        #[rustfmt::skip]
        let bytes = [
            0, 40, 1, 3,         // packet length, packet sequence number
            1, 0x86, 0, 36,      // HELLO, Vtime, message size
            10, 0, 0, 1,         // originator
            1, 0, 1, 2,          // time to live, hop count, message sequence number
            0, 0, 0x05, 3,       // reserved, Htime, willingness
            0b1010, 0, 0, 8,     // link code, reserved, link message size
            10, 0, 0, 5,
            0b0001, 0, 0, 12,
            10, 0, 0, 6,  10, 0, 0, 7,
        ];
        check(&Packet { sequence: 259, messages }, &bytes);
    }

    #[test]
    fn topology_control_is_laid_out_as_in_section_9_1() {
        let tc = Tc { ansn: 0x0203, advertised: [address(8), address(9)].into() };
        let messages = [message(255, 7, Body::Tc(tc.into()))].into();
        #[rustfmt::skip]
        let bytes = [
            0, 28, 0, 1,
            2, 0x86, 0, 24,  10, 0, 0, 1,  255, 0, 0, 7,
            2, 3, 0, 0,          // ANSN, reserved
            10, 0, 0, 8,  10, 0, 0, 9,
        ];
        check(&Packet { sequence: 1, messages }, &bytes);
    }

    #[test]
    fn messages_share_a_packet() {
        let mid = message(255, 8, Body::Mid([address(200)].into()));
        let hna = message(255, 9, Body::Hna([(Address(0xc0a8_0100), Address(0xffff_ff00))].into()));
        let other = message(3, 10, Body::Unknown { kind: 130, content: [1, 2, 3].into() });
        #[rustfmt::skip]
        let bytes = [
            0, 55, 0, 2,
            3, 0x86, 0, 16,  10, 0, 0, 1,  255, 0, 0, 8,
            10, 0, 0, 200,       // §5.1
            4, 0x86, 0, 20,  10, 0, 0, 1,  255, 0, 0, 9,
            192, 168, 1, 0,  255, 255, 255, 0, // §12.1
            130, 0x86, 0, 15,  10, 0, 0, 1,  3, 0, 0, 10,
            1, 2, 3,
        ];
        check(&Packet { sequence: 2, messages: [mid, hna, other].into() }, &bytes);
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let header = |kind, size| [0, 16, 0, 1, kind, 0, 0, size, 10, 0, 0, 1, 1, 0, 0, 1];
        assert_eq!(Packet::parse(&[0, 3, 0, 1]), Err(DecodeError::Length(3)));
        assert_eq!(Packet::parse(&header(9, 11)), Err(DecodeError::Length(11)));
        assert_eq!(Packet::parse(&header(2, 12)), Err(DecodeError::Truncated), "TC without its number");
        assert_eq!(Packet::parse(&header(1, 12)), Err(DecodeError::Truncated), "HELLO without its interval");
        let with = |kind: u8, content: &[u8]| {
            let mut bytes = header(kind, 12 + content.len() as u8).to_vec();
            bytes[1] += content.len() as u8;
            bytes.extend(content);
            Packet::parse(&bytes)
        };
        assert_eq!(with(2, &[0, 1, 0, 0, 10, 0, 0]), Err(DecodeError::Length(19)), "part of an address");
        assert_eq!(with(3, &[10, 0]), Err(DecodeError::Length(14)));
        assert_eq!(with(4, &[10, 0, 0, 0]), Err(DecodeError::Length(16)), "a network without its mask");
        assert_eq!(with(1, &[0, 0, 5, 3, 6, 0, 0, 3]), Err(DecodeError::Length(3)), "a group inside its header");
        assert_eq!(with(1, &[0, 0, 5, 3, 6, 0, 0, 8]), Err(DecodeError::Truncated));
        assert!(with(1, &[0, 0, 5, 3]).is_ok_and(|packet| packet.messages.len() == 1));
        assert_eq!(Packet::parse(&[0, 4, 0, 9, 77]), Ok(Packet { sequence: 9, messages: [].into() }));
    }
}
