//! The results of the network as a whole: stations, routers, the medium, how flows share.

use hopwright_routing::Counters;
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotations::{shown, when};
use crate::medium::FrameClass;
use crate::world::MacCounters;

/// All stations together.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "Mac")]
pub struct MacReport {
    /// Frames that their addressee lost because another transmission overlapped. For a broadcast, each node in
    /// reception range counts as an addressee. Not counted: frames that were too weak to decode, frames that were
    /// captured, and frames that arrived while the addressee was sending.
    #[schemars(extend("x-each" = "frames lost to collisions", "x-better" = "lower"))]
    pub collisions: FrameCounts,
    /// Frames that their addressee lost because the channel damaged the frame or made it too weak. For a broadcast,
    /// each node in reception range counts as an addressee.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-each" = "frames lost to the channel", "x-better" = "lower", "x-when" = [when::channel()]))]
    pub channel_errors: Option<FrameCounts>,
    /// What stations gave up at a retry limit.
    #[schemars(extend("x-better" = "lower"))]
    pub failures: Failures,
    /// Length of the interface queue, averaged over time and nodes.
    #[schemars(title = "mean queue")]
    pub mean_queue_packets: f64,
    /// Whether there are stations at all.
    #[serde(skip)]
    pub has_stations: bool,
}

/// Lost frames, by what they carry.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq, JsonSchema)]
#[schemars(title = "FrameCounts")]
pub struct FrameCounts {
    /// RTS and CTS.
    #[schemars(title = "RTS and CTS")]
    pub rts_cts: u64,
    /// Data of a transport.
    #[schemars(title = "data")]
    pub data: u64,
    /// Acknowledgements of a transport.
    #[schemars(title = "acknowledgements")]
    pub ack: u64,
    /// Acknowledgements of the MAC.
    #[schemars(title = "acknowledgements of the MAC")]
    pub mac_ack: u64,
    /// Messages of routing and of address resolution.
    #[schemars(title = "routing")]
    pub routing: u64,
    /// All frames together.
    #[schemars(title = "all")]
    pub total: u64,
}

/// What stations gave up at a retry limit.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq, JsonSchema)]
#[schemars(title = "Failures")]
pub struct Failures {
    /// Exchanges that were given up at the retry limit of the RTS.
    #[schemars(title = "RTS exchanges given up")]
    pub rts_cts: u64,
    /// Packets with data that the MAC gave up because no CTS or no MAC ACK came.
    #[schemars(title = "packets with data given up")]
    pub data: u64,
    /// Acknowledgements of a transport that the MAC gave up because no CTS or no MAC ACK came.
    #[schemars(title = "acknowledgements given up")]
    pub ack: u64,
    /// Messages of routing and of address resolution that the MAC gave up because no CTS or no MAC ACK came.
    #[schemars(title = "routing packets given up")]
    pub routing: u64,
    /// Packets that were lost because the MAC gave them up, each packet once. A packet is not lost if the next hop had
    /// received it.
    #[schemars(title = "packets lost by the MAC")]
    pub lost_packets: u64,
}

/// What nodes had of bundles of others, whole or in parts.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq, JsonSchema)]
#[schemars(title = "BundlesHeld", extend("x-better" = "lower"))]
pub struct CarrierReport {
    /// Largest number of bundles of other nodes, whole or in parts, that one node had at one time, from the start of
    /// the run.
    #[schemars(title = "most bundles in a node")]
    pub most_held: u32,
    /// Number of bundles of other nodes, whole or in parts, that all nodes have at the end.
    #[schemars(title = "bundles left in nodes")]
    pub left: u32,
}

/// How the medium was used. All of it is of the measured time; of data frames those count that are for one other and that
/// this one receives, whatever they carry.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "MediumUse")]
pub struct MediumUseReport {
    /// Share of the measured time in which at least one received data frame was on the air. Data frames with one
    /// addressee count, whatever they carry.
    #[schemars(title = "MAC utilisation", extend("x-unit" = "ratio"))]
    pub mac_utilisation: f64,
    /// How many received data frames were on the air at the same time. This is what the medium carried, not the largest
    /// number that the medium could have carried.
    pub spatial_reuse: SpatialReuse,
    /// How many data frames could have been on the air at the same time. This is the size of the largest set of links
    /// with packets to send, no two of which exclude each other.
    pub independent_set: IndependentSet,
    /// Triples of node, next hop and flow with a packet in the interface queue or in service, averaged over samples
    /// every 10 ms.
    #[schemars(title = "contending MAC flows", extend("x-shown" = shown("", 1.0, 2)))]
    pub contending_mac_flows: f64,
}

/// How many frames were on the air at once that were all received.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "SpatialReuse")]
pub struct SpatialReuse {
    /// Average over time, idle times included. Divided by `mac_utilisation`, the result is the average over the times
    /// with at least one such frame.
    #[schemars(title = "frames received at once, mean")]
    pub mean: f64,
    /// Largest number at one time.
    #[schemars(title = "frames received at once, most")]
    pub max: u32,
}

/// How many links with work there were none of which excluded another.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "IndependentSet")]
pub struct IndependentSet {
    /// Average over samples every 10 ms, idle times included.
    #[schemars(title = "links that could send at once, mean")]
    pub mean: f64,
    /// Largest number in one sample.
    #[schemars(title = "links that could send at once, most")]
    pub max: u32,
    /// Share of the samples in which the counted set is surely the largest. With hundreds of links over a wide area,
    /// the search takes too long; the counted set can then be some percent too small.
    #[schemars(title = "samples with an exact result", extend("x-unit" = "ratio"))]
    pub exact: f64,
}

/// All routers together.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq, JsonSchema)]
#[schemars(title = "RoutingCounts")]
pub struct RoutingReport {
    /// Messages of routing that were sent or forwarded: each transmission counts.
    #[schemars(title = "routing packets", extend("x-better" = "lower"))]
    pub control_packets: u64,
    /// Bytes of these messages.
    #[schemars(title = "routing bytes", extend("x-better" = "lower"))]
    pub control_bytes: u64,
    /// Notices to transports about their routes, as separate packets or in DSR's route errors: each transmission
    /// counts. A notice that a next hop does not receive is lost, like any packet. With the scenario's
    /// `routing.lost_notices = "sent-again"`, the station sends the notice again as long as the next hop is in range,
    /// as Zhou et al. assume.
    #[schemars(title = "notices")]
    pub notices: u64,
    /// How often a node declared a neighbour lost and therefore took routes out of use.
    #[schemars(title = "route breaks", extend("x-better" = "lower"))]
    pub route_breaks: u64,
    /// Route breaks in which the neighbour was in range.
    #[schemars(title = "false route breaks", extend("x-better" = "lower"))]
    pub false_route_breaks: u64,
}

impl RoutingReport {
    pub(super) const fn new(routers: &Counters, false_route_breaks: u64) -> Self {
        Self {
            control_packets: routers.control_packets,
            control_bytes: routers.control_bytes,
            notices: routers.notices,
            route_breaks: routers.route_breaks,
            false_route_breaks,
        }
    }
}

/// How evenly the flows share. A flow's share is its goodput (TCP, ATP), `arrived_bps` (bundles) or what was received
/// (UDP).
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "Fairness")]
pub struct Fairness {
    /// Jain's index of the flows' shares: 1 if all shares are equal, 1/n if one of n flows has everything.
    #[schemars(title = "Jain's index", extend("x-better" = "higher", "x-unit" = "ratio"))]
    pub jain: f64,
    /// Standard deviation of the shares (divisor n), divided by their mean.
    #[schemars(title = "sd of shares over their mean", extend("x-better" = "lower", "x-unit" = "ratio"))]
    pub normalised_sd: f64,
    /// The smallest share: what the worst flow gets.
    #[schemars(title = "goodput of the worst flow", extend("x-better" = "higher"))]
    pub worst_goodput_bps: f64,
}

impl FrameCounts {
    pub(super) fn new(counts: &[u64; 5]) -> Self {
        let of = |class: FrameClass| counts[class as usize];
        Self {
            rts_cts: of(FrameClass::RtsCts),
            data: of(FrameClass::Data),
            ack: of(FrameClass::Ack),
            mac_ack: of(FrameClass::MacAck),
            routing: of(FrameClass::Routing),
            total: counts.iter().sum(),
        }
    }
}

impl MacReport {
    pub(super) fn new(mac: &MacCounters, has_channel: bool, mean_queue_packets: f64) -> Self {
        let of = |counts: &[u64; 5], class: FrameClass| counts[class as usize];
        let f = &mac.failures;
        Self {
            collisions: FrameCounts::new(&mac.collisions),
            channel_errors: has_channel.then(|| FrameCounts::new(&mac.channel_errors)),
            failures: Failures {
                rts_cts: mac.rts_failures,
                data: of(f, FrameClass::Data),
                ack: of(f, FrameClass::Ack),
                routing: of(f, FrameClass::Routing),
                lost_packets: mac.lost_packets,
            },
            mean_queue_packets,
            has_stations: true,
        }
    }

    pub(super) const fn is_of_nobody(&self) -> bool {
        !self.has_stations
    }
}

impl Fairness {
    /// Of the flows' shares; even if nobody gets anything.
    pub(super) fn of(shares: Vec<f64>) -> Self {
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
