//! What transports compute, in joules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What transports compute, in joules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Energy {
    /// File of what an event costs each transport, from `hopwright measure-energy --out`: results then say what
    /// transports computed. None: it is not counted. A path is one from the scenario's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute: Option<String>,
}

impl Energy {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
