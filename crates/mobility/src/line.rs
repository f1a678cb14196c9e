//! One line of a movement file, read from left to right, and what is wrong with it where.
//!
//! Spec      Tcl's words and quotes, as far as movement files use them
//! Deviates  no substitution, braces or backslashes: no generator writes them
//! Holds     every error names the line and the column at which the reader stumbled

use core::fmt;

/// The latest time of a file: 31 years, which leaves room for nanoseconds.
pub(crate) const LATEST_S: f64 = 1e9;
/// The farthest coordinate, a million kilometres: squares and products stay far from overflow.
pub(crate) const FARTHEST_M: f64 = 1e9;

/// What is wrong with a movement file, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MovementError {
    /// The line, counted from one.
    pub line: usize,
    /// The column, counted in characters from one.
    pub column: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for MovementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl core::error::Error for MovementError {}

/// A place in the file. The column is still a byte offset: counting characters is left to the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place<'a> {
    line: usize,
    text: &'a str,
    offset: usize,
}

impl Place<'_> {
    pub(crate) fn line(self) -> usize {
        self.line
    }

    pub(crate) fn error(self, message: impl Into<String>) -> MovementError {
        let column = self.text[..self.offset].chars().count() + 1;
        MovementError { line: self.line, column, message: message.into() }
    }
}

/// A word of a line, and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) place: Place<'a>,
}

impl Word<'_> {
    /// The word as a finite number. `what` names it in the error.
    pub(crate) fn number(self, what: &str) -> Result<f64, MovementError> {
        match self.text.parse::<f64>() {
            Ok(v) if v.is_finite() => Ok(v),
            Ok(_) => Err(self.place.error(format!("{what} is `{}`: it must be a finite number", self.text))),
            Err(_) => Err(self.place.error(format!("{what} is `{}`: expected a number such as 12.5", self.text))),
        }
    }

    /// The word as a number from 0 to `most`.
    pub(crate) fn number_up_to(self, most: f64, what: &str) -> Result<f64, MovementError> {
        let v = self.number(what)?;
        if v < 0.0 {
            return Err(self.place.error(format!("{what} is {}: it must not be negative", self.text)));
        }
        if v > most {
            return Err(self.place.error(format!("{what} is {}: it must not be more than {most:e}", self.text)));
        }
        Ok(v)
    }

    /// The word as a number from -`most` to `most`.
    pub(crate) fn number_within(self, most: f64, what: &str) -> Result<f64, MovementError> {
        let v = self.number(what)?;
        if v.abs() > most {
            return Err(self.place.error(format!("{what} is {}: it must be within {most:e}", self.text)));
        }
        Ok(v)
    }

    /// The number of the node that the word, `$node_(I)`, names.
    pub(crate) fn node(self) -> Result<u32, MovementError> {
        let number = self.text.strip_prefix("$node_(").and_then(|rest| rest.strip_suffix(')'));
        let Some(number) = number else {
            return Err(self.place.error(format!("`{}` is not a node: expected `$node_(I)`", self.text)));
        };
        // `parse` would take a leading plus.
        match number.parse() {
            Ok(i) if !number.starts_with('+') => Ok(i),
            _ => Err(self.place.error(format!("`{number}` is not a node number: expected 0, 1, 2, ..."))),
        }
    }
}

/// Reads a line, or the quoted command within one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    at: Place<'a>,
    end: usize,
    /// The file ends without ending this line.
    is_open: bool,
}

/// The lines of a text.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split_inclusive('\n').enumerate().map(|(number, text)| {
        let (text, is_open) = text.strip_suffix('\n').map_or((text, true), |text| (text, false));
        Line { at: Place { line: number + 1, text, offset: 0 }, end: text.len(), is_open }
    })
}

impl<'a> Line<'a> {
    /// The error of a line whose last number may have lost digits, if the file ends without ending this line.
    pub(crate) fn refuse_cut(&self) -> Result<(), MovementError> {
        if !self.is_open {
            return Ok(());
        }
        let message = "the file seems cut off: the last line has no line end, so a number in this line may lack \
                       digits; if the file is complete, add a line end";
        Err(Place { offset: self.at.text.len(), ..self.at }.error(message))
    }

    /// Whether the last word reaches up to the end of the line.
    pub(crate) fn is_used_up(&self) -> bool {
        self.rest().is_empty()
    }

    /// All of it.
    pub(crate) fn text(&self) -> &'a str {
        self.at.text
    }

    /// Where reading goes on.
    pub(crate) fn here(&self) -> Place<'a> {
        self.at
    }

    fn rest(&self) -> &'a str {
        &self.at.text[self.at.offset..self.end]
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at.offset += rest.len() - rest.trim_start_matches(is_blank).len();
    }

    /// Whether nothing but a comment is left.
    pub(crate) fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty() || self.rest().starts_with('#')
    }

    /// The next word. `expected` completes the error if there is none.
    pub(crate) fn word(&mut self, expected: &str) -> Result<Word<'a>, MovementError> {
        self.skip_blanks();
        let rest = self.rest();
        let len = rest.find(|c| is_blank(c) || c == '"' || c == ';').unwrap_or(rest.len());
        if len == 0 {
            let found = rest.chars().next().map_or("the end".to_owned(), |c| format!("`{c}`"));
            return Err(self.at.error(format!("expected {expected}, found {found}")));
        }
        let word = Word { text: &rest[..len], place: self.at };
        self.at.offset += len;
        Ok(word)
    }

    /// The command between the next two quotes.
    pub(crate) fn quoted(&mut self) -> Result<Line<'a>, MovementError> {
        self.skip_blanks();
        let Some(inner) = self.rest().strip_prefix('"') else {
            return Err(self.at.error("expected the scheduled command in double quotes"));
        };
        let Some(len) = inner.find('"') else {
            return Err(self.at.error("unbalanced quotes: this quote is never closed; end the command with `\"`"));
        };
        let start = self.at.offset + 1;
        let command = Line { at: Place { offset: start, ..self.at }, end: start + len, is_open: false };
        self.at.offset = start + len + 1;
        Ok(command)
    }

    /// Makes sure that the command is over. `after` says what it was.
    pub(crate) fn finish(&mut self, after: &str) -> Result<(), MovementError> {
        self.skip_blanks();
        let rest = self.rest();
        let tail = rest.strip_prefix(';').unwrap_or(rest).trim_start_matches(is_blank);
        // As in Tcl, a comment after a command needs the semicolon.
        if tail.is_empty() || (rest.starts_with(';') && tail.starts_with('#')) {
            return Ok(());
        }
        let what = if rest.starts_with('"') { "unbalanced quotes: a stray one" } else { "something more" };
        Err(self.at.error(format!("{what} after {after}; remove it, or start a new line")))
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || c == '\r'
}
