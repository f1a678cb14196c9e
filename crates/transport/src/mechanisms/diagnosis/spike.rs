//! Losses while segments are long on their way are congestion.
//!
//! Spec      Tobe et al. 2000 (Spike); Cen, Cosman and Voelker 2002 §3.2 for its thresholds
//! Deviates  nothing
//! Holds     begins outside a spike

use super::Diagnosis;
use super::receiver_timing::{Classifier, ReceiverTiming, Sample};
use crate::mechanisms::{Needs, Part};
use crate::params::{Knob, Params};

/// See the file's header.
pub const SPIKE: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("spike", "Tobe et al. 2000", |p| Box::new(ReceiverTiming::new(Spike::new(p))))
        .needing(NEEDS)
        .with_knobs(KNOBS);

const NEEDS: Needs = Needs::NOTICES.and(Needs::TIMESTAMPS);

const START: Knob = Knob::real(
    "spike_start",
    "",
    0.5,
    0.0..=1.0,
    "a spike begins above this part of the range of one-way delays (alpha)",
);
const END: Knob = Knob::real(
    "spike_end",
    "",
    1.0 / 3.0,
    0.0..=1.0,
    "a spike ends below this part of the range of one-way delays (beta)",
);

/// The parameters, for those who contain it.
pub(super) const KNOBS: &[Knob] = &[START, END];

/// See the file's header.
#[derive(Debug)]
pub(super) struct Spike {
    start: f64,
    end: f64,
    /// The range of times on the way, in seconds.
    pub(super) range_s: Option<(f64, f64)>,
    is_spike: bool,
}

impl Spike {
    pub(super) fn new(params: &Params) -> Self {
        Self { start: params.number(&START), end: params.number(&END), range_s: None, is_spike: false }
    }
}

impl Classifier for Spike {
    fn is_channel(&mut self, sample: &Sample) -> bool {
        let Some(time) = sample.one_way_s else { return false };
        let (least, most) = self.range_s.map_or((time, time), |(least, most)| (least.min(time), most.max(time)));
        self.range_s = Some((least, most));
        let at = |part: f64| least + part * (most - least);
        self.is_spike = if self.is_spike { time >= at(self.end) } else { time > at(self.start) };
        !self.is_spike
    }
}

#[cfg(test)]
mod tests {
    use super::super::receiver_timing::testing::on_way;
    use super::*;

    #[test]
    fn l4_a_spike_begins_high_and_ends_low() {
        let mut spike = Spike::new(&Params::default());
        on_way(&mut spike, 120.0, 0);
        on_way(&mut spike, 40.0, 0);
        let times = [79.0, 85.0, 70.0, 65.0, 70.0];
        assert_eq!(times.map(|ms| on_way(&mut spike, ms, 1)), [true, false, false, true, true]);
    }
}
