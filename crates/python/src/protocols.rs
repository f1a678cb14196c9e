//! The table of transport protocols as JSON.

use hopwright_transport::{PROTOCOLS, Parameter, Protocol, Value};
use pyo3::prelude::*;
use serde_json::{Map, json};

/// Every transport protocol: a JSON list of objects; `id`, slots, parameters, `source`.
#[pyfunction]
pub(crate) fn protocols_json() -> String {
    // UDP is no composition: it has no slots to fill.
    let udp = json!({ "id": "udp", "source": "RFC 768", "slots": {}, "parameters": {} });
    serde_json::Value::Array(PROTOCOLS.iter().map(row).chain([udp]).collect()).to_string()
}

/// A protocol, its parts by slot, and the parameters that a scenario can give it, with their defaults.
fn row(protocol: &Protocol) -> serde_json::Value {
    let settable = |p: &&Parameter| !hopwright_scenario::model::Tcp::NOT_IN_SCENARIOS.contains(&p.name);
    let parameters: Map<String, serde_json::Value> =
        protocol.recipe.parameters().filter(settable).map(|p| (p.name.to_owned(), plain(p.default_value()))).collect();
    let slots: Map<String, serde_json::Value> =
        protocol.recipe.parts().into_iter().map(|(slot, part)| (slot.to_owned(), part.into())).collect();
    json!({ "id": protocol.id, "source": protocol.source, "slots": slots, "parameters": parameters })
}

fn plain(value: Value) -> serde_json::Value {
    match value {
        Value::Number(n) if n.fract() == 0.0 && n.abs() < 1e15 => json!(n as i64),
        Value::Number(n) => json!(n),
        Value::Bool(b) => json!(b),
        Value::Word(w) => json!(w),
    }
}
