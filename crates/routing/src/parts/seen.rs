//! Requests already seen, and packets to groups.
//!
//! Spec      RFC 3561 §6.3, §6.5 (PATH_DISCOVERY_TIME); RFC 6621 §6
//! Deviates  nothing
//! Holds     a request is new once in the time it is remembered

use std::collections::VecDeque;

use hopwright_machine::{Address, Duration, Time};
use rustc_hash::FxHashSet;

/// Requests already seen, so that their copies are recognized (RFC 3561 §6.3, §6.5).
#[derive(Debug, Default)]
#[repr(C)] // what is asked for every copy stands first
pub(crate) struct Seen {
    /// Some that were new lately: copies of a flooded request come soon after each other.
    lately: [Remembered; Self::LATELY],
    order: VecDeque<(Time, Address, u32)>,
    /// Looked into for every copy of every flooded request. Never iterated.
    requests: FxHashSet<(Address, u32)>,
}

/// A request, and until when it is remembered.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    originator: Address,
    id: u32,
    until: Time,
}

impl Default for Remembered {
    /// None: what is remembered until the run begins is not.
    fn default() -> Self {
        Self { originator: Address::BROADCAST, id: 0, until: Time::ZERO }
    }
}

impl Seen {
    const LATELY: usize = 8;

    /// Whether the request is known, as far as one look can tell. If it is, `is_new` would say so and change nothing.
    #[inline]
    pub(crate) fn is_known(&self, now: Time, originator: Address, id: u32) -> bool {
        let Remembered { originator: other, id: other_id, until } = self.lately[place(originator, id)];
        (other, other_id) == (originator, id) && now < until
    }

    /// Whether the request is new; it is remembered until `now + keep`.
    pub(crate) fn is_new(&mut self, now: Time, keep: Duration, originator: Address, id: u32) -> bool {
        while let Some(&(expiry, address, old)) = self.order.front() {
            if expiry > now {
                break;
            }
            self.order.pop_front();
            self.requests.remove(&(address, old));
        }
        let new = self.requests.insert((originator, id));
        if new {
            let until = now + keep;
            self.order.push_back((until, originator, id));
            self.lately[place(originator, id)] = Remembered { originator, id, until };
        }
        new
    }
}

/// Where a request of late is kept; the multiplier is that of Fibonacci hashing (Knuth, TAOCP volume 3, §6.4).
#[inline]
const fn place(originator: Address, id: u32) -> usize {
    let hash = (originator.0 ^ id.rotate_left(16)).wrapping_mul(0x9E37_79B1);
    hash as usize >> (32 - Seen::LATELY.ilog2())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Who knows a request at one look is never wrong, and asking first changes nothing.
        #[test]
        fn what_is_known_is_not_new(asked in prop::collection::vec((0..4_u64, 0..6_u32, 0..6_u32), 0..200)) {
            let (mut seen, mut plain) = (Seen::default(), Seen::default());
            let mut now = Time::ZERO;
            for (step, originator, id) in asked {
                now += Duration::from_millis(step);
                let (originator, keep) = (Address(originator), Duration::from_millis(20));
                let is_known = seen.is_known(now, originator, id);
                let is_new = plain.is_new(now, keep, originator, id);
                prop_assert!(!(is_known && is_new));
                if !is_known {
                    prop_assert_eq!(seen.is_new(now, keep, originator, id), is_new);
                    prop_assert!(!is_new || seen.is_known(now, originator, id));
                }
            }
        }
    }
}
