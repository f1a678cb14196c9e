//! The results of one run, as `hopwright run --json` prints them.
//!
//! Fields of features that do not exist are absent, not zero. What stands beside a field, its documentation and its
//! attributes, is the schema of results: see `schema`.

use hopwright_link::FrameKind;
use hopwright_machine::PacketId;
use hopwright_machine::{NodeId, Time};
use hopwright_routing::Counters;
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotations::when;
use crate::energy::Meter;
use crate::ledger::Ledger;
use crate::setup::Setup;
use crate::trace::Sink;
use crate::world::World;

mod atp;
mod energy;
mod flow;
mod flow_time;
mod links;
mod network;

pub use atp::AtpReport;
pub use energy::{EnergyReport, NodeEnergy, OverStates, RadioReport};
pub use flow::{AdaptationReport, BundleReport, FlowReport, LossReport, PhaseTimes, ReadingsReport, TcpReport};
pub use flow_time::{NetworkTimes, PacketTimes, SenderTimes};
pub use links::{LinkReport, RelayReport, SnoopReport, SplitConnection, SplitReport};
pub use network::{
    CarrierReport, Failures, Fairness, FrameCounts, IndependentSet, MacReport, MediumUseReport, RoutingReport,
    SpatialReuse,
};

/// A frame that was put on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRecord {
    /// When its first bit left.
    pub at: Time,
    /// The station that sent it.
    pub from: NodeId,
    /// Its addressee; `None` for everyone.
    pub to: Option<NodeId>,
    /// What it is.
    pub kind: FrameKind,
}

/// Everything that comes out of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The summary.
    pub report: Report,
    /// The books.
    pub ledger: Ledger,
    /// All frames, if asked for.
    pub frames: Vec<FrameRecord>,
    /// What the radios spent on each packet, joules, if asked for.
    pub packets_j: Vec<(PacketId, f64)>,
}

/// The results of one run.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
pub struct Report {
    /// The seed of the run.
    pub seed: u64,
    /// Events that the simulator handled, from the start of the run.
    #[schemars(title = "events")]
    pub events: u64,
    /// Frames that were put on the air, from the start of the run. Over shaped links: transmissions.
    #[schemars(title = "frames")]
    pub frames: u64,
    /// Hash of the time, the station and the kind of every frame. Equal runs have equal fingerprints.
    pub fingerprint: String,
    /// The flows, in the order of the scenario.
    pub flows: Vec<FlowReport>,
    /// Counts of all stations together.
    #[serde(skip_serializing_if = "MacReport::is_of_nobody")]
    #[schemars(extend("x-when" = [when::otherwise("the nodes have stations, not shaped links")]))]
    pub mac: MacReport,
    /// Shaped links, in the order of the scenario: one entry for each direction, or one entry for both directions if
    /// they share the link. Tables leave this field out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-when" = [when::otherwise("shaped links join the nodes (`topology.kind = \"links\"`)")]))]
    pub links: Vec<LinkReport>,
    /// Relays, in the order of the scenario. Tables leave this field out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-when" = [when::otherwise("there are `[[relays]]`")]))]
    pub relays: Vec<RelayReport>,
    /// Counts of all nodes that carry bundles together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-when" = [when::otherwise("a flow goes over bundles")]))]
    pub bundles: Option<CarrierReport>,
    /// Counts of all routers together.
    pub routing: RoutingReport,
    /// How the medium was used in the measured time.
    // A trace fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-when" = [when::medium_use()]))]
    pub medium_use: Option<MediumUseReport>,
    /// Energy that radios and transports spent in the measured time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-when" = [when::radio_energy(), when::compute()]))]
    pub energy: Option<EnergyReport>,
    /// How evenly the flows share the network. The share of a flow is its goodput; over bundles `arrived_bps`, over UDP
    /// `received_bps`.
    pub fairness: Fairness,
}

/// What one run measured: an element of a summary's `results`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(title = "Result")]
pub struct Timed<'a> {
    /// The results.
    #[serde(flatten)]
    pub report: &'a Report,
    /// Computing time of the run on this machine.
    #[schemars(title = "computing time", extend("x-better" = "lower"))]
    pub wall_s: f64,
}

impl Report {
    pub(crate) fn new<T: Sink>(
        setup: &Setup,
        seed: u64,
        world: &World<T>,
        events: u64,
        mean_queue_packets: f64,
        routers: Counters,
        energy: Option<&Meter>,
    ) -> Self {
        let flows: Vec<_> = (0..setup.flows.len()).map(|n| FlowReport::new(setup, n, world, energy)).collect();
        let received = (0..setup.flows.len()).map(|n| world.received(n)).sum();
        let shares = flows.iter().map(FlowReport::share_bps);
        Self {
            seed,
            events,
            frames: world.ledger.frames,
            fingerprint: format!("{:016x}", world.fingerprint),
            fairness: Fairness::of(shares.collect()),
            energy: EnergyReport::new(energy, setup.compute.as_ref().map(|_| computed_j(&flows)), received),
            flows,
            mac: MacReport {
                has_stations: setup.links.is_empty(),
                ..MacReport::new(&world.mac, world.tries.is_some(), mean_queue_packets)
            },
            links: Vec::new(),
            relays: Vec::new(),
            bundles: None,
            medium_use: None,
            routing: RoutingReport::new(&routers, world.false_route_breaks),
        }
    }
}

/// Joules that all flows' transports computed for.
fn computed_j(flows: &[FlowReport]) -> f64 {
    flows.iter().filter_map(|flow| Some(flow.tcp.as_ref()?.compute.as_ref()?.compute_j)).sum()
}
