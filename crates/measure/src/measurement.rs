//! One protocol, measured.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use hopwright_transport::{Function, Protocol};
use serde::Serialize;

use crate::clock::cpu_ns;
use crate::drive::{Recording, record};
use crate::rapl::{NoRapl, Power, Rapl};
use crate::stepping::{Uncounted, count};
use crate::timing::time;

/// What was measured of a protocol.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Measurement {
    /// Its id.
    pub protocol: String,
    /// Per function, in the order of `Function::ALL`.
    pub functions: Vec<Work>,
    /// Why no instructions were counted, if none were.
    pub uncounted: Option<String>,
}

/// The work of one function.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Work {
    /// Its name.
    pub function: &'static str,
    /// Events of the conversation.
    pub events: u64,
    /// Payload bytes that left with them, resent ones included.
    pub sent_bytes: u64,
    /// Seconds of the conversation spent in it.
    pub time_s: f64,
    /// CPU time of an event, nanoseconds: the mean over all events, once for each repetition.
    pub ns_per_event: Vec<f64>,
    /// Instructions of single events, evenly spread over all; empty where they were not counted.
    pub instructions: Vec<u64>,
}

/// Measures a protocol in a conversation of so many cycles: CPU time `repeat` times, after one run for practice;
/// instructions of `samples` events of each function, by `child`, a command that calls `be_counted` with the same
/// protocol, cycles and samples.
///
/// # Errors
/// `Interrupted` alone: that instructions cannot be counted here is part of the result.
pub fn measure(
    protocol: &Protocol,
    cycles: u64,
    repeat: u32,
    samples: u64,
    child: &mut Command,
) -> Result<Measurement, Uncounted> {
    let recording = record(protocol, cycles);
    let nothing = vec![Vec::new(); Function::ALL.len()];
    let (counts, uncounted) = match samples {
        0 => (nothing, Some("nobody asked for any".to_owned())),
        _ => match count(&recording, samples, child) {
            Ok(counts) => (counts, None),
            Err(Uncounted::Interrupted) => return Err(Uncounted::Interrupted),
            Err(reason) => (nothing, Some(reason.to_string())),
        },
    };
    timed(&recording);
    let times: Vec<_> = (0..repeat).map(|_| timed(&recording)).collect();
    let work = |(function, instructions): (Function, Vec<u64>)| {
        let tape = if function == Function::Receiver { &recording.receiver } else { &recording.sender };
        let events = tape.events(function);
        Work {
            function: function.name(),
            events,
            sent_bytes: tape.sent_bytes(function),
            time_s: tape.time_s(function),
            ns_per_event: times.iter().map(|ns| ns[function as usize] / events as f64).collect(),
            instructions,
        }
    };
    let functions = Function::ALL.into_iter().zip(counts).map(work).collect();
    Ok(Measurement { protocol: protocol.id.to_owned(), functions, uncounted })
}

fn timed(recording: &Recording) -> [f64; Function::ALL.len()] {
    let (sender, receiver) = (time(&recording.sender), time(&recording.receiver));
    std::array::from_fn(|n| sender[n] + receiver[n])
}

/// What the processor's package takes for the work of these protocols, in watts of CPU time: a pause of `span_s`
/// seconds, then work for as long.
///
/// # Errors
/// Why there are no joules.
pub fn power(folder: &Path, protocols: &[&Protocol], cycles: u64, span_s: f64) -> Result<Power, NoRapl> {
    let rapl = Rapl::open(folder)?;
    let recordings: Vec<Recording> = protocols.iter().map(|protocol| record(protocol, cycles)).collect();
    let span = Duration::from_secs_f64(span_s);

    let (start, before) = (instant(), rapl.read()?);
    thread::sleep(span);
    let (idle_s, idle_j) = (start.elapsed().as_secs_f64(), rapl.joules(&before, &rapl.read()?));

    let (start, cpu, before) = (instant(), cpu_ns(), rapl.read()?);
    while start.elapsed() < span {
        for recording in &recordings {
            recording.sender.replay();
            recording.receiver.replay();
        }
    }
    let (total_s, cpu_s) = (start.elapsed().as_secs_f64(), (cpu_ns() - cpu) as f64 * 1e-9);
    let total_j = rapl.joules(&before, &rapl.read()?);
    Power::of(total_j, idle_j * total_s / idle_s, cpu_s)
}

#[expect(clippy::disallowed_methods, reason = "how long a meter is read is wall time")]
fn instant() -> Instant {
    Instant::now()
}
