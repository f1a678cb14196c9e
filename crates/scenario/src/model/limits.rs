//! What each number of the file may be: the lists that stand beside the fields, from which checks, messages and the schema
//! come. The transport checks its own parameters.

pub use super::limit::Limit;
use super::{
    attach, errors, event, flow, link, link_profile, mac, mobility, output, powers, radio, relay, routing, run,
    topology, transport, trigger,
};

/// The tables that have the same keys, and the limits of these. Where a link is described again (the way back, what it
/// becomes), its keys are the same.
type Tables = (&'static [&'static str], &'static [Limit]);

const TABLES: &[Tables] = &[
    (&[""], run::LIMITS),
    (&["topology"], topology::LIMITS),
    (&["area"], topology::AREA_LIMITS),
    (&["mobility"], mobility::LIMITS),
    (&["events"], event::LIMITS),
    (&["errors"], errors::LIMITS),
    (&["radio"], radio::LIMITS),
    (&["radio.energy"], powers::LIMITS),
    (&["mac"], mac::LIMITS),
    (&["routing"], routing::LIMITS),
    (&["routing.aodv"], routing::aodv::LIMITS),
    (&["routing.dsr"], routing::dsr::LIMITS),
    (&["routing.olsr"], routing::olsr::LIMITS),
    (&["routing.dsdv"], routing::dsdv::LIMITS),
    (&["links"], link::END_LIMITS),
    (&["links.changes"], link::MOMENT_LIMITS),
    (&["links", "links.reverse", "links.changes", "links.changes.reverse"], link::LIMITS),
    (&["links.profile.pipes", "links.changes.profile.pipes"], link_profile::LIMITS),
    (&["relays"], relay::LIMITS),
    (&["attach"], attach::LIMITS),
    (&["output"], output::LIMITS),
    (&["flows"], flow::LIMITS),
    (&["flows.transport"], transport::LIMITS),
    (&["flows.transport"], trigger::LIMITS),
    (&["flows.transport.triggers.when"], trigger::CONDITION_LIMITS),
];

/// The limits of the numbers under `key`, the full key of a number without list positions.
#[must_use]
pub fn limit(key: &str) -> Option<&'static Limit> {
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    let of_table = TABLES.iter().filter(|(tables, _)| tables.contains(&table));
    of_table.flat_map(|(_, limits)| *limits).find(|limit| limit.key == name)
}

/// Every limit, with the table in which its key is first described.
pub fn limits() -> impl Iterator<Item = (&'static str, &'static Limit)> {
    TABLES.iter().flat_map(|&(tables, limits)| limits.iter().map(move |limit| (tables[0], limit)))
}
