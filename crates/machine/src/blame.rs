//! What a packet was lost to: the distinction that a sender would need, and cannot make.

use crate::DropCause;
use crate::loss::causes;

causes! {
    /// What is to blame for a lost packet, as a transport would have to know it to answer well.
    LossCause;
    /// Congestion: a queue or buffer below routing was full.
    Queue = "queue", "queue", "a full queue";
    /// The MAC gave up, or routing took a neighbour for lost, though the next hop was in range: others were on the air.
    /// Or Link RED dropped it because of them, before it came to that.
    Contention = "contention", "contention", "contention";
    /// The next hop was out of range, or down.
    LinkFailure = "link_failure", "link failure", "a link failure";
    /// Routing knew no way, or a wrong one: no route, a full routing buffer or too long a wait in it, a loop.
    NoRoute = "no_route", "no route", "want of a route";
    /// The MAC gave up, and most of the tries failed to the channel, which damaged frames or made them too weak; or a
    /// shaped link lost it. 0 as long as nothing of the channel is left to chance.
    Channel = "channel", "channel", "errors of the channel";
    /// The node that had it was down.
    NodeDown = "node_down", "node down", "a node that is down";
    /// What does not belong to the network: nobody listened any more, a sequence number of the MAC came round, a relay
    /// held it back.
    Other = "other", "other", "other reasons";
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
