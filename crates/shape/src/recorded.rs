//! Recorded losses: which packets of a measurement were lost.
//!
//! Spec      A file of one character for each packet, in the order in which they were sent: `0` arrived, `1` was lost.
//!           Blanks and ends of lines mean nothing, nor does what follows a `#` on its line. After the last one the record
//!           begins again

use thiserror::Error;

/// Which packets were lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossRecord {
    /// At least one.
    lost: Vec<bool>,
}

/// A file that is no record of losses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LossRecordError {
    /// Something else than `0` or `1`: line and column, both from 1.
    #[error("expected 0 (arrived) or 1 (lost) for each packet, found '{2}'")]
    Unknown(usize, usize, String),
    /// There is no packet.
    #[error("has no packet: expected 0 (arrived) or 1 (lost) for each")]
    Empty,
}

impl LossRecord {
    /// A record of these packets; `None` if there is none.
    #[must_use]
    pub fn new(lost: Vec<bool>) -> Option<Self> {
        (!lost.is_empty()).then_some(Self { lost })
    }

    /// Reads a record.
    ///
    /// # Errors
    /// The first character that is none of it.
    pub fn read(text: &str) -> Result<Self, LossRecordError> {
        let mut lost = Vec::new();
        for (n, line) in text.lines().enumerate() {
            for (column, character) in line.chars().enumerate() {
                match character {
                    '0' | '1' => lost.push(character == '1'),
                    '#' => break,
                    _ if character.is_whitespace() => {}
                    _ => {
                        let shown = character.escape_debug().to_string();
                        return Err(LossRecordError::Unknown(n + 1, column + 1, shown));
                    }
                }
            }
        }
        Self::new(lost).ok_or(LossRecordError::Empty)
    }

    /// Whether the packet with this number, counted from 0 over all rounds, is lost.
    pub(crate) fn is_lost(&self, number: u64) -> bool {
        self.lost[(number % self.lost.len() as u64) as usize]
    }

    /// The share of packets that are lost.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.lost.iter().filter(|&&lost| lost).count() as f64 / self.lost.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_a_packet() {
        let record = LossRecord::read("# measured\n0010 1 # two of them\n\n1\n").unwrap();
        let lost: Vec<bool> = (0..8).map(|n| record.is_lost(n)).collect();
        assert_eq!(lost, [false, false, true, false, true, true, false, false]);
        assert_eq!(record.share(), 0.5);
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_place() {
        assert_eq!(LossRecord::read("01\n0 x1"), Err(LossRecordError::Unknown(2, 3, "x".to_owned())));
        assert_eq!(LossRecord::read(" \n# 01\n"), Err(LossRecordError::Empty));
    }
}
