//! `[[relays]]`: nodes between two links that help connections over TCP.

use super::limit::{Limit, PERIOD_MS, from};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// One entry of `[[relays]]`. The variant is chosen by the key `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Relay {
    /// The relay sends packets again that the wireless side lost (Balakrishnan and others 1995).
    Snoop(Snoop),
    /// The relay ends connections and carries their data over its own (Bakre and Badrinath 1995).
    Split(Split),
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("node", 0.0, 9_999.0),
    from("towards", 0.0, 9_999.0),
    from("cache_packets", 1.0, 1e6),
    from("min_timeout_ms", PERIOD_MS, 1e6),
    from("retry_limit", 1.0, 255.0),
    from("buffer_bytes", 536.0, 1_073_725_440.0),
];

impl Relay {
    /// The values of `kind`.
    pub const KINDS: &[&str] = &["snoop", "split"];

    /// Its node, and the neighbour on the wireless side, where that is given.
    #[must_use]
    pub const fn place(&self) -> (u32, Option<u32>) {
        match self {
            Self::Snoop(Snoop { node, towards, .. }) | Self::Split(Split { node, towards, .. }) => (*node, *towards),
        }
    }
}

/// The relay sends packets again that the wireless side lost (Balakrishnan and others 1995).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snoop {
    /// The node.
    pub node: u32,
    /// The neighbour on the wireless side. The relay keeps data that go to this neighbour. If data from this neighbour
    /// were lost before the relay, the relay tells their sender. Default: for each flow, the neighbour towards its
    /// receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub towards: Option<u32>,
    /// Largest number of packets of a connection that the relay keeps.
    #[serde(default = "default_cache")]
    pub cache_packets: u32,
    /// Shortest wait for an acknowledgement before the relay sends a packet again, ms. Otherwise the wait is the
    /// smoothed round-trip time of the wireless side plus four deviations.
    #[serde(default = "default_timeout")]
    pub min_timeout_ms: f64,
    /// How often the relay sends a packet again at most, until the sender sends this packet again.
    #[serde(default = "default_retries")]
    pub retry_limit: u32,
}

/// The relay ends connections and carries their data over its own (Bakre and Badrinath 1995).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The node.
    pub node: u32,
    /// The neighbour on the wireless side. Only flows that send data to this neighbour are split. Default: all flows
    /// that pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub towards: Option<u32>,
    /// The protocol of the relay's own connections. Default: the protocol of the flow, with the flow's mechanisms and
    /// parameters, but without its triggers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = protocols)]
    pub protocol: Option<String>,
    /// Buffer for data of a flow that the receiver has not acknowledged, bytes. The window that the relay offers to the
    /// sender is the free part of this buffer. Default: as much as the receiver of the flow would offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_bytes: Option<u32>,
}

/// Those that there are.
fn protocols(schema: &mut Schema) {
    let ids: Vec<&str> = hopwright_transport::protocols().iter().map(|row| row.id).collect();
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), ids.into());
}

const fn default_cache() -> u32 {
    100
}

const fn default_timeout() -> f64 {
    100.0
}

const fn default_retries() -> u32 {
    10
}
