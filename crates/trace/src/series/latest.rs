//! What holds at the end of each instant.

use hopwright_machine::{Duration, Time};

/// Of each flow, or node, what it has been told last.
#[derive(Debug)]
pub(super) struct Latest<R> {
    interval_ns: u64,
    end: Time,
    /// The instant at hand, and whose rows it has.
    instant: Time,
    touched: Vec<usize>,
    rows: Vec<Option<R>>,
}

impl<R: Copy> Latest<R> {
    /// For `count` flows or nodes; instants are multiples of `interval`, if it is not zero, and none is after `end`.
    pub(super) fn new(count: usize, interval: Duration, end: Time) -> Self {
        let rows = vec![None; count];
        Self { interval_ns: interval.as_nanos(), end, instant: Time::ZERO, touched: Vec::new(), rows }
    }

    /// The row of `who` in the instant of `at`, to be written. What is over goes to `sink` first.
    #[inline]
    pub(super) fn at(&mut self, at: Time, who: usize, sink: impl FnMut(Time, usize, R)) -> &mut Option<R> {
        let instant = match self.interval_ns {
            0 => at,
            ns => Time::from_nanos(at.as_nanos().div_ceil(ns).saturating_mul(ns)).min(self.end.max(at)),
        };
        if instant > self.instant {
            self.end_instant(sink);
            self.instant = instant;
        }
        if self.rows[who].is_none() {
            self.touched.push(who);
        }
        &mut self.rows[who]
    }

    /// The instant at hand is over.
    pub(super) fn end_instant(&mut self, mut sink: impl FnMut(Time, usize, R)) {
        for who in self.touched.drain(..) {
            if let Some(row) = self.rows[who].take() {
                sink(self.instant, who, row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(interval_ms: u64, told: &[(u64, usize, u32)]) -> Vec<(u64, usize, u32)> {
        let end = Time::from_nanos(95_000_000);
        let mut latest = Latest::new(3, Duration::from_millis(interval_ms), end);
        let mut rows = Vec::new();
        let mut sink = |at: Time, who, row| rows.push((at.as_nanos() / 1_000_000, who, row));
        for &(ms, who, row) in told {
            *latest.at(Time::from_nanos(ms * 1_000_000), who, &mut sink) = Some(row);
        }
        latest.end_instant(&mut sink);
        rows
    }

    const TOLD: [(u64, usize, u32); 7] =
        [(0, 2, 1), (3, 0, 2), (3, 1, 3), (3, 0, 4), (10, 1, 5), (11, 0, 6), (92, 2, 7)];

    #[test]
    fn of_an_instant_the_last_counts() {
        assert_eq!(rows(0, &TOLD), [(0, 2, 1), (3, 0, 4), (3, 1, 3), (10, 1, 5), (11, 0, 6), (92, 2, 7)]);
    }

    #[test]
    fn an_interval_makes_instants_longer_and_the_run_no_longer() {
        assert_eq!(rows(10, &TOLD), [(0, 2, 1), (10, 0, 4), (10, 1, 5), (20, 0, 6), (95, 2, 7)]);
    }
}
