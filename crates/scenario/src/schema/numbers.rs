//! The limits of numbers, from the list that the checks go by.

use serde_json::Value;

use super::{Object, visit};
use crate::model::limits;

/// Gives every number its limits.
pub(super) fn limit(root: &mut Object) {
    visit(root, "", &mut |key, schema| {
        let Some(is_whole) = schema.get("type").and_then(Value::as_str).and_then(|t| match t {
            "integer" => Some(true),
            "number" => Some(false),
            _ => None,
        }) else {
            return;
        };
        let Some(limit) = limits::limit(key) else { return };
        let number = |n: f64| if is_whole { Value::from(n as i64) } else { plain(n) };
        schema.remove("minimum");
        schema.insert(if limit.inclusive { "minimum" } else { "exclusiveMinimum" }.to_owned(), number(limit.least));
        schema.insert("maximum".to_owned(), number(limit.most));
    });
}

/// A number as people write it: 10, not 10.0.
pub(super) fn plain(n: f64) -> Value {
    if n.fract() == 0.0 && n.abs() < 1e15 { Value::from(n as i64) } else { Value::from(n) }
}
