//! What is wrong with a scenario, where, and what would be right.

use core::fmt;
use core::ops::Range;

use crate::source::Sources;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, or the override (`--set key=value`), in which it stands.
    pub origin: String,
    /// Line in it, counted from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The key, from the top of the file: `flows.0.transport.protocol`. Empty where no key is meant.
    pub key: String,
    /// What is wrong.
    pub reason: String,
    /// The right spelling nearest to what was written.
    pub did_you_mean: Option<String>,
    /// What else helps.
    pub help: Option<String>,
    /// Where in the text of all sources.
    pub(crate) span: Option<Range<usize>>,
}

impl ScenarioError {
    /// Key, reason and suggestion, without the place.
    #[must_use]
    pub fn message(&self) -> String {
        let key = if self.key.is_empty() { String::new() } else { format!("{}: ", self.key) };
        let hint = self.did_you_mean.as_ref().map(|s| format!("; did you mean '{s}'?")).unwrap_or_default();
        format!("{key}{}{hint}", self.reason)
    }

    /// Where it stands: file, line and column; or the file, or the override, alone.
    pub(crate) fn place(&self) -> String {
        match self.line == 0 || self.origin.starts_with(crate::source::OVERRIDE) {
            true => self.origin.clone(),
            false => format!("{}:{}:{}", self.origin, self.line, self.column),
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message())
    }
}

/// Everything that is wrong with a scenario, the most useful first. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioErrors {
    errors: Vec<ScenarioError>,
    pub(crate) sources: Sources,
}

impl ScenarioErrors {
    pub(crate) fn new(errors: Vec<ScenarioError>, sources: Sources) -> Self {
        assert!(!errors.is_empty(), "a scenario is only refused for a reason");
        Self { errors, sources }
    }

    /// The errors, the most useful first.
    #[must_use]
    pub fn errors(&self) -> &[ScenarioError] {
        &self.errors
    }
}
