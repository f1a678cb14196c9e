//! Losses by the channel leave a hole in time as long as the missing segments would have taken.
//!
//! Spec      Biaz and Vaidya 1999; Cen, Cosman and Voelker 2002 §3.1 (mBiaz)
//! Deviates  nothing
//! Holds     assumes that the last hop is the slowest: elsewhere the least spacing says little

use super::Diagnosis;
use super::receiver_timing::{Classifier, ReceiverTiming, Sample};
use crate::mechanisms::{Needs, Part};
use crate::params::Knob;

/// See the file's header.
pub const BIAZ_VAIDYA: Part<dyn Diagnosis> = Part::<dyn Diagnosis>::new("biaz-vaidya", "Biaz and Vaidya 1999", |p| {
    Box::new(ReceiverTiming::new(BiazVaidya::new(p.number(&UPPER))))
})
.needing(Needs::NOTICES)
.with_knobs(&[UPPER]);

const UPPER: Knob = Knob::real(
    "biaz_vaidya_upper",
    "spacings",
    2.0,
    1.0..=1e3,
    "with n segments missing, the channel lost them if the spacing is less than n plus this value, in units of the shortest spacing: 2 (Biaz), 1.25 (mBiaz)",
);

/// See the file's header.
#[derive(Debug)]
pub(super) struct BiazVaidya {
    upper: f64,
    /// The least spacing of two segments with none missing between, in seconds.
    pub(super) least_s: Option<f64>,
}

/// Rounding of times in seconds is no difference.
const NOTHING_S: f64 = 1e-9;

impl BiazVaidya {
    pub(super) const fn new(upper: f64) -> Self {
        Self { upper, least_s: None }
    }
}

impl Classifier for BiazVaidya {
    fn is_channel(&mut self, sample: &Sample) -> bool {
        let Some(spacing) = sample.spacing_s else { return false };
        if sample.missing == 0 {
            self.least_s = Some(self.least_s.map_or(spacing, |least| least.min(spacing)));
            return false;
        }
        let n = f64::from(sample.missing);
        self.least_s.is_some_and(|least| {
            ((n + 1.0) * least - NOTHING_S..(n + self.upper) * least - NOTHING_S).contains(&spacing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::receiver_timing::testing::last_notice;
    use super::*;
    use crate::params::{Params, Value};

    /// What both say of a spacing after a least one of 10 ms.
    fn verdicts(missing: u64, spacing_ms: u64) -> (bool, bool) {
        let says = |upper| {
            let mut params = Params::default();
            params.set("biaz_vaidya_upper", Value::Number(upper)).unwrap();
            let mut part = (BIAZ_VAIDYA.build)(&params);
            last_notice(part.as_mut(), &[(0, 0), (15, 0), (25, 0), (25 + spacing_ms, missing)])
        };
        (says(2.0), says(1.25))
    }

    #[test]
    fn l1_to_l3_bounds() {
        assert_eq!(verdicts(1, 25), (true, false));
        assert_eq!(verdicts(1, 21), (true, true));
        assert_eq!(verdicts(1, 15), (false, false));
        assert_eq!(verdicts(2, 30), (true, true));
        assert_eq!((verdicts(1, 20), verdicts(1, 30)), ((true, true), (false, false)));
    }
}
