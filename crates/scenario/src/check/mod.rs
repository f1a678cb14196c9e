//! What the tables say together: ranges, contradictions, combinations that cannot work.

mod errors;
mod flows;
mod idle;
pub mod limits;
mod mobility;
mod output;
mod routing;
mod rules;
mod world;

use std::collections::BTreeSet;

use toml::Value;

pub(crate) use idle::idle_parameters;
pub(crate) use rules::names_a_folder;

use crate::coefficients::Coefficients;
use crate::model::{Scenario, Transport};
use crate::read::Document;
pub(crate) use world::{World, build};

/// Checks everything that does not need the nodes' places.
pub(crate) fn values(document: &mut Document, scenario: &Scenario) {
    let printed = Value::try_from(scenario).expect("a scenario can be printed");
    ranges(document, &printed, "", "");
    rules::run(document, scenario);
    rules::radio(document, scenario);
    rules::channel(document, scenario);
    rules::mac(document, scenario);
    routing::routing(document, scenario);
    mobility::rules(document, scenario);
    mobility::event_times(document, scenario);
    errors::lists(document, scenario);
    output::lists(document, &scenario.output);
    flows::times(document, scenario);
    flows::notices(document, scenario);
    flows::rts(document, scenario);
}

/// Refuses flows whose transport the coefficient file called `name` does not know.
pub(crate) fn coefficients(document: &mut Document, scenario: &Scenario, name: &str, known: &Coefficients) {
    let used = scenario.flows.iter().filter_map(|flow| match &flow.transport {
        Transport::Tcp(tcp) => Some(tcp.protocol.as_str()),
        Transport::Udp => None,
    });
    let missing: BTreeSet<&str> = used.filter(|&id| !known.contains_key(id)).collect();
    for id in missing {
        let has: Vec<&str> = known.keys().map(String::as_str).collect();
        let reason = format!("{name} does not say what '{id}' costs; it knows {}", has.join(", "));
        let help = format!("'hopwright measure-energy --protocols {id} --out FILE' writes a file that does");
        document.refuse("energy.compute", reason).help = Some(help);
    }
}

/// Checks every number under `key` against the list of limits. `place`: the key with list positions.
fn ranges(document: &mut Document, value: &Value, key: &str, place: &str) {
    let below = |parent: &str, part: &str| if parent.is_empty() { part.to_owned() } else { format!("{parent}.{part}") };
    let number = match value {
        Value::Table(table) => {
            for (part, inner) in table {
                ranges(document, inner, &below(key, part), &below(place, part));
            }
            return;
        }
        Value::Array(list) => {
            for (n, inner) in list.iter().enumerate() {
                ranges(document, inner, key, &below(place, &n.to_string()));
            }
            return;
        }
        Value::Integer(i) => *i as f64,
        Value::Float(f) => *f,
        _ => return,
    };
    let refusal = match limits::limit(key) {
        Some(limit) if !limit.allows(number) => format!("must be {}, found {number}", limit.describe()),
        None if !number.is_finite() => format!("must be a finite number, found {number}"),
        _ => return,
    };
    // Defaults are right; one that follows from a wrong number is not a second mistake.
    if document.gives(place) {
        document.refuse(place, refusal);
    }
}
