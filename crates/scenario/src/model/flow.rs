//! Who sends what to whom, and when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Transport;
use super::limit::{COUNT, LARGEST, LONGEST_S, Limit, SHORTEST_S, from};

/// One entry of `[[flows]]`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flow {
    /// Sender and receiver.
    #[serde(flatten)]
    pub ends: Ends,
    /// How many of them.
    #[serde(flatten)]
    pub copies: Copies,
    /// What produces the data.
    #[serde(flatten)]
    pub app: App,
    /// From when to when.
    #[serde(flatten)]
    pub times: FlowTimes,
    /// What carries the data.
    pub transport: Transport,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("from", 0.0, COUNT),
    from("to", 0.0, COUNT),
    from("count", 1.0, 10_000.0),
    from("parallel", 1.0, 10_000.0),
    from("start_s", 0.0, LONGEST_S),
    from("stop_s", 0.0, LONGEST_S),
    from("rate_kbps", 0.001, 1e8),
    from("payload_bytes", 1.0, 65_507.0),
    from("jitter", 0.0, 1.0),
    from("on_s", SHORTEST_S, LONGEST_S),
    from("off_s", 0.0, LONGEST_S),
    from("bytes", 1.0, LARGEST),
];

/// Sender and receiver.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Ends {
    /// The two nodes.
    Two(TwoEnds),
    /// Drawn at random.
    Random(RandomEnds),
}

/// The two nodes of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoEnds {
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
}

/// Flows between nodes drawn at random.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomEnds {
    /// How the ends are drawn.
    pub pairs: Pairs,
    /// Number of flows. No two flows have both ends in common.
    #[serde(default = "default_count")]
    pub count: u32,
}

/// How the ends of flows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// Every ordered pair of different nodes is equally likely.
    Random,
}

/// Flows that are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Number of flows that each pair of ends has. These flows are all alike.
    #[serde(default = "default_count")]
    pub parallel: u32,
}

/// From when to when a flow sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowTimes {
    /// When the application starts, seconds.
    #[serde(default)]
    pub start_s: f64,
    /// When the application stops, seconds. Default: the end of the run.
    // Not filled in: a stored scenario that is run again with another duration would keep the old end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_s: Option<f64>,
}

/// What produces the data. The variant is chosen by the key `app`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "app", rename_all = "kebab-case")]
pub enum App {
    /// The application sends as much data as the network takes.
    Bulk(Bulk),
    /// The application sends datagrams at a constant rate.
    Cbr(Cbr),
    /// The application sends datagrams at a constant rate, with pauses.
    #[serde(rename = "onoff")]
    OnOff(OnOff),
    /// The application sends a file of `bytes` bytes. Then the connection closes.
    File(File),
}

impl App {
    /// The values of `app`.
    pub const KINDS: &[&str] = &["bulk", "cbr", "onoff", "file"];

    /// The value of `app`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Bulk(_) => "bulk",
            Self::Cbr(_) => "cbr",
            Self::OnOff(_) => "onoff",
            Self::File(_) => "file",
        }
    }

    /// The value of `app` where the file says nothing.
    pub const DEFAULT: &str = "bulk";

    /// The values of `app` that send datagrams, so that only UDP can carry them.
    #[must_use]
    pub fn sends_datagrams_as(kind: &str) -> bool {
        matches!(kind, "cbr" | "onoff")
    }

    /// Whether it sends datagrams, so that only UDP can carry it.
    #[must_use]
    pub fn sends_datagrams(&self) -> bool {
        Self::sends_datagrams_as(self.kind())
    }
}

/// The application sends as much data as the network takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bulk {}

/// The application sends datagrams at a constant rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cbr {
    /// Rate of application data, kb/s.
    pub rate_kbps: f64,
    /// Application data in a datagram, bytes. The default fills an IP packet of 1500 bytes.
    #[serde(default = "default_payload_bytes")]
    pub payload_bytes: u32,
    /// Largest share by which each gap between datagrams is changed, evenly drawn. 0.5: from half the gap to one and a
    /// half times the gap.
    #[serde(default)]
    pub jitter: f64,
}

/// The application sends datagrams at a constant rate, with pauses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Rate of application data while sending, kb/s.
    pub rate_kbps: f64,
    /// Application data in a datagram, bytes. The default fills an IP packet of 1500 bytes.
    #[serde(default = "default_payload_bytes")]
    pub payload_bytes: u32,
    /// Largest share by which each gap between datagrams is changed, evenly drawn. 0.5: from half the gap to one and a
    /// half times the gap.
    #[serde(default)]
    pub jitter: f64,
    /// Time of sending, seconds.
    pub on_s: f64,
    /// Time of silence, seconds.
    pub off_s: f64,
}

/// The application sends a file of `bytes` bytes. Then the connection closes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Length of the file, bytes.
    #[serde(deserialize_with = "super::run::number_of_toml")]
    pub bytes: u64,
}

const fn default_count() -> u32 {
    1
}

const fn default_payload_bytes() -> u32 {
    1472
}
