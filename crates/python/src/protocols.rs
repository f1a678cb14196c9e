//! The tables of transport protocols, mechanisms and parameters as JSON.

use hopwright_scenario::model::Tcp;
use hopwright_transport::{Parameter, Params, Protocol, Value, WHOLE, Whole, parameters, protocols, slots};
use pyo3::prelude::*;
use serde_json::{Map, json};

type Json = serde_json::Value;

/// Every transport protocol: a JSON list of objects; `id`, `source`, slots, settings, parameters.
#[pyfunction]
pub(crate) fn protocols_json() -> String {
    // UDP is no composition: it has no slots to fill.
    let udp = json!({ "id": "udp", "source": "RFC 768", "slots": {}, "settings": {}, "parameters": {} });
    Json::Array(protocols().iter().map(row).chain(WHOLE.iter().map(whole)).chain([udp]).collect()).to_string()
}

/// Every slot: a JSON list of objects; `slot`, what it `decides`, its `mechanisms` with id, source, needs and
/// the names of the parameters that they alone read.
#[pyfunction]
pub(crate) fn slots_json() -> String {
    let of = |slot: &str, part: &str| -> Vec<&str> {
        let reader = format!("{slot}.{part}");
        parameters().iter().filter(|p| is_settable(p) && p.used_by.contains(&reader)).map(|p| p.name).collect()
    };
    let described = slots().into_iter().map(|slot| {
        let mechanism = |part: &hopwright_transport::PartInfo| {
            let (needs, parameters) = (part.needs.names(), of(slot.name, part.id));
            json!({ "id": part.id, "source": part.spec, "needs": needs, "parameters": parameters })
        };
        let mechanisms: Vec<_> = slot.parts.iter().map(mechanism).collect();
        json!({ "slot": slot.name, "decides": slot.decides, "mechanisms": mechanisms })
    });
    Json::Array(described.collect()).to_string()
}

/// Every parameter: a JSON list of objects; `name`, `unit`, `default` with and without profile ns2, what is
/// `possible`, `about`, `used_by`.
#[pyfunction]
pub(crate) fn parameters_json() -> String {
    let ns2 = Params::ns2();
    let described = parameters().iter().filter(|p| is_settable(p)).map(|p| {
        json!({
            "name": p.name, "unit": p.unit, "default": plain(p.default_value()), "default_ns2": plain(p.get(&ns2)),
            "possible": p.possible(), "about": p.about, "used_by": p.used_by,
        })
    });
    Json::Array(described.collect()).to_string()
}

fn is_settable(parameter: &Parameter) -> bool {
    !Tcp::NOT_IN_SCENARIOS.contains(&parameter.name)
}

/// A protocol, its parts by slot, the defaults it changes, and all parameters that matter to it with their defaults.
fn row(protocol: &Protocol) -> Json {
    let params = protocol.params(Params::default());
    let parameters = protocol.recipe.parameters().filter(|p| is_settable(p));
    let parameters: Map<_, _> = parameters.map(|p| (p.name.to_owned(), plain(p.get(&params)))).collect();
    let settings: Map<_, _> = protocol.settings.iter().map(|(n, v)| ((*n).to_owned(), plain((*v).into()))).collect();
    let slots: Map<_, _> = protocol.recipe.parts().into_iter().map(|(slot, p)| (slot.to_owned(), p.into())).collect();
    json!({
        "id": protocol.id, "source": protocol.source, "slots": slots, "settings": settings, "parameters": parameters,
    })
}

/// The same of a transport without slots.
fn whole(transport: &Whole) -> Json {
    let params = transport.params(Params::default());
    let value = |name: &str| params.value(name).map_or(Json::Null, plain);
    let parameters = transport.knobs.iter().map(|knob| (knob.name.to_owned(), value(knob.name)));
    let parameters: Map<_, _> = parameters.collect();
    let settings = transport.settings.iter().map(|(n, v)| ((*n).to_owned(), plain((*v).into())));
    let settings: Map<_, _> = settings.collect();
    json!({ "id": transport.id, "source": transport.source, "slots": {}, "settings": settings, "parameters": parameters })
}

fn plain(value: Value) -> Json {
    match value {
        Value::Number(n) if n.fract() == 0.0 && n.abs() < 1e15 => json!(n as i64),
        Value::Number(n) => json!(n),
        Value::Bool(b) => json!(b),
        Value::Word(w) => json!(w),
    }
}
