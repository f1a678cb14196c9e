//! What is on its way to a node.
//!
//! All that is touched of a node for each frame that it hears, kept apart from the rest of the node, which is not: most
//! frames that a node hears concern it no further.

use hopwright_link::{Config, Forecast, Mac};
use hopwright_machine::{Duration, Time};
use hopwright_radio::{Ended, Receiver, Signal};
use hopwright_wire::Packet;

use crate::medium::{Role, Tag};

/// What is on its way to a node, and when it must be woken.
// In this order, a signal that concerns the node no further touches one line of the cache, and the signal's own.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Antenna {
    /// When the node is due, but for its station's access.
    due: Time,
    /// When its station may begin, if it contends.
    forecast: Option<Forecast>,
    pub(crate) receiver: Receiver<Tag>,
    /// The earliest of `attending`.
    pub(crate) arrival: Time,
    /// Frames on their way here that the node must act on: when, the frame's place, and whether it is for this node.
    pub(crate) attending: Vec<(Time, u32, bool)>,
    /// Whether the station does nothing for which frames for others make a difference.
    pub(crate) is_idle: bool,
}

impl Antenna {
    pub(crate) fn new(receiver: Receiver<Tag>) -> Self {
        let attending = Vec::with_capacity(4);
        Self { due: Time::ZERO, forecast: None, receiver, arrival: Time::NEVER, attending, is_idle: false }
    }

    /// When the node must be woken; it may turn out too early, never too late.
    #[inline(always)] // The runs with and without a trace both call it; on its own it would cost each of them more.
    pub(crate) fn deadline(&self, config: &Config) -> Time {
        let access = self.forecast.map_or(Time::NEVER, |forecast| forecast.access(config));
        self.due.min(access)
    }

    /// The node has acted, or has at least taken account of everything before `now`.
    #[inline]
    pub(crate) fn plan(&mut self, now: Time, upper: Time, station: &impl Mac<Packet>, config: &Config) {
        self.due = upper.min(station.timeout()).min(self.arrival);
        self.note_idle(station);
        self.forecast = station.forecast();
        let Some(forecast) = &mut self.forecast else { return };
        let fails_at = self.receiver.fails_at();
        if let [sooner @ .., last] = self.receiver.upcoming() {
            sooner.iter().for_each(|signal| forecast.sense(signal.from, signal.until, false, config));
            forecast.sense(last.from, last.until, fails_at.is_some(), config);
        } else if let Some(until) = fails_at.filter(|&until| until > now) {
            forecast.sense(now, until, true, config); // which the station will not know before
        }
    }

    /// Notes whether the station does nothing.
    #[inline]
    pub(crate) fn note_idle(&mut self, station: &impl Mac<Packet>) {
        self.is_idle = station.is_idle();
        if !self.is_idle {
            self.receiver.keep_apart();
        }
    }

    /// A signal will arrive that the node need not act on, and that leaves its deadline as it is (`is_indifferent`). `ends`: told
    /// how the reception of a frame ended that is forgotten, and when.
    #[inline(always)] // as `deadline`
    pub(crate) fn announce_other(
        &mut self,
        now: Time,
        signal: impl Fn() -> Signal<Tag>,
        ends: impl FnOnce(Time, Ended<Tag>),
    ) {
        let ends = |at, how| {
            ends(at, how);
            match how {
                Ended::Received(tag) => Duration::from_nanos(u64::from(tag.nav_ns)),
                Ended::Failed(_) | Ended::Damaged(_) | Ended::Unnoticed => Duration::ZERO,
            }
        };
        self.receiver.announce_aside(now, signal, || self.is_idle, ends);
    }

    /// Whether a signal that the node need not act on leaves its deadline as it is.
    #[inline(always)] // as `deadline`
    pub(crate) const fn is_indifferent(&self) -> bool {
        self.forecast.is_none()
    }

    /// A signal will arrive; one that the node must act on, at `act_at`.
    #[inline(always)] // as `deadline`
    pub(crate) fn announce(&mut self, signal: Signal<Tag>, act_at: Time, config: &Config) {
        self.receiver.announce(signal);
        if signal.frame.role != Role::Other {
            self.attend(act_at, signal.frame.frame, signal.frame.role == Role::Mine);
        }
        if let Some(forecast) = &mut self.forecast {
            forecast.sense(signal.from, signal.until, self.receiver.fails_at().is_some(), config);
        }
    }

    /// The node must act on a frame on its way here; `mine`: the frame is for this node.
    #[inline(always)] // as `deadline`
    pub(crate) fn attend(&mut self, act_at: Time, frame: u32, mine: bool) {
        self.attending.push((act_at, frame, mine));
        self.arrival = self.arrival.min(act_at);
        self.due = self.due.min(act_at);
    }

    /// The node is off: it forgets what was on its way.
    pub(crate) fn clear(&mut self) {
        self.receiver.clear();
        self.attending.clear();
        self.arrival = Time::NEVER;
    }
}
