//! What is measured of a flow over ATP alone.

use hopwright_machine::Time;
use hopwright_transport::atp::{Public, Sender, State};

use crate::statistics::Moments;

/// What is measured of a sender beside what every flow has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtpMeter {
    begin: Time,
    public: Public,
    at_begin: Public,
    /// The rate, and the one that was told, each time that was.
    pub(crate) rate: Moments,
    pub(crate) told: Moments,
    /// Seconds in which it probed, but for those since `since`.
    probing_s: f64,
    /// Since when it probes, if it does.
    since: Option<Time>,
}

impl AtpMeter {
    pub(super) fn new(begin: Time) -> Self {
        let (rate, told) = (Moments::default(), Moments::default());
        let (public, at_begin) = (Public::default(), Public::default());
        Self { begin, public, at_begin, rate, told, probing_s: 0.0, since: None }
    }

    pub(super) const fn warmed_up(&mut self) {
        self.at_begin = self.public;
    }

    /// Something has happened to the sender.
    pub(super) fn observe(&mut self, now: Time, sender: &Sender) {
        let (public, state) = (*sender.public(), sender.state());
        if public.feedbacks > self.public.feedbacks && state != State::Probing && now >= self.begin {
            self.rate.add(public.rate_pps);
            self.told.add(public.told_pps);
        }
        self.public = public;
        if (state == State::Probing) != self.since.is_some() {
            self.probing_s = self.probing_s(now);
            self.since = (state == State::Probing).then(|| now.max(self.begin));
        }
    }

    /// Seconds in which it probed, up to `end`.
    pub(crate) fn probing_s(&self, end: Time) -> f64 {
        self.probing_s + self.since.map_or(0.0, |since| end.since(since).as_secs_f64())
    }

    /// Counters since measurement began.
    pub(crate) const fn counted(&self) -> Counted {
        let (now, before) = (&self.public, &self.at_begin);
        Counted {
            feedbacks: now.feedbacks - before.feedbacks,
            probes: now.probes - before.probes,
            openings: now.openings - before.openings,
        }
    }
}

/// Counters of a sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) feedbacks: u64,
    pub(crate) probes: u64,
    pub(crate) openings: u64,
}
