//! Additive increase, slowed down: one acknowledgement in `k + 1` grows the window (SCA).
//!
//! Spec      Papanastasiou 2006 §4.3.2, Algorithm 2; `k` of 10 for one flow, 25 where two or three flows share source
//!           and destination, of no effect beyond three (§4.4.1, §4.5.1)
//! Deviates  `k = 0` is plain additive increase
//! Holds     about one segment per `k + 1` round trips if every segment is acknowledged

use super::Avoidance;
use super::additive::per_ack;
use crate::mechanisms::slow_growth::{K, SlowGrowth};
use crate::mechanisms::{Ack, Part};
use crate::view::Public;

/// See the file's header.
pub const SLOW: Part<dyn Avoidance> = Part::<dyn Avoidance>::new("slow", "Papanastasiou 2006 §4.3.2", |p| {
    Box::new(Slow { k: p.count(&K), growth: SlowGrowth::default() })
})
.with_knobs(&[K]);

#[derive(Debug)]
struct Slow {
    k: u32,
    growth: SlowGrowth,
}

impl Avoidance for Slow {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        if self.growth.grows(self.k) { per_ack(p) } else { 0.0 }
    }
}
