//! How long a source waits for the acknowledgement of a bundle before it sends the bundle again.
//!
//! Spec      Velayutham 2005 §6.5.1: the round trips of bundles, exponentially averaged
//! Deviates  decided here: the average alone would run out half of the time, so four deviations are added (RFC 6298 §2,
//!           with its gains); expiries double it, up to a limit; bundles sent twice give no sample (Karn)
//! Holds     never below the initial value

use hopwright_machine::Duration;

use crate::config::InitialTimer;

/// The timer of one connection.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
    initial: InitialTimer,
    most: Duration,
    /// Smoothed round trip and its deviation, seconds.
    estimate: Option<(f64, f64)>,
    /// Expiries since the last sample.
    expiries: u32,
}

impl Timer {
    pub(crate) const fn new(initial: InitialTimer, most: Duration) -> Self {
        Self { initial, most, estimate: None, expiries: 0 }
    }

    /// How long to wait for a bundle that has so many hops to go; `None`: for ever.
    pub(crate) fn value(&self, hops: u32) -> Option<Duration> {
        let initial = match self.initial {
            InitialTimer::Fixed(time) => Some(time),
            InitialTimer::PerHop(time) => Some(time * u64::from(hops.max(1))),
            InitialTimer::Unlimited => None,
        };
        let averaged = self.estimate.map(|(mean, deviation)| Duration::from_secs_f64(mean + 4.0 * deviation));
        let usual = match (initial, averaged) {
            (Some(initial), Some(averaged)) => initial.max(averaged),
            (initial, averaged) => initial.or(averaged)?,
        };
        // What is longer than the limit already is not made shorter by expiries.
        let doubled = (0..self.expiries).fold(usual, |time, _| (time * 2).min(self.most));
        Some(usual.max(doubled))
    }

    /// A bundle that was sent once has been acknowledged after so long.
    pub(crate) fn sample(&mut self, round_trip: Duration) {
        let sample = round_trip.as_secs_f64();
        self.expiries = 0;
        self.estimate = Some(match self.estimate {
            None => (sample, sample / 2.0),
            Some((mean, deviation)) => {
                (mean + (sample - mean) / 8.0, deviation + ((sample - mean).abs() - deviation) / 4.0)
            }
        });
    }

    /// It has run out.
    pub(crate) fn expired(&mut self) {
        self.expiries = (self.expiries + 1).min(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Vector N12 of the specification.
    #[test]
    fn n12_round_trips_make_the_timer() {
        let mut timer = Timer::new(InitialTimer::Fixed(s(5)), s(60));
        for (sample, value) in [(8, 24), (8, 20), (16, 26)] {
            timer.sample(s(sample));
            assert_eq!(timer.value(3), Some(s(value)));
        }
    }

    /// Vector N13 of the specification.
    #[test]
    fn n13_expiries_double_it_up_to_a_minute() {
        let mut timer = Timer::new(InitialTimer::Fixed(s(5)), s(60));
        for value in [5, 10, 20, 40, 60, 60] {
            assert_eq!(timer.value(3), Some(s(value)));
            timer.expired();
        }
        timer.sample(s(1));
        assert_eq!(timer.value(3), Some(s(5)), "never below the initial value");
        timer.sample(s(400));
        let long = timer.value(3);
        timer.expired();
        assert_eq!(timer.value(3), long, "an expiry shortens nothing");
    }

    #[test]
    fn the_readings_of_the_first_wait() {
        assert_eq!(Timer::new(InitialTimer::PerHop(s(5)), s(60)).value(4), Some(s(20)));
        let mut timer = Timer::new(InitialTimer::Unlimited, s(60));
        assert_eq!(timer.value(4), None);
        timer.sample(s(8));
        assert_eq!(timer.value(4), Some(s(24)));
    }
}
