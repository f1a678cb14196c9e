//! Packets.
//!
//! Holds     what is emitted parses to the same packet; no bytes make `parse` panic

use hopwright_machine::{Address, FlowTag, PacketId};

use super::{DecodeError, HEADER_BYTES, Header, Payload, protocol};
use crate::ecn::Ecn;
use crate::stamp::{Fact, Stamps};
use crate::{aodv, arp, dsdv, dsr, ethernet, notice, olsr, tcp, udp};

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
