//! Things of which some exclude each other: the most of them that do not.
//!
//! The size of a largest independent set of a graph. What is certain is taken first: of a thing and all that it excludes,
//! where those all exclude each other too, no set has more than one, and the thing itself spoils the least. Parts that do
//! not touch are counted each by itself. What is left is put into groups in which everything excludes everything: a set has
//! one of each at most, so that most of what could be tried need not be.
//!
//! Spec      Tomita and Seki 2003 (MCQ: a largest clique, bounded by colours; here of what does not exclude each other)
//! Deviates  no quick way is known for all graphs (Karp 1972): after some steps the best so far is the answer, and says so
//! Holds     an answer that says so is exact; a set of that size there always is

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn all(below: usize) -> Self {
        let bits = |word: usize| below.saturating_sub(64 * word).min(64) as u32;
        let mask = |bits| if bits == 64 { u64::MAX } else { (1_u64 << bits) - 1 };
        Self((0..below.div_ceil(64)).map(|word| mask(bits(word))).collect())
    }

    fn none(below: usize) -> Self {
        Self(vec![0; below.div_ceil(64)])
    }

    fn add(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn remove(&mut self, n: usize) {
        self.0[n / 64] &= !(1 << (n % 64));
    }

    fn keep(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(mine, theirs)| *mine &= theirs);
    }

    fn drop_all(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    fn add_all(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    fn first(&self) -> Option<usize> {
        let (word, bits) = self.0.iter().enumerate().find(|(_, bits)| **bits != 0)?;
        Some(64 * word + bits.trailing_zeros() as usize)
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let some = |bits: u64| (bits != 0).then_some(bits);
            let rest = std::iter::successors(some(bits), move |bits| some(bits & (bits - 1)));
            rest.map(move |bits| 64 * word + bits.trailing_zeros() as usize)
        })
    }

    /// Whether all that both `self` and `others` have is in `these`.
    fn meets_within(&self, others: &Self, these: &Self) -> bool {
        let mut words = self.0.iter().zip(&others.0).zip(&these.0);
        words.all(|((mine, theirs), these)| mine & theirs & !these == 0)
    }
}

/// How many do not exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Most {
    pub(crate) count: u32,
    /// Whether it is surely the most.
    pub(crate) is_exact: bool,
}

/// What has been found, and how much may still be tried.
struct Search {
    best: u32,
    steps: u32,
    is_exact: bool,
}

/// Which of some things exclude each other.
#[derive(Clone, Debug)]
pub(crate) struct Conflicts {
    /// Of each: itself and all that it excludes.
    near: Vec<Set>,
}

impl Conflicts {
    /// Of so many things, of which a pair excludes each other if `excludes` says so.
    pub(crate) fn new(things: usize, mut excludes: impl FnMut(usize, usize) -> bool) -> Self {
        let mut near = vec![Set::none(things); things];
        for a in 0..things {
            near[a].add(a);
            for b in a + 1..things {
                if excludes(a, b) {
                    near[a].add(b);
                    near[b].add(a);
                }
            }
        }
        Self { near }
    }

    /// How many there are in a largest set of things none of which excludes another; at least so many, if that is not found
    /// in so many `steps` for each part that hangs together.
    pub(crate) fn most_at_once(&self, steps: u32) -> Most {
        let mut rest = Set::all(self.near.len());
        let mut most = Most { count: self.take_certain(&mut rest), is_exact: true };
        while let Some(first) = rest.first() {
            let part = self.part(first, &rest);
            rest.drop_all(&part);
            let mut search = Search { best: 0, steps, is_exact: true };
            self.search(part, 0, &mut search);
            most = Most { count: most.count + search.best, is_exact: most.is_exact && search.is_exact };
        }
        most
    }

    /// Looks for more than the best so far among `rest`, with so many taken already.
    fn search(&self, mut rest: Set, taken: u32, search: &mut Search) {
        let taken = taken + self.take_certain(&mut rest);
        search.best = search.best.max(taken);
        let groups = self.groups(rest.clone());
        for (number, group) in groups.iter().enumerate().rev() {
            for &n in group {
                // Of this group and those before it there is one each at most, which would be no more than the best.
                if taken + (number as u32) < search.best {
                    return;
                }
                if search.steps == 0 {
                    search.is_exact = false;
                    return;
                }
                search.steps -= 1;
                let mut others = rest.clone();
                others.drop_all(&self.near[n]);
                self.search(others, taken + 1, search);
                rest.remove(n);
            }
        }
    }

    /// Takes things as long as what each excludes excludes each other; returns how many.
    fn take_certain(&self, rest: &mut Set) -> u32 {
        let mut taken = 0;
        loop {
            let found = rest.iter().find(|&n| self.is_certain(n, rest));
            let Some(n) = found else { return taken };
            rest.drop_all(&self.near[n]);
            taken += 1;
        }
    }

    fn is_certain(&self, n: usize, rest: &Set) -> bool {
        let mut near = self.near[n].clone();
        near.keep(rest);
        near.iter().all(|other| self.near[n].meets_within(rest, &self.near[other]))
    }

    /// All of `rest` that hangs together with `first`.
    fn part(&self, first: usize, rest: &Set) -> Set {
        let (mut found, mut edge) = (Set::none(self.near.len()), vec![first]);
        found.add(first);
        while let Some(n) = edge.pop() {
            let mut more = self.near[n].clone();
            more.keep(rest);
            more.drop_all(&found);
            edge.extend(more.iter());
            found.add_all(&more);
        }
        found
    }

    /// All of `rest` in groups, in each of which everything excludes everything.
    fn groups(&self, mut rest: Set) -> Vec<Vec<usize>> {
        let mut groups = Vec::new();
        while let Some(first) = rest.first() {
            let mut fits = self.near[first].clone();
            fits.keep(&rest);
            let mut group = Vec::new();
            while let Some(next) = fits.first() {
                group.push(next);
                fits.keep(&self.near[next]);
                fits.remove(next);
            }
            group.iter().for_each(|&n| rest.remove(n));
            groups.push(group);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By trying all sets.
    fn tried(conflicts: &Conflicts) -> u32 {
        let things = conflicts.near.len();
        let is_free = |set: &u32| {
            let in_set = |n: &usize| set >> n & 1 == 1;
            (0..things)
                .filter(in_set)
                .all(|a| (a + 1..things).filter(in_set).all(|b| conflicts.near[a].iter().all(|n| n != b)))
        };
        (0..1_u32 << things).filter(is_free).map(u32::count_ones).max().unwrap_or(0)
    }

    /// A string of links that exclude those up to so many further.
    fn string(links: usize, reach: usize) -> Conflicts {
        Conflicts::new(links, |a, b| a.abs_diff(b) <= reach)
    }

    #[test]
    fn of_a_string_one_in_so_many_as_exclude_each_other() {
        for reach in 0..5 {
            for links in 0..200 {
                assert_eq!(
                    string(links, reach).most_at_once(u32::MAX).count as usize,
                    links.div_ceil(reach + 1),
                    "{links} {reach}"
                );
            }
        }
    }

    #[test]
    fn of_a_ring_a_grid_and_pairs() {
        for things in 3..90 {
            let ring = Conflicts::new(things, |a, b| a.abs_diff(b) == 1 || a.abs_diff(b) == things - 1);
            assert_eq!(ring.most_at_once(u32::MAX).count as usize, things / 2);
        }
        // A chessboard's fields of one colour.
        for side in 1..10_usize {
            let apart = |a: usize, b: usize| (a / side).abs_diff(b / side) + (a % side).abs_diff(b % side);
            let board = Conflicts::new(side * side, |a, b| apart(a, b) == 1);
            assert_eq!(board.most_at_once(u32::MAX).count as usize, (side * side).div_ceil(2));
        }
        // Petersen's graph: pairs of five that share nothing exclude each other; the four with one in common do not.
        let pairs: Vec<(u32, u32)> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
        let share = |(a, b): (u32, u32), (c, d): (u32, u32)| a == c || a == d || b == c || b == d;
        assert_eq!(Conflicts::new(10, |m, n| !share(pairs[m], pairs[n])).most_at_once(u32::MAX).count, 4);
    }

    /// Without time to look, there is still a set of that size, and what is not surely the most is not said to be.
    fn holds_in_a_hurry(conflicts: &Conflicts) -> Result<(), TestCaseError> {
        let most = tried(conflicts);
        for steps in 0..4 {
            let found = conflicts.most_at_once(steps);
            prop_assert!(found.count <= most && (found.count == most || !found.is_exact), "{:?} of {}", found, most);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn as_all_sets_tried(things in 0_usize..14, bits in any::<u128>()) {
            let conflicts = Conflicts::new(things, |a, b| bits >> ((a * 13 + b) % 128) & 1 == 1);
            prop_assert_eq!(conflicts.most_at_once(u32::MAX), Most { count: tried(&conflicts), is_exact: true });
            holds_in_a_hurry(&conflicts)?;
        }

        #[test]
        fn as_all_sets_tried_where_what_is_near_excludes(
            places in proptest::collection::vec((0.0..4.0_f64, 0.0..4.0_f64), 0..16),
            reach in 0.3..2.0_f64,
        ) {
            let near = |a: usize, b: usize| {
                let (x, y) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
                x * x + y * y <= reach * reach
            };
            let conflicts = Conflicts::new(places.len(), near);
            prop_assert_eq!(conflicts.most_at_once(u32::MAX), Most { count: tried(&conflicts), is_exact: true });
            holds_in_a_hurry(&conflicts)?;
        }
    }
}
