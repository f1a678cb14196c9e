//! How long a sender has waited for feedback.
//!
//! Spec      Sundaresan et al. 2003: after two epochs the rate is halved, after three the connection begins again (both
//!           unverified: `Params`)
//! Deviates  decided here: an epoch is missed when its feedback could have come, a round trip after its end
//! Holds     it waits only while something is not acknowledged

use hopwright_machine::{Duration, Time};

use super::Params;

/// What the silence means by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// Nothing yet.
    Short,
    /// Halve the rate.
    Halves,
    /// Begin again.
    Ends,
}

/// Waits for feedback.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epochs {
    /// Since when; `NEVER`: it waits for none.
    since: Time,
    /// What a round trip takes.
    grace: Duration,
    has_halved: bool,
}

impl Epochs {
    /// It waits for nothing.
    pub(super) const IDLE: Self = Self { since: Time::NEVER, grace: Duration::ZERO, has_halved: false };

    /// It waits from now on.
    pub(super) fn begin(&mut self, now: Time, round_trip: Duration) {
        *self = Self { since: now, grace: round_trip, has_halved: false };
    }

    pub(super) fn end(&mut self) {
        *self = Self::IDLE;
    }

    pub(super) const fn is_waiting(&self) -> bool {
        !self.since.is_never()
    }

    /// When so many epochs have been missed.
    fn after(&self, epochs: u32, params: &Params) -> Time {
        self.since + params.epoch * u64::from(epochs) + self.grace
    }

    pub(super) fn deadline(&self, params: &Params) -> Time {
        let ends = self.after(params.probe_epochs, params);
        if self.has_halved { ends } else { ends.min(self.after(params.halve_epochs, params)) }
    }

    /// The deadline may have come. What is due is said once.
    pub(super) fn pass(&mut self, now: Time, params: &Params) -> Silence {
        if self.after(params.probe_epochs, params) <= now {
            self.end();
            return Silence::Ends;
        }
        if !self.has_halved && self.after(params.halve_epochs, params) <= now {
            self.has_halved = true;
            return Silence::Halves;
        }
        Silence::Short
    }
}
