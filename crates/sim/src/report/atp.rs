//! The results of a flow over ATP.

use hopwright_machine::Time;
use schemars::JsonSchema;
use serde::Serialize;

use super::LossReport;
use crate::annotations::{shown, when};
use crate::meter::FlowMeter;

/// What is measured of a flow over ATP. What TCP has, too, has its name. Rates are of segments with data.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "AtpFlow", extend("x-of" = "ATP"))]
pub struct AtpReport {
    /// Application data acknowledged at the sender, each byte once, divided by the measured time. Feedback acknowledges
    /// data that arrived together with all data before it.
    #[schemars(title = "goodput", extend("x-better" = "higher"))]
    pub goodput_bps: f64,
    /// The data of `goodput_bps`, in whole segments.
    #[schemars(title = "segments acknowledged", extend("x-better" = "higher"))]
    pub goodput_segments: u64,
    /// Segments sent again.
    #[schemars(title = "segments sent again", extend("x-better" = "lower"))]
    pub retransmissions: u64,
    /// Mean of the sender's rate S: one value after each feedback that came while the sender sent data; null if no
    /// feedback came.
    #[schemars(title = "mean rate")]
    pub mean_rate_pps: Option<f64>,
    /// Standard deviation of the rate S (divisor n - 1); null if there are fewer than two values.
    #[schemars(title = "sd of the rate", extend("x-better" = "lower"))]
    pub sd_rate_pps: Option<f64>,
    /// Mean of the rate R over the feedback of `mean_rate_pps`. R is the rate that the path can carry, according to the
    /// stamps of its stations; R bounds S.
    #[schemars(title = "mean rate told by the path")]
    pub mean_told_pps: Option<f64>,
    /// Feedback that the sender got, answers to probes included.
    #[schemars(title = "feedback")]
    pub feedbacks: u64,
    /// Probes that the sender sent.
    #[schemars(title = "probes of the path", extend("x-better" = "lower"))]
    pub probes: u64,
    /// How often the answer to a probe made the sender begin, or continue, to send data.
    #[schemars(title = "probes after which data left")]
    pub openings: u64,
    /// Time in which the sender sent probes and no data: before the first answer, after a notice of a route failure,
    /// and after three epochs without feedback.
    #[schemars(title = "time without data, probing", extend("x-better" = "lower"))]
    pub probing_time_s: f64,
    /// Packets from the receiver to the sender (feedback) that are in the network, averaged over time.
    #[schemars(title = "mean acknowledgements in the network", extend("x-shown" = shown("", 1.0, 2)))]
    pub mean_acks_in_flight: f64,
    /// Energy that the radios of all nodes spent on packets from the receiver to the sender: feedback.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(title = "energy for acknowledgements", extend("x-better" = "lower", "x-when" = [when::radio_energy()]))]
    pub acks_j: Option<f64>,
    /// Lost packets from the receiver to the sender (feedback), by the cause of the loss, counted like `losses`.
    #[schemars(extend("x-each" = "acknowledgements lost", "x-better" = "lower", "x-over-flows" = "mean"))]
    pub ack_losses: LossReport,
}

impl AtpReport {
    /// `None` for a flow over something else.
    pub(super) fn new(meter: &FlowMeter, end: Time, span_s: f64, acks_j: Option<f64>) -> Option<Self> {
        let atp = meter.atp.as_deref()?;
        let (now, before, counted) = (meter.now, meter.at_begin, atp.counted());
        let acked = now.acked_bytes - before.acked_bytes;
        Some(Self {
            goodput_bps: acked as f64 * 8.0 / span_s,
            goodput_segments: acked / u64::from(meter.segment_bytes),
            retransmissions: now.retransmissions - before.retransmissions,
            mean_rate_pps: atp.rate.mean(),
            sd_rate_pps: atp.rate.sd(),
            mean_told_pps: atp.told.mean(),
            feedbacks: counted.feedbacks,
            probes: counted.probes,
            openings: counted.openings,
            probing_time_s: atp.probing_s(end),
            mean_acks_in_flight: meter.mean_acks_in_flight(end),
            acks_j,
            ack_losses: LossReport::new(meter.lost[0]),
        })
    }
}
