//! Columns with commas between, named by the first line: `time_s` and `rtt_ms`, and of each row until the next
//! `bytes` (sent), `retransmitted_bytes`, `lost_bytes` (dropped) and `rate_kbps`.
//!
//! ```text
//! time_s,rtt_ms,bytes,retransmitted_bytes
//! 0.5,71.2,12000,0
//! 0.9,80.0,24000,1000
//! 1.4,,,                     the end: no round-trip time
//! ```
//!
//! Without a row for the end the last lasts as long as the one before. Lines that begin with `#` are comments.

use hopwright_machine::{Duration, Time};

use super::line::{Line, lines};
use super::{NO_SAMPLE, ReadError};
use crate::trace::{Builder, Known, Trace};

const COLUMNS: [&str; 6] = ["time_s", "rtt_ms", "bytes", "retransmitted_bytes", "lost_bytes", "rate_kbps"];
const TIME: usize = 0;
const RTT: usize = 1;
const BYTES: usize = 2;
const AGAIN: usize = 3;
const LOST: usize = 4;
const RATE: usize = 5;

pub(crate) fn read(text: &str) -> Result<Trace, ReadError> {
    let mut lines = lines(text).filter(|line| !line.text.trim_start().starts_with('#'));
    let head = lines.next().ok_or_else(|| ReadError::line(1, "is empty: needs the columns time_s and rtt_ms"))?;
    let columns = columns(head)?;
    let place = |column: usize| columns.iter().position(|&c| c == column);
    let known =
        Known { sent: place(BYTES).is_some(), retransmitted: place(AGAIN).is_some(), dropped: place(LOST).is_some() };
    let mut builder = Builder::new(known);
    let (mut last, mut before, mut ended) = (None, None, false);
    for line in lines {
        let cells: Vec<&str> = line.text.split(',').map(str::trim).collect();
        if cells.len() != columns.len() {
            return Err(line.error(format!(
                "has {} cells where line {} has {}",
                cells.len(),
                head.number,
                columns.len()
            )));
        }
        if ended {
            return Err(line.error("comes after the row without rtt_ms, which is the end"));
        }
        let cell = |column: usize| place(column).map(|place| cells[place]).unwrap_or_default();
        let at = line.time(cell(TIME))?;
        if let Some(last) = last.filter(|&last| at <= last) {
            let (at, last): (Time, Time) = (at, last);
            let message = format!("time_s is {} after {}: times must grow", at.as_secs_f64(), last.as_secs_f64());
            return Err(line.error(message));
        }
        (before, last) = (last, Some(at));
        if cell(RTT).is_empty() {
            ended = true;
            if [BYTES, AGAIN, LOST, RATE].iter().any(|&column| !cell(column).is_empty()) {
                return Err(line.error("rtt_ms is empty, which ends the trace, but other cells are not"));
            }
            builder.lasts_until(at);
            continue;
        }
        row(line, cell, at, &mut builder)?;
    }
    if let (false, Some(before), Some(last)) = (ended, before, last) {
        builder.lasts_until(last + last.since(before));
    }
    builder.finish(String::new()).ok_or_else(|| ReadError::whole(NO_SAMPLE))
}

/// Which column each cell is.
fn columns(head: Line<'_>) -> Result<Vec<usize>, ReadError> {
    let mut columns = Vec::new();
    for name in head.text.split(',').map(|name| name.trim().trim_start_matches('\u{feff}')) {
        let Some(column) = COLUMNS.iter().position(|&known| known == name) else {
            return Err(head.error(format!("no column called '{name}'; there are: {}", COLUMNS.join(", "))));
        };
        if columns.contains(&column) {
            return Err(head.error(format!("the column {name} is there twice")));
        }
        columns.push(column);
    }
    match [TIME, RTT].iter().find(|needed| !columns.contains(needed)) {
        Some(&missing) => Err(head.error(format!("needs a column {}", COLUMNS[missing]))),
        None if !columns.contains(&BYTES) && (columns.contains(&AGAIN) || columns.contains(&LOST)) => {
            Err(head.error("lost bytes without a column bytes: a loss ratio needs both"))
        }
        None => Ok(columns),
    }
}

fn row<'a>(line: Line<'_>, cell: impl Fn(usize) -> &'a str, at: Time, builder: &mut Builder) -> Result<(), ReadError> {
    let rtt: Duration = line.rtt(cell(RTT), "rtt_ms", 1e3)?;
    builder.measured(at, rtt);
    let bytes = |column: usize| match cell(column) {
        "" => Ok(0),
        word => line.whole(word, COLUMNS[column]),
    };
    let (sent, again, lost) = (bytes(BYTES)?, bytes(AGAIN)?, bytes(LOST)?);
    if again > sent {
        return Err(line.error(format!("retransmitted_bytes are {again} of {sent} bytes: they count to bytes as well")));
    }
    builder.sent(at, sent, again);
    if lost > 0 {
        builder.dropped(at, lost);
    }
    if !cell(RATE).is_empty() {
        builder.rate(at, 1e3 * line.number(cell(RATE), "rate_kbps", 1e12)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_last_until_the_next() {
        let trace =
            read("rtt_ms,time_s,bytes,lost_bytes\n# a note\n20,1,500,0\n40.5,1.5,700,100\n,3,,\n").expect("good");
        assert_eq!(trace.samples.len(), 2);
        assert_eq!(trace.lifetime(0), Duration::from_millis(500));
        assert_eq!(trace.lifetime(1), Duration::from_millis(1500));
        assert_eq!((trace.samples[1].sent, trace.samples[1].dropped), (700, 100));
        assert_eq!(trace.samples[1].rtt, Duration::from_micros(40_500));
        assert!(trace.known.dropped && !trace.known.retransmitted);
        let open = read("time_s,rtt_ms\n1,20\n3,30\n").expect("good");
        assert_eq!(open.lifetime(1), Duration::from_secs(2));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, expected) in [
            ("time_s,rtt\n", "line 1: no column called 'rtt'; there are: time_s, rtt_ms"),
            ("time_s\n", "line 1: needs a column rtt_ms"),
            ("time_s,rtt_ms\n1,20\n1,20\n", "line 3: time_s is 1 after 1: times must grow"),
            ("time_s,rtt_ms\n1,-2\n", "line 2: rtt_ms is '-2': must be from 0 to"),
            ("time_s,rtt_ms\n1\n", "line 2: has 1 cells where line 1 has 2"),
            ("time_s,rtt_ms\n1,nan\n", "line 2: rtt_ms is 'nan': must be from 0"),
            ("time_s,rtt_ms,bytes,retransmitted_bytes\n1,2,10,20\n", "line 2: retransmitted_bytes are 20 of 10 bytes"),
            ("time_s,rtt_ms\n", "has no round-trip time"),
            ("", "line 1: is empty"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
