//! The results of a run over links: each link, and each relay.

use hopwright_machine::Time;
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotations::shown;
use crate::meter::FlowMeter;
use crate::relay::split::Joint;

/// One direction of a shaped link, or both directions if they share the link.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "LinkResult")]
pub struct LinkReport {
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
    /// Whether both directions share the link. If they do, the counts are of both directions together.
    #[serde(rename = "shared")]
    pub is_shared: bool,
    /// Data that arrived, IP headers included.
    #[schemars(title = "carried", extend("x-better" = "higher"))]
    pub carried_bps: f64,
    /// Packets that arrived.
    #[schemars(title = "packets that arrived", extend("x-better" = "higher"))]
    pub packets: u64,
    /// Packets that the link lost.
    #[schemars(title = "packets lost", extend("x-better" = "lower"))]
    pub lost: u64,
    /// Packets dropped before the link sent them: the queue was full, the packet had waited too long, or a change
    /// cleared the link.
    #[schemars(title = "packets dropped", extend("x-better" = "lower"))]
    pub dropped: u64,
    /// Packets that wait for the link, averaged over time.
    #[schemars(title = "mean queue")]
    pub mean_queue_packets: f64,
}

/// What a relay did.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RelayReport {
    /// A relay that sends packets again if they were lost on the wireless side.
    #[schemars(title = "SnoopResult")]
    Snoop(SnoopReport),
    /// A relay that ends connections and carries their data in connections of its own.
    #[schemars(title = "SplitResult")]
    Split(SplitReport),
}

/// What a `snoop` did, for all connections together.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, Eq, JsonSchema)]
pub struct SnoopReport {
    /// The node of the relay.
    pub node: u32,
    /// Packets that the relay kept.
    #[schemars(title = "packets kept")]
    pub cached: u64,
    /// Packets that the relay sent again because acknowledgements were repeated.
    #[schemars(title = "packets sent again for repetitions")]
    pub sent_again_by_duplicates: u64,
    /// Packets that the relay sent again because no acknowledgement came in time.
    #[schemars(title = "packets sent again by its timer")]
    pub sent_again_by_timer: u64,
    /// Repeated acknowledgements that the relay held back.
    #[schemars(title = "acknowledgements held back")]
    pub suppressed_acks: u64,
    /// Acknowledgements in which the relay wrote that data from the wireless side was lost there.
    #[schemars(title = "notices of losses")]
    pub loss_notices: u64,
}

/// What a `split` did.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
pub struct SplitReport {
    /// The node of the relay.
    pub node: u32,
    /// The relay's own connections, in the order of their flows.
    pub connections: Vec<SplitConnection>,
}

/// The connection in which a relay carries the data of a flow to the receiver.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "SplitConnection")]
pub struct SplitConnection {
    /// The number of the flow.
    pub flow: usize,
    /// The transport protocol of the connection.
    pub protocol: String,
    /// Segments sent, including those sent again.
    #[schemars(title = "segments sent")]
    pub segments_sent: u64,
    /// Segments sent again.
    #[schemars(title = "segments sent again", extend("x-better" = "lower"))]
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    #[schemars(title = "time-outs", extend("x-better" = "lower"))]
    pub rto_count: u64,
    /// Congestion window, averaged over time.
    #[schemars(title = "mean congestion window")]
    pub mean_cwnd_segments: f64,
    /// Mean of the round-trip times that the relay measured; null if it measured none.
    #[schemars(title = "mean round-trip time", extend("x-better" = "lower", "x-shown" = shown("ms", 1e3, 1)))]
    pub mean_rtt_s: Option<f64>,
    /// Bytes in the relay's buffer that the receiver had not acknowledged, averaged over time.
    #[schemars(title = "mean bytes in its buffer")]
    pub mean_buffered_bytes: f64,
    /// Largest number of such bytes, from the start of the run.
    #[schemars(title = "most bytes in its buffer")]
    pub most_buffered_bytes: u64,
}

impl SplitConnection {
    pub(crate) fn new(joint: &Joint, meter: &FlowMeter, end: Time) -> Self {
        let (now, before) = (meter.now, meter.at_begin);
        Self {
            flow: joint.flow,
            protocol: joint.protocol.clone(),
            segments_sent: now.sent - before.sent,
            retransmissions: now.retransmissions - before.retransmissions,
            rto_count: now.timeouts - before.timeouts,
            mean_cwnd_segments: meter.mean_cwnd(end),
            mean_rtt_s: meter.rtt.mean(),
            mean_buffered_bytes: joint.held.mean(end),
            most_buffered_bytes: joint.most_held,
        }
    }
}
