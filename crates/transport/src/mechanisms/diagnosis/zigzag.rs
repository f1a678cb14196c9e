//! Losses are congestion if the segment after them was long on its way, for its kind: the more are missing, the longer.
//!
//! Spec      Cen, Cosman and Voelker 2002 §3.3 (ZigZag)
//! Deviates  unverified: whether the deviation is taken from the old mean or the new, which `zigzag_deviation_from`
//!           sets, and whether an arrival is compared with what was before it (it is here) or with what it makes
//! Holds     begins with the first time as the mean and no deviation

use super::Diagnosis;
use super::receiver_timing::{Classifier, ReceiverTiming, Sample};
use crate::mechanisms::{Needs, Part};
use crate::params::{Knob, Params};

/// See the file's header.
pub const ZIGZAG: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("zigzag", "Cen, Cosman and Voelker 2002 §3.3", |p| {
        Box::new(ReceiverTiming::new(ZigZag::new(p)))
    })
    .needing(NEEDS)
    .with_knobs(KNOBS);

const NEEDS: Needs = Needs::NOTICES.and(Needs::TIMESTAMPS);

const DEVIATION: Knob = Knob::word(
    "zigzag_deviation_from",
    &["new", "old"],
    "from which mean the deviation is computed: the new or the old; unverified",
);

/// The parameters, for those who contain it.
pub(super) const KNOBS: &[Knob] = &[DEVIATION];

/// Weight of a new time in the mean; twice as much in the deviation.
const GAIN: f64 = 1.0 / 32.0;

/// See the file's header.
#[derive(Debug)]
pub(super) struct ZigZag {
    from_old: bool,
    /// Mean and deviation of times on the way, in seconds.
    average_s: Option<(f64, f64)>,
}

impl ZigZag {
    pub(super) fn new(params: &Params) -> Self {
        Self { from_old: params.word(&DEVIATION) == "old", average_s: None }
    }
}

impl Classifier for ZigZag {
    fn is_channel(&mut self, sample: &Sample) -> bool {
        let Some(time) = sample.one_way_s else { return false };
        let (old, dev) = self.average_s.unwrap_or((time, 0.0));
        let mean = (1.0 - GAIN) * old + GAIN * time;
        let off = (time - if self.from_old { old } else { mean }).abs();
        self.average_s = Some((mean, (1.0 - 2.0 * GAIN) * dev + 2.0 * GAIN * off));
        time < match sample.missing {
            0 | 1 => old - dev,
            2 => old - dev / 2.0,
            3 => old,
            _ => old + dev / 2.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::receiver_timing::testing::on_way;
    use super::*;

    fn known() -> ZigZag {
        ZigZag { average_s: Some((0.050, 0.010)), ..ZigZag::new(&Params::default()) }
    }

    #[test]
    fn l5_the_more_are_missing_the_longer_it_may_take() {
        for (missing, below) in [(1, 40.0), (2, 45.0), (3, 50.0), (4, 55.0), (9, 55.0)] {
            assert!(on_way(&mut known(), below - 0.1, missing), "{missing}");
            assert!(!on_way(&mut known(), below + 0.1, missing), "{missing}");
        }
    }

    #[test]
    fn l6_mean_and_deviation() {
        for (from_old, expected) in [(false, 9.980), (true, 10.0)] {
            let mut zigzag = ZigZag { from_old, ..known() };
            on_way(&mut zigzag, 60.0, 0);
            let (mean, dev) = zigzag.average_s.unwrap();
            assert!((mean - 0.050_312_5).abs() < 1e-9);
            assert!((dev * 1e3 - expected).abs() < 0.001, "{dev}");
        }
    }
}
