//! Runs in parallel, one thread each, without the interpreter's lock.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use hopwright_scenario::{Loaded, ScenarioErrors};
use hopwright_sim::{Options, Report, Timed, Watch};
use hopwright_trace::series::Picture;
use hopwright_trace::{Config, Recorded, Recorder, Unwritten, hops};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{Cancelled, RunError, guarded, refused};
use crate::progress::{Progress, stop};
use crate::record;
use crate::scenario::Scenario;

/// What one run measured.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct RunResult {
    report: Report,
    wall_s: f64,
    picture: Option<Picture>,
    hops: Option<hops::Report>,
    unwritten: Vec<String>,
}

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
        serde_json::to_string(&Timed { report: &self.report, wall_s: self.wall_s })
            .map_err(|error| RunError::new_err(error.to_string()))
    }

    /// Of what was to be recorded, the files that are missing: name and reason.
    #[getter]
    fn unwritten(&self) -> Vec<String> {
        self.unwritten.clone()
    }

    /// The per-hop report as JSON, if it was asked for.
    fn hops_json(&self) -> PyResult<Option<String>> {
        let json = self.hops.as_ref().map(serde_json::to_string).transpose();
        json.map_err(|error| RunError::new_err(error.to_string()))
    }

    /// What figures show of one flow over time: columns of f64 in little-endian order.
    fn series<'py>(&self, py: Python<'py>, flow: usize) -> PyResult<Bound<'py, PyDict>> {
        self.check(flow)?;
        let columns = PyDict::new(py);
        for (name, values) in self.picture.iter().flat_map(|picture| picture.columns(flow)) {
            columns.set_item(name, bytes(py, &values))?;
        }
        Ok(columns)
    }

    /// The links that a flow's packets came over, in the order of their ends: from, to, packets in the direction of the
    /// data.
    fn links(&self, flow: usize) -> PyResult<Vec<(usize, usize, u64)>> {
        self.check(flow)?;
        Ok(self.picture.iter().flat_map(|picture| picture.links(flow)).collect())
    }

    /// What the triggers of a flow did: seconds, and the trigger's number with what else it did, as in `series.parquet`.
    fn changes(&self, flow: usize) -> PyResult<Vec<(f64, String)>> {
        self.check(flow)?;
        Ok(self.picture.iter().flat_map(|picture| picture.changes(flow)).collect())
    }

    /// What figures show of the longest queues, at most so many: by node, times and packets as in `series`.
    fn queues<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyDict>> {
        let queues = PyDict::new(py);
        for (node, times, packets) in self.picture.iter().flat_map(|picture| picture.queues(most)) {
            queues.set_item(node, (bytes(py, &times), bytes(py, &packets)))?;
        }
        Ok(queues)
    }
}

impl RunResult {
    pub(crate) fn new(mut report: Report, wall_s: f64, recorded: Recorded) -> Self {
        if let Some(medium_use) = &recorded.medium_use {
            medium_use.write_into(&mut report);
        }
        if let Some(flow_time) = &recorded.flow_time {
            flow_time.write_into(&mut report);
        }
        let unwritten = recorded.unwritten.iter().map(|file| format!("{}: {}", file.name, file.error)).collect();
        Self { report, wall_s, picture: recorded.picture, hops: recorded.hops, unwritten }
    }

    fn check(&self, flow: usize) -> PyResult<()> {
        if flow >= self.report.flows.len() {
            return Err(PyIndexError::new_err(format!("there is no flow {flow}")));
        }
        Ok(())
    }
}

fn bytes<'py>(py: Python<'py>, values: &[f64]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    PyBytes::new(py, &bytes)
}

/// Runs the scenario once per seed, `jobs` at a time; results come in the order of `seeds`. With `folders`, one per
/// seed, runs write there what the scenario's `[output]` asks for, as far as that can be written; with `figures`, the first keeps what they show; with
/// `per_hop`, each has its per-hop report.
#[pyfunction]
#[pyo3(signature = (scenario, seeds, jobs, progress, *, folders=None, figures=false, per_hop=false))]
#[expect(clippy::too_many_arguments, reason = "Python gives most of them by name")]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    seeds: Vec<u64>,
    jobs: usize,
    progress: &Progress,
    folders: Option<Vec<PathBuf>>,
    figures: bool,
    per_hop: bool,
) -> PyResult<Vec<RunResult>> {
    if jobs == 0 {
        return Err(PyValueError::new_err("jobs: at least 1"));
    }
    if folders.as_ref().is_some_and(|folders| folders.len() != seeds.len()) {
        return Err(PyValueError::new_err("folders: as many as seeds"));
    }
    let end_ns = scenario.loaded.scenario.run.duration_s * 1e9;
    let watches = progress.begin(seeds.len(), end_ns as u64);
    let wanted = Wanted { figures, per_hop };
    let results = py.detach(|| all(&scenario.loaded, &seeds, jobs, folders.as_deref(), wanted, &watches));
    results.map_err(|(seed, failure)| match failure {
        Failure::Refused(errors) => refused(&errors),
        Failure::Panicked(text) => RunError::new_err(format!("the run with seed {seed} failed: {text}")),
        Failure::Cancelled => Cancelled::new_err("the runs were stopped"),
    })
}

/// What is wanted of runs beside their results and files.
#[derive(Clone, Copy)]
struct Wanted {
    figures: bool,
    per_hop: bool,
}

/// Threads take seeds in turn until none is left. After a failure the other runs are stopped as well.
fn all(
    loaded: &Loaded,
    seeds: &[u64],
    jobs: usize,
    folders: Option<&[PathBuf]>,
    wanted: Wanted,
    watches: &[Watch],
) -> Result<Vec<RunResult>, (u64, Failure)> {
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<RunResult, Failure>>>> = seeds.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < seeds.len()) {
            let folder = folders.map(|folders| &*folders[index]);
            let wanted = Wanted { figures: wanted.figures && index == 0, ..wanted };
            let result = guarded(|| one(loaded, seeds[index], folder, wanted, &watches[index]))
                .unwrap_or_else(|text| Err(Failure::Panicked(text)));
            if result.is_err() {
                stop(watches);
            }
            *slots[index].lock().expect("no thread panics while it holds this") = Some(result);
        }
    };
    thread::scope(|scope| {
        // This thread is one of them: to begin another costs as much as a short run.
        for _ in 1..jobs.min(seeds.len()) {
            scope.spawn(work);
        }
        work();
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

fn one(loaded: &Loaded, seed: u64, folder: Option<&Path>, wanted: Wanted, watch: &Watch) -> Result<RunResult, Failure> {
    // Whoever stopped the runs may have taken the folder away.
    if watch.cancelled.load(Ordering::Relaxed) {
        return Err(Failure::Cancelled);
    }
    let setup = loaded.setup(seed).map_err(Failure::Refused)?;
    let config = folder.map_or_else(Config::default, |_| record::config(&loaded.scenario, &setup, seed, false));
    let output = &loaded.scenario.output;
    let (medium_use, flow_time) = (output.medium_use, output.flow_time);
    let config = Config { picture: wanted.figures, hops: wanted.per_hop, medium_use, flow_time, ..config };
    let options = Options::default();
    let plain = || timed(|| hopwright_sim::run(&setup, seed, &options, watch));
    let ((outcome, wall_s), recorded) = if config == Config::default() {
        (plain(), Recorded::default())
    } else {
        let folder = folder.unwrap_or(Path::new(""));
        let record = || {
            let mut recorder = Recorder::new(&config, &setup, folder);
            let done = timed(|| hopwright_sim::run_traced(&setup, seed, &options, watch, &mut recorder));
            (done, recorder.finish())
        };
        // What is recorded never costs the result: if it is to blame, the run succeeds without. Else that fails alike.
        guarded(record).unwrap_or_else(|panic| {
            let error = io::Error::other(format!("a fault of this program: {panic}"));
            let all = Unwritten { name: "what is recorded".to_owned(), error };
            (plain(), Recorded { unwritten: vec![all], ..Recorded::default() })
        })
    };
    let report = outcome.map_err(|hopwright_sim::Cancelled| Failure::Cancelled)?.report;
    watch.now_ns.store(setup.end.as_nanos(), Ordering::Relaxed);
    Ok(RunResult::new(report, wall_s, recorded))
}

#[expect(clippy::disallowed_methods, reason = "the time a run takes is measured around it; the run never sees it")]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let value = work();
    (value, start.elapsed().as_secs_f64())
}
