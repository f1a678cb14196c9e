//! A loss with little backlog is the channel's.
//!
//! Spec      Fu and Liew 2003 §3.2
//! Deviates  nothing
//! Holds     looks at the last round before the loss; before the first round every loss is congestion

use super::Diagnosis;
use crate::mechanisms::estimators::{BASE_RESET, Backlog, VENO_BETA};
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::params::Params;
use crate::view::Public;

/// See the file's header.
pub const VENO: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("veno", "Fu and Liew 2003 §3.2", |p| Box::new(Veno::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[VENO_BETA, BASE_RESET]);

#[derive(Debug)]
struct Veno {
    beta: f64,
    backlog: Backlog,
}

impl Veno {
    fn new(params: &Params) -> Self {
        Self { beta: params.number(&VENO_BETA), backlog: Backlog::new(params) }
    }
}

impl Diagnosis for Veno {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        self.backlog.on_ack(p, ack);
    }

    fn diagnose(&mut self, p: &Public, _sign: Sign) -> Cause {
        let is_short = self.backlog.segments(p).is_some_and(|n| n < self.beta);
        self.backlog.on_loss();
        if is_short { Cause::Channel } else { Cause::Congestion }
    }

    fn adopt(&mut self, p: &Public) {
        self.backlog.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;

    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::estimators::measured;
    use crate::mechanisms::testing::empty_segment;
    use crate::params::Value;

    #[test]
    fn o1_o2_little_backlog_is_the_channel() {
        let p = Public { mss: 1000, cwnd: 20_000.0, ..Public::default() };
        let mut veno = Veno::new(&Params::default());
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Congestion);
        measured(&mut veno.backlog, 100, 110);
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Channel);
        measured(&mut veno.backlog, 100, 120);
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Congestion);
    }

    /// N = cwnd (RTT - BaseRTT) / RTT; the loss is random while N < beta = 3.
    #[test]
    fn a_backlog_of_three_segments_is_congestion() {
        for (cwnd, cause) in [(11_000.0, Cause::Channel), (12_000.0, Cause::Congestion)] {
            let (min_rtt, srtt) = (Some(Duration::from_millis(750)), Some(Duration::from_millis(1000)));
            let p = Public { mss: 1000, cwnd, min_rtt, srtt, ..Public::default() };
            let mut veno = (VENO.build)(&Params::default());
            veno.adopt(&p);
            assert_eq!(veno.diagnose(&p, Sign::Duplicates), cause);
            assert_eq!(veno.diagnose(&p, Sign::Duplicates), cause); // a loss leaves the base as it was
        }
    }

    #[test]
    fn the_base_begins_anew_after_a_loss_where_that_is_asked_for() {
        let mut params = Params::default();
        params.set("veno_base_reset", Value::Bool(true)).unwrap();
        let (min_rtt, srtt) = (Some(Duration::from_millis(750)), Some(Duration::from_millis(1000)));
        let p = Public { mss: 1000, cwnd: 4000.0, min_rtt, srtt, ..Public::default() };
        let mut veno = (VENO.build)(&params);
        veno.adopt(&p);
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Channel);
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Congestion); // nothing is known
    }

    #[test]
    fn acknowledgements_measure() {
        let segment = empty_segment();
        let mut veno = (VENO.build)(&Params::default());
        let mut p = Public { mss: 1000, cwnd: 20_000.0, ..Public::default() };
        for (ms, has_ended) in [(100, false), (120, true), (110, true)] {
            p.round.has_ended = has_ended;
            let delay = Some(Duration::from_millis(ms));
            veno.on_ack(&p, &Ack { delay, ..Ack::bare(AckKind::Advance, 1000, &segment) });
        }
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Congestion); // 20 (120 - 100) / 120
    }
}
