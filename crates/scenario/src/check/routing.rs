//! Rules between the keys of one routing protocol.

use serde_json::{Map, Value};

use super::Derived;
use crate::model::{Aodv, Dsr, Multicast, Olsr, Routing, RoutingTable, Scenario};
use crate::read::Document;

pub(super) fn routing(document: &mut Document, scenario: &Scenario) {
    let routing = &scenario.routing;
    if routing.multicast_jitter_ms.is_some() && routing.multicast != Multicast::Flood {
        let reason = "has no effect here: it needs multicast = flood".to_owned();
        document.refuse("routing.multicast_jitter_ms", reason);
    }
    if let Some(table) = routing.aodv.as_ref().filter(|_| document.is_clean("routing.aodv")) {
        aodv(document, table);
        idle(document, table);
    }
    if let Some(table) = routing.dsr.as_ref().filter(|_| document.is_clean("routing.dsr")) {
        dsr(document, table);
        idle(document, table);
    }
    if let Some(table) = routing.olsr.as_ref().filter(|_| document.is_clean("routing.olsr")) {
        olsr(document, table);
        idle(document, table);
    }
}

/// Refuses what follows from keys of the file and is out of range: where it arises, at one of these keys. What follows
/// from a key that is wrong itself is no second mistake.
pub(super) fn derived(document: &mut Document, numbers: &[Derived]) {
    for (place, refusal) in numbers {
        let Some((table, name)) = place.rsplit_once('.') else { continue };
        let mut given = Vec::new();
        let mut from = vec![name];
        while let Some(key) = from.pop() {
            for source in Routing::sources(table, key) {
                let source_place = format!("{table}.{source}");
                if document.gives(&source_place) {
                    given.push(source_place);
                } else {
                    from.push(source);
                }
            }
        }
        if let Some(source) = given.first().filter(|_| given.iter().all(|source| document.is_clean(source))) {
            let reason = format!(
                "the default of {name} follows from this key, and {refusal}; give {name}, too, or change this key"
            );
            document.refuse(source, reason);
        }
    }
}

/// Refuses keys that do nothing because of the values of others. The value that such a key has by itself may stand: the
/// full text of a scenario gives it.
fn idle<T: RoutingTable>(document: &mut Document, table: &T) {
    let idle = table.idle();
    let is_idle = |key: &str| idle.iter().any(|(keys, _)| keys.contains(&key));
    let path = |key: &str| format!("routing.{}.{key}", T::NAME);
    let (values, usual) = (keys_of(table), keys_of(&T::of_profile(table.profile())));
    let without = values.iter().map(|(key, value)| {
        let value = usual.get(key).filter(|_| is_idle(key)).unwrap_or(value);
        (key.clone(), value.clone())
    });
    let Ok(mut without) = serde_json::from_value::<T>(Value::Object(without.collect())) else { return };
    without.derive(|key| document.gives(&path(key)) && !is_idle(key));
    let without = keys_of(&without);
    for (keys, needed) in &idle {
        for key in keys.iter().filter(|&&key| values.get(key) != without.get(key)) {
            if document.gives(&path(key)) {
                document.refuse(&path(key), format!("has no effect here: it needs {needed}"));
            }
        }
    }
}

fn keys_of<T: RoutingTable>(table: &T) -> Map<String, Value> {
    match serde_json::to_value(table) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

fn aodv(document: &mut Document, aodv: &Aodv) {
    if aodv.ttl_threshold > aodv.net_diameter {
        let reason =
            format!("ttl_threshold ({}) must not exceed net_diameter ({})", aodv.ttl_threshold, aodv.net_diameter);
        refuse_first_given(document, "routing.aodv", &["ttl_threshold", "net_diameter"], reason);
    }
    if let (Some(jitter_ms), Some(interval_s)) = (aodv.hello_jitter_ms, aodv.hello_interval_s)
        && jitter_ms >= interval_s * 1e3
    {
        let reason = format!("hello_jitter_ms ({jitter_ms}) must be less than hello_interval_s ({interval_s} s)");
        let key = if document.gives("routing.aodv.hello_jitter_ms") { "hello_jitter_ms" } else { "hello_interval_s" };
        document.refuse(&format!("routing.aodv.{key}"), reason);
    }
    if [aodv.link_feedback, aodv.hello] == [Some(false); 2] {
        let reason = "nothing would notice a lost link (RFC 3561 §6.10): link_feedback or hello must be true";
        refuse_first_given(document, "routing.aodv", &["link_feedback", "hello"], reason);
    }
    if aodv.blacklist == Some(true) && aodv.link_feedback == Some(false) && aodv.rrep_ack == Some(false) {
        let reason = "blacklist has no effect without link_feedback and without rrep_ack: lost replies are not noticed";
        document.refuse("routing.aodv.blacklist", reason.to_owned());
    }
}

/// Without any sign of lost links a route that has died is used for ever; who does not listen has no passive one.
fn dsr(document: &mut Document, dsr: &Dsr) {
    if [dsr.link_layer_feedback, dsr.passive_acks, dsr.network_acks] == [Some(false); 3] {
        let reason = "nothing would notice a lost link (RFC 4728 §8.3): link_layer_feedback, passive_acks or \
                      network_acks must be true";
        let signs = ["link_layer_feedback", "passive_acks", "network_acks"];
        refuse_first_given(document, "routing.dsr", &signs, reason);
    }
    if dsr.link_layer_feedback == Some(false) && dsr.passive_acks == Some(true) && !dsr.promiscuous {
        let reason = "without promiscuous a node does not hear the next hop pass a packet on (RFC 4728 §8.3.2): \
                      passive_acks needs promiscuous = true; network_acks = true with passive_acks = false asks for \
                      acknowledgements on every hop";
        refuse_first_given(document, "routing.dsr", &["passive_acks", "promiscuous"], reason);
    }
}

/// Refuses the first of these keys that the file gives, or the table if it gives none.
fn refuse_first_given(document: &mut Document, table: &str, keys: &[&str], reason: impl Into<String>) {
    let mut paths = keys.iter().map(|key| format!("{table}.{key}"));
    let path = paths.find(|path| document.gives(path)).unwrap_or_else(|| format!("{table}.{}", keys[0]));
    document.refuse(&path, reason.into());
}

fn olsr(document: &mut Document, olsr: &Olsr) {
    let (hello, tc, jitter) = (olsr.hello_interval_s, olsr.tc_interval_s, olsr.max_jitter_ms);
    let refuse = |document: &mut Document, keys: &[&str], reason| {
        refuse_first_given(document, "routing.olsr", keys, reason);
    };
    if jitter * 1e-3 >= hello.min(tc) {
        let reason = format!(
            "max_jitter_ms ({jitter}) must be shorter than hello_interval_s ({hello}) and tc_interval_s ({tc})"
        );
        refuse(document, &["max_jitter_ms", "hello_interval_s", "tc_interval_s"], reason);
    }
    let refresh = olsr.refresh_interval_s;
    if refresh < hello {
        let reason = format!("refresh_interval_s ({refresh}) must not be shorter than hello_interval_s ({hello})");
        refuse(document, &["refresh_interval_s", "hello_interval_s"], reason);
    }
    for (key, hold, name, interval) in [
        ("neighbour_hold_time_s", olsr.neighbour_hold_time_s, "refresh_interval_s", refresh),
        ("topology_hold_time_s", olsr.topology_hold_time_s, "tc_interval_s", tc),
    ] {
        if hold < interval {
            let reason = format!("{key} ({hold}) must not be shorter than {name} ({interval})");
            refuse(document, &[key, name], reason);
        }
    }
    if olsr.hysteresis && olsr.hysteresis_low > olsr.hysteresis_high {
        let reason = format!(
            "hysteresis_low ({}) must not exceed hysteresis_high ({})",
            olsr.hysteresis_low, olsr.hysteresis_high
        );
        document.refuse("routing.olsr.hysteresis_low", reason);
    }
}
