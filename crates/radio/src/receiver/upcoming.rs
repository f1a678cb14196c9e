//! Signals on their way to one receiver, by arrival.

use hopwright_machine::{Duration, Time};

use crate::Hurdle;
use crate::listener::Ended;
use crate::past::Past;
use crate::signal::Signal;

/// So many signals have a place in the receiver itself.
pub(super) const FEW: usize = 8;

/// Signals that were announced, by arrival. The first of them are taken already.
// What is read for every signal stands first, in the cache line where the receiver's other such fields are.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Upcoming<F> {
    /// The last of them arrives then.
    last_from: Time,
    len: u16,
    taken: u16,
    /// The one added last is too weak, and nothing else is known of that it overlaps: its reception will fail.
    pub(super) last_fails: bool,
    /// So many were announced aside in a row, up to 255. If it is not zero, there is one, not taken, which meets no other.
    pub(super) aside: u8,
    /// Whether the receiver locks on frames that are too weak.
    pub(super) locks_on_weak: bool,
    /// What those leave that were announced aside and are forgotten.
    pub(super) past: Past,
    few: [Signal<F>; FEW],
    /// All of them, as long as they are more than a few.
    many: Vec<Signal<F>>,
}

impl<F: Copy + Default> Upcoming<F> {
    pub(super) fn new(locks_on_weak: bool) -> Self {
        let (from, until) = (Time::NEVER, Time::NEVER);
        let nothing = Signal { from, until, power_mw: 0.0, hurdle: Hurdle::WEAK, frame: F::default() };
        Self {
            last_from: Time::ZERO,
            len: 0,
            taken: 0,
            last_fails: false,
            aside: 0,
            locks_on_weak,
            past: Past::NOTHING,
            few: [nothing; FEW],
            many: Vec::new(),
        }
    }
}

impl<F: Copy> Upcoming<F> {
    /// Whether a further one would have no place in the receiver itself.
    #[inline(always)] // once for each frame and hearer
    pub(super) const fn is_full(&self) -> bool {
        self.len as usize >= FEW
    }

    /// Adds one, which `fails`.
    #[inline(always)] // as `is_full`
    pub(super) fn add(&mut self, signal: Signal<F>, fails: bool) {
        self.last_fails = fails;
        self.aside = 0;
        if signal.from >= self.last_from {
            self.last_from = signal.from;
            self.push(signal);
        } else {
            let Signal { from, until, power_mw, hurdle, frame } = signal;
            self.insert(from, until, power_mw, hurdle, frame);
        }
    }

    /// Puts one in the place of the one that is aside, which is over. `ends`: as for `Past::add`.
    #[inline(always)] // as `is_full`
    pub(super) fn replace(&mut self, signal: Signal<F>, fails: bool, ends: impl FnOnce(Time, Ended<F>) -> Duration) {
        let [first, ..] = &mut self.few;
        self.past.add(first, self.locks_on_weak, ends);
        *first = signal;
        (self.last_from, self.last_fails) = (signal.from, fails);
        self.aside = self.aside.saturating_add(1);
    }

    #[inline(always)]
    fn push(&mut self, signal: Signal<F>) {
        match self.few.get_mut(self.len as usize) {
            Some(place) => {
                *place = signal;
                self.len += 1;
            }
            None => {
                let Signal { from, until, power_mw, hurdle, frame } = signal;
                self.push_to_many(from, until, power_mw, hurdle, frame);
            }
        }
    }

    // Here and in `insert`, parts are handed over, not the signal: that would have to be put together in memory first, for
    // each signal that is added, while its parts can be written where they are kept.
    #[cold]
    #[inline(never)]
    fn push_to_many(&mut self, from: Time, until: Time, power_mw: f64, hurdle: Hurdle, frame: F) {
        let signal = Signal { from, until, power_mw, hurdle, frame };
        if self.len as usize == FEW {
            self.many.extend_from_slice(&self.few);
        }
        self.many.push(signal);
        self.len = self.len.checked_add(1).expect("fewer than 65,536 others send at one time");
    }

    /// Adds one that arrives before others, which are not taken yet.
    #[cold]
    #[inline(never)]
    fn insert(&mut self, from: Time, until: Time, power_mw: f64, hurdle: Hurdle, frame: F) {
        let signal = Signal { from, until, power_mw, hurdle, frame };
        let later = self.left().iter().rev().take_while(|other| other.from > signal.from).count();
        self.push(signal);
        let all = self.all_mut();
        let place = all.len() - 1 - later;
        all[place..].rotate_right(1);
    }

    #[inline(always)]
    fn all(&self) -> &[Signal<F>] {
        self.few.get(..self.len as usize).unwrap_or(&self.many)
    }

    fn all_mut(&mut self) -> &mut [Signal<F>] {
        self.few.get_mut(..self.len as usize).unwrap_or(&mut self.many)
    }

    /// Those that are not taken.
    #[inline(always)]
    pub(super) fn left(&self) -> &[Signal<F>] {
        self.all().get(self.taken as usize..).unwrap_or_default()
    }

    pub(super) fn left_mut(&mut self) -> &mut [Signal<F>] {
        let taken = self.taken as usize;
        self.all_mut().get_mut(taken..).unwrap_or_default()
    }

    /// The first that is not taken.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<&Signal<F>> {
        self.all().get(self.taken as usize)
    }

    /// The first so many that are left are taken.
    #[inline(always)]
    pub(super) const fn take(&mut self, count: usize) {
        self.aside = if count == 0 { self.aside } else { 0 };
        self.taken += count as u16;
    }

    /// Forgets those that are taken, if none is left, or if there is no room for more.
    #[inline(always)]
    pub(super) fn make_room(&mut self) {
        if self.taken == self.len {
            self.clear();
        } else if self.is_full() {
            self.drop_taken();
        }
    }

    #[cold]
    #[inline(never)]
    fn drop_taken(&mut self) {
        let (taken, len) = (self.taken as usize, self.len as usize);
        self.taken = 0;
        self.len -= taken as u16;
        if len == FEW {
            self.few.copy_within(taken.., 0);
        } else {
            self.many.drain(..taken);
            if let Some(few) = self.few.get_mut(..self.many.len()) {
                few.copy_from_slice(&self.many);
                self.many.clear();
            }
        }
    }

    /// Forgets all that was added.
    pub(super) fn forget(&mut self) {
        self.clear();
        self.past = Past::NOTHING;
        (self.last_from, self.last_fails, self.aside) = (Time::ZERO, false, 0);
    }

    #[inline(always)]
    fn clear(&mut self) {
        if self.len as usize > FEW {
            self.many.clear();
        }
        (self.len, self.taken) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As a plain list would have it, however many wait and in which order they come.
        #[test]
        fn signals_come_by_arrival(steps in prop::collection::vec((0..30_u64, 0..4_usize), 0..200)) {
            let mut upcoming = Upcoming::<u64>::new(true);
            let mut list: Vec<(u64, u64)> = Vec::new();
            let mut taken_until = 0;
            for (number, &(ahead, take)) in steps.iter().enumerate() {
                let (at, number) = (taken_until + ahead, number as u64);
                let signal = Signal {
                    from: Time::from_nanos(at),
                    until: Time::from_nanos(at + 1),
                    power_mw: 1.0,
                    hurdle: Hurdle::NONE,
                    frame: number,
                };
                let place = list.partition_point(|&(other, _)| other <= at);
                list.insert(place, (at, number));
                upcoming.add(signal, false);
                prop_assert_eq!(upcoming.first().map(|s| s.frame), list.first().map(|&(_, n)| n));
                let take = take.min(list.len());
                for (at, _) in list.drain(..take) {
                    taken_until = taken_until.max(at);
                }
                upcoming.take(take);
                upcoming.make_room();
                let left: Vec<u64> = upcoming.left().iter().map(|s| s.frame).collect();
                prop_assert_eq!(left, list.iter().map(|&(_, n)| n).collect::<Vec<_>>());
                prop_assert!(list.len() >= FEW || !upcoming.is_full());
            }
        }
    }
}
