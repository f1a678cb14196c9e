//! The rate of a sender, and what it makes of the one that it is told.
//!
//! Spec      Sundaresan et al. 2003: increase by a part of the difference, decrease at once, and between both keep still
//! Deviates  decided here: however small the rate, a packet leaves in every epoch, since who sends nothing is told nothing
//! Holds     the pace never stands still, and time passes between two of its ticks

use hopwright_machine::Duration;

use super::Params;

/// S, packets per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rate(f64);

/// The shortest time between two packets: shorter than any frame.
const LEAST_GAP: Duration = Duration::from_micros(1);

impl Rate {
    pub(super) const fn of(per_second: f64) -> Self {
        Self(per_second)
    }

    pub(super) const fn per_second(self) -> f64 {
        self.0
    }

    /// The way bears `told` packets per second.
    pub(super) fn follow(&mut self, told: f64, params: &Params) {
        if told > self.0 * (1.0 + params.phi) {
            self.0 += (told - self.0) / params.k;
        } else if told < self.0 {
            self.0 = told;
        }
    }

    /// Nobody tells anything.
    pub(super) fn halve(&mut self) {
        self.0 /= 2.0;
    }

    /// The time from one packet to the next.
    pub(super) fn gap(self, params: &Params) -> Duration {
        if self.0 * params.epoch.as_secs_f64() <= 1.0 {
            return params.epoch;
        }
        Duration::from_secs_f64(1.0 / self.0).max(LEAST_GAP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(own: f64, told: f64) -> f64 {
        let mut rate = Rate::of(own);
        rate.follow(told, &Params::default());
        rate.per_second()
    }

    #[test]
    fn a2_the_rate_rises_by_a_fifth_of_the_difference_falls_at_once_or_stays() {
        assert!((followed(20.0, 33.3) - 22.66).abs() < 1e-9);
        assert_eq!((followed(20.0, 22.0), followed(20.0, 15.0)), (20.0, 15.0));
        // At the edge it stays: the told rate must be above 25.
        assert_eq!((followed(20.0, 25.0), followed(20.0, 20.0)), (20.0, 20.0));
    }

    #[test]
    fn the_pace_is_at_least_a_packet_an_epoch() {
        let params = Params::default();
        let gap_ms = |per_second| Rate::of(per_second).gap(&params).as_nanos() / 1_000_000;
        assert_eq!([50.0, 1.0, 0.2, 0.0].map(gap_ms), [20, 1000, 1000, 1000]);
        assert_eq!(Rate::of(1e9).gap(&params), LEAST_GAP);
    }
}
