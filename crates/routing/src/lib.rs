//! Routing: one machine per node that says where each packet goes next.
//!
//! A router never looks into what a packet carries, except into its own messages. It neither queues for
//! the link layer nor resolves link addresses: a next hop is a node.
//!
//! Spec      RFC 1812 §5.3.1 (time to live), RFC 3561 (AODV)
//! Deviates  see each protocol
//! Holds     every data packet that comes in leaves as `Deliver`, `Transmit` or `Drop`, or is counted by `held`

pub mod aodv;
mod static_routes;

pub use aodv::Aodv;
use hopwright_machine::{Address, DropCause, Machine, NodeId, Time};
use hopwright_wire::{Packet, ip};
pub use static_routes::{StaticRoutes, shortest_paths};

/// What can happen to a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The node begins to work.
    Start,
    /// A packet of this node's own transport or application wants to leave.
    Send(Packet),
    /// The link layer received a packet.
    Receive {
        /// The packet as it came off the air.
        packet: Packet,
        /// The neighbour that transmitted it.
        from: NodeId,
    },
    /// The link layer gave a packet up.
    LinkFailed {
        /// The packet, as it was handed to the link layer.
        packet: Packet,
        /// The neighbour that did not answer.
        next_hop: NodeId,
        /// Why the link layer gave up.
        cause: DropCause,
    },
    /// The deadline has come.
    Wake,
}

/// What a router wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The packet has arrived: hand it to this node's transport.
    Deliver(Packet),
    /// Give the packet to the link layer.
    Transmit {
        /// The packet.
        packet: Packet,
        /// The neighbour to send it to; `None` for all that hear it.
        next_hop: Option<NodeId>,
    },
    /// Drop every packet queued for this neighbour (`DropCause::NextHopLost`).
    PurgeNextHop(NodeId),
    /// The packet ends here.
    Drop {
        /// The packet.
        packet: Packet,
        /// Why.
        cause: DropCause,
    },
}

/// What a router has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages of the routing protocol made here, including those still waiting for their jitter.
    pub control_made: u64,
    /// Messages of the routing protocol handed to the link layer; each transmission counts.
    pub control_packets: u64,
    /// Their bytes, with IP header.
    pub control_bytes: u64,
    /// Link failures that the link layer reported.
    pub link_failures: u64,
    /// Those of them that took at least one route out of use.
    pub route_breaks: u64,
}

/// The router of one node.
#[derive(Debug)]
pub enum Router {
    /// Routes fixed before the run.
    Static(StaticRoutes),
    /// Ad hoc on-demand distance vector routing.
    Aodv(Aodv),
}

impl Router {
    /// The neighbour that a packet to `destination` would go to now, if a route is in use.
    #[must_use]
    pub fn next_hop(&self, destination: Address) -> Option<NodeId> {
        match self {
            Self::Static(routes) => routes.next_hop(destination),
            Self::Aodv(aodv) => aodv.next_hop(destination),
        }
    }

    /// The length of the route to `destination`, if one is in use.
    #[must_use]
    pub fn hops(&self, destination: Address) -> Option<u32> {
        match self {
            Self::Static(routes) => routes.hops(destination),
            Self::Aodv(aodv) => aodv.hops(destination),
        }
    }

    /// Packets inside: waiting for a route, for their jitter or for their turn, own messages included.
    #[must_use]
    pub fn held(&self) -> usize {
        match self {
            Self::Static(routes) => routes.held(),
            Self::Aodv(aodv) => aodv.held(),
        }
    }

    /// What has been done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        match self {
            Self::Static(routes) => routes.counters(),
            Self::Aodv(aodv) => aodv.counters(),
        }
    }

    /// The time to live with which a unicast data packet leaves its source.
    #[must_use]
    pub fn first_ttl(&self) -> u8 {
        match self {
            Self::Static(_) => ip::DEFAULT_TTL,
            Self::Aodv(aodv) => aodv.first_ttl(),
        }
    }

    /// The length of `packet` on the air, with IP header, as this router's profile counts it.
    #[must_use]
    pub fn packet_bytes(&self, packet: &Packet) -> u32 {
        match self {
            Self::Static(_) => packet.bytes(),
            Self::Aodv(aodv) => aodv.packet_bytes(packet),
        }
    }
}

impl Machine for Router {
    type Input<'a> = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match self {
            Self::Static(routes) => routes.handle(now, input),
            Self::Aodv(aodv) => aodv.handle(now, input),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        match self {
            Self::Static(routes) => routes.poll(),
            Self::Aodv(aodv) => aodv.poll(),
        }
    }

    fn deadline(&self) -> Time {
        match self {
            Self::Static(routes) => routes.deadline(),
            Self::Aodv(aodv) => aodv.deadline(),
        }
    }
}
