//! Why something was not registered.

use core::fmt;

use crate::mechanisms::{Conflict, UnknownPart};
use crate::params::ParamError;

/// Why something was not registered. Then nothing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The slot has a mechanism of this name.
    Part {
        /// The slot.
        slot: &'static str,
        /// The name.
        part: &'static str,
    },
    /// What tells the other end to take this mechanism would tell it to take another: the short numbers of their names
    /// are the same.
    Code {
        /// The name.
        part: &'static str,
        /// The slot of the other.
        slot: &'static str,
        /// The other.
        like: &'static str,
    },
    /// A parameter of this name is there with another meaning, or the name is that of another key of a transport.
    Knob(&'static str),
    /// There is no parameter of this name to share.
    Shared(&'static str),
    /// There is a protocol of this name.
    Protocol(&'static str),
    /// This row names a mechanism that its slot does not have: it must be registered before.
    Unknown(&'static str, UnknownPart),
    /// This row gives a parameter that does not exist, or a value that the parameter cannot have.
    Setting(&'static str, &'static str, ParamError),
    /// The mechanisms of this row cannot work together, or not with its parameters.
    Conflict(&'static str, Conflict),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part { slot, part } => write!(f, "the slot {slot} has a mechanism '{part}' already"),
            Self::Code { part, slot, like } => {
                write!(f, "'{part}' and {slot} '{like}' have the same number on the wire; choose another name")
            }
            Self::Knob(name) => write!(f, "'{name}' means something else already; choose another name"),
            Self::Shared(name) => write!(f, "there is no parameter '{name}' to share"),
            Self::Protocol(id) => write!(f, "there is a protocol '{id}' already"),
            Self::Unknown(id, error) => write!(f, "protocol '{id}': {error}"),
            Self::Setting(id, name, error) => write!(f, "protocol '{id}': {name}: {error}"),
            Self::Conflict(id, conflict) => write!(f, "protocol '{id}': {conflict}"),
        }
    }
}

impl core::error::Error for Refused {}
