//! One station's receiver: it takes account of signals in the order of their arrival.
//!
//! A signal is announced when its frame leaves the sender; the receiver takes account of it whenever it is asked to
//! come up to a time. So one visit settles everything that happened since the last, and no event is needed for a
//! receiver that only senses.

mod upcoming;

use hopwright_machine::{Duration, Time};

use crate::Hurdle;
use crate::listener::{Ended, Listener};
use crate::past::Past;
use crate::reception::{Interference, Reception, ReceptionRule, WeakFrames};
use crate::signal::Signal;
use upcoming::Upcoming;

/// One station's receiver.
// In this order, what is touched for every signal is together, at the beginning: 32 bytes, then the signals.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver<F> {
    /// Nothing happens before.
    next: Time,
    /// All announced signals are over then, and so is what the station transmits.
    over_by: Time,
    /// Announced; those that are left are not yet taken account of.
    upcoming: Upcoming<F>,
    reception: Reception<F>,
}

impl<F: Copy + Default> Receiver<F> {
    /// A receiver that hears nothing yet.
    #[must_use]
    pub fn new(rule: ReceptionRule) -> Self {
        Self {
            next: Time::NEVER,
            over_by: Time::ZERO,
            upcoming: Upcoming::new(rule.weak_frames == WeakFrames::Lock),
            reception: Reception::new(rule),
        }
    }
}

impl<F: Copy> Receiver<F> {
    /// Announces a signal. It must not arrive before the time the receiver has come up to.
    #[inline(always)] // once for each frame and hearer, in every kind of run
    pub fn announce(&mut self, signal: Signal<F>) {
        let fails = self.fails(&signal);
        self.over_by = self.over_by.max(signal.until);
        self.next = self.next.min(signal.from);
        self.upcoming.add(signal, fails);
    }

    /// Announces a frame that is for others. An idle station needs to know only until when such frames occupy and reserve
    /// the medium. So if the previous frame was announced in the same way and is over by `now`, the receiver forgets that
    /// frame, and `take_past` returns what it left. `ends`: told how the reception of a frame that is forgotten ended, and
    /// when, if the receiver noticed it; answers for how long a frame that was received reserves the medium after its end.
    #[inline(always)] // as `announce`
    pub fn announce_aside(
        &mut self,
        now: Time,
        signal: impl Fn() -> Signal<F>,
        is_idle: impl FnOnce() -> bool,
        ends: impl FnOnce(Time, Ended<F>) -> Duration,
    ) {
        if self.upcoming.aside > 0 && self.over_by <= now {
            // `next` stays in the past: there is news for the station before it does anything.
            let signal = signal();
            let fails = self.fails(&signal);
            self.over_by = signal.until;
            self.upcoming.replace(signal, fails, ends);
        } else {
            let signal = signal();
            let is_alone = self.next == Time::NEVER && self.over_by <= signal.from;
            self.announce(signal);
            self.upcoming.aside = u8::from(is_alone && is_idle() && !self.adds_up());
        }
    }

    /// All announced signals are over then, and so is what the station transmits.
    #[must_use]
    pub const fn over_by(&self) -> Time {
        self.over_by
    }

    /// So many frames in a row were announced aside, each after the last one was over; counted up to 255.
    #[inline]
    #[must_use]
    pub const fn aside(&self) -> u8 {
        self.upcoming.aside
    }

    /// The station is idle no more: from now on it wants to know of each signal.
    pub const fn keep_apart(&mut self) {
        self.upcoming.aside = 0;
    }

    /// What signals leave that were announced aside and are forgotten, if there are any: all of it was before the
    /// signals that are left.
    #[inline]
    pub const fn take_past(&mut self) -> Option<Past> {
        if self.upcoming.past.is_nothing() {
            return None;
        }
        Some(std::mem::replace(&mut self.upcoming.past, Past::NOTHING))
    }

    /// Whether the reception of a signal will fail for certain unless another comes before.
    #[inline(always)]
    fn fails(&self, signal: &Signal<F>) -> bool {
        !signal.hurdle.is_decodable() && self.upcoming.locks_on_weak && self.over_by <= signal.from
    }

    /// Signals that were announced and not taken account of, by arrival.
    #[inline]
    #[must_use]
    pub fn upcoming(&self) -> &[Signal<F>] {
        self.upcoming.left()
    }

    /// Whether so many were announced since the last `advance` that it is time for one.
    #[inline]
    #[must_use]
    pub const fn is_behind(&self) -> bool {
        self.upcoming.is_full()
    }

    /// Whether `advance` would have something to do.
    #[inline]
    #[must_use]
    pub fn has_news(&self, now: Time) -> bool {
        self.next <= now
    }

    /// The end of the signal announced last, if its reception will fail for certain unless another
    /// signal comes before: it is too weak, and alone.
    #[inline]
    #[must_use]
    pub fn fails_at(&self) -> Option<Time> {
        self.upcoming.last_fails.then_some(self.over_by)
    }

    /// The station transmits until then. The receiver must have come up to the start. Returns the frame that it was
    /// receiving, and that is lost with that: a station has one radio.
    #[inline]
    pub fn transmit(&mut self, until: Time) -> Option<F> {
        self.upcoming.last_fails = false; // what ends before the transmission does is not noticed
        self.upcoming.aside = 0;
        self.over_by = self.over_by.max(until);
        self.reception.transmit(until)
    }

    /// The receiver is off: it forgets everything on its way and in the air.
    pub fn clear(&mut self) {
        self.next = Time::NEVER;
        self.over_by = Time::ZERO;
        self.upcoming.forget();
        self.reception.clear();
    }

    /// The signal that would end at `until`, received with this power, is cut off before: it cannot be decoded any
    /// more, but keeps the carrier busy to that end.
    pub fn spoil(&mut self, until: Time, power_mw: f64) {
        for signal in self.upcoming.left_mut() {
            if signal.until == until && signal.power_mw == power_mw {
                signal.hurdle = Hurdle::WEAK;
            }
        }
        if let Some(lock) = self.reception.lock.as_mut().filter(|l| l.until == until && l.power_mw == power_mw) {
            lock.hurdle = Hurdle::WEAK;
        }
    }

    /// Tells, in order, what happened: ends up to and including `now`, arrivals before `now`.
    ///
    /// An arrival at `now` itself is left for later, because a station whose back-off ends in the same instant
    /// cannot have sensed it. Between stations that count from the end of the same frame this tie is the rule,
    /// not the exception.
    #[inline]
    pub fn advance(&mut self, now: Time, listener: impl Listener<F>) {
        if self.adds_up() { self.advance_in_sum(now, listener) } else { self.advance_in_pairs(now, listener) }
    }

    /// Whether the powers of frames are added up. Whoever asks often does well to ask first: then the listener of the
    /// one way need not suit the other.
    #[inline]
    #[must_use]
    pub fn adds_up(&self) -> bool {
        self.reception.rule.interference == Interference::Sum
    }

    /// `advance` where powers are added up.
    #[inline(never)]
    pub fn advance_in_sum(&mut self, now: Time, listener: impl Listener<F>) {
        self.advance_by::<true>(now, listener);
    }

    /// `advance` where powers are compared.
    #[inline]
    pub fn advance_in_pairs(&mut self, now: Time, listener: impl Listener<F>) {
        self.advance_by::<false>(now, listener);
    }

    #[inline(always)]
    fn advance_by<const SUM: bool>(&mut self, now: Time, mut listener: impl Listener<F>) {
        debug_assert!(self.upcoming.past.is_nothing(), "nobody has been told of what was before");
        if !SUM && self.next <= now && self.reception.lock.is_none() {
            self.take_alone(now, &mut listener);
        }
        while self.next <= now {
            let arrival = self.arrival();
            if let Some(lock) = &self.reception.lock
                && lock.until <= arrival
            {
                if lock.until > now {
                    break;
                }
                let lock = *lock;
                self.reception.end::<SUM>(&lock, &mut listener);
            } else if arrival < now
                && let Some(signal) = self.upcoming.first()
            {
                self.reception.arrive::<SUM>(signal, &mut listener);
                self.upcoming.take(1);
            } else {
                break;
            }
            let arrival = self.arrival();
            self.next = self.reception.lock.as_ref().map_or(arrival, |l| l.until.min(arrival));
        }
        self.upcoming.make_room();
    }

    /// Takes account of signals that meet no other, as long as there are: each begins and ends before the next arrives.
    /// The same as if they were taken up and let go of, without being kept in between. The receiver must be free.
    #[inline(always)]
    fn take_alone(&mut self, now: Time, listener: &mut impl Listener<F>) {
        let signals = self.upcoming.left();
        let mut arrival = Time::NEVER;
        let mut left = signals.len();
        for (place, signal) in signals.iter().enumerate() {
            let next = signals.get(place + 1).map_or(Time::NEVER, |next| next.from);
            if signal.until > now || signal.from >= now || signal.until > next || !self.reception.is_clear(signal.from)
            {
                arrival = signal.from;
                break;
            }
            left -= 1;
            self.reception.take_alone(signal, listener);
        }
        let taken = signals.len() - left;
        self.upcoming.take(taken);
        self.next = arrival;
    }

    /// The time at which `advance` would next have something to tell.
    #[must_use]
    pub fn next_event(&self) -> Time {
        let arrival = self.upcoming.first().map_or(Time::NEVER, |s| s.from + Duration::from_nanos(1));
        self.reception.lock.as_ref().map_or(arrival, |l| l.until.min(arrival))
    }

    /// When the next signal arrives.
    fn arrival(&self) -> Time {
        self.upcoming.first().map_or(Time::NEVER, |s| s.from)
    }
}

#[cfg(test)]
mod tests;
