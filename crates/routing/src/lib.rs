//! Routing: one machine per node that says where each packet goes next.
//!
//! A router never looks into what a packet carries, except into its own messages. It neither queues for
//! the link layer nor resolves link addresses: a next hop is a node.
//!
//! Spec      RFC 1812 §5.3.1 (time to live), and what each protocol names
//! Deviates  see each protocol
//! Holds     every data packet that comes in leaves as `Deliver`, `Transmit` or `Drop`, or is counted by `held`

pub mod aodv;
pub mod dsdv;
pub mod dsr;
mod next_hops;
pub mod olsr;
mod parts;
pub mod smf;
mod static_routes;

use std::sync::Arc;

pub use aodv::Aodv;
pub use dsdv::Dsdv;
pub use dsr::Dsr;
use hopwright_machine::{Address, DropCause, Machine, NodeId, PacketId, Time};
use hopwright_wire::notice::Notice;
use hopwright_wire::{Packet, ip};
pub use next_hops::NextHops;
pub use olsr::Olsr;
pub use parts::{Wishes, notice_in};
pub use smf::Smf;
pub use static_routes::StaticRoutes;

/// What can happen to a router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input<'a> {
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
    /// A packet comes back that waited for this neighbour: the answer to `Output::ReclaimNextHop`.
    Reclaimed {
        /// The packet, as it was handed to the link layer.
        packet: Packet,
        /// The neighbour it waited for.
        next_hop: NodeId,
    },
    /// The link layer overheard a packet on its way to another station. Only for routers that listen.
    Overheard {
        /// The packet.
        packet: &'a Packet,
        /// The station that transmitted it.
        from: NodeId,
        /// The station it is for.
        to: NodeId,
    },
    /// The link layer is done with a packet. Only for routers that follow their packets.
    Left {
        /// The packet.
        packet: PacketId,
        /// Whether it was sent to its next hop; if not, it was dropped without being tried.
        sent: bool,
    },
    /// A transport wants a route to this address, though no packet waits: as if one had just been sent.
    Seek(Address),
    /// A packet of this node's own transport wants to leave over these nodes, from this one to its destination. Routers
    /// without source routes send it as any other.
    SendOver {
        /// The packet.
        packet: Packet,
        /// The nodes.
        path: &'a [Address],
    },
    /// A packet goes by that a transport of this node takes from neighbour to neighbour itself: the routes that it uses
    /// are in use, and its source route tells of links. The packet stays with the transport.
    Passed {
        /// The packet.
        packet: &'a Packet,
        /// The neighbour that it came from, or goes to.
        neighbour: NodeId,
        /// Whether it came from there.
        came: bool,
    },
    /// A neighbour did not answer to such a packet.
    LinkLost(NodeId),
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
    /// Give back every packet queued for this neighbour (`Input::Reclaimed`).
    ReclaimNextHop(NodeId),
    /// The packet ends here.
    Drop {
        /// The packet.
        packet: Packet,
        /// Why.
        cause: DropCause,
    },
    /// There is a second copy of this packet from now on: it is about to be sent again, as nobody confirmed the first.
    Doubled(Packet),
    /// Tell a transport here what became of a route.
    Notify(Notice),
    /// A route to this address is there after there was none; a transport here asked to be told.
    RouteUp(Address),
    /// This neighbour is taken for lost, and a route through it was in use (`Counters::route_breaks`).
    RouteBroke(NodeId),
}

impl Output {
    /// Whether a packet is in it.
    #[must_use]
    pub const fn is_packet(&self) -> bool {
        matches!(self, Self::Deliver(_) | Self::Transmit { .. } | Self::Drop { .. })
    }
}

/// What a router has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages and notices made here, including those still waiting for their jitter.
    pub control_made: u64,
    /// Messages of the routing protocol handed to the link layer; each transmission counts.
    pub control_packets: u64,
    /// Their bytes, with IP header.
    pub control_bytes: u64,
    /// Notices to transports handed to the link layer, as packets of their own or in DSR's route errors; each
    /// transmission counts.
    pub notices: u64,
    /// Link failures that the link layer reported.
    pub link_failures: u64,
    /// Neighbours taken for lost, by whatever sign, which took at least one route out of use here.
    pub route_breaks: u64,
}

impl Counters {
    /// What two have done together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            control_made: self.control_made + other.control_made,
            control_packets: self.control_packets + other.control_packets,
            control_bytes: self.control_bytes + other.control_bytes,
            notices: self.notices + other.notices,
            link_failures: self.link_failures + other.link_failures,
            route_breaks: self.route_breaks + other.route_breaks,
        }
    }

    /// What has been done since it was `former`.
    #[must_use]
    pub const fn less(self, former: Self) -> Self {
        Self {
            control_made: self.control_made - former.control_made,
            control_packets: self.control_packets - former.control_packets,
            control_bytes: self.control_bytes - former.control_bytes,
            notices: self.notices - former.notices,
            link_failures: self.link_failures - former.link_failures,
            route_breaks: self.route_breaks - former.route_breaks,
        }
    }
}

/// What every router can be asked.
pub trait Protocol: for<'a> Machine<Input<'a> = Input<'a>, Output = Output> {
    /// The neighbour that a packet to `destination` would go to now, if a route is in use.
    fn next_hop(&self, destination: Address) -> Option<NodeId>;

    /// The length of the route to `destination`, if one is in use.
    fn hops(&self, destination: Address) -> Option<u32>;

    /// All nodes on the route to `destination`, both ends included, if one is in use and this node knows them.
    fn path(&self, _destination: Address) -> Option<Vec<Address>> {
        None
    }

    /// The nodes of the source route that `packet` has, both ends included, and the place of the one that has it, or is to
    /// have it next.
    fn source_route(&self, _packet: &Packet) -> Option<(Vec<Address>, usize)> {
        None
    }

    /// Gives `packet` this source route, on its way to the node at this place; nothing if the protocol has none.
    fn write_source_route(&self, _packet: &mut Packet, _path: &[Address], _at: usize) {}

    /// Packets inside: waiting for a route, for their jitter or for their turn, own messages included.
    fn held(&self) -> usize;

    /// What has been done so far.
    fn counters(&self) -> Counters;

    /// The time to live with which a unicast data packet leaves its source.
    fn first_ttl(&self) -> u8 {
        ip::DEFAULT_TTL
    }

    /// The length of `packet` on the air, with IP header, as this protocol counts it.
    fn packet_bytes(&self, packet: &Packet) -> u32 {
        packet.bytes()
    }

    /// Whether it wants to overhear packets on their way to others.
    fn listens(&self) -> bool {
        false
    }

    /// Whether `poll` would give something. Routers that listen know it; of others, it is not asked.
    fn has_output(&self) -> bool {
        true
    }

    /// Whether it wants to know when the link layer is done with a packet (`Input::Left`). Does not change.
    fn follows(&self) -> bool {
        false
    }

    /// Transports ask for something else from now on, of all routers.
    fn heed(&mut self, _wishes: &Arc<Wishes>) {}
}

/// Makes `Router` and `Config` from the list of protocols.
macro_rules! protocols {
    ($($(#[doc = $doc:literal])+ $name:ident($module:ident),)+) => {
        /// The router of one node.
        #[derive(Debug)]
        pub enum Router {
            /// Routes fixed before the run.
            Static(StaticRoutes),
            $($(#[doc = $doc])+ $name($module::$name),)+
        }

        /// How a protocol that finds routes by itself is set.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Config {
            $($(#[doc = $doc])+ $name($module::Config),)+
        }

        impl Config {
            /// Whether packets go by source routes.
            #[must_use]
            pub const fn is_dsr(&self) -> bool {
                matches!(self, Self::Dsr(_))
            }

            /// The router of `node`; `seed` is the run's, `wishes` what transports ask of all routers.
            #[must_use]
            pub fn router(&self, node: NodeId, seed: u64, wishes: &Arc<Wishes>) -> Router {
                match self {
                    $(Self::$name(config) => {
                        Router::$name($module::$name::new(node, seed, Arc::clone(wishes), config.clone()))
                    })+
                }
            }
        }

        $(impl From<$module::Config> for Config {
            fn from(config: $module::Config) -> Self {
                Self::$name(config)
            }
        }

        impl From<$module::Config> for Box<Config> {
            fn from(config: $module::Config) -> Self {
                Self::new(Config::$name(config))
            }
        })+

        /// Asks the protocol of a router.
        macro_rules! ask {
            ($router:expr, $protocol:ident => $question:expr) => {
                match $router {
                    Router::Static($protocol) => $question,
                    $(Router::$name($protocol) => $question,)+
                }
            };
        }
    };
}

protocols! {
    /// Ad hoc on-demand distance vector routing.
    Aodv(aodv),
    /// Dynamic source routing.
    Dsr(dsr),
    /// Optimized link state routing.
    Olsr(olsr),
    /// Destination-sequenced distance vectors.
    Dsdv(dsdv),
}

impl Protocol for Router {
    fn next_hop(&self, destination: Address) -> Option<NodeId> {
        ask!(self, protocol => protocol.next_hop(destination))
    }

    fn hops(&self, destination: Address) -> Option<u32> {
        ask!(self, protocol => protocol.hops(destination))
    }

    fn path(&self, destination: Address) -> Option<Vec<Address>> {
        ask!(self, protocol => protocol.path(destination))
    }

    fn source_route(&self, packet: &Packet) -> Option<(Vec<Address>, usize)> {
        ask!(self, protocol => protocol.source_route(packet))
    }

    fn write_source_route(&self, packet: &mut Packet, path: &[Address], at: usize) {
        ask!(self, protocol => protocol.write_source_route(packet, path, at));
    }

    fn held(&self) -> usize {
        ask!(self, protocol => protocol.held())
    }

    fn counters(&self) -> Counters {
        ask!(self, protocol => protocol.counters())
    }

    fn first_ttl(&self) -> u8 {
        ask!(self, protocol => protocol.first_ttl())
    }

    fn packet_bytes(&self, packet: &Packet) -> u32 {
        ask!(self, protocol => protocol.packet_bytes(packet))
    }

    fn listens(&self) -> bool {
        ask!(self, protocol => protocol.listens())
    }

    fn has_output(&self) -> bool {
        ask!(self, protocol => protocol.has_output())
    }

    fn follows(&self) -> bool {
        ask!(self, protocol => protocol.follows())
    }

    fn heed(&mut self, wishes: &Arc<Wishes>) {
        ask!(self, protocol => protocol.heed(wishes));
    }
}

impl Machine for Router {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input<'_>) {
        ask!(self, protocol => protocol.handle(now, input));
    }

    #[inline(always)] // asked again and again at each wake, mostly for nothing
    fn poll(&mut self) -> Option<Output> {
        ask!(self, protocol => protocol.poll())
    }

    #[inline(always)] // as `poll`
    fn deadline(&self) -> Time {
        ask!(self, protocol => protocol.deadline())
    }
}
