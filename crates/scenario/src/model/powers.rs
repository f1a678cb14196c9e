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
    /// WaveLAN of AT&T: 1.6 W to transmit, 1.2 W to receive and 1.15 W to wait.
    Wavelan,
    /// WaveLAN of Lucent, IEEE 802.11, 2 Mbit/s: 1.3272 W to transmit, 0.96696 W to receive and 0.84372 W to wait.
    Lucent,
    /// Defaults of ns-2: 0.66 W to transmit, 0.395 W to receive and 0 W to wait.
    Ns2,
}

/// The power that a radio takes in each of its states, watts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Powers {
    /// Power while the radio sends, watts.
    pub transmit_w: f64,
    /// Power while a frame for this node or for all nodes arrives, watts.
    pub receive_w: f64,
    /// Power while a frame for another node arrives, watts. Default: `receive_w`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhear_w: Option<f64>,
    /// Power while a frame that is too weak to be decoded arrives, watts. Default: `receive_w`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sense_w: Option<f64>,
    /// Power while nothing is in the air, watts.
    pub idle_w: f64,
    /// Power while the node is down, watts.
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
