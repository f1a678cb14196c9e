//! How late packets are: when they were given to a program less when they should have been.

use hdrhistogram::Histogram;
use hopwright_machine::Duration;
use serde::Serialize;

/// Significant digits of what is kept, and the largest value, nanoseconds: an hour. Larger ones count as that.
const DIGITS: u8 = 3;
const LARGEST: u64 = 3_600_000_000_000;

/// Waiting times, counted.
#[derive(Clone, Debug)]
pub struct Lateness(Histogram<u64>);

/// What is said of them, in microseconds; `None` of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    /// How many.
    pub packets: u64,
    /// Half are not above.
    pub median_us: Option<f64>,
    /// 99 of 100 are not above.
    pub p99_us: Option<f64>,
    /// The largest.
    pub max_us: Option<f64>,
}

impl Default for Lateness {
    fn default() -> Self {
        Self(Histogram::new_with_max(LARGEST, DIGITS).expect("numbers that it takes"))
    }
}

impl Lateness {
    /// One more.
    pub fn add(&mut self, late: Duration) {
        self.0.saturating_record(late.as_nanos());
    }

    /// The largest.
    #[must_use]
    pub fn worst(&self) -> Duration {
        Duration::from_nanos(self.0.max())
    }

    /// What results say.
    #[must_use]
    pub fn quantiles(&self) -> Quantiles {
        let us = |ns: u64| (!self.0.is_empty()).then_some(ns as f64 / 1e3);
        Quantiles {
            packets: self.0.len(),
            median_us: us(self.0.value_at_quantile(0.5)),
            p99_us: us(self.0.value_at_quantile(0.99)),
            max_us: us(self.0.max()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_known_values() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.quantiles().median_us, None);
        (1..=1000).for_each(|us| lateness.add(Duration::from_micros(us)));
        let quantiles = lateness.quantiles();
        let near = |value: Option<f64>, true_us: f64| value.is_some_and(|value| (value / true_us - 1.0).abs() < 0.002);
        assert!(near(quantiles.median_us, 500.0) && near(quantiles.p99_us, 990.0), "{quantiles:?}");
        assert!(near(quantiles.max_us, 1000.0) && quantiles.packets == 1000, "{quantiles:?}");
    }
}
