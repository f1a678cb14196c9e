//! Flooded messages already seen.
//!
//! A node has one interface, so what RFC 3626 keeps per interface (D_iface_list, D_retransmitted) is said by
//! the tuple's existence: a message in the set has been considered for forwarding.
//!
//! Spec      RFC 3626 §3.4
//! Deviates  nothing
//! Holds     per originator, no more than the messages of one hold time

use std::collections::{BTreeMap, VecDeque};

use hopwright_machine::{Address, Duration, Time};

#[derive(Debug, Default)]
pub(super) struct Duplicates {
    /// Messages by their originator, with their numbers and expiries, oldest first.
    seen: BTreeMap<Address, VecDeque<(Time, u16)>>,
}

impl Duplicates {
    /// Whether the message has been considered for forwarding.
    pub(super) fn contains(&self, now: Time, originator: Address, sequence: u16) -> bool {
        let Some(seen) = self.seen.get(&originator) else { return false };
        // Copies of a message come close together: it is among the last.
        seen.iter().rev().take_while(|(expiry, _)| *expiry > now).any(|&(_, other)| other == sequence)
    }

    /// Remembers a message for `hold`, which must be the same in every call.
    pub(super) fn insert(&mut self, now: Time, hold: Duration, originator: Address, sequence: u16) {
        let seen = self.seen.entry(originator).or_default();
        while seen.front().is_some_and(|(expiry, _)| *expiry <= now) {
            seen.pop_front();
        }
        seen.push_back((now + hold, sequence));
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
        duplicates.insert(at(1), hold, a, 7);
        duplicates.insert(at(6), hold, a, 8);
        assert!(duplicates.contains(at(6), a, 7) && duplicates.contains(at(6), a, 8));
        assert!(!duplicates.contains(at(6), b, 7) && !duplicates.contains(at(6), a, 9));
        assert!(!duplicates.contains(at(31), a, 7) && duplicates.contains(at(31), a, 8));
        duplicates.insert(at(32), hold, a, 9);
        assert_eq!(duplicates.seen[&a].len(), 2);
    }
}
