//! Any text as a BonnMotion file, and as SUMO's floating-car data: an answer with line and column, or nodes with
//! finite positions; what is read as the former is written and read again.
#![no_main]

use hopwright_machine::Time;
use hopwright_mobility::sumo::{self, Vehicles};
use hopwright_mobility::{Trajectory, bonnmotion, ns2, outages};
use libfuzzer_sys::fuzz_target;

fn look(nodes: &[Trajectory]) {
    for node in nodes {
        for at in [Time::ZERO, Time::from_nanos(1_500_000_000), Time::from_nanos(u64::MAX / 4)] {
            let position = node.position(at);
            assert!(position.is_finite(), "{at}");
        }
    }
}

fuzz_target!(|text: &str| {
    match bonnmotion::parse(text) {
        Ok(nodes) => {
            look(&nodes);
            let again = bonnmotion::parse(&bonnmotion::print(&nodes));
            assert_eq!(again.map(|nodes| nodes.len()), Ok(nodes.len()));
            assert!(!ns2::print(&nodes).is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match sumo::parse(text) {
        Ok(Vehicles { names, nodes, switches }) => {
            look(&nodes);
            assert_eq!(names.len(), nodes.len());
            assert_eq!(outages(&switches, nodes.len()).len(), nodes.len());
        }
        Err(error) => assert!(error.line <= text.matches('\n').count() + 1, "{error}"),
    }
});
