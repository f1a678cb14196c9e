//! A flow's transport: protocol, slots, parameters, all by the transport layer's own lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopwright_transport::params::{ParamError, Value as ParamValue};
use hopwright_transport::{Params, SLOT_NAMES, WHOLE, protocol, protocols, whole};
use toml::de::DeValue;

use super::document::{Document, Key, Table, Value, join};
use super::policy::POLICY;
use super::slots::{is_slot, slot};
use super::table::in_file_order;
use super::triggers::{TRIGGERS, triggers};
use super::wording::{describe, list, shortened};
use crate::model::{Profile, Tcp, Transport, TriggerSettings, Whole};
use crate::suggest::nearest;

/// Its keys that are neither slots nor parameters.
const OWN: [&str; 9] = {
    let [hold, period, window, skips, jitter, source] = TriggerSettings::KEYS;
    ["protocol", hold, period, window, skips, jitter, source, TRIGGERS, POLICY]
};

/// Whether a transport has such a key.
pub(super) fn is_key(key: &str) -> bool {
    OWN.contains(&key) || is_slot(key) || is_parameter(key)
}

fn is_parameter(key: &str) -> bool {
    Tcp::parameter_names().any(|name| name == key)
}

/// Reads `[flows.transport]`. `app`: the application and whether it sends datagrams, if it could be read.
pub(super) fn transport(
    document: &mut Document,
    table: &Table<'_>,
    path: &str,
    app: Option<(&str, bool)>,
    profile: Profile,
) -> Option<Transport> {
    let datagrams = app.is_some_and(|(_, datagrams)| datagrams);
    let default = if datagrams { Transport::UDP } else { Transport::DEFAULT_TCP };
    let others = WHOLE.iter().map(|transport| transport.id).chain([Transport::UDP]);
    let choices: Vec<&str> = protocols().iter().map(|p| p.id).chain(others).collect();
    let chosen = document.tag(table, path, "protocol", &choices, Some(default));
    if let (Some(chosen), Some((app, _))) = (&chosen, app)
        && datagrams != (chosen == Transport::UDP)
    {
        let reason = if datagrams {
            format!("app = '{app}' sends datagrams, which only 'udp' carries; '{chosen}' carries a byte stream")
        } else {
            format!("app = '{app}' needs a byte stream, which 'udp' does not carry; use a TCP, or app = 'cbr'")
        };
        document.refuse(&join(path, "protocol"), reason);
    }
    if chosen.as_deref() == Some(Transport::UDP) {
        document.refuse_unknown(table, path, &["protocol"], |key| {
            is_key(key).then(|| "has no effect: 'udp' has no slots and no parameters".to_owned())
        });
        return Some(Transport::Udp);
    }
    if table.keys().any(|key| !is_key(key.get_ref())) {
        let known: Vec<&str> =
            OWN.into_iter().chain(SLOT_NAMES.iter().copied()).chain(Tcp::parameter_names()).collect();
        document.refuse_unknown(table, path, &known, |_| None);
    }
    let mut own_slots = BTreeMap::new();
    let mut params = Tcp::params_of_profile(profile);
    let is_whole = chosen.as_deref().is_some_and(|id| whole(id).is_some());
    if let Some(row) = chosen.as_deref().and_then(protocol) {
        params = row.params(params);
    }
    if let Some(transport) = chosen.as_deref().and_then(whole) {
        params = transport.params(params);
    }
    for (key, value) in in_file_order(table) {
        if is_whole && is_key(key.get_ref()) && !is_parameter(key.get_ref()) && key.get_ref() != "protocol" {
            let reason =
                format!("has no effect: '{}' is not composed of mechanisms", chosen.as_deref().unwrap_or_default());
            document.refuse_key(key, path, Some(reason), &[]);
        } else if is_slot(key.get_ref()) {
            if let Some(part) = slot(document, key, value, path, chosen.as_deref()) {
                own_slots.insert(key.get_ref().to_string(), part);
            }
        } else if !OWN.contains(&key.get_ref().as_ref()) && is_key(key.get_ref()) {
            parameter(document, key, value, path, &mut params);
        }
    }
    if is_whole {
        return Some(Transport::Whole(Box::new(Whole { id: chosen?, params, profile })));
    }
    params.triggers = triggers(document, table, path).map(Arc::new);
    let tcp = Tcp { protocol: chosen?, slots: own_slots, params, profile };
    if let Err(conflict) = tcp.recipe().check(&tcp.params) {
        document.refuse(&join(path, conflict.slot), conflict.reason_with_part());
    } else if let Some(triggers) = &tcp.params.triggers {
        super::triggers::check(document, path, triggers, &tcp.recipe(), &tcp.params);
    }
    Some(Transport::Tcp(Box::new(tcp)))
}

/// Reads a parameter; the transport layer knows what it may be.
fn parameter(document: &mut Document, key: &Key<'_>, value: &Value<'_>, path: &str, params: &mut Params) {
    let given = match value.get_ref() {
        DeValue::Boolean(b) => Some(ParamValue::Bool(*b)),
        DeValue::String(s) => Some(ParamValue::Word(s.to_string())),
        DeValue::Float(f) => f.as_str().parse().ok().map(ParamValue::Number),
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|n| ParamValue::Number(n as f64)),
        _ => None,
    };
    // A table or a list is of no parameter's kind; neither is the empty word.
    let expected = match params.set(key.get_ref(), given.unwrap_or(ParamValue::Word(String::new()))) {
        Ok(()) => return,
        Err(ParamError::Expected(what)) => what,
        Err(ParamError::Unknown) => unreachable!("only names from the list of parameters come here"),
    };
    let full = join(path, key.get_ref());
    if let (DeValue::String(word), Some(words)) = (value.get_ref(), expected.strip_prefix("one of ")) {
        let words: Vec<&str> = words.split(' ').collect();
        let reason = format!("'{}' does not exist; possible: {}", shortened(word).escape_debug(), list(&words));
        document.refuse_at(value.span(), &full, reason).did_you_mean = nearest(word, words);
    } else {
        let reason = format!("expected {expected}, found {}", describe(value.get_ref()));
        document.refuse_at(value.span(), &full, reason);
    }
}
