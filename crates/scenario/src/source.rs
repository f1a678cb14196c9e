//! The texts that a scenario comes from, laid end to end, so that one number says where something stands.

use core::ops::Range;
use std::sync::Arc;

/// How the name of a source begins that is an override.
pub(crate) const OVERRIDE: &str = "--set ";

/// The texts that a scenario comes from. Shared, as each run looks at them anew.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Sources(Arc<Vec<Source>>);

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// The file's path, or the override.
    pub(crate) name: String,
    pub(crate) text: String,
    /// Where the text starts among all.
    base: usize,
}

impl Sources {
    /// Adds a text; says where it starts.
    pub(crate) fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        let base = self.0.last().map_or(0, |s| s.base + s.text.len() + 1);
        Arc::make_mut(&mut self.0).push(Source { name: name.into(), text: text.into(), base });
        base
    }

    /// The text in which `at` stands.
    pub(crate) fn of(&self, at: usize) -> Option<&Source> {
        self.0.iter().rev().find(|s| s.base <= at)
    }

    /// The first text: the scenario file.
    pub(crate) fn first(&self) -> Option<&Source> {
        self.0.first()
    }
}

impl Source {
    /// Whether it is the first text: the scenario file.
    pub(crate) const fn is_first(&self) -> bool {
        self.base == 0
    }

    /// `span` counted within this text, cut to whole characters inside it.
    pub(crate) fn local(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.text.floor_char_boundary(span.start.saturating_sub(self.base).min(self.text.len()));
        let end = self.text.ceil_char_boundary(span.end.saturating_sub(self.base).min(self.text.len()));
        start..end.max(start)
    }

    /// Line and column, both from 1, of a place in this text.
    pub(crate) fn position(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// Where a place given as line and column stands among all texts: the span of the rest of that line.
    pub(crate) fn rest_of_line(&self, line: usize, column: usize) -> Range<usize> {
        let mut start = 0;
        for _ in 1..line.max(1) {
            start += self.text[start..].find('\n').map_or(self.text.len() - start, |n| n + 1);
        }
        let rest = self.text[start..].lines().next().unwrap_or("");
        let skip: usize = rest.chars().take(column.max(1) - 1).map(char::len_utf8).sum();
        self.base + start + skip..self.base + start + rest.trim_end().len().max(skip)
    }
}
