//! `[[attach]]`: programs of the real world at nodes of an emulation.

use super::limit::{COUNT, Limit, from};
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
    /// With `layer = "ethernet"`: length of the prefix of the namespace's address, by default 8. With 8 the kernel takes every
    /// node for a neighbour, and asks for it by ARP; with 32 for none, until a route says so, as routing daemons want it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix_length: Option<u8>,
    /// Whether the program may change its own namespace: routes, addresses, filters. It has the capability CAP_NET_ADMIN
    /// and those that raw sockets and low ports need, there and nowhere else.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub privileged: bool,
    /// A program that runs there from the start: its name and its words. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[from("node", 0.0, COUNT), from("prefix_length", 1.0, 32.0)];

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
    /// Ethernet frames: the node's station carries them to its neighbours, and no router of the simulation sees them. The
    /// namespace's MAC address is 02:00:00:00:00:00 plus the node's number.
    Ethernet,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(of: &bool) -> bool {
    !*of
}
