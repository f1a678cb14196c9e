//! The JSON schema of the scenario file, for editors, other programs and the reference page.
//!
//! Keys, types and meanings come from the structures that the file is read into, limits from `model::limits`,
//! defaults from where the reader takes them, transports from the transport layer's own lists. Nothing is
//! listed a second time here. Everything stands where it is used, so that editors need no `$ref`.

mod defaults;
mod flow;
mod link;
mod names;
mod numbers;
mod tidy;
mod transport;

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::model::{Mac, Scenario, Tcp};

/// A schema as JSON, one keyword a member.
type Object = Map<String, Value>;

/// The JSON schema of the scenario file, draft 2020-12.
///
/// Beside the draft's keywords: `x-default-ns2`, the default with `profile = "ns2"` where that is another;
/// `x-default-ns2-routing`, the same by the routing protocol where that makes it another; `x-only-profile`, the
/// profiles of a routing protocol that alone know a key; `x-same-as`, the table that has the same keys; `x-used-by`, the mechanism that reads a parameter; `x-slots`,
/// the parts of each protocol; `x-taplo`, the meanings of words.
#[must_use]
pub fn schema() -> Value {
    let mut root = of::<Scenario>();
    tidy::tidy(&mut root);
    defaults::fill_in(&mut root);
    numbers::limit(&mut root);
    names::allow(&mut root);
    tidy::order(&mut root);
    of_kinds(&mut root);
    let about = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Hopwright scenario",
        "description": "A scenario of the network simulator Hopwright: a TOML file.",
    });
    let Value::Object(mut whole) = about else { unreachable!("an object, as written above") };
    whole.extend(
        root.into_iter().filter(|(keyword, _)| !["$schema", "title", "description"].contains(&keyword.as_str())),
    );
    whole.insert("additionalProperties".to_owned(), false.into());
    Value::Object(whole)
}

/// The tables of the MAC's kinds, in which keys may stand that are those of the MAC all the same.
fn of_kinds(root: &mut Object) {
    let mac = &mut root["properties"]["mac"]["properties"];
    for (kind, keys) in Mac::KINDS {
        let properties: Object = keys.iter().map(|&key| (key.to_owned(), mac[key].clone())).collect();
        mac[*kind] = json!({
            "description": format!("Keys of [mac] that only kind = \"{kind}\" reads. Each key has the same meaning here and in [mac]."),
            "type": "object",
            "x-same-as": "mac",
            "properties": properties,
            "additionalProperties": false,
        });
    }
}

/// The keys that a table must have as far as `T` itself goes: those without a default of its own.
pub(crate) fn required<T: JsonSchema>() -> Vec<String> {
    let of_type = of::<T>();
    let names = of_type.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The full names of all keys called `name`.
pub(crate) fn keys_called(name: &str) -> Vec<String> {
    // Made once: a text may hold thousands of unknown keys.
    static KEYS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut keys = Vec::new();
        let Value::Object(mut root) = schema() else { unreachable!("a schema is an object") };
        visit(&mut root, "", &mut |key, _| {
            let is_alias = Mac::KINDS.iter().any(|(kind, _)| key.starts_with(&format!("mac.{kind}")));
            if !is_alias && !keys.iter().any(|known| known == key) {
                keys.push(key.to_owned());
            }
        });
        keys
    });
    let mut keys: Vec<_> = KEYS.iter().filter(|key| key.rsplit('.').next() == Some(name)).cloned().collect();
    // Of a parameter that was registered since then.
    let parameter = format!("flows.transport.{name}");
    if Tcp::parameter_names().any(|known| known == name) && !keys.contains(&parameter) {
        keys.push(parameter);
    }
    keys
}

fn of<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut made = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    std::mem::take(made.ensure_object())
}

/// What a table has.
fn keys(mut schema: Object) -> Object {
    match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Object::new(),
    }
}

/// Shows `look` every schema in which a key's value is described, with the key: list positions and the choice
/// between kinds leave no trace in it.
fn visit(schema: &mut Object, key: &str, look: &mut impl FnMut(&str, &mut Object)) {
    look(key, schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, inner) in properties {
            let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            if let Value::Object(inner) = inner {
                visit(inner, &below, look);
            }
        }
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        visit(items, key, look);
    }
    if let Some(Value::Array(branches)) = schema.get_mut("oneOf") {
        for branch in branches.iter_mut().filter_map(Value::as_object_mut) {
            visit(branch, key, look);
        }
    }
}
