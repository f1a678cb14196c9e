//! Any text as a scenario file: what is accepted survives printing, what is refused says where and why.
#![no_main]

use std::path::Path;

use hopwright_scenario::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match parse("fuzz", text, Path::new("/nowhere"), &[]) {
        Ok(loaded) => {
            let printed = loaded.scenario.to_toml();
            let again = parse("printed", &printed, Path::new("/nowhere"), &[]).expect("refused although printed");
            assert_eq!(again.scenario, loaded.scenario);
        }
        Err(errors) => {
            let _ = errors.render(false);
            for error in errors.errors() {
                assert!(!error.reason.is_empty() && error.line > 0 && error.column > 0);
            }
        }
    }
});
