//! What a radio draws from its battery.

use super::limit::{Limit, from};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

/// What a radio draws: the name of a table, or a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PowerTable {
    /// A known one.
    Named(Card),
    /// The file's own.
    Own(Powers),
}

/// A card whose powers are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Card {
    /// AT&T's WaveLAN: 1.6 W, 1.2 W and 1.15 W to transmit, receive and wait.
    Wavelan,
    /// Lucent's WaveLAN of IEEE 802.11, 2 Mbit/s: 1.3272 W, 0.96696 W and 0.84372 W.
    Lucent,
    /// What ns-2 takes if it is told nothing: 0.66 W, 0.395 W and nothing.
    Ns2,
}

/// What a radio draws in each of its states, watts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Powers {
    /// While it sends, watts.
    pub transmit_w: f64,
    /// While a frame arrives that is for the node or for everyone, watts.
    pub receive_w: f64,
    /// While a frame arrives that is for another node, watts; without it, `receive_w`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhear_w: Option<f64>,
    /// While a frame arrives that is too weak to be decoded, watts; without it, `receive_w`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense_w: Option<f64>,
    /// While nothing is in the air, watts.
    pub idle_w: f64,
    /// While the node is down, watts.
    #[serde(default)]
    pub off_w: f64,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("transmit_w", 0.0, 1e6),
    from("receive_w", 0.0, 1e6),
    from("overhear_w", 0.0, 1e6),
    from("sense_w", 0.0, 1e6),
    from("idle_w", 0.0, 1e6),
    from("off_w", 0.0, 1e6),
];

impl Powers {
    /// Fills in powers that are still open.
    pub fn close(&mut self) {
        self.overhear_w.get_or_insert(self.receive_w);
        self.sense_w.get_or_insert(self.receive_w);
    }
}

/// A word: tables are read by themselves, so that each of their keys can be told to be wrong.
impl<'de> Deserialize<'de> for PowerTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Card::deserialize(deserializer).map(Self::Named)
    }
}

impl JsonSchema for PowerTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PowerTable".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [generator.subschema_for::<Card>(), generator.subschema_for::<Powers>()] })
    }
}
