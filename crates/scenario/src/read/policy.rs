//! `flows.N.transport.policy`: a file with triggers, read as if they stood in the scenario.

use toml::Spanned;
use toml::de::DeValue;

use super::document::{Document, Table, Value, join};
use super::triggers::TRIGGERS;
use super::wording::describe;
use crate::model::TriggerSettings;

/// The key.
pub(super) const POLICY: &str = "policy";

/// A file that a flow names.
#[derive(Debug)]
pub(crate) struct Policy {
    /// The flow's place.
    pub(crate) flow: usize,
    /// What stands for the file in messages.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The key that names the file of a flow.
pub(crate) fn policy_key(flow: usize) -> String {
    join(&transport_key(flow), POLICY)
}

fn transport_key(flow: usize) -> String {
    format!("flows.{flow}.transport")
}

/// The files that flows name: the flow's place, and the path.
pub(crate) fn policies(document: &mut Document, root: &Table<'_>) -> Vec<(usize, String)> {
    let Some(DeValue::Array(flows)) = root.get("flows").map(Spanned::get_ref) else { return vec![] };
    let mut found = vec![];
    for (flow, entry) in flows.iter().enumerate() {
        let Some(value) = table(entry).and_then(|entry| table(entry.get("transport")?)?.get(POLICY)) else { continue };
        match value.get_ref() {
            DeValue::String(path) => found.push((flow, path.to_string())),
            other => {
                let reason = format!("expected the path of a file, found {}", describe(other));
                document.refuse_at(value.span(), &policy_key(flow), reason);
            }
        }
    }
    if !found.is_empty() {
        document.survey(root, ""); // whoever cannot read one says where it is named
    }
    found
}

/// Puts what the files say in place of their names. What is wrong with it is shown in the file.
pub(crate) fn include<'i>(document: &mut Document, root: &mut Table<'i>, files: &'i [Policy]) {
    for Policy { flow, name, text } in files {
        let whole = super::parse_more(document, name, text);
        let (Some(transport), Some((base, whole))) = (transport_of(root, *flow), whole) else { continue };
        let named = transport.remove(POLICY);
        if let (Some(named), true) = (&named, transport.contains_key(TRIGGERS)) {
            let reason =
                "names a file with triggers, and the flow has triggers of its own: give one of them".to_owned();
            document.refuse_at(named.span(), &policy_key(*flow), reason);
            continue;
        }
        let is_empty = |value: &Value<'_>| matches!(value.get_ref(), DeValue::Array(rows) if rows.is_empty());
        if whole.get(TRIGGERS).is_none_or(is_empty) {
            let reason = "there is no trigger: each trigger starts with [[triggers]], in double brackets".to_owned();
            document.refuse_at(base..base, &join(&transport_key(*flow), TRIGGERS), reason);
        }
        let known: Vec<&str> = TriggerSettings::KEYS.into_iter().chain([TRIGGERS]).collect();
        for (key, value) in whole {
            if !known.contains(&key.get_ref().as_ref()) {
                document.refuse_key(&key, &transport_key(*flow), None, &known);
            } else if !transport.contains_key(key.get_ref().as_ref()) {
                transport.insert(key, value); // what the scenario says itself holds
            }
        }
    }
}

fn table<'a, 'i>(value: &'a Value<'i>) -> Option<&'a Table<'i>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn transport_of<'a, 'i>(root: &'a mut Table<'i>, flow: usize) -> Option<&'a mut Table<'i>> {
    let DeValue::Array(flows) = root.get_mut("flows")?.get_mut() else { return None };
    let DeValue::Table(entry) = flows.get_mut(flow)?.get_mut() else { return None };
    match entry.get_mut("transport")?.get_mut() {
        DeValue::Table(transport) => Some(transport),
        _ => None,
    }
}
