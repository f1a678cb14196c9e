//! Veno: growth halves when the connection keeps a queue.
//!
//! Spec      Fu and Liew 2003 §3.1
//! Deviates  nothing: every other acknowledgement grows the window, which makes a segment in two round trips
//! Holds     never grows faster than `additive`

use super::Avoidance;
use crate::mechanisms::estimators::{BASE_RESET, Backlog, VENO_BETA};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::Params;
use crate::view::Public;

/// See the file's header.
pub const VENO: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("veno", "Fu and Liew 2003 §3.1", |p| Box::new(Veno::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[VENO_BETA, BASE_RESET]);

#[derive(Debug)]
struct Veno {
    beta: f64,
    backlog: Backlog,
    /// Whether the next acknowledgement grows a window with a queue.
    is_turn: bool,
}

impl Veno {
    fn new(params: &Params) -> Self {
        Self { beta: params.number(&VENO_BETA), backlog: Backlog::new(params), is_turn: false }
    }
}

impl Avoidance for Veno {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        self.backlog.on_ack(p, ack);
        let mss = f64::from(p.mss);
        if self.backlog.segments(p).is_some_and(|n| n >= self.beta) {
            self.is_turn = !self.is_turn;
            if self.is_turn {
                return 0.0;
            }
        }
        mss * mss / p.cwnd
    }

    fn on_cut(&mut self, _p: &Public, _from: f64) {
        self.backlog.on_loss();
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
    use crate::view::Round;

    /// The window after four round trips of acknowledgements, in segments.
    fn grown(base_ms: u64, rtt_ms: u64) -> f64 {
        let segment = empty_segment();
        let mut veno = Veno::new(&Params::default());
        measured(&mut veno.backlog, base_ms, rtt_ms);
        let mut p = Public { mss: 1000, cwnd: 40_000.0, ..Public::default() };
        for _ in 0..4 {
            for _ in 0..(p.cwnd / 1000.0) as u32 {
                p.cwnd += veno.on_ack(&p, &Ack::bare(AckKind::Advance, 1000, &segment));
            }
        }
        p.cwnd / 1000.0
    }

    #[test]
    fn o3_a_queue_halves_the_growth() {
        assert!((grown(100, 200) - 42.0).abs() < 0.2);
        assert!((grown(100, 101) - 44.0).abs() < 0.3);
    }

    /// The queue is that of the round-trip times that acknowledgements bring.
    #[test]
    fn growth_follows_the_times_measured() {
        let segment = empty_segment();
        let mut veno = Veno::new(&Params::default());
        let round = Round { has_ended: true, ..Round::default() };
        let p = Public { mss: 1000, cwnd: 16_000.0, round, ..Public::default() };
        let mut add = |ms: u64| {
            let rtt = Some(Duration::from_millis(ms));
            veno.on_ack(&p, &Ack { delay: rtt, ..Ack::bare(AckKind::Advance, 1000, &segment) })
        };
        // A round each, which is judged by the one before.
        assert_eq!([add(100), add(100), add(200)], [62.5; 3]); // nothing is queued
        assert_eq!([add(200), add(200), add(200)], [0.0, 62.5, 0.0]); // eight of 16 segments are
    }

    /// What four acknowledgements add to a window of so many segments, if the base is 750 ms and the time 1 s.
    fn added(segments: f64, params: &Params, is_cut: bool) -> [f64; 4] {
        let segment = empty_segment();
        let (min_rtt, srtt) = (Some(Duration::from_millis(750)), Some(Duration::from_millis(1000)));
        let p = Public { mss: 1000, cwnd: 1000.0 * segments, min_rtt, srtt, ..Public::default() };
        let mut veno = (VENO.build)(params);
        veno.adopt(&p);
        if is_cut {
            veno.on_cut(&p, p.cwnd);
        }
        [(); 4].map(|()| veno.on_ack(&p, &Ack::bare(AckKind::Advance, 1000, &segment)))
    }

    /// N = cwnd (RTT - BaseRTT) / RTT against beta = 3.
    #[test]
    fn from_three_segments_on_every_other_acknowledgement_grows() {
        assert_eq!(added(8.0, &Params::default(), false), [125.0; 4]); // N = 2
        assert_eq!(added(12.0, &Params::default(), true).map(f64::floor), [0.0, 83.0, 0.0, 83.0]); // N = 3
        assert_eq!(added(16.0, &Params::default(), false), [0.0, 62.5, 0.0, 62.5]); // N = 4
    }

    #[test]
    fn without_a_base_there_is_no_queue() {
        let mut params = Params::default();
        params.set("veno_base_reset", Value::Bool(true)).unwrap();
        assert_eq!(added(16.0, &params, false), [0.0, 62.5, 0.0, 62.5]);
        assert_eq!(added(16.0, &params, true), [62.5; 4]);
    }
}
