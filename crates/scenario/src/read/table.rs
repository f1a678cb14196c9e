//! From a table of the file to a structure, with every error of the table, each at its place.

use core::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::document::{Document, Key, Table, Value, join};
use super::fields::fields;
use super::wording::{NO_WORD, complaint, describe, list, shortened};
use crate::model::limits::limit;
use crate::schema::required;
use crate::suggest::nearest;

impl Document {
    /// Reads a whole table; keys that `T` does not have are refused. `elsewhere` may know where such a key
    /// belongs. `defaults` is TOML.
    pub(crate) fn read<T: DeserializeOwned + JsonSchema>(
        &mut self,
        table: &Table<'_>,
        path: &str,
        defaults: &str,
        elsewhere: impl Fn(&str) -> Option<String>,
    ) -> Option<T> {
        self.refuse_unknown(table, path, fields::<T>(), elsewhere);
        self.read_part(table, path, defaults)
    }

    /// Refuses the keys of a table that are not `known`.
    pub(crate) fn refuse_unknown(
        &mut self,
        table: &Table<'_>,
        path: &str,
        known: &[&str],
        elsewhere: impl Fn(&str) -> Option<String>,
    ) {
        for (key, _) in in_file_order(table) {
            if !known.contains(&key.get_ref().as_ref()) {
                self.refuse_key(key, path, elsewhere(key.get_ref()), known);
            }
        }
    }

    /// Reads those keys of a table that `T` has, and leaves the others alone. Keys the table does not give come
    /// from `defaults`.
    pub(crate) fn read_part<T: DeserializeOwned + JsonSchema>(
        &mut self,
        table: &Table<'_>,
        path: &str,
        defaults: &str,
    ) -> Option<T> {
        let mut part = Part::new(table, fields::<T>(), defaults);
        loop {
            match T::deserialize(ValueDeserializer::from(part.whole())) {
                Ok(read) => return (!part.refused).then_some(read),
                Err(error) if self.refuse_culprit::<T>(&mut part, path, &error) => {}
                Err(error) => {
                    self.refuse_lack(&part, path, &required::<T>(), &error);
                    return None;
                }
            }
        }
    }

    /// Refuses the value that an error points at, and leaves it out of the part; whether there is one.
    fn refuse_culprit<T: DeserializeOwned>(
        &mut self,
        part: &mut Part<'_>,
        path: &str,
        error: &toml::de::Error,
    ) -> bool {
        let at = error.span().unwrap_or(0..0);
        let culprit = part.entries.iter().find(|(_, v)| at.end > 0 && holds(v, &at));
        let Some((key, value)) = culprit.map(|(k, v)| (k.clone(), v.clone())) else { return false };
        let found = inner(value.get_ref(), &at).unwrap_or_else(|| value.get_ref());
        let full = join(path, key.get_ref());
        let mut said = complaint(error.message(), found, limit(&without_positions(&full)));
        if error.message() == NO_WORD {
            let words = part.words::<T>(&key);
            if !words.is_empty() {
                said.reason.push_str(&format!("; possible: {}", list(&words)));
            }
        }
        let refusal = self.refuse_at(at, &full, said.reason);
        refusal.did_you_mean = nearest(&said.word, said.choices.iter().map(String::as_str));
        part.leave_out(&key);
        true
    }

    /// Refuses a part of which no value is wrong: keys are missing. Those that were refused before are not missing too.
    fn refuse_lack(&mut self, part: &Part<'_>, path: &str, required: &[String], error: &toml::de::Error) {
        let before = self.errors.len();
        let missing: Vec<&String> = required.iter().filter(|k| !part.entries.contains_key(k.as_str())).collect();
        for key in missing.iter().filter(|key| !part.table.contains_key(key.as_str())) {
            self.refuse_missing(path, key);
        }
        if missing.is_empty() && self.errors.len() == before {
            self.refuse(path, error.message().to_owned());
        }
    }

    fn refuse_missing(&mut self, path: &str, missing: &str) {
        let key = join(path, missing);
        if !self.is_misspelt(&key) {
            self.refuse(&key, "this key is missing and has no default".to_owned());
        }
    }

    /// The table at `path` below the root, if the file gives it; an error if it is none.
    pub(crate) fn sub_table<'i>(&mut self, parent: &Table<'i>, path: &str, key: &str) -> Table<'i> {
        match parent.get(key).map(|v| (v.span(), v.get_ref())) {
            None => Table::new(),
            Some((_, DeValue::Table(table))) => table.clone(),
            Some((span, other)) => {
                let reason = format!("expected a table, found {}", describe(other));
                self.refuse_at(span, &join(path, key), reason);
                Table::new()
            }
        }
    }

    /// The word that chooses among `choices`.
    pub(crate) fn tag(
        &mut self,
        table: &Table<'_>,
        path: &str,
        key: &str,
        choices: &[&str],
        default: Option<&'static str>,
    ) -> Option<String> {
        let full = join(path, key);
        let Some(value) = table.get(key) else {
            if default.is_none() && !self.is_misspelt(&full) {
                self.refuse(&full, format!("this key is missing; possible: {}", list(choices)));
            }
            return default.map(str::to_owned);
        };
        match value.get_ref() {
            DeValue::String(word) if choices.contains(&word.as_ref()) => Some(word.to_string()),
            DeValue::String(word) => {
                let reason =
                    format!("'{}' does not exist; possible: {}", shortened(word).escape_debug(), list(choices));
                self.refuse_at(value.span(), &full, reason).did_you_mean = nearest(word, choices.iter().copied());
                None
            }
            other => {
                let reason = format!("expected a string, found {}; possible: {}", describe(other), list(choices));
                self.refuse_at(value.span(), &full, reason);
                None
            }
        }
    }
}

/// The keys of a table that a structure has, with the defaults of those that the table does not give. Apart from the
/// structure's type, for which all of this would be compiled again.
struct Part<'i> {
    table: &'i Table<'i>,
    defaults: Table<'i>,
    entries: Table<'i>,
    refused: bool,
}

impl<'i> Part<'i> {
    fn new(table: &'i Table<'i>, known: &[&str], defaults: &'i str) -> Self {
        let defaults = DeTable::parse(defaults).expect("defaults are TOML").into_inner();
        let defaults: Table<'_> = defaults.into_iter().map(|(k, v)| (nowhere(k), nowhere(v))).collect();
        let mut entries = Table::new();
        for (key, value) in defaults.iter().chain(table.iter()) {
            if known.contains(&key.get_ref().as_ref()) {
                entries.insert(key.clone(), value.clone());
            }
        }
        Self { table, defaults, entries, refused: false }
    }

    fn whole(&self) -> Spanned<DeValue<'i>> {
        Spanned::new(0..0, DeValue::Table(self.entries.clone()))
    }

    /// The words that a key takes; none if it takes others. The error about a wrong word tells them.
    fn words<T: DeserializeOwned>(&self, key: &Key<'i>) -> Vec<String> {
        let mut entries = self.entries.clone();
        entries.insert(key.clone(), Spanned::new(0..0, DeValue::String("".into())));
        let whole = Spanned::new(0..0, DeValue::Table(entries));
        match T::deserialize(ValueDeserializer::from(whole)) {
            Err(error) if error.message().starts_with("unknown variant ``") => {
                error.message().split('`').skip(3).step_by(2).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A key was refused: what follows is judged with its default.
    fn leave_out(&mut self, key: &Key<'i>) {
        self.refused = true;
        self.entries.remove(key.get_ref().as_ref());
        if let Some((_, value)) = self.defaults.get_key_value(key.get_ref().as_ref()) {
            self.entries.insert(key.clone(), value.clone());
        }
    }
}

/// A table's entries in the order in which they were written.
pub(super) fn in_file_order<'a, 'i>(table: &'a Table<'i>) -> Vec<(&'a Key<'i>, &'a Value<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Whether `at` lies in a value. A table made by dotted keys has no place of its own: what is in it has.
fn holds(value: &Value<'_>, at: &Range<usize>) -> bool {
    let contains = |span: Range<usize>| span.start <= at.start && at.end <= span.end;
    contains(value.span())
        || value.get_ref().as_table().is_some_and(|t| t.iter().any(|(k, v)| contains(k.span()) || holds(v, at)))
}

/// The innermost value at `at`.
fn inner<'a, 'i>(value: &'a DeValue<'i>, at: &Range<usize>) -> Option<&'a DeValue<'i>> {
    let item = value.as_array()?.iter().find(|v| v.span().start <= at.start && at.end <= v.span().end)?;
    Some(inner(item.get_ref(), at).unwrap_or_else(|| item.get_ref()))
}

/// A structure as the text of its defaults.
pub(crate) fn defaults_of(values: &impl Serialize) -> String {
    toml::to_string(values).expect("defaults can be printed")
}

/// A key as the list of limits writes it.
pub(super) fn without_positions(key: &str) -> String {
    key.split('.').filter(|part| part.parse::<usize>().is_err()).collect::<Vec<_>>().join(".")
}

/// Without a place in the file.
fn nowhere<T>(of: Spanned<T>) -> Spanned<T> {
    Spanned::new(0..0, of.into_inner())
}
