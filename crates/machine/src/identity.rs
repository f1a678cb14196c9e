//! Who and what: nodes, their addresses, packets.

use core::fmt;
use core::num::NonZeroU16;
use std::net::Ipv4Addr;

/// A node of the scenario, counted from zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node's place in a list of all nodes.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The node's IPv4 address: 10.0.0.0/8 plus node number plus one.
    #[must_use]
    pub const fn address(self) -> Address {
        Address(0x0a00_0001 + self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

/// An IPv4 address in host byte order: cheap to compare and to turn into a table index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u32);

impl Address {
    /// The limited broadcast address, 255.255.255.255 (RFC 919 §7).
    pub const BROADCAST: Self = Self(u32::MAX);

    /// The broadcast address of the network, 10.255.255.255 (RFC 919 §7).
    pub const NETWORK_BROADCAST: Self = Self(0x0aff_ffff);

    /// So many nodes have addresses.
    pub const MOST_NODES: u32 = 0x00ff_fffe;

    /// The node with this address, if it has the form that `NodeId::address` gives.
    #[must_use]
    pub const fn node(self) -> Option<NodeId> {
        if self.0 > 0x0a00_0000 && self.0 < Self::NETWORK_BROADCAST.0 {
            Some(NodeId(self.0 - 0x0a00_0001))
        } else {
            None
        }
    }

    /// Whether this is the limited broadcast address.
    #[must_use]
    pub const fn is_broadcast(self) -> bool {
        self.0 == u32::MAX
    }

    /// Whether more than one node may be meant: a group (RFC 1112 §4), everyone here, everyone in the network.
    #[must_use]
    pub const fn is_group(self) -> bool {
        self.0 >= 0xe000_0000 || self.0 == Self::NETWORK_BROADCAST.0
    }

    /// Whether it means nodes of one link alone: 224.0.0.0/24 (RFC 5771 §4) or everyone here. Routers forward no such
    /// packet.
    #[must_use]
    pub const fn is_link_local(self) -> bool {
        self.0 >> 8 == 0x00e0_0000 || self.is_broadcast()
    }
}

impl From<Address> for Ipv4Addr {
    fn from(a: Address) -> Self {
        Self::from(a.0)
    }
}

impl From<Ipv4Addr> for Address {
    fn from(a: Ipv4Addr) -> Self {
        Self(a.into())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Ipv4Addr::from(*self), f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A packet's identity, kept through every layer and hop; what later tells the story of a loss.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PacketId(pub u64);

/// The flow of a run that a packet belongs to, by its place in the scenario, and the way that the packet goes. Not on
/// the wire: no two flows have the same, whatever their ports are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowTag(NonZeroU16);

impl FlowTag {
    /// As many flows can be told apart.
    pub const MOST: usize = 0x7fff;

    /// The tag of packets of a flow that go the way of its data (`forward`), or the other.
    ///
    /// # Panics
    /// If `flow` is not below [`FlowTag::MOST`].
    #[must_use]
    pub const fn new(flow: usize, forward: bool) -> Self {
        assert!(flow < Self::MOST, "there are no tags for so many flows");
        Self(NonZeroU16::MIN.saturating_add((flow as u16) << 1 | forward as u16))
    }

    /// The flow's place in the scenario, from 0.
    #[must_use]
    pub const fn flow(self) -> usize {
        (self.0.get() as usize - 1) >> 1
    }

    /// Whether the packet goes the way of the flow's data.
    #[must_use]
    pub const fn is_forward(self) -> bool {
        (self.0.get() - 1) & 1 == 1
    }
}

impl fmt::Debug for FlowTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flow {} {}", self.flow(), if self.is_forward() { "forward" } else { "backward" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_says_what_it_was_made_of() {
        for flow in [0, 1, 2, 4711, FlowTag::MOST - 1] {
            for forward in [false, true] {
                let tag = FlowTag::new(flow, forward);
                assert_eq!((tag.flow(), tag.is_forward()), (flow, forward));
            }
        }
        assert_eq!(size_of::<Option<FlowTag>>(), 2);
    }

    #[test]
    fn node_and_address_are_one_to_one() {
        assert_eq!(NodeId(0).address().to_string(), "10.0.0.1");
        assert_eq!(NodeId(300).address().to_string(), "10.0.1.45");
        assert_eq!(NodeId(300).address().node(), Some(NodeId(300)));
        assert_eq!(Address::BROADCAST.node(), None);
        assert_eq!(NodeId(Address::MOST_NODES - 1).address().node(), Some(NodeId(Address::MOST_NODES - 1)));
        assert_eq!(NodeId(Address::MOST_NODES).address(), Address::NETWORK_BROADCAST);
    }

    #[test]
    fn groups_and_links_are_told_apart() {
        let kind = |address: u32| (Address(address).is_group(), Address(address).is_link_local());
        assert_eq!([0x0a00_0001, 0xdfff_ffff].map(kind), [(false, false); 2]);
        assert_eq!([0xe000_0000, 0xe000_00ff, u32::MAX].map(kind), [(true, true); 3]);
        assert_eq!([0xe000_0100, 0xefff_fffa, 0x0aff_ffff].map(kind), [(true, false); 3]);
    }
}
