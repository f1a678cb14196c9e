//! Reads the folder `scripts`.

use std::fs;
use std::path::Path;

use hopwright_converse::{Script, parse};

/// All scripts, by their names within the folder.
pub(crate) fn all() -> Vec<(String, Script)> {
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
