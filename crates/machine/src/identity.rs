//! Who and what: nodes, their addresses, packets.

use core::fmt;
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

    /// The node with this address, if it has the form that `NodeId::address` gives.
    #[must_use]
    pub const fn node(self) -> Option<NodeId> {
        if self.0 > 0x0a00_0000 && self.0 < 0x0aff_ffff { Some(NodeId(self.0 - 0x0a00_0001)) } else { None }
    }

    /// Whether this is the limited broadcast address.
    #[must_use]
    pub const fn is_broadcast(self) -> bool {
        self.0 == u32::MAX
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_and_address_are_one_to_one() {
        assert_eq!(NodeId(0).address().to_string(), "10.0.0.1");
        assert_eq!(NodeId(300).address().to_string(), "10.0.1.45");
        assert_eq!(NodeId(300).address().node(), Some(NodeId(300)));
        assert_eq!(Address::BROADCAST.node(), None);
    }
}
