//! Flows over ATP.

use hopwright_sim::stamps::delay::Config;

use crate::config::atp::{OF_STATIONS, stations};
use crate::model::{Scenario, Transport};
use crate::read::Document;

/// What stations do for one flow they do for all.
pub(super) fn rules(document: &mut Document, scenario: &Scenario) {
    let over = scenario.flows.iter().enumerate().filter_map(|(n, flow)| Some((n, stations(flow)?)));
    let over: Vec<(usize, Config)> = over.collect();
    let Some(((first, one), others)) = over.split_first() else { return };
    let Some(&(n, _)) = others.iter().find(|(_, other)| other != one) else { return };
    let value = |flow: usize, name: &str| match &scenario.flows[flow].transport {
        Transport::Whole(whole) => whole.params.value(name),
        Transport::Tcp(_) | Transport::Udp => None,
    };
    for name in OF_STATIONS.into_iter().filter(|name| value(n, name) != value(*first, name)) {
        let key = |n: usize| format!("flows.{n}.transport.{name}");
        let (here, there) = (key(n), key(*first));
        let at = if document.gives(&here) { &here } else { &there };
        let reason = format!("stations do the same for all flows: {here} and {there} must be equal");
        document.refuse(at, reason);
    }
}
