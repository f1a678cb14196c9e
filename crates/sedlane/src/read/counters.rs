//! Counters of a connection over time, as this program's own series have them.

use hopwright_machine::{Duration, Time};

use super::{NO_SAMPLE, ReadError};
use crate::trace::{Builder, Known, Trace};

/// Columns of one length.
#[derive(Clone, Copy, Debug)]
pub struct Counters<'a> {
    /// Seconds, never going back.
    pub time_s: &'a [f64],
    /// Seconds; NaN where nothing was measured.
    pub rtt_s: &'a [f64],
    /// New data so far, bytes; NaN where it is not known.
    pub new_bytes: &'a [f64],
    /// Data sent again so far, bytes.
    pub again_bytes: &'a [f64],
    /// When data was dropped, seconds, and how many bytes; `None` if nobody recorded that.
    pub drops: Option<(&'a [f64], &'a [f64])>,
}

/// A trace of counters.
///
/// # Errors
/// If they hold no round-trip time, or something that cannot be.
pub fn counters(columns: Counters<'_>, connection: String) -> Result<Trace, ReadError> {
    let rows = columns.time_s.len();
    let wrong = |row: usize, what: &str| ReadError::whole(format!("row {row}: {what}"));
    if [columns.rtt_s, columns.new_bytes, columns.again_bytes].iter().any(|column| column.len() != rows) {
        return Err(ReadError::whole("its columns have different lengths"));
    }
    let mut builder = Builder::new(Known { sent: true, retransmitted: true, dropped: columns.drops.is_some() });
    let (mut last, mut new, mut again) = (0.0, 0.0, 0.0);
    for row in 0..rows {
        let time_s = columns.time_s[row];
        if !(last..1e9).contains(&time_s) {
            return Err(wrong(row, "the time goes back, or is none"));
        }
        last = time_s;
        let at = Time::from_secs_f64(time_s);
        builder.lasts_until(at);
        let rtt_s = columns.rtt_s[row];
        if !rtt_s.is_nan() {
            if !(0.0..1e5).contains(&rtt_s) {
                return Err(wrong(row, "the round-trip time is none"));
            }
            builder.measured(at, Duration::from_secs_f64(rtt_s));
        }
        let (more_new, more_again) = (columns.new_bytes[row] - new, columns.again_bytes[row] - again);
        if more_new < 0.0 || more_again < 0.0 {
            return Err(wrong(row, "fewer bytes were sent than before"));
        }
        if more_new + more_again > 0.0 {
            builder.sent(at, (more_new + more_again) as u64, more_again as u64);
            (new, again) = (columns.new_bytes[row], columns.again_bytes[row]);
        }
    }
    for (&time_s, &bytes) in columns.drops.iter().flat_map(|(times, bytes)| times.iter().zip(*bytes)) {
        builder.dropped(Time::from_secs_f64(time_s), bytes as u64);
    }
    builder.finish(connection).ok_or_else(|| ReadError::whole(NO_SAMPLE))
}
