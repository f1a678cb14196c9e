//! TCP segments (RFC 9293 §3.1) with the options MSS, window scale, SACK, timestamps, and one of this project's own.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

use crate::ecn::Ecn;

mod bytes;
mod extra;
mod pull;
mod rates;
mod told;

pub use bytes::{CHECKSUM_AT, DecodeError};
pub use extra::Extra;
pub use pull::Pull;
pub use rates::Rates;
pub use told::Told;

/// Length of a TCP header without options, in bytes.
pub const HEADER_BYTES: u32 = 20;

/// A sequence number: arithmetic modulo 2^32 (RFC 9293 §3.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Seq(pub u32);

impl Seq {
    /// Whether this number comes before `other` in the circular order.
    #[must_use]
    pub const fn is_before(self, other: Self) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }

    /// Whether this number comes after `other` in the circular order.
    #[must_use]
    pub const fn is_after(self, other: Self) -> bool {
        other.is_before(self)
    }

    /// The later of two.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if self.is_before(other) { other } else { self }
    }

    /// The earlier of two.
    #[must_use]
    pub const fn min(self, other: Self) -> Self {
        if self.is_before(other) { self } else { other }
    }

    /// How many bytes this number is ahead of `earlier`; zero if it is behind.
    #[must_use]
    pub const fn bytes_since(self, earlier: Self) -> u32 {
        let d = self.0.wrapping_sub(earlier.0) as i32;
        if d < 0 { 0 } else { d as u32 }
    }
}

impl Add<u32> for Seq {
    type Output = Self;
    fn add(self, n: u32) -> Self {
        Self(self.0.wrapping_add(n))
    }
}

impl AddAssign<u32> for Seq {
    fn add_assign(&mut self, n: u32) {
        *self = *self + n;
    }
}

impl Sub<u32> for Seq {
    type Output = Self;
    fn sub(self, n: u32) -> Self {
        Self(self.0.wrapping_sub(n))
    }
}

impl fmt::Debug for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Control bits (RFC 9293 §3.1).
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data from sender.
    pub const FIN: Self = Self(0x01);
    /// Synchronize sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push function.
    pub const PSH: Self = Self(0x08);
    /// Acknowledgment field is significant.
    pub const ACK: Self = Self(0x10);
    /// Urgent pointer field is significant.
    pub const URG: Self = Self(0x20);
    /// Congestion was experienced on the way here (RFC 3168 §6.1).
    pub const ECE: Self = Self(0x40);
    /// The congestion window was reduced (RFC 3168 §6.1).
    pub const CWR: Self = Self(0x80);

    /// These flags and those.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (bit, letter) in
            [(0x02, 'S'), (0x10, 'A'), (0x01, 'F'), (0x04, 'R'), (0x08, 'P'), (0x20, 'U'), (0x40, 'E'), (0x80, 'W')]
        {
            if self.0 & bit != 0 {
                write!(f, "{letter}")?;
            }
        }
        Ok(())
    }
}

/// Up to four blocks of data received beyond a gap (RFC 2018 §3): first byte, and the byte after the last.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct SackBlocks {
    len: u8,
    blocks: [(Seq, Seq); 4],
}

impl SackBlocks {
    /// The blocks, most recent first.
    #[must_use]
    pub fn as_slice(&self) -> &[(Seq, Seq)] {
        &self.blocks[..self.len as usize]
    }

    /// Adds a block; returns false, changing nothing, if there are four already.
    pub fn push(&mut self, left: Seq, right: Seq) -> bool {
        let free = (self.len as usize) < self.blocks.len();
        if free {
            self.blocks[self.len as usize] = (left, right);
            self.len += 1;
        }
        free
    }

    /// Whether there is no block.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Debug for SackBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// The options of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Maximum segment size, on SYN only (RFC 9293 §3.7.1).
    pub mss: Option<u16>,
    /// Window scale shift, on SYN only (RFC 7323 §2).
    pub window_scale: Option<u8>,
    /// SACK permitted, on SYN only (RFC 2018 §2).
    pub sack_permitted: bool,
    /// Timestamp value and echo (RFC 7323 §3).
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks (RFC 2018 §3).
    pub sack: SackBlocks,
    /// What this project's mechanisms say to each other.
    pub extra: Extra,
    /// Which mechanisms the other end shall have: their codes, zeros behind them.
    pub told: Told,
    /// What ends that regulate a rate tell each other.
    pub rates: Rates,
    /// What is said where a receiver asks for its data.
    pub pull: Pull,
}

impl Options {
    /// The most bytes all options of a segment can take (RFC 9293 §3.1: fifteen words of header).
    pub const MOST_BYTES: u32 = 40;

    /// Drops the last selective acknowledgements until all options fit, and what the ends of a rate tell if they do not
    /// even then.
    pub const fn fit(&mut self) {
        while self.bytes() > Self::MOST_BYTES && self.sack.len > 0 {
            self.sack.len -= 1;
            self.sack.blocks[self.sack.len as usize] = (Seq(0), Seq(0));
        }
        if self.bytes() > Self::MOST_BYTES {
            self.rates = Rates::Nothing;
        }
    }

    /// Length in bytes, padded to a multiple of four.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        let mut n = 0;
        if self.mss.is_some() {
            n += 4;
        }
        if self.window_scale.is_some() {
            n += 3;
        }
        if self.sack_permitted {
            n += 2;
        }
        if self.timestamps.is_some() {
            n += 10;
        }
        if !self.sack.is_empty() {
            n += 2 + 8 * self.sack.len as u32;
        }
        n += self.extra.bytes() + self.told.bytes() + self.rates.bytes() + self.pull.bytes();
        n.div_ceil(4) * 4
    }
}

/// A TCP segment. The data itself travels beside it where there is any to carry: see the transport engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Sequence number of the first data byte, or of the SYN.
    pub seq: Seq,
    /// Next sequence number expected; significant with ACK.
    pub ack: Seq,
    /// Control bits.
    pub flags: Flags,
    /// Window field as on the wire, not yet scaled.
    pub window: u16,
    /// Urgent pointer; significant with URG.
    pub urgent: u16,
    /// Options.
    pub options: Options,
    /// Bytes of data.
    pub payload_bytes: u32,
    /// The congestion field of the packet that carries it: what the sender wants there, and what the receiver found.
    /// IP's, not part of these bytes.
    pub ecn: Ecn,
}

impl Segment {
    /// Length of header, options and data, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        HEADER_BYTES + self.options.bytes() + self.payload_bytes
    }

    /// Sequence numbers the segment takes: data, SYN, FIN (SEG.LEN of RFC 9293 §3.3).
    #[must_use]
    pub const fn sequence_length(&self) -> u32 {
        self.payload_bytes + self.flags.has(Flags::SYN) as u32 + self.flags.has(Flags::FIN) as u32
    }

    /// How much of the stream it takes. A SYN takes one number: what else ns-2's carries is padding, and comes again.
    #[must_use]
    pub const fn stream_length(&self) -> u32 {
        if self.flags.has(Flags::SYN) { 1 } else { self.sequence_length() }
    }

    /// The sequence number after the last one the segment takes.
    #[must_use]
    pub fn end(&self) -> Seq {
        self.seq + self.sequence_length()
    }

    /// Whether the segment carries nothing but an acknowledgement.
    #[must_use]
    pub const fn is_pure_ack(&self) -> bool {
        self.flags.has(Flags::ACK) && self.sequence_length() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_wrap() {
        let high = Seq(u32::MAX - 1);
        let low = high + 4;
        assert!(high.is_before(low));
        assert_eq!(low.bytes_since(high), 4);
        assert_eq!(high.bytes_since(low), 0);
        assert_eq!(high.max(low), low);
    }

    #[test]
    fn option_lengths_are_padded() {
        let mut options =
            Options { mss: Some(1460), window_scale: Some(7), sack_permitted: true, ..Options::default() };
        assert_eq!(options.bytes(), 12); // 4 + 3 + 2, padded
        options = Options { timestamps: Some((1, 2)), ..Options::default() };
        for i in 0..3 {
            assert!(options.sack.push(Seq(i), Seq(i + 1)));
        }
        assert_eq!(options.bytes(), 36); // 10 + 2 + 24
    }
}
