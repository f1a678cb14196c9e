//! UDP datagrams.
//!
//! Spec      RFC 768
//! Deviates  nothing
//! Holds     what is emitted parses to the same datagram; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::Address;

use crate::checksum::Checksum;
use crate::ip::protocol;

/// Length of a UDP header, in bytes.
pub const HEADER_BYTES: u32 = 8;

/// A UDP datagram of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Bytes of application data.
    pub payload_bytes: u32,
}

/// Why bytes are no UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header says, or than a header.
    Truncated,
    /// The checksum is wrong.
    Checksum,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "UDP datagram is cut short",
            Self::Checksum => "UDP datagram with a wrong checksum",
        })
    }
}

impl std::error::Error for DecodeError {}

impl Datagram {
    /// Length with the header, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        HEADER_BYTES + self.payload_bytes
    }

    /// Appends header and data. Where the data are only counted, they are zeros: give none.
    ///
    /// # Panics
    /// If there are data, but not `payload_bytes` of them, or more than a datagram can hold.
    pub fn emit(&self, source: Address, destination: Address, data: &[u8], out: &mut Vec<u8>) {
        let length = u16::try_from(self.bytes()).expect("a datagram's length has 16 bits");
        let start = out.len();
        for number in [self.source_port, self.destination_port, length, 0] {
            out.extend(number.to_be_bytes());
        }
        let mut sum = Checksum::of_pseudo_header(source, destination, protocol::UDP, self.bytes());
        sum.add(&out[start..]);
        if data.is_empty() {
            out.resize(out.len() + self.payload_bytes as usize, 0);
        } else {
            assert_eq!(data.len(), self.payload_bytes as usize, "header and data do not belong together");
            sum.add(data);
            out.extend_from_slice(data);
        }
        let sum = match sum.finish() {
            0 => 0xffff, // zero says that there is no checksum
            sum => sum,
        };
        out[start + 6..start + 8].copy_from_slice(&sum.to_be_bytes());
    }

    /// Reads a datagram and finds its data; `source` and `destination` come from the IP header.
    ///
    /// # Errors
    /// If the bytes are no datagram, or there is a checksum and it is wrong.
    pub fn parse(source: Address, destination: Address, bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let Some(header) = bytes.first_chunk::<{ HEADER_BYTES as usize }>() else { return Err(DecodeError::Truncated) };
        let number = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let length = usize::from(number(4));
        if length < header.len() || length > bytes.len() {
            return Err(DecodeError::Truncated);
        }
        if number(6) != 0 {
            let mut sum = Checksum::of_pseudo_header(source, destination, protocol::UDP, length as u32);
            sum.add(&bytes[..length]);
            if sum.finish() != 0 {
                return Err(DecodeError::Checksum);
            }
        }
        let data = &bytes[header.len()..length];
        Ok((Self { source_port: number(0), destination_port: number(2), payload_bytes: data.len() as u32 }, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Address = Address(0x0a00_0001);
    const B: Address = Address(0x0a00_0002);

    #[test]
    fn emitted_bytes_parse_back() {
        let datagram = Datagram { source_port: 33_001, destination_port: 5001, payload_bytes: 3 };
        let mut bytes = Vec::new();
        datagram.emit(A, B, b"abc", &mut bytes);
        assert_eq!(bytes[..6], [0x80, 0xe9, 0x13, 0x89, 0, 11]);
        assert_eq!(Datagram::parse(A, B, &bytes), Ok((datagram, &b"abc"[..])));
        bytes.push(0); // a link may pad
        assert_eq!(Datagram::parse(A, B, &bytes), Ok((datagram, &b"abc"[..])));
        bytes[9] ^= 4;
        assert_eq!(Datagram::parse(A, B, &bytes), Err(DecodeError::Checksum));
        bytes[6..8].fill(0); // none given
        assert!(Datagram::parse(A, B, &bytes).is_ok());
    }

    #[test]
    fn a_sum_of_zero_is_written_as_its_other_form() {
        let mut datagram = Datagram { source_port: 0, destination_port: 9, payload_bytes: 2 };
        let mut bytes = Vec::new();
        datagram.emit(A, B, &[0, 0], &mut bytes);
        datagram.source_port = u16::from_be_bytes([bytes[6], bytes[7]]);
        bytes.clear();
        datagram.emit(A, B, &[0, 0], &mut bytes);
        assert_eq!(bytes[6..8], [0xff, 0xff]);
        assert!(Datagram::parse(A, B, &bytes).is_ok());
    }

    #[test]
    fn short_bytes_are_refused() {
        assert_eq!(Datagram::parse(A, B, &[0; 7]), Err(DecodeError::Truncated));
        assert_eq!(Datagram::parse(A, B, &[0, 0, 0, 0, 0, 7, 0, 0]), Err(DecodeError::Truncated));
        assert_eq!(Datagram::parse(A, B, &[0, 0, 0, 0, 0, 9, 0, 0]), Err(DecodeError::Truncated));
    }
}
