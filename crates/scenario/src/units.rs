//! From the units of the file, which stand in its keys' names, to those of the layers.

use hopwright_machine::{Duration, Time};

pub(crate) fn bps(mbps: f64) -> u64 {
    (mbps * 1e6 + 0.5) as u64
}

pub(crate) fn decibels(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

pub(crate) fn micros(us: f64) -> Duration {
    Duration::from_secs_f64(us * 1e-6)
}

pub(crate) fn millis(ms: f64) -> Duration {
    micros(ms * 1e3)
}

pub(crate) fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

pub(crate) fn at(since_start: Duration) -> Time {
    Time::ZERO + since_start
}
