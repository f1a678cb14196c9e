//! From the checked scenario, placed for one seed, to what the simulator takes.

use std::sync::Arc;

use hopwright_sim as sim;

use crate::coefficients::Coefficients;
use crate::config;
use crate::config::link::Records;
use crate::model::{LostNotices, Scenario};
use crate::place::Layout;
use crate::units::{at, seconds};

/// The setup of one run.
pub(crate) fn setup(
    scenario: &Scenario,
    layout: Layout,
    compute: Option<Coefficients>,
    records: &Records,
    names: Arc<[String]>,
) -> sim::Setup {
    let flows = layout.ends.iter().map(|&(n, from, to)| {
        let flow = &scenario.flows[n];
        let (start, stop) =
            (seconds(flow.times.start_s), seconds(flow.times.stop_s.unwrap_or(scenario.run.duration_s)));
        sim::Flow { from, to, start: at(start), stop: at(stop), kind: config::kind(flow) }
    });
    sim::Setup {
        end: at(seconds(scenario.run.duration_s)),
        warm_up: at(seconds(scenario.run.warm_up_s)),
        flows: flows.collect(),
        compute,
        nodes: layout.nodes,
        names,
        switches: layout.switches,
        radio: config::radio(scenario),
        errors: scenario.errors.iter().map(config::errors).collect(),
        mac: config::mac(scenario),
        stamps: config::stamps(scenario),
        links: scenario.links.iter().map(|of| config::link::link(of, records)).collect(),
        relays: scenario.relays.iter().map(|of| config::relay(of, scenario.run.profile)).collect(),
        mark_from_packets: scenario.mac.ecn_threshold_packets as usize,
        multicast: scenario.routing.flooding(),
        keeps_notices: scenario.routing.lost_notices == LostNotices::SentAgain,
        routing: scenario
            .routing
            .found()
            .map_or(sim::Routing::Static(None), |found| sim::Routing::Found(Box::new(found))),
    }
}
