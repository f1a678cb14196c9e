//! A host on a TUN device, without the interpreter's lock.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hopwright_live::{Error, Ready, Settings, Task, Watch, prepare};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{RunError, guarded};

/// How far `Host.run` has come, and its stop button. Shared between threads.
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

    /// Makes `Host.run` break off its connections and return soon.
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
    triggers: Option<PathBuf>,
    limits: Vec<(String, String)>,
    user: Option<String>,
    compute: bool,
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
        let triggers = self.triggers.as_deref().map(hopwright_scenario::load_triggers).transpose();
        let triggers = triggers.map_err(|errors| PyValueError::new_err(errors.render(false)))?;
        Ok(Settings {
            tun: self.tun,
            address: self.address,
            kernel_address: self.kernel_address,
            mtu: self.mtu,
            offload: self.offload,
            protocol: self.protocol,
            overrides: self.overrides,
            triggers,
            limits: self.limits,
            user: self.user,
            compute: self.compute,
            task,
        })
    }
}

/// A host whose device is there, and what it sends open.
#[pyclass(module = "hopwright._core", frozen)]
pub(crate) struct Host {
    /// None once it ran.
    ready: Mutex<Option<Ready>>,
}

#[pymethods]
impl Host {
    /// Checks the options, opens what is to be sent, and makes the device. Raises `ValueError` if the options make no
    /// sense, `RunError` if it fails.
    #[new]
    fn new(py: Python<'_>, options: Options) -> PyResult<Self> {
        let settings = options.settings()?;
        let ready = whole(py.detach(|| guarded(|| prepare(&settings))))?;
        Ok(Self { ready: Mutex::new(Some(ready)) })
    }

    /// Gives up every privilege of the calling thread, and of those that it will start. Raises `RunError` if it fails.
    fn give_up_privileges(&self) -> PyResult<()> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        ready.as_ref().map_or(Ok(()), Ready::give_up_privileges).map_err(raised)
    }

    /// Serves a file, or connects and sends or receives one. Returns a summary as JSON, also if it was stopped.
    /// Raises `ValueError` if what comes cannot be written, `RunError` if it fails.
    fn run(&self, py: Python<'_>, watch: &HostWatch) -> PyResult<String> {
        let taken = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ready = taken.ok_or_else(|| PyValueError::new_err("a host runs once"))?;
        let summary = whole(py.detach(|| {
            guarded(|| match ready.run(&watch.watch) {
                Err(Error::Stopped(summary)) => Ok(*summary),
                other => other,
            })
        }))?;
        serde_json::to_string(&summary).map_err(|error| RunError::new_err(error.to_string()))
    }
}

/// What came of it, or what to raise.
fn whole<T>(done: Result<Result<T, Error>, String>) -> PyResult<T> {
    done.map_err(|panic| RunError::new_err(format!("a fault of this program: {panic}")))?.map_err(raised)
}

fn raised(error: Error) -> PyErr {
    match error {
        Error::Input(text) => PyValueError::new_err(text),
        Error::Failed(text) => RunError::new_err(text),
        Error::Stopped(_) => RunError::new_err("stopped"),
    }
}
