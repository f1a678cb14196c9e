//! NCTP's header: bundles that go hop by hop, and what their owners say to each other.
//!
//! Spec      Velayutham 2005 §6.5: the fields; their sizes are decided here
//! Deviates  decided here: the number of packets in a bundle, as a relay cannot know the length of the last one otherwise;
//!           the connection, of which two nodes may have several; a bit that marks the last bundle; a refusal, which the
//!           thesis does not have (PRO and ACK together)
//! Holds     what is emitted parses to the same header; no bytes make `parse` panic

use core::fmt;

use hopwright_machine::Address;

/// Length of the header, bytes.
pub const BYTES: u32 = 28;

/// What a packet of NCTP is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A packet of a bundle, on its way over one hop.
    Data = 0,
    /// PROBE-ROUTE (PRO): is the way to the destination alive?
    Probe = 1,
    /// The destination has a whole bundle (ACK).
    Ack = 2,
    /// The next owner has no room for a bundle.
    Refusal = 3,
    /// ROUTE-ALIVE (SUC): the answer to a probe.
    Alive = 4,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Data, Self::Probe, Self::Ack, Self::Refusal, Self::Alive];
}

/// A bundle's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The source of the connection's data.
    pub source: Address,
    /// The connection.
    pub connection: u16,
    /// The bundle's place among those of its connection, from 0.
    pub bundle: u32,
}

/// A packet of NCTP behind its IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// What it is.
    pub kind: Kind,
    /// The bundle that it is part of, or about.
    pub key: Key,
    /// The destination of the connection's data.
    pub destination: Address,
    /// Who sends it: the owner of the bundle, or who asks or answers.
    pub sender: Address,
    /// Who is to have it next, of data; whom it is for, of others.
    pub receiver: Address,
    /// Which packet of the bundle it is, from 1; 0 where it is none.
    pub number: u16,
    /// Packets in the bundle; 0 where it carries no part of one.
    pub packets: u16,
    /// Whether the bundle is the last one of its connection.
    pub is_last: bool,
    /// Bytes of application data.
    pub payload_bytes: u32,
}

/// Why bytes are no packet of NCTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header has.
    Truncated,
    /// Flags that no packet has.
    Flags(u8),
    /// A packet of a bundle that the bundle does not have.
    Number {
        /// Which.
        number: u16,
        /// Of how many.
        packets: u16,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("NCTP header is cut short"),
            Self::Flags(flags) => write!(f, "NCTP header with flags {flags:#04x}"),
            Self::Number { number, packets } => write!(f, "NCTP packet {number} of a bundle of {packets}"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Packet {
    /// Length with its data, bytes.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        BYTES + self.payload_bytes
    }

    /// Appends the header; data, which are only counted, are zeros.
    pub fn emit(&self, out: &mut Vec<u8>) {
        for address in [self.key.source, self.destination, self.sender, self.receiver] {
            out.extend(address.0.to_be_bytes());
        }
        out.extend(self.key.bundle.to_be_bytes());
        out.extend(self.number.to_be_bytes());
        out.extend([self.kind as u8, u8::from(self.is_last)]);
        out.extend(self.packets.to_be_bytes());
        out.extend(self.key.connection.to_be_bytes());
        out.resize(out.len() + self.payload_bytes as usize, 0);
    }

    /// Reads a packet; its data are counted and forgotten.
    ///
    /// # Errors
    /// If the bytes are none.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Some(fixed) = bytes.first_chunk::<{ BYTES as usize }>() else { return Err(DecodeError::Truncated) };
        let short = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
        let long = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let kind = Kind::ALL.into_iter().find(|&kind| kind as u8 == fixed[22]).ok_or(DecodeError::Flags(fixed[22]))?;
        let (number, packets) = (short(20), short(24));
        let fits = if kind == Kind::Data { (1..=packets).contains(&number) } else { number == 0 };
        if !fits {
            return Err(DecodeError::Number { number, packets });
        }
        Ok(Self {
            kind,
            key: Key { source: Address(long(0)), connection: short(26), bundle: long(16) },
            destination: Address(long(4)),
            sender: Address(long(8)),
            receiver: Address(long(12)),
            number,
            packets,
            is_last: fixed[23] & 1 != 0,
            payload_bytes: (bytes.len() - BYTES as usize) as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Vector N18 of the specification.
    #[test]
    fn n18_the_header_has_28_bytes_laid_out_as_documented() {
        let key = Key { source: Address(0x0a00_0001), connection: 7, bundle: 3 };
        let [destination, sender, receiver] = [9, 2, 3].map(|n| Address(0x0a00_0000 + n));
        let (kind, number, packets, is_last) = (Kind::Data, 400, 1000, true);
        let packet = Packet { kind, key, destination, sender, receiver, number, packets, is_last, payload_bytes: 0 };
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        let expected = [10, 0, 0, 1, 10, 0, 0, 9, 10, 0, 0, 2, 10, 0, 0, 3, 0, 0, 0, 3, 1, 144, 0, 1, 3, 232, 0, 7];
        assert_eq!(bytes, expected);
        assert_eq!((bytes.len(), packet.bytes()), (28, 28));
    }

    fn packets() -> impl Strategy<Value = Packet> {
        let address = || any::<u32>().prop_map(Address);
        let ends = (address(), address(), address(), address());
        let numbers = (any::<u16>(), any::<u32>(), 1..=u16::MAX, any::<prop::sample::Index>());
        (prop::sample::select(&Kind::ALL[..]), ends, numbers, any::<bool>(), 0u32..1500).prop_map(
            |(kind, (source, destination, sender, receiver), (connection, bundle, packets, at), is_last, bytes)| {
                let number = if kind == Kind::Data { 1 + at.index(usize::from(packets)) as u16 } else { 0 };
                let key = Key { source, connection, bundle };
                Packet { kind, key, destination, sender, receiver, number, packets, is_last, payload_bytes: bytes }
            },
        )
    }

    proptest! {
        #[test]
        fn n18_what_is_emitted_parses_back(packet in packets()) {
            let mut bytes = Vec::new();
            packet.emit(&mut bytes);
            prop_assert_eq!(bytes.len() as u32, packet.bytes());
            prop_assert_eq!(Packet::parse(&bytes), Ok(packet));
        }

        #[test]
        fn n18_no_bytes_make_parse_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = Packet::parse(&bytes);
        }
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        let key = Key { source: Address(1), connection: 0, bundle: 0 };
        let [destination, sender, receiver] = [Address(2), Address(1), Address(2)];
        let (kind, number, packets, is_last) = (Kind::Data, 5, 5, false);
        let packet = Packet { kind, key, destination, sender, receiver, number, packets, is_last, payload_bytes: 8 };
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        assert_eq!(Packet::parse(&bytes[..27]), Err(DecodeError::Truncated));
        bytes[21] = 6;
        assert_eq!(Packet::parse(&bytes), Err(DecodeError::Number { number: 6, packets: 5 }));
        bytes[22] = 5;
        assert_eq!(Packet::parse(&bytes), Err(DecodeError::Flags(5)));
    }
}
