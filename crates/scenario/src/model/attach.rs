//! `[[attach]]`: programs of the real world at nodes of an emulation.

use super::limit::{COUNT, Limit, from};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network namespace that `hopwright emulate` makes, whose only way out is a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// The node. The namespace has the address of this node.
    pub node: u32,
    /// Name of the namespace: 1 to 32 letters, digits, '-', '_' and '.'; not `localhost`, and not the name of another node.
    /// Default: `node-` and the number of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What the namespace and the node exchange.
    #[serde(default)]
    pub layer: AttachLayer,
    /// With `layer = "ethernet"`: length of the prefix of the namespace's address. Default: 8. With 8 the kernel
    /// assumes that every node is a neighbour, and asks for its MAC address by ARP. With 32 no node is a neighbour
    /// until a route says so, as routing daemons need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix_length: Option<u8>,
    /// Whether the program may change its own namespace: routes, addresses, filters. In this namespace, and nowhere
    /// else, it then has the capability CAP_NET_ADMIN and the capabilities that raw sockets and low ports need.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(extend("default" = false))]
    pub privileged: bool,
    /// A program that runs in the namespace from the start: its name and its arguments. Default: none.
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
    /// IP packets, for which the node's router finds the route.
    #[default]
    Ip,
    /// Ethernet frames, which the node's station carries to its neighbours. No router of the simulation sees these
    /// frames. The MAC address of the namespace is 02:00:00:00:00:00 plus the number of the node.
    Ethernet,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(of: &bool) -> bool {
    !*of
}
