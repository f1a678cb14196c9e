//! What monitors said, on average over all looks at them: for whoever chooses bounds.

use super::Monitor;

/// Sums and numbers of the values that monitors had.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Readings {
    sums: [f64; Monitor::ALL.len()],
    looks: [u32; Monitor::ALL.len()],
}

impl Readings {
    /// A monitor was looked at. What is infinite has no average, and is left out.
    pub(super) fn add(&mut self, monitor: Monitor, value: f64) {
        if value.is_finite() {
            self.sums[monitor as usize] += value;
            self.looks[monitor as usize] += 1;
        }
    }

    /// What was said since these earlier ones.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut rest = *self;
        for n in 0..rest.sums.len() {
            rest.sums[n] -= before.sums[n];
            rest.looks[n] -= before.looks[n];
        }
        rest
    }

    /// The mean of what a monitor said; `None` if it had no value.
    #[must_use]
    pub fn mean(&self, monitor: Monitor) -> Option<f64> {
        let looks = self.looks[monitor as usize];
        (looks > 0).then(|| self.sums[monitor as usize] / f64::from(looks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_before_does_not_count() {
        let mut readings = Readings::default();
        readings.add(Monitor::Loss, 9.0);
        let before = readings;
        readings.add(Monitor::Loss, 1.0);
        readings.add(Monitor::Loss, 2.0);
        readings.add(Monitor::Fluctuation, f64::INFINITY);
        assert_eq!(readings.mean(Monitor::Loss), Some(4.0));
        assert_eq!(readings.since(&before).mean(Monitor::Loss), Some(1.5));
        assert_eq!(readings.mean(Monitor::Fluctuation), None);
        assert_eq!(readings.since(&readings).mean(Monitor::Loss), None);
    }
}
