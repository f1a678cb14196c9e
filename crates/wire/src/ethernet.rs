//! Ethernet frames of programs outside, which go over the MAC as they are, without IP.
//!
//! Spec      IEEE 802.3 §3.1 (layout), §3.2.6 (a number below 1536 is a length); RFC 1042, IEEE 802.1H (in 802.11, LLC and
//!           SNAP stand for the type)
//! Deviates  frames with a length in place of the type are refused: what is behind has an LLC of its own
//! Holds     what is parsed is emitted as it was; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::{Address, NodeId};

use crate::arp::MacAddress;

/// Length of destination, source and type, bytes.
pub const HEADER_BYTES: usize = 14;

/// The lowest number that is a type.
const FIRST_TYPE: u16 = 0x0600;

/// A frame, without its source, which is the station that sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Whom it is for: a station, or a group.
    pub destination: MacAddress,
    /// What it carries.
    pub ether_type: u16,
    /// What is behind the type.
    pub bytes: Box<[u8]>,
}

/// Why bytes are no frame that is taken here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than a header has.
    Truncated,
    /// A length where the type should be.
    NoType(u16),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("Ethernet frame is cut short"),
            Self::NoType(length) => write!(f, "Ethernet frame with a length, {length}, in place of a type"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Frame {
    /// Reads a frame without its check sequence: its source, and all else.
    ///
    /// # Errors
    /// If the bytes are too few, or if a length stands where the type should.
    pub fn parse(frame: &[u8]) -> Result<(MacAddress, Self), DecodeError> {
        let Some((&[a, b, c, d, e, f, g, h, i, j, k, l, m, n], bytes)) = frame.split_first_chunk::<HEADER_BYTES>()
        else {
            return Err(DecodeError::Truncated);
        };
        let ether_type = u16::from_be_bytes([m, n]);
        if ether_type < FIRST_TYPE {
            return Err(DecodeError::NoType(ether_type));
        }
        let destination = MacAddress([a, b, c, d, e, f]);
        Ok((MacAddress([g, h, i, j, k, l]), Self { destination, ether_type, bytes: bytes.into() }))
    }

    /// Appends the frame as a station sends it.
    pub fn emit(&self, source: MacAddress, out: &mut Vec<u8>) {
        out.extend(self.destination.0);
        out.extend(source.0);
        out.extend(self.ether_type.to_be_bytes());
        out.extend(&self.bytes);
    }

    /// The station that it is for, as an address of its node, or everyone. `None`: no node has this address.
    #[must_use]
    pub const fn to(&self) -> Option<Address> {
        if self.destination.is_group() {
            return Some(Address::BROADCAST);
        }
        match self.destination.node() {
            Some(NodeId(number)) if number < Address::MOST_NODES => Some(NodeId(number).address()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_laid_out_as_in_section_3_1() {
        let mut bytes = vec![0x33, 0x33, 0, 1, 0, 6, 2, 0, 0, 0, 0, 3, 0x86, 0xdd, 1, 2, 3];
        let (source, frame) = Frame::parse(&bytes).expect("a frame");
        assert_eq!((source, frame.ether_type, &frame.bytes[..]), (MacAddress::of(NodeId(3)), 0x86dd, &[1, 2, 3][..]));
        assert_eq!(frame.to(), Some(Address::BROADCAST), "a group");
        let mut again = Vec::new();
        frame.emit(source, &mut again);
        assert_eq!(again, bytes);
        assert_eq!(Frame::parse(&bytes[..13]), Err(DecodeError::Truncated));
        bytes[12..14].copy_from_slice(&[5, 0xff]);
        assert_eq!(Frame::parse(&bytes), Err(DecodeError::NoType(1535)));
    }

    #[test]
    fn a_frame_is_for_the_node_of_its_address_or_for_everyone_or_for_nobody_here() {
        let to = |destination| Frame { destination: MacAddress(destination), ether_type: 0x800, bytes: [].into() }.to();
        assert_eq!(to([2, 0, 0, 0, 0, 7]), Some(NodeId(7).address()));
        assert_eq!(to([0xff; 6]), Some(Address::BROADCAST));
        assert_eq!(to([1, 0, 0x5e, 0, 0, 251]), Some(Address::BROADCAST));
        assert_eq!(to([2, 1, 0, 0, 0, 7]), None);
        assert_eq!(to([2, 0, 0xff, 0xff, 0xff, 0xff]), None, "no node has so high a number");
    }
}
