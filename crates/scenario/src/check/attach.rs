//! Attached programs: that each has a node and a name of its own.

use std::collections::BTreeMap;

use super::flows::how_many;
use crate::model::{AttachLayer, Scenario};
use crate::read::Document;

/// Names of namespaces are shown and typed.
const LONGEST_NAME: usize = 32;

/// Refuses what cannot be in a network of so many nodes.
pub(crate) fn rules(document: &mut Document, scenario: &Scenario, nodes: usize) {
    let (mut places, mut names) = (BTreeMap::new(), BTreeMap::new());
    for (n, attach) in scenario.attach.iter().enumerate() {
        let node = attach.node;
        if node as usize >= nodes {
            document
                .refuse(&format!("attach.{n}.node"), format!("there is no node {node}: {}", how_many(nodes, "node")));
        } else if let Some(before) = places.insert(node, n) {
            let reason = format!(
                "entry {before} is already at node {node}: a node has one namespace and one program; a shell can \
                 start several: command = ['sh', '-c', 'FIRST & SECOND']"
            );
            document.refuse(&format!("attach.{n}.node"), reason);
        }
        let name = attach.name();
        let host = name.to_ascii_lowercase(); // names of hosts are the same in capitals: hosts(5)
        let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_good) {
            let reason = format!("'{name}' is not a valid name: 1 to {LONGEST_NAME} letters, digits, '-', '_' and '.'");
            document.refuse(&format!("attach.{n}.namespace"), reason);
        } else if host == "localhost" {
            let reason = format!("'{name}' is the name of every namespace for itself");
            document.refuse(&format!("attach.{n}.namespace"), reason);
        } else if let Some(other) = of_a_node(&host).filter(|&other| other != node && (other as usize) < nodes) {
            document.refuse(&format!("attach.{n}.namespace"), format!("'{name}' is the name of node {other}"));
        } else if let Some(before) = names.insert(host, n) {
            document.refuse(&format!("attach.{n}.namespace"), format!("entry {before} already has the name '{name}'"));
        }
        if attach.layer == AttachLayer::Ethernet && scenario.has_links() {
            let reason = "'ethernet' has no effect with topology.kind = 'links': there is no MAC to carry frames";
            document.refuse(&format!("attach.{n}.layer"), reason.to_owned());
        }
        if attach.prefix_length.is_some() && attach.layer != AttachLayer::Ethernet {
            let reason = "has no effect without layer = ethernet: all nodes are in 10.0.0.0/8".to_owned();
            document.refuse(&format!("attach.{n}.prefix_length"), reason);
        }
        if attach.command.first().is_some_and(String::is_empty) {
            document
                .refuse(&format!("attach.{n}.command"), "the first word must be the name of the program".to_owned());
        }
    }
}

/// The node of which this is the name by default.
fn of_a_node(host: &str) -> Option<u32> {
    let node = host.strip_prefix("node-")?.parse().ok()?;
    (host == format!("node-{node}")).then_some(node) // and not `node-01`
}
