//! Runs in parallel, one thread each, without the interpreter's lock.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use hopwright_scenario::{Loaded, ScenarioErrors};
use hopwright_sim::{FlowKind, Options, Outcome, Report, Series, Watch};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Serialize;

use crate::errors::{Cancelled, RunError, guarded, refused};
use crate::progress::{Progress, stop};
use crate::scenario::Scenario;

/// What one run measured.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct RunResult {
    report: Report,
    wall_s: f64,
    series: Vec<Columns>,
}

/// A flow's columns by name.
type Columns = Vec<(&'static str, Vec<f64>)>;

/// Why a run has no result.
enum Failure {
    Refused(ScenarioErrors),
    Panicked(String),
    Cancelled,
}

#[pymethods]
impl RunResult {
    #[getter]
    fn seed(&self) -> u64 {
        self.report.seed
    }

    /// One element of the summary's `results`.
    fn summary_json(&self) -> PyResult<String> {
        #[derive(Serialize)]
        struct Timed<'a> {
            #[serde(flatten)]
            report: &'a Report,
            wall_s: f64,
        }
        serde_json::to_string(&Timed { report: &self.report, wall_s: self.wall_s })
            .map_err(|error| RunError::new_err(error.to_string()))
    }

    /// Columns over time of one flow, f64 in little-endian order.
    fn series<'py>(&self, py: Python<'py>, flow: usize) -> PyResult<Bound<'py, PyDict>> {
        if flow >= self.report.flows.len() {
            return Err(PyIndexError::new_err(format!("there is no flow {flow}")));
        }
        let columns = PyDict::new(py);
        for (name, values) in self.series.get(flow).into_iter().flatten() {
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            columns.set_item(name, PyBytes::new(py, &bytes))?;
        }
        Ok(columns)
    }
}

/// Runs the scenario once per seed, `jobs` at a time; results come in the order of `seeds`.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    seeds: Vec<u64>,
    jobs: usize,
    series: bool,
    progress: &Progress,
) -> PyResult<Vec<RunResult>> {
    if jobs == 0 {
        return Err(PyValueError::new_err("jobs: at least 1"));
    }
    let end_ns = scenario.loaded.scenario.run.duration_s * 1e9;
    let watches = progress.begin(seeds.len(), end_ns as u64);
    let results = py.detach(|| all(&scenario.loaded, &seeds, jobs, series, &watches));
    results.map_err(|(seed, failure)| match failure {
        Failure::Refused(errors) => refused(&errors),
        Failure::Panicked(text) => RunError::new_err(format!("the run with seed {seed} failed: {text}")),
        Failure::Cancelled => Cancelled::new_err("the runs were stopped"),
    })
}

/// Threads take seeds in turn until none is left. After a failure the other runs are stopped as well.
fn all(
    loaded: &Loaded,
    seeds: &[u64],
    jobs: usize,
    series: bool,
    watches: &[Watch],
) -> Result<Vec<RunResult>, (u64, Failure)> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<RunResult, Failure>>>> = seeds.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < seeds.len()) {
            let options = Options { series: series && index == 0, ..Options::default() };
            let result = guarded(|| one(loaded, seeds[index], &options, &watches[index]))
                .unwrap_or_else(|text| Err(Failure::Panicked(text)));
            if result.is_err() {
                stop(watches);
            }
            *slots[index].lock().expect("no thread panics while it holds this") = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.min(seeds.len()) {
            scope.spawn(work);
        }
    });
    let mut finished = Vec::with_capacity(seeds.len());
    let mut failed: Option<(u64, Failure)> = None;
    for (slot, &seed) in slots.into_iter().zip(seeds) {
        let result = slot.into_inner().expect("no thread panics while it holds this").expect("every seed was taken");
        match (result, &failed) {
            (Ok(result), _) => finished.push(result),
            // That others were stopped is a consequence: the cause is what counts.
            (Err(failure), None | Some((_, Failure::Cancelled))) => failed = Some((seed, failure)),
            (Err(_), Some(_)) => {}
        }
    }
    failed.map_or(Ok(finished), Err)
}

fn one(loaded: &Loaded, seed: u64, options: &Options, watch: &Watch) -> Result<RunResult, Failure> {
    let setup = loaded.setup(seed).map_err(Failure::Refused)?;
    let (outcome, wall_s) = timed(|| hopwright_sim::run(&setup, seed, options, watch));
    let Outcome { report, series, .. } = outcome.map_err(|hopwright_sim::Cancelled| Failure::Cancelled)?;
    watch.now_ns.store(setup.end.as_nanos(), Ordering::Relaxed);
    let series =
        series.into_iter().zip(&setup.flows).map(|(s, flow)| s.map_or_else(Vec::new, |s| columns(s, &flow.kind)));
    Ok(RunResult { report, wall_s, series: series.collect() })
}

/// A series by Python's column names and units.
fn columns(series: Series, kind: &FlowKind) -> Columns {
    match kind {
        FlowKind::Tcp { params, .. } => {
            let segments = |bytes: f64| bytes / f64::from(params.segment_bytes);
            vec![
                ("time_s", series.time_s),
                ("cwnd_segments", series.cwnd_segments),
                ("ssthresh_segments", series.ssthresh_segments),
                ("acked_segments", series.progress_bytes.into_iter().map(segments).collect()),
            ]
        }
        FlowKind::Udp(_) => vec![("time_s", series.time_s), ("received_bytes", series.progress_bytes)],
    }
}

#[expect(clippy::disallowed_methods, reason = "the time a run takes is measured around it; the run never sees it")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed().as_secs_f64())
}
