//! Why a host did not do what it was asked to.

use std::io;

use crate::summary::Summary;

/// Why a host did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for cannot be done; the text says what to change.
    #[error("{0}")]
    Input(String),
    /// It was tried and failed.
    #[error("{0}")]
    Failed(String),
    /// `Watch::stop` was called: this is what had been done by then.
    #[error("stopped")]
    Stopped(Box<Summary>),
}

impl Error {
    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }
}

/// The system's message without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
