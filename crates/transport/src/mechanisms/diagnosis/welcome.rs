//! TCP-WELCOME's loss differentiation: how the loss was noticed, and whether round-trip times were growing before.
//!
//! Spec      Ghaleb-Seddik 2009 §5.5, §5.6 (figures 5.6, 5.7, 5.9; table 5.1); Kim and Noble 2001 for the filter
//! Deviates  the document swaps its limit and its count, and gives no units. The reading here: of the last
//!           `welcome_window_samples`, those are counted that exceeded the estimate by `welcome_excess_percent`, or the
//!           filter's three sigma; more than `welcome_growing_samples` of them, and times were growing. Unverified:
//!           what the filter's file names
//! Holds     only times that are no retransmission's enter (Karn); before the first, times are steady

use super::Diagnosis;
use crate::mechanisms::estimators::{CentreLine, FlipFlop, Gains};
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const WELCOME: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("welcome", "Ghaleb-Seddik 2009 §5.6", |p| Box::new(Welcome::new(p)))
        .needing(Needs::SENT_TIMES)
        .with_knobs(&[WINDOW, COUNT, LIMIT, EXCESS, SAMPLES, CENTRE, AGILE, STABLE, RANGE]);

const WINDOW: Knob = Knob::count(
    "welcome_window_samples",
    "samples",
    10,
    1..=64,
    "number of recent round-trip times that are considered (RTT_THRESHOLD; its role is a reading of the document)",
);
const COUNT: Knob = Knob::count(
    "welcome_growing_samples",
    "samples",
    5,
    0..=64,
    "round-trip times grow if more than this number are above the limit (RTT_G_COUNT_THRESHOLD)",
);
const LIMIT: Knob = Knob::word(
    "welcome_limit",
    &["percent", "three-sigma"],
    "what the limit of round-trip times is: the estimate plus a percentage, or the control limit of the filter; unverified",
);
const EXCESS: Knob = Knob::real(
    "welcome_excess_percent",
    "%",
    5.0,
    0.0..=1e4,
    "how far the limit is above the estimate (RTT_G_THRESHOLD; its unit is unverified)",
);
const SAMPLES: Knob = Knob::word(
    "welcome_samples",
    &["timed", "every"],
    "which round-trip times are used: those that the timer measures, or those of every acknowledgement; unverified",
);
const CENTRE: Knob =
    Knob::word("welcome_centre_line", &["stable", "agile"], "around which average the control limits lie; unverified");
const AGILE: Knob =
    Knob::real("welcome_agile_gain", "", 0.1, 0.0..=1.0, "weight of the old estimate in the agile average");
const STABLE: Knob =
    Knob::real("welcome_stable_gain", "", 0.9, 0.0..=1.0, "weight of the old estimate in the stable average");
const RANGE: Knob =
    Knob::real("welcome_range_gain", "", 0.9, 0.0..=1.0, "weight of the old estimate in the moving range; unverified");

#[derive(Debug)]
struct Welcome {
    filter: FlipFlop,
    /// Above the estimate by this factor; `None`: the filter's own limit.
    factor: Option<f64>,
    every: bool,
    /// The samples that are looked at, one bit each.
    mask: u64,
    count: u32,
    /// Whether each recent sample was beyond the limit, the newest in the lowest bit.
    beyond: u64,
}

impl Welcome {
    fn new(params: &Params) -> Self {
        let gains =
            Gains { agile: params.number(&AGILE), stable: params.number(&STABLE), range: params.number(&RANGE) };
        let centre = if params.word(&CENTRE) == "stable" { CentreLine::Stable } else { CentreLine::Agile };
        let is_percent = params.word(&LIMIT) == "percent";
        Self {
            filter: FlipFlop::new(gains, centre),
            factor: is_percent.then(|| 1.0 + params.number(&EXCESS) / 100.0),
            every: params.word(&SAMPLES) == "every",
            mask: u64::MAX >> (64 - params.count(&WINDOW)),
            count: params.count(&COUNT),
            beyond: 0,
        }
    }

    fn sample(&mut self, rtt: f64) {
        let estimate = self.filter.output();
        let is_outlier = self.filter.update(rtt);
        let is_beyond = match (self.factor, estimate) {
            (None, _) => is_outlier,
            (Some(factor), Some(estimate)) => rtt > factor * estimate,
            (Some(_), None) => false,
        };
        self.beyond = (self.beyond << 1 | u64::from(is_beyond)) & self.mask;
    }

    const fn is_growing(&self) -> bool {
        self.beyond.count_ones() > self.count
    }
}

impl Diagnosis for Welcome {
    fn on_ack(&mut self, _p: &Public, ack: &Ack<'_>) {
        let rtt = if self.every { ack.delay.filter(|_| !ack.covers_resent) } else { ack.rtt };
        if let Some(rtt) = rtt {
            self.sample(rtt.as_secs_f64());
        }
    }

    fn diagnose(&mut self, _p: &Public, sign: Sign) -> Cause {
        match sign {
            _ if self.is_growing() => Cause::Congestion,
            Sign::Duplicates => Cause::Channel,
            Sign::Silence => Cause::Route,
        }
    }

    fn adopt(&mut self, p: &Public) {
        if let Some(srtt) = p.srtt {
            self.filter.set(srtt.as_secs_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Value;

    fn verdicts(limit: &str, samples: impl IntoIterator<Item = u32>) -> [Cause; 2] {
        let mut params = Params::default();
        params.set("welcome_limit", Value::Word(limit.into())).unwrap();
        let mut welcome = Welcome::new(&params);
        for ms in samples {
            welcome.sample(f64::from(ms));
        }
        [Sign::Duplicates, Sign::Silence].map(|sign| welcome.diagnose(&Public::default(), sign))
    }

    #[test]
    fn sign_and_evolution_make_the_cause() {
        for limit in ["percent", "three-sigma"] {
            assert_eq!(verdicts(limit, [100; 20]), [Cause::Channel, Cause::Route], "{limit}");
            let ramp = (0..20).map(|i| 100 + 10 * i);
            assert_eq!(verdicts(limit, ramp), [Cause::Congestion, Cause::Congestion], "{limit}");
        }
        assert_eq!(verdicts("percent", []), [Cause::Channel, Cause::Route]);
    }

    #[test]
    fn five_of_ten_are_not_enough_and_old_ones_are_forgotten() {
        let mut welcome = Welcome::new(&Params::default());
        for beyond in [5, 6] {
            welcome.beyond = (1 << beyond) - 1;
            assert_eq!(welcome.is_growing(), beyond == 6);
        }
        welcome.beyond = 0b11_1111_0000;
        assert!(welcome.is_growing());
        welcome.filter.set(100.0);
        welcome.sample(100.0);
        assert!(!welcome.is_growing());
    }

    #[test]
    fn a_percentage_is_counted_from_the_estimate_before() {
        let mut welcome = Welcome::new(&Params::default());
        welcome.filter.set(100.0);
        welcome.sample(104.9);
        assert_eq!(welcome.beyond, 0);
        welcome.filter.set(100.0);
        welcome.sample(105.1);
        assert_eq!(welcome.beyond, 1);
    }
}
