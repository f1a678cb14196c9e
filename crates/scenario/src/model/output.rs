//! What a run writes beside its summary. Nothing here changes the run itself.

use core::fmt;

use super::limit::{COUNT, LONGEST_S, Limit, from};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

/// What a run writes beside its summary. Nothing here changes the run itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Nodes of which frames are captured, each in a file `node-<n>.pcapng`. "all": every node.
    pub pcap: Captured,
    /// Values over time that `series.parquet` contains for every flow. With an empty list there is no such file.
    #[schemars(extend("uniqueItems" = true))]
    pub series: Vec<Quantity>,
    /// Time between two rows of `series.parquet`, seconds. 0: a row at every change.
    pub series_interval_s: f64,
    /// Whether results contain how the medium was used: `medium_use`, and `reverse_bps` of each flow. The run then
    /// takes somewhat longer.
    pub medium_use: bool,
    /// Whether results contain how each flow spent its time: `sender_time_s`, what kept its sender from sending more,
    /// and `network_time_s`, where its packets were. The run then takes somewhat longer.
    pub flow_time: bool,
    /// Which events `events.parquet` contains, with the events that led to them, for `hopwright explain`.
    pub lineage: Lineage,
    /// Whether to write `frames.parquet` with every frame on the air, and `lanes.parquet` with what stations waited
    /// for.
    pub frames: bool,
    /// Whether to write `positions.parquet` with the place of each node at every moment, and the times when it was
    /// down.
    pub positions: bool,
    /// The format of `trace.tr`, the trace that ns-2 would write.
    pub ns2_trace: Ns2Trace,
    /// The layers of which events are in `trace.tr`.
    #[schemars(extend("uniqueItems" = true))]
    pub ns2_trace_layers: Vec<TraceLayer>,
    /// The panels of the figure `flow-<i>.svg`. With an empty list there is no figure.
    #[schemars(extend("uniqueItems" = true))]
    pub figures: Vec<Panel>,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[from("pcap", 0.0, COUNT), from("series_interval_s", 0.0, LONGEST_S)];

impl Default for Output {
    fn default() -> Self {
        Self {
            pcap: Captured::Nodes(Vec::new()),
            series: Quantity::USUAL.to_vec(),
            series_interval_s: 0.0,
            medium_use: false,
            flow_time: false,
            lineage: Lineage::Off,
            frames: false,
            positions: false,
            ns2_trace: Ns2Trace::Off,
            ns2_trace_layers: TraceLayer::ALL.to_vec(),
            figures: Panel::ALL.to_vec(),
        }
    }
}

/// The nodes whose frames are captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Captured {
    /// All there are.
    All,
    /// These.
    Nodes(Vec<u32>),
}

impl Captured {
    /// The word that stands for all nodes.
    const ALL: &str = "all";
}

/// A quantity of a flow over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The congestion window.
    Cwnd,
    /// The slow-start threshold.
    Ssthresh,
    /// Round-trip times, measured and smoothed.
    Rtt,
    /// The retransmission time-out.
    Rto,
    /// Data sent and not yet acknowledged.
    InFlight,
    /// Packets in the network, neither arrived nor dropped: packets with data, and acknowledgements.
    InNetwork,
    /// Packets in the interface queues of the nodes.
    Queue,
    /// Contention windows of the nodes, and their stages with back-off fba.
    Backoff,
    /// Of flows with a file: bytes of the file that are not at the destination yet, each multiplied by the hops that it
    /// has to go. One value every tenth of a second.
    ConnectionProgress,
}

impl Quantity {
    /// What is written where nothing else is asked for: all but what makes the file much larger.
    pub const USUAL: &[Self] = &[Self::Cwnd, Self::Ssthresh, Self::Rtt, Self::Rto, Self::InFlight, Self::Queue];
}

/// Which events `events.parquet` contains, with the events that led to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lineage {
    /// None: there is no such file.
    Off,
    /// Losses, what senders did about losses, and all events that led to these events.
    Losses,
    /// All events: every packet and every try of a station.
    All,
}

/// Which of ns-2's trace formats is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ns2Trace {
    /// No trace.
    Off,
    /// The old wireless format.
    Old,
    /// The new wireless format.
    New,
}

/// A layer of ns-2's trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TraceLayer {
    /// The ends of flows (AGT).
    Agent,
    /// Routing (RTR).
    Router,
    /// The MAC (MAC).
    Mac,
}

impl TraceLayer {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Agent, Self::Router, Self::Mac];
}

/// A panel of a flow's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Panel {
    /// Congestion window and slow-start threshold.
    Cwnd,
    /// Data that was sent, sent again and acknowledged.
    Sequence,
    /// Round-trip times and the retransmission time-out.
    Rtt,
    /// The fullest interface queues.
    Queue,
}

impl Panel {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Cwnd, Self::Sequence, Self::Rtt, Self::Queue];
}

impl Serialize for Captured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str(Self::ALL),
            Self::Nodes(nodes) => {
                let mut list = serializer.serialize_seq(Some(nodes.len()))?;
                nodes.iter().try_for_each(|node| list.serialize_element(node))?;
                list.end()
            }
        }
    }
}

/// By hand: what serde makes of an untagged enum cannot say which entry of the list is wrong.
impl<'de> Deserialize<'de> for Captured {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CapturedVisitor)
    }
}

struct CapturedVisitor;

impl<'de> Visitor<'de> for CapturedVisitor {
    type Value = Captured;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of node numbers or 'all'")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Captured, E> {
        if word == Captured::ALL { Ok(Captured::All) } else { Err(E::unknown_variant(word, &[Captured::ALL])) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Captured, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Captured::Nodes(nodes))
    }
}

impl JsonSchema for Captured {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Captured".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [
            { "type": "array", "items": generator.subschema_for::<u32>(), "uniqueItems": true },
            { "type": "string", "enum": [Self::ALL] },
        ] })
    }
}
