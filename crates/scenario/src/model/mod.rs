//! The scenario as plain data: what the file says, with every default filled in.
//!
//! Keys carry their unit in their name. Conversion to the units of the layers happens once, in `setup`.
//! Defaults that depend on the profile stand in `of_profile` functions; the others beside their field.

mod attach;
mod energy;
mod errors;
mod event;
mod flow;
mod limit;
pub mod limits;
mod link;
mod link_profile;
mod mac;
mod mobility;
mod output;
mod phy;
mod place;
mod powers;
mod radio;
mod relay;
mod routing;
mod run;
mod topology;
mod transport;
mod trigger;

use schemars::JsonSchema;
use serde::Serialize;

pub use attach::{Attach, AttachLayer};
pub use energy::Energy;
pub use errors::{Errors, FrameClass, GilbertElliott, Uniform};
pub use event::{Down, Event, Move, Up};
pub use flow::{App, Bulk, Cbr, Copies, Ends, File, Flow, FlowTimes, OnOff, Pairs, RandomEnds, TwoEnds};
pub(crate) use link::LinkState;
pub use link::{
    Directions, JitterLaw, Link, LinkChange, LinkEnds, LinkMoment, LinkShape, Links, LossPer, Preset, QueueKind,
    Variation,
};
pub use link_profile::{LinkProfile, ProfileDelays, ProfileLosses, ProfileMode, ProfilePipe, ProfileRules};
pub use mac::{
    Backoff, ContentionDelay, Eifs, FbaBuffered, FbaEmptied, LostRace, Mac, MacKind, QueueDiscipline, RetryCounters,
    Rts, RtsRetries,
};
pub use mobility::{
    GaussMarkov, Manhattan, Mobility, RandomWalk, RandomWaypoint, ReferencePointGroup, Scripted, Start, Static,
};
pub use output::{Captured, Lineage, Ns2Trace, Output, Panel, Quantity, TraceLayer};
pub use phy::Phy;
pub use powers::{Card, PowerTable, Powers};
pub use radio::{Capture, Fading, Interference, Propagation, Radio, Shadowing, WeakFrames};
pub use relay::{Relay, Snoop, Split};
pub use routing::{
    Aodv, AodvProfile, Dsdv, DsdvProfile, Dsr, DsrProfile, Head as RoutingHead, LostNotices, Multicast, Olsr,
    OlsrProfile, Routing, RoutingProtocol, RoutingTable, TableReader,
};
pub use run::{Profile, Run};
pub use topology::{Area, BonnMotion, Chain, Cross, Grid, Ns2, Positions, Random, Star, SumoFcd, Topology};
pub use transport::{Tcp, Transport, Whole};
pub use trigger::{Condition, JitterOf, Monitor, MonitorSource, Trigger, TriggerSettings};

/// A scenario in which nothing is left open.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Scenario {
    /// Name, seed, duration and profile.
    #[serde(flatten)]
    pub run: Run,
    /// Where the nodes stand.
    pub topology: Topology,
    /// The area in which nodes are placed at random and move.
    pub area: Area,
    /// How nodes move.
    pub mobility: Mobility,
    /// The radio of every node.
    pub radio: Radio,
    /// The MAC of every node. Keys that only one `kind` reads may stand in a table of this kind, for example
    /// `[mac.dcf]`.
    pub mac: Mac,
    /// How nodes find routes.
    pub routing: Routing,
    /// What a run writes besides its summary. These keys do not change the run.
    pub output: Output,
    /// The energy that the computation of transports takes, in joules.
    #[serde(skip_serializing_if = "Energy::is_default")]
    pub energy: Energy,
    /// Events that happen to nodes at given times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// Shaped links between nodes, instead of a medium.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Nodes between two links that help TCP connections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relays: Vec<Relay>,
    /// Real programs at nodes of an emulation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<Attach>,
    /// Frames that are damaged for other reasons than their received power.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Errors>,
    /// The flows: which node sends which data to which node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<Flow>,
}

impl Scenario {
    /// The tables that describe a medium, what is on it, or where nodes are.
    pub(crate) const OF_A_MEDIUM: &[&str] = &["area", "mobility", "radio", "mac", "routing", "events", "errors"];

    /// Whether routes are installed before the start.
    pub(crate) fn has_static_routes(&self) -> bool {
        self.routing.protocol == RoutingProtocol::Static
    }

    /// Whether links join the nodes, in place of a medium.
    pub(crate) const fn has_links(&self) -> bool {
        matches!(self.topology, Topology::Links(_))
    }

    /// Whether chance places the nodes, so that a gap is nobody's slip.
    pub(crate) const fn is_placed_by_chance(&self) -> bool {
        matches!(self.topology, Topology::Random(_))
    }
}
