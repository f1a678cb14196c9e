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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_later_in_the_same_order() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut line = DelayLine::new(Duration::from_millis(5));
        assert!(line.is_empty() && line.deadline().is_never());
        line.push(at(0), 'a');
        line.push(at(2), 'b');
        assert_eq!((line.len(), line.is_empty(), line.deadline()), (2, false, at(5)));
        assert_eq!(
            (line.pop(at(4)), line.pop(at(5)), line.pop(at(6)), line.pop(at(7))),
            (None, Some('a'), None, Some('b'))
        );
        assert!(line.is_empty());
    }
}
