//! Recorded links in mahimahi's format.
//!
//! Spec      Netravali et al. 2015, and mm-link's manual: a line is a time in whole milliseconds since the start, at which
//!           one packet of 1504 bytes could be sent (an IP packet of 1500 with the four bytes of the tunnel device); the
//!           last time is the length of the record, which then begins again. What an opportunity leaves of a packet, the
//!           next ones send; an opportunity that nobody uses is gone
//! Deviates  mm-link leaves a packet in its queue until its opportunity comes. Here the server has it then: one packet more
//!           fits, and CoDel does not count that wait

use std::fmt::Write as _;

use hopwright_machine::Duration;
use thiserror::Error;

use crate::Opportunities;

/// Bytes of an opportunity.
pub const BYTES: u32 = 1504;
/// Bytes that the tunnel device adds to an IP packet.
pub const OVERHEAD_BYTES: u32 = 4;

/// A file that is no record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// A line is no whole number of milliseconds.
    #[error("line {0}: expected a whole number of milliseconds, found '{1}'")]
    NoNumber(usize, String),
    /// A line is before the one above it.
    #[error("line {0}: {1} ms is before the line above: times must not go back")]
    Backwards(usize, u64),
    /// There is no line, or all are at zero.
    #[error("has no opportunity after 0 ms: a record must last")]
    Empty,
}

/// Later times would not fit.
const LATEST_MS: u64 = 1 << 40;

/// Reads a record.
///
/// # Errors
/// The first line that is none.
pub fn read(text: &str) -> Result<Opportunities, TraceError> {
    let mut times = Vec::new();
    let mut last = 0;
    for (n, line) in text.lines().enumerate() {
        let word = line.trim();
        if word.is_empty() {
            continue;
        }
        let ms = word.parse().ok().filter(|ms: &u64| *ms < LATEST_MS);
        let Some(ms) = ms else {
            let shown: String = word.chars().take(30).collect();
            return Err(TraceError::NoNumber(n + 1, shown.escape_debug().to_string()));
        };
        if ms < last {
            return Err(TraceError::Backwards(n + 1, ms));
        }
        last = ms;
        times.push(Duration::from_millis(ms));
    }
    Opportunities::new(times, BYTES, OVERHEAD_BYTES).ok_or(TraceError::Empty)
}

/// A record of a rate that never changes, over so many seconds.
#[must_use]
pub fn steady(bps: f64, seconds: u64) -> String {
    let mut text = String::new();
    let per_ms = bps / 1e3 / f64::from(BYTES * 8);
    let mut sent = 0;
    for ms in 1..=seconds * 1000 {
        while (sent + 1) as f64 <= per_ms * ms as f64 {
            sent += 1;
            let _ = writeln!(text, "{ms}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_opportunity() {
        let record = read("1\n1\n\n 3 \r\n10\n").unwrap();
        assert_eq!((record.bytes, record.overhead_bytes), (1504, 4));
        assert_eq!(record.mean_bps(), 4.0 * 1504.0 * 8.0 / 0.01);
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_line() {
        let told = |text| read(text).unwrap_err().to_string();
        assert_eq!(told("1\nx\n"), "line 2: expected a whole number of milliseconds, found 'x'");
        assert_eq!(told("1.5\n"), "line 1: expected a whole number of milliseconds, found '1.5'");
        assert_eq!(told("-1\n"), "line 1: expected a whole number of milliseconds, found '-1'");
        assert_eq!(told("5\n4\n"), "line 2: 4 ms is before the line above: times must not go back");
        assert_eq!(told(""), "has no opportunity after 0 ms: a record must last");
        assert_eq!(told("0\n0\n"), "has no opportunity after 0 ms: a record must last");
        assert!(told("99999999999999999999\n").starts_with("line 1: expected"));
    }

    #[test]
    fn a_steady_record_has_its_rate() {
        for bps in [1e5, 1.2e7] {
            let record = read(&steady(bps, 60)).unwrap();
            assert!((record.mean_bps() / bps - 1.0).abs() < 0.005, "{}", record.mean_bps());
        }
    }
}
