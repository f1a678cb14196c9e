//! From the schema that is derived to the one that is told: each number says all about itself.

use serde_json::{Value, json};

use crate::annotations::{Object, shown};

/// What an object says of its members, if they do not say it themselves.
const INHERITED: [&str; 6] = ["x-unit", "x-better", "x-over-flows", "x-shown", "x-when", "x-each"];
/// Numbers that only name something.
const NAMES: [&str; 5] = ["seed", "from", "to", "node", "flow"];
/// How names end, and in which unit that is.
const UNITS: [(&str, &str); 7] = [
    ("_bps", "b/s"),
    ("_pps", "packets/s"),
    ("_bytes", "bytes"),
    ("_packets", "packets"),
    ("_segments", "segments"),
    ("_s", "s"),
    ("_j", "J"),
];

/// Has each number say all about itself. `in_flow`: whether it is of a flow; `closed`: whether there is no other member.
pub(super) fn finish(schema: &mut Object, in_flow: bool, closed: bool) {
    schema.remove("format"); // sizes of Rust's numbers
    if schema.get("type").is_some_and(is_number) {
        return tell(schema, in_flow);
    }
    let in_flow = in_flow || schema.contains_key("anyOf");
    let mut inherited = Object::new();
    for keyword in INHERITED {
        inherited.extend(schema.get(keyword).map(|said| (keyword.to_owned(), said.clone())));
        if keyword != "x-when" {
            schema.remove(keyword);
        }
    }
    let descend = |inner: &mut Value, in_flow, closed| {
        let inner = inner.as_object_mut().expect("a schema");
        for (keyword, said) in &inherited {
            inner.entry(keyword).or_insert_with(|| said.clone());
        }
        finish(inner, in_flow, closed);
    };
    for keyword in ["anyOf", "oneOf"] {
        let kinds = schema.get_mut(keyword).and_then(Value::as_array_mut);
        kinds.into_iter().flatten().for_each(|kind| descend(kind, in_flow, keyword == "oneOf"));
    }
    if let Some(items) = schema.get_mut("items").filter(|items| items.is_object()) {
        descend(items, false, true);
    }
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(members)) = schema.get_mut("properties") else { return };
    for (name, member) in members {
        let unit = UNITS.iter().find(|(end, _)| name.ends_with(end));
        let object = member.as_object_mut().expect("a schema");
        if let Some((_, unit)) = unit {
            object.entry("x-unit").or_insert((*unit).into());
        }
        if NAMES.contains(&name.as_str()) {
            object.insert("x-names".to_owned(), true.into());
        }
        let stays_null = object.remove("x-null").is_some();
        if !stays_null && !required.iter().any(|key| key == name) {
            never_null(object);
        }
        descend(member, in_flow, true);
    }
    if closed && !schema.contains_key("oneOf") {
        let keyword = if schema.contains_key("anyOf") { "unevaluatedProperties" } else { "additionalProperties" };
        schema.insert(keyword.to_owned(), false.into());
    }
}

/// Counts become numbers that need not be whole; what only names something stays.
pub(super) fn not_whole(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("type").is_some_and(|kind| kind == "integer") && !object.contains_key("x-names") {
                object.insert("type".to_owned(), "number".into());
            }
            object.values_mut().for_each(not_whole);
        }
        Value::Array(list) => list.iter_mut().for_each(not_whole),
        _ => {}
    }
}

/// What may be left out is left out where it would be null.
fn never_null(schema: &mut Object) {
    if let Some(Value::Array(kinds)) = schema.get("type")
        && let [only, Value::String(null)] = kinds.as_slice()
        && null == "null"
    {
        let only = only.clone();
        schema.insert("type".to_owned(), only);
    }
}

fn is_number(kind: &Value) -> bool {
    let is = |kind: &Value| kind == "number" || kind == "integer";
    is(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is))
}

/// A number: all that is known of it, unless it only names something.
fn tell(schema: &mut Object, in_flow: bool) {
    let (each, is_whole) = (schema.remove("x-each"), schema["type"] == "integer");
    if schema.contains_key("x-names") {
        return INHERITED.iter().for_each(|keyword| drop(schema.remove(*keyword)));
    }
    if let (Some(Value::String(each)), Some(Value::String(title))) = (each, schema.get_mut("title")) {
        *title = if title == "all" { each } else { format!("{each}: {title}") };
    }
    let unit = schema.get("x-unit").and_then(Value::as_str).unwrap_or_default().to_owned();
    schema.entry("x-better").or_insert("neither".into());
    schema.entry("x-shown").or_insert_with(|| usually(&unit, is_whole));
    if in_flow {
        let adds_up = is_whole || unit == "b/s" || unit == "J";
        schema.entry("x-over-flows").or_insert(if adds_up { "sum" } else { "mean" }.into());
    }
}

/// How a number in this unit is shown. Counts say in their title what they count.
fn usually(unit: &str, is_whole: bool) -> Value {
    match unit {
        _ if is_whole => json!({ "unit": "", "scale": 1.0, "decimals": 0 }),
        "b/s" => shown("kb/s", 1e-3, 1),
        "packets/s" => shown(unit, 1.0, 1),
        "s" | "J" | "packets" | "segments" | "bytes" => shown(unit, 1.0, 2),
        "ratio" => shown("", 1.0, 3),
        _ => shown(unit, 1.0, 3),
    }
}
