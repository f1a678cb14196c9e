//! Mutants that change nothing that matters, and why: `equivalent.toml`.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::Fault;
use crate::find::Mutant;

/// One entry. A mutant is known by its file, function and text: lines move.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    function: String,
    original: String,
    mutated: String,
    why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    mutant: Vec<Entry>,
}

/// The list.
#[derive(Debug)]
pub(crate) struct Equivalents {
    keys: BTreeSet<Key>,
}

impl Equivalents {
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let list: List = toml::from_str(&std::fs::read_to_string(path)?)?;
        if let Some(entry) = list.mutant.iter().find(|entry| entry.why.trim().is_empty()) {
            return Err(format!("{}: no reason: {}", path.display(), entry.mutated).into());
        }
        let keys = list.mutant.into_iter().map(|e| [e.file, e.function, e.original, e.mutated]).collect();
        Ok(Self { keys })
    }

    pub(crate) fn has(&self, file: &str, mutant: &Mutant) -> bool {
        self.keys.contains(&key(file, mutant))
    }

    /// Entries of this crate that are no mutant's: their code has changed.
    pub(crate) fn stale<'a>(&'a self, folder: &str, known: &BTreeSet<Key>) -> Vec<&'a Key> {
        self.keys.iter().filter(|key| key[0].starts_with(folder) && !known.contains(*key)).collect()
    }
}

/// What a mutant is known by: file, function, original and mutated text.
pub(crate) type Key = [String; 4];

pub(crate) fn key(file: &str, mutant: &Mutant) -> Key {
    [file.to_owned(), mutant.function.clone(), mutant.original.clone(), mutant.mutated.clone()]
}
