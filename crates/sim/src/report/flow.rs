//! The results of a flow: what all have, and what only TCP has.

use std::collections::BTreeMap;
use std::fmt;

use hopwright_machine::{DropCause, Duration, LossCause};
use hopwright_transport::adaptation::{Monitor, Readings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{AtpReport, NetworkTimes, PacketTimes, SenderTimes};
use crate::annotations::{self, derived, shown, when};
use crate::bundles::Happened;
use crate::compute::ComputeReport;
use crate::energy::{Meter, account_of};
use crate::meter::{FlowMeter, carriers};
use crate::setup::{Flow, FlowKind, Setup};
use crate::trace::Sink;
use crate::world::World;

/// One flow.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "Flow", transform = kinds)]
pub struct FlowReport {
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
    /// The name of the sending node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-when" = [when::otherwise("nodes have names: `topology.kind = \"sumo-fcd\"`")]))]
    pub from_name: Option<String>,
    /// The name of the receiving node.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-when" = [when::otherwise("nodes have names: `topology.kind = \"sumo-fcd\"`")]))]
    pub to_name: Option<String>,
    /// The id of the transport; `udp` for datagrams.
    pub protocol: String,
    /// What only TCP has.
    #[serde(flatten)]
    #[schemars(skip)]
    pub tcp: Option<TcpReport>,
    /// What only ATP has.
    #[serde(flatten)]
    #[schemars(skip)]
    pub atp: Option<AtpReport>,
    /// What only bundles have.
    #[serde(flatten)]
    #[schemars(skip)]
    pub bundles: Option<BundleReport>,
    /// Data that was handed to the receiving application, divided by the measured time. This is the measure for UDP. Over
    /// bundles: data that was delivered in order.
    #[schemars(title = "received", extend("x-better" = "higher"))]
    pub received_bps: f64,
    /// The measured time of the flow: from the start of the flow or the end of the warm-up, whichever is later, to the
    /// end of the run. The rates of the flow are over this time.
    #[schemars(title = "time measured")]
    pub measured_s: f64,
    /// The part of `measured_s` in which the application could send: up to `stop_s`.
    #[schemars(title = "time to send")]
    pub sending_s: f64,
    /// Flow completion time: from the start of the flow until the receiving application had the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "flow completion time", extend("x-better" = "lower", "x-when" = [when::otherwise("the flow sends a file (`app = \"file\"`) and the receiver has the whole file")]))]
    pub completed_s: Option<f64>,
    /// Data that the application had to send in the measured time, divided by this time; null if the application always
    /// has more data (`app = "bulk"`).
    #[schemars(title = "offered")]
    pub offered_bps: Option<f64>,
    /// Segments with data, or datagrams, that left the sender, including those sent again. Over bundles: packets that
    /// all owners handed to their stations.
    #[schemars(title = "segments sent")]
    pub segments_sent: u64,
    /// Packets from the sender to the receiver that are in the network, neither delivered nor dropped, averaged over
    /// time.
    #[schemars(title = "mean data segments in the network", extend("x-shown" = shown("", 1.0, 2)))]
    pub mean_data_in_flight: f64,
    /// Mean number of hops of the packets that reached the receiver; null if no packet did.
    #[schemars(title = "mean hops", extend("x-shown" = shown("", 1.0, 2)))]
    pub mean_hops: Option<f64>,
    /// Acknowledgements without data that came to the sender of the flow, with IP headers and headers of DSR. Over
    /// NCTP: all messages about bundles, probes included, that came to their destination. Over UDP: 0.
    // A trace fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "reverse traffic", extend("x-better" = "lower", "x-when" = [when::medium_use()]))]
    pub reverse_bps: Option<f64>,
    /// Where the packets of the flow were. Packets with data and packets in the opposite direction count. The parts add
    /// up to `measured_s`.
    // A trace fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-each" = "time by the place of packets", "x-when" = [when::flow_time()]))]
    pub network_time_s: Option<NetworkTimes>,
    /// Where packets with data spent their time. The parts are those of the mean delay of the packets that arrived; null
    /// if no packet arrived.
    // A trace fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-each" = "delay of packets by place", "x-better" = "lower", "x-when" = [when::flow_time()]))]
    pub packet_time_s: Option<PacketTimes>,
    /// Energy that the radios of all nodes spent on packets from the sender to the receiver, including all frames of
    /// the MAC for these packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "energy for data", extend("x-better" = "lower", "x-when" = [when::radio_energy()]))]
    pub data_j: Option<f64>,
    /// Lost packets from the sender to the receiver, by the cause of the loss. A packet is lost once: when its last
    /// copy is dropped, and not if any copy arrives. Therefore there are more `drops` than losses.
    #[schemars(extend("x-each" = "packets lost", "x-better" = "lower"))]
    pub losses: LossReport,
    /// Dropped copies of packets of the flow, in both directions, by cause. Causes that did not occur are absent.
    /// Tables have a column for each cause, such as `drops.queue_full`.
    #[schemars(schema_with = "annotations::drops", extend("x-each" = "packets dropped", "x-better" = "lower", "x-tally" = true))]
    pub drops: BTreeMap<&'static str, u64>,
}

/// What is measured of a TCP flow.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "TcpFlow", extend("x-of" = "TCP"))]
pub struct TcpReport {
    /// Application data acknowledged at the sender, each byte once, divided by the measured time.
    #[schemars(title = "goodput", extend("x-better" = "higher", "x-over-udp" = "received_bps"))]
    pub goodput_bps: f64,
    /// The data of `goodput_bps`, in whole segments of `segment_bytes`.
    #[schemars(title = "segments acknowledged", extend("x-better" = "higher"))]
    pub goodput_segments: u64,
    /// Segments sent again.
    #[schemars(title = "segments sent again", extend("x-better" = "lower"))]
    pub retransmissions: u64,
    /// Segments that were sent again although nothing was missing: when the segment left, earlier copies of all its
    /// data had arrived or were still in the network.
    #[schemars(title = "segments sent again for nothing", extend("x-better" = "lower", "x-over-flows" = "mean"))]
    pub spurious_retransmissions: u64,
    /// Expiries of the retransmission timer.
    #[schemars(title = "time-outs", extend("x-better" = "lower"))]
    pub rto_count: u64,
    /// Time from time-outs until new data was acknowledged: equal to `phase_time_s.rto`.
    #[schemars(title = "time in time-outs", extend("x-better" = "lower"))]
    pub rto_time_s: f64,
    /// Segments without data that asked for an acknowledgement after a silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "probes of silence", extend("x-better" = "lower", "x-when" = [when::otherwise("the flow sends probes after a silence (`timeout = \"probe\"`), from the start or after a change")]))]
    pub silence_probes: Option<u64>,
    /// Congestion window, averaged over time, without the inflation of the window in fast recovery.
    #[schemars(title = "mean congestion window")]
    pub mean_cwnd_segments: f64,
    /// Largest value of the congestion window.
    #[schemars(title = "largest congestion window")]
    pub max_cwnd_segments: f64,
    /// Mean of the round-trip times that the sender measured; null if the sender measured none.
    #[schemars(title = "mean round-trip time", extend("x-better" = "lower", "x-shown" = shown("ms", 1e3, 1)))]
    pub mean_rtt_s: Option<f64>,
    /// Standard deviation of these round-trip times (divisor n - 1); null if there are fewer than two.
    #[schemars(title = "sd of round-trip times", extend("x-better" = "lower", "x-shown" = shown("ms", 1e3, 1)))]
    pub sd_rtt_s: Option<f64>,
    /// Packets from the receiver to the sender (acknowledgements) that are in the network, averaged over time.
    #[schemars(title = "mean acknowledgements in the network", extend("x-shown" = shown("", 1.0, 2)))]
    pub mean_acks_in_flight: f64,
    /// Energy that the radios of all nodes spent on packets from the receiver to the sender: acknowledgements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "energy for acknowledgements", extend("x-better" = "lower", "x-when" = [when::radio_energy()]))]
    pub acks_j: Option<f64>,
    /// Lost packets from the receiver to the sender (acknowledgements), by the cause of the loss, counted like
    /// `losses`.
    #[schemars(extend("x-each" = "acknowledgements lost", "x-better" = "lower", "x-over-flows" = "mean"))]
    pub ack_losses: LossReport,
    /// Time in each phase of the sender.
    #[schemars(extend("x-each" = "time by phase"))]
    pub phase_time_s: PhaseTimes,
    /// What kept the sender from sending more. The parts add up to `measured_s`.
    // A trace fills it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-each" = "time by the sender's limit", "x-when" = [when::flow_time()]))]
    pub sender_time_s: Option<SenderTimes>,
    /// What the triggers of the flow did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-when" = [when::triggers()]))]
    pub adaptation: Option<AdaptationReport>,
    /// The computation of the two transports of the flow. Datagrams are not charged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-when" = [when::compute()]))]
    pub compute: Option<ComputeReport>,
    /// How often the sender made a diagnosis of a lost segment, by the truth and the diagnosis:
    /// *truth*`_as_`*diagnosis*, such as `queue_as_channel`. Pairs that did not occur are absent. Tables have a column
    /// for each pair.
    #[schemars(schema_with = "annotations::diagnoses", extend("x-each" = "diagnoses", "x-tally" = true))]
    pub diagnoses: BTreeMap<String, u64>,
}

/// What is measured of a flow that bundles carry. What happens to bundles is counted at all nodes.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "BundleFlow", extend("x-of" = "bundles"))]
pub struct BundleReport {
    /// Application data of bundles that arrived, as far as the source knows, each bundle once.
    #[schemars(title = "goodput", extend("x-better" = "higher"))]
    pub goodput_bps: f64,
    /// Application data that came to the destination, each byte once, also of bundles that are not complete.
    #[schemars(title = "data that came over bundles", extend("x-better" = "higher"))]
    pub arrived_bps: f64,
    /// Mean time from the end of a bundle's first hop, or from the beginning of this hop (`nctp_timer_starts`), to the
    /// acknowledgement of the bundle. Only bundles that were sent once count; null if there was none.
    #[schemars(title = "mean round-trip time", extend("x-better" = "lower", "x-shown" = shown("ms", 1e3, 1)))]
    pub mean_rtt_s: Option<f64>,
    /// Standard deviation of these times; null if there are fewer than two.
    #[schemars(title = "sd of round-trip times", extend("x-better" = "lower", "x-shown" = shown("ms", 1e3, 1)))]
    pub sd_rtt_s: Option<f64>,
    /// Messages about bundles that are in the network, averaged over time.
    #[schemars(title = "mean acknowledgements in the network", extend("x-shown" = shown("", 1.0, 2)))]
    pub mean_acks_in_flight: f64,
    /// Energy that the radios of all nodes spent on messages about bundles, including all frames of the MAC for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "energy for acknowledgements", extend("x-better" = "lower", "x-when" = [when::radio_energy()]))]
    pub acks_j: Option<f64>,
    /// Lost messages about bundles, by the cause of the loss, counted like `losses`.
    #[schemars(extend("x-each" = "acknowledgements lost", "x-better" = "lower", "x-over-flows" = "mean"))]
    pub ack_losses: LossReport,
    /// What happened to its bundles.
    #[serde(flatten)]
    pub happened: Happened,
}

/// What the triggers of a flow did.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "Adaptation")]
pub struct AdaptationReport {
    /// Changes of mechanisms by triggers, including changes back.
    #[schemars(title = "changes by triggers", extend("x-over-flows" = "mean"))]
    pub changes: u64,
    /// Changes that the connection refused because it cannot serve them.
    #[schemars(title = "changes refused", extend("x-over-flows" = "mean", "x-better" = "lower"))]
    pub refused: u64,
    /// What the monitors of the triggers measured. Each value is the mean over all looks at which the monitor had a
    /// finite value; absent if the monitor had none.
    #[schemars(extend("x-each" = "readings"))]
    pub readings: ReadingsReport,
}

/// What monitors said, on average over all looks at which they had a finite value.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "Readings")]
pub struct ReadingsReport {
    /// Share of the segments that were lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "loss", extend("x-unit" = Monitor::Loss.unit()))]
    pub loss: Option<f64>,
    /// Half of the round-trip time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "delay", extend("x-unit" = Monitor::Delay.unit()))]
    pub delay: Option<f64>,
    /// Rate of the acknowledged data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "bandwidth", extend("x-unit" = Monitor::Bandwidth.unit()))]
    pub bandwidth: Option<f64>,
    /// How long the bandwidth takes to go up and down.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "fluctuation", extend("x-unit" = Monitor::Fluctuation.unit()))]
    pub fluctuation: Option<f64>,
    /// Change from one round-trip time to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "jitter", extend("x-unit" = Monitor::Jitter.unit()))]
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
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct LossReport([u64; LossCause::ALL.len()]);

impl fmt::Debug for LossReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("LossReport");
        for cause in LossCause::ALL {
            told.field(cause.name(), &self.of(cause));
        }
        told.finish()
    }
}

impl LossReport {
    fn sum(parts: impl Iterator<Item = [u64; LossCause::ALL.len()]>) -> Self {
        let mut sum = [0; LossCause::ALL.len()];
        for part in parts {
            sum.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
        }
        Self(sum)
    }

    pub(super) const fn new(counts: [u64; LossCause::ALL.len()]) -> Self {
        Self(counts)
    }

    /// Those to one cause.
    #[must_use]
    pub const fn of(&self, cause: LossCause) -> u64 {
        self.0[cause as usize]
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl Serialize for LossReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(LossCause::ALL.map(|cause| (cause.name(), self.of(cause))))
    }
}

impl JsonSchema for LossReport {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Losses".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = annotations::losses();
        schema.insert("title".to_owned(), "Losses".into());
        schema.insert("required".to_owned(), json!(LossCause::ALL.map(LossCause::name)));
        schema
    }
}

/// Puts the kinds of flows into the schema of what all have.
fn kinds(flow: &mut Schema) {
    let udp = json!({ "title": "UdpFlow", "x-of": "UDP", "properties": { "protocol": { "const": "udp" } } });
    let kinds = [derived::<TcpReport>(), derived::<super::AtpReport>(), derived::<BundleReport>()];
    flow.insert("anyOf".to_owned(), kinds.into_iter().map(Value::Object).chain([udp]).collect());
}

/// Time in each phase.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "PhaseTimes")]
pub struct PhaseTimes {
    /// The start-up slot grows the window.
    #[schemars(title = "slow start")]
    pub slow_start: f64,
    /// The avoidance slot grows the window.
    #[schemars(title = "congestion avoidance")]
    pub congestion_avoidance: f64,
    /// The sender repairs a loss (fast recovery).
    #[schemars(title = "recovery")]
    pub recovery: f64,
    /// From a time-out until new data is acknowledged.
    #[schemars(title = "time-out", extend("x-better" = "lower"))]
    pub rto: f64,
    /// The sender sends nothing, because it was told that its route failed. If `series.parquet` is written,
    /// `flow-<i>.svg` shows this time shaded.
    #[schemars(title = "frozen")]
    pub frozen: f64,
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
    pub(super) fn share_bps(&self) -> f64 {
        let arrived = self.bundles.as_ref().map(|bundles| bundles.arrived_bps);
        arrived.or(self.goodput_bps()).unwrap_or(self.received_bps)
    }

    pub(super) fn new<T: Sink>(setup: &Setup, number: usize, world: &World<T>, energy: Option<&Meter>) -> Self {
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
                    sender_time_s: None,
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
            from_name: setup.names.get(flow.from.0 as usize).cloned(),
            to_name: setup.names.get(flow.to.0 as usize).cloned(),
            protocol,
            tcp,
            atp: AtpReport::new(meter, end, span_s, spent_j(false)),
            bundles,
            received_bps: received as f64 * 8.0 / span_s,
            measured_s: end.since(meter.begin).as_secs_f64(),
            sending_s: flow.stop.min(end).since(meter.begin).as_secs_f64(),
            completed_s: completed_s(flow, carriers().last().unwrap_or(meter)),
            offered_bps: offered.map(|bytes| bytes as f64 * 8.0 / span_s),
            segments_sent: now.sent - before.sent,
            mean_data_in_flight: carriers().map(|meter| meter.mean_data_in_flight(end)).sum(),
            mean_hops: carriers().map(|meter| meter.hops.mean()).sum(),
            reverse_bps: None,
            network_time_s: None,
            packet_time_s: None,
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
