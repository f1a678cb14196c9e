//! The real clock, as the machines want it.

use std::time::Instant;

use hopwright_machine::Time;

/// Time since the driver started. Never runs backwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the driver: here the time comes from")]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}
