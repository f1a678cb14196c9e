//! Why an algorithm is not loaded.

/// Why an algorithm is not loaded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for cannot be had anywhere; the text says what would be right.
    #[error("{0}")]
    Input(String),
    /// This system, or this user, lacks something; the text says what.
    #[error("{0}")]
    Lacking(String),
    /// It was tried and failed.
    #[error("{0}")]
    Failed(String),
}
