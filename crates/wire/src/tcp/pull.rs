//! A stream whose receiver asks for it: an experimental option.
//!
//! Spec      Velayutham 2005 §3.2.5, §3.3 (a mobile host asks a static one for data, which answers and does nothing of
//!           its own accord); RFC 6994 (kind 253, an identifier of 16 bits)
//! Deviates  the thesis names no message: a request names a position and a length, and the answering end says with
//!           every segment how far its stream reaches, so that nobody asks for what is not there
//! Holds     absent from every segment of a connection whose senders decide themselves; a peer that does not know it
//!           skips it, and its data come as always

use super::Seq;
use super::extra::EXPERIMENT;

/// Identifies this option among this project's.
pub(super) const IDENTIFIER: [u8; 2] = *b"Hq";

/// See the file's header.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Pull {
    /// Nothing is said.
    #[default]
    Nothing,
    /// The end that sends this will ask for what it receives.
    Asks,
    /// The end that sends this waits to be asked, and its stream reaches so far today: the number after its last byte.
    /// Without data and with PSH: in answer to a request for nothing.
    Holds(Seq),
    /// Send this.
    Request {
        /// The number of the first byte.
        from: Seq,
        /// How many: no more than a segment carries.
        bytes: u16,
    },
}

impl Pull {
    /// Length of the option in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Asks => 4,
            Self::Holds(_) => 8,
            Self::Request { .. } => 12,
        }
    }

    pub(super) fn emit(&self, out: &mut Vec<u8>) {
        if *self == Self::Nothing {
            return;
        }
        out.extend([EXPERIMENT, self.bytes() as u8, IDENTIFIER[0], IDENTIFIER[1]]);
        match *self {
            Self::Nothing | Self::Asks => {}
            Self::Holds(end) => out.extend(end.0.to_be_bytes()),
            Self::Request { from, bytes } => {
                out.extend(from.0.to_be_bytes());
                out.extend(u32::from(bytes).to_be_bytes());
            }
        }
    }

    /// Reads the option's body, after the identifier. `None` if its length is that of none of these.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        match *body {
            [] => Some(Self::Asks),
            [a, b, c, d] => Some(Self::Holds(Seq(u32::from_be_bytes([a, b, c, d])))),
            [a, b, c, d, e, f, g, h] => Some(Self::Request {
                from: Seq(u32::from_be_bytes([a, b, c, d])),
                bytes: u32::from_be_bytes([e, f, g, h]).min(u16::MAX.into()) as u16,
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let request = Pull::Request { from: Seq(u32::MAX), bytes: 1448 };
        for (pull, bytes) in [(Pull::Asks, 4), (Pull::Holds(Seq(0x0102_0304)), 8), (request, 12)] {
            let mut out = vec![];
            pull.emit(&mut out);
            assert_eq!(out[..4], [253, bytes, b'H', b'q']);
            assert_eq!((out.len() as u32, pull.bytes()), (u32::from(bytes), u32::from(bytes)));
            assert_eq!(Pull::parse(&out[4..]), Some(pull));
        }
    }

    #[test]
    fn nothing_to_say_takes_no_room() {
        let mut out = vec![];
        Pull::Nothing.emit(&mut out);
        assert_eq!((out.len(), Pull::Nothing.bytes()), (0, 0));
    }

    #[test]
    fn other_lengths_are_refused() {
        for length in [1, 3, 5, 7, 9, 12] {
            assert_eq!(Pull::parse(&vec![0; length]), None, "{length}");
        }
    }
}
