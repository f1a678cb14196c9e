//! Rate limits.
//!
//! Spec      RFC 3561 §10 (RREQ_RATELIMIT, RERR_RATELIMIT)
//! Deviates  nothing
//! Holds     no second contains more events than the limit

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};

/// Allows so many events in any second (RREQ_RATELIMIT and RERR_RATELIMIT, RFC 3561 §10).
#[derive(Debug, Default)]
pub(crate) struct Limiter {
    recent: VecDeque<Time>,
}

impl Limiter {
    /// Takes one event's place if there is one; otherwise says when there will be.
    pub(crate) fn admit(&mut self, now: Time, limit: u32) -> Result<(), Time> {
        let second = Duration::from_secs(1);
        while self.recent.front().is_some_and(|&time| time + second <= now) {
            self.recent.pop_front();
        }
        if self.recent.len() >= limit as usize {
            return Err(self.recent.front().map_or(Time::NEVER, |&time| time + second));
        }
        self.recent.push_back(now);
        Ok(())
    }
}
