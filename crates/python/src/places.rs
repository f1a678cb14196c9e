//! Links and paths between given places, for figures that are drawn without their scenario.

use std::collections::BTreeSet;

use hopwright_mobility::{Position, connectivity};
use pyo3::prelude::*;

/// The pairs of nodes in range of each other, the lower number first, in order; whoever is `down` is in none.
#[pyfunction]
#[pyo3(signature = (positions, range_m, down=BTreeSet::new()))]
pub(crate) fn links(positions: Vec<(f64, f64)>, range_m: f64, down: BTreeSet<usize>) -> Vec<(usize, usize)> {
    connectivity::links(&up(&positions, &down), range_m)
}

/// How many pairs of nodes are n + 1 hops apart at least, and how many no path joins.
#[pyfunction]
#[pyo3(signature = (positions, range_m, down=BTreeSet::new()))]
pub(crate) fn hop_counts(positions: Vec<(f64, f64)>, range_m: f64, down: BTreeSet<usize>) -> (Vec<u64>, u64) {
    connectivity::hop_counts(&up(&positions, &down), range_m)
}

/// The places of the nodes that are up.
fn up(positions: &[(f64, f64)], down: &BTreeSet<usize>) -> Vec<Option<Position>> {
    let place = |(node, &(x, y)): (usize, &(f64, f64))| (!down.contains(&node)).then(|| Position::new(x, y));
    positions.iter().enumerate().map(place).collect()
}
