//! The truth, which a simulator knows: the bound on what any other diagnosis can achieve. And errors on purpose, so that
//! each kind of error has its price.
//!
//! Spec      none: the upper bound that any comparison of classifiers needs
//! Deviates  what is not lost, but on its way, or arrived unbeknown, is `oracle_nothing_as`
//! Holds     without a driver that tells it, as on a real host, every loss is congestion

use hopwright_machine::{NodeId, Purpose, Stream};

use super::Diagnosis;
use crate::mechanisms::{Cause, Missing, Needs, Part, Sign};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const ORACLE: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("oracle", "told by the simulator", |p| Box::new(Oracle::new(p)))
        .needing(Needs::TRUTH)
        .with_knobs(&[CONGESTION, CHANNEL, CONTENTION, ROUTE, NOTHING, PROBABILITY]);

const CONGESTION: Knob = Knob::word(
    "oracle_congestion_as",
    &["congestion", "channel", "contention", "route"],
    "as which cause losses at full queues are diagnosed",
);
const CHANNEL: Knob = Knob::word(
    "oracle_channel_as",
    &["channel", "congestion", "contention", "route"],
    "as which cause losses by the channel are diagnosed",
);
const CONTENTION: Knob = Knob::word(
    "oracle_contention_as",
    &["contention", "congestion", "channel", "route"],
    "as which cause losses by contention are diagnosed",
);
const ROUTE: Knob = Knob::word(
    "oracle_route_as",
    &["route", "congestion", "channel", "contention"],
    "as which cause losses by broken routes are diagnosed",
);
const NOTHING: Knob = Knob::word(
    "oracle_nothing_as",
    &["channel", "congestion", "contention", "route"],
    "which cause is diagnosed if nothing was lost. The default is a cause without a cut",
);
const PROBABILITY: Knob = Knob::real(
    "oracle_error_probability",
    "",
    1.0,
    0.0..=1.0,
    "the share of diagnoses that use the causes of the keys `oracle_..._as`. All other diagnoses are correct",
);

#[derive(Debug)]
struct Oracle {
    /// What each cause is taken for, in the order of `Cause`.
    takes: [Cause; 4],
    nothing: Cause,
    probability: f64,
    stream: Stream,
    /// What is missing, once somebody has said so.
    missing: Option<Vec<Missing>>,
}

impl Oracle {
    fn new(params: &Params) -> Self {
        let word = |knob| match params.word(knob) {
            "channel" => Cause::Channel,
            "contention" => Cause::Contention,
            "route" => Cause::Route,
            _ => Cause::Congestion,
        };
        Self {
            takes: [&CONGESTION, &CHANNEL, &CONTENTION, &ROUTE].map(word),
            nothing: word(&NOTHING),
            probability: params.number(&PROBABILITY),
            stream: Stream::new(params.luck, NodeId(0), Purpose::Diagnosis),
            missing: None,
        }
    }

    /// What a cause is taken for this time.
    fn take(&mut self, cause: Cause) -> Cause {
        let other = self.takes[cause as usize];
        let is_wrong = other != cause && (self.probability >= 1.0 || self.stream.unit() < self.probability);
        if is_wrong { other } else { cause }
    }
}

impl Diagnosis for Oracle {
    fn diagnose(&mut self, p: &Public, _sign: Sign) -> Cause {
        let Some(missing) = &self.missing else { return Cause::Congestion };
        let found = missing.iter().find(|stretch| (stretch.from..stretch.to).contains(&p.una));
        match found.map(|stretch| stretch.cause) {
            Some(cause) => self.take(cause),
            None => self.nothing,
        }
    }

    fn on_truth(&mut self, missing: &[Missing]) {
        let known = self.missing.get_or_insert_default();
        known.clear();
        known.extend_from_slice(missing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Value;

    const ALL: [Cause; 4] = [Cause::Congestion, Cause::Channel, Cause::Contention, Cause::Route];

    fn oracle(words: &[(&str, &str)], probability: f64) -> Box<dyn Diagnosis> {
        let mut params = Params::default();
        for (name, word) in words {
            params.set(name, Value::Word((*word).into())).unwrap();
        }
        params.set("oracle_error_probability", Value::Number(probability)).unwrap();
        (ORACLE.build)(&params)
    }

    fn at(oracle: &mut dyn Diagnosis, una: u64) -> Cause {
        oracle.diagnose(&Public { una, ..Public::default() }, Sign::Duplicates)
    }

    fn missing(from: u64, cause: Cause) -> Missing {
        Missing { from, to: from + 1000, cause }
    }

    #[test]
    fn it_says_what_it_was_told_of_the_first_hole() {
        let mut oracle = oracle(&[], 1.0);
        assert_eq!(at(oracle.as_mut(), 1), Cause::Congestion, "nobody tells a real host");
        oracle.on_truth(&[]);
        assert_eq!(at(oracle.as_mut(), 1), Cause::Channel, "nothing was lost");
        for cause in ALL {
            oracle.on_truth(&[missing(1, cause), missing(5001, Cause::Congestion)]);
            assert_eq!([1, 1000, 1001].map(|una| at(oracle.as_mut(), una)), [cause, cause, Cause::Channel]);
        }
        oracle.on_truth(&[missing(5001, Cause::Route)]);
        assert_eq!(at(oracle.as_mut(), 1), Cause::Channel, "what was told before is over");
    }

    #[test]
    fn one_cause_is_taken_for_another_and_the_others_for_themselves() {
        let words = [("oracle_contention_as", "congestion"), ("oracle_nothing_as", "route")];
        let mut oracle = oracle(&words, 1.0);
        for cause in ALL {
            oracle.on_truth(&[missing(1, cause)]);
            let taken = if cause == Cause::Contention { Cause::Congestion } else { cause };
            assert_eq!([1, 7001].map(|una| at(oracle.as_mut(), una)), [taken, Cause::Route]);
        }
    }

    #[test]
    fn errors_are_as_frequent_as_asked_for() {
        for (probability, right) in [(0.0, 0..=0), (0.3, 2817..=3183), (1.0, 10_000..=10_000)] {
            let mut oracle = oracle(&[("oracle_route_as", "channel")], probability);
            oracle.on_truth(&[missing(1, Cause::Route)]);
            let wrong = (0..10_000).filter(|_| at(oracle.as_mut(), 1) == Cause::Channel).count();
            assert!(right.contains(&wrong), "{wrong} of 10000 at {probability}: four standard deviations");
        }
    }
}
