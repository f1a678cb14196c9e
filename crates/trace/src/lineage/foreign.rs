//! What packets of programs outside are: whose conversation, and which part of it.
//!
//! Spec      RFC 791 (fragments), RFC 9293 §3.1, RFC 768, RFC 792 (echo)
//! Deviates  checksums are not looked at: kernels leave some of them to devices
//! Holds     whatever bytes come, something is said of them: headers that are cut short have no ports

use std::collections::VecDeque;

use hopwright_machine::{Address, NodeId};
use hopwright_wire::ip::{Opaque, protocol};
use hopwright_wire::{Packet, Payload};

/// What tells of a program's packet which conversation it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Foreign {
    /// What the IP header calls the protocol.
    pub(super) protocol: u8,
    pub(super) source: Option<NodeId>,
    pub(super) destination: Option<NodeId>,
    /// Source and destination port, of TCP and UDP.
    pub(super) ports: Option<(u16, u16)>,
    /// The identifier of an echo request or its answer.
    pub(super) icmp_id: Option<u16>,
    /// The sequence number and the flags of a TCP segment.
    pub(super) tcp: Option<(u32, u8)>,
    /// Bytes that the program sends: what is behind the headers of TCP and UDP, or of IP.
    pub(super) data_bytes: u32,
}

/// Reads packets of programs. Of those that came in fragments it remembers the ports, which the first one has.
#[derive(Debug, Default)]
pub(super) struct Reader {
    first_fragments: VecDeque<(Datagram, (u16, u16))>,
}

/// What fragments of one datagram have in common.
type Datagram = (Address, Address, u8, u16);

/// So many datagrams in fragments may be on their way.
const FRAGMENTED: usize = 256;

/// Bits of the field of fragments: more follow; where it begins.
const MORE: u16 = 0x2000;
const OFFSET: u16 = 0x1fff;

/// Kinds of ICMP messages.
const ECHO: [u8; 2] = [0, 8];

impl Reader {
    /// What a packet is, if a program outside sent it.
    pub(super) fn read(&mut self, packet: &Packet) -> Option<Foreign> {
        let Payload::Opaque(opaque) = &packet.payload else { return None };
        let (source, destination) = (packet.source.node(), packet.destination.node());
        let (identification, fragment) =
            opaque.head.as_ref().map_or((0, 0), |head| (head.identification, head.fragment));
        let datagram = (packet.source, packet.destination, opaque.protocol, identification);
        let whole = opaque.bytes.len() as u32;
        let base = Foreign { protocol: opaque.protocol, source, destination, data_bytes: whole, ..Foreign::default() };
        if fragment & OFFSET != 0 {
            let first = self.first_fragments.iter().rev().find(|(of, _)| *of == datagram);
            return Some(Foreign { ports: first.map(|&(_, ports)| ports), ..base });
        }
        let foreign = Foreign::of(opaque, base);
        if fragment & MORE != 0
            && let Some(ports) = foreign.ports
            && self.first_fragments.back() != Some(&(datagram, ports))
        {
            if self.first_fragments.len() == FRAGMENTED {
                self.first_fragments.pop_front();
            }
            self.first_fragments.push_back((datagram, ports));
        }
        Some(foreign)
    }
}

impl Foreign {
    /// Of a packet that begins with a header of its protocol.
    fn of(opaque: &Opaque, base: Self) -> Self {
        let bytes = &opaque.bytes[..];
        let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
        let ports = || Some((short(0)?, short(2)?));
        let behind = |header: u32| base.data_bytes.saturating_sub(header);
        match opaque.protocol {
            protocol::TCP => {
                let seq = bytes.get(4..8).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
                let tcp = seq.zip(bytes.get(13).copied());
                let header = bytes.get(12).map_or(0, |words| u32::from(words >> 4) * 4);
                Self { ports: ports(), tcp, data_bytes: behind(header), ..base }
            }
            protocol::UDP => Self { ports: ports(), data_bytes: behind(hopwright_wire::udp::HEADER_BYTES), ..base },
            protocol::ICMP if bytes.first().is_some_and(|kind| ECHO.contains(kind)) => {
                Self { icmp_id: short(4), ..base }
            }
            _ => base,
        }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::PacketId;
    use hopwright_wire::ip::Head;
    use proptest::prelude::*;

    use super::*;

    fn packet(protocol: u8, bytes: &[u8], (identification, fragment): (u16, u16)) -> Packet {
        let head = Head { tos: 0, ttl: 64, identification, fragment, options: Box::default() };
        let opaque = Opaque { protocol, bytes: bytes.into(), head: Some(head) };
        Packet::new(PacketId(1), NodeId(0).address(), NodeId(4).address(), 64, Payload::Opaque(opaque.into()))
    }

    #[test]
    fn segments_have_ports_numbers_flags_and_data() {
        // Ports 40000 and 80, number 0x01020304, a header of six words, PSH and ACK, three bytes of data.
        let mut bytes = vec![0x9c, 0x40, 0, 80, 1, 2, 3, 4, 0, 0, 0, 0, 0x60, 0x18, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0];
        bytes.extend(b"abc");
        let read = Reader::default().read(&packet(6, &bytes, (7, 0x4000))).expect("a program's");
        assert_eq!((read.ports, read.tcp, read.data_bytes), (Some((40_000, 80)), Some((0x0102_0304, 0x18)), 3));
        assert_eq!((read.source, read.destination), (Some(NodeId(0)), Some(NodeId(4))));
    }

    #[test]
    fn echoes_have_an_identifier_and_errors_have_none() {
        let read = |kind| Reader::default().read(&packet(1, &[kind, 0, 0, 0, 0x12, 0x34, 0, 1], (0, 0)));
        assert_eq!(read(8).and_then(|read| read.icmp_id), Some(0x1234));
        assert_eq!(read(0).and_then(|read| read.icmp_id), Some(0x1234));
        assert_eq!(read(3).and_then(|read| read.icmp_id), None);
    }

    #[test]
    fn later_fragments_have_the_ports_of_the_first() {
        let mut reader = Reader::default();
        let first = [0x13, 0x8c, 0x13, 0x8d, 0x0b, 0xb8, 0, 0, b'a', b'b', b'c', b'd', b'e', b'f', b'g', b'h'];
        let read = reader.read(&packet(17, &first, (9, MORE))).expect("a program's");
        assert_eq!((read.ports, read.data_bytes), (Some((5004, 5005)), 8));
        let later = reader.read(&packet(17, b"ijkl", (9, 2))).expect("a program's");
        assert_eq!((later.ports, later.data_bytes), (Some((5004, 5005)), 4));
        let other = reader.read(&packet(17, b"ijkl", (10, 2))).expect("a program's");
        assert_eq!(other.ports, None);
    }

    proptest! {
        #[test]
        fn whatever_bytes_come_something_is_said(
            protocol: u8, bytes in prop::collection::vec(any::<u8>(), 0..40), fragment: u16,
        ) {
            let read = Reader::default().read(&packet(protocol, &bytes, (1, fragment))).expect("a program's");
            prop_assert_eq!(read.protocol, protocol);
            prop_assert!(read.data_bytes as usize <= bytes.len());
        }
    }
}
