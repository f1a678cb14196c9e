//! Reads the folder `scripts` of this crate.

use std::fs;
use std::path::Path;

use crate::parse::parse;
use crate::script::Script;

/// Scripts that neither the engine nor a kernel keeps to. A checker that lets them pass checks nothing.
pub const WRONG: [&str; 16] = [
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 999",
    "0ms < 0:1000\n 0ms > readable 999\n 0ms > ack 1000",
    "0ms < 0:1000\n 0ms > readable 1000",
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 1000\n 0ms > ack 1000",
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 1000 seq 1",
    "0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 1000 win 0",
    "0ms write 500\n 0ms > 0:501\n 100ms < ack 500",
    "0ms write 500\n 0ms > 0:500\n 600ms > 0:500\n 700ms < ack 500",
    "0ms write 500\n 0ms > 0:500\n 150ms > 0:500\n 160ms < ack 500",
    "0ms write 500\n 0ms > 0:500\n 600ms = state Established",
    "0ms < fin 0\n 0ms > peer-closed\n 0ms > ack 1\n 10ms = state Established",
    "0ms < fin 0\n 0ms > ack 1\n 10ms = state CloseWait",
    "0ms < rst\n 0ms = state Closed",
    "0ms < rst\n 0ms > timed-out",
    "set explicit_read true\n 0ms < raw A seq 0 text ab\n 0ms > readable 2\n 0ms > ack 2\n 0ms = received ac",
    "set timestamps true\n 0ms < 0:10 ts 600\n 0ms > readable 10\n 0ms > ack 10 ecr 500",
];

/// All scripts in `scripts/`, by their names within the folder, sorted.
///
/// # Panics
/// If the folder cannot be read, or a script has a mistake.
#[must_use]
pub fn library() -> Vec<(String, Script)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let mut scripts = vec![];
    for topic in fs::read_dir(&folder).unwrap() {
        for file in fs::read_dir(topic.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.strip_prefix(&folder).unwrap().display().to_string();
            assert!(name.ends_with(".talk"), "{name} is no script");
            let script = parse(&fs::read_to_string(&path).unwrap());
            scripts.push((name.clone(), script.unwrap_or_else(|mistake| panic!("{name}: {mistake}"))));
        }
    }
    scripts.sort_by(|(a, _), (b, _)| a.cmp(b));
    scripts
}
