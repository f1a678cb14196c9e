//! A program whose connections have an algorithm by default: in a network namespace where that is the default.
//!
//! Spec      `net.ipv4.tcp_congestion_control` of ip-sysctl, which each network namespace has of its own
//! Deviates  nothing
//! Holds     a namespace made for the program goes with its processes. In one that was there before, the former default is
//!           put back when the owner ends, however it ends: by a guard, a process that waits for that. The program itself
//!           does not outlive the owner

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, parent_id};
use std::process::{Child, Command, Stdio};

use nix::sched::{CloneFlags, setns};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};

use crate::Error;

/// The default of a namespace: of the one that a process is in.
const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// Where a program runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Network {
    /// In a namespace made for it, which has `lo` alone.
    New,
    /// In one that `ip netns add` made, by its name.
    Named(String),
}

impl Network {
    fn word(&self) -> &str {
        match self {
            Self::New => "",
            Self::Named(name) => name,
        }
    }

    fn of(word: &str) -> Self {
        if word.is_empty() { Self::New } else { Self::Named(word.to_owned()) }
    }

    fn file(name: &str) -> Result<File, Error> {
        if name.contains('/') || name.starts_with('.') {
            return Err(Error::Input(format!("namespace '{name}': expected a name of `ip netns list`")));
        }
        let path = format!("/run/netns/{name}");
        File::open(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Error::Input(format!("no network namespace '{name}': `ip netns add {name}` makes one"))
            }
            _ => Error::Failed(format!("cannot open {path}: {error}")),
        })
    }

    fn enter(&self) -> Result<(), Error> {
        match self {
            Self::New => hopwright_netns::enter_new().map_err(|error| Error::Failed(error.to_string())),
            Self::Named(name) => setns(Self::file(name)?, CloneFlags::CLONE_NEWNET)
                .map_err(|error| Error::Failed(format!("cannot enter the network namespace '{name}': {error}"))),
        }
    }
}

fn set_default(name: &str) -> Result<(), Error> {
    fs::write(DEFAULT, name)
        .map_err(|error| Error::Failed(format!("cannot make {name} the default of a namespace: {error}")))
}

/// What has a program run in a network whose default is this algorithm: this program again, by another word.
#[must_use]
pub fn command_of(this: &str, name: &str, network: &Network, program: &[String]) -> Command {
    let mut command = Command::new(this);
    command.args(["enter", name, network.word(), "--"]).args(program);
    command
}

/// The other word: goes into the network and becomes the program. Returns only if it cannot.
pub fn enter_and_run(name: &str, network: &str, program: &[String]) -> Error {
    let network = Network::of(network);
    become_of(program, || {
        network.enter()?;
        // Elsewhere the guard did.
        if network == Network::New { set_default(name) } else { Ok(()) }
    })
}

/// What has a program run where this one does: this program again, by another word.
#[must_use]
pub fn command_here(this: &str, program: &[String]) -> Command {
    let mut command = Command::new(this);
    command.arg("run").args(program);
    command
}

/// The other word: becomes the program. Returns only if it cannot.
pub fn run(program: &[String]) -> Error {
    become_of(program, || Ok(()))
}

/// Becomes a program that goes with its owner. Returns only if it cannot.
fn become_of(program: &[String], enter: impl FnOnce() -> Result<(), Error>) -> Error {
    let owner = parent_id();
    let prepare = || {
        prctl::set_pdeathsig(Signal::SIGKILL)
            .map_err(|error| Error::Failed(format!("cannot be linked to its owner: {error}")))?;
        if parent_id() != owner || owner == 1 {
            return Err(Error::Failed("its owner has ended".to_owned()));
        }
        enter()?;
        SigSet::all().thread_unblock().map_err(|error| Error::Failed(format!("cannot take signals: {error}")))
    };
    if let Err(error) = prepare() {
        return error;
    }
    let Some((first, rest)) = program.split_first() else { return Error::Input("name a program after --".to_owned()) };
    let error = Command::new(first).args(rest).exec();
    match error.kind() {
        ErrorKind::NotFound => Error::Input(format!("cannot run '{first}': this program does not exist")),
        _ => Error::Input(format!("cannot run '{first}': {error}")),
    }
}

/// Keeps a namespace's former default, and puts it back.
#[derive(Debug)]
pub struct Guard {
    child: Child,
}

impl Guard {
    /// Makes an algorithm the default of a namespace, until this is dropped or its process ends.
    ///
    /// # Errors
    /// If there is no such namespace, or it does not take that.
    pub fn new(this: &str, name: &str, network: &Network) -> Result<Option<Self>, Error> {
        let Network::Named(namespace) = network else { return Ok(None) };
        Network::file(namespace)?;
        let mut command = Command::new(this);
        command.args(["guard", name, namespace]).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|error| Error::Failed(format!("cannot start a guard: {error}")))?;
        let mut said = String::new();
        if let Some(stdout) = &mut child.stdout {
            let mut byte = [0];
            while matches!(stdout.read(&mut byte), Ok(1)) && byte != *b"\n" {
                said.push(byte[0] as char);
            }
        }
        if said != "ready" {
            let _ = child.wait();
            return Err(Error::Failed(format!("cannot make {name} the default of the namespace '{namespace}'")));
        }
        Ok(Some(Self { child }))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.child.stdin = None;
        let _ = self.child.wait();
    }
}

/// The guard's process: sets the default, says `ready`, and puts the former one back when its standard input ends.
///
/// # Errors
/// If it cannot.
pub fn guard(name: &str, namespace: &str) -> Result<(), Error> {
    let failed = |what: &str, error: std::io::Error| Error::Failed(format!("cannot {what}: {error}"));
    Network::Named(namespace.to_owned()).enter()?;
    let former = fs::read_to_string(DEFAULT).map_err(|error| failed("read a default", error))?;
    set_default(name)?;
    let mut out = std::io::stdout();
    out.write_all(b"ready\n").and_then(|()| out.flush()).map_err(|error| failed("speak", error))?;
    let _ = std::io::stdin().read_to_end(&mut vec![]);
    set_default(former.trim())
}
