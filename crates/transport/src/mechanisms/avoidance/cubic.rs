//! CUBIC: the window is a cubic function of the time since the last cut, level at the window of that cut.
//!
//! Spec      RFC 9438 §4.1 to §4.5, §4.7, §4.8, §4.10, §5.8
//! Deviates  nothing is taken back after spurious losses (§4.9), and slow start is another slot's (§4.10). The steps
//!           are per acknowledgement as §4.4 has it; `cubic_counts` "segments" makes them per segment acknowledged,
//!           as Linux does, so that delayed acknowledgements do not slow growth down
//! Holds     never slower than Reno would be (§4.3); never more than half the window per round trip; no growth, and
//!           no time passing, while the window is not used (§5.8)

use hopwright_machine::{Duration, Time};

use super::Avoidance;
use crate::mechanisms::{Ack, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const CUBIC: Part<dyn Avoidance> = Part::<dyn Avoidance>::new("cubic", "RFC 9438", |p| Box::new(Cubic::new(p)))
    .with_knobs(&[C, BETA, FAST_CONVERGENCE, COUNTS]);

const C: Knob = Knob::real("cubic_c", "segments/s^3", 0.4, 1e-6..=1e6, "steepness of the cubic function");

/// What a cut leaves of the window.
pub(crate) const BETA: Knob =
    Knob::real("cubic_beta", "", 0.7, 0.01..=0.99, "the part of the window that remains after a loss");

const FAST_CONVERGENCE: Knob = Knob::switch(
    "cubic_fast_convergence",
    true,
    "whether a flow that is cut below its last maximum makes room for other flows (RFC 9438 4.7)",
);

const COUNTS: Knob = Knob::word(
    "cubic_counts",
    &["acks", "segments"],
    "whether the window grows with each acknowledgement or with each acknowledged segment (Linux: segments)",
);

/// Windows in segments, times in seconds.
#[derive(Debug)]
struct Cubic {
    c: f64,
    beta: f64,
    fast_convergence: bool,
    by_segments: bool,
    /// The window before the last cut, less what fast convergence gives away. `None`: the function starts level at
    /// the window the stage begins with (§4.8, §4.10).
    max: Option<f64>,
    /// The window before the last cut.
    prior: f64,
    stage: Option<Stage>,
}

/// A stage of congestion avoidance, from one cut to the next.
#[derive(Clone, Copy, Debug)]
struct Stage {
    began: Time,
    /// The time of the last acknowledgement.
    seen: Time,
    /// When the function is level, after `began`.
    k: f64,
    /// The window there.
    origin: f64,
    /// What Reno would have (§4.3).
    reno: f64,
}

impl Cubic {
    fn new(p: &Params) -> Self {
        Self {
            c: p.number(&C),
            beta: p.number(&BETA),
            fast_convergence: p.is(&FAST_CONVERGENCE),
            by_segments: p.word(&COUNTS) == "segments",
            max: None,
            prior: 0.0,
            stage: None,
        }
    }

    fn begin(&self, now: Time, cwnd: f64) -> Stage {
        let origin = self.max.map_or(cwnd, |max| max.max(cwnd));
        Stage { began: now, seen: now, k: libm::cbrt((origin - cwnd) / self.c), origin, reno: cwnd }
    }

    /// `W_cubic`, §4.2.
    fn at(&self, stage: &Stage, t: f64) -> f64 {
        let x = t - stage.k;
        self.c * (x * x * x) + stage.origin
    }

    /// The growth of what Reno would have per window acknowledged: as fast on average as Reno with its deeper
    /// cuts, and like Reno itself beyond the window of the last cut.
    fn reno_step(&self, stage: &Stage) -> f64 {
        if stage.reno >= self.prior { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) }
    }
}

impl Avoidance for Cubic {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        let mss = f64::from(p.mss);
        let (cwnd, acked) = (p.cwnd / mss, ack.acked as f64 / mss);
        let mut stage = self.stage.unwrap_or_else(|| self.begin(p.now, cwnd));
        let in_use = (p.nxt - p.una + ack.acked) as f64;
        let is_unused = in_use + 2.0 * mss < p.cwnd;
        if is_unused {
            stage.began += p.now.since(stage.seen);
        } else {
            stage.reno += self.reno_step(&stage) * acked / cwnd;
        }
        stage.seen = p.now;
        self.stage = Some(stage);
        if is_unused {
            return 0.0;
        }
        let t = p.now.since(stage.began).as_secs_f64();
        if self.at(&stage, t) < stage.reno {
            return (stage.reno - cwnd).max(0.0) * mss;
        }
        let rtt = p.srtt.unwrap_or(Duration::ZERO).as_secs_f64();
        let target = self.at(&stage, t + rtt).clamp(cwnd, 1.5 * cwnd);
        let steps = if self.by_segments { acked } else { 1.0 };
        (target - cwnd) / cwnd * steps * mss
    }

    fn on_cut(&mut self, p: &Public, from: f64) {
        let from = from / f64::from(p.mss);
        self.stage = None;
        self.prior = from;
        self.max = if p.consecutive_timeouts > 0 {
            None
        } else if self.fast_convergence && self.max.is_some_and(|max| from < max) {
            Some(from * (1.0 + self.beta) / 2.0)
        } else {
            Some(from)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;

    const MSS: u32 = 1000;

    /// A sender whose every segment is acknowledged alone, one round-trip time after it left.
    struct Sender {
        p: Public,
        part: Cubic,
        rtt: f64,
    }

    impl Sender {
        fn new(params: &Params, segments: f64, rtt: f64) -> Self {
            let srtt = Some(Duration::from_secs_f64(rtt));
            let p = Public { mss: MSS, cwnd: segments * 1000.0, una: 1, srtt, ..Public::default() };
            Self { p, part: Cubic::new(params), rtt }
        }

        fn cut(&mut self) {
            let from = self.p.cwnd;
            self.p.cwnd *= 0.7;
            self.part.on_cut(&self.p, from);
        }

        fn ack(&mut self, segments: u64) -> f64 {
            let segment = empty_segment();
            self.p.nxt = self.p.una + self.p.cwnd as u64; // all of the window in use
            let step = self.part.on_ack(&self.p, &Ack::bare(AckKind::Advance, segments * 1000, &segment));
            self.p.cwnd += step;
            step
        }

        /// Acknowledgements for so long.
        fn run(&mut self, seconds: f64) -> f64 {
            let end = self.p.now.as_secs_f64() + seconds;
            while self.p.now.as_secs_f64() < end {
                self.p.now += Duration::from_secs_f64(self.rtt * 1000.0 / self.p.cwnd);
                self.ack(1);
            }
            self.p.cwnd / 1000.0
        }
    }

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
    }

    #[test]
    fn the_window_is_level_after_k_and_follows_the_function() {
        let mut s = Sender::new(&Params::default(), 100.0, 0.2);
        s.cut();
        s.ack(1);
        near(s.part.stage.unwrap().k, 4.217, 1e-3); // cbrt(100 * 0.3 / 0.4)
        for t in [1.0, 2.0, 4.0, 4.2, 6.0, 8.0] {
            s.run(t - s.p.now.as_secs_f64());
            let x: f64 = t - 4.217;
            near(s.p.cwnd / 1000.0, 0.4 * x * x * x + 100.0, 0.6);
        }
    }

    #[test]
    fn with_short_round_trips_it_is_reno() {
        let mut s = Sender::new(&Params::default(), 10.0, 0.01);
        s.cut();
        s.ack(1);
        let alpha = 3.0 * 0.3 / 1.7;
        near(s.run(0.05), 7.0 + alpha * 5.0, 0.15); // five round trips
        s.run(0.1);
        assert!(s.p.cwnd > 10_000.0);
        let before = s.p.cwnd / 1000.0;
        near(s.run(0.05), before + 5.0, 0.15); // beyond the last maximum: one segment per round trip
    }

    #[test]
    fn fast_convergence_gives_away_room() {
        let mut s = Sender::new(&Params::default(), 100.0, 0.1);
        s.cut();
        assert_eq!(s.part.max, Some(100.0));
        s.p.cwnd = 80_000.0;
        s.cut();
        near(s.part.max.unwrap(), 80.0 * 0.85, 1e-9);
        s.p.cwnd = 90_000.0;
        s.cut();
        assert_eq!(s.part.max, Some(90.0));
        let mut params = Params::default();
        params.set("cubic_fast_convergence", Value::Bool(false)).unwrap();
        let mut s = Sender::new(&params, 100.0, 0.1);
        s.cut();
        s.p.cwnd = 80_000.0;
        s.cut();
        assert_eq!(s.part.max, Some(80.0));
    }

    /// RFC 9438 §4.2: t and K are of the last cut, however far the former epoch had come.
    #[test]
    fn each_cut_begins_an_epoch() {
        let mut s = Sender::new(&Params::default(), 100.0, 0.2);
        s.cut();
        s.run(6.0); // beyond the first maximum
        let from = s.p.cwnd / 1000.0;
        s.cut();
        let k = libm::cbrt(from * 0.3 / 0.4);
        near(s.run(k), from, 0.6);
    }

    #[test]
    fn after_silence_the_function_starts_level() {
        let mut s = Sender::new(&Params::default(), 100.0, 0.2);
        s.p.consecutive_timeouts = 1;
        s.cut();
        s.p.consecutive_timeouts = 0;
        s.ack(1);
        let stage = s.part.stage.unwrap();
        assert_eq!((stage.k, stage.origin), (0.0, 70.0));
        near(s.run(3.0), 0.4 * 27.0 + 70.0, 1.0);
    }

    #[test]
    fn a_step_is_half_a_window_per_round_trip_at_most() {
        let mut s = Sender::new(&Params::default(), 2.0, 10.0);
        s.cut();
        s.p.cwnd = 2000.0;
        near(s.ack(1) / 1000.0, 0.5, 1e-9); // target 3
    }

    #[test]
    fn time_stands_still_while_the_window_is_not_used() {
        let mut s = Sender::new(&Params::default(), 100.0, 0.1);
        s.cut();
        s.ack(1);
        let segment = empty_segment();
        s.p.nxt = s.p.una + 10_000;
        s.p.now += Duration::from_secs(100);
        assert_eq!(s.part.on_ack(&s.p, &Ack::bare(AckKind::Advance, 1000, &segment)), 0.0);
        assert_eq!(s.part.stage.unwrap().began, s.p.now);
        let x: f64 = 1.0 - 4.217;
        near(s.run(1.0), 0.4 * x * x * x + 100.0, 0.6);
    }

    #[test]
    fn delayed_acknowledgements_count_once_or_by_segments() {
        let mut params = Params::default();
        let steps = |params: &Params| {
            let mut s = Sender::new(params, 100.0, 0.1);
            s.cut();
            s.ack(2);
            s.p.now += Duration::from_secs(1);
            s.ack(2)
        };
        let by_acks = steps(&params);
        params.set("cubic_counts", Value::Word("segments".into())).unwrap();
        assert!(steps(&params) > 1.8 * by_acks);
    }
}
