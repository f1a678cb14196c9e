//! Traces of connections, and pipes from them.

use hopwright_machine::Duration;
use hopwright_sedlane::read::{Counters, KINDS, Options as Told, counters, detect, drops, read};
use hopwright_sedlane::{Averaging, Lost, Options, Reduction, Trace, reduce, to_toml};
use hopwright_shape::profile::Mode;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{RunError, guarded};

/// What is known of a connection.
#[pyclass(frozen, module = "hopwright._core")]
pub(crate) struct ConnectionTrace {
    trace: Trace,
    kind: &'static str,
}

/// Reads a connection from a file's content, of the kind that it seems to be or of the given one.
#[pyfunction]
#[pyo3(signature = (content, *, kind=None, flow=None, tick_s=None, segment_bytes=None, dropped=None))]
pub(crate) fn read_connection(
    py: Python<'_>,
    content: &[u8],
    kind: Option<&str>,
    flow: Option<&str>,
    tick_s: Option<f64>,
    segment_bytes: Option<u32>,
    dropped: Option<&[u8]>,
) -> PyResult<ConnectionTrace> {
    let kind = match kind {
        Some(name) => KINDS.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind),
        None => detect(content),
    };
    let kind = kind.ok_or_else(|| PyKeyError::new_err("kind"))?;
    let flow = flow.map(str::parse).transpose().map_err(|error| PyValueError::new_err(format!("--flow: {error}")))?;
    let told = Told { flow, tick: tick_s.map(Duration::from_secs_f64), segment_bytes };
    let mut trace =
        free(py, || read(kind, content, &told))?.map_err(|error| PyValueError::new_err(error.to_string()))?;
    if let Some(content) = dropped {
        let found = free(py, || drops(content, &trace.connection))?;
        // The first word says which of both files is wrong.
        trace.add_drops(&found.map_err(|error| PyValueError::new_err(("dropped", error.to_string())))?);
    }
    let kind = KINDS.iter().find(|(_, known)| *known == kind).map_or("", |(name, _)| *name);
    Ok(ConnectionTrace { trace, kind })
}

/// A connection from counters over time: columns of f64, little-endian.
#[pyfunction]
#[pyo3(signature = (connection, *, time_s, rtt_s, new_bytes, again_bytes, dropped=None))]
pub(crate) fn counted_connection(
    py: Python<'_>,
    connection: String,
    time_s: &[u8],
    rtt_s: &[u8],
    new_bytes: &[u8],
    again_bytes: &[u8],
    dropped: Option<(Vec<u8>, Vec<u8>)>,
) -> PyResult<ConnectionTrace> {
    let [time_s, rtt_s, new_bytes, again_bytes] = [time_s, rtt_s, new_bytes, again_bytes].map(numbers);
    let dropped = dropped.map(|(times, bytes)| (numbers(&times), numbers(&bytes)));
    let columns = Counters {
        time_s: &time_s,
        rtt_s: &rtt_s,
        new_bytes: &new_bytes,
        again_bytes: &again_bytes,
        drops: dropped.as_ref().map(|(times, bytes)| (times.as_slice(), bytes.as_slice())),
    };
    let trace = free(py, || counters(columns, connection))?;
    Ok(ConnectionTrace { trace: trace.map_err(|error| PyValueError::new_err(error.to_string()))?, kind: "result" })
}

#[pymethods]
impl ConnectionTrace {
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind
    }

    #[getter]
    fn connection(&self) -> &str {
        &self.trace.connection
    }

    #[getter]
    fn knows_bytes(&self) -> bool {
        self.trace.known.sent
    }

    #[getter]
    fn knows_losses(&self) -> (bool, bool) {
        (self.trace.known.retransmitted, self.trace.known.dropped)
    }

    /// Columns of f64, little-endian: `time_s`, the end included, `rtt_s` and `bytes`.
    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let samples = &self.trace.samples;
        let end = [self.trace.end.as_secs_f64()];
        let columns = PyDict::new(py);
        columns.set_item("time_s", bytes(py, samples.iter().map(|s| s.at.as_secs_f64()).chain(end)))?;
        columns.set_item("rtt_s", bytes(py, samples.iter().map(|s| s.rtt.as_secs_f64())))?;
        columns.set_item("bytes", bytes(py, samples.iter().map(|s| s.sent as f64)))?;
        columns.set_item("again_bytes", bytes(py, samples.iter().map(|s| s.retransmitted as f64)))?;
        Ok(columns)
    }

    /// Pipes: what is known of both reductions as JSON, and the profile of the chosen one as the text of a link.
    #[pyo3(signature = (*, mode, pipes, reduction, averaging, lost, lifetime_s, rate, about))]
    #[expect(clippy::too_many_arguments, reason = "each is an option of the command")]
    fn reduce(
        &self,
        py: Python<'_>,
        mode: &str,
        pipes: usize,
        reduction: &str,
        averaging: &str,
        lost: &str,
        lifetime_s: Option<f64>,
        rate: bool,
        about: Vec<String>,
    ) -> PyResult<(String, String)> {
        let options = Options {
            mode: if mode == "simultaneous" { Mode::Simultaneous } else { Mode::Sequential },
            pipes: pipes.max(1),
            reduction: if reduction == "pairwise" { Reduction::Pairwise } else { Reduction::LeastError },
            averaging: if averaging == "disjoint" { Averaging::Disjoint } else { Averaging::Overlapping },
            lost: if lost == "dropped" { Lost::Dropped } else { Lost::Retransmitted },
            lifetime: lifetime_s.map(Duration::from_secs_f64),
            rate,
        };
        let answer = free(py, || reduce(&self.trace, &options))?;
        let answer = answer.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let about: Vec<&str> = about.iter().map(String::as_str).collect();
        let json = serde_json::to_string(&answer).map_err(|error| RunError::new_err(error.to_string()))?;
        Ok((json, to_toml(&answer.profile, &about)))
    }
}

fn free<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| guarded(work));
    done.map_err(|panic| RunError::new_err(format!("a fault of this program: {panic}")))
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect()
}

fn bytes(py: Python<'_>, values: impl Iterator<Item = f64>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &values.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}
