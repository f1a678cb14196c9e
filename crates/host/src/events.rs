//! What goes into a host and what comes out.

use crate::identity::Handle;
use crate::outgoing::Outgoing;

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
