//! A bound on how often something is done for strangers.
//!
//! Spec      RFC 1812 §4.3.2.8 (a token bucket)
//! Deviates  nothing
//! Holds     never more than `burst` at once, nor `burst + rate * t` in any time `t`

use hopwright_machine::{Duration, Time};

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Bucket {
    interval: Duration,
    burst: u64,
    tokens: u64,
    /// When the last token came in.
    filled: Time,
}

impl Bucket {
    pub(crate) const fn new(per_second: u64, burst: u64) -> Self {
        Self { interval: Duration::from_nanos(1_000_000_000 / per_second), burst, tokens: burst, filled: Time::ZERO }
    }

    /// Takes a token, if there is one.
    pub(crate) fn take(&mut self, now: Time) -> bool {
        let new = now.since(self.filled).whole(self.interval);
        self.filled += self.interval * new;
        self.tokens = self.tokens.saturating_add(new).min(self.burst);
        let has_one = self.tokens > 0;
        self.tokens -= u64::from(has_one);
        has_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_one_per_interval() {
        let mut bucket = Bucket::new(1000, 3);
        let at = |us| Time::ZERO + Duration::from_micros(us);
        assert_eq!([0, 0, 0, 0].map(|us| bucket.take(at(us))), [true, true, true, false]);
        assert_eq!([999, 1000, 1500, 2000].map(|us| bucket.take(at(us))), [false, true, false, true]);
        assert_eq!((0..10).filter(|_| bucket.take(at(9_000_000))).count(), 3);
    }
}
