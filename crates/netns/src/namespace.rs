//! A network namespace, kept by a thread that is in it.
//!
//! Spec      network_namespaces(7), unshare(2)
//! Deviates  nothing
//! Holds     no name and no file stands for it: when the thread, the descriptor and the programs in it are gone, the
//!           kernel takes it down with its device and its routes. It goes with the process, however that ends

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use nix::sched::{CloneFlags, unshare};

use crate::device::Device;
use crate::error::{Error, plain};
use crate::netlink::{LOOPBACK, Netlink};
use crate::settings;
use crate::spec::Spec;

/// See the file's header. When it is dropped the device goes; programs in it find themselves without a network.
#[derive(Debug)]
pub struct Namespace {
    device: Device,
    descriptor: File,
    thread_id: u32,
    /// Dropped to let the keeper go.
    leash: Option<Sender<()>>,
    keeper: Option<JoinHandle<()>>,
}

/// What the keeper has made.
struct Made {
    device: Device,
    descriptor: File,
    thread_id: u32,
}

impl Namespace {
    /// Makes a namespace with `lo`, a device and routes, all up. The calling thread stays where it is.
    ///
    /// # Errors
    /// If the spec makes no sense, if a privilege or /dev/net/tun is lacking, or if the kernel does not want to: nothing
    /// is left then.
    pub fn make(spec: &Spec) -> Result<Self, Error> {
        spec.check()?;
        let (leash, held) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let spec = spec.clone();
        let name = format!("netns-{}", spec.device.name);
        let keeper = thread::Builder::new().name(name).stack_size(256 << 10).spawn(move || keep(&spec, &tell, &held));
        let keeper = keeper.map_err(|error| Error::Failed(format!("cannot start a thread: {}", plain(&error))))?;
        let gone = || Error::Failed("the thread that makes a namespace ended".to_owned());
        let Made { device, descriptor, thread_id } = told.recv().map_err(|_| gone())??;
        Ok(Self { device, descriptor, thread_id, leash: Some(leash), keeper: Some(keeper) })
    }

    /// The way out: what programs in the namespace send, and what is written reaches them.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What setns(2) wants, for this process and those that inherit or are passed it.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// A thread that is in the namespace: `nsenter --net=/proc/ID/ns/net` enters it. It sleeps, and ends with this.
    pub fn thread_id(&self) -> u32 {
        self.thread_id
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.leash = None;
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

/// Moves the calling thread into a new namespace that has `lo` alone, up. It goes with the thread and what that starts.
///
/// # Errors
/// If a privilege is lacking, or the kernel does not want to.
pub fn enter_new() -> Result<(), Error> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| Error::of_namespace(&error.into()))?;
    let is_up = Netlink::open().and_then(|netlink| netlink.bring_up(LOOPBACK));
    is_up.map_err(|error| Error::Failed(format!("cannot bring up lo: {}", plain(&error))))
}

/// Makes the namespace, and is in it until it is let go.
fn keep(spec: &Spec, tell: &Sender<Result<Made, Error>>, held: &Receiver<()>) {
    let is_made = unshare(CloneFlags::CLONE_NEWNET).map_err(|error| Error::of_namespace(&error.into()));
    let made = is_made.and_then(|()| furnish(spec));
    let _ = tell.send(made);
    let _ = held.recv(); // nobody sends: this ends when the other end is dropped
}

fn furnish(spec: &Spec) -> Result<Made, Error> {
    settings::apply(spec.device.layer);
    let failed = |what: String| move |error: io::Error| Error::Failed(format!("cannot {what}: {}", plain(&error)));
    let netlink = Netlink::open().map_err(failed("speak with the kernel of links".to_owned()))?;
    netlink.bring_up(LOOPBACK).map_err(failed("bring up lo".to_owned()))?;
    let device = Device::open(&spec.device)?;
    let index = device.index().map_err(failed(format!("find the device {}", spec.device.name)))?;
    for route in &spec.routes {
        let what = format!("add a route to {}/{}", route.network, route.prefix_length);
        netlink.add_route(route, index).map_err(failed(what))?;
    }
    let descriptor = File::open("/proc/thread-self/ns/net").map_err(failed("open a namespace".to_owned()))?;
    Ok(Made { device, descriptor, thread_id: thread_id(spec).map_err(failed("find a thread".to_owned()))? })
}

/// This thread's number, as the given /proc has it: `thread-self` is a link to PROCESS/task/THREAD.
fn thread_id(spec: &Spec) -> io::Result<u32> {
    let target = fs::read_link(spec.proc.join("thread-self"))?;
    let id = target.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
    id.ok_or_else(|| io::Error::other(format!("{} names no thread", target.display())))
}
