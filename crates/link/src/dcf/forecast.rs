//! When a station that contends may begin at the earliest, from the signals that are on their way to it.
//!
//! What is sensed is looked at when a station is next woken. A station that contends must be woken in time; told of
//! each signal when its frame leaves the sender, a forecast says when that is, without the station itself being asked.
//!
//! Spec      IEEE 802.11-1999 §9.2.4, §9.2.5.2 (back-off), §9.2.3 (interframe spaces)
//! Deviates  nothing
//! Holds     never later than the station begins, however the signals are received

use std::num::NonZeroU32;

use hopwright_machine::Time;

use crate::{Config, Eifs};

/// When a station that contends may begin at the earliest.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// The medium is busy until then, or the station is.
    busy_until: Time,
    /// The space after that has passed.
    start: Time,
    /// One more than the slots that are left at `start`, or more than that: never zero, so that an `Option` of a forecast
    /// is as small as a forecast.
    slots_and_one: NonZeroU32,
}

impl Forecast {
    /// The medium or the station is busy until then; slots are counted down from `start` on.
    #[inline]
    pub(super) const fn new(busy_until: Time, start: Time, slots: u32) -> Self {
        Self { busy_until, start, slots_and_one: and_one(slots) }
    }

    #[inline]
    const fn slots(&self) -> u32 {
        self.slots_and_one.get() - 1
    }

    /// From when on slots are counted down, and how many are left then.
    #[must_use]
    pub const fn counts(&self) -> (Time, u32) {
        (self.start, self.slots())
    }

    /// The station does not begin before, if nothing further is sensed.
    #[inline]
    #[must_use]
    pub fn access(&self, config: &Config) -> Time {
        self.start + config.slot * u64::from(self.slots())
    }

    /// A signal will be sensed; `fails`: its reception will fail, if nothing further is sensed before its end. To be
    /// told in the order of arrivals.
    #[inline]
    pub fn sense(&mut self, from: Time, until: Time, fails: bool, config: &Config) {
        if self.access(config) <= from {
            return; // it begins before it can sense anybody
        }
        // A back-off takes these off, or fewer.
        let passed = from.since(self.start).whole(config.slot);
        let left = self.slots().saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX));
        self.slots_and_one = and_one(if config.redraws() { 0 } else { left });
        self.busy_until = self.busy_until.max(until);
        self.start = match (fails, config.eifs) {
            (false, _) | (true, Eifs::Never) => self.busy_until + config.difs,
            (true, Eifs::InsteadOfDifs) => self.busy_until + config.eifs_time(),
            (true, Eifs::ThenDifs) => self.busy_until.max(until + config.eifs_time()) + config.difs,
        };
    }
}

#[inline]
const fn and_one(slots: u32) -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(slots)
}
