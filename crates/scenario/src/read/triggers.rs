//! `[[flows.transport.triggers]]`, and the keys beside it that say how they are served.

use std::collections::BTreeMap;

use hopwright_transport::adaptation::{TriggerError, Triggers};
use hopwright_transport::{Params, Recipe};
use schemars::JsonSchema;
use serde::Deserialize;

use super::document::{Document, Table, join};
use super::slots::{is_slot, slot};
use super::table::in_file_order;
use crate::model::limits::limit;
use crate::model::{Condition, Trigger, TriggerSettings};

/// The list's key.
pub(super) const TRIGGERS: &str = "triggers";
/// Each is looked at ten times a second: more would cost time.
const MOST_TRIGGERS: usize = 100;
const MOST_CONDITIONS: usize = 100;

/// The keys of a trigger that are neither a list nor a table.
#[derive(Deserialize, JsonSchema)]
struct Switches {
    #[serde(default)]
    any: bool,
    #[serde(default)]
    back: bool,
}

/// Reads the triggers of a transport; nothing if it has none.
pub(super) fn triggers(document: &mut Document, table: &Table<'_>, path: &str) -> Option<Triggers> {
    let settings = settings(document, table, path);
    let rows = super::entries::entries(document, table, (path, TRIGGERS), ("trigger", MOST_TRIGGERS), trigger)?;
    let rows = rows.iter().map(Trigger::trigger).collect::<Option<Vec<_>>>()?;
    (!rows.is_empty()).then_some(Triggers { rows, settings: settings?.settings() })
}

/// Reads a file that has triggers alone.
pub(crate) fn only_triggers(document: &mut Document, root: &Table<'_>) -> Option<Triggers> {
    document.survey(root, "");
    let known: Vec<&str> = TriggerSettings::KEYS.into_iter().chain([TRIGGERS]).collect();
    document.refuse_unknown(root, "", &known, |_| None);
    let found = triggers(document, root, "");
    if found.is_none() && document.errors.is_empty() {
        document.refuse(
            TRIGGERS,
            "there is no trigger: each trigger starts with [[triggers]], in double brackets".to_owned(),
        );
    }
    found
}

/// Reads how triggers are served. Its times are checked here: a negative one is lost in the transport layer's units.
fn settings(document: &mut Document, table: &Table<'_>, path: &str) -> Option<TriggerSettings> {
    let settings: TriggerSettings = document.read_part(table, path, "")?;
    for (name, value) in [
        ("trigger_hold_s", settings.trigger_hold_s.unwrap_or_default()),
        ("trigger_period_ms", settings.trigger_period_ms),
    ] {
        let limit = limit(&format!("flows.transport.{name}")).expect("every number has a limit");
        if !limit.allows(value) {
            document.refuse(&join(path, name), format!("must be {}, found {value}", limit.describe(value)));
        }
    }
    Some(settings)
}

/// Refuses triggers that make no sense with what the transport begins with.
pub(super) fn check(document: &mut Document, path: &str, triggers: &Triggers, recipe: &Recipe, params: &Params) {
    let Err((n, error)) = triggers.check(recipe, params) else { return };
    let path = join(&join(path, TRIGGERS), &n.to_string());
    let key = match &error {
        TriggerError::NoCondition => "when".to_owned(),
        TriggerError::NothingSet => "set".to_owned(),
        TriggerError::SetTwice(slot) | TriggerError::Unknown(slot, ..) => format!("set.{slot}"),
        TriggerError::Contradicts(_, slot) => format!("set.{slot}"),
        TriggerError::WrongSide(of) | TriggerError::NoSuchSide(of) | TriggerError::NoTimestamps(of, _) => {
            let place = triggers.rows[n].when.iter().position(|condition| condition == of).unwrap_or(0);
            let word = if matches!(error, TriggerError::WrongSide(_)) { "until" } else { "monitor" };
            format!("when.{place}.{word}")
        }
        TriggerError::Conflict(conflict) => format!("set.{}", conflict.slot),
    };
    let key = join(&path, &key);
    let key = if document.gives(&key) { key } else { join(&path, "set") };
    document.refuse(&key, error.to_string());
}

fn trigger(document: &mut Document, table: &Table<'_>, path: &str) -> Option<Trigger> {
    document.refuse_unknown(table, path, &["when", "any", "set", "back"], |_| None);
    let switches: Option<Switches> = document.read_part(table, path, "");
    for key in ["when", "set"] {
        if table.get(key).is_none() {
            document.refuse(&join(path, key), "this key is missing and has no default".to_owned());
        }
    }
    let when = super::entries::entries(document, table, (path, "when"), ("condition", MOST_CONDITIONS), condition);
    let parts = document.sub_table(table, path, "set");
    let set = set(document, &parts, &join(path, "set"));
    let Switches { any, back } = switches?;
    let (when, set) = (when?, set?);
    let is_there = table.contains_key("when") && table.contains_key("set");
    is_there.then_some(Trigger { when, any, set, back })
}

fn condition(document: &mut Document, table: &Table<'_>, path: &str) -> Option<Condition> {
    let condition: Condition = document.read(table, path, "", |_| None)?;
    if condition.condition().is_none() {
        let given = [condition.above.is_some(), condition.below.is_some(), condition.equals.is_some()];
        let reason = if given.contains(&true) {
            "has more than one of above, below and equals: a condition can have only one"
        } else {
            "has none of above, below and equals: a condition needs one of them"
        };
        document.refuse(path, reason.to_owned());
        return None;
    }
    Some(condition)
}

/// Which part goes to which slot.
fn set(document: &mut Document, table: &Table<'_>, path: &str) -> Option<BTreeMap<String, String>> {
    let slots = hopwright_transport::slots();
    let names: Vec<&str> = slots.iter().map(|slot| slot.name).collect();
    let mut set = Some(BTreeMap::new());
    for (key, value) in in_file_order(table) {
        let part = if is_slot(key.get_ref()) {
            slot(document, key, value, path, None)
        } else {
            let reason = (key.get_ref() == "protocol")
                .then(|| "a trigger cannot change the protocol: name the slots that change".to_owned());
            document.refuse_key(key, path, reason, &names);
            None
        };
        set = set.zip(part).map(|(mut set, part)| {
            set.insert(key.get_ref().to_string(), part);
            set
        });
    }
    set
}
