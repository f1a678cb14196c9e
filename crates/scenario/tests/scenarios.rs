//! The scenario files of the project are right.

use std::path::Path;

use hopwright_machine::Time;
use hopwright_scenario::{Loaded, load};
use hopwright_sim::FlowKind;

fn shipped(name: &str) -> Loaded {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    load(&path, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn chain() {
    let setup = shipped("chain.toml").setup(1).unwrap();
    assert_eq!((setup.nodes.len(), setup.flows.len()), (9, 1));
    assert_eq!((setup.flows[0].from.0, setup.flows[0].to.0), (0, 8));
    assert_eq!(setup.flows[0].stop, setup.end);
}

#[test]
fn mobile() {
    let setup = shipped("mobile.toml").setup(1).unwrap();
    assert_eq!(setup.nodes.len(), 50);
    assert_eq!(setup.nodes[0].position(Time::ZERO).x_m, 852.355);
    assert!(setup.nodes.iter().any(|n| !n.is_static()));
}

#[test]
fn star_and_grid() {
    let star = shipped("star.toml").setup(1).unwrap();
    assert_eq!((star.nodes.len(), star.flows.len()), (6, 5));
    assert!(star.flows.iter().all(|f| matches!(f.kind, FlowKind::Udp(_))));
    let grid = shipped("grid.toml").setup(1).unwrap();
    assert_eq!((grid.nodes.len(), grid.flows.len()), (25, 3));
}

#[test]
fn positions_are_those_of_the_time_and_the_seed() {
    let chain = shipped("chain.toml");
    assert_eq!(chain.positions(1, &[0.0]).unwrap()[0][8], (1600.0, 0.0));
    assert!((chain.reception_range_m() - 250.0).abs() < 0.1);
    let mobile = shipped("mobile.toml");
    let places = mobile.positions(1, &[0.0, 450.0]).unwrap();
    assert_eq!(places[0][0].0, 852.355);
    assert!(places[0].iter().zip(&places[1]).filter(|(a, b)| a != b).count() > 25);
}
