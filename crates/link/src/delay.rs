//! A fixed processing delay between two layers: what goes in comes out later, in the same order.

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};

/// Holds each item for the same time.
#[derive(Clone, Debug)]
pub struct DelayLine<T> {
    delay: Duration,
    items: VecDeque<(Time, T)>,
}

impl<T> DelayLine<T> {
    /// An empty line.
    #[must_use]
    pub const fn new(delay: Duration) -> Self {
        Self { delay, items: VecDeque::new() }
    }

    /// Puts an item in at `now`. Times never run backwards.
    pub fn push(&mut self, now: Time, item: T) {
        self.items.push_back((now + self.delay, item));
    }

    /// Takes the next item out that is due at `now`.
    pub fn pop(&mut self, now: Time) -> Option<T> {
        if self.deadline() <= now { self.items.pop_front().map(|(_, item)| item) } else { None }
    }

    /// When the next item is due.
    #[must_use]
    pub fn deadline(&self) -> Time {
        self.items.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    /// How many items are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}
