//! The transport's own work: measured, without the interpreter's lock.

use std::path::PathBuf;
use std::process::Command;

use hopwright_measure::{Uncounted, be_counted, measure, power};
use hopwright_transport::{Protocol, protocol};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::{RunError, guarded};

/// Measures a protocol in a conversation of so many cycles; CPU time `repeat` times, instructions of `samples` events
/// of each function in a process of its own: `child` is a command that calls `be_counted` with the same protocol,
/// cycles and samples. Returns JSON.
#[pyfunction]
#[pyo3(signature = (protocol, *, cycles, repeat, samples, child))]
pub(crate) fn measure_energy(
    py: Python<'_>,
    protocol: &str,
    cycles: u64,
    repeat: u32,
    samples: u64,
    child: Vec<String>,
) -> PyResult<String> {
    let protocol = known(protocol)?;
    let [program, words @ ..] = child.as_slice() else { return Err(PyValueError::new_err("child: a command")) };
    let mut child = Command::new(program);
    child.args(words);
    match free(py, || measure(protocol, cycles, repeat, samples, &mut child))? {
        Ok(measurement) => json(&measurement),
        Err(_) => Err(PyKeyboardInterrupt::new_err(())),
    }
}

/// What the processor's package takes for the work of protocols, by its RAPL counters in `folder`: a pause of `span_s`
/// seconds and work for as long. Returns JSON. Raises `RunError` with the reason where it cannot be known.
#[pyfunction]
#[pyo3(signature = (folder, protocols, *, cycles, span_s))]
pub(crate) fn measure_power(
    py: Python<'_>,
    folder: PathBuf,
    protocols: Vec<String>,
    cycles: u64,
    span_s: f64,
) -> PyResult<String> {
    let protocols: Vec<_> = protocols.iter().map(|id| known(id)).collect::<PyResult<_>>()?;
    let power = free(py, || power(&folder, &protocols, cycles, span_s))?;
    json(&power.map_err(|reason| RunError::new_err(reason.to_string()))?)
}

/// Lets the parent process count this one's instructions; see `measure_energy`.
#[pyfunction]
#[pyo3(name = "be_counted")]
pub(crate) fn child(py: Python<'_>, protocol: &str, cycles: u64, samples: u64) -> PyResult<()> {
    let protocol = known(protocol)?;
    let done: Result<(), Uncounted> = free(py, || be_counted(protocol, cycles, samples))?;
    done.map_err(|reason| RunError::new_err(reason.to_string()))
}

fn known(id: &str) -> PyResult<&'static Protocol> {
    protocol(id).ok_or_else(|| PyValueError::new_err(format!("no TCP called '{id}'")))
}

fn free<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| guarded(work));
    done.map_err(|panic| RunError::new_err(format!("a fault of this program: {panic}")))
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| RunError::new_err(error.to_string()))
}
