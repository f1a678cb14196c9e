//! Makes what is derived from Rust's types fit TOML and what editors understand.

use serde_json::{Value, json};

use super::numbers::plain;
use super::{Object, visit};

/// Removes what means nothing in TOML, and lists words as words.
pub(super) fn tidy(root: &mut Object) {
    visit(root, "", &mut |_, schema| {
        schema.remove("format"); // sizes of Rust's numbers; limits say more
        without_null(schema);
        if schema.get("properties").is_some() {
            schema.insert("type".to_owned(), "object".into());
        }
        words(schema);
        if let Some(meaning) = schema.get("description").cloned() {
            tag(schema, meaning);
        }
    });
}

/// Orders keywords as people read them, and writes 200 for 200.0.
pub(super) fn order(root: &mut Object) {
    visit(root, "", &mut |_, schema| {
        for keyword in ["default", "x-default-ns2"] {
            if let Some(Value::Number(n)) = schema.get_mut(keyword) {
                let number = plain(n.as_f64().unwrap_or_default());
                schema.insert(keyword.to_owned(), number);
            }
        }
        let mut members: Vec<(String, Value)> = std::mem::take(schema).into_iter().collect();
        members.sort_by_key(|(keyword, _)| ORDER.iter().position(|k| k == keyword).unwrap_or(ORDER.len()));
        schema.extend(members);
    });
}

const ORDER: &[&str] = &[
    "title",
    "description",
    "type",
    "const",
    "enum",
    "default",
    "x-default-ns2",
    "x-default-ns2-routing",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "minItems",
    "maxItems",
    "uniqueItems",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "oneOf",
    "allOf",
];

/// A key with one possible value says what its table is.
fn tag(schema: &mut Object, meaning: Value) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        if property.contains_key("const") && !property.contains_key("description") {
            property.insert("description".to_owned(), meaning.clone());
        }
    }
}

/// TOML has no null: a key that may be absent is not required.
fn without_null(schema: &mut Object) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    let Some(Value::Array(either)) = schema.get_mut("anyOf") else { return };
    either.retain(|branch| branch["type"] != "null");
    if let [Value::Object(only)] = either.as_slice() {
        let only = only.clone();
        schema.remove("anyOf");
        for (keyword, value) in only {
            schema.entry(keyword).or_insert(value);
        }
    }
}

/// One list of words instead of a choice between constants; their meanings where TOML editors look for them.
fn words(schema: &mut Object) {
    let Some(Value::Array(branches)) = schema.get("oneOf") else { return };
    let choice: Option<Vec<(Value, Value)>> =
        branches.iter().map(|b| Some((b.get("const")?.clone(), b["description"].clone()))).collect();
    let Some(choice) = choice else { return };
    schema.remove("oneOf");
    let (words, meanings): (Vec<Value>, Vec<Value>) = choice.into_iter().unzip();
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), words.into());
    schema.insert("x-taplo".to_owned(), meaning(meanings));
}

/// The meanings of the words of an `enum`, in its order.
pub(super) fn meaning(of_words: Vec<Value>) -> Value {
    json!({ "docs": { "enumValues": of_words } })
}
