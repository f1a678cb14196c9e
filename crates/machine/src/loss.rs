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
    /// Link RED dropped it, to tell its transport of contention (`mac.lred`).
    LinkRed = "link_red", "link red", "Link RED told its transport of contention";
    /// The MAC gave up after the retry limit, no CTS having come back.
    RetryLimitRts = "retry_limit_rts", "RTS retry limit", "no CTS came";
    /// The MAC gave up after the retry limit, no acknowledgement of the MAC having come back.
    RetryLimitData = "retry_limit_data", "data retry limit", "no acknowledgement came";
    /// Routing took it out of the interface queue: its next hop was declared lost.
    NextHopLost = "next_hop_lost", "next hop lost", "its next hop was taken for lost";
    /// There was no route to the destination.
    NoRoute = "no_route", "no route", "there was no route";
    /// Its time to live ran out.
    TtlExpired = "ttl_expired", "TTL expired", "it had made as many hops as it may";
    /// It came back to its own source.
    RoutingLoop = "routing_loop", "routing loop", "it had come back to its own source";
    /// The buffer in which it waited for a route was full.
    RouteBufferFull = "route_buffer_full", "route buffer full", "the routing buffer was full";
    /// It waited too long in the buffer for packets without a route.
    RouteBufferTimeout = "route_buffer_timeout", "route buffer timeout", "no route was found in time";
    /// Address resolution holds one packet per neighbour, and a newer one took its place.
    ArpReplaced = "arp_replaced", "arp replaced",
        "another packet took its place while its next hop was asked who it is";
    /// Its neighbour did not answer address resolution.
    ArpUnanswered = "arp_unanswered", "arp unanswered", "its next hop did not answer who it is";
    /// Nobody at the destination listens on its port.
    NoListener = "no_listener", "no listener", "nobody there waits for it";
    /// The node that had it was down.
    NodeDown = "node_down", "node down", "the node was down";
    /// It was a notice of a lost route, and ended at a node that knows another route.
    NoticeSpared = "notice_spared", "notice spared", "the node knew another route, so that nobody had to be told";
    /// It had an option of its routing protocol that a node did not know, and whose type asks for the drop.
    UnknownOption = "unknown_option", "unknown option", "the node did not know an option of its routing protocol";
    /// Its next hop took its frame for a repetition of the frame 4096 packets before, which had the same sequence
    /// number, and acknowledged it.
    MistakenRepeat = "mistaken_repeat", "mistaken repeat", "its next hop took it for a repetition of an earlier frame";
    /// A shaped link lost it.
    LinkLoss = "link_loss", "lost on a link", "the link lost it";
    /// It had waited too long in the queue of a shaped link (CoDel).
    QueueDelay = "queue_delay", "waited too long", "it had waited too long";
    /// It waited for a network that its link has left.
    HandOver = "hand_over", "hand-over", "its link handed over to another network";
    /// A relay kept a repeated acknowledgement to itself: it has sent again what that asks for.
    Suppressed = "suppressed", "held back by a relay", "it had sent again what that asks for";
}

impl fmt::Display for DropCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
