//! `--set key=value`: changes to the file before it is read.

use core::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeString, DeValue};

use super::document::{Document, Key, Table, Value};
use super::wording::describe;
use crate::source::OVERRIDE;

/// Applies one override. Errors later found in the value point at the override.
pub(crate) fn apply<'i>(document: &mut Document, root: &mut Table<'i>, key: &'i str, value: &'i str) {
    let origin = format!("{OVERRIDE}{key}={value}");
    let base = document.sources.add(origin.as_str(), origin.as_str());
    let key_at = base + OVERRIDE.len();
    let value_at = key_at + key.len() + 1;
    let value_span = value_at..value_at + value.len();
    let refused = match read_value(value) {
        Err(reason) => Err((value_span, reason)),
        Ok(read) => steps(key, key_at).and_then(|steps| {
            let blank = value.len() - value.trim_start().len();
            set(root, &steps, &shifted(read, value_at + blank))
        }),
    };
    if let Err((span, reason)) = refused {
        document.refuse_at(span, key, reason);
    }
}

/// The value, read as TOML; a bare word is a string.
fn read_value(value: &str) -> Result<Value<'_>, String> {
    let trimmed = value.trim();
    if trimmed.is_empty() {
        return Err("a value is missing after '='".to_owned());
    }
    match DeValue::parse(trimmed) {
        Ok(read) => Ok(read),
        Err(error) if trimmed.starts_with(['"', '\'', '[', '{']) => Err(format!("not TOML: {}", error.message())),
        Err(_) => Ok(Spanned::new(0..trimmed.len(), DeValue::String(trimmed.to_owned().into()))),
    }
}

/// One part of a dotted key, and where it stands.
type Step<'a> = (&'a str, Range<usize>);
/// Where and why an override does not apply.
type Refusal = (Range<usize>, String);

fn steps(key: &str, mut at: usize) -> Result<Vec<Step<'_>>, Refusal> {
    let mut steps = Vec::new();
    for part in key.split('.') {
        let span = at..at + part.len();
        if part.trim().is_empty() {
            return Err((span, "a part of this key is empty".to_owned()));
        }
        at = span.end + 1;
        steps.push((part.trim(), span));
    }
    Ok(steps)
}

/// The value with every part of it standing where it does among all texts, `by` bytes further on.
pub(super) fn shifted<'i>(value: Value<'i>, by: usize) -> Value<'i> {
    let span = moved(value.span(), by);
    let value = match value.into_inner() {
        DeValue::Array(array) => DeValue::Array(array.into_iter().map(|entry| shifted(entry, by)).collect()),
        DeValue::Table(table) => {
            let entry = |(key, value): (Key<'i>, _)| {
                (Spanned::new(moved(key.span(), by), key.into_inner()), shifted(value, by))
            };
            DeValue::Table(table.into_iter().map(entry).collect())
        }
        other => other,
    };
    Spanned::new(span, value)
}

pub(super) const fn moved(span: Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

fn set<'i>(table: &mut Table<'i>, steps: &[Step<'i>], value: &Value<'i>) -> Result<(), Refusal> {
    let Some(((part, span), rest)) = steps.split_first() else { return Ok(()) };
    let key: Key<'i> = Spanned::new(span.clone(), DeString::Borrowed(part));
    if rest.is_empty() {
        table.remove(*part); // a map keeps its old key, but errors shall point at the new one
        table.insert(key, value.clone());
        return Ok(());
    }
    if table.get(*part).is_none() {
        table.insert(key, Spanned::new(span.clone(), DeValue::Table(Table::new())));
    }
    let next = table.get_mut(*part).expect("present or just inserted");
    match next.get_mut() {
        DeValue::Table(inner) => set(inner, rest, value),
        DeValue::Array(list) => set_in_list(list, rest, span, value),
        other => Err((span.clone(), format!("'{part}' is {}, not a table", describe(other)))),
    }
}

/// `flows.0.start_s`: of one entry; `flows.start_s`: of all.
fn set_in_list<'i>(
    list: &mut DeArray<'i>,
    steps: &[Step<'i>],
    whole: &Range<usize>,
    value: &Value<'i>,
) -> Result<(), Refusal> {
    let entries = list.len();
    let (word, span) = &steps[0];
    let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    let (chosen, rest) = match word.parse::<usize>() {
        Ok(n) if n < entries && word.bytes().all(|b| b.is_ascii_digit()) => (n..n + 1, &steps[1..]),
        // No key begins like a number: this one is meant to be the place of an entry.
        _ if is_number => {
            let reason = format!("there is no entry {word}: the list has {entries}, counted from 0");
            return Err((span.clone(), reason));
        }
        _ => (0..entries, steps),
    };
    if chosen.is_empty() {
        return Err((whole.clone(), "the list is empty: there is nothing to set".to_owned()));
    }
    for entry in list.iter_mut().take(chosen.end).skip(chosen.start) {
        if rest.is_empty() {
            *entry = value.clone();
            continue;
        }
        match entry.get_mut() {
            DeValue::Table(table) => set(table, rest, value)?,
            other => {
                let reason = format!("an entry of this list is {}, not a table", describe(other));
                return Err((whole.clone(), reason));
            }
        }
    }
    Ok(())
}
