//! Defaults: those that a profile sets, and with them which keys a file must have.

use serde_json::{Value, json};

use super::{Object, visit};
use crate::model::{Mac, Mobility, Profile, Radio, Routing, RoutingProtocol};

/// Keys that may be absent although no constant stands for them: no events, links, relays, attached programs, errors or flows.
const MAY_BE_ABSENT: &[&str] = &["events", "links", "relays", "attach", "errors", "flows"];

/// Fills in the defaults that depend on the profile, and frees keys and tables from being required.
pub(super) fn fill_in(root: &mut Object) {
    let standard = of_profile(Profile::Standard, RoutingProtocol::Static);
    let ns2 = of_profile(Profile::Ns2, RoutingProtocol::Static);
    let found = RoutingProtocol::FOUND.iter().map(|&(protocol, name)| (name, of_profile(Profile::Ns2, protocol)));
    let found: Vec<(&str, Value)> = found.collect();
    visit(root, "", &mut |key, schema| {
        if key == "mobility.model" && schema.get("const") == Some(&json!(Mobility::DEFAULT)) {
            schema.insert("default".to_owned(), Mobility::DEFAULT.into());
        }
        let pointer = format!("/{}", key.replace('.', "/"));
        if let Some(value) = leaf(&standard, &pointer) {
            schema.insert("default".to_owned(), value.clone());
        }
        if let Some(value) = leaf(&ns2, &pointer) {
            let others = found.iter().filter_map(|(name, all)| Some((*name, leaf(all, &pointer)?)));
            with_ns2(schema, value, others);
        }
    });
    visit(root, "", &mut |key, schema| {
        free(key, schema);
        let table = Routing::TABLES.iter().find(|(name, _)| key.strip_prefix("routing.") == Some(name));
        if let Some((_, only)) = table {
            dialects(schema, only);
        }
    });
}

/// Notes the default of profile ns2 where it is another, also for readers of the description.
///
/// `others`: what it is with each routing protocol that finds routes.
pub(super) fn with_ns2<'a>(schema: &mut Object, value: &Value, others: impl Iterator<Item = (&'a str, &'a Value)>) {
    let others: Vec<(&str, &Value)> = others.filter(|(_, other)| *other != value).collect();
    if schema.get("default") == Some(value) && others.is_empty() {
        return;
    }
    let mut sentence = format!(" With profile = \"ns2\": {value}");
    schema.insert("x-default-ns2".to_owned(), value.clone());
    let mut told: Vec<&Value> = Vec::new();
    for (_, other) in &others {
        if !told.contains(other) {
            told.push(other);
            let names: Vec<&str> = others.iter().filter(|(_, same)| same == other).map(|(name, _)| *name).collect();
            sentence.push_str(&format!(", but {other} with {}", names.join(", ")));
        }
    }
    if !others.is_empty() {
        let others: Object = others.iter().map(|(name, other)| ((*name).to_owned(), (*other).clone())).collect();
        schema.insert("x-default-ns2-routing".to_owned(), others.into());
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        description.push_str(&format!("{sentence}."));
    }
}

/// What the reader starts from, as the file would say it.
fn of_profile(profile: Profile, protocol: RoutingProtocol) -> Value {
    let mut radio = Radio::of_profile(profile);
    radio.close();
    let (mut mac, routing) = (Mac::of_profile(profile, protocol), Routing::of_profile(profile));
    mac.close();
    json!({ "radio": radio, "mac": mac, "routing": routing })
}

/// Keys of a routing protocol that only some of its profiles know.
fn dialects(schema: &mut Object, only: &[(&[&str], &[&str])]) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (knowing, keys) in only {
        for key in *keys {
            properties[*key]["x-only-profile"] = knowing.join(", ").into();
        }
    }
    let rule = |(knowing, keys): &(&[&str], &[&str])| {
        let foreign: Object = keys.iter().map(|key| ((*key).to_owned(), Value::Bool(false))).collect();
        let chosen = json!({ "required": ["profile"], "properties": { "profile": { "enum": knowing } } });
        json!({ "if": { "required": ["profile"], "not": chosen }, "then": { "properties": foreign } })
    };
    let rules: Vec<Value> = only.iter().map(rule).collect();
    if !rules.is_empty() {
        schema.insert("allOf".to_owned(), rules.into());
    }
}

fn leaf<'a>(defaults: &'a Value, pointer: &str) -> Option<&'a Value> {
    defaults.pointer(pointer).filter(|value| !value.is_object())
}

/// Requires only what has no default: of keys themselves, of tables any key inside.
fn free(key: &str, schema: &mut Object) {
    let Some(Value::Array(required)) = schema.get("required") else { return };
    let properties = schema.get("properties");
    let kept: Vec<Value> = required
        .iter()
        .filter(|name| {
            let name = name.as_str().unwrap_or_default();
            let full = if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
            !MAY_BE_ABSENT.contains(&full.as_str()) && properties.is_none_or(|p| is_needed(&p[name]))
        })
        .cloned()
        .collect();
    schema.remove("required");
    if !kept.is_empty() {
        schema.insert("required".to_owned(), kept.into());
    }
}

/// Whether a key has no default, and a table a key in it that has none.
fn is_needed(schema: &Value) -> bool {
    if schema.get("default").is_some() || schema.get("x-default-ns2").is_some() {
        return false;
    }
    if let Some(Value::Array(kinds)) = schema.get("oneOf") {
        return kinds.iter().all(is_needed);
    }
    let Some(Value::Object(properties)) = schema.get("properties") else { return true };
    let required = schema.get("required").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str).any(|name| is_needed(&properties[name]))
}
