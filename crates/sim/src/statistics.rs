//! Averages that are built up while a run goes on.

use hopwright_machine::Time;

/// The average over time of something that changes in steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeAverage {
    begin: Time,
    since: Time,
    value: f64,
    integral: f64,
}

impl TimeAverage {
    /// Nothing before `begin` counts.
    pub(crate) const fn new(begin: Time) -> Self {
        Self { begin, since: Time::ZERO, value: 0.0, integral: 0.0 }
    }

    /// The value is this from now on.
    pub(crate) fn set(&mut self, now: Time, value: f64) {
        self.integral += self.value * now.since(self.since.max(self.begin)).as_secs_f64();
        self.since = now;
        self.value = value;
    }

    /// The value is more, or less, by this from now on.
    pub(crate) fn add(&mut self, now: Time, change: f64) {
        self.set(now, self.value + change);
    }

    /// The value now.
    pub(crate) const fn level(&self) -> f64 {
        self.value
    }

    /// The average up to `end`; zero if no time has passed.
    pub(crate) fn mean(&self, end: Time) -> f64 {
        let tail = self.value * end.since(self.since.max(self.begin)).as_secs_f64();
        let span = end.since(self.begin).as_secs_f64();
        if span > 0.0 { (self.integral + tail) / span } else { 0.0 }
    }
}

/// Count, mean and standard deviation of a series (Welford 1962).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub(crate) fn add(&mut self, x: f64) {
        self.count += 1;
        let before = x - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (x - self.mean);
    }

    /// `None` without values.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Standard deviation of the sample; `None` for fewer than two values.
    pub(crate) fn sd(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares / (self.count - 1) as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_average_counts_from_its_beginning() {
        let at = Time::from_secs_f64;
        let mut average = TimeAverage::new(at(10.0));
        average.set(at(5.0), 4.0); // counts from 10
        average.add(at(12.0), 2.0); // 6 from 12
        assert_eq!(average.mean(at(14.0)), (4.0 * 2.0 + 6.0 * 2.0) / 4.0);
        assert_eq!(average.mean(at(10.0)), 0.0);
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        let mut moments = Moments::default();
        for x in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            moments.add(x);
        }
        assert_eq!(moments.mean(), Some(5.0));
        assert!((moments.sd().expect("eight values") - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
    }
}
