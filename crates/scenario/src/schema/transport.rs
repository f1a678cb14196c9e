//! `[flows.transport]`, from the transport layer's lists.

use hopwright_transport::params::{ParamError, Value as ParamValue};
use hopwright_transport::{Parameter, Params, WHOLE, parameters, protocols, slots};
use serde_json::{Value, json};

use super::defaults::with_ns2;
use super::numbers::plain;
use super::tidy::meaning;
use super::{Object, keys, of};
use crate::model::{Profile, Tcp, Transport, Trigger, TriggerSettings};

const ABOUT: &str = "The transport that carries the data of the flow.";

/// The transport of a byte stream: a protocol, slots filled otherwise, parameters.
pub(super) fn tcp() -> Value {
    let mut properties = Object::new();
    properties.insert("protocol".to_owned(), protocol());
    for slot in slots() {
        let (parts, specs): (Vec<_>, Vec<_>) = slot.parts.iter().map(|p| (p.id, p.spec.into())).unzip();
        let about = format!("{} Default: the mechanism of the protocol.", slot.decides);
        let schema = json!({ "description": about, "type": "string", "enum": parts, "x-taplo": meaning(specs) });
        properties.insert(slot.name.to_owned(), schema);
    }
    properties.insert("triggers".to_owned(), triggers());
    let about = "A file with triggers, as `hopwright adapt` writes it. The triggers are read as if they stood here.";
    properties.insert("policy".to_owned(), json!({ "description": about, "type": "string", "x-used-by": "triggers" }));
    for (key, mut schema) in keys(of::<TriggerSettings>()) {
        schema["x-used-by"] = "triggers".into();
        properties.insert(key, schema);
    }
    for parameter in parameters().iter().filter(|p| !Tcp::NOT_IN_SCENARIOS.contains(&p.name)) {
        properties.insert(parameter.name.to_owned(), Value::Object(self::parameter(parameter)));
    }
    json!({ "description": ABOUT, "type": "object", "properties": properties, "additionalProperties": false })
}

/// Its triggers, whose slots are those of the transport.
fn triggers() -> Value {
    let slots = slots();
    let parts = slots.iter().map(|slot| {
        let parts: Vec<&str> = slot.parts.iter().map(|part| part.id).collect();
        (slot.name.to_owned(), json!({ "description": slot.decides, "type": "string", "enum": parts }))
    });
    let parts: Object = parts.collect();
    let mut trigger = of::<Trigger>();
    if let Some(set) = trigger.get_mut("properties").and_then(|p| p.get_mut("set")).and_then(Value::as_object_mut) {
        set.insert("properties".to_owned(), Value::Object(parts));
        set.insert("additionalProperties".to_owned(), false.into());
    }
    let about =
        "Rules by which mechanisms change during the connection. They depend on what the sender measures of the path.";
    json!({ "description": about, "type": "array", "items": trigger })
}

/// The transport of datagrams.
pub(super) fn udp() -> Value {
    let protocol = json!({
        "description": "The transport protocol.", "type": "string", "enum": [Transport::UDP], "default": Transport::UDP,
    });
    let properties = json!({ "protocol": protocol });
    json!({ "description": ABOUT, "type": "object", "properties": properties, "additionalProperties": false })
}

fn protocol() -> Value {
    let rows = protocols().iter().map(|p| (p.id, p.source.into()));
    let others = WHOLE.iter().map(|transport| (transport.id, transport.source.into()));
    let (ids, sources): (Vec<_>, Vec<_>) = rows.chain(others).unzip();
    let parts = protocols().iter().map(|p| {
        let parts = p.recipe.parts().into_iter().map(|(slot, part)| (slot.to_owned(), part.into()));
        (p.id.to_owned(), Value::Object(parts.collect()))
    });
    json!({
        "description": "The transport protocol.", "type": "string", "enum": ids, "default": Transport::DEFAULT_TCP,
        "x-taplo": meaning(sources), "x-slots": parts.collect::<Object>(),
    })
}

fn parameter(parameter: &Parameter) -> Object {
    let mut schema = Object::new();
    schema.insert("description".to_owned(), sentence(parameter.about).into());
    schema.extend(possible(parameter));
    let default = |profile| json_of(&parameter.get(&Tcp::params_of_profile(profile)));
    schema.insert("default".to_owned(), default(Profile::Standard));
    with_ns2(&mut schema, &default(Profile::Ns2), std::iter::empty());
    schema.insert("x-used-by".to_owned(), parameter.used_by.join(", ").into());
    schema
}

/// Type and limits, asked of the parameter itself: it alone knows, and says so when it refuses.
fn possible(parameter: &Parameter) -> Object {
    let refusal = |value| match parameter.set(&mut Params::default(), value) {
        Err(ParamError::Expected(what)) => what,
        _ => String::new(),
    };
    // No number at all, then a fraction within the range.
    let range = refusal(ParamValue::Number(f64::NAN));
    let known = if let Some(words) = range.strip_prefix("one of ") {
        json!({ "type": "string", "enum": words.split(' ').collect::<Vec<_>>() })
    } else if let Some(words) = range.strip_prefix("true, false or ") {
        json!({ "oneOf": [{ "type": "boolean" }, { "type": "string", "enum": words.split(' ').collect::<Vec<_>>() }] })
    } else if let Some((least, most)) = range.strip_prefix("a number from ").and_then(|r| r.split_once(" to ")) {
        let bound = |text: &str| text.parse::<f64>().expect("a limit is a number");
        let (least, most) = (bound(least), bound(most));
        let is_whole = !refusal(ParamValue::Number(least + 0.5)).is_empty();
        json!({ "type": if is_whole { "integer" } else { "number" }, "minimum": plain(least), "maximum": plain(most) })
    } else {
        assert_eq!(range, "true or false", "{} is of a kind that the schema does not know", parameter.name);
        json!({ "type": "boolean" })
    };
    known.as_object().cloned().unwrap_or_default()
}

fn json_of(value: &ParamValue) -> Value {
    match value {
        ParamValue::Number(n) => plain(*n),
        ParamValue::Bool(b) => (*b).into(),
        ParamValue::Word(word) => word.as_str().into(),
    }
}

fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    let first = letters.next().filter(|_| !about.starts_with("ns-2"));
    format!(
        "{}{}.",
        first.map(|f| f.to_uppercase().to_string()).unwrap_or_default(),
        if first.is_some() { letters.as_str() } else { about }
    )
}
