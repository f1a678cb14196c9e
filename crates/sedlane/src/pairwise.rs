//! The document's reduction: means of neighbours, again and again, until there are no more than there may be pipes.
//!
//! Eq. 3.2 prints two readings. Its first lines take pairs apart, (1,2), (3,4), ...: `Disjoint`, which halves the list.
//! Its last line, the indices 1 to n-1, and the factor M/(M-1) of eq. 3.4 take pairs that overlap, (1,2), (2,3), ...:
//! `Overlapping`, which makes M-1 of M. Only the latter can come to any N, and only with it eq. 3.4 keeps the sum of
//! probabilities near 1; so it is the default. It has a price that the document does not speak of: after r rounds a
//! value is a binomial mean of r+1 neighbours, so what is near either end of a long trace hardly counts.
//!
//! Spec      Ghaleb-Seddik (2009), eq. 3.2 to 3.7
//! Deviates  - eq. 3.4 keeps probabilities only nearly; they are shares of the bytes of eq. 3.5 to 3.7, which is eq. 3.4
//!             with the sum brought back to 1
//!           - lifetimes, of which it says nothing, are reduced as bytes are: their total stays
//!           - `Disjoint`: the last of an odd number stays as it is; rounds end at N or below
//!           - many rounds are done at once, with binomial weights
//! Holds     totals of lifetimes, bytes and lost bytes stay

use serde::Serialize;

use crate::classes::Class;

/// Which neighbours are a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Averaging {
    /// (1,2), (2,3), ...: a round makes M-1 of M.
    #[default]
    Overlapping,
    /// (1,2), (3,4), ...: a round halves.
    Disjoint,
}

/// Up to so many classes are reduced round by round, as it is written.
const FEW: usize = 512;

/// At most `pipes` classes, by rounds of means.
pub(crate) fn reduce(classes: &[Class], pipes: usize, averaging: Averaging) -> Vec<Class> {
    let mut classes = classes.to_vec();
    if averaging == Averaging::Overlapping && classes.len() > FEW.max(pipes) {
        let rounds = classes.len() - pipes;
        if let Some(reduced) = overlapping_at_once(&classes, rounds) {
            return reduced;
        }
    }
    while classes.len() > pipes {
        classes = match averaging {
            Averaging::Overlapping => overlapping(&classes),
            Averaging::Disjoint => disjoint(&classes),
        };
    }
    classes
}

/// One round, M-1 of M.
fn overlapping(classes: &[Class]) -> Vec<Class> {
    let mean = |pair: &[Class]| {
        let (a, b) = (&pair[0], &pair[1]);
        Class {
            rtt_s: f64::midpoint(a.rtt_s, b.rtt_s), // 3.2
            lifetime_s: f64::midpoint(a.lifetime_s, b.lifetime_s),
            sent: f64::midpoint(a.sent, b.sent), // 3.5
            lost: f64::midpoint(a.lost, b.lost),
            bits: f64::midpoint(a.bits, b.bits),
        }
    };
    let mut reduced: Vec<Class> = classes.windows(2).map(mean).collect();
    adapt(&mut reduced, classes);
    reduced
}

/// One round, M/2 of M: what means and eq. 3.7 make of pairs that do not overlap is their sum.
fn disjoint(classes: &[Class]) -> Vec<Class> {
    let sum = |pair: &[Class]| {
        let mut both = pair[0];
        for other in &pair[1..] {
            both.rtt_s = f64::midpoint(both.rtt_s, other.rtt_s);
            both.take(other);
        }
        both
    };
    classes.chunks(2).map(sum).collect()
}

/// Eq. 3.6 and 3.7: what was averaged gets the total that it had.
fn adapt(reduced: &mut [Class], original: &[Class]) {
    let quantities: [fn(&mut Class) -> &mut f64; 4] =
        [|c| &mut c.lifetime_s, |c| &mut c.sent, |c| &mut c.lost, |c| &mut c.bits];
    for quantity in quantities {
        let total: f64 = original.iter().map(|class| *quantity(&mut { *class })).sum();
        let new_total: f64 = reduced.iter_mut().map(|class| *quantity(class)).sum();
        if new_total > 0.0 {
            reduced.iter_mut().for_each(|class| *quantity(class) *= total / new_total);
        }
    }
}

/// So many rounds at once: value i is the mean of i to i+rounds with weights C(rounds, j) / 2^rounds. `None` if the
/// weights of all that is there are too small for a number.
fn overlapping_at_once(classes: &[Class], rounds: usize) -> Option<Vec<Class>> {
    let (first, weights) = binomial(rounds);
    let mut reduced = Vec::with_capacity(classes.len() - rounds);
    for start in 0..classes.len() - rounds {
        let mut mean = Class::default();
        for (class, weight) in classes[start + first..].iter().zip(&weights) {
            mean.rtt_s += weight * class.rtt_s;
            mean.lifetime_s += weight * class.lifetime_s;
            mean.sent += weight * class.sent;
            mean.lost += weight * class.lost;
            mean.bits += weight * class.bits;
        }
        reduced.push(mean);
    }
    let sums = |all: &[Class]| {
        let mut sum = Class::default();
        all.iter().for_each(|class| sum.take(class));
        [sum.lifetime_s, sum.sent, sum.lost, sum.bits]
    };
    let is_gone = sums(classes).iter().zip(sums(&reduced)).any(|(&was, is)| was > 0.0 && is < was * 1e-200);
    if is_gone {
        return None;
    }
    adapt(&mut reduced, classes);
    Some(reduced)
}

/// The weights C(n, j) / 2^n that are above 1e-250 of the largest, and the first of them.
fn binomial(n: usize) -> (usize, Vec<f64>) {
    let ratio = |j: usize| (n - j) as f64 / (j + 1) as f64; // of weight j+1 to weight j
    let middle = n / 2;
    let (mut up, mut down) = (vec![1.0], Vec::new());
    let mut weight = 1.0;
    for j in middle..n {
        weight *= ratio(j);
        if weight < 1e-250 {
            break;
        }
        up.push(weight);
    }
    weight = 1.0;
    for j in (0..middle).rev() {
        weight /= ratio(j);
        if weight < 1e-250 {
            break;
        }
        down.push(weight);
    }
    let first = middle - down.len();
    down.reverse();
    down.extend(up);
    let total: f64 = down.iter().sum();
    down.iter_mut().for_each(|weight| *weight /= total);
    (first, down)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(values: &[(f64, f64)]) -> Vec<Class> {
        let class = |&(rtt_s, sent): &(f64, f64)| Class { rtt_s, sent, lifetime_s: 1.0, lost: sent / 10.0, bits: 0.0 };
        values.iter().map(class).collect()
    }

    #[test]
    fn a_round_by_hand() {
        let given = classes(&[(0.010, 100.0), (0.030, 300.0), (0.020, 0.0)]);
        let reduced = reduce(&given, 2, Averaging::Overlapping);
        // 3.2: 20 and 25 ms. 3.5: 200 and 150, together 350 (3.6) of 400; 3.7: 228.57 and 171.43.
        assert!((reduced[0].rtt_s - 0.020).abs() < 1e-15 && (reduced[1].rtt_s - 0.025).abs() < 1e-15);
        assert!((reduced[0].sent - 200.0 * 400.0 / 350.0).abs() < 1e-9);
        assert!((reduced[1].sent - 150.0 * 400.0 / 350.0).abs() < 1e-9);
        assert!((reduced[0].lifetime_s - 1.5).abs() < 1e-12);
        let halved = reduce(&given, 2, Averaging::Disjoint);
        assert_eq!(halved.iter().map(|c| (c.rtt_s, c.sent)).collect::<Vec<_>>(), [(0.020, 400.0), (0.020, 0.0)]);
    }

    #[test]
    fn equation_3_4_is_the_share_of_bytes_but_for_the_sum() {
        let given = classes(&[(0.01, 50.0), (0.02, 30.0), (0.03, 20.0)]);
        let shares: Vec<f64> = given.iter().map(|c| c.sent / 100.0).collect();
        let printed: Vec<f64> = shares.windows(2).map(|p| f64::midpoint(p[0], p[1]) * 3.0 / 2.0).collect();
        let sum: f64 = printed.iter().sum();
        // Overlapping: near 1, as 1 - (first + last) / 2 of the sum is left, times M/(M-1).
        assert!((sum - (1.0 - (0.5 + 0.2) / 2.0) * 1.5).abs() < 1e-12);
        let reduced = reduce(&given, 2, Averaging::Overlapping);
        for (printed, class) in printed.iter().zip(&reduced) {
            assert!((printed / sum - class.sent / 100.0).abs() < 1e-12);
        }
    }

    #[test]
    fn many_rounds_at_once_are_as_many_rounds() {
        let given: Vec<_> = (0..700).map(|n| (0.01 + f64::from(n * n % 97) / 1e3, f64::from(n % 13) * 100.0)).collect();
        let given = classes(&given);
        let mut slow = given.clone();
        while slow.len() > 5 {
            slow = overlapping(&slow);
        }
        let fast = reduce(&given, 5, Averaging::Overlapping);
        for (slow, fast) in slow.iter().zip(&fast) {
            assert!((slow.rtt_s - fast.rtt_s).abs() < 1e-12 * slow.rtt_s, "{slow:?} {fast:?}");
            assert!(
                (slow.sent - fast.sent).abs() < 1e-9 * slow.sent && (slow.lost - fast.lost).abs() < 1e-9 * slow.lost
            );
        }
    }
}
