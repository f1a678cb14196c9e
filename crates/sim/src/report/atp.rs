//! The results of a flow over ATP.

use hopwright_machine::Time;
use serde::Serialize;

use super::LossReport;
use crate::meter::FlowMeter;

/// What is measured of a flow over ATP. What TCP has, too, has its name.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct AtpReport {
    /// Application bits acknowledged at the sender per second, each once.
    pub goodput_bps: f64,
    /// The same in whole segments.
    pub goodput_segments: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// The sender's rate in packets per second, mean over the feedback that it got; `None` if it got none.
    pub mean_rate_pps: Option<f64>,
    /// Its standard deviation; `None` for fewer than two.
    pub sd_rate_pps: Option<f64>,
    /// The rate that the way bears by what its stations wrote, mean over the same feedback.
    pub mean_told_pps: Option<f64>,
    /// Feedback that the sender got, answers to probes included.
    pub feedbacks: u64,
    /// Probes that it sent.
    pub probes: u64,
    /// How often an answer had it begin, or go on, to send data.
    pub openings: u64,
    /// Seconds without data, in which it probed.
    pub probing_time_s: f64,
    /// Feedback in the network, on average over time.
    pub mean_acks_in_flight: f64,
    /// What all radios spent on packets that went the other way, joules; `None` where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acks_j: Option<f64>,
    /// Packets that went the other way and were lost.
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
