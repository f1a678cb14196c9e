//! Where nodes stand at the start: the regular patterns of the literature, and chance.
//!
//! Spec      none
//! Deviates  nothing
//! Holds     the n-th position belongs to node n; adding nodes to a random placement moves no other node

use core::f64::consts::TAU;

use hopwright_machine::{NodeId, Purpose, Stream};

use crate::Position;

/// A row of `hops` + 1 nodes from left to right, node 0 at the origin.
#[must_use]
pub fn chain(hops: u32, spacing_m: f64) -> Vec<Position> {
    (0..=hops).map(|i| Position::new(f64::from(i) * spacing_m, 0.0)).collect()
}

/// A rectangle of nodes, numbered along the rows: node `row * columns + column`. Row 0 lies on the x axis,
/// node 0 at the origin.
#[must_use]
pub fn grid(rows: u32, columns: u32, spacing_m: f64) -> Vec<Position> {
    let at = |row, column| Position::new(f64::from(column) * spacing_m, f64::from(row) * spacing_m);
    (0..rows).flat_map(|row| (0..columns).map(move |column| at(row, column))).collect()
}

/// Two chains of 2 × `arm_hops` hops that cross in the node they share.
///
/// Nodes 0..=2a (a = `arm_hops`) form the horizontal chain, left to right, node a being the crossing. Nodes
/// 2a+1..=4a form the vertical one from top (largest y) to bottom, the crossing left out. So the flows of
/// the usual experiment run from 0 to 2a and from 2a+1 to 4a. No coordinate is negative.
#[must_use]
pub fn cross(arm_hops: u32, spacing_m: f64) -> Vec<Position> {
    let middle_m = f64::from(arm_hops) * spacing_m;
    let horizontal = (0..=2 * arm_hops).map(|i| Position::new(f64::from(i) * spacing_m, middle_m));
    let rows = (0..=2 * arm_hops).rev().filter(|&row| row != arm_hops);
    let vertical = rows.map(|row| Position::new(middle_m, f64::from(row) * spacing_m));
    horizontal.chain(vertical).collect()
}

/// Node 0 at the origin, nodes 1..=`leaves` evenly around it: leaf i at the angle 2π (i − 1) / `leaves`,
/// leaf 1 to the right.
#[must_use]
pub fn star(leaves: u32, radius_m: f64) -> Vec<Position> {
    let leaf = |i| {
        let angle = TAU * f64::from(i) / f64::from(leaves);
        Position::new(radius_m * libm::cos(angle), radius_m * libm::sin(angle))
    };
    core::iter::once(Position::ORIGIN).chain((0..leaves).map(leaf)).collect()
}

/// `nodes` nodes, each anywhere in the rectangle from the origin to (`width_m`, `height_m`) with equal
/// chance. Every node draws from a stream of its own.
#[must_use]
pub fn random(nodes: u32, width_m: f64, height_m: f64, seed: u64) -> Vec<Position> {
    let place = |node| {
        let mut stream = Stream::new(seed, NodeId(node), Purpose::Placement);
        let x_m = stream.unit() * width_m;
        Position::new(x_m, stream.unit() * height_m)
    };
    (0..nodes).map(place).collect()
}

/// The nodes where a list of (x, y) says.
#[must_use]
pub fn positions(list: &[[f64; 2]]) -> Vec<Position> {
    list.iter().map(|&[x_m, y_m]| Position::new(x_m, y_m)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_and_grid_count_from_the_origin() {
        assert_eq!(chain(8, 200.0).len(), 9);
        assert_eq!(chain(8, 200.0)[8], Position::new(1600.0, 0.0));
        assert_eq!(chain(0, 200.0), [Position::ORIGIN]);
        let g = grid(3, 4, 100.0);
        assert_eq!(g.len(), 12);
        assert_eq!(g[2 * 4 + 3], Position::new(300.0, 200.0));
        assert_eq!(g[4], Position::new(0.0, 100.0));
        assert!(grid(0, 4, 100.0).is_empty());
    }

    #[test]
    fn the_cross_is_two_chains_with_one_node_in_common() {
        let c = cross(2, 200.0);
        assert_eq!(c.len(), 9);
        assert_eq!(c[2], Position::new(400.0, 400.0));
        let horizontal = [c[0], c[1], c[2], c[3], c[4]];
        let vertical = [c[5], c[6], c[2], c[7], c[8]];
        for chain in [horizontal, vertical] {
            assert!(chain.windows(2).all(|pair| pair[0].distance(pair[1]) == 200.0));
        }
        assert_eq!((c[0], c[5]), (Position::new(0.0, 400.0), Position::new(400.0, 800.0)));
        assert_eq!(cross(0, 200.0), [Position::ORIGIN]);
    }

    #[test]
    fn the_star_is_round() {
        let s = star(4, 250.0);
        assert_eq!((s.len(), s[0], s[1]), (5, Position::ORIGIN, Position::new(250.0, 0.0)));
        assert!(s[2].distance(Position::new(0.0, 250.0)) < 1e-9);
        assert!(star(7, 250.0)[1..].iter().all(|p| (p.distance(Position::ORIGIN) - 250.0).abs() < 1e-9));
        assert_eq!(star(0, 250.0), [Position::ORIGIN]);
    }

    #[test]
    fn chance_is_uniform_repeats_and_ignores_newcomers() {
        let p = random(4_000, 1500.0, 300.0, 7);
        assert_eq!(p[..50], random(50, 1500.0, 300.0, 7));
        assert_ne!(p[..50], random(50, 1500.0, 300.0, 8));
        assert!(p.iter().all(|p| (0.0..1500.0).contains(&p.x_m) && (0.0..300.0).contains(&p.y_m)));
        // A 10 × 10 raster: chi-square with 99 degrees of freedom exceeds 148.2 with probability 0.001.
        let mut counts = [0u32; 100];
        for p in &p {
            counts[(p.x_m / 150.0) as usize * 10 + (p.y_m / 30.0) as usize] += 1;
        }
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 40.0) * (f64::from(c) - 40.0) / 40.0).sum();
        assert!(chi2 < 148.2, "chi-square {chi2}");
    }

    #[test]
    fn a_list_is_taken_as_it_is() {
        assert_eq!(positions(&[[1.0, 2.0]]), [Position::new(1.0, 2.0)]);
    }
}
