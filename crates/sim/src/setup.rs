//! A run, described completely: what the scenario file becomes once it is checked.

use std::collections::BTreeMap;
use std::sync::Arc;

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Switch, Trajectory};
use hopwright_radio::FrameErrors;
use hopwright_routing as routing;
use hopwright_shape as shape;
use hopwright_transport::params::Place;
use hopwright_transport::{Params, Recipe, atp};
use hopwright_wire::{notice, udp};

use crate::compute::JoulesPerEvent;
use crate::medium::FrameClass;
use crate::relay::snoop;
use crate::stamps::Stamp;

/// The first port of the receivers: flow n is received on port 5001 + n.
pub const FIRST_PORT: u16 = 5001;
/// The first port of the senders.
pub const FIRST_SOURCE_PORT: u16 = 33_001;
/// With more flows than this, a port would be that of a receiver and of a sender.
pub const MOST_FLOWS: usize = (FIRST_SOURCE_PORT - FIRST_PORT) as usize;

/// Everything a run depends on besides its seed.
#[derive(Clone, Debug)]
pub struct Setup {
    /// When the run ends.
    pub end: Time,
    /// When measurements start.
    pub warm_up: Time,
    /// Where each node is at every time.
    pub nodes: Vec<Trajectory>,
    /// What each node is called; empty if nodes have no names. Results alone tell it.
    pub names: Arc<[String]>,
    /// Which nodes go down and come up when.
    pub switches: Vec<Switch>,
    /// The radio of every node.
    pub radio: hopwright_radio::Config,
    /// Damage to frames that power does not explain: of the entries that fit a frame on its way to a node, the last one
    /// holds.
    pub errors: Vec<Errors>,
    /// The MAC of every node.
    pub mac: hopwright_link::Config,
    /// What every node writes on packets that pass, at most [`hopwright_wire::stamp::PLACES`] facts. The bytes that this
    /// takes of data frames are part of `mac.header_bytes`.
    pub stamps: Vec<Stamp>,
    /// Packets in an interface queue from which on it marks those that come, if their transport takes marks
    /// (RFC 3168 §5).
    pub mark_from_packets: usize,
    /// How routes are found.
    pub routing: Routing,
    /// How packets of programs to groups are flooded; `None`: they are not.
    pub multicast: Option<routing::smf::Config>,
    /// Whether a station goes on trying a notice to a transport for as long as the next hop is in range, instead of
    /// giving it up (Zhou et al. §2: notices are never lost where there is a route).
    pub keeps_notices: bool,
    /// Links between nodes. If there is one, there is no medium: what concerns radio, MAC and places is not looked at.
    pub links: Vec<ShapedLink>,
    /// Nodes that help connections which pass them, over links alone; at most one at each node.
    pub relays: Vec<Relay>,
    /// Who sends what to whom.
    pub flows: Vec<Flow>,
    /// What transports compute is charged for, by protocol id; a protocol that is not there costs nothing. `None`: it
    /// is not counted.
    pub compute: Option<BTreeMap<String, JoulesPerEvent>>,
}

/// How often frames are damaged, and which.
#[derive(Clone, Debug)]
pub struct Errors {
    /// Those from this node; `None`: from any.
    pub from: Option<NodeId>,
    /// On their way to this node; `None`: to any.
    pub to: Option<NodeId>,
    /// Those that carry this.
    pub frames: Vec<FrameClass>,
    /// How often.
    pub model: FrameErrors,
}

impl Errors {
    /// Whether a frame of this class is meant, on its way from one node to another.
    pub(crate) fn fits(&self, from: NodeId, to: NodeId, class: FrameClass) -> bool {
        self.from.is_none_or(|n| n == from) && self.to.is_none_or(|n| n == to) && self.frames.contains(&class)
    }
}

/// How routes are found.
#[derive(Clone, Debug)]
pub enum Routing {
    /// Shortest paths by hops, installed before the start; where the table is given, that table:
    /// `next_hop[node][destination]`.
    Static(Option<Vec<Vec<Option<NodeId>>>>),
    /// By a protocol.
    Found(Box<routing::Config>),
}

/// A link between two nodes that nobody else disturbs.
#[derive(Clone, Debug)]
pub struct ShapedLink {
    /// Its ends.
    pub ends: [NodeId; 2],
    /// What it is like in the beginning.
    pub shape: TwoWays,
    /// What it becomes, in the order of time.
    pub changes: Vec<LinkChange>,
}

/// Both directions of a link.
#[derive(Clone, Debug)]
pub struct TwoWays {
    /// From the first end to the second.
    pub forward: shape::Config,
    /// The way back.
    pub backward: Backward,
}

/// How packets come back over a link. It stays the same kind when a link changes.
#[derive(Clone, Debug)]
pub enum Backward {
    /// Not at all.
    Never,
    /// They share queue and server with those of the other direction.
    Shared,
    /// Like this.
    Own(Box<shape::Config>),
}

/// A link that is another from some time on.
#[derive(Clone, Debug)]
pub struct LinkChange {
    /// When.
    pub at: Time,
    /// What it is like from then on.
    pub shape: TwoWays,
    /// The number of the network that it is part of then, if that is told to the ends: a hand-over.
    pub network: Option<u32>,
    /// Whether what waits for it is lost.
    pub clears: bool,
}

/// A node between two links that helps connections over TCP.
#[derive(Clone, Debug)]
pub struct Relay {
    /// The node.
    pub node: NodeId,
    /// The neighbour on the wireless side; `None`: that towards the receiver, whatever the flow.
    pub towards: Option<NodeId>,
    /// What it does.
    pub kind: RelayKind,
}

/// What a relay does.
#[derive(Clone, Debug)]
pub enum RelayKind {
    /// It keeps what goes to the wireless side, sends it again where it was lost, and keeps repeated acknowledgements to
    /// itself. Of data that come from there it tells their sender what was lost before they came here.
    Snoop(snoop::Config),
    /// It ends the connection, and carries the data on over one of its own.
    Split(Split),
}

/// What a relay that splits connections is like.
#[derive(Clone, Debug)]
pub struct Split {
    /// Its buffer for each connection; `None`: as large as the flow's receiver would have it.
    pub buffer_bytes: Option<u32>,
    /// Id, mechanisms and parameters of its own connection; `None`: the flow's. Lengths of segments and windows are always
    /// the flow's.
    pub transport: Option<(String, Box<Recipe>, Box<Params>)>,
}

/// One flow of data.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The sending node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// When the application starts.
    pub start: Time,
    /// When the application stops sending.
    pub stop: Time,
    /// What produces the data, and what carries it.
    pub kind: FlowKind,
}

impl Flow {
    /// The node of the end that decides what is sent: the sender, or a receiver that asks for its data.
    #[must_use]
    pub fn decides_at(&self) -> NodeId {
        match &self.kind {
            FlowKind::Tcp { params, .. } if params.place == Place::Receiver => self.to,
            _ => self.from,
        }
    }
}

/// What produces the data, and what carries it.
#[derive(Clone, Debug)]
pub enum FlowKind {
    /// A byte stream over TCP.
    Tcp {
        /// Protocol id, as printed in results.
        protocol: String,
        /// Which mechanism fills which slot.
        recipe: Box<Recipe>,
        /// The parameters of the mechanisms.
        params: Box<Params>,
        /// Bytes to send, then close; `None`: as many as the network takes until `stop`.
        bytes: Option<u64>,
    },
    /// Datagrams over UDP.
    Udp(Source),
    /// A byte stream over ATP. Stations have to write the largest delay ([`Stamp::Delay`]): it opens where one has.
    Atp {
        /// Its parameters.
        params: Box<atp::Params>,
        /// Bytes to send, then close; `None`: as many as the network takes until `stop`.
        bytes: Option<u64>,
    },
    /// Bundles that go hop by hop.
    Bundles {
        /// Protocol id, as printed in results.
        protocol: String,
        /// How every node carries them: the same for all flows of a run that are carried so.
        config: Arc<hopwright_bundle::Config>,
        /// Bytes to send, then close; `None`: as many as the network takes until `stop`.
        bytes: Option<u64>,
    },
}

impl FlowKind {
    /// What there is to send, where it has an end.
    pub(crate) const fn file_bytes(&self) -> Option<u64> {
        match self {
            Self::Tcp { bytes, .. } | Self::Atp { bytes, .. } | Self::Bundles { bytes, .. } => *bytes,
            Self::Udp(_) => None,
        }
    }
}

impl Setup {
    /// What the computation of a flow is charged at, if it is counted.
    pub(crate) fn charge(&self, flow: &Flow) -> Option<JoulesPerEvent> {
        let charges = self.compute.as_ref()?;
        match &flow.kind {
            FlowKind::Tcp { protocol, .. } => Some(charges.get(protocol).copied().unwrap_or_default()),
            FlowKind::Udp(_) | FlowKind::Atp { .. } | FlowKind::Bundles { .. } => None,
        }
    }

    /// How bundles are carried, if any flow is.
    pub(crate) fn bundles(&self) -> Option<&Arc<hopwright_bundle::Config>> {
        self.flows
            .iter()
            .find_map(|flow| if let FlowKind::Bundles { config, .. } = &flow.kind { Some(config) } else { None })
    }

    /// What the transports of all flows ask of the network.
    pub(crate) fn wishes(&self) -> routing::Wishes {
        let asks = |(index, flow): (usize, &Flow)| match &flow.kind {
            FlowKind::Tcp { recipe, params, .. } => Some((address(index, flow), recipe.asks(params)?)),
            FlowKind::Atp { .. } => Some((address(index, flow), atp::ASKS)),
            FlowKind::Udp(_) | FlowKind::Bundles { .. } => None,
        };
        self.flows.iter().enumerate().filter_map(asks).collect()
    }
}

/// The addresses and ports of a flow.
pub(crate) const fn address(index: usize, flow: &Flow) -> notice::Flow {
    notice::Flow {
        source: flow.from.address(),
        destination: flow.to.address(),
        source_port: FIRST_SOURCE_PORT + index as u16,
        destination_port: FIRST_PORT + index as u16,
    }
}

/// A source of datagrams of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Bytes of application data in a datagram.
    pub payload_bytes: u32,
    /// Bits of application data per second while sending.
    pub rate_bps: f64,
    /// Each gap is changed by up to this share, evenly: 0.5 means half to one and a half times. In 0..=1.
    pub jitter: f64,
    /// When there are some.
    pub pattern: Pattern,
}

/// When datagrams of a source are due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// Always, one after the other.
    Steady,
    /// The same, but only so many seconds long, then for so many not.
    OnOff(f64, f64),
}

impl Source {
    /// Length of one datagram with its UDP header, bytes.
    #[must_use]
    pub const fn datagram_bytes(&self) -> u32 {
        udp::HEADER_BYTES + self.payload_bytes
    }
}
