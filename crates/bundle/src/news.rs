//! What a node is told, what it wants done, and what it tells of bundles.

use std::sync::Arc;

use hopwright_machine::{Address, Duration, NodeId};
use hopwright_wire::nctp::{Key, Packet};

use crate::bundle::Way;

/// What can happen to a node.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The application of a connection that begins here writes.
    Write {
        /// The connection's number, of the node's own.
        connection: u16,
        /// Where its data go.
        destination: Address,
        /// So many bytes.
        bytes: u64,
    },
    /// It writes no more.
    Close {
        /// The connection's number.
        connection: u16,
    },
    /// A packet of a bundle has come from a neighbour, or any other packet for this node.
    Packet {
        /// The packet.
        packet: &'a Packet,
        /// The neighbour that sent it.
        from: NodeId,
        /// Hops that it has made, the last one included.
        hops: u8,
        /// The source route in it, if it has one.
        route: Option<Route<'a>>,
    },
    /// An acknowledgement for another node passes by; only for those who keep bundles until then
    /// ([`Agent::watches_acks`]).
    Passing(&'a Packet),
    /// The next owner has this packet: the link knows.
    Sent(&'a Packet),
    /// The next owner does not answer: the link has given the packet up.
    Failed(&'a Packet),
    /// The link has given the packet back without trying, as somebody else has found the next owner lost.
    LinkLost(&'a Packet),
    /// The link has dropped the packet without trying.
    Refused(&'a Packet),
    /// There is a way to this destination.
    Way {
        /// The destination.
        destination: Address,
        /// The way.
        way: &'a Way,
    },
    /// A link ahead is broken: an error of the router's has come, or the station has given up a packet over it.
    Broken {
        /// Its sender.
        from: Address,
        /// The neighbour that does not answer.
        to: Address,
    },
    /// The node goes down.
    Down,
    /// The node comes up again.
    Up,
    /// The deadline has come.
    Wake,
}

/// A source route, as a packet has it.
#[derive(Clone, Copy, Debug)]
pub struct Route<'a> {
    /// Its nodes, the first and the last included.
    pub nodes: &'a [Address],
    /// The place of the node that has the packet.
    pub at: usize,
}

/// What a node wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Hand this packet of a bundle to the link.
    Hop {
        /// The packet.
        packet: Packet,
        /// Over this way: to its next hop, with its path, if it has one, as a source route.
        way: Way,
        /// Hops that it has made so far.
        hops: u8,
    },
    /// Send this message.
    Message {
        /// The packet, whose receiver it is for.
        packet: Packet,
        /// Over these nodes, this one first; as the router says if there are none.
        path: Arc<[Address]>,
    },
    /// Tell the router that a neighbour does not answer.
    LinkLost(NodeId),
    /// Look for a way to this destination, and say so when there is one ([`Input::Way`]).
    Seek(Address),
    /// Hand bytes to the application of a connection that ends here.
    Deliver {
        /// The source of the data.
        source: Address,
        /// Its connection.
        connection: u16,
        /// So many.
        bytes: u64,
    },
    /// The destination has bytes of a connection that begins here.
    Acked {
        /// The connection.
        connection: u16,
        /// So many.
        bytes: u64,
        /// The round trip of their bundle, if it was sent once.
        round_trip: Option<Duration>,
    },
    /// Something has happened to a bundle.
    Told(Key, News),
}

/// What has happened to a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// It was cut from what the application wrote.
    Cut {
        /// Packets in it.
        packets: u16,
        /// Bytes of data.
        bytes: u64,
    },
    /// Its first packet has come here.
    Begun,
    /// A packet of it has come to the destination for the first time.
    Arrived(u32),
    /// A packet of it has come that was there already, or of a bundle that is owned or was delivered.
    Duplicate,
    /// All of it is here: this node owns it.
    Owned,
    /// The next owner has all of it.
    HandedOver(NodeId),
    /// A transfer of it has failed.
    LinkFailed(NodeId),
    /// The way ahead was asked about.
    Probed,
    /// No answer came, or an error.
    Silent,
    /// The part of it that was here has been deleted.
    PartDeleted,
    /// It was given up because it had no route, or lost as its node went down.
    Lost,
    /// There was no room for one of its packets.
    NoRoom,
    /// The next owner had no room for it.
    Refused,
    /// The destination has delivered it.
    Delivered,
    /// Its source's timer has run out: it is sent again.
    Expired,
}
