//! TCP segments as bytes.
//!
//! Spec      RFC 9293 §3.1, §3.2; RFC 7323 §2.2, §3.2; RFC 2018 §2, §3; RFC 6994
//! Deviates  nothing; unknown options are skipped, and from one of impossible length on all are (MUST-7)
//! Holds     what is emitted parses to the same segment; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::Address;

use super::extra::{EXPERIMENT, IDENTIFIER};
use super::{Extra, Flags, HEADER_BYTES, Options, Pull, Rates, SackBlocks, Segment, Seq, Told, pull, rates, told};
use crate::checksum::Checksum;
use crate::ip::protocol;

/// The longest header: fifteen words.
const MAX_HEADER_BYTES: usize = 60;

/// Where the checksum stands in the header.
pub const CHECKSUM_AT: usize = 16;

const END: u8 = 0;
const NOTHING: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// Why bytes are no TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header says.
    Truncated,
    /// The data offset lies inside the fixed header.
    DataOffset(u8),
    /// The checksum is wrong.
    Checksum,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("TCP segment is cut short"),
            Self::DataOffset(words) => write!(f, "TCP header of {words} words"),
            Self::Checksum => f.write_str("TCP segment with a wrong checksum"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Segment {
    /// Appends header, options and data, with the checksum. The data come in pieces, as buffers hold them;
    /// where they are only counted, they are zeros: give none.
    ///
    /// # Panics
    /// If there are data, but not `payload_bytes` of them; if the options take more than forty bytes.
    pub fn emit(&self, source: Address, destination: Address, data: [&[u8]; 2], out: &mut Vec<u8>) {
        let mut sum = Checksum::of_pseudo_header(source, destination, protocol::TCP, self.bytes());
        let start = out.len();
        self.emit_header(out);
        sum.add(&out[start..]);
        let given = data[0].len() + data[1].len();
        if given == 0 {
            out.resize(out.len() + self.payload_bytes as usize, 0);
        } else {
            assert_eq!(given, self.payload_bytes as usize, "header and data do not belong together");
            for piece in data {
                sum.add(piece);
                out.extend_from_slice(piece);
            }
        }
        let at = start + CHECKSUM_AT;
        out[at..at + 2].copy_from_slice(&sum.finish().to_be_bytes());
    }

    /// Appends the header with its options, the checksum left zero.
    ///
    /// # Panics
    /// If the options take more than forty bytes.
    pub fn emit_header(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let mut header = [0; MAX_HEADER_BYTES];
        header[0..2].copy_from_slice(&self.source_port.to_be_bytes());
        header[2..4].copy_from_slice(&self.destination_port.to_be_bytes());
        header[4..8].copy_from_slice(&self.seq.0.to_be_bytes());
        header[8..12].copy_from_slice(&self.ack.0.to_be_bytes());
        let words = (HEADER_BYTES + self.options.bytes()) / 4;
        assert!(words <= 15, "more options than a header holds");
        header[12] = (words << 4) as u8;
        header[13] = self.flags.0;
        header[14..16].copy_from_slice(&self.window.to_be_bytes());
        header[18..20].copy_from_slice(&self.urgent.to_be_bytes());
        out.extend_from_slice(&header[..HEADER_BYTES as usize]);
        self.options.emit(out);
        debug_assert_eq!(out.len() - start, (HEADER_BYTES + self.options.bytes()) as usize);
    }

    /// Reads a segment and finds its data; `source` and `destination` come from the IP header.
    ///
    /// # Errors
    /// If the bytes are no segment or their checksum is wrong.
    pub fn parse(source: Address, destination: Address, bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut sum = Checksum::of_pseudo_header(source, destination, protocol::TCP, bytes.len() as u32);
        sum.add(bytes);
        if bytes.len() >= HEADER_BYTES as usize && sum.finish() != 0 {
            return Err(DecodeError::Checksum);
        }
        Self::parse_unverified(bytes)
    }

    /// Reads a segment whose checksum somebody else has verified.
    ///
    /// # Errors
    /// If the bytes are no segment.
    pub fn parse_unverified(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let Some(header) = bytes.first_chunk::<{ HEADER_BYTES as usize }>() else { return Err(DecodeError::Truncated) };
        let short = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let long = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let words = header[12] >> 4;
        let length = usize::from(words) * 4;
        if length < HEADER_BYTES as usize {
            return Err(DecodeError::DataOffset(words));
        }
        let (Some(options), Some(data)) = (bytes.get(HEADER_BYTES as usize..length), bytes.get(length..)) else {
            return Err(DecodeError::Truncated);
        };
        let segment = Self {
            source_port: short(0),
            destination_port: short(2),
            seq: Seq(long(4)),
            ack: Seq(long(8)),
            flags: Flags(header[13]),
            window: short(14),
            urgent: short(18),
            options: Options::parse(options),
            payload_bytes: u32::try_from(data.len()).map_err(|_| DecodeError::Truncated)?,
            ecn: crate::ecn::Ecn::NotCapable,
        };
        Ok((segment, data))
    }
}

impl Options {
    /// Appends the options, padded to whole words.
    fn emit(&self, out: &mut Vec<u8>) {
        let start = out.len();
        if let Some(mss) = self.mss {
            out.extend([MSS, 4]);
            out.extend(mss.to_be_bytes());
        }
        if self.sack_permitted {
            out.extend([SACK_PERMITTED, 2]);
        }
        if let Some((value, echo)) = self.timestamps {
            out.extend([TIMESTAMPS, 10]);
            out.extend(value.to_be_bytes());
            out.extend(echo.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            out.extend([WINDOW_SCALE, 3, shift]);
        }
        let blocks = self.sack.as_slice();
        if !blocks.is_empty() {
            out.extend([SACK, 2 + 8 * blocks.len() as u8]);
            for (left, right) in blocks {
                out.extend(left.0.to_be_bytes());
                out.extend(right.0.to_be_bytes());
            }
        }
        self.extra.emit(out);
        self.told.emit(out);
        self.rates.emit(out);
        self.pull.emit(out);
        while !(out.len() - start).is_multiple_of(4) {
            out.push(END);
        }
    }

    fn parse(mut bytes: &[u8]) -> Self {
        let mut options = Self::default();
        loop {
            match *bytes {
                [] | [END, ..] => return options,
                [NOTHING, ref rest @ ..] => bytes = rest,
                [kind, length, ..] if length >= 2 && usize::from(length) <= bytes.len() => {
                    let (option, rest) = bytes.split_at(usize::from(length));
                    options.take(kind, &option[2..]);
                    bytes = rest;
                }
                _ => return options,
            }
        }
    }

    /// One option without kind and length. What has a wrong length is skipped.
    fn take(&mut self, kind: u8, body: &[u8]) {
        let long = |at: usize| u32::from_be_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]);
        match (kind, body) {
            (MSS, &[a, b]) => self.mss = Some(u16::from_be_bytes([a, b])),
            (WINDOW_SCALE, &[shift]) => self.window_scale = Some(shift),
            (SACK_PERMITTED, []) => self.sack_permitted = true,
            (TIMESTAMPS, [_, _, _, _, _, _, _, _]) => self.timestamps = Some((long(0), long(4))),
            (SACK, _) if matches!(body.len(), 8 | 16 | 24 | 32) => {
                self.sack = SackBlocks::default();
                for at in (0..body.len()).step_by(8) {
                    self.sack.push(Seq(long(at)), Seq(long(at + 4)));
                }
            }
            (EXPERIMENT, [a, b, body @ ..]) if [*a, *b] == IDENTIFIER => {
                self.extra = Extra::parse(body).unwrap_or_default();
            }
            (EXPERIMENT, [a, b, body @ ..]) if [*a, *b] == told::IDENTIFIER => {
                self.told = Told::parse(body).unwrap_or_default();
            }
            (EXPERIMENT, [a, b, body @ ..]) if [*a, *b] == rates::IDENTIFIER => {
                self.rates = Rates::parse(body).unwrap_or_default();
            }
            (EXPERIMENT, [a, b, body @ ..]) if [*a, *b] == pull::IDENTIFIER => {
                self.pull = Pull::parse(body).unwrap_or_default();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Address = Address(0x0a00_0001);
    const B: Address = Address(0x0a00_0002);

    fn syn() -> Segment {
        Segment {
            source_port: 40_000,
            destination_port: 80,
            seq: Seq(0x0102_0304),
            ack: Seq(0),
            flags: Flags::SYN,
            window: 64_240,
            urgent: 0,
            options: Options {
                mss: Some(1460),
                window_scale: Some(7),
                sack_permitted: true,
                timestamps: Some((1, 0)),
                ..Options::default()
            },
            payload_bytes: 0,
            ecn: crate::ecn::Ecn::NotCapable,
        }
    }

    #[test]
    fn a_syn_is_laid_out_as_in_section_3_1() {
        let mut bytes = Vec::new();
        syn().emit(A, B, [&[]; 2], &mut bytes);
        #[rustfmt::skip]
        let expected = [
            0x9c, 0x40, 0x00, 0x50, 1, 2, 3, 4, 0, 0, 0, 0, 0xa0, 0x02, 0xfa, 0xf0, 0, 0, 0, 0,
            2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 3, 3, 7, 0,
        ];
        assert_eq!(bytes[..CHECKSUM_AT], expected[..CHECKSUM_AT]);
        assert_eq!(bytes[CHECKSUM_AT + 2..], expected[CHECKSUM_AT + 2..]);
        assert_eq!(Segment::parse(A, B, &bytes), Ok((syn(), &[][..])));
        bytes[5] ^= 1;
        assert_eq!(Segment::parse(A, B, &bytes), Err(DecodeError::Checksum));
    }

    #[test]
    fn data_travel_in_pieces_or_as_zeros() {
        let segment = Segment { flags: Flags::ACK, options: Options::default(), payload_bytes: 5, ..syn() };
        let (mut whole, mut pieces, mut zeros) = (Vec::new(), Vec::new(), Vec::new());
        segment.emit(A, B, [b"hello", &[]], &mut whole);
        segment.emit(A, B, [b"hel", b"lo"], &mut pieces);
        segment.emit(A, B, [&[]; 2], &mut zeros);
        assert_eq!(whole, pieces);
        assert_eq!(Segment::parse(A, B, &whole).unwrap().1, b"hello");
        assert_eq!(Segment::parse(A, B, &zeros).unwrap(), (segment, &[0; 5][..]));
    }

    #[test]
    fn odd_options_are_skipped_and_impossible_ones_end_them() {
        let parse = |options: &[u8]| Options::parse(options);
        assert_eq!(parse(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]).timestamps, Some((1, 2)));
        assert_eq!(parse(&[99, 4, 0, 0, 2, 4, 5, 0xb4]).mss, Some(1460));
        assert_eq!(parse(&[2, 3, 5, 3, 3, 7]).window_scale, Some(7));
        assert_eq!(parse(&[0, 3, 3, 7]), Options::default());
        for bad in [&[2u8, 0, 3, 3, 7][..], &[2, 1, 3, 3, 7], &[3, 9, 1], &[2]] {
            assert_eq!(parse(bad), Options::default(), "{bad:?}");
        }
    }

    #[test]
    fn short_bytes_and_offsets_are_refused() {
        assert_eq!(Segment::parse(A, B, &[0; 19]), Err(DecodeError::Truncated));
        let mut bytes = vec![0; 20];
        bytes[12] = 4 << 4;
        assert_eq!(Segment::parse_unverified(&bytes), Err(DecodeError::DataOffset(4)));
        bytes[12] = 6 << 4;
        assert_eq!(Segment::parse_unverified(&bytes), Err(DecodeError::Truncated));
    }
}
