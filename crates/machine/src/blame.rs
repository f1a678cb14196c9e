//! What a packet was lost to: the distinction that a sender would need, and cannot make.

use crate::DropCause;

/// What is to blame for a lost packet, as a transport would have to know it to answer well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LossCause {
    /// Congestion: a queue or buffer below routing was full.
    Queue,
    /// The next hop was in range and did not answer, or was taken for lost: others were on the air. Or the link dropped
    /// it because of them, before it came to that.
    Contention,
    /// The next hop was out of range, or down.
    LinkFailure,
    /// Routing knew no way, or a wrong one.
    NoRoute,
    /// The channel damaged what was on it.
    Channel,
    /// The node that had the packet was down.
    NodeDown,
    /// Nothing that belongs to the network: nobody listened any more, a number came round, a relay held it back.
    Other,
}

impl LossCause {
    /// All causes, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Queue, Self::Contention, Self::LinkFailure, Self::NoRoute, Self::Channel, Self::NodeDown, Self::Other];

    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Contention => "contention",
            Self::LinkFailure => "link_failure",
            Self::NoRoute => "no_route",
            Self::Channel => "channel",
            Self::NodeDown => "node_down",
            Self::Other => "other",
        }
    }
}

impl DropCause {
    /// What is to blame. `unreached`: why the packet did not reach its next hop, if that was so: `Contention`,
    /// `LinkFailure` or `Channel`.
    #[must_use]
    pub const fn loss(self, unreached: LossCause) -> LossCause {
        match self {
            Self::QueueFull | Self::ArpReplaced | Self::QueueDelay => LossCause::Queue,
            Self::LinkLoss => LossCause::Channel,
            Self::HandOver => LossCause::LinkFailure,
            Self::LinkRed => LossCause::Contention,
            Self::RetryLimitRts | Self::RetryLimitData | Self::NextHopLost | Self::ArpUnanswered => unreached,
            Self::NoRoute | Self::TtlExpired | Self::RoutingLoop | Self::RouteBufferFull | Self::RouteBufferTimeout => {
                LossCause::NoRoute
            }
            Self::NodeDown => LossCause::NodeDown,
            Self::NoListener | Self::NoticeSpared | Self::UnknownOption | Self::MistakenRepeat | Self::Suppressed => {
                LossCause::Other
            }
        }
    }
}
