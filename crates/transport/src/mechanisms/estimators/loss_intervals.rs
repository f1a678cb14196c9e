//! How often loss events come: the average of the last intervals between them.
//!
//! Spec      RFC 5348 §5.4 (the average loss interval), §6.3.1 (the first interval)
//! Deviates  history is not discounted (§5.5, optional)
//! Holds     the interval that goes on counts only where it makes the average longer

use std::collections::VecDeque;

/// Weights of the last intervals, the newest first (§5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// The lengths of loss intervals, in segments.
#[derive(Clone, Debug, Default)]
pub(in crate::mechanisms) struct LossIntervals {
    /// Those that have ended, the newest first.
    ended: VecDeque<f64>,
}

impl LossIntervals {
    /// Begins anew with one interval, of the past.
    pub(in crate::mechanisms) fn seed(&mut self, length: f64) {
        self.ended.clear();
        self.ended.push_front(length.max(1.0));
    }

    /// A loss event ends the interval that went on, which was so long.
    pub(in crate::mechanisms) fn end(&mut self, length: f64) {
        self.ended.truncate(WEIGHTS.len() - 1);
        self.ended.push_front(length.max(1.0));
    }

    /// Whether none has ended: nothing was ever lost.
    pub(in crate::mechanisms) fn is_empty(&self) -> bool {
        self.ended.is_empty()
    }

    /// Loss events per segment, while the interval that goes on is so long; 0 before the first.
    pub(in crate::mechanisms) fn rate(&self, open: f64) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let mean = |lengths: &mut dyn Iterator<Item = f64>| {
            let (sum, weight) =
                lengths.zip(WEIGHTS).fold((0.0, 0.0), |(sum, all), (length, w)| (sum + w * length, all + w));
            sum / weight
        };
        let without = mean(&mut self.ended.iter().copied());
        let with = mean(&mut std::iter::once(open).chain(self.ended.iter().copied()));
        1.0 / without.max(with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(open: f64, ended: &[f64]) -> f64 {
        let mut intervals = LossIntervals::default();
        for &length in ended.iter().rev() {
            intervals.end(length);
        }
        (1e6 * intervals.rate(open)).round() / 1e6
    }

    /// Vector X5: eight intervals of 100 segments make 0.01 with 20 open and 0.0075 with 300 open; four of 50 after four of
    /// 200 make 0.01 with 10 open.
    /// Vector T2: the first two of these.
    #[test]
    fn the_average_is_that_of_the_document() {
        assert_eq!(rate(20.0, &[100.0; 8]), 0.01);
        assert_eq!(rate(300.0, &[100.0; 8]), 0.0075); // 800 / 6 segments
        assert_eq!(rate(10.0, &[50.0, 50.0, 50.0, 50.0, 200.0, 200.0, 200.0, 200.0]), 0.01);
    }

    #[test]
    fn the_oldest_is_forgotten() {
        assert_eq!(rate(0.0, &[100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 9e9]), 0.01);
        assert_eq!(rate(7.0, &[]), 0.0);
        assert_eq!(rate(7.0, &[50.0]), 0.02);
    }
}
