//! What TC messages say: the topology set.
//!
//! The tuples of RFC 3626 §4.4 with the same T_last_addr and T_seq are kept as they came, as shared lists; a
//! node that splits its neighbours among several TC messages has several lists.
//!
//! Spec      RFC 3626 §4.4, §9.5, §19 (comparing numbers)
//! Deviates  a link that two lists of one number name lives as long as the longer-lived
//! Holds     the links of one node have one number

use std::sync::Arc;

use hopwright_machine::{Address, Duration, Time};
use hopwright_wire::olsr::Tc;
use rustc_hash::FxHashMap;

/// Whether a message or set number is newer than another (§19, where MAXVALUE is the largest number there is).
pub(super) const fn is_newer(a: u16, b: u16) -> bool {
    (a > b && a - b <= u16::MAX / 2) || (b > a && b - a > u16::MAX / 2)
}

#[derive(Debug, Default)]
pub(super) struct Topology {
    nodes: FxHashMap<Address, Option<Links>>,
    next_purge: Time,
}

/// The links of one node that are known.
#[derive(Debug)]
struct Links {
    ansn: u16,
    first: List,
    more: Vec<List>,
}

/// Neighbours that a node advertises, and until when they are believed.
#[derive(Debug)]
pub(super) struct List {
    pub(super) neighbours: Arc<[Address]>,
    pub(super) expiry: Time,
}

impl Links {
    fn lists(&self) -> impl Iterator<Item = &List> {
        std::iter::once(&self.first).chain(&self.more)
    }

    fn expiry(&self) -> Time {
        self.lists().map(|list| list.expiry).max().unwrap_or(Time::ZERO)
    }
}

impl Topology {
    /// Takes in a TC message of `originator`. Says whether other links of it are known now, or some for a shorter time.
    pub(super) fn update(&mut self, now: Time, validity: Duration, originator: Address, tc: &Tc) -> bool {
        if now >= self.next_purge {
            self.nodes.retain(|_, links| links.as_ref().is_some_and(|links| links.expiry() > now));
            self.next_purge = now + validity;
        }
        let expired = |list: &List| list.expiry <= now;
        // A renewal may be for a shorter time than is left.
        let sooner = |list: &List| now + validity < list.expiry;
        let list = || List { neighbours: tc.advertised.clone(), expiry: now + validity };
        let known = self.nodes.entry(originator).or_default();
        let replacement =
            || (!tc.advertised.is_empty()).then(|| Links { ansn: tc.ansn, first: list(), more: Vec::new() });
        let Some(links) = known.as_mut().filter(|links| links.expiry() > now) else {
            let changed = known.is_some() || !tc.advertised.is_empty();
            *known = replacement();
            return changed;
        };
        if is_newer(links.ansn, tc.ansn) {
            return false; // came late
        }
        if links.ansn != tc.ansn {
            let listed = |old: &List| old.neighbours == tc.advertised && !expired(old) && !sooner(old);
            let same = links.more.is_empty() && listed(&links.first);
            *known = replacement();
            return !same;
        }
        links.more.retain(|list| list.expiry > now);
        if links.first.neighbours == tc.advertised {
            let changed = expired(&links.first) || sooner(&links.first);
            links.first = list();
            changed
        } else if let Some(old) = links.more.iter_mut().find(|old| old.neighbours == tc.advertised) {
            let changed = sooner(old);
            *old = list();
            changed
        } else {
            let changed = !tc.advertised.is_empty();
            if changed {
                links.more.push(list());
            }
            changed
        }
    }

    /// The neighbours that a node advertises.
    pub(super) fn of(&self, now: Time, node: Address) -> impl Iterator<Item = &List> {
        let links = self.nodes.get(&node).and_then(Option::as_ref);
        links.into_iter().flat_map(Links::lists).filter(move |list| list.expiry > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: Duration = Duration::from_secs(15);

    fn at(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    fn tc(ansn: u16, advertised: &[u32]) -> Tc {
        Tc { ansn, advertised: advertised.iter().copied().map(Address).collect() }
    }

    fn links(topology: &Topology, s: u64) -> Vec<u32> {
        topology.of(at(s), Address(9)).flat_map(|list| list.neighbours.iter()).map(|a| a.0).collect()
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
        assert!(topology.update(at(0), HOLD, Address(9), &tc(u16::MAX, &[1, 2])));
        assert!(topology.update(at(1), HOLD, Address(9), &tc(0, &[2, 3])), "newer by wrapping");
        assert_eq!(links(&topology, 1), [2, 3]);
        assert!(!topology.update(at(2), HOLD, Address(9), &tc(u16::MAX, &[1])));
        assert_eq!(links(&topology, 2), [2, 3]);
        assert!(!topology.update(at(3), HOLD, Address(9), &tc(1, &[2, 3])), "the same links");
        assert!(topology.update(at(3), HOLD, Address(9), &tc(2, &[])));
        assert_eq!(links(&topology, 3), [0; 0]);
    }

    #[test]
    fn messages_of_one_number_add_up() {
        let mut topology = Topology::default();
        assert!(topology.update(at(0), HOLD, Address(9), &tc(4, &[1, 2])));
        assert!(topology.update(at(1), HOLD, Address(9), &tc(4, &[3])));
        assert!(!topology.update(at(5), HOLD, Address(9), &tc(4, &[3])));
        assert!(!topology.update(at(6), HOLD, Address(9), &tc(4, &[])));
        assert_eq!(links(&topology, 14), [1, 2, 3]);
        assert_eq!(links(&topology, 15), [3], "the first list has not been renewed");
        assert!(topology.update(at(16), HOLD, Address(9), &tc(4, &[1, 2])));
        assert_eq!(links(&topology, 16), [1, 2, 3]);
    }

    #[test]
    fn a_renewal_for_a_shorter_time_is_a_change() {
        let short = Duration::from_secs(3);
        for ansn in [4, 5] {
            let mut topology = Topology::default();
            topology.update(at(0), HOLD, Address(9), &tc(4, &[1]));
            topology.update(at(0), HOLD, Address(9), &tc(4, &[2]));
            assert!(!topology.update(at(1), HOLD, Address(9), &tc(4, &[1])), "a longer one");
            assert!(topology.update(at(2), short, Address(9), &tc(ansn, &[1])));
            assert!(topology.update(at(3), short, Address(9), &tc(ansn, &[2])), "of a further list");
            assert_eq!(links(&topology, 5), [2]);
            assert!(!topology.update(at(4), HOLD, Address(9), &tc(ansn, &[2])));
            let mut topology = Topology::default();
            topology.update(at(0), HOLD, Address(9), &tc(4, &[1]));
            assert!(topology.update(at(2), short, Address(9), &tc(ansn, &[1])));
        }
    }

    #[test]
    fn what_is_not_renewed_is_forgotten_with_its_number() {
        let mut topology = Topology::default();
        topology.update(at(0), HOLD, Address(9), &tc(4, &[1]));
        assert_eq!((links(&topology, 14), links(&topology, 15)), (vec![1], vec![]));
        assert!(topology.update(at(16), HOLD, Address(9), &tc(1, &[2])), "a node that has started anew");
        assert_eq!(links(&topology, 16), [2]);
        topology.update(at(40), HOLD, Address(8), &tc(1, &[2]));
        assert_eq!(topology.nodes.values_mut().flatten().count(), 1);
    }
}
