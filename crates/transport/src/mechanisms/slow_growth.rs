//! One growing acknowledgement in so many: the counter that both phases of slow growth keep.
//!
//! Spec      Papanastasiou 2006 §4.3, Algorithms 1 and 2 (`s_increase`, `ca_increase` and their thresholds)
//! Deviates  with a threshold of zero the printed algorithms would grow once and never again; here they are plain
//!           Reno. A threshold that sinks below the counter ends the wait (there it never changes)
//! Holds     exactly one of `threshold + 1` acknowledgements grows, the first of them

use crate::params::Knob;

/// How many acknowledgements after each growing one do not grow.
pub(super) const K: Knob = Knob::count(
    "k",
    "",
    10,
    0..=1_000_000,
    "number of acknowledgements without growth of the window, after each acknowledgement with growth",
);

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct SlowGrowth {
    counter: u32,
}

impl SlowGrowth {
    /// Whether this acknowledgement of new data grows the window.
    pub(super) const fn grows(&mut self, threshold: u32) -> bool {
        let grows = self.counter == 0 || threshold == 0;
        self.counter = if self.counter >= threshold { 0 } else { self.counter + 1 };
        grows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(threshold: u32) -> String {
        let mut growth = SlowGrowth::default();
        (0..9).map(|_| if growth.grows(threshold) { '+' } else { '.' }).collect()
    }

    #[test]
    fn one_in_k_plus_one_grows_and_the_first_does() {
        assert_eq!(pattern(1), "+.+.+.+.+");
        assert_eq!(pattern(2), "+..+..+..");
        assert_eq!(pattern(10), "+........");
    }

    #[test]
    fn zero_is_plain_growth() {
        assert_eq!(pattern(0), "+++++++++");
    }

    #[test]
    fn a_smaller_threshold_ends_a_longer_wait() {
        let mut growth = SlowGrowth::default();
        let early: Vec<_> = (0..5).map(|_| growth.grows(10)).collect();
        assert_eq!(early, [true, false, false, false, false]);
        let late: Vec<_> = (0..3).map(|_| growth.grows(2)).collect();
        assert_eq!(late, [false, true, false]);
    }
}
