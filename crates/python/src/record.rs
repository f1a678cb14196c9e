//! What `[output]` asks for, as `hopwright_trace` wants it.

use hopwright_machine::{Duration, NodeId};
use hopwright_scenario::model::{Captured, Lineage, Ns2Trace, Quantity, Scenario, TraceLayer};
use hopwright_sim::Setup;
use hopwright_trace::{Config, lineage, ns2, series};

/// What a run with this seed records into its folder; `programs`: whether programs are attached.
pub(crate) fn config(scenario: &Scenario, setup: &Setup, seed: u64, programs: bool) -> Config {
    let output = &scenario.output;
    let pcap = match &output.pcap {
        Captured::All => (0..setup.nodes.len() as u32).map(NodeId).collect(),
        Captured::Nodes(nodes) => nodes.iter().copied().map(NodeId).collect(),
    };
    let format = match output.ns2_trace {
        Ns2Trace::Off => None,
        Ns2Trace::Old => Some(ns2::Format::Old),
        Ns2Trace::New => Some(ns2::Format::New),
    };
    let layer = |layer| output.ns2_trace_layers.contains(&layer);
    let ns2 = format.map(|format| ns2::Config {
        format,
        agent: layer(TraceLayer::Agent),
        router: layer(TraceLayer::Router),
        mac: layer(TraceLayer::Mac),
    });
    let about = || {
        vec![
            ("scenario", scenario.run.name.clone()),
            ("seed", seed.to_string()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ]
    };
    let series = (!output.series.is_empty()).then(|| series::Config {
        quantities: output.series.iter().copied().map(quantity).collect(),
        interval: Duration::from_secs_f64(output.series_interval_s),
        about: about(),
    });
    let scope = match output.lineage {
        Lineage::Off => None,
        Lineage::Losses => Some(lineage::Scope::Losses),
        Lineage::All => Some(lineage::Scope::All),
    };
    let lineage = scope.map(|scope| lineage::Config { scope, about: about(), programs });
    let (frames, positions) = (output.frames.then(about), output.positions.then(about));
    Config { pcap, ns2, series, lineage, frames, positions, ..Config::default() }
}

fn quantity(quantity: Quantity) -> series::Quantity {
    match quantity {
        Quantity::Cwnd => series::Quantity::Cwnd,
        Quantity::Ssthresh => series::Quantity::Ssthresh,
        Quantity::Rtt => series::Quantity::Rtt,
        Quantity::Rto => series::Quantity::Rto,
        Quantity::InFlight => series::Quantity::InFlight,
        Quantity::InNetwork => series::Quantity::InNetwork,
        Quantity::Queue => series::Quantity::Queue,
        Quantity::Backoff => series::Quantity::Backoff,
        Quantity::ConnectionProgress => series::Quantity::ConnectionProgress,
    }
}
