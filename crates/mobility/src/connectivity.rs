//! Who can reach whom over how many hops, at many instants.
//!
//! Spec      shortest paths by breadth-first search over links of the reception range; the mean path length of a
//!           pair is taken over the instants at which a path joins it (Papanastasiou 2006, section 5.3.2)
//! Deviates  nothing
//! Holds     a node that is down has no links and is in no partition

use std::collections::VecDeque;

use hopwright_machine::Time;

use crate::{Position, Trajectory, Walker, is_down};

/// The network at many instants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connectivity {
    /// Of each instant.
    pub snapshots: Vec<Snapshot>,
    /// Of each pair that a path joined at some instant, in order of its ends.
    pub pairs: Vec<Pair>,
    /// How many pairs were n + 1 hops apart, summed over all instants.
    pub hops: Vec<u64>,
}

/// The network at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Nodes that are up.
    pub up: u32,
    /// Pairs of them in range of each other.
    pub links: u32,
    /// Groups of them that paths join; a lone node is one.
    pub partitions: u32,
    /// Nodes in the largest of these.
    pub largest: u32,
    /// Pairs that a path joins.
    pub joined: u32,
}

/// Two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The lower number.
    pub a: u32,
    /// The other one.
    pub b: u32,
    /// The mean of the shortest path, hops, over the instants at which there was one.
    pub mean_hops: f64,
    /// At how many instants there was one.
    pub joined: u32,
}

/// Looks at the network at these times, which must not decrease. `outages`: see `crate::outages`.
#[must_use]
pub fn connectivity(nodes: &[Trajectory], outages: &[Vec<(Time, Time)>], range_m: f64, times: &[Time]) -> Connectivity {
    let n = nodes.len();
    let mut walkers: Vec<Walker> = nodes.iter().cloned().map(Walker::new).collect();
    let mut sums = vec![(0u64, 0u32); n * n];
    let mut found = Connectivity::default();
    for &now in times {
        let places: Vec<Option<Position>> = walkers
            .iter_mut()
            .enumerate()
            .map(|(node, walker)| {
                (!outages.get(node).is_some_and(|spans| is_down(spans, now))).then(|| walker.position(now))
            })
            .collect();
        found.snapshots.push(look(&places, range_m, |a, b, hops| {
            let (sum, instants) = &mut sums[a * n + b];
            (*sum, *instants) = (*sum + u64::from(hops), *instants + 1);
            count(&mut found.hops, hops);
        }));
    }
    for a in 0..n {
        for b in a + 1..n {
            let (sum, joined) = sums[a * n + b];
            if joined > 0 {
                let mean_hops = sum as f64 / f64::from(joined);
                found.pairs.push(Pair { a: a as u32, b: b as u32, mean_hops, joined });
            }
        }
    }
    found
}

/// The pairs of nodes in range of each other, the lower number first, in order. `places`: of the nodes that are up.
#[must_use]
pub fn links(places: &[Option<Position>], range_m: f64) -> Vec<(usize, usize)> {
    let up = || places.iter().enumerate().filter_map(|(node, place)| place.map(|place| (node, place)));
    let is_near = |here: Position, there| here.distance_squared(there) <= range_m * range_m;
    let after = |(a, here)| up().filter(move |&(b, there)| a < b && is_near(here, there)).map(move |(b, _)| (a, b));
    up().flat_map(after).collect()
}

/// Whom each node has in range. `places`: of the nodes that are up.
#[must_use]
pub fn neighbours(places: &[Option<Position>], range_m: f64) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); places.len()];
    for (a, b) in links(places, range_m) {
        near[a].push(b);
        near[b].push(a);
    }
    near
}

/// The length of the shortest path from `start` to each node, hops; `None` where there is none. `near`: see `neighbours`.
#[must_use]
pub fn hops_from(near: &[Vec<usize>], start: usize) -> Vec<Option<u32>> {
    let mut hops = vec![None; near.len()];
    hops[start] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, far)) = queue.pop_front() {
        for &next in &near[node] {
            if hops[next].is_none() {
                hops[next] = Some(far + 1);
                queue.push_back((next, far + 1));
            }
        }
    }
    hops
}

/// How many pairs of nodes are n + 1 hops apart at least, and how many no path joins. `places`: of the nodes that are up.
#[must_use]
pub fn hop_counts(places: &[Option<Position>], range_m: f64) -> (Vec<u64>, u64) {
    let mut counts = Vec::new();
    let joined = look(places, range_m, |_, _, hops| count(&mut counts, hops)).joined;
    let pairs = places.len() * places.len().saturating_sub(1) / 2;
    (counts, pairs as u64 - u64::from(joined))
}

/// Counts a pair that is so many hops apart.
fn count(counts: &mut Vec<u64>, hops: u32) {
    if counts.len() < hops as usize {
        counts.resize(hops as usize, 0);
    }
    counts[hops as usize - 1] += 1;
}

/// One instant. `places`: of the nodes that are up. `joined` is told each pair that a path joins, and its length.
fn look(places: &[Option<Position>], range_m: f64, mut joined: impl FnMut(usize, usize, u32)) -> Snapshot {
    let n = places.len();
    let near = neighbours(places, range_m);
    let up = places.iter().flatten().count() as u32;
    let ends: usize = near.iter().map(Vec::len).sum();
    let mut snapshot = Snapshot { up, links: (ends / 2) as u32, ..Snapshot::default() };
    let mut hops = vec![u32::MAX; n];
    let mut queue = VecDeque::new();
    for start in (0..n).filter(|&a| places[a].is_some()) {
        hops.fill(u32::MAX);
        hops[start] = 0;
        queue.push_back(start);
        let (mut size, mut is_lowest) = (0, true);
        while let Some(node) = queue.pop_front() {
            size += 1;
            is_lowest &= node >= start;
            if node > start {
                joined(start, node, hops[node]);
                snapshot.joined += 1;
            }
            for &next in &near[node] {
                if hops[next] == u32::MAX {
                    hops[next] = hops[node] + 1;
                    queue.push_back(next);
                }
            }
        }
        snapshot.partitions += u32::from(is_lowest);
        snapshot.largest = snapshot.largest.max(size);
    }
    snapshot
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::chain;

    fn at(positions: &[(f64, f64)]) -> Vec<Trajectory> {
        positions.iter().map(|&(x, y)| Trajectory::fixed(Position::new(x, y))).collect()
    }

    #[test]
    fn a_chain_has_each_length_as_often_as_it_should() {
        let nodes: Vec<Trajectory> = chain(4, 200.0).into_iter().map(Trajectory::fixed).collect();
        let found = connectivity(&nodes, &[], 250.0, &[Time::ZERO, Time::from_nanos(1)]);
        assert_eq!(found.snapshots[1], Snapshot { up: 5, links: 4, partitions: 1, largest: 5, joined: 10 });
        assert_eq!(found.hops, [8, 6, 4, 2]);
        assert_eq!(found.pairs[3], Pair { a: 0, b: 4, mean_hops: 4.0, joined: 2 });
    }

    #[test]
    fn partitions_are_counted_with_lone_nodes() {
        let nodes = at(&[(0.0, 0.0), (5000.0, 0.0), (200.0, 0.0), (5000.0, 200.0), (9000.0, 0.0)]);
        let found = connectivity(&nodes, &[], 250.0, &[Time::ZERO]);
        assert_eq!(found.snapshots[0], Snapshot { up: 5, links: 2, partitions: 3, largest: 2, joined: 2 });
        assert_eq!(found.pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>(), [(0, 2), (1, 3)]);
    }

    #[test]
    fn pairs_are_counted_by_their_hops_and_whoever_is_down_has_none() {
        let mut places: Vec<Option<Position>> = chain(3, 200.0).into_iter().map(Some).collect();
        assert_eq!(links(&places, 250.0), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(hop_counts(&places, 250.0), (vec![3, 2, 1], 0));
        places[1] = None;
        assert_eq!(links(&places, 250.0), [(2, 3)]);
        assert_eq!(hop_counts(&places, 250.0), (vec![1], 5));
        assert_eq!(hop_counts(&[], 250.0), (vec![], 0));
    }

    #[test]
    fn there_is_a_way_to_whom_it_leads() {
        let mut places: Vec<Option<Position>> = chain(3, 200.0).into_iter().map(Some).collect();
        assert_eq!(hops_from(&neighbours(&places, 250.0), 3), [Some(3), Some(2), Some(1), Some(0)]);
        places[1] = None;
        assert_eq!(hops_from(&neighbours(&places, 250.0), 3), [None, None, Some(1), Some(0)]);
    }

    #[test]
    fn a_node_that_is_down_takes_its_links_with_it() {
        let nodes: Vec<Trajectory> = chain(2, 200.0).into_iter().map(Trajectory::fixed).collect();
        let s = Time::from_secs_f64;
        let outages = [vec![], vec![(s(1.0), s(2.0))], vec![]];
        let found = connectivity(&nodes, &outages, 250.0, &[s(0.0), s(1.0), s(2.0)]);
        let up = Snapshot { up: 3, links: 2, partitions: 1, largest: 3, joined: 3 };
        let down = Snapshot { up: 2, links: 0, partitions: 2, largest: 1, joined: 0 };
        assert_eq!(found.snapshots, [up, down, up]);
        // The mean path counts only when there is one.
        assert_eq!(found.pairs[1], Pair { a: 0, b: 2, mean_hops: 2.0, joined: 2 });
    }
}
