//! Namespaces: what Python lacks of the system's calls, and a network namespace with its device.
//!
//! Spec      unshare(2), setns(2), mount(2), mlockall(2), PR_SET_PDEATHSIG of prctl(2)
//! Deviates  nothing
//! Holds     the calling thread alone is moved or bound, as the kernel does it

use std::fs::File;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hopwright_netns::{Error, Layer, Route, Spec};
use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, umount2};
use nix::sched::CloneFlags;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::errors::{RunError, guarded};

/// Moves the calling thread into new namespaces, all of them or none. Raises `OSError`.
#[pyfunction]
pub(crate) fn unshare(kinds: Vec<String>) -> PyResult<()> {
    let flags = kinds.iter().map(|kind| match kind.as_str() {
        "user" => Ok(CloneFlags::CLONE_NEWUSER),
        "mount" => Ok(CloneFlags::CLONE_NEWNS),
        "pid" => Ok(CloneFlags::CLONE_NEWPID),
        "network" => Ok(CloneFlags::CLONE_NEWNET),
        "ipc" => Ok(CloneFlags::CLONE_NEWIPC),
        _ => Err(PyValueError::new_err(format!("no namespaces of kind '{kind}'"))),
    });
    let flags = flags.collect::<PyResult<CloneFlags>>()?;
    nix::sched::unshare(flags).map_err(raised)
}

/// Moves the calling thread into the network namespace of a file such as /proc/self/fd/3. Raises `OSError`.
#[pyfunction]
pub(crate) fn enter_network(file: PathBuf) -> PyResult<()> {
    nix::sched::setns(File::open(file)?, CloneFlags::CLONE_NEWNET).map_err(raised)
}

/// Lets the kernel kill this process when the thread that started it ends. Gone after a change of credentials.
#[pyfunction]
pub(crate) fn die_with_parent() -> PyResult<()> {
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(raised)
}

/// Gives up every privilege of the calling thread and of programs it executes, for ever. Raises `RunError`.
#[pyfunction]
pub(crate) fn execute_unprivileged() -> PyResult<()> {
    hopwright_live::execute_unprivileged().map_err(|error| RunError::new_err(error.to_string()))
}

/// Lets a program that the calling thread executes have the privileges over networks at most. Raises `RunError`.
#[pyfunction]
pub(crate) fn keep_network_privileges() -> PyResult<()> {
    hopwright_live::keep_network_privileges().map_err(|error| RunError::new_err(error.to_string()))
}

/// Makes all mounts private to this mount namespace: none made here shows elsewhere. Raises `OSError`.
#[pyfunction]
pub(crate) fn make_mounts_private() -> PyResult<()> {
    mount(None, "/".into(), None, MsFlags::MS_REC | MsFlags::MS_PRIVATE)
}

/// Mounts a new file system of a kind, such as proc or tmpfs. Raises `OSError`.
#[pyfunction]
pub(crate) fn mount_new(kind: &str, target: PathBuf) -> PyResult<()> {
    mount(Some(kind.into()), target, Some(kind), MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC)
}

/// Lays a file or folder over another. Raises `OSError`.
#[pyfunction]
pub(crate) fn mount_over(source: PathBuf, target: PathBuf) -> PyResult<()> {
    mount(Some(source), target, None, MsFlags::MS_BIND)
}

/// Takes a mount from its place; what is in use stays until it is not. Raises `OSError`.
#[pyfunction]
pub(crate) fn unmount(target: PathBuf) -> PyResult<()> {
    umount2(&target, MntFlags::MNT_DETACH).map_err(raised)
}

/// Keeps in memory what this process has there and what it will touch of it. Raises `OSError`.
#[pyfunction]
pub(crate) fn lock_memory() -> PyResult<()> {
    use rustix::mm::{MlockAllFlags, mlockall};
    let done = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::ONFAULT);
    done.map_err(|error| raised(Errno::from_raw(error.raw_os_error())))
}

fn mount(source: Option<PathBuf>, target: PathBuf, kind: Option<&str>, flags: MsFlags) -> PyResult<()> {
    nix::mount::mount(source.as_deref(), &target, kind, flags, None::<&str>).map_err(raised)
}

/// An address and the length of its prefix: 10.0.0.1/24.
fn subnet(text: &str) -> PyResult<(Ipv4Addr, u8)> {
    let parsed = text.split_once('/').and_then(|(address, length)| Some((address.parse().ok()?, length.parse().ok()?)));
    parsed.ok_or_else(|| PyValueError::new_err(format!("{text}: an IPv4 address and its prefix, as in 10.0.0.1/24")))
}

/// `OSError` with the number, so that Python chooses the kind.
fn raised(error: Errno) -> PyErr {
    PyOSError::new_err((error as i32, error.desc()))
}

/// A network namespace whose only way out is a device.
#[pyclass(module = "hopwright._core", frozen)]
pub(crate) struct Namespace {
    /// None once it is closed.
    made: Mutex<Option<hopwright_netns::Namespace>>,
}

#[pymethods]
impl Namespace {
    /// Makes it. Raises `ValueError` if the arguments make no sense, `RunError` if something is lacking.
    #[new]
    #[pyo3(signature = (device, address, *, mtu=1500, offload=false, mac=None, routes=Vec::new(),
                        proc=PathBuf::from("/proc")))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        py: Python<'_>,
        device: String,
        address: &str,
        mtu: u16,
        offload: bool,
        mac: Option<[u8; 6]>,
        routes: Vec<String>,
        proc: PathBuf,
    ) -> PyResult<Self> {
        let (address, prefix_length) = subnet(address)?;
        let mut spec = Spec::new(device, address, prefix_length);
        spec.device.mtu = mtu;
        spec.device.offload = offload;
        spec.device.layer = mac.map_or(Layer::Ip, |mac| Layer::Ethernet { mac });
        let route = |(network, prefix_length)| Route { network, prefix_length, gateway: None };
        spec.routes = routes.iter().map(|text| subnet(text).map(route)).collect::<PyResult<_>>()?;
        spec.proc = proc;
        let made = py.detach(|| guarded(|| hopwright_netns::Namespace::make(&spec)));
        let made = made.map_err(|panic| RunError::new_err(format!("a fault of this program: {panic}")))?;
        let made = made.map_err(|error| match error {
            Error::Input(text) => PyValueError::new_err(text),
            Error::Lacking(text) | Error::Failed(text) => RunError::new_err(text),
        })?;
        Ok(Self { made: Mutex::new(Some(made)) })
    }

    /// The descriptor to enter it by. It is this object's: it is closed with it.
    fn descriptor(&self) -> PyResult<RawFd> {
        self.asked(|made| made.descriptor().as_raw_fd())
    }

    /// The descriptor of its device, which gives and takes packets and does not block. It is this object's, too.
    fn device_descriptor(&self) -> PyResult<RawFd> {
        self.asked(|made| made.device().as_fd().as_raw_fd())
    }

    /// A thread that is in it.
    fn thread_id(&self) -> PyResult<u32> {
        self.asked(hopwright_netns::Namespace::thread_id)
    }

    /// Takes it down, device first; a second time, nothing happens.
    fn close(&self, py: Python<'_>) {
        let made = self.locked().take();
        py.detach(|| drop(made));
    }
}

impl Namespace {
    fn asked<T>(&self, what: impl FnOnce(&hopwright_netns::Namespace) -> T) -> PyResult<T> {
        self.locked().as_ref().map(what).ok_or_else(|| PyValueError::new_err("the namespace is closed"))
    }

    fn locked(&self) -> MutexGuard<'_, Option<hopwright_netns::Namespace>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
