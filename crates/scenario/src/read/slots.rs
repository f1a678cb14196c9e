//! Which part of a protocol fills a slot.

use hopwright_transport::{SLOT_NAMES, protocol, protocols, slots};
use toml::de::DeValue;

use super::document::{Document, Key, Value, join};
use super::wording::{describe, list, shortened};
use crate::suggest::nearest;

pub(super) fn is_slot(key: &str) -> bool {
    SLOT_NAMES.contains(&key)
}

/// Reads which part fills a slot.
pub(super) fn slot(
    document: &mut Document,
    key: &Key<'_>,
    value: &Value<'_>,
    path: &str,
    chosen: Option<&str>,
) -> Option<String> {
    let full = join(path, key.get_ref());
    let DeValue::String(part) = value.get_ref() else {
        let reason = format!("expected the name of a mechanism, found {}", describe(value.get_ref()));
        document.refuse_at(value.span(), &full, reason);
        return None;
    };
    let recipe = chosen.and_then(protocol).or(protocols().first())?.recipe;
    if recipe.with(key.get_ref(), part).is_ok() {
        return Some(part.to_string());
    }
    let parts: Vec<&str> =
        slots().iter().filter(|s| s.name == key.get_ref()).flat_map(|s| s.parts.iter().map(|p| p.id)).collect();
    let reason =
        format!("no mechanism called '{}' fits this slot; possible: {}", shortened(part).escape_debug(), list(&parts));
    document.refuse_at(value.span(), &full, reason).did_you_mean = nearest(part, parts);
    None
}
