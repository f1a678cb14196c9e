//! IPv4 packets; and what travels in their place.
//!
//! Spec      RFC 791; RFC 6864 (identification)
//! Deviates  options are skipped; fragments are refused
//! Holds     what is emitted parses to the same packet; no bytes make `parse` panic

use core::fmt;
use std::sync::Arc;

use hopwright_machine::{Address, FlowTag, PacketId};

use crate::checksum::Checksum;
use crate::stamp::{Fact, Stamps};
use crate::{aodv, arp, atp, dsdv, dsr, ethernet, nctp, notice, olsr, tcp, udp};

/// Length of an IPv4 header without options, in bytes.
pub const HEADER_BYTES: u32 = 20;

/// The flag of RFC 791 §3.1, in the header's seventh byte.
const DONT_FRAGMENT: u8 = 0x40;

/// The time to live a host gives its packets (RFC 1700; contract of this project).
pub const DEFAULT_TTL: u8 = 64;

/// Numbers of the protocols above IP (RFC 790 and its successors).
pub mod protocol {
    /// Internet control messages.
    pub const ICMP: u8 = 1;
    /// TCP.
    pub const TCP: u8 = 6;
    /// UDP.
    pub const UDP: u8 = 17;
    /// Nothing behind the header (RFC 8200 §4.7; DSR's packets of options alone, RFC 4728 §6.1).
    pub const NOTHING: u8 = 59;
    /// ATP. IANA has given it no number, and this one to nobody (RFC 5237); decided here.
    pub const ATP: u8 = 252;
    /// For experiments (RFC 4727 §2.2); here notices about routes.
    pub const EXPERIMENT: u8 = 253;
    /// The other number for experiments; here NCTP.
    pub const NCTP: u8 = 254;
}

/// The congestion field (RFC 3168 §5): the last two bits of the header's second byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// The transport takes no marks.
    #[default]
    NotCapable = 0,
    /// It does: ECT(1).
    Capable1 = 1,
    /// It does: ECT(0), the usual one.
    Capable0 = 2,
    /// A router met congestion.
    Experienced = 3,
}

impl Ecn {
    /// What the last two bits of a byte say.
    #[must_use]
    pub const fn of(byte: u8) -> Self {
        match byte & 3 {
            0 => Self::NotCapable,
            1 => Self::Capable1,
            2 => Self::Capable0,
            _ => Self::Experienced,
        }
    }
}

/// An IPv4 header without options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source address.
    pub source: Address,
    /// Destination address.
    pub destination: Address,
    /// What the packet carries: see [`protocol`].
    pub protocol: u8,
    /// Whether the transport takes congestion marks, and whether this is one.
    pub ecn: Ecn,
    /// Hops the packet may still make.
    pub ttl: u8,
    /// Tells fragments of different packets apart; without a meaning where nothing is fragmented.
    pub identification: u16,
    /// Bytes behind the header.
    pub payload_bytes: u16,
}

/// Why bytes are no IPv4 packet that a host here takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the header says.
    Truncated,
    /// Not version 4.
    Version(u8),
    /// The header length lies inside the fixed header.
    HeaderLength(u8),
    /// The checksum of the header is wrong.
    Checksum,
    /// A fragment.
    Fragment,
    /// The TCP segment inside is bad.
    Tcp(tcp::DecodeError),
    /// The UDP datagram inside is bad.
    Udp(udp::DecodeError),
    /// The AODV message inside is bad.
    Aodv(aodv::DecodeError),
    /// The OLSR packet inside is bad.
    Olsr(olsr::DecodeError),
    /// The DSDV update inside is bad.
    Dsdv(dsdv::DecodeError),
    /// The notice inside is bad.
    Notice(notice::DecodeError),
    /// The packet of NCTP inside is bad.
    Nctp(nctp::DecodeError),
    /// The DSR header inside is bad.
    Dsr(dsr::DecodeError),
    /// The ATP segment inside is bad.
    Atp(atp::DecodeError),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("IP packet is cut short"),
            Self::Version(version) => write!(f, "IP version {version}"),
            Self::HeaderLength(words) => write!(f, "IP header of {words} words"),
            Self::Checksum => f.write_str("IP header with a wrong checksum"),
            Self::Fragment => f.write_str("IP fragment"),
            Self::Tcp(error) => error.fmt(f),
            Self::Udp(error) => error.fmt(f),
            Self::Aodv(error) => error.fmt(f),
            Self::Olsr(error) => error.fmt(f),
            Self::Dsdv(error) => error.fmt(f),
            Self::Notice(error) => error.fmt(f),
            Self::Nctp(error) => error.fmt(f),
            Self::Dsr(error) => error.fmt(f),
            Self::Atp(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Header {
    /// Appends the header, with its checksum; Don't Fragment is set.
    pub fn emit(&self, out: &mut Vec<u8>) {
        self.emit_with(DONT_FRAGMENT, out);
    }

    /// The same of a packet that routers may fragment: the identification must be its own (RFC 6864 §4.1).
    pub fn emit_fragmentable(&self, out: &mut Vec<u8>) {
        self.emit_with(0, out);
    }

    fn emit_with(&self, flags: u8, out: &mut Vec<u8>) {
        let mut header = [0; HEADER_BYTES as usize];
        header[0] = 0x45;
        header[1] = self.ecn as u8;
        header[2..4].copy_from_slice(&(self.payload_bytes + HEADER_BYTES as u16).to_be_bytes());
        header[4..6].copy_from_slice(&self.identification.to_be_bytes());
        header[6] = flags;
        header[8] = self.ttl;
        header[9] = self.protocol;
        header[12..16].copy_from_slice(&self.source.0.to_be_bytes());
        header[16..20].copy_from_slice(&self.destination.0.to_be_bytes());
        let mut sum = Checksum::default();
        sum.add(&header);
        header[10..12].copy_from_slice(&sum.finish().to_be_bytes());
        out.extend_from_slice(&header);
    }

    /// Reads a header and finds what the packet carries. Bytes behind the packet are ignored: links pad.
    ///
    /// # Errors
    /// If the bytes are no whole IPv4 packet.
    pub fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let (fixed, _, payload) = split(bytes)?;
        if short(fixed, 6) & 0x3fff != 0 {
            return Err(DecodeError::Fragment);
        }
        let header = Self {
            source: long(fixed, 12),
            destination: long(fixed, 16),
            protocol: fixed[9],
            ecn: Ecn::of(fixed[1]),
            ttl: fixed[8],
            identification: short(fixed, 4),
            payload_bytes: payload.len() as u16,
        };
        Ok((header, payload))
    }
}

/// The fixed part of a header, as wide as it always is.
type Fixed = [u8; HEADER_BYTES as usize];

const fn short(fixed: &Fixed, at: usize) -> u16 {
    u16::from_be_bytes([fixed[at], fixed[at + 1]])
}

const fn long(fixed: &Fixed, at: usize) -> Address {
    Address(u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]))
}

/// The fixed part of a packet's header, its options, and what stands behind. The checksum is right.
fn split(bytes: &[u8]) -> Result<(&Fixed, &[u8], &[u8]), DecodeError> {
    let Some(fixed) = bytes.first_chunk() else { return Err(DecodeError::Truncated) };
    let (version, words) = (fixed[0] >> 4, fixed[0] & 15);
    if version != 4 {
        return Err(DecodeError::Version(version));
    }
    let header = usize::from(words) * 4;
    if header < HEADER_BYTES as usize {
        return Err(DecodeError::HeaderLength(words));
    }
    let total = usize::from(short(fixed, 2));
    let (Some(all), Some(payload)) = (bytes.get(..header), bytes.get(header..total)) else {
        return Err(DecodeError::Truncated);
    };
    let mut sum = Checksum::default();
    sum.add(all);
    if sum.finish() != 0 {
        return Err(DecodeError::Checksum);
    }
    Ok((fixed, &all[HEADER_BYTES as usize..], payload))
}

/// An IPv4 packet; or an address resolution message or a frame, which have no IP header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Identity, kept through all layers and hops. Not on the wire.
    pub id: PacketId,
    /// Source address.
    pub source: Address,
    /// Destination address.
    pub destination: Address,
    /// The flow that it belongs to, if it does. Not on the wire.
    pub flow: Option<FlowTag>,
    /// Hops the packet may still make.
    pub ttl: u8,
    /// Whether the transport takes congestion marks, and whether it got one.
    pub ecn: Ecn,
    /// What stations on its way have written on it.
    pub stamps: Stamps,
    /// DSR's header, which stands between that of IP and the payload; absent outside DSR.
    pub dsr: Option<Box<dsr::Header>>,
    /// What it carries.
    pub payload: Payload,
}

/// What a packet carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A TCP segment. It does not change on its way, so copies of the packet share it.
    Tcp(Arc<tcp::Segment>),
    /// A UDP datagram of an application.
    Udp(udp::Datagram),
    /// An ATP segment, shared like TCP's. What stations write on it stands in the packet's stamps.
    Atp(Arc<atp::Segment>),
    /// An AODV message, in UDP to port 654.
    Aodv(aodv::Message),
    /// An OLSR packet, in UDP to port 698.
    Olsr(olsr::Packet),
    /// A DSDV update, in UDP to port 255.
    Dsdv(dsdv::Update),
    /// A packet of NCTP.
    Nctp(nctp::Packet),
    /// What a router tells a transport about a route.
    Notice(notice::Notice),
    /// Nothing: a message of DSR, which lies in its header.
    Nothing,
    /// An address resolution message, without IP.
    Arp(arp::Message),
    /// What a program outside the simulation has sent. It does not change on its way, so copies of the packet share it.
    Opaque(Arc<Opaque>),
    /// An Ethernet frame that a program outside has sent, without IP. Copies share it, too.
    Frame(Arc<ethernet::Frame>),
}

/// What stands behind an IP header, byte by byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The protocol that the IP header names: see [`protocol`].
    pub protocol: u8,
    /// The bytes.
    pub bytes: Box<[u8]>,
    /// What the header said that came with them, if one came.
    pub head: Option<Head>,
}

/// What the IP header of a foreign packet says beside addresses and protocol. It travels with the packet, so that the
/// program at the other end sees what the one here wrote. Fragments are packets like others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The second byte: class, and the congestion field as it was at first.
    pub tos: u8,
    /// The time to live at first.
    pub ttl: u8,
    /// Tells fragments of different packets apart.
    pub identification: u16,
    /// The flags, and where in its packet a fragment belongs.
    pub fragment: u16,
    /// The options, whole words.
    pub options: Box<[u8]>,
}

impl Payload {
    /// Source and destination port of a transport's or application's packet.
    #[must_use]
    pub fn ports(&self) -> Option<(u16, u16)> {
        match self {
            Self::Tcp(segment) => Some((segment.source_port, segment.destination_port)),
            Self::Udp(datagram) => Some((datagram.source_port, datagram.destination_port)),
            Self::Atp(segment) => Some((segment.source_port, segment.destination_port)),
            Self::Aodv(_)
            | Self::Olsr(_)
            | Self::Dsdv(_)
            | Self::Nctp(_)
            | Self::Notice(_)
            | Self::Nothing
            | Self::Arp(_)
            | Self::Opaque(_)
            | Self::Frame(_) => None,
        }
    }

    /// Whether the sender of a foreign packet takes congestion marks. Transports of the project say so themselves.
    #[must_use]
    pub fn ecn(&self) -> Ecn {
        match self {
            Self::Opaque(opaque) => opaque.head.as_ref().map_or(Ecn::NotCapable, |head| Ecn::of(head.tos)),
            _ => Ecn::NotCapable,
        }
    }

    /// Whether it is what nodes say to each other, and no transport or application sends: routing, address resolution,
    /// notices.
    #[must_use]
    pub const fn is_message(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Udp(_) | Self::Atp(_) | Self::Nctp(_) | Self::Opaque(_) | Self::Frame(_) => false,
            Self::Aodv(_) | Self::Olsr(_) | Self::Dsdv(_) | Self::Notice(_) | Self::Nothing | Self::Arp(_) => true,
        }
    }

    fn parse(protocol: u8, source: Address, destination: Address, bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(match protocol {
            protocol::TCP => {
                Self::Tcp(Arc::new(tcp::Segment::parse(source, destination, bytes).map_err(DecodeError::Tcp)?.0))
            }
            protocol::UDP => {
                let (datagram, data) = udp::Datagram::parse(source, destination, bytes).map_err(DecodeError::Udp)?;
                match datagram.destination_port {
                    aodv::PORT => Self::Aodv(aodv::Message::parse(data).map_err(DecodeError::Aodv)?),
                    olsr::PORT => Self::Olsr(olsr::Packet::parse(data).map_err(DecodeError::Olsr)?),
                    dsdv::PORT => Self::Dsdv(dsdv::Update::parse(data).map_err(DecodeError::Dsdv)?),
                    _ => Self::Udp(datagram),
                }
            }
            protocol::ATP => Self::Atp(Arc::new(atp::Segment::parse(bytes).map_err(DecodeError::Atp)?)),
            protocol::NCTP => Self::Nctp(nctp::Packet::parse(bytes).map_err(DecodeError::Nctp)?),
            protocol::EXPERIMENT => Self::Notice(notice::Notice::parse(bytes).map_err(DecodeError::Notice)?),
            protocol::NOTHING => Self::Nothing,
            _ => Self::Opaque(Arc::new(Opaque { protocol, bytes: bytes.into(), head: None })),
        })
    }
}

impl Head {
    /// Appends the header; `behind`: options, and all that follows, bytes.
    fn emit(
        &self,
        (source, destination): (Address, Address),
        protocol: u8,
        (ecn, ttl): (Ecn, u8),
        behind: u16,
        out: &mut Vec<u8>,
    ) {
        let begin = out.len();
        let words = (HEADER_BYTES as usize + self.options.len()) / 4;
        out.extend([0x40 | words as u8, self.tos & !3 | ecn as u8]);
        out.extend((HEADER_BYTES as u16 + behind).to_be_bytes());
        out.extend(self.identification.to_be_bytes());
        out.extend(self.fragment.to_be_bytes());
        out.extend([ttl, protocol, 0, 0]);
        out.extend(source.0.to_be_bytes());
        out.extend(destination.0.to_be_bytes());
        out.extend(&self.options);
        let mut sum = Checksum::default();
        sum.add(&out[begin..]);
        out[begin + 10..begin + 12].copy_from_slice(&sum.finish().to_be_bytes());
    }
}

impl Opaque {
    /// Reads a packet that a program outside sent: source, destination, and all else as it is. What it carries is not
    /// looked into. Bytes behind the packet are ignored.
    ///
    /// # Errors
    /// If the bytes are no whole IPv4 packet, or one with a wrong checksum.
    pub fn parse(bytes: &[u8]) -> Result<(Address, Address, Self), DecodeError> {
        let (fixed, options, payload) = split(bytes)?;
        let head = Head {
            tos: fixed[1],
            ttl: fixed[8],
            identification: short(fixed, 4),
            fragment: short(fixed, 6),
            options: options.into(),
        };
        let opaque = Self { protocol: fixed[9], bytes: payload.into(), head: Some(head) };
        Ok((long(fixed, 12), long(fixed, 16), opaque))
    }
}

impl Packet {
    /// A packet whose transport takes no congestion marks.
    #[must_use]
    pub const fn new(id: PacketId, source: Address, destination: Address, ttl: u8, payload: Payload) -> Self {
        Self {
            id,
            source,
            destination,
            flow: None,
            ttl,
            ecn: Ecn::NotCapable,
            stamps: Stamps::NONE,
            dsr: None,
            payload,
        }
    }

    /// The flow and the number of a segment with data, or of a probe for them, for a notice about it.
    #[must_use]
    pub fn segment_of(&self) -> Option<(notice::Flow, tcp::Seq)> {
        let (number, (source_port, destination_port)) = match &self.payload {
            Payload::Tcp(segment) if segment.sequence_length() > 0 => (segment.seq, self.payload.ports()?),
            Payload::Atp(segment) => (tcp::Seq(segment.data()?.packet), self.payload.ports()?),
            _ => return None,
        };
        let (source, destination) = (self.source, self.destination);
        Some((notice::Flow { source, destination, source_port, destination_port }, number))
    }

    /// Length of the whole packet on the wire, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        let payload = match &self.payload {
            Payload::Tcp(segment) => segment.bytes(),
            Payload::Udp(datagram) => datagram.bytes(),
            Payload::Atp(segment) => segment.bytes(),
            Payload::Aodv(message) => udp::HEADER_BYTES + message.bytes(),
            Payload::Olsr(packet) => udp::HEADER_BYTES + packet.bytes(),
            Payload::Dsdv(update) => udp::HEADER_BYTES + update.bytes(),
            Payload::Nctp(packet) => packet.bytes(),
            Payload::Notice(_) => notice::BYTES,
            Payload::Nothing => 0,
            Payload::Opaque(opaque) => {
                (opaque.head.as_ref().map_or(0, |head| head.options.len()) + opaque.bytes.len()) as u32
            }
            Payload::Arp(_) => return arp::BYTES,
            Payload::Frame(frame) => return frame.bytes.len() as u32,
        };
        HEADER_BYTES + self.dsr.as_ref().map_or(0, |header| header.bytes()) + payload
    }

    /// Whether this is a routing protocol's own message: it goes to the front of the interface queue.
    #[must_use]
    pub const fn is_routing(&self) -> bool {
        matches!(self.payload, Payload::Aodv(_) | Payload::Olsr(_) | Payload::Dsdv(_) | Payload::Nothing)
    }

    /// Appends the bytes of the packet; application data, which the simulator only counts, are zeros. An
    /// address resolution message and a frame have no IP header.
    ///
    /// # Panics
    /// If the packet is longer than an IPv4 packet can be.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let protocol = match &self.payload {
            Payload::Tcp(_) => protocol::TCP,
            Payload::Udp(_) | Payload::Aodv(_) | Payload::Olsr(_) | Payload::Dsdv(_) => protocol::UDP,
            Payload::Atp(_) => protocol::ATP,
            Payload::Nctp(_) => protocol::NCTP,
            Payload::Notice(_) => protocol::EXPERIMENT,
            Payload::Nothing => protocol::NOTHING,
            Payload::Opaque(opaque) => opaque.protocol,
            Payload::Arp(message) => return out.extend(message.emit()),
            Payload::Frame(frame) => return out.extend(&frame.bytes),
        };
        let (source, destination) = (self.source, self.destination);
        let payload_bytes = u16::try_from(self.bytes() - HEADER_BYTES).expect("a packet's length has 16 bits");
        let identification = self.id.0 as u16;
        let first = if self.dsr.is_some() { dsr::PROTOCOL } else { protocol };
        let (ecn, ttl) = (self.ecn, self.ttl);
        match &self.payload {
            Payload::Opaque(opaque) if let Some(head) = &opaque.head => {
                head.emit((source, destination), first, (ecn, ttl), payload_bytes, out);
            }
            _ => Header { source, destination, protocol: first, ecn, ttl, identification, payload_bytes }.emit(out),
        }
        if let Some(header) = &self.dsr {
            header.emit(protocol, out);
        }
        match &self.payload {
            Payload::Tcp(segment) => segment.emit(source, destination, [&[]; 2], out),
            Payload::Udp(datagram) => datagram.emit(source, destination, &[], out),
            Payload::Atp(segment) => segment.emit(self.stamps.delay(Fact::LargestDelay), out),
            Payload::Aodv(message) => self.emit_in_udp(aodv::PORT, &message.emit(), out),
            Payload::Olsr(packet) => self.emit_in_udp(olsr::PORT, &packet.emit(), out),
            Payload::Dsdv(update) => self.emit_in_udp(dsdv::PORT, &update.emit(), out),
            Payload::Nctp(packet) => packet.emit(out),
            Payload::Notice(notice) => out.extend(notice.emit()),
            Payload::Opaque(opaque) => out.extend(&opaque.bytes),
            Payload::Nothing | Payload::Arp(_) | Payload::Frame(_) => {}
        }
    }

    /// The type that names what stands behind the MAC's header.
    #[must_use]
    pub fn ether_type(&self) -> u16 {
        match &self.payload {
            Payload::Arp(_) => 0x0806,
            Payload::Frame(frame) => frame.ether_type,
            _ => 0x0800,
        }
    }

    /// The bytes of the Ethernet frame that a program outside gets, if it is one.
    #[must_use]
    pub fn foreign_frame(&self) -> Option<Vec<u8>> {
        let (Payload::Frame(frame), Some(source)) = (&self.payload, self.source.node()) else { return None };
        let mut out = Vec::with_capacity(ethernet::HEADER_BYTES + frame.bytes.len());
        frame.emit(arp::MacAddress::of(source), &mut out);
        Some(out)
    }

    /// The bytes that a program outside gets of a packet that another sent, after so many routers have passed it on:
    /// each has taken one from its time to live, and congestion marks stand where they were made. `None` if the packet
    /// is no foreign one, or has outlived itself.
    #[must_use]
    pub fn foreign_bytes(&self, routers: u8) -> Option<Vec<u8>> {
        let Payload::Opaque(opaque) = &self.payload else { return None };
        let head = opaque.head.as_ref()?;
        let ttl = head.ttl.checked_sub(routers).filter(|&ttl| ttl > 0)?;
        let behind = u16::try_from(head.options.len() + opaque.bytes.len()).ok()?;
        let mut out = Vec::with_capacity(HEADER_BYTES as usize + usize::from(behind));
        head.emit((self.source, self.destination), opaque.protocol, (self.ecn, ttl), behind, &mut out);
        out.extend(&opaque.bytes);
        Some(out)
    }

    /// Appends a routing message with the UDP header before it; such messages go from and to one port.
    fn emit_in_udp(&self, port: u16, bytes: &[u8], out: &mut Vec<u8>) {
        let length = bytes.len() as u32;
        let datagram = udp::Datagram { source_port: port, destination_port: port, payload_bytes: length };
        datagram.emit(self.source, self.destination, bytes, out);
    }

    /// Reads a packet; its identity is the number in its header. Data are counted and forgotten.
    ///
    /// # Errors
    /// If the bytes are no IPv4 packet, or what it carries is known here and wrong. What is not known is opaque; address
    /// resolution has no packet.
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (header, behind) = Header::parse(bytes)?;
        let (mut dsr, mut protocol, mut payload) = (None, header.protocol, behind);
        if protocol == dsr::PROTOCOL {
            let (options, next, rest) = dsr::Header::parse(behind).map_err(DecodeError::Dsr)?;
            (dsr, protocol, payload) = (Some(Box::new(options)), next, rest);
        }
        let payload = Payload::parse(protocol, header.source, header.destination, payload)?;
        let id = PacketId(u64::from(header.identification));
        let (source, destination) = (header.source, header.destination);
        let (ttl, ecn) = (header.ttl, header.ecn);
        Ok(Self { id, source, destination, flow: None, ttl, ecn, stamps: Stamps::NONE, dsr, payload })
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;

    use super::*;

    fn packet(payload: Payload) -> Packet {
        Packet::new(PacketId(7), Address(0x0a00_0001), Address(0x0a00_0009), 63, payload)
    }

    fn header() -> Box<dsr::Header> {
        let route = dsr::SourceRoute::over(vec![Address(0x0a00_0005)]);
        Box::new(dsr::Header::with(dsr::DsrOption::SourceRoute(route)))
    }

    fn bytes(packet: &Packet) -> Vec<u8> {
        let mut bytes = Vec::new();
        packet.emit(&mut bytes);
        bytes
    }

    #[test]
    fn a_header_is_laid_out_as_in_section_3_1() {
        let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 4 };
        let bytes = bytes(&packet(Payload::Udp(datagram)));
        let expected = [0x45, 0, 0, 32, 0, 7, 0x40, 0, 63, 17, 0x27, 0xbd, 10, 0, 0, 1, 10, 0, 0, 9];
        assert_eq!(bytes[..20], expected);
        assert_eq!(bytes.len(), 32);
    }

    #[test]
    fn routers_may_fragment_only_what_says_so() {
        let (source, destination) = (Address(0x0a00_0001), Address(0x0a00_0009));
        let ecn = Ecn::Experienced;
        let header = Header { source, destination, protocol: 6, ecn, ttl: 64, identification: 7, payload_bytes: 0 };
        let (mut whole, mut fragmentable) = (Vec::new(), Vec::new());
        header.emit(&mut whole);
        header.emit_fragmentable(&mut fragmentable);
        assert_eq!((&whole[4..8], &fragmentable[4..8]), (&[0, 7, 0x40, 0][..], &[0, 7, 0, 0][..]));
        assert_eq!(whole[1], 3, "RFC 3168 §5: the last two bits");
        assert_eq!(Header::parse(&fragmentable), Ok((header, &[][..])));
    }

    #[test]
    fn emitted_packets_parse_back() {
        let request = aodv::Message::Rrep(aodv::Rrep {
            ack_required: false,
            hop_count: 2,
            destination: Address(9),
            destination_sequence: 4,
            originator: Address(1),
            lifetime_ms: 6000,
        });
        let datagram = udp::Datagram { source_port: 33_001, destination_port: 5001, payload_bytes: 512 };
        let olsr = olsr::Packet { sequence: 5, messages: [].into() };
        let entry = dsdv::Entry { destination: Address(9), metric: 3, sequence: 44 };
        let update = dsdv::Update { entries: [entry].into() };
        let own = [Payload::Aodv(request), Payload::Olsr(olsr), Payload::Dsdv(update)];
        let ping = Opaque { protocol: protocol::ICMP, bytes: [8, 0, 0xf7, 0xff, 0, 0, 0, 0].into(), head: None };
        let feedback =
            atp::Feedback { is_answer: true, cumulative: 4, rate_mpps: 20_000, window: 9, blocks: [(6, 8)].into() };
        let atp = atp::Segment { source_port: 5001, destination_port: 33_001, body: atp::Body::Feedback(feedback) };
        let others = [Payload::Udp(datagram), Payload::Nothing, Payload::Opaque(ping.into()), Payload::Atp(atp.into())];
        let payloads = own.into_iter().chain(others);
        for (payload, dsr) in payloads.flat_map(|p| [(p.clone(), None), (p, Some(header()))]) {
            let packet = Packet { dsr, ..packet(payload) };
            let mut bytes = bytes(&packet);
            assert_eq!(bytes.len() as u32, packet.bytes());
            bytes.extend([0; 9]); // a link may pad
            assert_eq!(Packet::parse(&bytes), Ok(packet));
        }
    }

    /// ATP's field D is what stations have written on the packet.
    #[test]
    fn data_of_atp_show_the_largest_delay_of_their_way() {
        let data = atp::Data {
            packet: 77,
            number: 70,
            kind: atp::Kind::Part,
            delay: atp::Delay::NONE,
            rate_dpps: 0,
            payload_bytes: 512,
        };
        let segment = atp::Segment { source_port: 33_001, destination_port: 5001, body: atp::Body::Data(data) };
        let mut packet = packet(Payload::Atp(segment.into()));
        packet.stamps.raise(Fact::LargestDelay.place(), Duration::from_millis(30));
        packet.stamps.add(Fact::Contention.place(), Duration::from_millis(50));
        let bytes = bytes(&packet);
        assert_eq!((bytes.len(), bytes[9], &bytes[34..36]), (20 + 18 + 512, 252, &[1, 44][..]));
        let Payload::Atp(read) = Packet::parse(&bytes).expect("a packet").payload else { panic!("ATP") };
        assert_eq!(read.data().map(|data| data.delay), Some(atp::Delay(300)));
        let (flow, number) = packet.segment_of().expect("data");
        assert_eq!((flow.source_port, flow.destination_port, number), (33_001, 5001, tcp::Seq(77)));
    }

    /// A fragment with an option, a class and a congestion mark: only time to live, mark and checksum change on its way.
    #[test]
    fn what_a_program_wrote_stays_as_it_was() {
        let mut sent = vec![0x46, 0x2a, 0, 28, 0x12, 0x34, 0x20, 0x05, 9, protocol::UDP, 0, 0];
        sent.extend([10, 0, 0, 1, 10, 0, 0, 9, 0x94, 4, 0, 0, 1, 2, 3, 4]);
        let sum = |bytes: &mut [u8]| {
            bytes[10..12].fill(0);
            let mut sum = Checksum::default();
            sum.add(&bytes[..24]);
            bytes[10..12].copy_from_slice(&sum.finish().to_be_bytes());
        };
        sum(&mut sent);
        let padded = [&sent[..], &[0; 3]].concat();
        let (source, destination, opaque) = Opaque::parse(&padded).expect("a packet");
        assert_eq!((source, destination, opaque.bytes.len()), (Address(0x0a00_0001), Address(0x0a00_0009), 4));
        let ecn = Ecn::Experienced;
        let packet = Packet { ecn, dsr: Some(header()), ..packet(Payload::Opaque(opaque.into())) };
        assert_eq!(bytes(&packet).len() as u32, packet.bytes());
        sent[1] |= 3;
        sent[8] = 2;
        sum(&mut sent);
        assert_eq!(packet.foreign_bytes(7), Some(sent));
        assert_eq!(packet.foreign_bytes(9), None);
        assert_eq!(Opaque::parse(&padded[..27]), Err(DecodeError::Truncated));
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        let datagram = udp::Datagram { source_port: 1, destination_port: 2, payload_bytes: 0 };
        let good = bytes(&packet(Payload::Udp(datagram)));
        let refused = |change: fn(&mut [u8])| {
            let mut bytes = good.clone();
            change(&mut bytes);
            bytes[10..12].fill(0);
            let mut sum = Checksum::default();
            sum.add(&bytes[..20]);
            let sum = sum.finish().to_be_bytes();
            bytes[10..12].copy_from_slice(&sum);
            Packet::parse(&bytes).unwrap_err()
        };
        assert_eq!(refused(|b| b[0] = 0x65), DecodeError::Version(6));
        assert_eq!(refused(|b| b[0] = 0x44), DecodeError::HeaderLength(4));
        assert_eq!(refused(|b| b[3] = 29), DecodeError::Truncated);
        assert_eq!(refused(|b| b[3] = 19), DecodeError::Truncated);
        assert_eq!(refused(|b| b[6] = 0x20), DecodeError::Fragment);
        assert_eq!(refused(|b| b[7] = 1), DecodeError::Fragment);
        let mut wrong = good.clone();
        wrong[8] = 1;
        assert_eq!(Packet::parse(&wrong), Err(DecodeError::Checksum));
    }
}
