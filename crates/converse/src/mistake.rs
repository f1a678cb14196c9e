//! What is wrong with a script, where, and what would be right.

use core::fmt;

/// A mistake in a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The line, from one.
    pub line: usize,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub right: String,
}

impl Mistake {
    pub(crate) fn new(found: impl Into<String>, right: impl Into<String>) -> Self {
        Self { line: 0, found: found.into(), right: right.into() }
    }

    pub(crate) fn on_line(mut self, line: usize) -> Self {
        self.line = line;
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: '{}' is not understood here; right would be: {}", self.line, self.found, self.right)
    }
}

impl core::error::Error for Mistake {}
