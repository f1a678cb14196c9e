//! The discrete-event driver: the only owner of simulated time.
//!
//! `run` takes a `Setup`, which describes a run completely, and a seed. It builds nodes out of the machines
//! of the lower layers (`node` is the way of a packet through them), lets frames pass through the `medium`,
//! and measures (`world`); `run_traced` tells a `Trace` what happens (`trace`). A `Simulation` is the same run in steps,
//! between which it can be looked at and changed. The same setup and seed give the same bits on any machine.

pub mod annotations;
mod answers;
mod antenna;
mod application;
mod batch;
mod bundles;
mod channel;
mod compute;
mod deadlines;
mod disturbance;
mod endpoint;
mod energy;
pub mod interference;
mod ledger;
mod links;
mod losses;
mod medium;
mod meter;
mod misses;
mod node;
mod reach;
mod relay;
mod repairs;
mod report;
mod run;
pub mod schema;
mod setup;
mod simulation;
pub mod stamps;
mod statistics;
mod steering;
mod trace;
mod tries;
mod truth;
mod world;

pub use batch::{Cancelled, Watch, run, run_traced};
pub use bundles::Happened;
pub use compute::{ComputeReport, JoulesPerEvent};
pub use ledger::Ledger;
pub use medium::FrameClass;
pub use misses::{Disturber, Miss, Relation, Silence};
pub use reach::reach;
pub use relay::snoop::Config as SnoopConfig;
pub use report::{
    AdaptationReport, AtpReport, BundleReport, CarrierReport, EnergyReport, Failures, Fairness, FlowReport,
    FrameCounts, FrameRecord, IndependentSet, LinkReport, LossReport, MacReport, MediumUseReport, NetworkTimes,
    NodeEnergy, Outcome, OverStates, PacketTimes, PhaseTimes, RadioReport, ReadingsReport, RelayReport, Report,
    RoutingReport, SenderTimes, SnoopReport, SpatialReuse, SplitConnection, SplitReport, TcpReport, Timed,
};
pub use run::Options;
pub use setup::{
    Backward, Errors, FIRST_PORT, FIRST_SOURCE_PORT, Flow, FlowKind, LinkChange, MOST_FLOWS, Pattern, Relay, RelayKind,
    Routing, Setup, ShapedLink, Source, Split, TwoWays,
};
pub use simulation::{FlowState, NodeState, Route, Simulation};
pub use stamps::Stamp;
pub use steering::Unsteerable;
pub use trace::{Event, Layer, Trace};
