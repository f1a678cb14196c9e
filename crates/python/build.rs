//! Tells the program what it is made of: a number that changes with every source that results depend on.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The crates between a scenario and its results.
const CRATES: &[&str] =
    &["machine", "wire", "transport", "bundle", "routing", "link", "radio", "mobility", "shape", "sim", "scenario"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    let mut files = vec![root.join("Cargo.lock")];
    for name in CRATES {
        let folder = root.join("crates").join(name);
        files.push(folder.join("Cargo.toml"));
        collect(&folder.join("src"), &mut files);
    }
    let mut hash = 0xcbf2_9ce4_8422_2325; // FNV-1a
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        for byte in fs::read(&file).unwrap_or_default() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=HOPWRIGHT_BUILD={:012x}", hash >> 16);
}

/// All files below a folder, in an order that is the same everywhere.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
