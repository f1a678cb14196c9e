//! `[[relays]]`: nodes between two links that help connections over TCP.

use super::limit::{Limit, PERIOD_MS, from};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

/// One entry of `[[relays]]`. The variant is chosen by the key `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Relay {
    /// Sends again what the wireless side lost (Balakrishnan and others 1995).
    Snoop(Snoop),
    /// Ends connections and carries their data on over its own (Bakre and Badrinath 1995).
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

/// Sends again what the wireless side lost (Balakrishnan and others 1995).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snoop {
    /// The node.
    pub node: u32,
    /// The neighbour on the wireless side: data that go there are kept, and of data that come from there their sender is told
    /// which were lost on the way. Default: of each flow the neighbour towards its receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub towards: Option<u32>,
    /// Packets of a connection that it keeps at most.
    #[serde(default = "default_cache")]
    pub cache_packets: u32,
    /// The shortest wait for an acknowledgement before a packet is sent again, ms; else the smoothed round-trip time of the
    /// wireless side and four deviations.
    #[serde(default = "default_timeout")]
    pub min_timeout_ms: f64,
    /// How often it sends a packet again at most, until the sender does.
    #[serde(default = "default_retries")]
    pub retry_limit: u32,
}

/// Ends connections and carries their data on over its own (Bakre and Badrinath 1995).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The node.
    pub node: u32,
    /// The neighbour on the wireless side: only flows that send their data there are split. Default: all that pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub towards: Option<u32>,
    /// The protocol of its own connections. Default: the flow's, with the flow's mechanisms and parameters, but without
    /// its triggers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = protocols)]
    pub protocol: Option<String>,
    /// What it holds of a flow's data that the receiver has not acknowledged, bytes: as much window is offered to the
    /// sender as there is room. Default: as much as the flow's receiver would offer.
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
