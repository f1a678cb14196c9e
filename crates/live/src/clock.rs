//! The real clock, as the machines want it.

use std::time::Instant;

use hopwright_machine::Time;

/// Time since the driver started. Never runs backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

/// Nanoseconds of the machine's clock since some moment (`CLOCK_MONOTONIC`).
pub(crate) fn stopwatch() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the driver: here the time comes from")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}
