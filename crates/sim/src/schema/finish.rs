//! From the schema that is derived to the one that is told: each number says all about itself.

use serde_json::{Value, json};

use super::{Object, shown};

/// What an object says of its members.
#[derive(Clone, Copy, Default)]
struct Above<'a> {
    unit: Option<&'a Value>,
    better: Option<&'a Value>,
    over_flows: Option<&'a Value>,
    shown: Option<&'a Value>,
    when: Option<&'a Value>,
    each: Option<&'a str>,
    is_flow: bool,
}

/// How names end, and in which unit that is. The longest first.
const UNITS: [(&str, &str); 7] = [
    ("_bps", "b/s"),
    ("_pps", "packets/s"),
    ("_bytes", "bytes"),
    ("_packets", "packets"),
    ("_segments", "segments"),
    ("_s", "s"),
    ("_j", "J"),
];

/// Has each number say all about itself.
pub(super) fn finish(root: &mut Object) {
    descend(root, "", Above::default(), true);
}

fn descend(schema: &mut Object, name: &str, above: Above<'_>, closed: bool) {
    schema.remove("format"); // sizes of Rust's numbers
    let said = |keyword: &str| schema.get(keyword).cloned();
    let by_name = UNITS.iter().find(|(end, _)| name.ends_with(end)).map(|&(_, unit)| Value::from(unit));
    let (unit, better) = (said("x-unit").or(by_name), said("x-better"));
    let (over_flows, as_shown, when) = (said("x-over-flows"), said("x-shown"), said("x-when"));
    let each = said("x-each");
    let here = Above {
        unit: unit.as_ref().or(above.unit),
        better: better.as_ref().or(above.better),
        over_flows: over_flows.as_ref().or(above.over_flows),
        shown: as_shown.as_ref().or(above.shown),
        when: when.as_ref().or(above.when),
        each: each.as_ref().map_or(above.each, Value::as_str),
        is_flow: above.is_flow || schema.contains_key("anyOf"),
    };
    if is_number(schema) {
        if !schema.contains_key("x-names") {
            tell(schema, here);
        }
        return;
    }
    for keyword in ["x-unit", "x-better", "x-over-flows", "x-shown", "x-each"] {
        schema.remove(keyword);
    }
    if let Some(when) = here.when {
        schema.insert("x-when".to_owned(), when.clone());
    }
    for keyword in ["anyOf", "oneOf"] {
        for kind in schema.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten() {
            let closed = keyword == "oneOf";
            descend(kind.as_object_mut().expect("a schema"), name, here, closed);
        }
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        descend(items, name, Above { when: here.when, ..Above::default() }, true);
    }
    let required: Vec<String> =
        schema.get("required").and_then(|names| serde_json::from_value(names.clone()).ok()).unwrap_or_default();
    let Some(Value::Object(members)) = schema.get_mut("properties") else { return };
    for (name, member) in members {
        let member = member.as_object_mut().expect("a schema");
        if !required.contains(name) {
            never_null(member);
        }
        descend(member, name, here, true);
    }
    if closed && !schema.contains_key("oneOf") {
        let keyword = if schema.contains_key("anyOf") { "unevaluatedProperties" } else { "additionalProperties" };
        schema.insert(keyword.to_owned(), false.into());
    }
}

/// What may be left out is left out where it would be null.
fn never_null(schema: &mut Object) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
}

fn is_number(schema: &Object) -> bool {
    let number = |kind: &Value| kind == "number" || kind == "integer";
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(number),
        Some(kind) => number(kind),
        None => false,
    }
}

/// A number: all that is known of it.
fn tell(schema: &mut Object, above: Above<'_>) {
    let is_whole = schema["type"] == "integer";
    let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
    if let Some(each) = above.each {
        let whole = if title == "all" { each.to_owned() } else { format!("{each}: {title}") };
        schema.insert("title".to_owned(), whole.into());
    }
    let unit = above.unit.and_then(Value::as_str).unwrap_or_default();
    let usual_over = if is_whole || unit == "b/s" || unit == "J" { "sum" } else { "mean" };
    let told = [
        ("x-unit", above.unit.cloned()),
        ("x-better", Some(above.better.cloned().unwrap_or_else(|| "neither".into()))),
        ("x-over-flows", above.is_flow.then(|| above.over_flows.cloned().unwrap_or_else(|| usual_over.into()))),
        ("x-shown", Some(above.shown.cloned().unwrap_or_else(|| usually(unit, is_whole)))),
        ("x-when", above.when.cloned()),
    ];
    for (keyword, value) in told {
        if let Some(value) = value {
            schema.insert(keyword.to_owned(), value);
        }
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
