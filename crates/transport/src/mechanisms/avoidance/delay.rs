//! Growth by the round-trip time: a segment more per round trip, until it is longer than the shortest by some share.
//!
//! Spec      Velayutham 2005 §2.5.2.2 (the sender keeps the current and the least round-trip time, and steers the window
//!           when their difference passes a threshold)
//! Deviates  the document gives neither threshold nor steps. Here the threshold is `delay_threshold_share` of the base
//!           delay, above which the window becomes `delay_factor` of itself. The other reading is Vegas' rule, which the
//!           document names: `avoidance = "vegas"`
//! Holds     one step per round trip; a window of which more than two segments are unused does not grow. Before the first
//!           loss it is asked only if start-up ends without one: `startup = "vegas"`. The base is not aged; a signal of
//!           another route forgets it (`vegas_route_resets_base`)

use super::{Avoidance, ROUTE_RESETS_BASE};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const DELAY: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("delay", "Velayutham 2005 §2.5.2.2", |p| Box::new(Delay::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[SHARE, FACTOR, ROUTE_RESETS_BASE]);

const SHARE: Knob = Knob::real(
    "delay_threshold_share",
    "",
    0.25,
    0.0..=100.0,
    "how much longer than the shortest round trip a round trip may be before the window shrinks, as a share of the shortest",
);
const FACTOR: Knob =
    Knob::real("delay_factor", "", 0.875, 0.01..=1.0, "the part of a window that remains when it shrinks");

#[derive(Debug)]
struct Delay {
    share: f64,
    factor: f64,
}

impl Delay {
    fn new(p: &Params) -> Self {
        Self { share: p.number(&SHARE), factor: p.number(&FACTOR) }
    }
}

impl Avoidance for Delay {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        if !p.round.has_ended {
            return 0.0;
        }
        let (rtt, base) = (p.round.mean.as_secs_f64(), p.round.base_then.as_secs_f64());
        let unused = p.cwnd - (p.nxt - p.una + ack.acked) as f64;
        if rtt - base > self.share * base {
            (self.factor - 1.0) * p.cwnd
        } else if unused <= 2.0 * f64::from(p.mss) {
            f64::from(p.mss)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;

    use super::*;
    use crate::Value;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::view::Round;

    /// The window, in segments, after a round trip of this mean delay over a base of 100 ms.
    fn after(params: &Params, rtt_ms: u64, has_ended: bool) -> f64 {
        let (mean, base_then) = (Duration::from_millis(rtt_ms), Duration::from_millis(100));
        let round = Round { has_ended, mean, base_then, ..Round::default() };
        let p = Public { mss: 1_000, cwnd: 16_000.0, una: 1, nxt: 15_001, round, ..Public::default() };
        let segment = empty_segment();
        let change = (DELAY.build)(params).on_ack(&p, &Ack::bare(AckKind::Advance, 1_000, &segment));
        (p.cwnd + change) / 1_000.0
    }

    /// Vector X8: a window of 16 segments over a base of 100 ms is 17 after a round trip of 124 ms, and 14 after one of
    /// 126 ms.
    #[test]
    fn a_quarter_longer_is_too_long() {
        let params = Params::default();
        assert_eq!([124, 125, 126].map(|rtt| after(&params, rtt, true)), [17.0, 17.0, 14.0]);
        assert_eq!(after(&params, 126, false), 16.0);
    }

    #[test]
    fn what_is_not_used_does_not_grow() {
        let round = Round {
            has_ended: true,
            mean: Duration::from_millis(100),
            base_then: Duration::from_millis(100),
            ..Round::default()
        };
        let p = Public { mss: 1_000, cwnd: 16_000.0, una: 1, nxt: 12_001, round, ..Public::default() };
        let segment = empty_segment();
        let change = (DELAY.build)(&Params::default()).on_ack(&p, &Ack::bare(AckKind::Advance, 1_000, &segment));
        assert_eq!(change, 0.0);
    }

    #[test]
    fn threshold_and_factor_are_parameters() {
        let mut params = Params::default();
        params.set("delay_threshold_share", Value::Number(0.5)).unwrap();
        params.set("delay_factor", Value::Number(0.5)).unwrap();
        assert_eq!([149, 151].map(|rtt| after(&params, rtt, true)), [17.0, 8.0]);
    }
}
