//! Flooded messages already seen.
//!
//! A node has one interface, so what RFC 3626 keeps per interface (D_iface_list, D_retransmitted) is said by
//! the tuple's existence: a message in the set has been considered for forwarding.
//!
//! Spec      RFC 3626 §3.4
//! Deviates  nothing
//! Holds     per originator, no more than the messages of one hold time

use std::collections::VecDeque;

use hopwright_machine::{Address, Duration, Time};
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Duplicates {
    /// Looked into for every copy of every flooded message: what one costs must not grow with the network. Never
    /// iterated.
    seen: FxHashMap<Address, Recent>,
}

/// The messages of one originator, with their expiries and numbers. Copies of a message come close together: most are
/// of the newest, which therefore stands by itself.
#[derive(Debug, Default)]
struct Recent {
    newest: Option<(Time, u16)>,
    /// Oldest first.
    others: VecDeque<(Time, u16)>,
}

impl Duplicates {
    /// Whether the message has not been considered for forwarding yet; it is remembered for `hold`, which must be the
    /// same in every call.
    pub(super) fn is_new(&mut self, now: Time, hold: Duration, originator: Address, sequence: u16) -> bool {
        let Recent { newest, others } = self.seen.entry(originator).or_default();
        let latest_first = newest.iter().chain(others.iter().rev());
        if latest_first.take_while(|(expiry, _)| *expiry > now).any(|&(_, other)| other == sequence) {
            return false;
        }
        while others.front().is_some_and(|(expiry, _)| *expiry <= now) {
            others.pop_front();
        }
        others.extend(newest.replace((now + hold, sequence)).filter(|(expiry, _)| *expiry > now));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_known_for_the_hold_time() {
        let (a, b, hold) = (Address(1), Address(2), Duration::from_secs(30));
        let at = |s| Time::ZERO + Duration::from_secs(s);
        let mut duplicates = Duplicates::default();
        assert!(duplicates.is_new(at(1), hold, a, 7) && duplicates.is_new(at(6), hold, a, 8));
        assert!(!duplicates.is_new(at(6), hold, a, 7) && !duplicates.is_new(at(30), hold, a, 8));
        assert!(duplicates.is_new(at(6), hold, b, 7), "another originator");
        assert!(duplicates.is_new(at(31), hold, a, 7) && !duplicates.is_new(at(31), hold, a, 8));
        assert_eq!(duplicates.seen[&a].others.len(), 1);
    }
}
