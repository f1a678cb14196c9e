//! Words of a line, and numbers made of them.

use std::collections::VecDeque;
use std::str::FromStr;

use crate::mistake::Mistake;

/// The words of a line that are still to be understood.
pub(super) struct Words<'a>(VecDeque<&'a str>);

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self(line.split_whitespace().collect())
    }

    /// The next word.
    pub(super) fn next(&mut self, right: &str) -> Result<&'a str, Mistake> {
        self.0.pop_front().ok_or_else(|| Mistake::new("end of line", right))
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.0.front().copied()
    }

    /// Takes `name` and the word after it out of the line, wherever they stand.
    pub(super) fn take(&mut self, name: &str, right: &str) -> Result<Option<&'a str>, Mistake> {
        let Some(at) = self.0.iter().position(|word| *word == name) else { return Ok(None) };
        self.0.remove(at);
        self.0.remove(at).map(Some).ok_or_else(|| Mistake::new(name, format!("{name} and {right}")))
    }

    /// Takes a word out of the line; whether it was there.
    pub(super) fn take_word(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|word| *word == name);
        at.is_some_and(|at| self.0.remove(at).is_some())
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<(), Mistake> {
        self.peek().map_or(Ok(()), |word| Err(Mistake::new(word, "the end of the line")))
    }
}

/// A number in the range of its type.
pub(super) fn number<T: FromStr>(word: &str) -> Result<T, Mistake> {
    word.parse().map_err(|_| Mistake::new(word, "a number, and not too large"))
}

/// An offset that may lie before the first byte, as the 32 bits of the wire see it.
pub(super) fn offset(word: &str) -> Result<u32, Mistake> {
    let value: i64 = number(word)?;
    let fits = (-(1i64 << 32)..1i64 << 32).contains(&value);
    if fits { Ok(value as u32) } else { Err(Mistake::new(word, "a number of 32 bits")) }
}

/// `START:END`, in any order.
pub(super) fn pair(word: &str) -> Result<(u32, u32), Mistake> {
    let (start, end) = word.split_once(':').ok_or_else(|| Mistake::new(word, "START:END"))?;
    Ok((number(start)?, number(end)?))
}

/// `START:END`, of data that one segment can carry.
pub(super) fn range(word: &str) -> Result<(u32, u32), Mistake> {
    let (start, end) = pair(word)?;
    let fits = start <= end && end - start <= LARGEST;
    if fits { Ok((start, end)) } else { Err(Mistake::new(word, "START:END, of 65000 bytes at most")) }
}

/// Payload of the largest segment.
pub(super) const LARGEST: u32 = 65_000;

/// `START:END,START:END`, as many blocks as an option holds.
pub(super) fn blocks(word: &str) -> Result<Vec<(u32, u32)>, Mistake> {
    let blocks = word.split(',').map(pair).collect::<Result<Vec<_>, _>>()?;
    if blocks.len() <= 4 { Ok(blocks) } else { Err(Mistake::new(word, "four blocks at most")) }
}
