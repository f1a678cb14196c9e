//! All of a run in one piece.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::report::Outcome;
use crate::run::Options;
use crate::setup::Setup;
use crate::simulation::Simulation;
use crate::trace::Trace;

/// How far a run is, and whether it should stop; shared with whoever watches.
#[derive(Debug, Default)]
pub struct Watch {
    /// Simulated nanoseconds so far.
    pub now_ns: AtomicU64,
    /// Set to stop the run.
    pub cancelled: AtomicBool,
}

/// The run was stopped: from outside, or by `Options::most_events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Events between two looks at the watch: some tenths of a millisecond.
const WATCH_EVERY: u64 = 1024;

/// Runs a scenario with one seed.
///
/// # Errors
/// `Cancelled` if `watch` or `options` say so.
///
/// # Panics
/// If the conservation law is broken at the end: a fault of this program.
pub fn run(setup: &Setup, seed: u64, options: &Options, watch: &Watch) -> Result<Outcome, Cancelled> {
    whole(Simulation::new(Cow::Borrowed(setup), seed, options), options, watch)
}

/// The same, telling `trace` what happens. The outcome is the same.
///
/// # Errors
/// `Cancelled` if `watch` says so; what has happened so far was told.
///
/// # Panics
/// As `run`.
pub fn run_traced(
    setup: &Setup,
    seed: u64,
    options: &Options,
    watch: &Watch,
    trace: &mut dyn Trace,
) -> Result<Outcome, Cancelled> {
    whole(Simulation::traced(Cow::Borrowed(setup), seed, options, Box::new(trace)), options, watch)
}

/// All of a run in one piece.
fn whole(mut simulation: Simulation<'_>, options: &Options, watch: &Watch) -> Result<Outcome, Cancelled> {
    let most_events = options.most_events.unwrap_or(u64::MAX);
    while !simulation.advance_some(simulation.end(), WATCH_EVERY) {
        watch.now_ns.store(simulation.now().as_nanos(), Ordering::Relaxed);
        if watch.cancelled.load(Ordering::Relaxed) || simulation.events() >= most_events {
            return Err(Cancelled);
        }
    }
    watch.now_ns.store(simulation.end().as_nanos(), Ordering::Relaxed);
    Ok(simulation.finish())
}
