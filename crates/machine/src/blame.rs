//! What a packet was lost to: the distinction that a sender would need, and cannot make.

use crate::DropCause;
use crate::loss::causes;

causes! {
    /// What is to blame for a lost packet, as a transport would have to know it to answer well.
    LossCause;
    /// Congestion: a queue or buffer below routing was full.
    Queue = "queue", "queue", "a full queue";
    /// The MAC gave up, or routing declared a neighbour lost, although the next hop was in range: other stations were
    /// sending. Or Link RED dropped the packet because of other stations, before the MAC gave up.
    Contention = "contention", "contention", "contention";
    /// The next hop was out of range, or down.
    LinkFailure = "link_failure", "link failure", "a link failure";
    /// Routing knew no route, or a wrong one: no route was found, the routing buffer was full, the packet waited too
    /// long in this buffer, or the packet was in a loop.
    NoRoute = "no_route", "no route", "a missing route";
    /// The MAC gave up, and most tries had failed because the channel damaged frames or made them too weak; or a shaped
    /// link lost the packet. 0 if nothing about the channel is random.
    Channel = "channel", "channel", "errors of the channel";
    /// The node that had the packet was down.
    NodeDown = "node_down", "node down", "a node that is down";
    /// The network is not to blame: nobody listened any more, a sequence number of the MAC was used again, or a relay
    /// held the packet back.
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
