//! Errors as rustc prints them; what is wrong in the same way at several places is told once.

use core::fmt;
use core::ops::Range;
use std::collections::BTreeMap;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::error::{ScenarioError, ScenarioErrors};
use crate::source::{Source, Sources};

/// Places of one error that are shown: whoever mends these knows where the others are.
const MOST_PLACES: usize = 3;

/// Errors that say different things and are shown: what is behind them is counted.
const MOST_ERRORS: usize = 10;

/// Longer lines, in bytes, are no help to anybody.
const LONGEST_SHOWN: usize = 10_000;

impl ScenarioErrors {
    /// For people: each error with the line it is about, as rustc prints it, of many the first ones; with colours if asked
    /// for.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let groups = alike(self.errors());
        let (shown, left) = groups.split_at(groups.len().min(MOST_ERRORS));
        let mut told: Vec<_> = shown.iter().map(|same| group(same, &self.sources)).collect();
        let more: usize = left.iter().map(Vec::len).sum();
        if more > 0 {
            told.push(Group::with_title(Level::ERROR.primary_title(format!("{more} more errors are not shown"))));
        }
        told.into_iter().map(|group| renderer.render(&[group]) + "\n").collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for ScenarioErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl core::error::Error for ScenarioErrors {}

/// The errors, those together that say the same of keys which differ in positions alone, as of every flow.
fn alike(errors: &[ScenarioError]) -> Vec<Vec<&ScenarioError>> {
    let mut groups: Vec<Vec<&ScenarioError>> = Vec::new();
    let mut known = BTreeMap::new();
    for error in errors {
        let said = (pattern(&error.key), &error.reason, &error.did_you_mean, &error.help);
        let place = *known.entry(said).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(error),
            None => groups.push(vec![error]),
        }
    }
    groups
}

/// `flows.*.transport.protocol`.
fn pattern(key: &str) -> String {
    let step = |step: &str| if step.bytes().all(|c| c.is_ascii_digit()) { "*" } else { step }.to_owned();
    key.split('.').map(step).collect::<Vec<_>>().join(".")
}

/// What errors that are alike say.
fn message(same: &[&ScenarioError]) -> String {
    let message = same[0].message();
    match same.len() - 1 {
        0 => message,
        more if same[0].key.is_empty() => format!("{message} (and {more} more)"),
        more => format!("{} (and {more} more){}", same[0].key, &message[same[0].key.len()..]),
    }
}

/// What an error is about: its span in a source, and the lines that hold it.
struct Shown<'a> {
    source: &'a Source,
    lines: Range<usize>,
    span: Range<usize>,
}

/// Only the lines concerned: a movement file may have a million.
fn shown<'a>(error: &ScenarioError, sources: &'a Sources) -> Option<Shown<'a>> {
    let span = error.span.as_ref()?;
    let source = sources.of(span.start)?;
    let span = source.local(span);
    let first = source.text[..span.start].rfind('\n').map_or(0, |n| n + 1);
    let last = source.text[span.end..].find('\n').map_or(source.text.len(), |n| span.end + n);
    (last - first <= LONGEST_SHOWN).then_some(Shown { source, lines: first..last, span })
}

fn group<'a>(same: &[&'a ScenarioError], sources: &'a Sources) -> Group<'a> {
    let mut places: Vec<_> = same.iter().filter_map(|error| shown(error, sources)).collect();
    places.dedup_by(|a, b| core::ptr::eq(a.source, b.source) && a.span == b.span);
    let mut group = Group::with_title(Level::ERROR.primary_title(match places.is_empty() {
        true => format!("{}: {}", same[0].place(), message(same)),
        false => message(same),
    }));
    for Shown { source, lines, span } in places.into_iter().take(MOST_PLACES) {
        group = group.element(
            Snippet::source(&source.text[lines.clone()])
                .path(source.name.as_str())
                .line_start(source.position(span.start).0)
                .annotation(AnnotationKind::Primary.span(span.start - lines.start..span.end - lines.start)),
        );
    }
    if let Some(help) = &same[0].help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}
