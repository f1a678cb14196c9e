//! How flows and queues went over time: rows of numbers, for `series.parquet` and for figures.
//!
//! A row is of a flow or of a node, and stands for the end of an instant: of what happens to the same flow or node at
//! the same time, only the outcome is a row. Values hold until the next row.
//!
//! Holds     - rows of flows come in the order of time, and so do rows of queues
//!           - memory does not grow with the run: rows wait for a bounded time, and figures keep what they show

mod file;
mod latest;
mod picture;
mod table;

use std::fmt;
use std::io::{self, Write};

use hopwright_link::fba::Stage;
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_sim::{Event, Flow, FlowKind, Setup};
use hopwright_transport::adaptation::Change;
use hopwright_transport::{Phase, Public};

use file::File;

use crate::progress::Progress;
pub use picture::Picture;

/// A quantity that `series.parquet` can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The congestion window.
    Cwnd,
    /// The slow-start threshold.
    Ssthresh,
    /// Round-trip times, measured and smoothed.
    Rtt,
    /// The retransmission time-out.
    Rto,
    /// Data sent and not yet acknowledged.
    InFlight,
    /// Packets that are on their way: with data, and acknowledgements.
    InNetwork,
    /// Packets in the interface queues of the nodes.
    Queue,
    /// Contention windows of the nodes, and their stages with fair back-off.
    Backoff,
    /// Of flows with a file: how many of its bytes still have how far to go. It takes a run that follows packets.
    ConnectionProgress,
}

/// What `series.parquet` holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The quantities; with any of a flow come its progress and its phase.
    pub quantities: Vec<Quantity>,
    /// Rows stand for multiples of this time; zero: for any instant.
    pub interval: Duration,
    /// What the file says about itself, by key.
    pub about: Vec<(&'static str, String)>,
}

/// The columns of a flow that are numbers, and their units; NaN stands for what is not known.
pub(crate) const COLUMNS: [(&str, &str); 14] = [
    ("cwnd_segments", "segments"),
    ("ssthresh_segments", "segments; null before the first loss: infinite"),
    ("rtt_s", "s; only in rows with a new measurement"),
    ("srtt_s", "s"),
    ("rto_s", "s"),
    ("in_flight_segments", "segments"),
    ("acked_segments", "segments; application data, each segment once"),
    ("sent_segments", "segments; the highest segment sent"),
    ("retransmitted_segments", "segments; so far"),
    ("duplicate_acks", "acknowledgements; received so far, over all recoveries"),
    ("received_bytes", "bytes; so far, only of flows over UDP and ATP"),
    (
        "in_network_segments",
        "packets with data, or of the handshake and the end: sent, and neither arrived nor dropped",
    ),
    ("in_network_acks", "packets in the opposite direction: sent, and neither arrived nor dropped; null over UDP"),
    (
        "connection_progress_byte_hops",
        "bytes times hops; bytes of the file that are not at the destination, each multiplied by the hops that it has \
         to go; every 0.1 s; null without a path, without a file, and before the start",
    ),
];
/// Of the measured round-trip time among them: it is of an instant, all others hold until they change.
const RTT: usize = 2;
/// Of what a flow over UDP has.
const RECEIVED: usize = 10;
/// Of what the network knows and the sender does not, with data and the other way. From here on figures leave them out.
const IN_NETWORK: [usize; 2] = [11, 12];
/// Of how far its bytes have to go.
const PROGRESS: usize = 13;

/// A flow at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowRow {
    values: [f64; COLUMNS.len()],
    phase: Option<Phase>,
    /// What its triggers did in this instant; of several things the last.
    did: Option<Did>,
}

/// What a trigger did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Did {
    row: u32,
    is_back: bool,
    is_refused: bool,
}

impl Did {
    fn of(change: &Change) -> Self {
        Self { row: change.row as u32, is_back: change.is_back, is_refused: change.refused.is_some() }
    }
}

impl fmt::Display for Did {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let back = if self.is_back { " back" } else { "" };
        let refused = if self.is_refused { " refused" } else { "" };
        write!(f, "{}{back}{refused}", self.row)
    }
}

impl FlowRow {
    const UNKNOWN: Self = Self { values: [f64::NAN; COLUMNS.len()], phase: None, did: None };

    fn of_sender(public: &Public, rtt: Option<Duration>, segment_bytes: f64) -> Self {
        let seconds = |d: Option<Duration>| d.map_or(f64::NAN, |d| d.as_secs_f64());
        let segments = |bytes: u64| bytes as f64 / segment_bytes;
        let ssthresh = if public.ssthresh.is_finite() { public.ssthresh / segment_bytes } else { f64::NAN };
        let values = [
            public.cwnd / segment_bytes,
            ssthresh,
            seconds(rtt),
            seconds(public.srtt),
            public.rto.as_secs_f64(),
            segments(public.flight()),
            segments(public.acked_bytes),
            segments(public.max.saturating_sub(1)), // the SYN is before the first byte
            public.retransmissions as f64,
            public.duplicate_acks as f64,
            f64::NAN,
            f64::NAN,
            f64::NAN,
            f64::NAN,
        ];
        Self { values, phase: Some(public.phase()), did: None }
    }

    fn set(&mut self, known: &Known) {
        for (column, packets) in IN_NETWORK.into_iter().zip(known.in_network) {
            self.values[column] = packets;
        }
        self.values[PROGRESS] = known.progress;
    }

    fn of_receiver(received_bytes: u64) -> Self {
        let mut row = Self::UNKNOWN;
        row.values[RECEIVED] = received_bytes as f64;
        row
    }
}

/// A node at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeRow {
    queue_packets: f64,
    /// Slots; `None` before it is known.
    window: Option<u32>,
    stage: Option<Stage>,
}

impl NodeRow {
    const UNKNOWN: Self = Self { queue_packets: 0.0, window: None, stage: None };
}

/// What is known of a flow that neither of its ends tells.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// What the network holds of it, both ways.
    in_network: [f64; 2],
    /// How many of its bytes have how far to go.
    progress: f64,
    /// The flow's row before.
    row: FlowRow,
}

impl Known {
    /// Before the start. Over UDP there is no way back.
    fn of(flow: &Flow) -> Self {
        let acks = if matches!(flow.kind, FlowKind::Udp(_)) { f64::NAN } else { 0.0 };
        Self { in_network: [0.0, acks], progress: f64::NAN, row: FlowRow::UNKNOWN }
    }
}

/// Takes the events of a run and makes rows of them.
#[derive(Debug)]
pub struct Series<W: Write + Send> {
    /// Of each flow.
    segment_bytes: Vec<f64>,
    /// Of each flow, if anything of it is to be written.
    known: Option<Vec<Known>>,
    progress: Option<Box<Progress>>,
    nodes: Vec<NodeRow>,
    /// What the triggers of a flow did, until its sender shows how it stands with that.
    did: Option<Did>,
    file: Option<File<W>>,
    picture: Option<Picture>,
}

impl<W: Write + Send> Series<W> {
    /// Series of a run of `setup`, into a file, if there is one, and for figures, if they are wanted.
    ///
    /// # Errors
    /// If the head of the file cannot be written.
    pub fn new(file: Option<(W, &Config)>, setup: &Setup, picture: bool) -> io::Result<Self> {
        let bytes = |flow: &Flow| match &flow.kind {
            FlowKind::Tcp { params, .. } => f64::from(params.segment_bytes),
            FlowKind::Udp(source) => f64::from(source.payload_bytes),
            FlowKind::Atp { params, .. } => f64::from(params.segment_bytes),
            FlowKind::Bundles { config, .. } => f64::from(config.payload_bytes),
        };
        let is_wanted = |quantity| file.as_ref().is_some_and(|(_, config)| config.quantities.contains(&quantity));
        let progress = is_wanted(Quantity::ConnectionProgress).then(|| Box::new(Progress::new(setup)));
        let is_known = progress.is_some() || is_wanted(Quantity::InNetwork);
        Ok(Self {
            known: is_known.then(|| setup.flows.iter().map(Known::of).collect()),
            progress,
            segment_bytes: setup.flows.iter().map(bytes).collect(),
            nodes: vec![NodeRow::UNKNOWN; setup.nodes.len()],
            did: None,
            file: file.map(|(out, config)| File::new(out, config, setup)).transpose()?,
            picture: picture.then(|| Picture::new(setup)),
        })
    }

    /// As `new`, for figures alone.
    #[must_use]
    pub fn for_figures(setup: &Setup) -> Self {
        Self::new(None, setup, true).expect("no file has a head")
    }

    /// Whether it has to be told of packets.
    #[must_use]
    pub const fn follows_packets(&self) -> bool {
        self.progress.is_some()
    }

    /// Something has happened at a node.
    pub fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        if let Some(progress) = &mut self.progress {
            if progress.is_due(at) {
                progress.sample(at, told(&mut self.known, &mut self.file));
            }
            progress.event(node, event);
        }
        let (flow, mut row) = match event {
            Event::Sender { flow, public, rtt, .. } => {
                let did = self.did.take();
                (flow, FlowRow { did, ..FlowRow::of_sender(public, rtt, self.segment_bytes[flow]) })
            }
            Event::Adapted { flow, change } => {
                let did = Did::of(change);
                self.did = Some(did);
                if let Some(picture) = &mut self.picture {
                    picture.adapted(at, flow, did);
                }
                return;
            }
            Event::Arrived { flow, received_bytes } => (flow, FlowRow::of_receiver(received_bytes)),
            Event::InNetwork { flow, forward, packets } => return self.in_network(at, flow, forward, packets),
            Event::QueueLength(packets) => {
                let packets = packets as f64;
                self.nodes[node.index()].queue_packets = packets;
                self.node(at, node);
                if let Some(picture) = &mut self.picture {
                    picture.queue(at, node.index(), packets);
                }
                return;
            }
            Event::Backoff { window, stage } => {
                let row = &mut self.nodes[node.index()];
                (row.window, row.stage) = (Some(window), stage);
                return self.node(at, node);
            }
            Event::Hop { flow, from } => {
                if let Some(picture) = &mut self.picture {
                    picture.hop(flow, from, node);
                }
                return;
            }
            _ => return,
        };
        if let Some(flows) = &mut self.known {
            row.set(&flows[flow]);
            flows[flow].row = row;
        }
        if let Some(file) = &mut self.file {
            file.flow(at, flow, row);
        }
        if let Some(picture) = &mut self.picture {
            picture.flow(at, flow, row.values);
        }
    }

    fn node(&mut self, at: Time, node: NodeId) {
        if let Some(file) = &mut self.file {
            file.node(at, node.index(), self.nodes[node.index()]);
        }
    }

    /// A row of what else was known, with another number of packets on their way.
    fn in_network(&mut self, at: Time, flow: usize, forward: bool, packets: f64) {
        let (Some(flows), Some(file)) = (&mut self.known, &mut self.file) else {
            return;
        };
        flows[flow].in_network[usize::from(!forward)] = packets;
        again(at, flow, &mut flows[flow], file);
    }

    /// Ends the file: the first error there was, if any. And what figures show, if that was wanted.
    pub fn finish(mut self) -> (io::Result<()>, Option<Picture>) {
        if let Some(progress) = &mut self.progress {
            progress.finish(told(&mut self.known, &mut self.file));
        }
        (self.file.map_or(Ok(()), File::finish), self.picture)
    }
}

/// A row of a flow in which only what else is known of it has changed.
fn again<W: Write + Send>(at: Time, flow: usize, known: &mut Known, file: &mut File<W>) {
    let mut row = known.row;
    row.set(known);
    row.values[RTT] = f64::NAN;
    row.did = None;
    known.row = row;
    file.flow(at, flow, row);
}

/// Takes what is known of how far bytes have to go.
fn told<'a, W: Write + Send>(
    known: &'a mut Option<Vec<Known>>,
    file: &'a mut Option<File<W>>,
) -> impl FnMut(Time, usize, Option<f64>) + 'a {
    move |at, flow, byte_hops| {
        if let (Some(flows), Some(file)) = (known.as_mut(), file.as_mut()) {
            flows[flow].progress = byte_hops.unwrap_or(f64::NAN);
            again(at, flow, &mut flows[flow], file);
        }
    }
}
