//! What a deserializer complains about, in the words of the person who wrote the file.

use std::borrow::Cow;

use toml::de::DeValue;

use crate::model::limits::Limit;

/// A complaint about one value.
pub(crate) struct Complaint {
    pub(crate) reason: String,
    /// The words that were possible here, if the value should have been one of a few.
    pub(crate) choices: Vec<String>,
    /// The word that was found instead.
    pub(crate) word: String,
}

/// What is said of a value that is no word, where a word is to stand.
pub(crate) const NO_WORD: &str = "wanted string or table";

/// Rewords `message`, which is about `found`; `limit`: the numbers allowed there.
pub(crate) fn complaint(message: &str, found: &DeValue<'_>, limit: Option<&Limit>) -> Complaint {
    let say = |reason| Complaint { reason, choices: Vec::new(), word: String::new() };
    if matches!(found, DeValue::Table(_))
        && (message.starts_with("unknown variant") || message.starts_with("expected table"))
    {
        return say("expected a string, found a table".to_owned()); // serde would take a table of one key for a word
    }
    if message.starts_with("unknown variant") {
        let mut words = message.split('`').skip(1).step_by(2).map(str::to_owned);
        let word = shortened(&words.next().unwrap_or_default()).into_owned();
        let choices: Vec<String> = words.collect();
        let reason = format!("'{word}' does not exist; possible: {}", list(&choices));
        return Complaint { reason, choices, word };
    }
    if message == NO_WORD {
        return say(format!("expected a string, found {}", describe(found)));
    }
    match message.rsplit_once(", expected ") {
        Some((_, expected)) if message.starts_with("invalid") => {
            say(format!("expected {}, found {}", plain(expected, found, limit), describe(found)))
        }
        _ if message.ends_with("number overflowed") => say(format!("{} is too large", describe(found))),
        _ => say(message.to_owned()),
    }
}

/// The longest word of a file that a message repeats in full.
const LONGEST_WORD: usize = 40;

/// A word of the file, for a message.
pub(crate) fn shortened(word: &str) -> Cow<'_, str> {
    match word.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => format!("{}...", &word[..end]).into(),
        None => word.into(),
    }
}

/// Words between quotes and commas.
pub(crate) fn list<S: AsRef<str>>(words: &[S]) -> String {
    words.iter().map(|w| format!("'{}'", w.as_ref())).collect::<Vec<_>>().join(", ")
}

/// What was found, for a message.
pub(crate) fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(s) if s.chars().nth(LONGEST_WORD).is_some() => "a long string".to_owned(),
        DeValue::String(s) => format!("the string '{}'", s.escape_debug()),
        DeValue::Integer(i) => i.to_string(),
        DeValue::Float(f) => f.to_string(),
        DeValue::Boolean(b) => b.to_string(),
        DeValue::Datetime(d) => format!("the date {d}"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// A type of Rust in plain words.
fn plain(expected: &str, found: &DeValue<'_>, limit: Option<&Limit>) -> String {
    match expected {
        "f32" | "f64" => "a number".to_owned(),
        "u8" | "u32" | "u64" => match (found, limit) {
            (DeValue::Integer(found), Some(limit)) => {
                // It does not fit into the type: too large, unless it is negative.
                format!("a whole number {}", limit.describe(found.to_string().parse().unwrap_or(f64::INFINITY)))
            }
            _ => "a whole number".to_owned(),
        },
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "an array of length 2" => "a list of two numbers, [x, y]".to_owned(),
        other if other.starts_with("struct") => "a table".to_owned(),
        other => other.to_owned(),
    }
}
