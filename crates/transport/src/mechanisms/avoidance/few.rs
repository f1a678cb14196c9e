//! Fractional window increment: additive increase slow enough for routing not to be overloaded by the probing.
//!
//! Spec      Nahm, Helmy and Kuo, MobiHoc 2005 (FeW)
//! Deviates  nothing; the increment per round trip is a parameter, its default 0.01 is unverified
//! Holds     with an increment of one it is `additive`

use super::Avoidance;
use crate::mechanisms::{Ack, Part};
use crate::params::Knob;
use crate::view::Public;

/// See the file's header.
pub const FEW: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("few", "Nahm, Helmy and Kuo 2005", |p| Box::new(Few { alpha: p.number(&ALPHA) }))
        .with_knobs(&[ALPHA]);

const ALPHA: Knob = Knob::real(
    "few_alpha",
    "segments",
    0.01,
    0.0..=1.0,
    "by how much the window grows in a round trip. The default is unverified",
);

#[derive(Debug)]
struct Few {
    alpha: f64,
}

impl Avoidance for Few {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        let mss = f64::from(p.mss);
        self.alpha * (mss * mss / p.cwnd)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ADDITIVE, SLOW};
    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::{Params, Value};

    fn after(part: &Part<dyn Avoidance>, alpha: f64, acks: u32) -> f64 {
        let mut params = Params::default();
        params.set("few_alpha", Value::Number(alpha)).unwrap();
        let segment = empty_segment();
        let mut p = Public { mss: 1000, cwnd: 4000.0, ..Public::default() };
        let mut part = (part.build)(&params);
        for _ in 0..acks {
            p.cwnd += part.on_ack(&p, &Ack::bare(AckKind::Advance, 1000, &segment));
        }
        p.cwnd / 1000.0
    }

    #[test]
    fn an_increment_of_one_is_renos() {
        assert_eq!(after(&FEW, 1.0, 1000), after(&ADDITIVE, 1.0, 1000));
    }

    #[test]
    fn a_hundredth_of_a_segment_per_round_trip() {
        assert!((after(&FEW, 0.01, 400) - 24f64.sqrt()).abs() < 1e-3); // sqrt(16 + 2 * 0.01 * 400)
    }

    /// After as many round trips, each an acknowledgement for every segment of the window.
    fn after_round_trips(part: &Part<dyn Avoidance>, k: u32, round_trips: u32) -> f64 {
        let mut params = Params::default();
        params.set("k", Value::Number(f64::from(k))).unwrap();
        params.set("few_alpha", Value::Number(1.0 / f64::from(k + 1))).unwrap();
        let segment = empty_segment();
        let mut p = Public { mss: 1000, cwnd: 4000.0, ..Public::default() };
        let mut part = (part.build)(&params);
        for _ in 0..round_trips {
            for _ in 0..(p.cwnd / 1000.0) as u32 {
                p.cwnd += part.on_ack(&p, &Ack::bare(AckKind::Advance, 1000, &segment));
            }
        }
        p.cwnd / 1000.0
    }

    #[test]
    fn it_grows_as_fast_as_sca_with_the_same_slope() {
        for k in [1, 4, 10, 25] {
            let (few, sca) = (after_round_trips(&FEW, k, 100), after_round_trips(&SLOW, k, 100));
            assert!((few - sca).abs() < 1.0, "k {k}: {few} and {sca}");
            assert!(few > 4.5, "k {k}: {few}");
        }
    }
}
