//! From text to a scenario in which nothing is open: parse, apply overrides, read table by table.

mod attach;
mod document;
mod entries;
mod errors;
mod fields;
mod flows;
mod link_files;
mod links;
mod mac;
mod motion;
mod names;
mod overrides;
mod policy;
mod radio;
mod relays;
mod routing;
mod sections;
mod slots;
mod table;
mod transport;
mod triggers;
mod wording;

pub(crate) use document::{Document, Table, join};
pub(crate) use fields::fields;
pub(crate) use link_files::{LinkText, include_links, link_files};
pub(crate) use links::{LinkFile, next_state, only_link};
pub(crate) use names::{NAMING, named, number, numbers};
pub(crate) use overrides::apply;
pub(crate) use policy::{Policy, include, policies, policy_key};
pub(crate) use sections::{scenario, topology};
pub(crate) use triggers::only_triggers;
pub(crate) use wording::list;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use overrides::{moved, shifted};

/// How many errors of syntax are told: one slip often causes more.
const MOST_SYNTAX_ERRORS: usize = 3;

/// Parses the text of a scenario file.
pub(crate) fn parse<'i>(name: &str, text: &'i str) -> (Document, Table<'i>) {
    let mut document = Document::default();
    document.sources.add(name, text);
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in errors.iter().take(MOST_SYNTAX_ERRORS) {
        let span = error.span().unwrap_or(text.len()..text.len());
        document.refuse_at(span, "", no_toml(error, text));
    }
    (document, root.into_inner())
}

/// What is wrong with the syntax. The parser takes each bare word that begins with t, f, i or n for a boolean, or for `inf`
/// or `nan`; who wrote it most likely meant a string.
fn no_toml(error: &toml::de::Error, text: &str) -> String {
    let word = error.span().and_then(|span| text.get(span)).unwrap_or_default();
    let is_guessed = ["invalid float", "invalid boolean"].iter().any(|guess| error.message().starts_with(guess));
    let said = match word.to_lowercase().as_str() {
        "true" | "false" if is_guessed => "string values must be quoted; a boolean is `true` or `false`",
        _ if is_guessed && word.starts_with(char::is_alphabetic) => {
            "string values must be quoted, expected literal string"
        }
        _ => error.message(),
    };
    format!("not TOML: {said}")
}

/// A table without the places of its keys.
pub(crate) fn plain(table: Table<'_>) -> toml::Table {
    let whole = Spanned::new(0..0, DeValue::Table(table));
    toml::Table::deserialize(ValueDeserializer::from(whole)).expect("a table is a table")
}

/// Parses the text of a file that a scenario names: where it starts among all texts, and what it says. Nothing if it is not
/// TOML, which is told.
fn parse_more<'i>(document: &mut Document, name: &str, text: &'i str) -> Option<(usize, Table<'i>)> {
    let base = document.sources.add(name, text);
    let (read, errors) = DeTable::parse_recoverable(text);
    for error in errors.iter().take(MOST_SYNTAX_ERRORS) {
        let span = error.span().unwrap_or(text.len()..text.len());
        document.refuse_at(moved(span, base), "", no_toml(error, text));
    }
    let whole = shifted(Spanned::new(read.span(), DeValue::Table(read.into_inner())), base);
    match whole.into_inner() {
        DeValue::Table(table) if errors.is_empty() => Some((base, table)),
        _ => None,
    }
}
