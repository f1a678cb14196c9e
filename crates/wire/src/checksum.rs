//! The Internet checksum.
//!
//! Spec      RFC 1071; RFC 9293 §3.1 and RFC 768 (pseudo-header)
//! Deviates  nothing
//! Holds     any division of the bytes into pieces gives the same sum

use hopwright_machine::Address;

/// A checksum in the making: the ones' complement sum of what was added so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum {
    /// Sum of the 16-bit words in the machine's byte order: the sum does not mind (RFC 1071 §2B).
    sum: u64,
    /// Whether an odd number of bytes was added.
    is_odd: bool,
}

impl Checksum {
    /// Starts with the pseudo-header that TCP and UDP put before their own; `length` counts header and data.
    #[must_use]
    pub fn of_pseudo_header(source: Address, destination: Address, protocol: u8, length: u32) -> Self {
        let mut sum = Self::default();
        sum.add(&source.0.to_be_bytes());
        sum.add(&destination.0.to_be_bytes());
        sum.add(&u32::from(protocol).to_be_bytes());
        sum.add(&length.to_be_bytes());
        sum
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(4);
        let mut sum: u64 = 0;
        for word in &mut words {
            sum += u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
        }
        let mut last = [0; 4];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        sum += u64::from(u32::from_ne_bytes(last));
        let sum = fold(sum);
        // After an odd number of bytes, what follows sits in the other half of its words.
        self.sum += u64::from(if self.is_odd { sum.swap_bytes() } else { sum });
        self.is_odd ^= bytes.len() % 2 == 1;
    }

    /// The checksum to be written, as a number in network byte order. Over bytes that contain a right
    /// checksum: zero.
    #[must_use]
    pub fn finish(self) -> u16 {
        !u16::from_be(fold(self.sum))
    }
}

/// Adds the carries in.
const fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[&[u8]]) -> u16 {
        let mut sum = Checksum::default();
        pieces.iter().for_each(|piece| sum.add(piece));
        sum.finish()
    }

    #[test]
    fn the_example_of_rfc_1071() {
        assert_eq!(of(&[&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]]), !0xddf2);
    }

    #[test]
    fn pieces_make_no_difference() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| (i * i % 251) as u8).collect();
        let whole = of(&[&bytes]);
        for at in 0..40 {
            for length in 0..20 {
                let (a, rest) = bytes.split_at(at);
                let (b, c) = rest.split_at(length);
                assert_eq!(of(&[a, b, c]), whole, "{at} {length}");
            }
        }
    }

    #[test]
    fn a_right_checksum_cancels_out() {
        let mut bytes = *b"checksum at six:  ok?";
        bytes[6..8].fill(0);
        let sum = of(&[&bytes]);
        bytes[6..8].copy_from_slice(&sum.to_be_bytes());
        assert_eq!(of(&[&bytes]), 0);
    }
}
