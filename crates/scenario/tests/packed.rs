//! Movement files that gzip has packed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use hopwright_scenario::{Loaded, load};

use crate::common::read;

fn packed(name: &str) -> Vec<u8> {
    let text = fs::read(Path::new("tests/files").join(name)).expect("it is there");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&text).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn scenario(kind: &str, file: &str) -> String {
    format!("duration_s = 5\nrouting.protocol = 'aodv'\ntopology = {{ kind = '{kind}', file = '{file}' }}\n")
}

/// A scenario in a folder of its own, with a movement file of this content beside it.
fn beside(folder: &str, kind: &str, file: &str, content: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed").join(folder);
    fs::create_dir_all(&folder).expect("a folder to write into");
    fs::write(folder.join(file), content).expect("it can be written");
    fs::write(folder.join("a.toml"), scenario(kind, file)).expect("it can be written");
    folder.join("a.toml")
}

#[test]
fn every_format_may_be_packed_whatever_the_file_is_called() {
    let nodes = |loaded: &Loaded| loaded.setup(1).expect("it has no flows").nodes;
    for (kind, plain, called, unpacked) in [
        ("bonnmotion", "two.movements", "two.movements.gz", "scenario-movement.movements"),
        ("ns2", "moving.tcl", "moving.tcl", "scenario-movement.tcl"),
        ("sumo-fcd", "cars.xml", "cars.gz", "scenario-movement.txt"),
    ] {
        let loaded = load(&beside(kind, kind, called, &packed(plain)), &[]).unwrap_or_else(|errors| panic!("{errors}"));
        let plainly = read(&scenario(kind, plain), &[]).expect("it is right");
        assert_eq!(nodes(&loaded), nodes(&plainly), "{kind}");
        assert_eq!(loaded.movement(), plainly.movement());
        assert_eq!(loaded.in_one_folder("").1[0].0, unpacked);
    }
}

#[test]
fn a_damaged_file_is_one_error() {
    let told = |folder: &str, content: &[u8]| {
        let path = beside(folder, "bonnmotion", "two.movements.gz", content);
        let errors = load(&path, &[]).expect_err("damaged");
        assert_eq!(errors.errors().len(), 1, "{errors}");
        errors.errors()[0].message().replace(&path.parent().unwrap().display().to_string(), "FOLDER")
    };
    let whole = packed("two.movements");
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    let file = "topology.file: FOLDER/two.movements.gz cannot be read";
    assert_eq!(
        told("cut", &whole[..whole.len() / 2]),
        format!("{file}: packed by gzip, and damaged: it ends in the middle")
    );
    assert_eq!(
        told("changed", &changed),
        format!("{file}: packed by gzip, and damaged: corrupt gzip stream does not have a matching checksum")
    );
    // Packed by another program: nothing of it is shown.
    assert_eq!(
        told("xz", b"\xfd7zXZ\0\0\x04"),
        "not a text file: it has bytes of value 0, as packed files and UTF-16 have"
    );
}

#[test]
fn a_scenario_itself_is_not_packed() {
    let path = beside("whole", "ns2", "b.gz", &packed("latin1.toml"));
    let error = load(&path.with_file_name("b.gz"), &[]).expect_err("no text").to_string();
    assert!(error.contains("not a text file"), "{error}");
}
