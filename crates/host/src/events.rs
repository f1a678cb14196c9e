//! What goes into a host and what comes out.

use hopwright_transport::Public;

use crate::table::Handle;
use crate::transmit::Outgoing;

/// What can happen to a host, beside the calls of its applications.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A packet arrived.
    Packet {
        /// From the IP header on.
        bytes: &'a [u8],
        /// Whether the device vouches for the transport checksum.
        is_verified: bool,
        /// Several segments of a connection with so many bytes of payload each (the last may be shorter), which
        /// the device put together or has not yet taken apart. 0: one segment.
        segment_bytes: u16,
    },
    /// The deadline came. Harmless if it has not.
    Wake,
}

impl<'a> Input<'a> {
    /// A packet as it was on the wire.
    #[must_use]
    pub const fn packet(bytes: &'a [u8]) -> Self {
        Self::Packet { bytes, is_verified: false, segment_bytes: 0 }
    }
}

/// What a host wants done.
#[derive(Clone, Debug)]
pub enum Output {
    /// Send this packet. Its bytes: `Host::emit`, before anything else is done with the host.
    Send(Outgoing),
    /// Something happened to a connection.
    Event(Event),
}

/// Something happened to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Which.
    pub handle: Handle,
    /// What.
    pub kind: EventKind,
}

/// What happened to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// It is open: one that we asked for, or a new one at a port where we listen.
    Established,
    /// There are bytes to be read.
    Readable,
    /// There is room again for an application that wrote more than there was room for.
    Writable,
    /// The peer has sent everything.
    PeerClosed,
    /// Both ends have finished. What was received can be read until the host has waited for stray segments.
    Closed,
    /// Peer or application broke it off.
    Reset,
    /// The peer does not want it.
    Refused,
    /// The network cannot deliver to the peer: the code of RFC 792.
    Unreachable(u8),
    /// The peer did not answer for too long.
    TimedOut,
    /// The peer answers, but took next to nothing for too long (`Config::stall_timeout`).
    Stalled,
    /// The peer was taking next to nothing, and somebody else had no place, or no memory.
    Displaced,
}

impl EventKind {
    /// Whether nothing more will happen to the connection.
    #[must_use]
    pub const fn is_last(self) -> bool {
        !matches!(self, Self::Established | Self::Readable | Self::Writable | Self::PeerClosed)
    }
}

/// What a host counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Packets that came in.
    pub packets_received: u64,
    /// Of those: not for us, from impossible addresses, or damaged.
    pub packets_ignored: u64,
    /// Resets sent to segments that belong to no connection.
    pub resets_sent: u64,
    /// Resets, echo replies and answers not sent because there were too many.
    pub answers_withheld: u64,
    /// Half-open connections that were not kept, but turned into cookies.
    pub cookies_sent: u64,
    /// Connections opened from a cookie that came back.
    pub cookies_accepted: u64,
    /// Connections in TIME-WAIT given up for new ones.
    pub time_waits_recycled: u64,
    /// Requests for connections dropped because there was no room, or too little to open them safely again.
    pub requests_dropped: u64,
    /// Of those, from addresses that had as many connections as one may have.
    pub requests_over_address: u64,
    /// Connections given up because the peer took next to nothing for too long.
    pub connections_stalled: u64,
    /// Connections given up for others because the peer was taking next to nothing.
    pub connections_displaced: u64,
    /// Data segments that all connections sent, first ones and retransmissions.
    pub segments_sent: u64,
    /// Of those, retransmissions.
    pub retransmissions: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Changes of mechanisms by triggers.
    pub changes: u64,
    /// Bytes of applications that peers acknowledged.
    pub acked_bytes: u64,
    /// Bytes that came in order for applications.
    pub delivered_bytes: u64,
}

/// What of a connection's counters is in the host's.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    segments_sent: u64,
    retransmissions: u64,
    timeouts: u64,
    changes: u64,
    acked_bytes: u64,
    delivered_bytes: u64,
}

impl Statistics {
    /// Counts what a connection did since `before`.
    pub(crate) const fn add(&mut self, before: &mut Counted, connection: &Public) {
        self.segments_sent += connection.segments_sent - before.segments_sent;
        self.retransmissions += connection.retransmissions - before.retransmissions;
        self.timeouts += connection.timeouts - before.timeouts;
        self.changes += connection.changes - before.changes;
        self.acked_bytes += connection.acked_bytes - before.acked_bytes;
        self.delivered_bytes += connection.delivered_bytes - before.delivered_bytes;
        *before = Counted {
            segments_sent: connection.segments_sent,
            retransmissions: connection.retransmissions,
            timeouts: connection.timeouts,
            changes: connection.changes,
            acked_bytes: connection.acked_bytes,
            delivered_bytes: connection.delivered_bytes,
        };
    }
}
