//! R12: hop counts on a grid that stands still, against those of ns-3's OLSR (`validation/ns3/olsr_grid.cc`).

use hopwright_machine::Duration;
use hopwright_routing::{Protocol, olsr};

use crate::field::{Field, address};

/// The hop counts between 25 nodes in a square that ns-3.37 prints after 60 s, a row per origin; itself is 0.
const NS3: &str = include_str!("files/ns3-olsr-grid-5.txt");

#[test]
fn r12_hop_counts_on_a_grid_are_those_of_ns3() {
    const SIDE: usize = 5;
    let theirs: Vec<Vec<u32>> = NS3
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_whitespace().map(|hops| hops.parse().expect("a number")).collect())
        .collect();
    assert_eq!(theirs.len(), SIDE * SIDE);
    for seed in 0..3 {
        let mut field = Field::new(SIDE * SIDE, seed, 0, &olsr::Config::rfc().into());
        for node in 0..SIDE * SIDE {
            if node % SIDE + 1 < SIDE {
                field.link(node, node + 1, true);
            }
            if node + SIDE < SIDE * SIDE {
                field.link(node, node + SIDE, true);
            }
        }
        field.run(Duration::from_secs(60));
        let pairs = (0..SIDE * SIDE).flat_map(|from| (0..SIDE * SIDE).map(move |to| (from, to)));
        let pairs: Vec<_> = pairs.filter(|(from, to)| from != to).collect();
        let same = pairs.iter().filter(|&&(from, to)| field.routers[from].hops(address(to)) == Some(theirs[from][to]));
        let share = same.count() as f64 / pairs.len() as f64;
        println!("seed {seed}: {:.1} % of {} pairs", 100.0 * share, pairs.len());
        assert!(share >= 0.95, "seed {seed}: only {:.1} % agree", 100.0 * share);
    }
}
