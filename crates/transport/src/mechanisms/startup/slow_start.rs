//! Slow start: a segment more for every segment acknowledged, until the threshold.
//!
//! Spec      RFC 5681 §3.1 equation 2; RFC 3465 §2.2 (the limit of what one acknowledgement adds)
//! Deviates  the initial window is a parameter; at the threshold exactly, congestion avoidance goes on (the
//!           RFC allows either); the limit is the same after a time-out (RFC 3465 §2.3: one segment then)
//! Holds     never adds more than `slow_start_limit_segments` per ACK, one unless it is set; one segment to begin with where the SYN was resent

use super::{Growth, Startup};
use crate::mechanisms::{Ack, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const SLOW_START: Part<dyn Startup> =
    Part::<dyn Startup>::new("slow-start", "RFC 5681 §3.1", |p| Box::new(SlowStart::new(p))).with_knobs(&[LIMIT]);

pub(super) const LIMIT: Knob = Knob::count(
    "slow_start_limit_segments",
    "segments",
    1,
    0..=1_000_000,
    "largest growth of the window by one acknowledgement in slow start (L of RFC 3465). 0: all data that it acknowledges",
);

#[derive(Debug)]
pub(super) struct SlowStart {
    initial_segments: u32,
    /// Segments that one acknowledgement adds at most.
    limit: u64,
}

impl SlowStart {
    pub(super) fn new(params: &Params) -> Self {
        let limit = match params.count(&LIMIT) {
            0 => u64::from(u32::MAX),
            limit => u64::from(limit),
        };
        Self { initial_segments: params.initial_window_segments, limit }
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
        Growth::By(ack.acked.min(self.limit * u64::from(p.mss)) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;

    #[test]
    fn one_acknowledgement_adds_what_the_limit_lets_it() {
        let segment = empty_segment();
        let p = Public { mss: 1_000, ..Public::default() };
        for (limit, added) in [(1.0, 1_000.0), (2.0, 2_000.0), (0.0, 5_000.0)] {
            let mut params = Params::default();
            params.set("slow_start_limit_segments", Value::Number(limit)).unwrap();
            let growth = SlowStart::new(&params).on_ack(&p, &Ack::bare(AckKind::Advance, 5_000, &segment));
            assert!(matches!(growth, Growth::By(bytes) if bytes == added), "{growth:?}");
        }
    }
}
