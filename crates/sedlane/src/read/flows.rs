//! Which connection of several.

use std::str::FromStr;

use thiserror::Error;

use super::ReadError;

/// How a user names a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By its number, in the order in which they begin, from 0.
    Number(usize),
    /// By its ends, the sender's first: as the list of connections has them.
    Ends(String, String),
}

/// What is no choice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' names no connection: write its number, or its ends as FROM:PORT-TO:PORT, the sender's first")]
pub struct ChoiceError(String);

impl FromStr for Choice {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        if let Ok(number) = text.parse() {
            return Ok(Self::Number(number));
        }
        match text.split_once('-').map(|(from, to)| (from.trim(), to.trim())) {
            Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok(Self::Ends(from.into(), to.into())),
            _ => Err(ChoiceError(text.into())),
        }
    }
}

/// A connection that a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) from: String,
    pub(crate) to: String,
    /// Data that it carries, in words.
    pub(crate) data: String,
}

impl Flow {
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.from, self.to)
    }
}

/// The place of the chosen connection. Connections that are listed are no more than can be read.
pub(crate) fn choose(flows: &[Flow], choice: Option<&Choice>) -> Result<usize, ReadError> {
    const LISTED: usize = 20;
    let list = || {
        let mut lines: Vec<String> = flows
            .iter()
            .take(LISTED)
            .enumerate()
            .map(|(number, flow)| format!("\n  {number}: {}, {}", flow.name(), flow.data))
            .collect();
        if flows.len() > LISTED {
            lines.push(format!("\n  and {} more", flows.len() - LISTED));
        }
        lines.concat()
    };
    if flows.is_empty() {
        return Err(ReadError::whole("has no connection that sends data"));
    }
    match choice {
        None if flows.len() == 1 => Ok(0),
        None => Err(ReadError::whole(format!("has {} connections: say which with --flow N:{}", flows.len(), list()))),
        Some(Choice::Number(number)) if *number < flows.len() => Ok(*number),
        Some(Choice::Number(number)) => {
            Err(ReadError::whole(format!("has no connection {number}; there are:{}", list())))
        }
        Some(Choice::Ends(from, to)) => flows
            .iter()
            .position(|flow| flow.from == *from && flow.to == *to)
            .ok_or_else(|| ReadError::whole(format!("has no connection {from}-{to}; there are:{}", list()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_numbers_or_ends() {
        assert_eq!("3".parse(), Ok(Choice::Number(3)));
        assert_eq!("10.0.0.1:80-::1:90".parse(), Ok(Choice::Ends("10.0.0.1:80".into(), "::1:90".into())));
        assert!("x".parse::<Choice>().is_err() && "-3".parse::<Choice>().is_err());
    }

    #[test]
    fn several_connections_are_listed() {
        let flow = |from: &str| Flow { from: from.into(), to: "b:1".into(), data: "9 bytes".into() };
        let error = choose(&[flow("a:1"), flow("c:2")], None).expect_err("which?").to_string();
        assert_eq!(error, "has 2 connections: say which with --flow N:\n  0: a:1-b:1, 9 bytes\n  1: c:2-b:1, 9 bytes");
        assert_eq!(choose(&[flow("a:1"), flow("c:2")], Some(&Choice::Number(1))), Ok(1));
        assert_eq!(choose(&[flow("a:1")], None), Ok(0));
    }
}
