//! The better reduction of pipes that are there at once: the N values nearest to the distribution of round-trip times.
//!
//! The distance is Wasserstein's first: how far a byte's round trip is off, on average, once both distributions are
//! sorted. N values come nearest as weighted medians of N stretches of the sorted values, found by dynamic programming
//! (Wang and Song 2011). Where a stretch begins best never goes back as its end goes on, so it is divided and
//! conquered: N K log K steps. Above `FINE` values those of equal shares of the bytes are joined first; with e the
//! distance that this makes, the result is within 2 e of the best, and e is at most a `FINE`-th of the span of values.
//!
//! Holds     up to `FINE` values nothing with N values is nearer

use crate::classes::Class;
use crate::segments::edges;

/// As many values as are looked at one by one.
const FINE: usize = 8192;

/// At most `pipes` classes in the order of their round-trip times.
pub(crate) fn reduce(classes: &[Class], pipes: usize) -> Vec<Class> {
    let mut sorted = classes.to_vec();
    sorted.sort_by(|a, b| a.rtt_s.total_cmp(&b.rtt_s));
    if sorted.len() <= pipes {
        return sorted;
    }
    let cost = Cost::new(&sorted);
    let places = cost.fine();
    let edges = best_edges(&cost, &places, pipes);
    edges.windows(2).map(|edge| joined(&sorted[edge[0]..edge[1]], &cost, edge[0], edge[1])).collect()
}

fn joined(classes: &[Class], cost: &Cost, from: usize, to: usize) -> Class {
    let mut all = Class::default();
    classes.iter().for_each(|class| all.take(class));
    all.rtt_s = cost.value[cost.median(from, to)];
    all
}

/// What a value for the sorted values i to j costs: weighted distances from their median.
struct Cost {
    value: Vec<f64>,
    weight: Vec<f64>,
    moment: Vec<f64>,
}

impl Cost {
    fn new(sorted: &[Class]) -> Self {
        let (mut weight, mut moment) = (vec![0.0], vec![0.0]);
        let (mut weights, mut moments) = (0.0, 0.0);
        let least = sorted.first().map_or(0.0, |class| class.rtt_s);
        for class in sorted {
            weights += class.sent;
            moments += class.sent * (class.rtt_s - least);
            weight.push(weights);
            moment.push(moments);
        }
        Self { value: sorted.iter().map(|class| class.rtt_s).collect(), weight, moment }
    }

    /// The place of the weighted median of i to j.
    fn median(&self, from: usize, to: usize) -> usize {
        let half = f64::midpoint(self.weight[from], self.weight[to]);
        let within = self.weight[from + 1..to].partition_point(|&weight| weight < half);
        from + within
    }

    fn of(&self, from: usize, to: usize) -> f64 {
        if to <= from + 1 {
            return 0.0;
        }
        let middle = self.median(from, to);
        let value = self.value[middle] - self.value[0];
        let below = value * (self.weight[middle] - self.weight[from]) - (self.moment[middle] - self.moment[from]);
        let above = self.moment[to] - self.moment[middle] - value * (self.weight[to] - self.weight[middle]);
        (below + above).max(0.0)
    }

    /// Where stretches may begin and end.
    fn fine(&self) -> Vec<usize> {
        let count = self.value.len();
        if count <= FINE {
            return (0..=count).collect();
        }
        let share = self.weight[count] / FINE as f64;
        let mut places = vec![0];
        let mut begun = 0.0;
        for place in 1..count {
            // A value that is heavier than its share stands alone.
            if self.weight[place + 1] - begun > share {
                places.push(place);
                begun = self.weight[place];
            }
        }
        places.push(count);
        places
    }
}

/// Of the places `at`, those between at most `pipes` stretches that cost least; first and last included.
fn best_edges(cost: &Cost, at: &[usize], pipes: usize) -> Vec<usize> {
    let last = at.len() - 1;
    let mut best: Vec<f64> = at.iter().map(|&to| cost.of(0, to)).collect();
    let mut came_from: Vec<Vec<u32>> = Vec::new();
    for step in 1..pipes.min(last) {
        let mut round = Round { cost, at, best: &best, next: vec![f64::INFINITY; at.len()], from: vec![0; at.len()] };
        round.conquer(step + 1, last, step, last - 1);
        let Round { next, from, .. } = round;
        best = next;
        came_from.push(from);
    }
    edges(at, last, &came_from)
}

struct Round<'a> {
    cost: &'a Cost,
    at: &'a [usize],
    best: &'a [f64],
    next: Vec<f64>,
    from: Vec<u32>,
}

impl Round<'_> {
    /// The best last stretch for each end in `low..=high`, knowing that it begins in `first..=last`.
    fn conquer(&mut self, low: usize, high: usize, first: usize, last: usize) {
        if low > high {
            return;
        }
        let to = usize::midpoint(low, high);
        let mut found = first;
        for edge in first..=last.min(to - 1) {
            let total = self.best[edge] + self.cost.of(self.at[edge], self.at[to]);
            if total < self.next[to] {
                self.next[to] = total;
                found = edge;
            }
        }
        self.from[to] = found as u32;
        if to > low {
            self.conquer(low, to - 1, first, found);
        }
        self.conquer(to + 1, high, found, last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(values: &[(f64, f64)]) -> Vec<Class> {
        let class = |&(rtt_s, sent): &(f64, f64)| Class { rtt_s, lifetime_s: 1.0, sent, lost: 0.0, bits: 0.0 };
        values.iter().map(class).collect()
    }

    #[test]
    fn groups_have_their_median() {
        let given = classes(&[(0.052, 1.0), (0.010, 1.0), (0.050, 5.0), (0.011, 1.0), (0.013, 1.0)]);
        let found: Vec<_> = reduce(&given, 2).iter().map(|c| (c.rtt_s, c.sent)).collect();
        assert_eq!(found, [(0.011, 3.0), (0.050, 6.0)]);
    }

    #[test]
    fn no_other_edges_are_better() {
        for seed in 1..20_u32 {
            let value = |n: u32| (f64::from((n * n + seed * n) % 31) / 100.0, f64::from((n * seed) % 5));
            let mut given = classes(&(0..10).map(value).collect::<Vec<_>>());
            given.sort_by(|a, b| a.rtt_s.total_cmp(&b.rtt_s));
            let cost = Cost::new(&given);
            let error = |edges: &[usize]| edges.windows(2).map(|edge| cost.of(edge[0], edge[1])).sum::<f64>();
            let found = error(&best_edges(&cost, &(0..=10).collect::<Vec<_>>(), 4));
            let mut least = f64::INFINITY;
            for a in 1..8 {
                for b in a + 1..9 {
                    for c in b + 1..10 {
                        least = least.min(error(&[0, a, b, c, 10]));
                    }
                }
            }
            assert!((found - least).abs() < 1e-12, "{seed}: {found} {least}");
        }
    }
}
