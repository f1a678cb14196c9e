//! What a program outside has sent, kept as it is.

use hopwright_machine::Address;

use super::DecodeError;
use super::header::{HEADER_BYTES, long, short, split};
use crate::checksum::Checksum;
use crate::ecn::Ecn;

/// What stands behind an IP header, byte by byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The protocol that the IP header names: see [`protocol`](super::protocol).
    pub protocol: u8,
    /// The bytes.
    pub bytes: Box<[u8]>,
    /// What the header said that came with them, if one came.
    pub head: Option<Head>,
}

/// What the IP header of a foreign packet says beside addresses and protocol. It travels with the packet, so that the
/// program at the other end sees what the one here wrote. Fragments are packets like others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The second byte: class, and the congestion field as it was at first.
    pub tos: u8,
    /// The time to live at first.
    pub ttl: u8,
    /// Tells fragments of different packets apart.
    pub identification: u16,
    /// The flags, and where in its packet a fragment belongs.
    pub fragment: u16,
    /// The options, whole words.
    pub options: Box<[u8]>,
}

impl Head {
    /// Appends the header; `behind`: options, and all that follows, bytes.
    pub(super) fn emit(
        &self,
        (source, destination): (Address, Address),
        protocol: u8,
        (ecn, ttl): (Ecn, u8),
        behind: u16,
        out: &mut Vec<u8>,
    ) {
        let begin = out.len();
        let words = (HEADER_BYTES as usize + self.options.len()) / 4;
        out.extend([0x40 | words as u8, self.tos & !3 | ecn as u8]);
        out.extend((HEADER_BYTES as u16 + behind).to_be_bytes());
        out.extend(self.identification.to_be_bytes());
        out.extend(self.fragment.to_be_bytes());
        out.extend([ttl, protocol, 0, 0]);
        out.extend(source.0.to_be_bytes());
        out.extend(destination.0.to_be_bytes());
        out.extend(&self.options);
        let mut sum = Checksum::default();
        sum.add(&out[begin..]);
        out[begin + 10..begin + 12].copy_from_slice(&sum.finish().to_be_bytes());
    }
}

impl Opaque {
    /// Reads a packet that a program outside sent: source, destination, and all else as it is. What it carries is not
    /// looked into. Bytes behind the packet are ignored.
    ///
    /// # Errors
    /// If the bytes are no whole IPv4 packet, or one with a wrong checksum.
    pub fn parse(bytes: &[u8]) -> Result<(Address, Address, Self), DecodeError> {
        let (fixed, options, payload) = split(bytes)?;
        let head = Head {
            tos: fixed[1],
            ttl: fixed[8],
            identification: short(fixed, 4),
            fragment: short(fixed, 6),
            options: options.into(),
        };
        let opaque = Self { protocol: fixed[9], bytes: payload.into(), head: Some(head) };
        Ok((long(fixed, 12), long(fixed, 16), opaque))
    }
}
