//! What TC messages say: the topology set.
//!
//! The tuples of RFC 3626 §4.4 with the same T_last_addr and T_seq are kept as the message that they came in, which all
//! nodes share; a node that splits its neighbours among several TC messages has several.
//!
//! Spec      RFC 3626 §4.4, §9.5, §19 (comparing numbers)
//! Deviates  a link that two lists of one number name lives as long as the longer-lived
//! Holds     the links of one node have one number

use std::sync::Arc;

use hopwright_machine::{Address, Duration, Time};
use hopwright_wire::olsr::Tc;
use rustc_hash::FxHashMap;

use super::originators::Originators;

/// Whether a message or set number is newer than another (§19, where MAXVALUE is the largest number there is).
pub(super) const fn is_newer(a: u16, b: u16) -> bool {
    (a > b && a - b <= u16::MAX / 2) || (b > a && b - a > u16::MAX / 2)
}

#[derive(Debug, Default)]
pub(super) struct Topology {
    originators: Originators,
    /// By originator: what it said, if anything is known.
    first: Vec<Option<List>>,
    /// What else those said that have too many neighbours for one message.
    more: FxHashMap<usize, Vec<List>>,
    next_purge: Time,
}

/// Neighbours that a node advertises, and until when they are believed.
#[derive(Debug)]
pub(super) struct List {
    tc: Arc<Tc>,
    pub(super) expiry: Time,
}

impl List {
    pub(super) fn neighbours(&self) -> &[Address] {
        &self.tc.advertised
    }
}

impl Topology {
    /// The number of an originator, by which it is called here.
    pub(super) fn number(&mut self, originator: Address) -> usize {
        self.originators.number(originator)
    }

    /// Takes in a TC message of an originator. Says whether other links of it are known now, or some for a shorter time.
    pub(super) fn update(&mut self, now: Time, validity: Duration, originator: usize, tc: &Arc<Tc>) -> bool {
        if now >= self.next_purge {
            self.purge(now);
            self.next_purge = now + validity;
        }
        if originator >= self.first.len() {
            if originator >= self.first.capacity() {
                self.first.reserve_exact(originator + 17 + originator / 4 - self.first.len());
            }
            self.first.resize_with(originator + 1, || None);
        }
        let list = || List { tc: tc.clone(), expiry: now + validity };
        let is_expired = |list: &List| list.expiry <= now;
        // A renewal may be for a shorter time than is left.
        let is_sooner = |list: &List| now + validity < list.expiry;
        let says_so = |list: &List| list.tc.advertised == tc.advertised;
        let is_known = self.lists(originator).any(|list| !is_expired(list));
        let Some(first) = self.first[originator].as_mut().filter(|_| is_known) else {
            let changed = self.first[originator].is_some() || !tc.advertised.is_empty();
            self.replace(originator, list());
            return changed;
        };
        if is_newer(first.tc.ansn, tc.ansn) {
            return false; // came late
        }
        if first.tc.ansn != tc.ansn {
            let is_same = says_so(first) && !is_expired(first) && !is_sooner(first);
            let was_alone = self.more.get(&originator).is_none_or(Vec::is_empty);
            self.replace(originator, list());
            return !(is_same && was_alone);
        }
        if let Some(more) = self.more.get_mut(&originator) {
            more.retain(|list| !is_expired(list));
        }
        if says_so(first) {
            let changed = is_expired(first) || is_sooner(first);
            *first = list();
            return changed;
        }
        if let Some(old) = self.more.get_mut(&originator).and_then(|more| more.iter_mut().find(|old| says_so(old))) {
            let changed = is_sooner(old);
            *old = list();
            return changed;
        }
        let changed = !tc.advertised.is_empty();
        if changed {
            self.more.entry(originator).or_default().push(list());
        }
        changed
    }

    /// What an originator said before counts no longer.
    fn replace(&mut self, originator: usize, list: List) {
        self.more.remove(&originator);
        self.first[originator] = (!list.tc.advertised.is_empty()).then_some(list);
    }

    /// Forgets whose links have all run out.
    fn purge(&mut self, now: Time) {
        for originator in 0..self.first.len() {
            if self.lists(originator).all(|list| list.expiry <= now) {
                self.more.remove(&originator);
                self.first[originator] = None;
            }
        }
    }

    fn lists(&self, originator: usize) -> impl Iterator<Item = &List> {
        self.first.get(originator).into_iter().flatten().chain(self.more.get(&originator).into_iter().flatten())
    }

    /// The neighbours that a node advertises.
    pub(super) fn of(&self, now: Time, node: Address) -> impl Iterator<Item = &List> {
        let lists = self.originators.find(node).map(|originator| self.lists(originator));
        lists.into_iter().flatten().filter(move |list| list.expiry > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: Duration = Duration::from_secs(15);

    fn at(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    fn tc(ansn: u16, advertised: &[u32]) -> Arc<Tc> {
        Tc { ansn, advertised: advertised.iter().copied().map(Address).collect() }.into()
    }

    const NODE: Address = Address(9);

    impl Topology {
        fn hear(&mut self, now: Time, validity: Duration, originator: Address, tc: &Arc<Tc>) -> bool {
            let originator = self.number(originator);
            self.update(now, validity, originator, tc)
        }
    }

    fn links(topology: &Topology, s: u64) -> Vec<u32> {
        topology.of(at(s), NODE).flat_map(List::neighbours).map(|a| a.0).collect()
    }

    #[test]
    fn numbers_are_compared_as_in_section_19() {
        assert!(is_newer(2, 1) && !is_newer(1, 2) && !is_newer(5, 5));
        assert!(is_newer(0, u16::MAX) && !is_newer(u16::MAX, 0), "wrapped");
        // MAXVALUE / 2 is 32,767.5.
        assert!(is_newer(39_999, 7232) && !is_newer(7232, 39_999), "32,767 apart");
        assert!(is_newer(7232, 40_000) && !is_newer(40_000, 7232), "32,768 apart");
    }

    #[test]
    fn a_newer_number_replaces_and_an_older_one_is_ignored() {
        let mut topology = Topology::default();
        assert!(topology.hear(at(0), HOLD, NODE, &tc(u16::MAX, &[1, 2])));
        assert!(topology.hear(at(1), HOLD, NODE, &tc(0, &[2, 3])), "newer by wrapping");
        assert_eq!(links(&topology, 1), [2, 3]);
        assert!(!topology.hear(at(2), HOLD, NODE, &tc(u16::MAX, &[1])));
        assert_eq!(links(&topology, 2), [2, 3]);
        assert!(!topology.hear(at(3), HOLD, NODE, &tc(1, &[2, 3])), "the same links");
        assert!(topology.hear(at(3), HOLD, NODE, &tc(2, &[])));
        assert_eq!(links(&topology, 3), [0; 0]);
    }

    #[test]
    fn messages_of_one_number_add_up() {
        let mut topology = Topology::default();
        assert!(topology.hear(at(0), HOLD, NODE, &tc(4, &[1, 2])));
        assert!(topology.hear(at(1), HOLD, NODE, &tc(4, &[3])));
        assert!(!topology.hear(at(5), HOLD, NODE, &tc(4, &[3])));
        assert!(!topology.hear(at(6), HOLD, NODE, &tc(4, &[])));
        assert_eq!(links(&topology, 14), [1, 2, 3]);
        assert_eq!(links(&topology, 15), [3], "the first list has not been renewed");
        assert!(topology.hear(at(16), HOLD, NODE, &tc(4, &[1, 2])));
        assert_eq!(links(&topology, 16), [1, 2, 3]);
    }

    #[test]
    fn a_renewal_for_a_shorter_time_is_a_change() {
        let short = Duration::from_secs(3);
        for ansn in [4, 5] {
            let mut topology = Topology::default();
            topology.hear(at(0), HOLD, NODE, &tc(4, &[1]));
            topology.hear(at(0), HOLD, NODE, &tc(4, &[2]));
            assert!(!topology.hear(at(1), HOLD, NODE, &tc(4, &[1])), "a longer one");
            assert!(topology.hear(at(2), short, NODE, &tc(ansn, &[1])));
            assert!(topology.hear(at(3), short, NODE, &tc(ansn, &[2])), "of a further list");
            assert_eq!(links(&topology, 5), [2]);
            assert!(!topology.hear(at(4), HOLD, NODE, &tc(ansn, &[2])));
            let mut topology = Topology::default();
            topology.hear(at(0), HOLD, NODE, &tc(4, &[1]));
            assert!(topology.hear(at(2), short, NODE, &tc(ansn, &[1])));
        }
    }

    #[test]
    fn what_is_not_renewed_is_forgotten_with_its_number() {
        let mut topology = Topology::default();
        topology.hear(at(0), HOLD, NODE, &tc(4, &[1]));
        assert_eq!((links(&topology, 14), links(&topology, 15)), (vec![1], vec![]));
        assert!(topology.hear(at(16), HOLD, NODE, &tc(1, &[2])), "a node that has started anew");
        assert_eq!(links(&topology, 16), [2]);
        topology.hear(at(40), HOLD, Address(8), &tc(1, &[2]));
        assert_eq!(topology.first.iter().flatten().count(), 1);
    }
}
