//! Address resolution messages for IPv4 and 48-bit hardware addresses.
//!
//! Spec      RFC 826 (layout, operations)
//! Deviates  RFC 1042 gives IEEE 802 networks the hardware type 6; 802.11 stations write 1 (Ethernet), and so does
//!           `emit`. Both are read
//! Holds     what is emitted parses to the same message; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::{Address, NodeId};

/// Length of a message, bytes. It follows the MAC header at once: there is no IP header.
pub const BYTES: u32 = 28;

/// ar$hrd: Ethernet, and IEEE 802 networks (RFC 1042).
const HARDWARE: [u16; 2] = [1, 6];
/// ar$pro: IPv4.
const PROTOCOL: u16 = 0x0800;
/// ar$hln, ar$pln.
const LENGTHS: [u8; 2] = [6, 4];

/// A 48-bit hardware address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// What a request says of the address that it asks for.
    pub const UNKNOWN: Self = Self([0; 6]);

    /// The address of a node's station: locally administered, 02:00, then the node's number.
    #[must_use]
    pub const fn of(node: NodeId) -> Self {
        let [a, b, c, d] = node.0.to_be_bytes();
        Self([0x02, 0, a, b, c, d])
    }

    /// Whether it is a group's (the first bit on the wire): everyone's, or of those who listen to it.
    #[must_use]
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// The node with this address, if it has the form that `of` gives.
    #[must_use]
    pub const fn node(self) -> Option<NodeId> {
        match self.0 {
            [0x02, 0, a, b, c, d] => Some(NodeId(u32::from_be_bytes([a, b, c, d]))),
            _ => None,
        }
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Operation {
    /// Who has the target's protocol address?
    Request = 1,
    /// The sender has it.
    Reply = 2,
}

/// An address resolution message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is for.
    pub operation: Operation,
    /// ar$sha.
    pub sender_hardware: MacAddress,
    /// ar$spa.
    pub sender_protocol: Address,
    /// ar$tha; `MacAddress::UNKNOWN` in a request.
    pub target_hardware: MacAddress,
    /// ar$tpa.
    pub target_protocol: Address,
}

impl Message {
    /// The bytes of the message.
    #[must_use]
    pub fn emit(&self) -> [u8; BYTES as usize] {
        let mut bytes = [0; BYTES as usize];
        bytes[0..2].copy_from_slice(&HARDWARE[0].to_be_bytes());
        bytes[2..4].copy_from_slice(&PROTOCOL.to_be_bytes());
        bytes[4..6].copy_from_slice(&LENGTHS);
        bytes[6..8].copy_from_slice(&(self.operation as u16).to_be_bytes());
        bytes[8..14].copy_from_slice(&self.sender_hardware.0);
        bytes[14..18].copy_from_slice(&self.sender_protocol.0.to_be_bytes());
        bytes[18..24].copy_from_slice(&self.target_hardware.0);
        bytes[24..28].copy_from_slice(&self.target_protocol.0.to_be_bytes());
        bytes
    }

    /// Reads a message. What follows it (padding of a short frame) is skipped.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Some(&bytes) = bytes.first_chunk::<{ BYTES as usize }>() else { return Err(DecodeError::Truncated) };
        let number = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let hardware = |at: usize| MacAddress(core::array::from_fn(|n| bytes[at + n]));
        let protocol = |at: usize| Address(u32::from_be_bytes(core::array::from_fn(|n| bytes[at + n])));
        if !HARDWARE.contains(&number(0)) || number(2) != PROTOCOL || bytes[4..6] != LENGTHS {
            return Err(DecodeError::OtherAddresses);
        }
        let operation = match number(6) {
            1 => Operation::Request,
            2 => Operation::Reply,
            other => return Err(DecodeError::UnknownOperation(other)),
        };
        Ok(Self {
            operation,
            sender_hardware: hardware(8),
            sender_protocol: protocol(14),
            target_hardware: hardware(18),
            target_protocol: protocol(24),
        })
    }
}

/// Why bytes are no message that could be acted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than a message needs.
    Truncated,
    /// Not about IPv4 over 48-bit hardware addresses.
    OtherAddresses,
    /// Neither request nor reply.
    UnknownOperation(u16),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("ARP message is cut short"),
            Self::OtherAddresses => f.write_str("ARP message not about IPv4 over 48-bit hardware addresses"),
            Self::UnknownOperation(number) => write!(f, "ARP message with unknown operation {number}"),
        }
    }
}

impl std::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const REPLY: [u8; 28] = [
        0, 1,  8, 0,  6, 4,  0, 2, // ar$hrd, ar$pro, ar$hln, ar$pln, ar$op
        2, 0, 0, 0, 1, 44,  10, 0, 1, 45,
        2, 0, 0, 0, 0, 3,   10, 0, 0, 4,
    ];

    #[test]
    fn a_reply_is_laid_out_as_in_rfc_826() {
        let message = Message {
            operation: Operation::Reply,
            sender_hardware: MacAddress::of(NodeId(300)),
            sender_protocol: NodeId(300).address(),
            target_hardware: MacAddress::of(NodeId(3)),
            target_protocol: NodeId(3).address(),
        };
        assert_eq!(message.emit(), REPLY);
        assert_eq!(Message::parse(&REPLY), Ok(message));
    }

    #[test]
    fn a_request_leaves_the_wanted_hardware_address_open() {
        let message = Message {
            operation: Operation::Request,
            sender_hardware: MacAddress::of(NodeId(1)),
            sender_protocol: NodeId(1).address(),
            target_hardware: MacAddress::UNKNOWN,
            target_protocol: NodeId(2).address(),
        };
        let bytes = message.emit();
        assert_eq!(bytes[7], 1);
        assert_eq!(bytes[18..24], [0; 6]);
        assert_eq!(Message::parse(&bytes), Ok(message));
    }

    #[test]
    fn ieee_802_is_read_as_ethernet_and_padding_skipped() {
        let mut bytes = [REPLY.as_slice(), &[0; 18]].concat();
        assert_eq!(Message::parse(&bytes), Message::parse(&REPLY));
        bytes[1] = 6;
        assert_eq!(Message::parse(&bytes), Message::parse(&REPLY));
    }

    #[test]
    fn bad_bytes_are_refused() {
        let with = |at: usize, byte: u8| {
            let mut bytes = REPLY;
            bytes[at] = byte;
            Message::parse(&bytes)
        };
        assert_eq!(Message::parse(&REPLY[..27]), Err(DecodeError::Truncated));
        for (at, byte) in [(1, 7), (2, 9), (4, 8), (5, 16)] {
            assert_eq!(with(at, byte), Err(DecodeError::OtherAddresses), "byte {at}");
        }
        assert_eq!(with(7, 3), Err(DecodeError::UnknownOperation(3)));
    }

    #[test]
    fn node_and_hardware_address_are_one_to_one() {
        assert_eq!(MacAddress::of(NodeId(300)).to_string(), "02:00:00:00:01:2c");
        assert_eq!(MacAddress::of(NodeId(300)).node(), Some(NodeId(300)));
        assert_eq!(MacAddress::UNKNOWN.node(), None);
    }
}
