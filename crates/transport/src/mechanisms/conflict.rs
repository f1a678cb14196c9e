//! Combinations that make no sense, and why.

use core::fmt;

use super::{Needs, Recipe, UnknownPart};
use crate::params::Params;

/// A mechanism that cannot work in the place it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The slot it is in; empty where the parameters alone disagree.
    pub slot: &'static str,
    /// Its id.
    pub part: &'static str,
    /// Why it cannot work, and what would be right.
    pub reason: String,
}

impl Conflict {
    /// The reason, with the mechanism it is about.
    #[must_use]
    pub fn reason_with_part(&self) -> String {
        if self.part.is_empty() { self.reason.clone() } else { format!("'{}' {}", self.part, self.reason) }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.slot.is_empty() {
            return f.write_str(&self.reason);
        }
        write!(f, "{} '{}' {}", self.slot, self.part, self.reason)
    }
}

impl core::error::Error for Conflict {}

/// Why a mechanism was not swapped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SwapError {
    /// There is no such slot or mechanism.
    Unknown(UnknownPart),
    /// It could not work here.
    Conflict(Conflict),
}

impl fmt::Display for SwapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(error) => error.fmt(f),
            Self::Conflict(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SwapError {}

impl From<UnknownPart> for SwapError {
    fn from(error: UnknownPart) -> Self {
        Self::Unknown(error)
    }
}

impl From<Conflict> for SwapError {
    fn from(error: Conflict) -> Self {
        Self::Conflict(error)
    }
}

impl Recipe {
    /// Whether every mechanism gets what it needs from these parameters and from the others.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self, params: &Params) -> Result<(), Conflict> {
        for ((slot, part), needs) in self.parts().into_iter().zip(self.needs()) {
            if let Some(reason) = missing(needs, params.selective_acks, params.timestamps) {
                return Err(Conflict { slot, part, reason: reason.to_owned() });
            }
        }
        Ok(())
    }
}

/// What a mechanism with these needs lacks.
pub(crate) fn missing(needs: Needs, has_sack: bool, has_timestamps: bool) -> Option<&'static str> {
    if needs.has(Needs::SELECTIVE_ACKS) && !has_sack {
        Some("reads selective acknowledgements; set selective_acks = true")
    } else if needs.has(Needs::TIMESTAMPS) && !has_timestamps {
        Some("reads timestamps; set timestamps = true")
    } else {
        None
    }
}
