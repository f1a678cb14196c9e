//! Scenarios drawn over every key of the schema: those that are accepted run, twice alike, with their books in balance;
//! those that are refused say where and why. Overflow and debug assertions are on.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "the tests look at more of what comes of it")]
#[path = "../../crates/scenario/tests/draw/mod.rs"]
mod draw;

/// The movement and coefficient files that drawn scenarios name.
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/scenario/tests/files");

fuzz_target!(|bytes: &[u8]| {
    draw::draw_and_run(&mut draw::Dice::of_bytes(bytes), Path::new(FILES));
});
