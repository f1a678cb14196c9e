//! The choice of multipoint relays.
//!
//! Spec      RFC 3626 §8.3.1; §16.2 for more than one relay per two-hop neighbour
//! Deviates  where all of the RFC's criteria are equal, the lower address wins
//! Holds     every two-hop neighbour that willing neighbours reach is reached by MPR_COVERAGE relays, or by all
//!           willing neighbours that reach it

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use hopwright_machine::Address;
use rustc_hash::FxHashMap;

use super::config::{WILL_ALWAYS, WILL_NEVER};

/// A symmetric neighbour, and what it said about itself.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) address: Address,
    pub(super) willingness: u8,
    /// Its symmetric neighbours, without this node.
    pub(super) reaches: Vec<Address>,
}

/// The relays that a node with these symmetric neighbours chooses.
pub(super) fn select(neighbours: &[Candidate], me: Address, coverage: u8) -> BTreeSet<Address> {
    let mut selection = Selection::new(neighbours, me, coverage);
    selection.take_the_always_willing();
    selection.take_those_without_alternative();
    selection.take_the_best();
    selection.prune();
    selection.places().map(|place| selection.willing[place].address).collect()
}

struct Selection<'a> {
    /// N without the unwilling.
    willing: Vec<&'a Candidate>,
    /// D(y) of each.
    degree: Vec<usize>,
    /// Members of N2 that each reaches, as places in `wanted`.
    reach: Vec<Vec<usize>>,
    /// How many relays each member of N2 should have: MPR_COVERAGE, or as many as there are.
    wanted: Vec<usize>,
    /// How many it has.
    covered: Vec<usize>,
    chosen: Vec<bool>,
}

impl<'a> Selection<'a> {
    fn new(neighbours: &'a [Candidate], me: Address, coverage: u8) -> Self {
        let willing: Vec<&Candidate> = neighbours.iter().filter(|n| n.willingness != WILL_NEVER).collect();
        // The place of each node in `wanted`; of those that are none of N2, beyond all.
        let near = neighbours.iter().map(|n| (n.address, usize::MAX)).chain([(me, usize::MAX)]);
        let mut places: FxHashMap<Address, usize> = near.collect();
        let mut wanted: Vec<usize> = Vec::new();
        let mut reach = Vec::with_capacity(willing.len());
        for candidate in &willing {
            let mut beyond = Vec::with_capacity(candidate.reaches.len());
            for &address in &candidate.reaches {
                match places.entry(address) {
                    Entry::Occupied(place) if *place.get() == usize::MAX => {}
                    Entry::Occupied(place) => beyond.push(*place.get()),
                    Entry::Vacant(entry) => {
                        beyond.push(*entry.insert(wanted.len()));
                        wanted.push(0);
                    }
                }
            }
            beyond.sort_unstable();
            beyond.dedup();
            beyond.iter().for_each(|&place| wanted[place] += 1);
            reach.push(beyond);
        }
        for count in &mut wanted {
            *count = (*count).min(usize::from(coverage));
        }
        let degree = reach.iter().map(Vec::len).collect();
        let covered = vec![0; wanted.len()];
        let chosen = vec![false; willing.len()];
        Self { willing, degree, reach, wanted, covered, chosen }
    }

    /// The places of the chosen in `willing`.
    fn places(&self) -> impl Iterator<Item = usize> {
        self.chosen.iter().enumerate().filter(|&(_, &chosen)| chosen).map(|(place, _)| place)
    }

    fn choose(&mut self, place: usize) {
        if !std::mem::replace(&mut self.chosen[place], true) {
            for &far in &self.reach[place] {
                self.covered[far] += 1;
            }
        }
    }

    /// Step 1.
    fn take_the_always_willing(&mut self) {
        for place in 0..self.willing.len() {
            if self.willing[place].willingness >= WILL_ALWAYS {
                self.choose(place);
            }
        }
    }

    /// Step 3: who alone reaches somebody; with a coverage above one, who reaches a poorly covered node.
    fn take_those_without_alternative(&mut self) {
        let mut reached_by = vec![0; self.wanted.len()];
        self.reach.iter().flatten().for_each(|&far| reached_by[far] += 1);
        for place in 0..self.willing.len() {
            if self.reach[place].iter().any(|&far| reached_by[far] <= self.wanted[far]) {
                self.choose(place);
            }
        }
    }

    /// Step 4. Highest willingness first, then most nodes newly reached, then degree.
    fn take_the_best(&mut self) {
        loop {
            let newly =
                |place: usize| self.reach[place].iter().filter(|&&far| self.covered[far] < self.wanted[far]).count();
            let open = (0..self.willing.len()).filter(|&place| !self.chosen[place]);
            let ranked = open.map(|place| (place, newly(place))).filter(|&(_, newly)| newly > 0);
            // The first of equal ones: the lowest address, as neighbours come in their order.
            let best =
                ranked.rev().max_by_key(|&(place, newly)| (self.willing[place].willingness, newly, self.degree[place]));
            let Some((place, _)) = best else { return };
            self.choose(place);
        }
    }

    /// Step 5: those without whom everybody is still covered, the least willing first.
    fn prune(&mut self) {
        let mut order: Vec<usize> = self.places().collect();
        order.sort_by_key(|&place| self.willing[place].willingness);
        for place in order {
            let spare = self.reach[place].iter().all(|&far| self.covered[far] > self.wanted[far]);
            if spare && self.willing[place].willingness < WILL_ALWAYS {
                self.chosen[place] = false;
                for &far in &self.reach[place] {
                    self.covered[far] -= 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ME: Address = Address(0);

    fn neighbour(address: u32, willingness: u8, reaches: &[u32]) -> Candidate {
        Candidate { address: Address(address), willingness, reaches: reaches.iter().copied().map(Address).collect() }
    }

    fn chosen(neighbours: &[Candidate], coverage: u8) -> Vec<u32> {
        select(neighbours, ME, coverage).iter().map(|a| a.0).collect()
    }

    #[test]
    fn who_alone_reaches_somebody_is_chosen() {
        assert_eq!(chosen(&[neighbour(1, 3, &[11]), neighbour(2, 3, &[11, 12])], 1), [2]);
        assert_eq!(chosen(&[neighbour(1, 1, &[11]), neighbour(2, 6, &[12])], 1), [1, 2]);
    }

    #[test]
    fn neighbours_and_the_node_itself_need_no_relay() {
        assert_eq!(chosen(&[neighbour(1, 3, &[2, 0]), neighbour(2, 3, &[1])], 1), [0; 0]);
    }

    #[test]
    fn willingness_goes_before_reach_and_reach_before_degree() {
        let three = |a, b, c| [neighbour(1, a, &[11, 12]), neighbour(2, b, &[12, 13]), neighbour(3, c, &[11, 13])];
        assert_eq!(chosen(&three(3, 3, 6), 1), [1, 3]);
        assert_eq!(chosen(&three(1, 3, 6), 1), [2, 3]);
        // 1 and 2 both reach two; 2 more of those already reached by 4.
        let degree = [neighbour(1, 3, &[11, 12]), neighbour(2, 3, &[11, 12, 20]), neighbour(4, 3, &[20, 21])];
        assert_eq!(chosen(&degree, 1), [2, 4]);
        let reach = [neighbour(1, 3, &[11, 12]), neighbour(2, 3, &[11, 12, 13]), neighbour(3, 3, &[13])];
        assert_eq!(chosen(&reach, 1), [2]);
    }

    #[test]
    fn the_always_willing_are_always_chosen_and_the_unwilling_never() {
        let neighbours = [neighbour(1, 7, &[]), neighbour(2, 0, &[11, 12]), neighbour(3, 1, &[11])];
        assert_eq!(chosen(&neighbours, 1), [1, 3]); // 12 cannot be reached
    }

    #[test]
    fn a_relay_that_others_make_useless_is_pruned() {
        // 1 goes first as the most willing; 2 and 3, better than 4 and 5, cover later what 1 does.
        let with = |willingness| {
            let rest = [neighbour(2, 3, &[11, 13]), neighbour(3, 3, &[12, 14])];
            let worse = [neighbour(4, 3, &[13]), neighbour(5, 3, &[14])];
            [neighbour(1, willingness, &[11, 12])].into_iter().chain(rest).chain(worse).collect::<Vec<_>>()
        };
        assert_eq!(chosen(&with(6), 1), [2, 3]);
        assert_eq!(chosen(&with(7), 1), [1, 2, 3]);
    }

    #[test]
    fn coverage_of_two_takes_two_relays_where_there_are_two() {
        let neighbours = [neighbour(1, 3, &[11]), neighbour(2, 3, &[11]), neighbour(3, 3, &[11, 12])];
        assert_eq!(chosen(&neighbours, 1), [3]);
        assert_eq!(chosen(&neighbours, 2), [1, 3]); // 12 has one
        assert_eq!(chosen(&neighbours, 9), [1, 2, 3]);
    }

    fn network() -> impl Strategy<Value = Vec<Candidate>> {
        let each = (0..8u8, prop::collection::vec(0..24u32, 0..8));
        prop::collection::vec(each, 0..9).prop_map(|all| {
            let make = |(n, (willingness, reaches)): (usize, (u8, Vec<u32>))| {
                let reaches: Vec<u32> = reaches.into_iter().filter(|&far| far != 0 && far != n as u32 + 1).collect();
                neighbour(n as u32 + 1, willingness, &reaches)
            };
            all.into_iter().enumerate().map(make).collect()
        })
    }

    /// How many of `by` reach the node.
    fn relays<'a>(by: impl Iterator<Item = &'a Candidate>, far: Address) -> usize {
        by.filter(|n| n.reaches.contains(&far)).count()
    }

    proptest! {
        /// In any neighbourhood; counted from the definition, not with the selection's own books.
        #[test]
        fn every_strict_two_hop_neighbour_is_covered(neighbours in network(), coverage in 1..4u8) {
            let chosen = select(&neighbours, ME, coverage);
            let near = |a: Address| a == ME || neighbours.iter().any(|n| n.address == a);
            let willing = || neighbours.iter().filter(|n| n.willingness != WILL_NEVER);
            let relay = || willing().filter(|n| chosen.contains(&n.address));
            let far: BTreeSet<Address> = willing().flat_map(|n| n.reaches.clone()).filter(|&a| !near(a)).collect();
            for &far in &far {
                let wanted = relays(willing(), far).min(usize::from(coverage));
                prop_assert!(relays(relay(), far) >= wanted, "{far:?} of {neighbours:?}: {chosen:?}");
            }
            for n in &neighbours {
                prop_assert!(n.willingness != WILL_NEVER || !chosen.contains(&n.address));
                prop_assert!(n.willingness != WILL_ALWAYS || chosen.contains(&n.address));
            }
            // Nobody below WILL_ALWAYS is there for nothing.
            for spare in relay().filter(|n| n.willingness < WILL_ALWAYS) {
                let without = || relay().filter(|n| n.address != spare.address);
                let needed = |&&far: &&Address| {
                    spare.reaches.contains(&far)
                        && relays(without(), far) < relays(willing(), far).min(usize::from(coverage))
                };
                prop_assert!(far.iter().any(|far| needed(&far)), "{spare:?} of {neighbours:?}: {chosen:?}");
            }
        }
    }
}
