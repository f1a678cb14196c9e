//! Which mechanisms one end of a connection wants at the other: an experimental option.
//!
//! Spec      RFC 6994 (kind 253, an identifier of 16 bits), then two bytes for each mechanism
//! Deviates  Velayutham 2005 §3.4 has connection management reconfigure a connection, and names no message for it
//! Holds     absent from every segment of a connection whose mechanisms do not change; a peer that does not know it skips it

use super::extra::EXPERIMENT;

/// Identifies this option among this project's.
pub(super) const IDENTIFIER: [u8; 2] = *b"Hm";

/// Kind, length and identifier.
const LEAST: u32 = 4;

/// Codes of mechanisms, whoever gives them out; zeros stand behind the last.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Told([u16; Told::PLACES]);

impl Told {
    /// So many mechanisms fit beside the other options of a data segment.
    pub const PLACES: usize = 3;

    /// These codes, none of which is zero.
    #[must_use]
    pub fn new(codes: impl IntoIterator<Item = u16>) -> Self {
        let mut told = Self::default();
        told.0.iter_mut().zip(codes).for_each(|(place, code)| *place = code);
        told
    }

    /// Whether there is nothing to tell, and no option.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0[0] == 0
    }

    /// The codes.
    pub fn codes(&self) -> impl Iterator<Item = u16> {
        self.0.into_iter().filter(|&code| code != 0)
    }

    /// Length of the option in bytes, unpadded.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        if self.is_empty() {
            return 0;
        }
        LEAST + 2 * (1 + (self.0[1] != 0) as u32 + (self.0[2] != 0) as u32)
    }

    pub(super) fn emit(&self, out: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        out.extend([EXPERIMENT, self.bytes() as u8, IDENTIFIER[0], IDENTIFIER[1]]);
        self.codes().for_each(|code| out.extend(code.to_be_bytes()));
    }

    /// Reads the option's body, after the identifier. `None` if its length does not fit.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let (pairs, rest) = body.as_chunks::<2>();
        let is_right = rest.is_empty() && pairs.len() <= Self::PLACES && !pairs.contains(&[0, 0]);
        is_right.then(|| Self::new(pairs.iter().map(|pair| u16::from_be_bytes(*pair))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for codes in [&[0x0102][..], &[0x0102, 0xff00], &[1, 2, 3]] {
            let told = Told::new(codes.iter().copied());
            let mut bytes = vec![];
            told.emit(&mut bytes);
            assert_eq!(bytes[..4], [253, 4 + 2 * codes.len() as u8, b'H', b'm']);
            assert_eq!(bytes.len() as u32, told.bytes());
            assert_eq!(Told::parse(&bytes[4..]), Some(told));
            assert_eq!(told.codes().collect::<Vec<_>>(), codes);
        }
    }

    #[test]
    fn nothing_to_tell_takes_no_room() {
        let mut bytes = vec![];
        Told::default().emit(&mut bytes);
        assert_eq!((bytes.len(), Told::default().bytes()), (0, 0));
    }

    #[test]
    fn what_has_a_wrong_length_is_refused() {
        assert_eq!(Told::parse(&[1]), None);
        assert_eq!(Told::parse(&[1, 2, 0, 0]), None);
        assert_eq!(Told::parse(&[1, 2, 3, 4, 5, 6, 7, 8]), None);
        assert_eq!(Told::parse(&[]), Some(Told::default()));
    }
}
