//! What the tables say together: ranges, contradictions, combinations that cannot work.

mod atp;
mod attach;
mod bundles;
mod errors;
mod flows;
mod idle;
mod link_profiles;
mod links;
mod mobility;
mod output;
mod relays;
mod routing;
mod rules;
mod slips;

use std::collections::BTreeSet;

use hopwright_machine::NodeId;
use toml::Value;

pub(crate) use idle::idle_parameters;
pub(crate) use rules::is_name;
pub(crate) use slips::unit_slips;

use crate::coefficients::Coefficients;
use crate::model::limits::limit;
use crate::model::{Directions, LinkMoment, LinkState, Scenario, Transport};
use crate::read::{self, Document, LinkFile};
pub(crate) use attach::rules as attach;
pub use flows::how_many;
pub(crate) use links::{free_ways, nodes as linked_nodes, of_interfaces};

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

/// Checks what is said of nodes by their numbers.
pub(crate) fn nodes(document: &mut Document, scenario: &Scenario, nodes: usize) {
    flows::ends(document, scenario, nodes);
    errors::nodes(document, scenario, nodes);
    output::nodes(document, &scenario.output, nodes);
}

/// Checks that links, and relays between them, serve the flows: each an entry of `[[flows]]` with its ends.
pub(crate) fn joined(document: &mut Document, scenario: &Scenario, ends: &[(usize, NodeId, NodeId)], nodes: usize) {
    let before = document.errors.len();
    links::connected(document, scenario, ends, nodes);
    if document.errors.len() == before {
        relays::ways(document, scenario, ends, nodes);
    }
}

/// Checks a file about one link.
pub(crate) fn link_file(document: &mut Document, file: &LinkFile) {
    state_ranges(document, "", &file.state);
    for (n, change) in file.changes.iter().enumerate() {
        let place = format!("changes.{n}");
        moment_ranges(document, &place, &change.when);
        state_ranges(document, &place, &change.state());
    }
    links::of_a_file(document, file);
}

/// Checks what a link that is in use becomes.
pub(crate) fn live_link(document: &mut Document, when: &LinkMoment, state: &LinkState, directions: Directions) {
    moment_ranges(document, "", when);
    state_ranges(document, "", state);
    links::state(document, "", state, directions);
}

/// Checks the numbers of a table that says what a link is like; `place` is its key.
fn state_ranges(document: &mut Document, place: &str, state: &LinkState) {
    let back = read::join(place, "reverse");
    for (place, shape) in [(place, Some(&state.shape)), (&back, state.reverse.as_ref())] {
        let Some(shape) = shape else { continue };
        let printed = Value::try_from(shape).expect("a link can be printed");
        ranges(document, &printed, "links", place, &mut Vec::new());
    }
    if let Some(profile) = &state.profile {
        let printed = Value::try_from(profile).expect("a profile can be printed");
        ranges(document, &printed, "links.profile", &read::join(place, "profile"), &mut Vec::new());
    }
}

fn moment_ranges(document: &mut Document, place: &str, when: &LinkMoment) {
    let printed = Value::try_from(when).expect("a moment can be printed");
    ranges(document, &printed, "links.changes", place, &mut Vec::new());
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
        let reason = format!("{name} has no value for '{id}'; it has values for {}", has.join(", "));
        let help = format!("'hopwright measure-energy --protocols {id} --out FILE' writes a file with this value");
        document.refuse("energy.compute", reason).help = Some(help);
    }
}

/// A number that the file does not give, and why it cannot be: its place, and what is wrong.
type Derived = (String, String);

/// Checks every number under `key` against the list of limits. `place`: the key with list positions. What the file does
/// not give itself and is wrong goes to `derived`.
fn ranges(document: &mut Document, value: &Value, key: &str, place: &str, derived: &mut Vec<Derived>) {
    ranges_below(document, value, &mut key.to_owned(), &mut place.to_owned(), derived);
}

/// As `ranges`; leaves `key` and `place` as they were.
fn ranges_below(
    document: &mut Document,
    value: &Value,
    key: &mut String,
    place: &mut String,
    derived: &mut Vec<Derived>,
) {
    let here = (key.len(), place.len());
    let is_allowed = match value {
        Value::Table(table) => {
            for (part, inner) in table {
                push(key, part);
                push(place, part);
                ranges_below(document, inner, key, place, derived);
                key.truncate(here.0);
                place.truncate(here.1);
            }
            return;
        }
        Value::Array(list) => {
            for (n, inner) in list.iter().enumerate() {
                push(place, &n.to_string());
                ranges_below(document, inner, key, place, derived);
                place.truncate(here.1);
            }
            return;
        }
        Value::Integer(i) => limit(key).is_none_or(|limit| limit.allows_whole(*i)),
        Value::Float(f) => limit(key).map_or(f.is_finite(), |limit| limit.allows(*f)),
        _ => return,
    };
    if is_allowed {
        return;
    }
    let (number, found) = match value {
        Value::Float(f) => (*f, f.to_string()),
        other => (other.as_integer().map_or(f64::NAN, |whole| whole as f64), other.to_string()),
    };
    let right = limit(key).map_or("a finite number".to_owned(), |limit| limit.describe(number));
    let refusal = format!("must be {right}, found {found}");
    if document.gives(place) {
        document.refuse(place, refusal);
    } else {
        derived.push((place.clone(), refusal));
    }
}

/// Goes on to a key below a path.
fn push(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
}
