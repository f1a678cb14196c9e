//! The better reduction of pipes that follow one another: the steps nearest to the trace, in the mean square over time.
//!
//! A staircase of N steps is best where each step is the mean over its time (weighted by lifetimes), and its edges are
//! edges of the trace: between two of them the error is linear in where an edge is. Dynamic programming finds the best
//! edges in K^2 N / 2 operations (Bellman 1961). With more than some thousand transitions neighbours are first joined,
//! always those that cost least (Ward 1963), until `coarse` blocks are left; the best staircase over blocks is found,
//! and then each edge moves to where the error is least between its neighbours, until none does. With e the error of
//! the blocks and opt(n) the least error of n steps: error^2 <= e^2 + opt(N/2)^2, as a staircase of N/2 steps, put on
//! blocks, has less than N.
//!
//! Holds     up to `coarse` transitions nothing with N steps is nearer

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::classes::Class;

/// Work of the dynamic programme that nobody minds waiting for.
const WORK: f64 = 4e8;
/// Passes over all edges; five were enough wherever they were counted.
const PASSES: usize = 20;

/// At most `pipes` classes, each of consecutive ones.
pub(crate) fn reduce(classes: &[Class], pipes: usize) -> Vec<Class> {
    if classes.len() <= pipes {
        return classes.to_vec();
    }
    let cost = Cost::new(classes);
    let coarse = (libm::sqrt(WORK / pipes as f64) as usize).clamp(2 * pipes, 4096.max(2 * pipes));
    let edges = if classes.len() <= coarse {
        best_edges(&cost, &(0..=classes.len()).collect::<Vec<_>>(), pipes)
    } else {
        let mut edges = best_edges(&cost, &blocks(classes, coarse), pipes);
        settle(&cost, &mut edges);
        edges
    };
    edges.windows(2).map(|edge| joined(&classes[edge[0]..edge[1]])).collect()
}

/// One class of several: the mean over their time.
fn joined(classes: &[Class]) -> Class {
    let mut all = Class::default();
    classes.iter().for_each(|class| all.take(class));
    let weighted: f64 = classes.iter().map(|class| class.rtt_s * class.lifetime_s).sum();
    all.rtt_s = if all.lifetime_s > 0.0 { weighted / all.lifetime_s } else { classes[0].rtt_s };
    all
}

/// What a step over classes i to j costs, in one subtraction each.
struct Cost {
    weight: Vec<f64>,
    value: Vec<f64>,
    square: Vec<f64>,
}

impl Cost {
    fn new(classes: &[Class]) -> Self {
        // About their mean: differences of large sums would be rounded away.
        let centre = joined(classes).rtt_s;
        let sums = |of: fn(f64, f64) -> f64| {
            let mut sum = 0.0;
            let next = |class: &Class| {
                sum += of(class.lifetime_s, class.rtt_s - centre);
                sum
            };
            std::iter::once(0.0).chain(classes.iter().map(next).collect::<Vec<_>>()).collect()
        };
        Self { weight: sums(|w, _| w), value: sums(|w, x| w * x), square: sums(|w, x| w * x * x) }
    }

    fn of(&self, from: usize, to: usize) -> f64 {
        let weight = self.weight[to] - self.weight[from];
        if weight <= 0.0 {
            return 0.0;
        }
        let value = self.value[to] - self.value[from];
        (self.square[to] - self.square[from] - value * value / weight).max(0.0)
    }
}

/// Of the places `at`, those where at most `pipes` steps begin and end that cost least; first and last included.
fn best_edges(cost: &Cost, at: &[usize], pipes: usize) -> Vec<usize> {
    let last = at.len() - 1;
    let mut best: Vec<f64> = at.iter().map(|&to| cost.of(0, to)).collect();
    let mut came_from: Vec<Vec<u32>> = Vec::new();
    for step in 1..pipes.min(last) {
        let mut next = vec![f64::INFINITY; at.len()];
        let mut from = vec![0_u32; at.len()];
        for to in step + 1..=last {
            for edge in step..to {
                let total = best[edge] + cost.of(at[edge], at[to]);
                if total < next[to] {
                    next[to] = total;
                    from[to] = edge as u32;
                }
            }
        }
        best = next;
        came_from.push(from);
    }
    edges(at, last, &came_from)
}

/// The edges of the best parts: back from the last place, by where each round came from.
pub(crate) fn edges(at: &[usize], last: usize, came_from: &[Vec<u32>]) -> Vec<usize> {
    let mut edges = vec![at[last]];
    let mut to = last;
    for from in came_from.iter().rev() {
        to = from[to] as usize;
        edges.push(at[to]);
    }
    edges.push(0);
    edges.reverse();
    edges
}

/// Each edge moves to where the error is least between its neighbours.
fn settle(cost: &Cost, edges: &mut [usize]) {
    for _ in 0..PASSES {
        let mut has_moved = false;
        for n in 1..edges.len() - 1 {
            let (left, right) = (edges[n - 1], edges[n + 1]);
            let total = |edge: usize| cost.of(left, edge) + cost.of(edge, right);
            let mut least = (total(edges[n]), edges[n]);
            for edge in left + 1..right {
                if total(edge) < least.0 {
                    least = (total(edge), edge);
                }
            }
            has_moved |= least.1 != edges[n];
            edges[n] = least.1;
        }
        if !has_moved {
            return;
        }
    }
}

/// A pair of neighbouring blocks that could be joined.
struct Pair {
    cost: f64,
    left: usize,
    right: usize,
    /// Where both end: if a block has grown since, this is an old offer.
    ends: (usize, usize),
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Pair {}
impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Pair {
    /// The cheapest is the greatest, of equals the first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.left.cmp(&self.left))
    }
}

/// The edges of `count` blocks of consecutive classes: always the two that cost least are joined.
fn blocks(classes: &[Class], count: usize) -> Vec<usize> {
    let cost = Cost::new(classes);
    let length = classes.len();
    // Block b begins at b and ends at end[b]; before[b] is the block in front of it.
    let mut end: Vec<usize> = (1..=length).collect();
    let mut before: Vec<usize> = (0..length).map(|b| b.wrapping_sub(1)).collect();
    let mut is_there = vec![true; length];
    let offer = |end: &[usize], left: usize, right: usize| {
        let price = cost.of(left, end[right]) - cost.of(left, right) - cost.of(right, end[right]);
        Pair { cost: price, left, right, ends: (right, end[right]) }
    };
    let mut offers: BinaryHeap<Pair> = (1..length).map(|right| offer(&end, right - 1, right)).collect();
    let mut left_over = length;
    while left_over > count {
        let Some(Pair { left, right, ends, .. }) = offers.pop() else { break };
        if !is_there[left] || !is_there[right] || (end[left], end[right]) != ends {
            continue;
        }
        is_there[right] = false;
        end[left] = end[right];
        left_over -= 1;
        if end[left] < length {
            before[end[left]] = left;
            offers.push(offer(&end, left, end[left]));
        }
        if left > 0 {
            offers.push(offer(&end, before[left], left));
        }
    }
    (0..length).filter(|&b| is_there[b]).chain([length]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(values: &[(f64, f64)]) -> Vec<Class> {
        let class = |&(rtt_s, lifetime_s): &(f64, f64)| Class { rtt_s, lifetime_s, sent: 1.0, lost: 0.0, bits: 8.0 };
        values.iter().map(class).collect()
    }

    fn error(classes: &[Class], edges: &[usize]) -> f64 {
        let cost = Cost::new(classes);
        edges.windows(2).map(|edge| cost.of(edge[0], edge[1])).sum()
    }

    #[test]
    fn steps_are_found_and_weighted_by_time() {
        let given = classes(&[(0.010, 1.0), (0.012, 3.0), (0.050, 1.0), (0.050, 1.0), (0.020, 2.0)]);
        let reduced = reduce(&given, 3);
        let found: Vec<_> = reduced.iter().map(|c| (c.rtt_s, c.lifetime_s, c.sent)).collect();
        assert!((found[0].0 - 0.0115).abs() < 1e-12, "{found:?}");
        assert_eq!((found[0].1, found[0].2), (4.0, 2.0));
        assert_eq!(&found[1..], [(0.050, 2.0, 2.0), (0.020, 2.0, 1.0)]);
    }

    /// All ways to choose edges, for small lists.
    #[test]
    fn no_other_edges_are_better() {
        let values: Vec<_> = (0..9_u32).map(|n| (f64::from(n * n * 7 % 11) / 100.0, f64::from(1 + n % 3))).collect();
        let given = classes(&values);
        let all: Vec<usize> = (0..=9).collect();
        let found = error(&given, &best_edges(&Cost::new(&given), &all, 4));
        let mut least = f64::INFINITY;
        for a in 1..7 {
            for b in a + 1..8 {
                for c in b + 1..9 {
                    least = least.min(error(&given, &[0, a, b, c, 9]));
                }
            }
        }
        assert!((found - least).abs() < 1e-15, "{found} {least}");
    }

    #[test]
    fn blocks_join_what_is_alike() {
        let values: Vec<_> = (0..40).map(|n| (f64::from(n / 10), 1.0)).collect();
        assert_eq!(blocks(&classes(&values), 4), [0, 10, 20, 30, 40]);
    }
}
