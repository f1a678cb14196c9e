//! What a station wants done, in order. Mostly that is one thing at a time, which has a place in the station itself.

use std::collections::VecDeque;

/// Outputs that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct Outbox<T> {
    first: Option<T>,
    /// Those behind it; or, once it is taken, behind those that were.
    rest: VecDeque<T>,
}

impl<T> Outbox<T> {
    pub(crate) const fn new() -> Self {
        Self { first: None, rest: VecDeque::new() }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none() && self.rest.is_empty()
    }

    #[inline]
    pub(crate) fn push(&mut self, output: T) {
        if self.is_empty() {
            self.first = Some(output);
        } else {
            self.rest.push_back(output);
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        match self.first.take() {
            None if self.rest.is_empty() => None,
            None => self.rest.pop_front(),
            first => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_comes_first_goes_first(pushes in prop::collection::vec(any::<bool>(), 0..60)) {
            let (mut outbox, mut line) = (Outbox::new(), VecDeque::new());
            for (n, is_push) in pushes.into_iter().enumerate() {
                if is_push {
                    outbox.push(n);
                    line.push_back(n);
                } else {
                    prop_assert_eq!(outbox.pop(), line.pop_front());
                }
                prop_assert_eq!(outbox.is_empty(), line.is_empty());
            }
        }
    }
}
