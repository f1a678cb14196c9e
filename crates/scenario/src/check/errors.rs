//! Damage to frames: of frames that there are, between nodes that there are.

use super::flows::how_many;
use super::output::once;
use crate::model::Scenario;
use crate::read::Document;

/// Refuses entries that say nothing.
pub(super) fn lists(document: &mut Document, scenario: &Scenario) {
    for (n, errors) in scenario.errors.iter().enumerate() {
        let (from, to, frames) = errors.frames();
        if frames.is_empty() {
            document.refuse(&format!("errors.{n}.frames"), "at least one kind of frame is needed".to_owned());
        }
        once(document, &format!("errors.{n}.frames"), frames);
        if from.is_some() && from == to {
            let reason = format!(
                "is also the node that sends the frames ({}): a node sends no frames to itself",
                to.unwrap_or(0)
            );
            document.refuse(&format!("errors.{n}.to"), reason);
        }
    }
}

/// Refuses nodes outside the topology.
pub(super) fn nodes(document: &mut Document, scenario: &Scenario, nodes: usize) {
    for (n, errors) in scenario.errors.iter().enumerate() {
        let (from, to, _) = errors.frames();
        for (key, node) in [("from", from), ("to", to)] {
            if let Some(node) = node.filter(|&node| node as usize >= nodes) {
                document.refuse(
                    &format!("errors.{n}.{key}"),
                    format!("there is no node {node}: {}", how_many(nodes, "node")),
                );
            }
        }
    }
}
