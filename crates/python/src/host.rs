//! A host on a TUN device, without the interpreter's lock.

use std::path::PathBuf;

use hopwright_live::{Error, Settings, Task, Watch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{RunError, guarded};

/// How far a call of `host` has come, and its stop button. Shared between threads.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct HostWatch {
    watch: Watch,
}

#[pymethods]
impl HostWatch {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self { watch: Watch::new()? })
    }

    /// Makes `host` break off its connections and return soon.
    fn stop(&self) {
        self.watch.stop();
    }

    /// Whether the device is up, and the port open if there is one.
    fn is_ready(&self) -> bool {
        self.watch.is_ready()
    }

    /// Bytes acknowledged by peers, and bytes received.
    fn bytes(&self) -> (u64, u64) {
        self.watch.bytes()
    }
}

/// The options of `hopwright host`, a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    tun: String,
    address: String,
    kernel_address: Option<String>,
    mtu: u16,
    offload: bool,
    protocol: String,
    overrides: Vec<(String, String)>,
    serve: Option<PathBuf>,
    port: u16,
    once: bool,
    connect: Option<String>,
    send: Option<PathBuf>,
    receive: Option<PathBuf>,
}

impl Options {
    fn settings(self) -> PyResult<Settings> {
        let task = match (self.serve, self.connect) {
            (Some(file), None) => Task::Serve { file, port: self.port, once: self.once },
            (None, Some(to)) => Task::Connect { to, send: self.send, receive: self.receive },
            _ => return Err(PyValueError::new_err("either serve or connect")),
        };
        Ok(Settings {
            tun: self.tun,
            address: self.address,
            kernel_address: self.kernel_address,
            mtu: self.mtu,
            offload: self.offload,
            protocol: self.protocol,
            overrides: self.overrides,
            task,
        })
    }
}

/// Serves a file, or connects and sends or receives one. Returns a summary as JSON, also if it was stopped.
/// Raises `ValueError` if the options make no sense, `RunError` if it fails.
#[pyfunction]
pub(crate) fn host(py: Python<'_>, options: Options, watch: &HostWatch) -> PyResult<String> {
    let settings = options.settings()?;
    let done = py.detach(|| guarded(|| hopwright_live::run(&settings, &watch.watch)));
    let summary = match done.map_err(|panic| RunError::new_err(format!("a fault of this program: {panic}")))? {
        Ok(summary) => summary,
        Err(Error::Stopped(summary)) => *summary,
        Err(Error::Input(text)) => return Err(PyValueError::new_err(text)),
        Err(Error::Failed(text)) => return Err(RunError::new_err(text)),
    };
    serde_json::to_string(&summary).map_err(|error| RunError::new_err(error.to_string()))
}
