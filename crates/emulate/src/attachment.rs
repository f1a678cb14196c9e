//! A program outside at a node: what it sends is checked and counted before it enters the network.
//!
//! Spec      RFC 1122 §3.2.1.3 (addresses of hosts), RFC 1112 §4 (multicast), RFC 919 §7 (broadcast); IEEE 802.3 §3.2
//! Deviates  nothing
//! Holds     whatever bytes come, they become a packet or a frame of the node or are counted as refused, with why

use std::collections::BTreeMap;

use hopwright_machine::{Address, NodeId};
use hopwright_wire::Payload;
use hopwright_wire::arp::MacAddress;
use hopwright_wire::ethernet::Frame;
use hopwright_wire::ip::Opaque;
use serde::Serialize;

/// What passes between a program and its node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// IP packets: the node's router finds the way.
    #[default]
    Ip,
    /// Ethernet frames: the node's station carries them to its neighbours.
    Ethernet,
}

/// Where a program is attached, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The node.
    pub node: NodeId,
    /// What passes.
    pub layer: Layer,
}

impl Place {
    /// The MAC address of the node's station, which the namespace has: 02:00:00:00:00:00 plus the node's number.
    #[must_use]
    pub const fn mac(&self) -> [u8; 6] {
        MacAddress::of(self.node).0
    }
}

/// Why a packet of a program does not enter the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// IPv6: the network has no addresses of it. Kernels send some by themselves.
    Ipv6,
    /// No IP packet, or one with a wrong checksum or length; no Ethernet frame, or one without a type.
    Malformed,
    /// Another source address than the node's.
    Source,
    /// To a group, or to everyone, where such packets are not flooded: only one node can be sent to.
    Multicast,
    /// To an address that no node has.
    Outside,
    /// To the node's own address.
    Itself,
}

impl Refused {
    /// Its name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ipv6 => "ipv6",
            Self::Malformed => "malformed",
            Self::Source => "source",
            Self::Multicast => "multicast",
            Self::Outside => "outside",
            Self::Itself => "itself",
        }
    }
}

/// What has gone through an attachment. Of frames, "IP header" means the Ethernet header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Packets that the program sent into the network.
    pub sent_packets: u64,
    /// Their bytes, IP headers included.
    pub sent_bytes: u64,
    /// Packets that came for the program.
    pub received_packets: u64,
    /// Their bytes, IP headers included.
    pub received_bytes: u64,
    /// Packets that came, but had outlived themselves: more routers than their time to live.
    pub expired_packets: u64,
    /// Packets that did not enter the network, by why.
    pub refused_packets: BTreeMap<Refused, u64>,
}

/// A program at a node.
#[derive(Debug)]
pub(crate) struct Attachment {
    pub(crate) place: Place,
    pub(crate) counts: Counts,
}

impl Attachment {
    pub(crate) fn new(place: Place) -> Self {
        Self { place, counts: Counts::default() }
    }

    /// What the program sends, and to whom, if it may enter a network of so many nodes, which floods packets to groups or
    /// does not.
    pub(crate) fn take(&mut self, bytes: &[u8], nodes: usize, floods: bool) -> Option<(Address, Payload)> {
        let checked = match self.place.layer {
            Layer::Ip => packet(bytes, self.place.node, nodes, floods),
            Layer::Ethernet => frame(bytes, self.place.node, nodes),
        };
        match checked {
            Ok((destination, payload, length)) => {
                self.counts.sent_packets += 1;
                self.counts.sent_bytes += length;
                Some((destination, payload))
            }
            Err(why) => {
                *self.counts.refused_packets.entry(why).or_default() += 1;
                None
            }
        }
    }
}

/// To whom, what, and its length.
type Taken = Result<(Address, Payload, u64), Refused>;

fn frame(bytes: &[u8], node: NodeId, nodes: usize) -> Taken {
    let (source, frame) = Frame::parse(bytes).map_err(|_| Refused::Malformed)?;
    if source != MacAddress::of(node) {
        return Err(Refused::Source);
    }
    if frame.destination == source {
        return Err(Refused::Itself);
    }
    match frame.to() {
        Some(to) if to.is_broadcast() || to.node().is_some_and(|to| to.index() < nodes) => {
            Ok((to, Payload::Frame(frame.into()), bytes.len() as u64))
        }
        _ => Err(Refused::Outside),
    }
}

fn packet(bytes: &[u8], node: NodeId, nodes: usize, floods: bool) -> Taken {
    if bytes.first().is_some_and(|first| first >> 4 == 6) {
        return Err(Refused::Ipv6);
    }
    let (source, destination, opaque) = Opaque::parse(bytes).map_err(|_| Refused::Malformed)?;
    let options = opaque.head.as_ref().map_or(0, |head| head.options.len());
    let length = 20 + (options + opaque.bytes.len()) as u64;
    if source != node.address() {
        return Err(Refused::Source);
    }
    let payload = Payload::Opaque(opaque.into());
    if destination.is_group() {
        return if floods { Ok((destination, payload, length)) } else { Err(Refused::Multicast) };
    }
    if destination == source {
        return Err(Refused::Itself);
    }
    match destination.node() {
        Some(to) if to.index() < nodes => Ok((destination, payload, length)),
        _ => Err(Refused::Outside),
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::PacketId;
    use hopwright_wire::udp::Datagram;
    use hopwright_wire::{Packet, Payload};

    use super::*;

    fn bytes(source: u32, destination: u32) -> Vec<u8> {
        let payload = Payload::Udp(Datagram { source_port: 1, destination_port: 2, payload_bytes: 10 });
        let mut bytes = Vec::new();
        Packet::new(PacketId(1), Address(source), Address(destination), 64, payload).emit(&mut bytes);
        bytes
    }

    #[test]
    fn what_may_not_enter_says_why() {
        let mut attachment = Attachment::new(Place { node: NodeId(0), layer: Layer::Ip });
        let mut refused = |bytes: &[u8]| {
            let before = attachment.counts.refused_packets.clone();
            assert_eq!(attachment.take(bytes, 5, false), None);
            let after = &attachment.counts.refused_packets;
            after.iter().find(|(why, n)| before.get(why) != Some(n)).map(|(why, _)| *why)
        };
        assert_eq!(refused(&[0x60; 40]), Some(Refused::Ipv6));
        assert_eq!(refused(&[]), Some(Refused::Malformed));
        assert_eq!(refused(&[0x45; 40]), Some(Refused::Malformed));
        assert_eq!(refused(&bytes(0x0a00_0002, 0x0a00_0003)), Some(Refused::Source));
        assert_eq!(refused(&bytes(0x0a00_0001, 0xe000_00fb)), Some(Refused::Multicast));
        assert_eq!(refused(&bytes(0x0a00_0001, 0x0aff_ffff)), Some(Refused::Multicast));
        assert_eq!(refused(&bytes(0x0a00_0001, 0x0a00_0006)), Some(Refused::Outside));
        assert_eq!(refused(&bytes(0x0a00_0001, 0x0808_0808)), Some(Refused::Outside));
        assert_eq!(refused(&bytes(0x0a00_0001, 0x0a00_0001)), Some(Refused::Itself));
        let taken = attachment.take(&bytes(0x0a00_0001, 0x0a00_0005), 5, false).expect("a packet of the node");
        let (to, Payload::Opaque(opaque)) = taken else { panic!("a packet") };
        assert_eq!((to, opaque.protocol, opaque.bytes.len()), (NodeId(4).address(), 17, 18));
        assert_eq!((attachment.counts.sent_packets, attachment.counts.sent_bytes), (1, 38));
        let (to, _) = attachment.take(&bytes(0x0a00_0001, 0xe000_00fb), 5, true).expect("it is flooded");
        assert_eq!(to, Address(0xe000_00fb));
    }

    #[test]
    fn frames_that_may_not_enter_say_why() {
        let mut attachment = Attachment::new(Place { node: NodeId(1), layer: Layer::Ethernet });
        let frame = |destination: [u8; 6], source: u8, kind: [u8; 2]| {
            [&destination[..], &[2, 0, 0, 0, 0, source], &kind, &[7; 50]].concat()
        };
        let station = |node| [2, 0, 0, 0, 0, node];
        let ip = [8, 0];
        let mut refused = |bytes: &[u8]| {
            let before = attachment.counts.refused_packets.clone();
            assert_eq!(attachment.take(bytes, 5, false), None);
            let after = &attachment.counts.refused_packets;
            after.iter().find(|(why, n)| before.get(why) != Some(n)).map(|(why, _)| *why)
        };
        assert_eq!(refused(&[2; 13]), Some(Refused::Malformed));
        assert_eq!(refused(&frame(station(0), 1, [0, 50])), Some(Refused::Malformed), "a length, and LLC behind it");
        assert_eq!(refused(&frame(station(0), 2, ip)), Some(Refused::Source));
        assert_eq!(refused(&frame(station(1), 1, ip)), Some(Refused::Itself));
        assert_eq!(refused(&frame(station(5), 1, ip)), Some(Refused::Outside));
        assert_eq!(refused(&frame([0, 1, 2, 3, 4, 5], 1, ip)), Some(Refused::Outside));
        let mut to = |bytes: &[u8]| attachment.take(bytes, 5, false).map(|(to, _)| to);
        assert_eq!(to(&frame(station(4), 1, [0x86, 0xdd])), Some(NodeId(4).address()));
        assert_eq!(to(&frame([0x33, 0x33, 0, 1, 0, 6], 1, [0x86, 0xdd])), Some(Address::BROADCAST));
        assert_eq!((attachment.counts.sent_packets, attachment.counts.sent_bytes), (2, 128));
    }
}
