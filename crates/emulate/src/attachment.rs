//! A program outside at a node: what it sends is checked and counted before it enters the network.
//!
//! Spec      RFC 1122 §3.2.1.3 (addresses of hosts), RFC 1112 §4 (multicast), RFC 919 §7 (broadcast)
//! Deviates  nothing
//! Holds     whatever bytes come, they become a packet of the node or are counted as refused, with why

use std::collections::BTreeMap;

use hopwright_machine::{Address, NodeId};
use hopwright_wire::ip::Opaque;
use serde::Serialize;

/// Why a packet of a program does not enter the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Refused {
    /// IPv6: the network has no addresses of it. Kernels send some by themselves.
    Ipv6,
    /// No IP packet, or one with a wrong checksum or length.
    Malformed,
    /// Another source address than the node's.
    Source,
    /// To a group, or to everyone: only one node can be sent to.
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

/// What has gone through an attachment.
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
    pub(crate) node: NodeId,
    pub(crate) counts: Counts,
}

impl Attachment {
    pub(crate) fn new(node: NodeId) -> Self {
        Self { node, counts: Counts::default() }
    }

    /// What the program sends, and to whom, if it may enter a network of so many nodes.
    pub(crate) fn take(&mut self, bytes: &[u8], nodes: usize) -> Option<(Address, Opaque)> {
        match check(bytes, self.node, nodes) {
            Ok((destination, opaque, length)) => {
                self.counts.sent_packets += 1;
                self.counts.sent_bytes += length;
                Some((destination, opaque))
            }
            Err(why) => {
                *self.counts.refused_packets.entry(why).or_default() += 1;
                None
            }
        }
    }
}

fn check(bytes: &[u8], node: NodeId, nodes: usize) -> Result<(Address, Opaque, u64), Refused> {
    if bytes.first().is_some_and(|first| first >> 4 == 6) {
        return Err(Refused::Ipv6);
    }
    let (source, destination, opaque) = Opaque::parse(bytes).map_err(|_| Refused::Malformed)?;
    let options = opaque.head.as_ref().map_or(0, |head| head.options.len());
    let length = 20 + (options + opaque.bytes.len()) as u64;
    if source != node.address() {
        return Err(Refused::Source);
    }
    // Groups, everyone here, and everyone in 10.0.0.0/8, which is the network.
    if destination.0 >> 28 == 14 || destination.is_broadcast() || destination.0 == 0x0aff_ffff {
        return Err(Refused::Multicast);
    }
    if destination == source {
        return Err(Refused::Itself);
    }
    match destination.node() {
        Some(to) if to.index() < nodes => Ok((destination, opaque, length)),
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
        let mut attachment = Attachment::new(NodeId(0));
        let mut refused = |bytes: &[u8]| {
            let before = attachment.counts.refused_packets.clone();
            assert_eq!(attachment.take(bytes, 5), None);
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
        let (to, opaque) = attachment.take(&bytes(0x0a00_0001, 0x0a00_0005), 5).expect("a packet of the node");
        assert_eq!((to, opaque.protocol, opaque.bytes.len()), (NodeId(4).address(), 17, 18));
        assert_eq!((attachment.counts.sent_packets, attachment.counts.sent_bytes), (1, 38));
    }
}
