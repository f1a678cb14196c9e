//! ZigZag, mBiaz or Spike: whichever suits how crowded the path looks.
//!
//! Spec      Cen, Cosman and Voelker 2002 §3.4 (ZBS)
//! Deviates  unverified: the average spacing and its weight
//! Holds     all three watch every arrival; only one is asked

use super::Diagnosis;
use super::biaz_vaidya::BiazVaidya;
use super::receiver_timing::{Classifier, ReceiverTiming, Sample};
use super::spike::{self, Spike};
use super::zigzag::{self, ZigZag};
use crate::mechanisms::{Needs, Part};
use crate::params::{Knob, Params};

/// See the file's header.
pub const ZBS: Part<dyn Diagnosis> = Part::<dyn Diagnosis>::new("zbs", "Cen, Cosman and Voelker 2002 §3.4", |p| {
    Box::new(ReceiverTiming::new(Zbs::new(p)))
})
.needing(NEEDS)
.with_knobs(KNOBS);

const KNOBS: &[Knob] = &[WEIGHT, spike::KNOBS[0], spike::KNOBS[1], zigzag::KNOBS[0]];

const NEEDS: Needs = Needs::NOTICES.and(Needs::TIMESTAMPS);

const WEIGHT: Knob = Knob::real(
    "zbs_spacing_weight",
    "",
    0.125,
    0.0..=1.0,
    "weight of a new spacing in the average spacing; unverified",
);

#[derive(Debug)]
struct Zbs {
    weight: f64,
    /// Average time per segment, missing ones counted, in seconds.
    spacing_s: Option<f64>,
    spike: Spike,
    zigzag: ZigZag,
    biaz: BiazVaidya,
}

impl Zbs {
    fn new(params: &Params) -> Self {
        Self {
            weight: params.number(&WEIGHT),
            spacing_s: None,
            spike: Spike::new(params),
            zigzag: ZigZag::new(params),
            biaz: BiazVaidya::new(1.25),
        }
    }

    fn average(&mut self, sample: &Sample) {
        let Some(spacing) = sample.spacing_s else { return };
        let each = spacing / f64::from(sample.missing + 1);
        self.spacing_s = Some(self.spacing_s.map_or(each, |old| (1.0 - self.weight) * old + self.weight * each));
    }
}

impl Classifier for Zbs {
    fn is_channel(&mut self, sample: &Sample) -> bool {
        self.average(sample);
        let [spike, zigzag, biaz] =
            [self.spike.is_channel(sample), self.zigzag.is_channel(sample), self.biaz.is_channel(sample)];
        let is_short = match (sample.one_way_s, self.spike.range_s, self.biaz.least_s) {
            (Some(time), Some((least, _)), Some(spacing)) => time < least + 0.05 * spacing,
            _ => true,
        };
        let crowding = match (self.spacing_s, self.biaz.least_s) {
            (Some(average), Some(least)) if least > 0.0 => average / least,
            _ => f64::INFINITY,
        };
        match crowding {
            _ if is_short => spike,
            c if c < 0.875 => zigzag,
            c if c < 1.5 => biaz,
            c if c < 2.0 => zigzag,
            _ => spike,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One whose path has this crowding, and whose parts disagree about what comes next.
    fn verdict(crowding: f64, spacing_s: f64, one_way_s: f64) -> bool {
        let mut zbs = Zbs::new(&Params::default());
        zbs.weight = 0.0;
        (zbs.spacing_s, zbs.biaz.least_s) = (Some(0.010 * crowding), Some(0.010));
        zbs.spike.range_s = Some((0.0, 0.100));
        for _ in 0..200 {
            zbs.zigzag.is_channel(&Sample { spacing_s: None, missing: 0, one_way_s: Some(0.020) });
        }
        zbs.is_channel(&Sample { spacing_s: Some(spacing_s), missing: 1, one_way_s: Some(one_way_s) })
    }

    #[test]
    fn the_crowding_chooses() {
        // 40 ms on the way: no spike, but longer than the mean of 20. Spacing 21 ms: mBiaz sees the channel.
        assert!(!verdict(0.8, 0.021, 0.040)); // ZigZag
        assert!(verdict(1.2, 0.021, 0.040)); // mBiaz
        assert!(!verdict(1.2, 0.025, 0.040));
        assert!(!verdict(1.8, 0.021, 0.040)); // ZigZag
        assert!(verdict(2.5, 0.025, 0.040)); // Spike
        assert!(!verdict(2.5, 0.025, 0.090));
        assert!(verdict(1.2, 0.025, 0.0001)); // hardly on its way: Spike
    }

    /// Time per segment, missing ones counted; a new one weighs an eighth.
    #[test]
    fn the_spacing_is_averaged_over_all_segments() {
        let mut zbs = Zbs::new(&Params::default());
        let sample = |spacing_s, missing| Sample { spacing_s, missing, one_way_s: None };
        zbs.average(&sample(None, 0));
        assert_eq!(zbs.spacing_s, None);
        zbs.average(&sample(Some(0.5), 1));
        assert_eq!(zbs.spacing_s, Some(0.25));
        zbs.is_channel(&sample(Some(1.25), 0));
        assert_eq!(zbs.spacing_s, Some(0.375)); // 7/8 0.25 + 1/8 1.25
        zbs.is_channel(&sample(None, 0));
        assert_eq!(zbs.spacing_s, Some(0.375));
    }
}
