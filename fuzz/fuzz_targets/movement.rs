//! Any text as an ns-2 movement file: an answer with line and column, or nodes with finite positions.
#![no_main]

use hopwright_machine::Time;
use hopwright_mobility::ns2;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match ns2::parse(text) {
        Ok(nodes) => {
            for node in &nodes {
                for at in [Time::ZERO, Time::from_nanos(1_500_000_000), Time::from_nanos(u64::MAX / 4)] {
                    let position = node.position(at);
                    assert!(position.is_finite(), "{at}");
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
