//! The results of one run, as `hopwright run --json` prints them.
//!
//! Fields of features that do not exist are absent, not zero.

use std::collections::BTreeMap;

use hopwright_machine::{DropCause, Duration, LossCause, PacketId, Time};
use hopwright_routing::Counters;
use hopwright_transport::adaptation::{Monitor, Readings};
use serde::Serialize;

use crate::bundles::Happened;
use crate::compute::ComputeReport;
use crate::energy::{Meter, account_of};
use crate::ledger::Ledger;
use crate::medium::Class;
use crate::meter::{FlowMeter, carriers};
use crate::relay::split::Joint;
use crate::run::FrameRecord;
use crate::setup::{Flow, FlowKind, Setup};
use crate::trace::Sink;
use crate::world::{MacCounters, World};

mod atp;
mod energy;

pub use atp::AtpReport;
pub use energy::{EnergyReport, NodeEnergy, OverStates, RadioReport};

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

/// The summary of one run.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// Events handled.
    pub events: u64,
    /// Frames put on the air, from the start of the run.
    pub frames: u64,
    /// Hash over time, station and kind of every frame: equal for equal runs.
    pub fingerprint: String,
    /// Per flow, in the scenario's order.
    pub flows: Vec<FlowReport>,
    /// Of all stations together.
    #[serde(skip_serializing_if = "MacReport::is_of_nobody")]
    pub mac: MacReport,
    /// Shaped links, each direction, in the scenario's order; nothing where there is a medium.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkReport>,
    /// Relays, in the scenario's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relays: Vec<RelayReport>,
    /// Of all nodes that carry bundles together; `None` where no flow is carried so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundles: Option<CarrierReport>,
    /// Of all routers together.
    pub routing: RoutingReport,
    /// How the medium was used; `None` where nobody asked for it. A trace fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medium_use: Option<MediumUseReport>,
    /// What all of it took; `None` where nothing of it is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyReport>,
    /// How evenly goodput (TCP, ATP), what has come (bundles) and received data (UDP) are spread over the flows.
    pub fairness: Fairness,
}

/// One flow.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct FlowReport {
    /// Sending node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// Transport protocol.
    pub protocol: String,
    /// What only TCP has.
    #[serde(flatten)]
    pub tcp: Option<TcpReport>,
    /// What only ATP has.
    #[serde(flatten)]
    pub atp: Option<AtpReport>,
    /// What only bundles have.
    #[serde(flatten)]
    pub bundles: Option<BundleReport>,
    /// Bits per second handed to the receiving application.
    pub received_bps: f64,
    /// The seconds that rates are over: from the flow's start, or the warm-up's end, to the run's.
    pub measured_s: f64,
    /// Those of them in which the application could send.
    pub sending_s: f64,
    /// Seconds from the flow's start until the receiver had all of its file; `None`: it has not, or there is no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_s: Option<f64>,
    /// Bits per second that the application had to send; `None`: always more than the network takes.
    pub offered_bps: Option<f64>,
    /// Segments or datagrams sent, resent ones included.
    pub segments_sent: u64,
    /// Data segments in the network, on average over time.
    pub mean_data_in_flight: f64,
    /// Hops that delivered data packets made, on average; `None` if none was delivered.
    pub mean_hops: Option<f64>,
    /// Bits per second of acknowledgements, or of messages about bundles, that came to whom they were for, IP headers
    /// included; `None` where nobody asked for it. A trace fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_bps: Option<f64>,
    /// What all radios spent on packets that went the way of its data, joules; `None` where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_j: Option<f64>,
    /// Packets that went the way of the flow's data and were lost, by what is to blame: each once, and not if a copy
    /// arrived.
    pub losses: LossReport,
    /// Copies of this flow's packets that were dropped, by cause; causes that did not occur are absent.
    pub drops: BTreeMap<&'static str, u64>,
}

/// What is measured of a TCP flow.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct TcpReport {
    /// Application bits acknowledged at the sender per second, each once.
    pub goodput_bps: f64,
    /// The same in whole segments.
    pub goodput_segments: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Those of which nothing was lost that had not been sent again already.
    pub spurious_retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub rto_count: u64,
    /// Seconds from a time-out until new data was acknowledged.
    pub rto_time_s: f64,
    /// Segments without data that asked for an acknowledgement after a silence; `None` for a flow that does not probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silence_probes: Option<u64>,
    /// Congestion window, on average over time.
    pub mean_cwnd_segments: f64,
    /// Its largest value.
    pub max_cwnd_segments: f64,
    /// Round-trip time, mean of the samples the sender took; `None` if it took none.
    pub mean_rtt_s: Option<f64>,
    /// Their standard deviation; `None` for fewer than two.
    pub sd_rtt_s: Option<f64>,
    /// Pure acknowledgements in the network, on average over time.
    pub mean_acks_in_flight: f64,
    /// As `data_j`, for the packets that went the other way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acks_j: Option<f64>,
    /// As `losses`, of the packets that went the other way.
    pub ack_losses: LossReport,
    /// Seconds in each phase.
    pub phase_time_s: PhaseTimes,
    /// What its triggers did; `None` for a flow that has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationReport>,
    /// What its transports computed; `None` where that is not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute: Option<ComputeReport>,
    /// How often the sender asked itself why something was lost, by what was true and what it believed
    /// (`queue_as_channel`): what did not occur is absent.
    pub diagnoses: BTreeMap<String, u64>,
}

/// What is measured of a flow that bundles carry.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct BundleReport {
    /// Application bits per second in bundles that the source knows to have arrived, each once.
    pub goodput_bps: f64,
    /// Application bits per second that have come to the destination, each once, in whole bundles or not.
    pub arrived_bps: f64,
    /// From the end of a bundle's first hop, or its beginning (`nctp_timer_starts`), to its acknowledgement, mean over
    /// bundles that were sent once; `None` if there was none.
    pub mean_rtt_s: Option<f64>,
    /// Their standard deviation; `None` for fewer than two.
    pub sd_rtt_s: Option<f64>,
    /// Messages about bundles in the network, on average over time.
    pub mean_acks_in_flight: f64,
    /// As `data_j`, for messages about bundles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acks_j: Option<f64>,
    /// As `losses`, of messages about bundles.
    pub ack_losses: LossReport,
    /// What happened to its bundles.
    #[serde(flatten)]
    pub happened: Happened,
}

/// What the triggers of a flow did.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct AdaptationReport {
    /// Changes of mechanisms, there and back.
    pub changes: u64,
    /// Changes that were refused, as the connection cannot serve them.
    pub refused: u64,
    /// What the monitors that its triggers ask for said.
    pub readings: ReadingsReport,
}

/// What monitors said, on average over all looks at which they had a finite value; `None` for those without.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct ReadingsReport {
    /// Per cent of segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<f64>,
    /// Kilobits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<f64>,
    /// Per cent of the delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fluctuation: Option<f64>,
    /// Per cent of the delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<f64>,
}

impl ReadingsReport {
    fn new(readings: &Readings) -> Self {
        Self {
            loss: readings.mean(Monitor::Loss),
            delay: readings.mean(Monitor::Delay),
            bandwidth: readings.mean(Monitor::Bandwidth),
            fluctuation: readings.mean(Monitor::Fluctuation),
            jitter: readings.mean(Monitor::Jitter),
        }
    }
}

/// Lost packets, by what is to blame.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, Eq)]
pub struct LossReport {
    /// A queue or buffer below routing was full.
    pub queue: u64,
    /// The next hop was in range and did not answer, or was taken for lost.
    pub contention: u64,
    /// The next hop was out of range, or down.
    pub link_failure: u64,
    /// Routing knew no way, or a wrong one.
    pub no_route: u64,
    /// The channel damaged what was on it.
    pub channel: u64,
    /// The node that had the packet was down.
    pub node_down: u64,
    /// Nothing that belongs to the network.
    pub other: u64,
}

impl LossReport {
    fn sum(parts: impl Iterator<Item = [u64; LossCause::ALL.len()]>) -> Self {
        let mut sum = [0; LossCause::ALL.len()];
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
        }
        Self::new(sum)
    }

    fn new(
        [queue, contention, link_failure, no_route, channel, node_down, other]: [u64; LossCause::ALL.len()],
    ) -> Self {
        Self { queue, contention, link_failure, no_route, channel, node_down, other }
    }

    /// Those to one cause.
    #[must_use]
    pub const fn of(&self, cause: LossCause) -> u64 {
        match cause {
            LossCause::Queue => self.queue,
            LossCause::Contention => self.contention,
            LossCause::LinkFailure => self.link_failure,
            LossCause::NoRoute => self.no_route,
            LossCause::Channel => self.channel,
            LossCause::NodeDown => self.node_down,
            LossCause::Other => self.other,
        }
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        LossCause::ALL.iter().map(|&cause| self.of(cause)).sum()
    }
}

/// Seconds in each phase.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct PhaseTimes {
    /// Below the slow-start threshold.
    pub slow_start: f64,
    /// Above it.
    pub congestion_avoidance: f64,
    /// Fast recovery.
    pub recovery: f64,
    /// After a time-out, until new data is acknowledged.
    pub rto: f64,
    /// Standing still, having been told that the route failed.
    pub frozen: f64,
}

/// All stations together.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct MacReport {
    /// Frames that their addressee lost because another overlapped.
    pub collisions: FrameCounts,
    /// Frames that their addressee, which was in range, lost to the channel; `None` where it leaves nothing to chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_errors: Option<FrameCounts>,
    /// What was given up after a retry limit.
    pub failures: Failures,
    /// Interface queue length, averaged over time and nodes.
    pub mean_queue_packets: f64,
    /// Whether there are stations at all.
    #[serde(skip)]
    pub has_stations: bool,
}

/// One direction of a shaped link, or both where they share it.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct LinkReport {
    /// Sending node.
    pub from: u32,
    /// Receiving node.
    pub to: u32,
    /// Whether both ways share it, and are counted together.
    #[serde(rename = "shared")]
    pub is_shared: bool,
    /// Bits per second that arrived, with their IP headers.
    pub carried_bps: f64,
    /// Packets that arrived.
    pub packets: u64,
    /// Packets that it lost.
    pub lost: u64,
    /// Packets that it dropped before they were sent: its queue was full, they had waited too long, or a change cleared it.
    pub dropped: u64,
    /// Packets that wait for it, averaged over time.
    pub mean_queue_packets: f64,
}

/// What a relay did.
#[derive(Clone, Debug, Serialize, PartialEq)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RelayReport {
    /// One that sends again what was lost on the wireless side.
    Snoop(SnoopReport),
    /// One that ends connections and carries their data on.
    Split(SplitReport),
}

/// What a `snoop` did, for all connections together.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, Eq)]
pub struct SnoopReport {
    /// Its node.
    pub node: u32,
    /// Packets that it kept.
    pub cached: u64,
    /// Packets that it sent again because acknowledgements were repeated.
    pub sent_again_by_duplicates: u64,
    /// Packets that it sent again for want of an acknowledgement.
    pub sent_again_by_timer: u64,
    /// Repeated acknowledgements that it kept to itself.
    pub suppressed_acks: u64,
    /// Acknowledgements of data from the wireless side on which it wrote that these were lost there.
    pub loss_notices: u64,
}

/// What a `split` did.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct SplitReport {
    /// Its node.
    pub node: u32,
    /// Its own connections, in the order of their flows.
    pub connections: Vec<SplitConnection>,
}

/// The connection by which a relay carries a flow on.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct SplitConnection {
    /// The flow's number.
    pub flow: usize,
    /// Transport protocol.
    pub protocol: String,
    /// Segments sent, resent ones included.
    pub segments_sent: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub rto_count: u64,
    /// Congestion window, on average over time.
    pub mean_cwnd_segments: f64,
    /// Round-trip time, mean of the samples taken; `None` if there was none.
    pub mean_rtt_s: Option<f64>,
    /// Bytes in the buffer, on average over time.
    pub mean_buffered_bytes: f64,
    /// The most that were in it, from the start of the run.
    pub most_buffered_bytes: u64,
}

impl SplitConnection {
    pub(crate) fn new(joint: &Joint, meter: &FlowMeter, end: Time) -> Self {
        let (now, before) = (meter.now, meter.at_begin);
        Self {
            flow: joint.flow,
            protocol: joint.protocol.clone(),
            segments_sent: now.sent - before.sent,
            retransmissions: now.retransmissions - before.retransmissions,
            rto_count: now.timeouts - before.timeouts,
            mean_cwnd_segments: meter.mean_cwnd(end),
            mean_rtt_s: meter.rtt.mean(),
            mean_buffered_bytes: joint.held.mean(end),
            most_buffered_bytes: joint.most_held,
        }
    }
}

/// Lost frames, by what they carry.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub struct FrameCounts {
    /// RTS and CTS.
    pub rts_cts: u64,
    /// Data of a transport.
    pub data: u64,
    /// Acknowledgements of a transport.
    pub ack: u64,
    /// Acknowledgements of the MAC.
    pub mac_ack: u64,
    /// Messages of routing and of address resolution.
    pub routing: u64,
    /// All of them.
    pub total: u64,
}

/// What was given up after a retry limit.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub struct Failures {
    /// Exchanges given up for want of a CTS.
    pub rts_cts: u64,
    /// Payloads with data given up, for whatever reason.
    pub data: u64,
    /// Payloads with acknowledgements given up.
    pub ack: u64,
    /// Messages of routing and of address resolution given up.
    pub routing: u64,
    /// Packets lost with it: the next hop had not received them. Each once.
    pub lost_packets: u64,
}

/// What nodes had of bundles of others, whole or in parts.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub struct CarrierReport {
    /// The most that one node had at a time, from the start of the run.
    pub most_held: u32,
    /// What all nodes have at the end.
    pub left: u32,
}

/// How the medium was used. Of data frames those count that are for one other and that this one receives, whatever they
/// carry.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq)]
pub struct MediumUseReport {
    /// Share of the measured time in which such a frame was on the air.
    pub mac_utilisation: f64,
    /// How many of them were at once.
    pub spatial_reuse: SpatialReuse,
    /// How many could have been, on the links that had work.
    pub independent_set: IndependentSet,
    /// Node, next hop and flow with a packet in the queue or in service: how many there were, mean over samples.
    pub contending_mac_flows: f64,
}

/// How many frames were on the air at once that were all received.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq)]
pub struct SpatialReuse {
    /// On average over the measured time, idle times included.
    pub mean: f64,
    /// The most.
    pub max: u32,
}

/// How many links with work there were none of which excluded another: nodes and next hops with a packet in the queue or in
/// service, no end of one of which sensed, or was, an end of another.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq)]
pub struct IndependentSet {
    /// On average over samples.
    pub mean: f64,
    /// The most.
    pub max: u32,
    /// Share of the samples of which it is surely the most: of many links it takes too long to find out.
    pub exact: f64,
}

/// All routers together.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub struct RoutingReport {
    /// Routing messages sent or forwarded; each transmission counts.
    pub control_packets: u64,
    /// Their bytes.
    pub control_bytes: u64,
    /// Notices to transports about their routes, as packets of their own or in DSR's route errors; each transmission
    /// counts.
    pub notices: u64,
    /// Neighbours taken for lost, each by one node, which took routes out of use there.
    pub route_breaks: u64,
    /// Those of them that were in range.
    pub false_route_breaks: u64,
}

/// How evenly the flows share.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct Fairness {
    /// Jain's index: 1 if all get the same, 1/n if one gets all.
    pub jain: f64,
    /// Standard deviation over mean.
    pub normalised_sd: f64,
    /// Bits per second of the flow that has the least of its measure: goodput, or received data.
    pub worst_goodput_bps: f64,
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
            routing: RoutingReport {
                control_packets: routers.control_packets,
                control_bytes: routers.control_bytes,
                notices: routers.notices,
                route_breaks: routers.route_breaks,
                false_route_breaks: world.false_route_breaks,
            },
        }
    }
}

/// Joules that all flows' transports computed for.
fn computed_j(flows: &[FlowReport]) -> f64 {
    flows.iter().filter_map(|flow| Some(flow.tcp.as_ref()?.compute.as_ref()?.compute_j)).sum()
}

impl FlowReport {
    /// Application bits acknowledged at the sender per second, where anything is acknowledged.
    #[must_use]
    pub fn goodput_bps(&self) -> Option<f64> {
        let tcp = self.tcp.as_ref().map(|tcp| tcp.goodput_bps);
        let others = [self.atp.map(|atp| atp.goodput_bps), self.bundles.as_ref().map(|bundles| bundles.goodput_bps)];
        others.into_iter().fold(tcp, Option::or)
    }

    /// What counts as its share of the network: what has come over bundles, else goodput, or received data of UDP.
    fn share_bps(&self) -> f64 {
        let arrived = self.bundles.as_ref().map(|bundles| bundles.arrived_bps);
        arrived.or(self.goodput_bps()).unwrap_or(self.received_bps)
    }

    fn new<T: Sink>(setup: &Setup, number: usize, world: &World<T>, energy: Option<&Meter>) -> Self {
        let (flow, end, meter) = (&setup.flows[number], setup.end, &world.flows[number]);
        let carriers = || carriers(&world.flows, number);
        let received = world.received(number);
        let spent_j = |forward| energy.map(|energy| energy.of_account_j(account_of(number, forward)));
        let span_s = end.since(meter.begin).max(Duration::from_nanos(1)).as_secs_f64();
        let (now, before) = (meter.now, meter.at_begin);
        // What a relay has is not with the receiver.
        let acked = match meter.carried_on {
            Some(_) => received,
            None => now.acked_bytes - before.acked_bytes,
        };
        let (protocol, tcp) = match &flow.kind {
            FlowKind::Udp(_) => ("udp".into(), None),
            FlowKind::Atp { .. } => ("atp".into(), None),
            FlowKind::Bundles { protocol, .. } => (protocol.clone(), None),
            FlowKind::Tcp { protocol, recipe, params, .. } => {
                let probes = now.silence_probes - before.silence_probes;
                let [slow_start, congestion_avoidance, recovery, rto, frozen] = meter.phases(end);
                let tcp = TcpReport {
                    goodput_bps: acked as f64 * 8.0 / span_s,
                    goodput_segments: acked / u64::from(meter.segment_bytes),
                    retransmissions: now.retransmissions - before.retransmissions,
                    spurious_retransmissions: now.spurious - before.spurious,
                    rto_count: now.timeouts - before.timeouts,
                    rto_time_s: rto,
                    // One that triggers, or a swap, have made probe does so, too.
                    silence_probes: (recipe.timeout.id == "probe" || probes > 0).then_some(probes),
                    mean_cwnd_segments: meter.mean_cwnd(end),
                    max_cwnd_segments: meter.max_cwnd(),
                    mean_rtt_s: meter.rtt.mean(),
                    sd_rtt_s: meter.rtt.sd(),
                    mean_acks_in_flight: carriers().map(|meter| meter.mean_acks_in_flight(end)).sum(),
                    acks_j: spent_j(false),
                    ack_losses: LossReport::sum(carriers().map(|meter| meter.lost[0])),
                    phase_time_s: PhaseTimes { slow_start, congestion_avoidance, recovery, rto, frozen },
                    compute: meter.work.as_deref().map(ComputeReport::new),
                    adaptation: params.triggers.is_some().then(|| AdaptationReport {
                        changes: now.changes - before.changes,
                        refused: now.refused - before.refused,
                        readings: ReadingsReport::new(&meter.readings()),
                    }),
                    diagnoses: meter.knowledge.confusion.counts(),
                };
                (protocol.clone(), Some(tcp))
            }
        };
        let offered = match &flow.kind {
            FlowKind::Udp(source) => Some((now.sent - before.sent) * u64::from(source.payload_bytes)),
            other => other.file_bytes().map(|bytes| bytes.saturating_sub(before.acked_bytes)),
        };
        let bundles = meter.bundles.as_ref().map(|tally| BundleReport {
            goodput_bps: acked as f64 * 8.0 / span_s,
            arrived_bps: (now.arrived_bytes - before.arrived_bytes) as f64 * 8.0 / span_s,
            mean_rtt_s: meter.rtt.mean(),
            sd_rtt_s: meter.rtt.sd(),
            mean_acks_in_flight: meter.mean_acks_in_flight(end),
            acks_j: spent_j(false),
            ack_losses: LossReport::new(meter.lost[0]),
            happened: tally.now.since(tally.before),
        });
        let dropped = |cause: DropCause| carriers().map(|meter| meter.dropped[cause as usize]).sum();
        let drops = DropCause::ALL.into_iter().map(|cause| (cause.name(), dropped(cause)));
        Self {
            from: flow.from.0,
            to: flow.to.0,
            protocol,
            tcp,
            atp: AtpReport::new(meter, end, span_s, spent_j(false)),
            bundles,
            received_bps: received as f64 * 8.0 / span_s,
            measured_s: span_s,
            sending_s: flow.stop.min(end).since(meter.begin).as_secs_f64(),
            completed_s: completed_s(flow, carriers().last().unwrap_or(meter)),
            offered_bps: offered.map(|bytes| bytes as f64 * 8.0 / span_s),
            segments_sent: now.sent - before.sent,
            mean_data_in_flight: carriers().map(|meter| meter.mean_data_in_flight(end)).sum(),
            mean_hops: carriers().map(|meter| meter.hops.mean()).sum(),
            reverse_bps: None,
            data_j: spent_j(true),
            losses: LossReport::sum(carriers().map(|meter| meter.lost[1])),
            drops: drops.filter(|&(_, count)| count > 0).collect(),
        }
    }
}

/// The time that a flow's file took; `last` measures the connection that ends at the receiver.
fn completed_s(flow: &Flow, last: &FlowMeter) -> Option<f64> {
    let is_whole = last.now.received_bytes >= flow.kind.file_bytes()?;
    is_whole.then(|| last.last_received.since(flow.start).as_secs_f64())
}

impl FrameCounts {
    fn new(counts: &[u64; 5]) -> Self {
        let of = |class: Class| counts[class as usize];
        Self {
            rts_cts: of(Class::RtsCts),
            data: of(Class::Data),
            ack: of(Class::Ack),
            mac_ack: of(Class::MacAck),
            routing: of(Class::Routing),
            total: counts.iter().sum(),
        }
    }
}

impl MacReport {
    fn new(mac: &MacCounters, has_channel: bool, mean_queue_packets: f64) -> Self {
        let of = |counts: &[u64; 5], class: Class| counts[class as usize];
        let f = &mac.failures;
        Self {
            collisions: FrameCounts::new(&mac.collisions),
            channel_errors: has_channel.then(|| FrameCounts::new(&mac.channel_errors)),
            failures: Failures {
                rts_cts: mac.rts_failures,
                data: of(f, Class::Data),
                ack: of(f, Class::Ack),
                routing: of(f, Class::Routing),
                lost_packets: mac.lost_packets,
            },
            mean_queue_packets,
            has_stations: true,
        }
    }

    const fn is_of_nobody(&self) -> bool {
        !self.has_stations
    }
}

impl Fairness {
    /// Of the flows' shares; even if nobody gets anything.
    fn of(shares: Vec<f64>) -> Self {
        let n = shares.len() as f64;
        // Without flows there is no worst one; nobody gets anything.
        let worst = shares.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let (sum, squares) = shares.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
        if squares == 0.0 {
            return Self { jain: 1.0, normalised_sd: 0.0, worst_goodput_bps: worst };
        }
        let mean = sum / n;
        let variance = (squares / n - mean * mean).max(0.0);
        Self { jain: sum * sum / (n * squares), normalised_sd: variance.sqrt() / mean, worst_goodput_bps: worst }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_has_its_two_ends() {
        let even = Fairness::of(vec![3.0, 3.0]);
        assert_eq!(even, Fairness { jain: 1.0, normalised_sd: 0.0, worst_goodput_bps: 3.0 });
        let starved = Fairness::of(vec![4.0, 0.0, 0.0, 0.0]);
        assert_eq!((starved.jain, starved.worst_goodput_bps), (0.25, 0.0));
        assert_eq!(Fairness::of(vec![5.0, 2.0, 3.0]).worst_goodput_bps, 2.0);
        assert!((starved.normalised_sd - 3f64.sqrt()).abs() < 1e-12);
    }
}
