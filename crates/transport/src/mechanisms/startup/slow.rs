//! Slow start, slowed down: one acknowledgement in `k + 1` grows the window (SS).
//!
//! Spec      Papanastasiou 2006 §4.3.1, Algorithm 1; §4.3.3 tried other values here than in congestion avoidance
//! Deviates  `k = 0` is plain slow start
//! Holds     a growing acknowledgement adds what slow start adds, the others nothing

use super::slow_start::{LIMIT, SlowStart};
use super::{Growth, Startup};
use crate::mechanisms::slow_growth::{K, SlowGrowth};
use crate::mechanisms::{Ack, Part};
use crate::params::Knob;
use crate::view::Public;

const SS_K: Knob = Knob::count(
    "ss_k",
    "",
    0,
    0..=1_000_000,
    "in slow start: number of acknowledgements without growth of the window, after each acknowledgement with growth. 0: as many as k",
);

/// See the file's header.
pub const SLOW: Part<dyn Startup> = Part::<dyn Startup>::new("slow", "Papanastasiou 2006 §4.3.1", |p| {
    let k = match p.count(&SS_K) {
        0 => p.count(&K),
        own => own,
    };
    Box::new(Slow { plain: SlowStart::new(p), k, growth: SlowGrowth::default() })
})
.with_knobs(&[K, SS_K, LIMIT]);

#[derive(Debug)]
struct Slow {
    plain: SlowStart,
    k: u32,
    growth: SlowGrowth,
}

impl Startup for Slow {
    fn initial_window(&mut self, p: &Public) -> f64 {
        self.plain.initial_window(p)
    }

    fn is_active(&self, p: &Public) -> bool {
        self.plain.is_active(p)
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Growth {
        if self.growth.grows(self.k) { self.plain.on_ack(p, ack) } else { Growth::By(0.0) }
    }
}
