//! What ns-2 writes of the variables of a TCP agent: `$tcp attach $file; $tcp tracevar rtt_`.
//!
//! ```text
//! 0.56534  0  0  2  0  rtt_ 0.070              time, source and its port, destination and its port, name, value
//! time: 0.565 saddr: 0 sport: 0 daddr: 2 ... rtt: 0.070 ...    all at once, with traceAllVars_
//! ```
//!
//! The agent writes `rtt_` in seconds (ticks times `tcpTick_`). A script that prints the variable itself writes
//! ticks, whole numbers: those need `tick`. Bytes are those of `ndatabytes_` and `nrexmitbytes_`, or else of segments:
//! `ndatapack_` and `nrexmitpack_`, or else of `maxseq_`, which knows nothing of what was sent again.
//!
//! Spec      ns-2.35, tcp/tcp.cc (traceVar, traceAll)
//! Deviates  `rtt_` of 0, which stands before the first measurement, is none; values of the agent at the start, when it
//!           has no address (-1), are left out
//! Holds     the trace holds `rtt_` only when it changes: so these are transitions, not all measurements

use std::collections::BTreeMap;

use hopwright_machine::{Duration, Time};

use super::flows::{Flow, choose};
use super::line::{Line, check_end, lines};
use super::{NO_SAMPLE, Options, ReadError};
use crate::trace::{Builder, Known, Trace};

/// Variables that count what was sent.
const COUNTERS: [&str; 5] = ["ndatabytes_", "nrexmitbytes_", "ndatapack_", "nrexmitpack_", "maxseq_"];
const BYTES: usize = 0;
const BYTES_AGAIN: usize = 1;
const PACKETS: usize = 2;
const PACKETS_AGAIN: usize = 3;
const HIGHEST: usize = 4;

fn counter(name: &str) -> Option<usize> {
    let name = if name == "maxseq:" { "maxseq_" } else { name };
    COUNTERS.iter().position(|&known| known == name)
}

pub(crate) fn is_line(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &&str| word.parse::<f64>().is_ok();
    match words[..] {
        ["time:", time, ..] => is_number(&time),
        [ref fields @ .., name, value] if fields.len() == 5 => {
            fields.iter().all(is_number) && name.ends_with('_') && is_number(&value)
        }
        _ => false,
    }
}

type Ends<'a> = [&'a str; 4];

/// Everything of one connection, in the order of the file.
#[derive(Default)]
struct Recorded<'a> {
    rtts: Vec<(Line<'a>, Time, &'a str)>,
    counts: Vec<(Time, usize, u64)>,
    counted: [u64; 5],
    end: Time,
}

pub(crate) fn read(text: &str, options: &Options) -> Result<Trace, ReadError> {
    let mut order: Vec<Ends<'_>> = Vec::new();
    let mut recorded: BTreeMap<Ends<'_>, Recorded<'_>> = BTreeMap::new();
    let mut last = Time::ZERO;
    let mut is_traced = [false; 5];
    check_end(text)?;
    for line in lines(text).filter(|line| !line.text.starts_with('#')) {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let (time, ends, values) = match words[..] {
            ["time:", time, "saddr:", a, "sport:", b, "daddr:", c, "dport:", d, ref rest @ ..] => {
                (time, [a, b, c, d], all_at_once(line, rest)?)
            }
            [time, a, b, c, d, name, value] => (time, [a, b, c, d], vec![(name, value)]),
            _ => return Err(line.error("is no line of a trace of variables: `TIME FROM PORT TO PORT NAME VALUE`")),
        };
        let at = line.time(time)?;
        line.after(at, &mut last)?;
        for &(name, _) in &values {
            if let Some(counter) = counter(name) {
                is_traced[counter] = true;
            }
        }
        if ends[0] == "-1" {
            continue;
        }
        let connection = recorded.entry(ends).or_insert_with(|| {
            order.push(ends);
            Recorded::default()
        });
        connection.end = at;
        for (name, value) in values {
            connection.take(line, at, name, value)?;
        }
    }
    let flows: Vec<Flow> = order
        .iter()
        .map(|ends| Flow {
            from: format!("{}:{}", ends[0], ends[1]),
            to: format!("{}:{}", ends[2], ends[3]),
            data: format!("{} round-trip times", recorded[ends].rtts.len()),
        })
        .collect();
    let chosen = choose(&flows, options.flow.as_ref())?;
    recorded[&order[chosen]].trace(flows[chosen].name(), is_traced, options)
}

/// `NAME: VALUE NAME: VALUE ...` by the names of the variables.
fn all_at_once<'a>(line: Line<'_>, words: &[&'a str]) -> Result<Vec<(&'a str, &'a str)>, ReadError> {
    let pair = |pair: &[&'a str]| match pair {
        [name, value] if name.ends_with(':') => Ok((*name, *value)),
        _ => Err(line.error("the words after its addresses are not `NAME: VALUE`: it was cut off")),
    };
    words.chunks(2).map(pair).collect()
}

impl<'a> Recorded<'a> {
    fn take(&mut self, line: Line<'a>, at: Time, name: &str, value: &'a str) -> Result<(), ReadError> {
        match name {
            "rtt_" | "rtt:" => self.rtts.push((line, at, value)),
            _ => {
                let Some(counter) = counter(name) else { return Ok(()) };
                // maxseq_ is -1 before anything is sent.
                let count = if value == "-1" { 0 } else { line.whole(value, name)? + u64::from(counter == HIGHEST) };
                let before = self.counted[counter];
                if count < before {
                    return Err(line.error(format!("{name} falls from {before} to {count}")));
                }
                self.counted[counter] = count;
                self.counts.push((at, counter, count));
            }
        }
        Ok(())
    }

    fn trace(&self, name: String, is_traced: [bool; 5], options: &Options) -> Result<Trace, ReadError> {
        // In bytes if they were traced, or else in segments.
        let (new, again, unit) = if is_traced[BYTES] {
            (BYTES, BYTES_AGAIN, 1)
        } else if is_traced[PACKETS] {
            (PACKETS, PACKETS_AGAIN, options.segment_bytes())
        } else {
            (HIGHEST, PACKETS_AGAIN, options.segment_bytes())
        };
        let known = Known {
            sent: is_traced[new],
            // maxseq_ does not count what was sent again, so that there would be nothing to compare it with.
            retransmitted: is_traced[again] && new != HIGHEST,
            dropped: false,
        };
        let mut builder = Builder::new(known);
        builder.lasts_until(self.end);
        for &(line, at, word) in &self.rtts {
            let rtt = match options.tick {
                Some(tick) => Duration::from_secs_f64(line.number(word, "rtt_", 1e9)? * tick.as_secs_f64()),
                None if !word.contains('.') && word != "0" => {
                    return Err(
                        line.error(format!("rtt_ is '{word}', a whole number: ticks; say --tick, ns-2's tcpTick_"))
                    );
                }
                None => line.rtt(word, "rtt_", 1.0)?,
            };
            if rtt > Duration::ZERO {
                builder.measured(at, rtt);
            }
        }
        let mut counted = [0; 5];
        for &(at, counter, count) in &self.counts {
            let more = (count - counted[counter]) * unit;
            counted[counter] = count;
            if counter == new {
                builder.sent(at, more, 0);
            } else if counter == again && known.retransmitted {
                builder.sent(at, 0, more);
            }
        }
        builder.finish(name).ok_or_else(|| ReadError::whole(format!("{NO_SAMPLE}: trace rtt_, `$tcp tracevar rtt_`")))
    }
}
