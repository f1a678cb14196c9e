//! The parsed file, in which every key and value knows where it stands; and the errors found so far.

use core::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::wording::shortened;
use crate::error::{ScenarioError, ScenarioErrors};
use crate::schema::keys_called;
use crate::source::{OVERRIDE, Sources};
use crate::suggest::nearest;

/// A table of the file.
pub(crate) type Table<'i> = DeTable<'i>;
/// A key of the file.
pub(crate) type Key<'i> = Spanned<DeString<'i>>;
/// A value of the file.
pub(crate) type Value<'i> = Spanned<DeValue<'i>>;

/// More errors than this are not told: nobody reads them, and each costs a walk through the text.
const MOST_ERRORS: usize = 100;
/// Longer keys, tables around them included, are none of a scenario's: where they stand is not noted.
const LONGEST_KEY: usize = 200;

/// What is known about the file besides its contents: its text, where each key stands, the errors found so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    pub(crate) sources: Sources,
    /// Shared, as each run looks at them anew.
    places: Arc<FxHashMap<String, Range<usize>>>,
    pub(crate) errors: Vec<ScenarioError>,
    /// The last of those that are too many.
    untold: Option<ScenarioError>,
}

impl Document {
    /// Nothing known yet but the texts.
    pub(crate) fn about(sources: Sources) -> Self {
        Self { sources, ..Self::default() }
    }

    /// Notes that something is wrong at `span`.
    pub(crate) fn refuse_at(&mut self, span: Range<usize>, key: &str, reason: String) -> &mut ScenarioError {
        let (mut origin, mut line, mut column) = (String::new(), 0, 0);
        let is_told = self.errors.len() < MOST_ERRORS;
        if is_told && let Some(source) = self.sources.of(span.start) {
            origin.clone_from(&source.name);
            (line, column) = source.position(source.local(&span).start);
        }
        let key = key.to_owned();
        let (did_you_mean, help, span) = (None, None, Some(span));
        let error = ScenarioError { origin, line, column, key, reason, did_you_mean, help, span };
        if !is_told {
            return self.untold.insert(error);
        }
        self.errors.push(error);
        self.errors.last_mut().expect("just pushed")
    }

    /// Notes that the value of `key` is wrong; where the file does not give it, the nearest table that it does.
    pub(crate) fn refuse(&mut self, key: &str, reason: String) -> &mut ScenarioError {
        let span = self.place(key);
        self.refuse_at(span, key, reason)
    }

    /// Notes that a key is not known here; says where keys of this name are, or which one is nearest among `known`.
    pub(crate) fn refuse_key(&mut self, key: &Key<'_>, path: &str, reason: Option<String>, known: &[&str]) {
        let word = shortened(key.get_ref()).into_owned();
        let path = join(path, &word);
        let told = reason.is_some();
        let error = self.refuse_at(key.span(), &path, reason.unwrap_or_else(|| "unknown key".to_owned()));
        if !told {
            let near = nearest(&word, known.iter().copied());
            let lacks_unit = |near: &String| near.strip_prefix(&word).is_some_and(|unit| unit.starts_with('_'));
            match keys_called(&word).as_slice() {
                // `start` for `start_s`.
                _ if near.as_ref().is_some_and(lacks_unit) => error.did_you_mean = near,
                // A key at the top has no other name than the one that was written.
                [only] if *only == word => {
                    error.help = Some(format!("'{word}' is a key at the top of the scenario, not of a table"));
                }
                // The right key in the wrong place: `--set hops=3`.
                [only] => error.did_you_mean = Some(only.clone()),
                [] => error.did_you_mean = near,
                several => error.help = Some(format!("keys of this name: {}", several.join(", "))),
            }
            if error.did_you_mean.is_none() && error.help.is_none() && !known.is_empty() {
                error.help = Some(format!("keys known here: {}", known.join(", ")));
            }
        }
    }

    /// Whether a key, or a table around it, is there under a wrong name: then it is not missing too.
    pub(crate) fn is_misspelt(&self, key: &str) -> bool {
        let meant = |e: &ScenarioError| {
            let around = e.key.rsplit_once('.').map_or("", |(around, _)| around);
            let word = e.did_you_mean.as_ref().filter(|_| !self.gives(key))?;
            Some(if word.contains('.') { word.clone() } else { join(around, word) })
        };
        self.errors.iter().filter_map(meant).any(|right| key == right || key.starts_with(&format!("{right}.")))
    }

    /// Whether nothing was found wrong at `path` or below.
    pub(crate) fn is_clean(&self, path: &str) -> bool {
        !self.errors.iter().any(|e| e.key == path || e.key.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
    }

    /// Whether the file or an override gives this key.
    pub(crate) fn gives(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    /// The value of a key is that of another one, too.
    pub(crate) fn also_called(&mut self, key: &str, other: &str) {
        if let Some(span) = self.places.get(key).cloned() {
            Arc::make_mut(&mut self.places).insert(other.to_owned(), span);
        }
    }

    /// Whether an override gives this key.
    pub(crate) fn is_overridden(&self, key: &str) -> bool {
        let place = self.places.get(key).and_then(|span| self.sources.of(span.start));
        place.is_some_and(|source| source.name.starts_with(OVERRIDE))
    }

    /// Whether the file itself or an override gives this key, and not a file that it names.
    pub(crate) fn is_own(&self, key: &str) -> bool {
        let place = self.places.get(key).and_then(|span| self.sources.of(span.start));
        place.is_some_and(|source| source.is_first() || source.name.starts_with(OVERRIDE))
    }

    /// All errors, if any.
    pub(crate) fn verdict(&self) -> Result<(), ScenarioErrors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        let mut errors = self.errors.clone();
        // What the command line did wrong concerns the person at it most; then as a reader meets it.
        errors.sort_by_key(|e| (!e.origin.starts_with(OVERRIDE), e.span.as_ref().map_or(0, |s| s.start)));
        Err(ScenarioErrors::new(errors, self.sources.clone()))
    }

    /// Where the value of `key` stands, or that of the nearest table around it.
    fn place(&self, key: &str) -> Range<usize> {
        let mut key = key;
        loop {
            if let Some(span) = self.places.get(key) {
                return span.clone();
            }
            let Some((around, _)) = key.rsplit_once('.') else { return 0..0 };
            key = around;
        }
    }

    /// Notes where every key of `table` stands.
    pub(crate) fn survey(&mut self, table: &Table<'_>, path: &str) {
        for (key, value) in table {
            self.survey_value(value, join(path, key.get_ref()));
        }
    }

    fn survey_value(&mut self, value: &Value<'_>, path: String) {
        if path.len() > LONGEST_KEY {
            return;
        }
        match value.get_ref() {
            DeValue::Table(table) => self.survey(table, &path),
            DeValue::Array(list) => {
                for (n, entry) in list.iter().enumerate() {
                    self.survey_value(entry, join(&path, &n.to_string()));
                }
            }
            _ => {}
        }
        Arc::make_mut(&mut self.places).insert(path, value.span());
    }
}

/// A key below a path.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { [path, ".", key].concat() }
}
