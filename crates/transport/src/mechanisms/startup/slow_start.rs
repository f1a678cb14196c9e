//! Slow start: a segment more for every segment acknowledged, until the threshold.
//!
//! Spec      RFC 5681 §3.1 equation 2
//! Deviates  the initial window is a parameter; at the threshold exactly, congestion avoidance goes on (the
//!           RFC allows either)
//! Holds     never adds more than one segment per ACK; one segment to begin with where the SYN was resent

use super::{Growth, Startup};
use crate::engine::Public;
use crate::mechanisms::{Ack, Part};
use crate::params::Params;

/// See the file's header.
pub const SLOW_START: Part<dyn Startup> = Part::new("slow-start", "RFC 5681 §3.1", |p| Box::new(SlowStart::new(p)));

#[derive(Debug)]
pub(super) struct SlowStart {
    initial_segments: u32,
}

impl SlowStart {
    pub(super) const fn new(params: &Params) -> Self {
        Self { initial_segments: params.initial_window_segments }
    }
}

impl Startup for SlowStart {
    fn initial_window(&mut self, p: &Public) -> f64 {
        let segments = if p.syn_resent { 1 } else { self.initial_segments };
        f64::from(segments) * f64::from(p.mss)
    }

    fn is_active(&self, p: &Public) -> bool {
        p.cwnd < p.ssthresh
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Growth {
        Growth::By(ack.acked.min(u64::from(p.mss)) as f64)
    }
}
