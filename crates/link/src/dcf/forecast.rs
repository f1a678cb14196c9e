//! When a station that contends may begin at the earliest, from the signals that are on their way to it.
//!
//! What is sensed is looked at when a station is next woken. A station that contends must be woken in time; told of
//! each signal when its frame leaves the sender, a forecast says when that is, without the station itself being asked.
//!
//! Spec      IEEE 802.11-1999 §9.2.4, §9.2.5.2 (back-off), §9.2.3 (interframe spaces)
//! Deviates  nothing
//! Holds     never later than the station begins, however the signals are received

use hopwright_machine::Time;

use crate::{Config, Eifs};

/// When a station that contends may begin at the earliest.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// The medium is busy until then, or the station is.
    pub(super) busy_until: Time,
    /// The space after that has passed.
    pub(super) start: Time,
    /// Slots that are left at `start`, or more.
    pub(super) slots: u32,
}

impl Forecast {
    /// From when on slots are counted down, and how many are left then.
    #[must_use]
    pub const fn counts(&self) -> (Time, u32) {
        (self.start, self.slots)
    }

    /// The station does not begin before, if nothing further is sensed.
    #[inline]
    #[must_use]
    pub fn access(&self, config: &Config) -> Time {
        self.start + config.slot * u64::from(self.slots)
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
        self.slots = self.slots.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX));
        if config.redraws() {
            self.slots = 0;
        }
        self.busy_until = self.busy_until.max(until);
        self.start = match (fails, config.eifs) {
            (false, _) | (true, Eifs::Never) => self.busy_until + config.difs,
            (true, Eifs::InsteadOfDifs) => self.busy_until + config.eifs_time(),
            (true, Eifs::ThenDifs) => self.busy_until.max(until + config.eifs_time()) + config.difs,
        };
    }
}
