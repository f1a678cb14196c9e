//! What the tables say together: ranges, contradictions, combinations that cannot work.

mod atp;
mod attach;
mod bundles;
mod errors;
mod flows;
mod idle;
pub mod limits;
mod link_profiles;
mod links;
mod mobility;
mod output;
mod relays;
mod routing;
mod rules;
mod world;

use std::collections::BTreeSet;

use toml::Value;

pub(crate) use idle::idle_parameters;
pub(crate) use rules::is_name;

use crate::coefficients::Coefficients;
use crate::model::{Scenario, Transport};
use crate::read::{Document, LinkFile};
pub(crate) use links::{OF_A_MEDIUM, of_interfaces};
pub(crate) use world::{World, build};

/// Checks everything that does not need the nodes' places.
pub(crate) fn values(document: &mut Document, scenario: &Scenario) {
    let printed = Value::try_from(scenario).expect("a scenario can be printed");
    let mut derived = Vec::new();
    ranges(document, &printed, "", "", &mut derived);
    routing::derived(document, &derived);
    rules::run(document, scenario);
    links::rules(document, scenario);
    relays::rules(document, scenario);
    rules::radio(document, scenario);
    rules::channel(document, scenario);
    rules::mac(document, scenario);
    routing::routing(document, scenario);
    mobility::rules(document, scenario);
    mobility::event_times(document, scenario);
    errors::lists(document, scenario);
    output::lists(document, &scenario.output);
    flows::times(document, scenario);
    flows::amounts(document, scenario);
    flows::notices(document, scenario);
    atp::rules(document, scenario);
    bundles::rules(document, scenario);
    flows::rts(document, scenario);
}

/// Checks a file about one link.
pub(crate) fn link_file(document: &mut Document, file: &LinkFile) {
    let tables = [("", Some(&file.shape)), ("reverse", file.reverse.as_ref())];
    for (place, shape) in tables.into_iter().filter_map(|(place, shape)| Some((place, shape?))) {
        let printed = Value::try_from(shape).expect("a link can be printed");
        ranges(document, &printed, "links", place, &mut Vec::new());
    }
    if let Some(profile) = &file.profile {
        let printed = Value::try_from(profile).expect("a profile can be printed");
        ranges(document, &printed, "links.profile", "profile", &mut Vec::new());
    }
    links::of_a_file(document, file);
}

/// Refuses flows whose transport the coefficient file called `name` does not know.
pub(crate) fn coefficients(document: &mut Document, scenario: &Scenario, name: &str, known: &Coefficients) {
    let used = scenario.flows.iter().filter_map(|flow| match &flow.transport {
        Transport::Tcp(tcp) => Some(tcp.protocol.as_str()),
        Transport::Whole(_) | Transport::Udp => None,
    });
    let missing: BTreeSet<&str> = used.filter(|&id| !known.contains_key(id)).collect();
    for id in missing {
        let has: Vec<&str> = known.keys().map(String::as_str).collect();
        let reason = format!("{name} does not say what '{id}' costs; it knows {}", has.join(", "));
        let help = format!("'hopwright measure-energy --protocols {id} --out FILE' writes a file that does");
        document.refuse("energy.compute", reason).help = Some(help);
    }
}

/// A number that the file does not give, and why it cannot be: its place, and what is wrong.
type Derived = (String, String);

/// Checks every number under `key` against the list of limits. `place`: the key with list positions. What the file does
/// not give itself and is wrong goes to `derived`.
fn ranges(document: &mut Document, value: &Value, key: &str, place: &str, derived: &mut Vec<Derived>) {
    let below = |parent: &str, part: &str| if parent.is_empty() { part.to_owned() } else { format!("{parent}.{part}") };
    let limit = limits::limit(key);
    let (number, is_allowed) = match value {
        Value::Table(table) => {
            for (part, inner) in table {
                ranges(document, inner, &below(key, part), &below(place, part), derived);
            }
            return;
        }
        Value::Array(list) => {
            for (n, inner) in list.iter().enumerate() {
                ranges(document, inner, key, &below(place, &n.to_string()), derived);
            }
            return;
        }
        Value::Integer(i) => (i.to_string(), limit.is_none_or(|limit| limit.allows_whole(*i))),
        Value::Float(f) => (f.to_string(), limit.map_or(f.is_finite(), |limit| limit.allows(*f))),
        _ => return,
    };
    if is_allowed {
        return;
    }
    let right = limit.map_or("a finite number".to_owned(), limits::Limit::describe);
    let refusal = format!("must be {right}, found {number}");
    if document.gives(place) {
        document.refuse(place, refusal);
    } else {
        derived.push((place.to_owned(), refusal));
    }
}
