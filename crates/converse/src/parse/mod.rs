//! From text to a script: the lines, the setup, and what the application does.
//!
//! Holds     no text makes the parser panic; a mistake names its line and what would be right

use hopwright_machine::Duration;
use hopwright_transport::{Params, Role, UnknownPart, Value, protocol};

use crate::mistake::Mistake;
use crate::script::{Action, Deed, Line, Script, Subjects};

mod arrive;
mod hold;
mod leave;
mod words;

use words::{Words, number};

/// What may stand before the first timed line.
const SETUP: &str = "on SUBJECT..., protocol NAME, set NAME VALUE, slot NAME PART, role passive, peer bare";

/// What may follow a time.
const OPERATIONS: &str = "write N, read N, open, close, close-both, abort, wake, corrupted N, hops N, \
                          route-failed, route-failed N, route-restored, < ..., > ..., = ...";

/// Longest time of a script: a century is no conversation.
const LONGEST_S: f64 = 3.2e9;

/// Reads a script.
///
/// # Errors
/// The first mistake, with its line.
pub fn parse(text: &str) -> Result<Script, Mistake> {
    let mut script = Script::default();
    // The earliest time of the next line, and of the next one that is no `>`.
    let (mut last, mut settled) = (Duration::ZERO, Duration::ZERO);
    for (index, whole) in text.lines().enumerate() {
        let number = index + 1;
        let (code, comment) = whole.split_once('#').map_or((whole, None), |(code, rest)| (code, Some(rest)));
        let code = code.trim();
        if code.is_empty() {
            if let (Some(comment), true) = (comment, script.lines.is_empty()) {
                script.about.push(comment.trim().into());
            }
            continue;
        }
        let line = line(&mut script, code).map_err(|mistake| mistake.on_line(number))?;
        let Some((at, deed)) = line else { continue };
        let within = if let Deed::Leave { within, .. } = deed { Some(within) } else { None };
        let earliest = if within.is_some() { last } else { settled };
        if at < earliest {
            let right = format!("a time from {} s on", earliest.as_secs_f64());
            let time = code.split_whitespace().next().unwrap_or_default();
            return Err(Mistake::new(time, right).on_line(number));
        }
        last = at;
        settled = settled.max(at + within.unwrap_or_default());
        script.lines.push(Line { number, at, deed, text: code.into() });
    }
    Ok(script)
}

/// A line of the setup, or a timed one.
fn line(script: &mut Script, code: &str) -> Result<Option<(Duration, Deed)>, Mistake> {
    let first = code.split_whitespace().next().unwrap_or_default();
    if !first.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        if !script.lines.is_empty() {
            return Err(Mistake::new(first, "a time such as 100ms or 1.5s"));
        }
        return setup(script, code).map(|()| None);
    }
    let mut words = Words::new(code);
    let at = time(words.next("a time")?)?;
    deed(&mut words).map(|deed| Some((at, deed)))
}

fn setup(script: &mut Script, code: &str) -> Result<(), Mistake> {
    let words: Vec<&str> = code.split_whitespace().collect();
    match words[..] {
        ["on", ..] => script.subjects = subjects(code)?,
        ["protocol", name] => {
            let all = || hopwright_transport::protocols().iter().map(|p| p.id).collect::<Vec<_>>().join(", ");
            protocol(name).ok_or_else(|| Mistake::new(name, all()))?;
            script.protocol = Some(name.into());
        }
        ["set", name, value] => {
            let value = match value.parse() {
                Ok(n) if f64::is_finite(n) => Value::Number(n),
                Ok(_) => return Err(Mistake::new(value, "a finite number")),
                Err(_) => value.parse().map_or_else(|_| Value::Word(value.into()), Value::Bool),
            };
            let probe = Params::default().set(name, value.clone());
            probe.map_err(|e| Mistake::new(code, format!("a parameter of a transport and its value ({e})")))?;
            script.setup.params.push((name.into(), value));
        }
        ["slot", slot, part] => {
            let any = hopwright_transport::protocols()[0].recipe;
            any.with(slot, part).map_err(|e| Mistake::new(code, known(&e)))?;
            script.setup.slots.push((slot.into(), part.into()));
        }
        ["role", "passive"] => script.setup.role = Role::Passive,
        ["peer", "bare"] => script.setup.is_bare = true,
        _ => return Err(Mistake::new(code, SETUP)),
    }
    Ok(())
}

fn known(unknown: &UnknownPart) -> String {
    match unknown {
        UnknownPart::Slot(slots) => format!("a slot: {}", slots.join(", ")),
        UnknownPart::Part(parts) => format!("a part of this slot: {}", parts.join(", ")),
    }
}

/// `on engine kernel`, or `on engine: REASON`.
fn subjects(code: &str) -> Result<Subjects, Mistake> {
    let (names, reason) = code.split_once(':').unwrap_or((code, ""));
    let mut subjects = Subjects { engine: false, kernel: false, reason: reason.trim().into() };
    for name in names.split_whitespace().skip(1) {
        match name {
            "engine" => subjects.engine = true,
            "kernel" => subjects.kernel = true,
            _ => return Err(Mistake::new(name, "engine or kernel")),
        }
    }
    if !(subjects.engine || subjects.kernel) {
        return Err(Mistake::new(code, "on engine kernel, or on engine: REASON"));
    }
    if subjects.engine != subjects.kernel && subjects.reason.is_empty() {
        return Err(Mistake::new(code, "a colon and why the other subject is left out"));
    }
    Ok(subjects)
}

fn deed(words: &mut Words<'_>) -> Result<Deed, Mistake> {
    let operation = words.next(OPERATIONS)?;
    let deed = match operation {
        "write" => Deed::Do(Action::Write(number(words.next("a number of bytes")?)?)),
        "read" => match words.next("a number of bytes, or all")? {
            "all" => Deed::Do(Action::Read(u32::MAX)),
            bytes => Deed::Do(Action::Read(number(bytes)?)),
        },
        "open" => Deed::Do(Action::Open),
        "close" => Deed::Do(Action::Close),
        "close-both" => Deed::Do(Action::CloseBoth),
        "abort" => Deed::Do(Action::Abort),
        "wake" => Deed::Do(Action::Wake),
        "hops" => Deed::Do(Action::Hops(number(words.next("a number of hops")?)?)),
        "route-failed" => {
            let place = words.peek().is_some().then(|| words.next("a place in the subject's data")).transpose()?;
            Deed::Do(Action::RouteFailed(place.map(number).transpose()?))
        }
        "route-restored" => Deed::Do(Action::RouteRestored),
        "corrupted" => Deed::Do(Action::Corrupted(number(words.next("a place in the peer's data")?)?)),
        "<" => arrive::arrive(words)?,
        ">" => leave::leave(words)?,
        "=" => hold::hold(words)?,
        other => return Err(Mistake::new(other, OPERATIONS)),
    };
    words.end()?;
    Ok(deed)
}

/// `100ms`, `1.5s`.
fn time(text: &str) -> Result<Duration, Mistake> {
    let mistake = || Mistake::new(text, "a time such as 100ms or 1.5s");
    let (number, scale) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e3),
        None => (text.strip_suffix('s').ok_or_else(mistake)?, 1.0),
    };
    let seconds = number.parse::<f64>().map_err(|_| mistake())? / scale;
    if (0.0..=LONGEST_S).contains(&seconds) { Ok(Duration::from_secs_f64(seconds)) } else { Err(mistake()) }
}
