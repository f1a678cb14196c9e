//! What transports compute, in joules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What transports compute, in joules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Energy {
    /// File with the energy that an event costs each transport, as `hopwright measure-energy --out` writes it. Results
    /// then contain the energy of computation. Default: it is not counted. The path is relative to the folder of the
    /// scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute: Option<String>,
}

impl Energy {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
