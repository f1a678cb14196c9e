//! `[links.profile]`: what a link follows, pipe after pipe, or one for each packet.

use super::limit::{LONGEST_S, Limit, above, from};
pub use hopwright_shape::profile::Mode as ProfileMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a connection met on its way somewhere else, as pipes that a link follows. Delay and losses are those of the pipes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkProfile {
    /// How the pipes are used.
    #[serde(flatten)]
    pub rules: ProfileRules,
    /// The pipes, in order.
    pub pipes: Vec<ProfilePipe>,
}

/// How the pipes of a profile are used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileRules {
    /// Whether one pipe follows another.
    #[serde(default)]
    pub mode: ProfileMode,
    /// Whether the first pipe follows the last; if not, the last stays. Only with `mode = "sequential"`.
    #[serde(default)]
    pub repeat: bool,
    /// On which way the pipes lose packets.
    #[serde(default)]
    pub losses: ProfileLosses,
    /// On which way the pipes delay packets.
    #[serde(default)]
    pub delays: ProfileDelays,
}

/// On which way the pipes of a profile lose packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileLosses {
    /// From `from` to `to`: that of the data.
    #[default]
    Forward,
    /// On the way back.
    Reverse,
    /// On both.
    Both,
}

/// On which way the pipes of a profile delay packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileDelays {
    /// On both, half of the round trip each.
    #[default]
    Both,
    /// From `from` to `to`: all of it. That is the way of the data.
    Forward,
    /// On the way back: all of it.
    Reverse,
}

/// One pipe of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfilePipe {
    /// The round trip, ms.
    pub rtt_ms: f64,
    /// How long it lasts, seconds, if one follows another: 0 for the last, which stays.
    #[serde(default)]
    pub lifetime_s: f64,
    /// The share of packets that take it, if all are there at once; together 1.
    #[serde(default)]
    pub probability: f64,
    /// Packets that it loses, per cent.
    #[serde(default)]
    pub loss_percent: f64,
    /// What it carries, kb/s. Default: what the link carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_kbps: Option<f64>,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("rtt_ms", 0.0, 1e6),
    from("lifetime_s", 0.0, LONGEST_S),
    from("probability", 0.0, 1.0),
    from("loss_percent", 0.0, 100.0),
    above("rate_kbps", 0.0, 1e9),
];
