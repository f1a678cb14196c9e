//! Worked examples: of each there is a test, whose comment begins a line with its number, `Vector X3: ...`.

use std::fs;
use std::path::Path;

/// How many there are: of mechanisms (X), monitors (M), adapting (A), TFRC (T), WTCP (W) and STP (S).
const VECTORS: [(char, u32); 6] = [('X', 13), ('M', 4), ('A', 4), ('T', 5), ('W', 4), ('S', 4)];

/// Finds the numbers that are named right before tests, in all sources of a folder.
fn collect(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut named = vec![];
            for line in fs::read_to_string(&path).unwrap().lines().map(str::trim_start) {
                let vector = |text: &str| Some(text.strip_prefix("Vector ")?.split_once(':')?.0.to_owned());
                match line.strip_prefix("/// ") {
                    Some(text) => named.extend(vector(text)),
                    None if line == "#[test]" => found.append(&mut named),
                    None => named.clear(),
                }
            }
        }
    }
}

#[test]
fn every_vector_is_a_test() {
    let mut found = vec![];
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let folders = ["src", "tests"].map(|name| entry.as_ref().unwrap().path().join(name));
        folders.iter().filter(|folder| folder.is_dir()).for_each(|folder| collect(folder, &mut found));
    }
    let wanted = VECTORS.iter().flat_map(|&(letter, count)| (1..=count).map(move |n| format!("{letter}{n}")));
    let mut wanted: Vec<_> = wanted.collect();
    wanted.sort();
    found.sort();
    found.dedup(); // M3 is the work of several crates
    assert_eq!(found, wanted);
}
