//! Predictors of congestion made for its avoidance, as diagnoses: controls that better ones must beat.
//!
//! Spec      Biaz and Vaidya 1998 (the three predictors); Brakmo and Peterson 1995 (Vegas); Wang and Crowcroft 1991
//!           (normalised throughput gradient); Jain 1989 (normalised delay gradient)
//! Deviates  unverified: the thresholds of the gradients, and throughput taken as window over delay
//! Holds     before two rounds a gradient says congestion

use hopwright_machine::Duration;

use super::Diagnosis;
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const VEGAS_PREDICTOR: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("vegas-predictor", "Biaz and Vaidya 1998", |p| Box::new(Predictor::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[RULE, THRESHOLD, NTG_THRESHOLD, NDG_THRESHOLD]);

const RULE: Knob = Knob::word(
    "predictor_rule",
    &["vegas", "ntg", "ndg"],
    "what predicts congestion: the backlog, the normalised throughput gradient or the normalised delay gradient",
);
const THRESHOLD: Knob =
    Knob::real("vegas_predictor_threshold", "segments", 1.0, 0.0..=1e6, "a backlog above this predicts congestion");
const NTG_THRESHOLD: Knob = Knob::real(
    "ntg_predictor_threshold",
    "",
    0.5,
    -1e6..=1e6,
    "a throughput gradient below this predicts congestion; unverified",
);
const NDG_THRESHOLD: Knob = Knob::real(
    "ndg_predictor_threshold",
    "",
    0.0,
    -1e6..=1e6,
    "a delay gradient above this predicts congestion; unverified",
);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    Vegas,
    Ntg,
    Ndg,
}

#[derive(Debug)]
struct Predictor {
    rule: Rule,
    threshold: f64,
    delay: Option<Duration>,
    /// Window in segments and delay in seconds: of the round before the last, and of the last.
    rounds: [Option<(f64, f64)>; 2],
    /// Throughput per segment of window in the first round.
    first: Option<f64>,
}

impl Predictor {
    fn new(params: &Params) -> Self {
        let (rule, knob) = match params.word(&RULE) {
            "ntg" => (Rule::Ntg, &NTG_THRESHOLD),
            "ndg" => (Rule::Ndg, &NDG_THRESHOLD),
            _ => (Rule::Vegas, &THRESHOLD),
        };
        Self { rule, threshold: params.number(knob), delay: None, rounds: [None; 2], first: None }
    }

    fn on_round(&mut self, window: f64, delay: f64) {
        if delay <= 0.0 {
            return;
        }
        self.first.get_or_insert(1.0 / delay);
        if self.rounds[1].is_none_or(|(last, _)| (last - window).abs() > 1e-9) {
            self.rounds[0] = self.rounds[1]; // no gradient without a change of the window
        }
        self.rounds[1] = Some((window, delay));
    }

    /// Whether congestion is predicted; `None` if nothing can be said.
    fn predicts(&self, p: &Public) -> Option<bool> {
        if self.rule == Rule::Vegas {
            let (least, delay) = (p.min_rtt?.as_secs_f64(), self.delay?.as_secs_f64());
            let backlog = p.cwnd / f64::from(p.mss) * (1.0 - least / delay);
            return Some(backlog > self.threshold);
        }
        let [Some((w0, d0)), Some((w1, d1))] = self.rounds else { return None };
        let gradient = match self.rule {
            Rule::Ndg => (d1 - d0) / (d1 + d0) * (w1 + w0) / (w1 - w0),
            _ => (w1 / d1 - w0 / d0) / (w1 - w0) / self.first?,
        };
        Some(if self.rule == Rule::Ndg { gradient > self.threshold } else { gradient < self.threshold })
    }
}

impl Diagnosis for Predictor {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        if p.round.has_ended {
            self.on_round(p.cwnd / f64::from(p.mss), p.round.mean.as_secs_f64());
        }
        if let Some(delay) = ack.delay.filter(|_| !ack.covers_resent) {
            self.delay = Some(delay);
        }
    }

    fn diagnose(&mut self, p: &Public, _sign: Sign) -> Cause {
        if self.predicts(p).unwrap_or(true) { Cause::Congestion } else { Cause::Channel }
    }

    fn adopt(&mut self, p: &Public) {
        self.delay = p.srtt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::params::Value;

    fn predictor(rule: &str) -> Predictor {
        let mut params = Params::default();
        params.set("predictor_rule", Value::Word(rule.into())).unwrap();
        Predictor::new(&params)
    }

    #[test]
    fn a_backlog_of_more_than_a_segment_is_congestion() {
        let p = Public { mss: 1000, cwnd: 10_000.0, min_rtt: Some(Duration::from_millis(100)), ..Public::default() };
        let mut vegas = predictor("vegas");
        assert_eq!(vegas.diagnose(&p, Sign::Duplicates), Cause::Congestion);
        for (ms, cause) in [(110, Cause::Channel), (112, Cause::Congestion)] {
            vegas.delay = Some(Duration::from_millis(ms)); // .91 and 1.07 segments
            assert_eq!(vegas.diagnose(&p, Sign::Duplicates), cause);
        }
    }

    #[test]
    fn gradients_need_two_windows() {
        for (rule, delay, predicted) in
            [("ntg", 0.100, false), ("ntg", 0.200, true), ("ndg", 0.100, false), ("ndg", 0.110, true)]
        {
            let mut gradient = predictor(rule);
            gradient.on_round(5.0, 0.100);
            gradient.on_round(5.0, 0.100);
            assert_eq!(gradient.predicts(&Public::default()), None);
            gradient.on_round(10.0, delay);
            assert_eq!(gradient.predicts(&Public::default()), Some(predicted), "{rule} {delay}");
        }
    }

    fn shown(part: &mut Predictor, p: &Public, ms: Option<u64>, covers_resent: bool) -> Cause {
        let segment = empty_segment();
        let delay = ms.map(Duration::from_millis);
        part.on_ack(p, &Ack { delay, covers_resent, ..Ack::bare(AckKind::Advance, 1000, &segment) });
        part.diagnose(p, Sign::Duplicates)
    }

    /// W (1 - least / delay) against one segment, of the last delay that is not of a retransmission.
    #[test]
    fn the_backlog_is_of_the_last_delay_measured() {
        let min_rtt = Some(Duration::from_millis(750));
        let mut p =
            Public { mss: 1000, cwnd: 4000.0, min_rtt, srtt: Some(Duration::from_secs(1)), ..Public::default() };
        let mut part = predictor("vegas");
        part.adopt(&p);
        assert_eq!(part.diagnose(&p, Sign::Duplicates), Cause::Channel); // a backlog of exactly one
        assert_eq!(shown(&mut part, &p, Some(1001), true), Cause::Channel);
        assert_eq!(shown(&mut part, &p, Some(1001), false), Cause::Congestion);
        assert_eq!(shown(&mut part, &p, None, false), Cause::Congestion);
        p.cwnd = 3900.0;
        assert_eq!(part.diagnose(&p, Sign::Duplicates), Cause::Channel);
    }

    /// Windows of 4 and 8 segments: a delay that grows shows congestion, between the ends of rounds nothing is seen.
    #[test]
    fn gradients_are_of_rounds_that_ended() {
        for (has_ended, second_ms, cause) in
            [(true, 100, Cause::Channel), (true, 150, Cause::Congestion), (false, 100, Cause::Congestion)]
        {
            let mut part = predictor("ndg");
            let mut p = Public { mss: 1000, ..Public::default() };
            p.round.has_ended = has_ended;
            for (cwnd, ms) in [(4000.0, 100), (8000.0, second_ms)] {
                (p.cwnd, p.round.mean) = (cwnd, Duration::from_millis(ms));
                shown(&mut part, &p, None, false);
            }
            assert_eq!(part.diagnose(&p, Sign::Duplicates), cause);
        }
    }
}
