//! What stations write on packets, because a transport reads it.

use hopwright_sim as sim;
use hopwright_transport::Fact;

use super::atp;
use crate::model::{Flow, Scenario, Transport};

/// Whether some flow reads for how long packets contended: then stations measure it.
pub(crate) fn has_contention(scenario: &Scenario) -> bool {
    scenario.flows.iter().any(|flow| fact(flow) == Some(Fact::Contention))
}

/// What a flow's transport reads, or may come to read, that stations write on packets.
fn fact(flow: &Flow) -> Option<Fact> {
    match &flow.transport {
        Transport::Tcp(tcp) => tcp.recipes().find_map(|recipe| recipe.fact()),
        Transport::Whole(_) => atp::stations(flow).map(|_| Fact::LargestDelay),
        Transport::Udp => None,
    }
}

/// What stations write on packets. ATP's have a field for what it reads: it takes no bytes more.
pub(crate) fn stamps(scenario: &Scenario) -> Vec<sim::Stamp> {
    let contention = has_contention(scenario).then_some(sim::Stamp::Contention(scenario.mac.contention_delay));
    let delay = scenario.flows.iter().find_map(atp::stations).map(sim::Stamp::Delay);
    contention.into_iter().chain(delay).collect()
}
