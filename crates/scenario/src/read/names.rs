//! Nodes by name: where a key takes the number of a node, the name of a vehicle stands as well.

use core::ops::Range;

use rustc_hash::FxHashMap;
use toml::de::DeValue;

use super::document::{Document, Table};
use super::link_files::{entry, tables};
use super::wording::{list, shortened};
use crate::suggest::nearest;

/// The keys that take a name: of the entries of which list. Relays and links are missing: no vehicle has any.
pub(crate) const NAMING: &[(&str, &str)] =
    &[("flows", "from"), ("flows", "to"), ("events", "node"), ("errors", "from"), ("errors", "to"), ("attach", "node")];

/// So many of the names that there are stand in a message.
const SHOWN: usize = 5;

/// A node that the scenario calls by a name.
#[derive(Debug)]
pub(crate) struct Named {
    list: &'static str,
    entry: usize,
    key: &'static str,
    word: String,
    span: Range<usize>,
}

/// The nodes that the scenario calls by names.
pub(crate) fn named(root: &Table<'_>) -> Vec<Named> {
    let mut found = vec![];
    for &(list, key) in NAMING {
        for (entry, table) in tables(root, list) {
            if let Some(value) = table.get(key)
                && let DeValue::String(word) = value.get_ref()
            {
                found.push(Named { list, entry, key, word: word.to_string(), span: value.span() });
            }
        }
    }
    found
}

/// The number of each node, as text; 0 where a name is refused, so that the search for errors goes on. `names`: those of all
/// nodes, from a file.
pub(crate) fn numbers(document: &mut Document, named: &[Named], file: &str, names: &[String]) -> Vec<String> {
    let known: FxHashMap<&str, usize> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
    let number = |named: &Named| {
        let found = known.get(named.word.as_str()).copied();
        if found.is_none() {
            let key = format!("{}.{}.{}", named.list, named.entry, named.key);
            let word = shortened(&named.word).escape_debug().to_string();
            let reason = if names.is_empty() {
                format!(
                    "expected a whole number, found the string '{word}': nodes have names only with topology.kind = 'sumo-fcd'"
                )
            } else {
                let such_as = if names.len() > SHOWN { "such as " } else { "" };
                let shown = list(&names[..names.len().min(SHOWN)]);
                format!("'{word}' is none of the {} vehicles in {file}: {such_as}{shown}", names.len())
            };
            let error = document.refuse_at(named.span.clone(), &key, reason);
            if error.line > 0 {
                error.did_you_mean = nearest(&named.word, names.iter().map(String::as_str)); // of an error that is told
            }
        }
        found.unwrap_or_default().to_string()
    };
    named.iter().map(number).collect()
}

/// Puts the numbers in place of the names.
pub(crate) fn number<'i>(root: &mut Table<'i>, named: &[Named], numbers: &'i [String]) {
    for (named, number) in named.iter().zip(numbers) {
        let number = DeValue::parse(number).expect("a number is TOML").into_inner();
        if let Some(value) = entry(root, named.list, named.entry).and_then(|table| table.get_mut(named.key)) {
            *value.get_mut() = number;
        }
    }
}
