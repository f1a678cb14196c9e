//! IPv4 headers.
//!
//! Spec      RFC 791; RFC 6864 (identification)
//! Deviates  options are skipped; fragments are refused
//! Holds     what is emitted parses to the same header; no bytes make `parse` panic

use hopwright_machine::Address;

use super::DecodeError;
use crate::checksum::Checksum;
use crate::ecn::Ecn;

/// Length of an IPv4 header without options, in bytes.
pub const HEADER_BYTES: u32 = 20;

/// The flag of RFC 791 §3.1, in the header's seventh byte.
const DONT_FRAGMENT: u8 = 0x40;

/// The time to live a host gives its packets (RFC 1700; contract of this project).
pub const DEFAULT_TTL: u8 = 64;

/// An IPv4 header without options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source address.
    pub source: Address,
    /// Destination address.
    pub destination: Address,
    /// What the packet carries: see [`protocol`](super::protocol).
    pub protocol: u8,
    /// Whether the transport takes congestion marks, and whether this is one.
    pub ecn: Ecn,
    /// Hops the packet may still make.
    pub ttl: u8,
    /// Tells fragments of different packets apart; without a meaning where nothing is fragmented.
    pub identification: u16,
    /// Bytes behind the header.
    pub payload_bytes: u16,
}

impl Header {
    /// Appends the header, with its checksum; Don't Fragment is set.
    pub fn emit(&self, out: &mut Vec<u8>) {
        self.emit_with(DONT_FRAGMENT, out);
    }

    /// The same of a packet that routers may fragment: the identification must be its own (RFC 6864 §4.1).
    pub fn emit_fragmentable(&self, out: &mut Vec<u8>) {
        self.emit_with(0, out);
    }

    fn emit_with(&self, flags: u8, out: &mut Vec<u8>) {
        let mut header = [0; HEADER_BYTES as usize];
        header[0] = 0x45;
        header[1] = self.ecn as u8;
        header[2..4].copy_from_slice(&(self.payload_bytes + HEADER_BYTES as u16).to_be_bytes());
        header[4..6].copy_from_slice(&self.identification.to_be_bytes());
        header[6] = flags;
        header[8] = self.ttl;
        header[9] = self.protocol;
        header[12..16].copy_from_slice(&self.source.0.to_be_bytes());
        header[16..20].copy_from_slice(&self.destination.0.to_be_bytes());
        let mut sum = Checksum::default();
        sum.add(&header);
        header[10..12].copy_from_slice(&sum.finish().to_be_bytes());
        out.extend_from_slice(&header);
    }

    /// Reads a header and finds what the packet carries. Bytes behind the packet are ignored: links pad.
    ///
    /// # Errors
    /// If the bytes are no whole IPv4 packet.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let (fixed, _, payload) = split(bytes)?;
        if short(fixed, 6) & 0x3fff != 0 {
            return Err(DecodeError::Fragment);
        }
        let header = Self {
            source: long(fixed, 12),
            destination: long(fixed, 16),
            protocol: fixed[9],
            ecn: Ecn::of(fixed[1]),
            ttl: fixed[8],
            identification: short(fixed, 4),
            payload_bytes: payload.len() as u16,
        };
        Ok((header, payload))
    }
}

/// The fixed part of a header, as wide as it always is.
pub(super) type Fixed = [u8; HEADER_BYTES as usize];

pub(super) const fn short(fixed: &Fixed, at: usize) -> u16 {
    u16::from_be_bytes([fixed[at], fixed[at + 1]])
}

pub(super) const fn long(fixed: &Fixed, at: usize) -> Address {
    Address(u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]))
}

/// The fixed part of a packet's header, its options, and what stands behind. The checksum is right.
pub(super) fn split(bytes: &[u8]) -> Result<(&Fixed, &[u8], &[u8]), DecodeError> {
    let Some(fixed) = bytes.first_chunk() else { return Err(DecodeError::Truncated) };
    let (version, words) = (fixed[0] >> 4, fixed[0] & 15);
    if version != 4 {
        return Err(DecodeError::Version(version));
    }
    let header = usize::from(words) * 4;
    if header < HEADER_BYTES as usize {
        return Err(DecodeError::HeaderLength(words));
    }
    let total = usize::from(short(fixed, 2));
    let (Some(all), Some(payload)) = (bytes.get(..header), bytes.get(header..total)) else {
        return Err(DecodeError::Truncated);
    };
    let mut sum = Checksum::default();
    sum.add(all);
    if sum.finish() != 0 {
        return Err(DecodeError::Checksum);
    }
    Ok((fixed, &all[HEADER_BYTES as usize..], payload))
}
