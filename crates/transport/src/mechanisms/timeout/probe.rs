//! Probes against silence: what asks for an answer is a segment without data, and nothing is taken for lost before one
//! has come.
//!
//! Spec      Velayutham 2005 §2.5.4.1 (after a time without acknowledgements small packets ask for one, until one comes;
//!           then sending goes on), after WTCP (Sinha et al. 1999)
//! Deviates  the documents give no numbers: here `probe_wait_srtt` smoothed round trips of silence, and then a probe every
//!           `probe_period_srtt`, which is not backed off, `max_rto_s` at most; before a round trip is known, the first
//!           time-out. The window then stays (`probe_cuts = "no"`), as WTCP goes on at its old rate
//! Holds     from the first probe to an answer nothing else leaves. Any acknowledgement is an answer; what it neither
//!           covers nor reports is lost, and sent again under the window

use hopwright_machine::{Duration, Time};

use super::{Estimate, Expiry, Timeout, Verdict, rfc6298};
use crate::mechanisms::{Ack, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const PROBE: Part<dyn Timeout> =
    Part::<dyn Timeout>::new("probe", "Velayutham 2005 §2.5.4.1", |p| Box::new(Probe::new(p))).with_knobs(&[
        WAIT,
        PERIOD,
        CUTS,
        super::RTO_FACTOR,
    ]);

const WAIT: Knob = Knob::real(
    "probe_wait_srtt",
    "",
    2.0,
    1.0..=100.0,
    "time without acknowledgements before the first probe, in smoothed round-trip times",
);
const PERIOD: Knob =
    Knob::real("probe_period_srtt", "", 1.0, 0.1..=100.0, "time between probes, in smoothed round-trip times");
const CUTS: Knob = Knob::word(
    "probe_cuts",
    &["no", "half", "one-segment"],
    "the congestion window after the answer to a probe: as before, half of it, or one segment",
);

/// The shortest silence before a probe, and the shortest time between two.
const LEAST_WAIT: Duration = Duration::from_millis(200);
const LEAST_PERIOD: Duration = Duration::from_millis(100);

#[derive(Debug)]
struct Probe {
    /// Keeps the smoothed round-trip time.
    timer: Box<dyn Timeout>,
    wait: f64,
    period: f64,
    /// What is left of the congestion window; zero: a segment.
    left: f64,
    is_probing: bool,
    last_ack: Time,
    /// The longest silence before a probe, and the longest time between two.
    longest: Duration,
}

impl Probe {
    fn new(p: &Params) -> Self {
        Self {
            timer: rfc6298::build(p),
            wait: p.number(&WAIT),
            period: p.number(&PERIOD),
            left: match p.word(&CUTS) {
                "half" => 0.5,
                "one-segment" => 0.0,
                _ => 1.0,
            },
            is_probing: false,
            last_ack: Time::ZERO,
            longest: p.max_rto,
        }
    }
}

impl Timeout for Probe {
    fn on_open(&mut self, p: &Public) {
        self.timer.on_open(p);
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        self.is_probing = false;
        self.last_ack = p.now;
        self.timer.on_ack(p, ack)
    }

    fn on_expiry(&mut self, p: &Public) -> Expiry {
        if p.una == 0 {
            return self.timer.on_expiry(p); // a SYN
        }
        self.is_probing = true;
        Expiry::Probe
    }

    fn waits(&self, p: &Public) -> Option<Time> {
        let until = self.last_ack + self.estimate().rto;
        (p.una > 0 && !self.is_probing && until > p.now).then_some(until)
    }

    fn on_answer(&mut self, p: &Public) -> (f64, f64) {
        self.is_probing = false;
        if self.left == 1.0 {
            return (p.cwnd, p.ssthresh);
        }
        let segment = f64::from(p.mss);
        let half = (p.cwnd / 2.0).max(2.0 * segment);
        (if self.left > 0.0 { half } else { segment }, half)
    }

    fn back_off(&mut self, p: &Public) {
        if p.una == 0 {
            self.timer.back_off(p);
        }
    }

    fn set_rto(&mut self, rto: Duration) {
        self.timer.set_rto(rto);
    }

    fn end_back_off(&mut self) {
        self.timer.end_back_off();
    }

    fn set_smoothed(&mut self, srtt: Duration, rttvar: Duration) {
        self.timer.set_smoothed(srtt, rttvar);
    }

    fn adopt(&mut self, p: &Public) {
        self.timer.adopt(p);
        self.last_ack = p.now;
    }

    fn estimate(&self) -> Estimate {
        let estimate = self.timer.estimate();
        let Some(srtt) = estimate.srtt else { return estimate };
        let (times, least) = if self.is_probing { (self.period, LEAST_PERIOD) } else { (self.wait, LEAST_WAIT) };
        let rto = Duration::from_secs_f64(srtt.as_secs_f64() * times).max(least).min(self.longest);
        Estimate { rto, ..estimate }
    }

    fn fires(&self, at: Time) -> Time {
        self.timer.fires(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// One that has seen a round trip of so many milliseconds end at so many.
    fn measured(rtt: u64, now: u64, settings: &[(&str, Value)]) -> Probe {
        let mut params = Params::default();
        for (name, value) in settings {
            params.set(name, value.clone()).unwrap();
        }
        let mut probe = Probe::new(&params);
        let segment = empty_segment();
        let p = at(now);
        probe.on_ack(&p, &Ack { rtt: Some(ms(rtt)), ..Ack::bare(AckKind::Advance, 1_000, &segment) });
        probe
    }

    fn at(now: u64) -> Public {
        Public { now: Time::ZERO + ms(now), una: 1, mss: 1_000, cwnd: 8_000.0, ..Public::default() }
    }

    #[test]
    fn the_wait_is_two_round_trips_and_the_period_one() {
        let mut probe = measured(200, 1_000, &[]);
        assert_eq!(probe.estimate().rto, ms(400));
        assert_eq!(probe.waits(&at(1_300)), Some(at(1_400).now));
        assert_eq!(probe.waits(&at(1_400)), None);
        assert_eq!(probe.on_expiry(&at(1_400)), Expiry::Probe);
        probe.back_off(&at(1_400));
        assert_eq!(probe.estimate().rto, ms(200));
        assert_eq!(probe.on_expiry(&at(1_600)), Expiry::Probe);
        assert_eq!(probe.on_answer(&at(1_700)), (8_000.0, 0.0));
        assert_eq!(probe.estimate().rto, ms(400));
    }

    #[test]
    fn short_round_trips_are_waited_for_longer() {
        let mut probe = measured(20, 1_000, &[]);
        assert_eq!(probe.estimate().rto, ms(200));
        assert_eq!(probe.on_expiry(&at(1_200)), Expiry::Probe);
        assert_eq!(probe.estimate().rto, ms(100));
    }

    #[test]
    fn the_answer_may_cut() {
        let cut = |word: &str| measured(200, 1_000, &[("probe_cuts", Value::Word(word.into()))]).on_answer(&at(1_500));
        assert_eq!(cut("half"), (4_000.0, 4_000.0));
        assert_eq!(cut("one-segment"), (1_000.0, 4_000.0));
    }
}
