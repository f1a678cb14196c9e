//! The words of a line, and the numbers in them.

use hopwright_machine::{Duration, Time};

use super::ReadError;

/// The latest time of a trace, and the longest round trip, seconds: more is a mistake.
const LATEST_S: f64 = 1e9;
const LONGEST_RTT_S: f64 = 1e5;

/// A line with its number, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) text: &'a str,
}

/// The lines of a text that are not empty. The last must have its end: else it may have been cut.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let numbered = text.lines().enumerate().map(|(index, text)| Line { number: index + 1, text });
    numbered.filter(|line| !line.text.trim().is_empty())
}

/// An error if a text was cut within a line.
pub(crate) fn check_end(text: &str) -> Result<(), ReadError> {
    if text.ends_with('\n') {
        return Ok(());
    }
    Err(ReadError::line(text.lines().count(), "the file ends within this line: it was cut off"))
}

impl Line<'_> {
    pub(crate) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::line(self.number, message)
    }

    /// A number in a word, from 0 to `most`.
    pub(crate) fn number(&self, word: &str, what: &str, most: f64) -> Result<f64, ReadError> {
        match word.trim().parse::<f64>() {
            Ok(value) if (0.0..=most).contains(&value) => Ok(value),
            Ok(_) => Err(self.error(format!("{what} is '{word}': must be from 0 to {most}"))),
            Err(_) => Err(self.error(format!("{what} is '{word}': must be a number"))),
        }
    }

    /// A time in seconds.
    pub(crate) fn time(&self, word: &str) -> Result<Time, ReadError> {
        self.number(word, "the time", LATEST_S).map(Time::from_secs_f64)
    }

    /// A round-trip time; `per_second`: of the word's unit.
    pub(crate) fn rtt(&self, word: &str, what: &str, per_second: f64) -> Result<Duration, ReadError> {
        let value = self.number(word, what, LONGEST_RTT_S * per_second)?;
        Ok(Duration::from_secs_f64(value / per_second))
    }

    /// A whole number.
    pub(crate) fn whole(&self, word: &str, what: &str) -> Result<u64, ReadError> {
        const MOST: u64 = 1 << 50;
        match word.trim().parse::<u64>() {
            Ok(value) if value <= MOST => Ok(value),
            _ => Err(self.error(format!("{what} is '{word}': must be a whole number from 0 to {MOST}"))),
        }
    }

    /// Times must not go back.
    pub(crate) fn after(&self, at: Time, last: &mut Time) -> Result<(), ReadError> {
        if at < *last {
            let (at, last) = (at.as_secs_f64(), last.as_secs_f64());
            return Err(self.error(format!("the time goes back, from {last} s to {at} s")));
        }
        *last = at;
        Ok(())
    }
}
