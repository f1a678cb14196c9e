//! What a sender that keeps a rate and its receiver tell each other: an experimental option.
//!
//! Spec      RFC 5348 §3.2.1 (data: a number of its own for each transmission, and the sender's round-trip time), §3.2.2
//!           (feedback: the loss event rate and the receive rate); RFC 6994 (kind 253, an identifier of 16 bits)
//! Deviates  §3.2.1's timestamp is left out: TCP's own rules measure the round trip. The loss event rate travels as its
//!           inverse, as RFC 4342 §8.5 has it, but with eight bits behind the point: whole packets would be off by up to
//!           a tenth at a loss of 10 %
//! Holds     absent from every segment of a connection whose receiver reports no rates; a peer that does not know it
//!           skips it

use super::extra::EXPERIMENT;

/// Identifies this option among this project's.
pub(super) const IDENTIFIER: [u8; 2] = *b"Hr";

/// Kind, length, identifier, the byte that says which of both it is, and two words.
const BYTES: u32 = 13;

/// See the file's header.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Rates {
    /// Nothing is told.
    #[default]
    Nothing,
    /// With data.
    Data {
        /// The how-manieth transmission of the sender this is, repeated ones counted, modulo 2^32.
        number: u32,
        /// The sender's round-trip time, in microseconds; zero before it is known.
        rtt_us: u32,
    },
    /// With an acknowledgement.
    Report {
        /// What came lately, in bytes per second.
        receive_rate: u32,
        /// Transmissions from one loss event to the next, in 256ths; `u32::MAX`: nothing was ever lost.
        loss_interval: u32,
    },
}

const DATA: u8 = 1;
const REPORT: u8 = 2;

impl Rates {
    /// Length of the option in bytes, unpadded.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        match self {
            Self::Nothing => 0,
            _ => BYTES,
        }
    }

    pub(super) fn emit(&self, out: &mut Vec<u8>) {
        let (which, first, second) = match *self {
            Self::Nothing => return,
            Self::Data { number, rtt_us } => (DATA, number, rtt_us),
            Self::Report { receive_rate, loss_interval } => (REPORT, receive_rate, loss_interval),
        };
        out.extend([EXPERIMENT, BYTES as u8, IDENTIFIER[0], IDENTIFIER[1], which]);
        out.extend(first.to_be_bytes());
        out.extend(second.to_be_bytes());
    }

    /// Reads the option's body, after the identifier. `None` if it is none of both.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let (&which, words) = body.split_first()?;
        let &[a, b, c, d, e, f, g, h] = words else { return None };
        let (first, second) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
        match which {
            DATA => Some(Self::Data { number: first, rtt_us: second }),
            REPORT => Some(Self::Report { receive_rate: first, loss_interval: second }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let data = Rates::Data { number: 0x0102_0304, rtt_us: 100_000 };
        let report = Rates::Report { receive_rate: 164_005, loss_interval: u32::MAX };
        for (rates, which) in [(data, 1), (report, 2)] {
            let mut bytes = vec![];
            rates.emit(&mut bytes);
            assert_eq!(bytes[..5], [253, 13, b'H', b'r', which]);
            assert_eq!(bytes.len() as u32, rates.bytes());
            assert_eq!(Rates::parse(&bytes[4..]), Some(rates));
        }
    }

    #[test]
    fn nothing_to_tell_takes_no_room() {
        let mut bytes = vec![];
        Rates::Nothing.emit(&mut bytes);
        assert_eq!((bytes.len(), Rates::Nothing.bytes()), (0, 0));
    }

    #[test]
    fn what_is_neither_is_refused() {
        for body in [&[][..], &[1], &[1, 0, 0, 0, 0], &[3, 0, 0, 0, 0, 0, 0, 0, 0], &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]] {
            assert_eq!(Rates::parse(body), None);
        }
    }
}
