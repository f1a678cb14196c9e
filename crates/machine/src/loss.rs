//! Why a packet is gone. Recorded where it happens, never guessed afterwards.

use core::fmt;

/// The cause of a packet's end other than delivery.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum DropCause {
    /// The interface queue was full.
    QueueFull,
    /// Link RED dropped it, to tell its transport of contention.
    LinkRed,
    /// The MAC gave up after the retry limit, no clear-to-send having come back.
    RetryLimitRts,
    /// The MAC gave up after the retry limit, no acknowledgement having come back.
    RetryLimitData,
    /// Routing purged it from the interface queue: its next hop was declared lost.
    NextHopLost,
    /// No route to the destination.
    NoRoute,
    /// The time to live ran out.
    TtlExpired,
    /// It came back to its own source.
    RoutingLoop,
    /// A routing buffer was full.
    RouteBufferFull,
    /// It waited too long in a routing buffer.
    RouteBufferTimeout,
    /// Address resolution held only one packet per neighbour, and a newer one took its place.
    ArpReplaced,
    /// Its neighbour did not answer address resolution.
    ArpUnanswered,
    /// Nobody at the destination listens on its port.
    NoListener,
    /// Its node was down.
    NodeDown,
    /// A notice of a lost route ended at a node that knows another one.
    NoticeSpared,
    /// It carried an option of its routing protocol that a node did not know, and whose type asks for that.
    UnknownOption,
    /// Its next hop took its frame for a repetition of the one it had received 4096 packets before, with the same
    /// sequence number, and acknowledged it.
    MistakenRepeat,
    /// A shaped link lost it.
    LinkLoss,
    /// It had waited too long in the queue of a shaped link (CoDel).
    QueueDelay,
    /// It waited for a network that its link has left.
    HandOver,
    /// A relay kept a repeated acknowledgement to itself: it has sent again what that asks for.
    Suppressed,
}

impl DropCause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 21] = [
        Self::QueueFull,
        Self::LinkRed,
        Self::RetryLimitRts,
        Self::RetryLimitData,
        Self::NextHopLost,
        Self::NoRoute,
        Self::TtlExpired,
        Self::RoutingLoop,
        Self::RouteBufferFull,
        Self::RouteBufferTimeout,
        Self::ArpReplaced,
        Self::ArpUnanswered,
        Self::NoListener,
        Self::NodeDown,
        Self::NoticeSpared,
        Self::UnknownOption,
        Self::MistakenRepeat,
        Self::LinkLoss,
        Self::QueueDelay,
        Self::HandOver,
        Self::Suppressed,
    ];

    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::LinkRed => "link_red",
            Self::RetryLimitRts => "retry_limit_rts",
            Self::RetryLimitData => "retry_limit_data",
            Self::NextHopLost => "next_hop_lost",
            Self::NoRoute => "no_route",
            Self::TtlExpired => "ttl_expired",
            Self::RoutingLoop => "routing_loop",
            Self::RouteBufferFull => "route_buffer_full",
            Self::RouteBufferTimeout => "route_buffer_timeout",
            Self::ArpReplaced => "arp_replaced",
            Self::ArpUnanswered => "arp_unanswered",
            Self::NoListener => "no_listener",
            Self::NodeDown => "node_down",
            Self::NoticeSpared => "notice_spared",
            Self::UnknownOption => "unknown_option",
            Self::MistakenRepeat => "mistaken_repeat",
            Self::LinkLoss => "link_loss",
            Self::QueueDelay => "queue_delay",
            Self::HandOver => "hand_over",
            Self::Suppressed => "suppressed",
        }
    }
}

impl fmt::Display for DropCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
