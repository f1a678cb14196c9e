//! DSDV updates, carried in UDP to port 255.
//!
//! No document fixes DSDV's bytes. Here: a header of four bytes, then twelve per destination, which is what
//! ns-2 counts for each. The port is ns-2's too; IANA has given it to nobody, and decoders know nothing of it.
//!
//! ```text
//! |       number of entries       |           reserved            |
//! |                          destination                          |
//! |                    metric (all ones: infinite)                |
//! |                        sequence number                        |
//! ```
//!
//! Spec      Perkins and Bhagwat 1994 §3 (what an update says); the layout is this project's
//! Deviates  reserved bits are written as zero and not read
//! Holds     what is emitted parses to the same update; no bytes make `parse` panic

use core::fmt;
use std::sync::Arc;

use hopwright_machine::Address;

/// The UDP port.
pub const PORT: u16 = 255;

/// Length of the header, in bytes.
pub const HEADER_BYTES: u32 = 4;

/// Length of an entry, in bytes.
pub const ENTRY_BYTES: u32 = 12;

/// The metric of a destination that cannot be reached.
pub const INFINITE: u32 = u32::MAX;

/// Routes that the sender offers. Shared, not copied: a broadcast reaches many nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// One entry per destination.
    pub entries: Arc<[Entry]>,
}

/// A route on offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it leads.
    pub destination: Address,
    /// Hops from the sender, or [`INFINITE`].
    pub metric: u32,
    /// The destination's sequence number; an odd one was made by a node that lost the route.
    pub sequence: u32,
}

impl Update {
    /// Length in bytes, without UDP and IP.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        HEADER_BYTES + ENTRY_BYTES * self.entries.len() as u32
    }

    /// The bytes of the update, without UDP and IP.
    ///
    /// # Panics
    /// If there are more entries than the header can count.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes() as usize);
        out.extend(u16::try_from(self.entries.len()).expect("an update's count has 16 bits").to_be_bytes());
        out.extend([0, 0]);
        for entry in self.entries.iter() {
            for word in [entry.destination.0, entry.metric, entry.sequence] {
                out.extend(word.to_be_bytes());
            }
        }
        out
    }

    /// Reads an update from the payload of a UDP datagram. Bytes behind the last entry are ignored.
    ///
    /// # Errors
    /// If there are fewer bytes than the header says.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Some((&[high, low, _, _], rest)) = bytes.split_first_chunk::<4>() else {
            return Err(DecodeError::Truncated);
        };
        let count = usize::from(u16::from_be_bytes([high, low]));
        let Some(content) = rest.get(..count * ENTRY_BYTES as usize) else { return Err(DecodeError::Truncated) };
        let words: Vec<u32> = content.chunks_exact(4).map(|w| u32::from_be_bytes([w[0], w[1], w[2], w[3]])).collect();
        let entry = |w: &[u32]| Entry { destination: Address(w[0]), metric: w[1], sequence: w[2] };
        Ok(Self { entries: words.chunks_exact(3).map(entry).collect() })
    }
}

/// Why bytes are no DSDV update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header says, or than a header.
    Truncated,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DSDV update is cut short")
    }
}

impl std::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_has_four_bytes_and_twelve_per_entry() {
        let entry = |last: u32, metric, sequence| Entry { destination: Address(0x0a00_0000 + last), metric, sequence };
        let update = Update { entries: [entry(1, 0, 258), entry(9, INFINITE, 7)].into() };
        #[rustfmt::skip]
        let bytes = [
            0, 2, 0, 0,
            10, 0, 0, 1,  0, 0, 0, 0,  0, 0, 1, 2,
            10, 0, 0, 9,  255, 255, 255, 255,  0, 0, 0, 7,
        ];
        assert_eq!(update.emit(), bytes);
        assert_eq!(update.bytes() as usize, bytes.len());
        assert_eq!(Update::parse(&bytes).as_ref(), Ok(&update));
        for cut in 0..bytes.len() {
            assert_eq!(Update::parse(&bytes[..cut]), Err(DecodeError::Truncated), "{cut} bytes");
        }
    }
}
