//! Any text as a conversation script: a script, or a mistake with its line.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(mistake) = hopwright_converse::parse(text) {
        assert!(!mistake.to_string().is_empty());
    }
});
