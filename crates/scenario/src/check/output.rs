//! What is asked to be written: each thing once, of nodes that there are.

use std::collections::BTreeSet;

use serde::Serialize;

use super::flows::how_many;
use crate::model::{Captured, Output};
use crate::read::Document;

/// Refuses what is listed twice: an order is never meant, so a repetition is a slip.
pub(super) fn lists(document: &mut Document, output: &Output) {
    if let Captured::Nodes(nodes) = &output.pcap {
        once(document, "output.pcap", nodes);
    }
    once(document, "output.series", &output.series);
    once(document, "output.ns2_trace_layers", &output.ns2_trace_layers);
    once(document, "output.figures", &output.figures);
}

/// Refuses nodes outside the topology.
pub(super) fn nodes(document: &mut Document, output: &Output, nodes: usize) {
    let Captured::Nodes(captured) = &output.pcap else { return };
    for (n, node) in captured.iter().enumerate() {
        if *node as usize >= nodes {
            document
                .refuse(&format!("output.pcap.{n}"), format!("there is no node {node}: {}", how_many(nodes, "node")));
        }
    }
}

/// Refuses what a list has twice.
pub(super) fn once<T: Serialize>(document: &mut Document, key: &str, list: &[T]) {
    let mut seen = BTreeSet::new();
    for (n, entry) in list.iter().enumerate() {
        let word = toml::Value::try_from(entry).expect("a number or a word").to_string().replace('"', "'");
        let reason = format!("{word} is listed twice");
        if !seen.insert(word) {
            document.refuse(&format!("{key}.{n}"), reason);
        }
    }
}
