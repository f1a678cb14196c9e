//! A shaped link between two namespaces or sockets, without the interpreter's lock.

use std::fmt::Display;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hopwright_emulate::{Relay, Remembers, ShaperStatus, Unusable, Watch};
use hopwright_machine::Duration;
use hopwright_netns::{Error, Namespace, Spec};
use hopwright_scenario::LinkPair;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

use crate::control::say;
use crate::emulation::raised;
use crate::errors::{RunError, guarded, refused};

/// Addresses of both sides, and the length of their subnet's prefix.
const SIDES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];
const PREFIX: u8 = 24;

/// How `Shaper.run` is watched, told things and stopped, from other threads.
#[pyclass(module = "hopwright._core", frozen)]
#[derive(Debug)]
pub(crate) struct ShaperWatch(Watch<ShaperStatus>);

#[pymethods]
impl ShaperWatch {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(Self(Watch::new()?))
    }

    /// Makes `Shaper.run` return soon.
    fn stop(&self) {
        self.0.stop();
    }

    /// Does what a line says; returns the answer, a line of JSON.
    fn say(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        say(py, &self.0, line)
    }
}

/// Reads a link file, to see whether it can be read.
#[pyfunction]
pub(crate) fn check_link(path: PathBuf) -> PyResult<()> {
    hopwright_scenario::load_link(&path).map(drop).map_err(|errors| refused(&errors))
}

/// Two namespaces, and a shaped link between their devices.
#[pyclass(module = "hopwright._core", frozen)]
pub(crate) struct Shaper {
    link: LinkPair,
    seed: u64,
    sides: [Namespace; 2],
}

#[pymethods]
impl Shaper {
    /// Reads the link file and makes the namespaces. Raises `ScenarioError` for the file, `OSError` where privileges or
    /// devices are lacking.
    #[new]
    #[pyo3(signature = (path, seed, *, proc, offload, mtu))]
    fn new(py: Python<'_>, path: PathBuf, seed: u64, proc: PathBuf, offload: bool, mtu: u16) -> PyResult<Self> {
        py.detach(|| {
            let link = hopwright_scenario::load_link(&path).map_err(|errors| refused(&errors))?;
            let side = |address| side(address, &proc, offload, mtu);
            let sides = [side(SIDES[0]).map_err(raised)?, side(SIDES[1]).map_err(raised)?];
            Ok(Self { link, seed, sides })
        })
    }

    /// The descriptors of both namespaces, and the threads that keep them: near, far.
    fn namespaces(&self) -> Vec<(i32, u32)> {
        self.sides.iter().map(|side| (side.descriptor().as_raw_fd(), side.thread_id())).collect()
    }

    /// Carries packets until `watch` is told to stop; returns what it did, as JSON.
    #[pyo3(signature = (watch, *, realtime=false))]
    fn run(&self, py: Python<'_>, watch: &ShaperWatch, realtime: bool) -> PyResult<String> {
        py.detach(|| {
            let sides = [self.sides[0].device(), self.sides[1].device()];
            said(guarded(|| hopwright_emulate::shape(sides, self.link.clone(), self.seed, &watch.0, realtime)))
        })
    }
}

/// A relay of datagrams over a shaped link.
#[pyclass(module = "hopwright._core", frozen)]
pub(crate) struct UdpRelay {
    link: LinkPair,
    /// None once it has run.
    relay: Mutex<Option<Relay>>,
    address: SocketAddr,
}

#[pymethods]
impl UdpRelay {
    /// Reads the link file and listens at an address, for datagrams to another one. Raises `ScenarioError` for the file,
    /// and `ValueError` for an address, which begins with "listen: " or "to: ".
    #[new]
    fn new(path: PathBuf, listen: &str, to: &str) -> PyResult<Self> {
        let wrong = |which: &str, why: &dyn Display| PyValueError::new_err(format!("{which}: {why}"));
        let link = hopwright_scenario::load_link(&path).map_err(|errors| refused(&errors))?;
        let listen = listen.parse().map_err(|error| wrong("listen", &error))?;
        let to = to.parse().map_err(|error| wrong("to", &error))?;
        let relay = Relay::new(listen, to).map_err(|error| match error {
            Unusable::Listen(error) => wrong("listen", &told(&error)),
            Unusable::To(error) => wrong("to", &told(&error)),
        })?;
        let address = relay.address()?;
        Ok(Self { link, relay: Mutex::new(Some(relay)), address })
    }

    /// Where it listens.
    fn address(&self) -> String {
        self.address.to_string()
    }

    /// Carries datagrams until `watch` is told to stop, once; returns what it did, as JSON. So many clients are remembered,
    /// each until he has been silent for `idle_s`.
    #[pyo3(signature = (watch, *, seed, clients, idle_s, realtime=false))]
    fn run(
        &self,
        py: Python<'_>,
        watch: &ShaperWatch,
        seed: u64,
        clients: usize,
        idle_s: f64,
        realtime: bool,
    ) -> PyResult<String> {
        let relay = self.relay.lock().unwrap_or_else(PoisonError::into_inner).take();
        let relay = relay.ok_or_else(|| PyValueError::new_err("the relay is over"))?;
        let remembers = Remembers { clients, idle: Duration::from_secs_f64(idle_s) };
        py.detach(|| said(guarded(|| relay.run(self.link.clone(), seed, remembers, &watch.0, realtime))))
    }
}

/// What the system says, without the number.
fn told(error: &io::Error) -> String {
    let said = error.to_string();
    said.split(" (os error").next().unwrap_or_default().to_owned()
}

/// What a link has done, as JSON.
fn said(done: Result<io::Result<impl Serialize>, String>) -> PyResult<String> {
    let summary = done.map_err(|panic| RunError::new_err(format!("a fault of this program: {panic}")))?;
    let summary = summary.map_err(|error| RunError::new_err(error.to_string()))?;
    serde_json::to_string(&summary).map_err(|error| RunError::new_err(error.to_string()))
}

fn side(address: Ipv4Addr, proc: &Path, offload: bool, mtu: u16) -> Result<Namespace, Error> {
    let mut spec = Spec::new("link0", address, PREFIX);
    spec.proc = proc.to_owned();
    spec.device.offload = offload;
    spec.device.mtu = mtu;
    Namespace::make(&spec)
}
