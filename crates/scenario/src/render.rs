//! Errors as rustc prints them.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::error::ScenarioError;
use crate::source::Sources;

pub(crate) fn render(errors: &[ScenarioError], sources: &Sources, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    errors.iter().map(|e| renderer.render(&[group(e, sources)]) + "\n").collect::<Vec<_>>().join("\n")
}

/// Longer lines are no help to anybody.
const LONGEST_SHOWN: usize = 10_000;

/// An error without the line that it is about.
fn without_line(error: &ScenarioError) -> Group<'_> {
    Group::with_title(Level::ERROR.primary_title(error.to_string()))
}

fn group<'a>(error: &'a ScenarioError, sources: &'a Sources) -> Group<'a> {
    let title = Level::ERROR.primary_title(error.message());
    let mut group = match error.span.as_ref().and_then(|span| Some((sources.of(span.start)?, span))) {
        Some((source, span)) => {
            let span = source.local(span);
            // Only the lines concerned: a movement file may have a million.
            let first = source.text[..span.start].rfind('\n').map_or(0, |n| n + 1);
            let last = source.text[span.end..].find('\n').map_or(source.text.len(), |n| span.end + n);
            if last - first > LONGEST_SHOWN {
                return without_line(error);
            }
            title.element(
                Snippet::source(&source.text[first..last])
                    .path(source.name.as_str())
                    .line_start(error.line)
                    .annotation(AnnotationKind::Primary.span(span.start - first..span.end - first)),
            )
        }
        None => without_line(error),
    };
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}
