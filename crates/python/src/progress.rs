//! How far a batch of runs has come, and its stop button.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hopwright_sim::Watch;
use pyo3::prelude::*;

/// How far a call of `run` has come. Shared between threads.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug, Default)]
pub(crate) struct Progress {
    cancelled: AtomicBool,
    batch: Mutex<Batch>,
}

#[derive(Debug, Default)]
struct Batch {
    watches: Arc<[Watch]>,
    end_ns: u64,
}

#[pymethods]
impl Progress {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The simulated part of all runs, 0 to 1.
    fn fraction(&self) -> f64 {
        let batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        let total = batch.end_ns as f64 * batch.watches.len() as f64;
        let so_far: f64 = batch.watches.iter().map(|w| w.now_ns.load(Ordering::Relaxed) as f64).sum();
        if total > 0.0 { (so_far / total).min(1.0) } else { 0.0 }
    }

    /// Makes `run` raise `Cancelled` soon.
    fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        stop(&self.batch.lock().unwrap_or_else(PoisonError::into_inner).watches);
    }
}

impl Progress {
    /// One watch for each of `runs` runs that end at `end_ns`; already stopped if `cancel` came first.
    pub(crate) fn begin(&self, runs: usize, end_ns: u64) -> Arc<[Watch]> {
        let watches: Arc<[Watch]> = (0..runs).map(|_| Watch::default()).collect();
        *self.batch.lock().unwrap_or_else(PoisonError::into_inner) = Batch { watches: Arc::clone(&watches), end_ns };
        if self.cancelled.load(Ordering::SeqCst) {
            stop(&watches);
        }
        watches
    }
}

/// Stops all runs.
pub(crate) fn stop(watches: &[Watch]) {
    for watch in watches {
        watch.cancelled.store(true, Ordering::Relaxed);
    }
}
