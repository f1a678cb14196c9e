//! `[[attach]]`: programs of the real world at nodes of an emulation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network namespace that `hopwright emulate` makes, whose only way out is a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// The node. Its address is the namespace's.
    pub node: u32,
    /// What the namespace is called; 1 to 32 letters, digits, '-', '_' and '.'. Default: `node-` and the node's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What passes between the namespace and the node.
    #[serde(default)]
    pub layer: AttachLayer,
    /// A program that runs there from the start: its name and its words. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

impl Attach {
    /// What its namespace is called.
    #[must_use]
    pub fn name(&self) -> String {
        self.namespace.clone().unwrap_or_else(|| format!("node-{}", self.node))
    }
}

/// What passes between a namespace and its node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttachLayer {
    /// IP packets: the node's router finds the way.
    #[default]
    Ip,
}
