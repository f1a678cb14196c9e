//! Why a packet is gone. Recorded where it happens, never guessed afterwards.
//!
//! Holds     a cause is one entry of the list below: results, tables and sentences say what stands there

use core::fmt;

/// An enum of causes, and what is said of each: its name in results, its label in tables, and what a sentence says.
macro_rules! causes {
    (
        $(#[$about:meta])*
        $cause:ident;
        $($(#[doc = $meaning:literal])+ $variant:ident = $name:literal, $label:literal, $says:literal;)+
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $cause {
            $($(#[doc = $meaning])+ $variant,)+
        }

        impl $cause {
            /// All causes, in the order of their numbers.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name used in results.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What a table calls it.
            #[must_use]
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }

            /// What a sentence about a packet says: it was dropped *as*, or lost *to*.
            #[must_use]
            pub const fn says(self) -> &'static str {
                match self { $(Self::$variant => $says),+ }
            }

            /// What it means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($meaning),+).trim_ascii()),+ }
            }
        }
    };
}

pub(crate) use causes;

causes! {
    /// The cause of a packet's end other than delivery.
    DropCause;
    /// The interface queue was full.
    QueueFull = "queue_full", "queue full", "the interface queue was full";
    /// Link RED dropped the packet to tell the packet's transport of contention (`mac.lred`).
    LinkRed = "link_red", "link red", "Link RED told its transport of contention";
    /// The MAC gave up at its retry limit, because no CTS came back.
    RetryLimitRts = "retry_limit_rts", "RTS retry limit", "no CTS came";
    /// The MAC gave up at its retry limit, because no MAC ACK came back.
    RetryLimitData = "retry_limit_data", "data retry limit", "no acknowledgement came";
    /// Routing declared the next hop lost, and took the packet out of the interface queue.
    NextHopLost = "next_hop_lost", "next hop lost", "its next hop was taken for lost";
    /// There was no route to the destination.
    NoRoute = "no_route", "no route", "there was no route";
    /// The packet's time to live ran out.
    TtlExpired = "ttl_expired", "TTL expired", "it had made as many hops as it may";
    /// The packet came back to its own source.
    RoutingLoop = "routing_loop", "routing loop", "it had come back to its own source";
    /// The buffer for packets without a route was full.
    RouteBufferFull = "route_buffer_full", "route buffer full", "the routing buffer was full";
    /// The packet waited too long in the buffer for packets without a route.
    RouteBufferTimeout = "route_buffer_timeout", "route buffer timeout", "no route was found in time";
    /// A newer packet took the packet's place: address resolution holds one packet for each neighbour.
    ArpReplaced = "arp_replaced", "arp replaced",
        "another packet took its place while its next hop was asked who it is";
    /// The next hop did not answer address resolution.
    ArpUnanswered = "arp_unanswered", "arp unanswered", "its next hop did not answer who it is";
    /// Nobody at the destination listened on the packet's port.
    NoListener = "no_listener", "no listener", "nobody there waits for it";
    /// The node that had the packet was down.
    NodeDown = "node_down", "node down", "the node was down";
    /// The packet was a notice of a lost route, and ended at a node that knew another route.
    NoticeSpared = "notice_spared", "notice spared", "the node knew another route, so that nobody had to be told";
    /// The packet had an option of its routing protocol that a node did not know, and the type of this option asks for
    /// the drop.
    UnknownOption = "unknown_option", "unknown option", "the node did not know an option of its routing protocol";
    /// The next hop took the packet's frame for a repetition of the frame 4096 packets before, which had the same
    /// sequence number. The next hop acknowledged the frame all the same.
    MistakenRepeat = "mistaken_repeat", "mistaken repeat", "its next hop took it for a repetition of an earlier frame";
    /// A shaped link lost the packet.
    LinkLoss = "link_loss", "lost on a link", "the link lost it";
    /// The packet had waited too long in the queue of a shaped link (CoDel).
    QueueDelay = "queue_delay", "waited too long", "it had waited too long";
    /// The packet waited for a network that its link has left.
    HandOver = "hand_over", "hand-over", "its link handed over to another network";
    /// A relay held a repeated acknowledgement back, because the relay has already sent the missing data again.
    Suppressed = "suppressed", "held back by a relay", "it had sent again what that asks for";
}

impl fmt::Display for DropCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
