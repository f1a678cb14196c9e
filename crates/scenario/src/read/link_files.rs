//! `links.N.profile = "FILE"`: a file that says what a link is like, read as if its keys stood in the scenario.

use std::path::Path;

use toml::Spanned;
use toml::de::DeValue;

use super::document::{Document, Key, Table, Value, join};
use super::links::{CHANGES, PROFILE, REVERSE, is_scenario, of_a_state};

/// Files that keys of a link name: their paths start where the file starts that has the key.
const PATHS: &[&str] = &["trace", "loss_trace"];
/// Keys of which one takes the place of the others.
const EITHER: &[&[&str]] = &[&["rate_kbps", "trace"], &["loss_percent", "bad_begins_percent", "loss_trace"]];

/// Where a file is named: a link, and a change of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    link: usize,
    change: Option<usize>,
}

impl Place {
    fn path(self) -> String {
        let link = format!("links.{}", self.link);
        self.change.map_or(link.clone(), |n| format!("{link}.changes.{n}"))
    }

    /// The key that names the file.
    pub(crate) fn key(self) -> String {
        join(&self.path(), PROFILE)
    }

    fn table<'a, 'i>(self, root: &'a mut Table<'i>) -> Option<&'a mut Table<'i>> {
        let link = entry(root, "links", self.link)?;
        match self.change {
            None => Some(link),
            Some(n) => entry(link, "changes", n),
        }
    }
}

/// A file that a link names.
#[derive(Debug)]
pub(crate) struct LinkText {
    pub(crate) place: Place,
    /// As it is named.
    pub(crate) path: String,
    /// What stands for the file in messages.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The files that links name.
pub(crate) fn link_files(document: &mut Document, root: &Table<'_>) -> Vec<(Place, String)> {
    let mut found = vec![];
    for (link, entry) in tables(root, "links") {
        let changes = tables(entry, "changes").map(|(n, change)| (Some(n), change));
        for (change, table) in std::iter::once((None, entry)).chain(changes) {
            if let Some(DeValue::String(path)) = table.get(PROFILE).map(Spanned::get_ref) {
                found.push((Place { link, change }, path.to_string()));
            }
        }
    }
    if !found.is_empty() {
        document.survey(root, ""); // whoever cannot read one says where it is named
    }
    found
}

/// Puts what the files say in place of their names; what the scenario says itself holds. What is wrong with a file is shown
/// in it.
pub(crate) fn include_links<'i>(document: &mut Document, root: &mut Table<'i>, files: &'i [LinkText]) {
    for LinkText { place, path, name, text } in files {
        let whole = super::parse_more(document, name, text);
        let Some(table) = place.table(root) else { continue };
        table.remove(PROFILE); // also where the file is wrong: that was told
        let Some((_, whole)) = whole else { continue };
        if is_scenario(document, &whole) {
            continue;
        }
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        let (known, said) = (of_a_state(), keys(table));
        for (key, value) in whole {
            let word = key.get_ref().to_string();
            let value = rebased(&word, value, folder);
            if word == CHANGES && place.change.is_some() {
                let reason = "belongs to the file of a link: this file describes a change of the link".to_owned();
                document.refuse_key(&key, &place.path(), Some(reason), &known);
            } else if word != CHANGES && !known.contains(&word.as_str()) {
                document.refuse_key(&key, &place.path(), None, &known);
            } else if word == REVERSE {
                back(table, key, value);
            } else {
                put(table, &said, key, value);
            }
        }
    }
}

/// What a file says of the way back.
fn back<'i>(table: &mut Table<'i>, key: Key<'i>, value: Value<'i>) {
    let span = value.span();
    let DeValue::Table(inner) = value.into_inner() else { return };
    let mut own = Table::new();
    let into = match table.get_mut(REVERSE).map(Spanned::get_mut) {
        Some(DeValue::Table(given)) => given,
        Some(_) => return, // no table: told when it is read
        None => &mut own,
    };
    let said = keys(into);
    for (key, value) in inner {
        put(into, &said, key, value);
    }
    if !table.contains_key(REVERSE) {
        table.insert(key, Spanned::new(span, DeValue::Table(own)));
    }
}

fn keys(table: &Table<'_>) -> Vec<String> {
    table.keys().map(|key| key.get_ref().to_string()).collect()
}

/// Puts a key into a table unless what that said itself (`said`) is in its way.
fn put<'i>(table: &mut Table<'i>, said: &[String], key: Key<'i>, value: Value<'i>) {
    let word = key.get_ref().to_string();
    let says = |other: &str| said.iter().any(|key| key == other);
    let is_instead = |either: &&[&str]| either.contains(&word.as_str()) && either.iter().any(|other| says(other));
    if says(&word) || EITHER.iter().any(is_instead) {
        return;
    }
    table.insert(key, value);
}

/// The value of a key, with paths in it that start where the scenario does, not where the file does.
fn rebased<'i>(key: &str, value: Value<'i>, folder: &Path) -> Value<'i> {
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::String(path) if PATHS.contains(&key) => {
            DeValue::String(folder.join(path.as_ref()).display().to_string().into())
        }
        DeValue::Array(list) => DeValue::Array(list.into_iter().map(|entry| rebased("", entry, folder)).collect()),
        DeValue::Table(table) => {
            let entry = |(key, value): (Key<'i>, _)| {
                let value = rebased(key.get_ref(), value, folder);
                (key, value)
            };
            DeValue::Table(table.into_iter().map(entry).collect())
        }
        other => other,
    };
    Spanned::new(span, value)
}

/// The tables of a list, with their places.
pub(super) fn tables<'a, 'i>(table: &'a Table<'i>, key: &str) -> impl Iterator<Item = (usize, &'a Table<'i>)> {
    let list = table.get(key).and_then(|value| value.get_ref().as_array());
    list.into_iter().flat_map(|list| list.iter()).enumerate().filter_map(|(n, entry)| match entry.get_ref() {
        DeValue::Table(table) => Some((n, table)),
        _ => None,
    })
}

/// A table of a list.
pub(super) fn entry<'a, 'i>(table: &'a mut Table<'i>, key: &str, place: usize) -> Option<&'a mut Table<'i>> {
    let DeValue::Array(list) = table.get_mut(key)?.get_mut() else { return None };
    match list.get_mut(place)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}
