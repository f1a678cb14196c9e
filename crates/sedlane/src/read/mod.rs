//! Traces as other programs write them.
//!
//! Holds     either a trace, or one error with the line or the packet where something is wrong

mod capture;
mod connection;
mod counters;
mod csv;
mod flows;
mod frames;
mod line;
mod ns2_packets;
mod ns2_variables;

use std::fmt;

use hopwright_machine::Duration;
use thiserror::Error;

pub use counters::{Counters, counters};
pub use flows::{Choice, ChoiceError};
pub use ns2_packets::drops;

use crate::trace::Trace;

/// What recorded a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Columns `time_s`, `rtt_ms` and others.
    Csv,
    /// ns-2's trace of variables of TCP.
    Ns2Variables,
    /// ns-2's trace of packets, of wired or of wireless networks, the latter in either format.
    Ns2Packets,
    /// pcap or pcapng.
    Capture,
}

/// The kinds by name.
pub const KINDS: [(&str, Kind); 4] = [
    ("csv", Kind::Csv),
    ("ns2-variables", Kind::Ns2Variables),
    ("ns2-packets", Kind::Ns2Packets),
    ("pcap", Kind::Capture),
];

/// What a reader has to be told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which connection, where there are several.
    pub flow: Option<Choice>,
    /// ns-2's `tcpTick_`, if `rtt_` counts ticks.
    pub tick: Option<Duration>,
    /// Data bytes of a segment, where a trace counts segments. Absent: 1000, ns-2's `packetSize_`.
    pub segment_bytes: Option<u32>,
}

impl Options {
    pub(crate) fn segment_bytes(&self) -> u64 {
        self.segment_bytes.map_or(1000, u64::from)
    }
}

/// Where something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, counted from 1.
    Line(usize),
    /// A packet of a capture, counted from 1.
    Packet(usize),
    /// No place alone.
    Whole,
}

/// What is wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What, and what would be right.
    pub message: String,
}

impl ReadError {
    pub(crate) fn line(number: usize, message: impl Into<String>) -> Self {
        Self { place: Place::Line(number), message: message.into() }
    }

    pub(crate) fn packet(number: usize, message: impl Into<String>) -> Self {
        Self { place: Place::Packet(number), message: message.into() }
    }

    pub(crate) fn whole(message: impl Into<String>) -> Self {
        Self { place: Place::Whole, message: message.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Line(number) => write!(f, "line {number}: {}", self.message),
            Place::Packet(number) => write!(f, "packet {number}: {}", self.message),
            Place::Whole => f.write_str(&self.message),
        }
    }
}

/// Which kind a file is, by its content.
#[must_use]
pub fn detect(content: &[u8]) -> Option<Kind> {
    if capture::is_capture(content) {
        return Some(Kind::Capture);
    }
    // What is no text here may be none later on; the reader says where.
    let head = &content[..content.len().min(64 << 10)];
    let head = String::from_utf8_lossy(head);
    let line = head.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    if ns2_packets::is_line(line) {
        Some(Kind::Ns2Packets)
    } else if ns2_variables::is_line(line) {
        Some(Kind::Ns2Variables)
    } else if line.split(',').any(|name| matches!(name.trim(), "time_s" | "rtt_ms")) {
        Some(Kind::Csv)
    } else {
        None
    }
}

/// Reads a file of a kind.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(kind: Kind, content: &[u8], options: &Options) -> Result<Trace, ReadError> {
    match kind {
        Kind::Csv => csv::read(text(content)?),
        Kind::Ns2Variables => ns2_variables::read(text(content)?, options),
        Kind::Ns2Packets => ns2_packets::read(text(content)?, options),
        Kind::Capture => connection::read(content, options),
    }
}

/// A text in UTF-8, or the line where it is none.
pub(crate) fn text(content: &[u8]) -> Result<&str, ReadError> {
    std::str::from_utf8(content).map_err(|error| {
        let line = 1 + content[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        ReadError::line(line, "is no text in UTF-8")
    })
}

pub(crate) const NO_SAMPLE: &str = "has no round-trip time";
