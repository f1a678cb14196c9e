//! Instructions by function, counted one by one: a second process plays the tape and is made to stop after each.
//!
//! Processors count instructions themselves, but virtual machines and containers seldom let a program see that. Every
//! Linux lets a parent step its child (`ptrace(2)`), slowly and exactly. The child marks each event that is to be
//! counted by a signal to itself before and after; the parent runs it to the first and steps it to the second. What is
//! counted between two marks with nothing between them is taken off.
//!
//! Only instructions of user space are counted, and each turn of a repeated string instruction as one.

use std::io::Read;
use std::process::{Child, Command, Stdio};

use hopwright_machine::{NodeId, Purpose, Stream};
use hopwright_transport::{Function, Protocol};
use nix::errno::Errno;
use nix::sys::personality::{self, Persona};
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, raise};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::drive::{Recording, record};
use crate::tape::{Event, Tape, happen};

/// What the child tells its parent by.
const MARK: Signal = Signal::SIGUSR1;
/// Empty intervals at the beginning; the first may pay for what is done once.
const EMPTY: usize = 8;

/// Why there are no counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncounted {
    /// The child could not be started.
    #[error("the process to be counted cannot be started: {0}")]
    NotStarted(String),
    /// The kernel, or what confines this process, does not let it be stepped.
    #[error("this system does not let a process be stepped (ptrace): {0}")]
    Forbidden(String),
    /// It ended before its time.
    #[error("the process to be counted ended early: {0}")]
    Ended(String),
    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The events of a tape to be counted: each function's events in order make up so many stretches of equal length, and
/// of each stretch one event is drawn. A fixed step would meet the same events of each cycle of the script. Marks each
/// event.
fn chosen(tape: &Tape, samples: u64) -> Vec<bool> {
    let mut drawn = Function::ALL.map(|function| {
        let total = tape.events(function);
        let wanted = samples.min(total);
        // Parent and child draw the same.
        let mut stream = Stream::new(0, NodeId(function as u32), Purpose::Sampling);
        let draw = move |stretch| {
            let (begin, end) = (stretch * total / wanted, (stretch + 1) * total / wanted);
            begin + u64::from(stream.below((end - begin) as u32))
        };
        (0..wanted).map(draw).peekable()
    });
    let mut seen = [0; Function::ALL.len()];
    let is_due = |event: &Event| {
        let n = &mut seen[event.function as usize];
        *n += 1;
        drawn[event.function as usize].next_if_eq(&(*n - 1)).is_some()
    };
    tape.all().iter().map(is_due).collect()
}

/// What the child does: asks to be traced, then plays both tapes with marks.
///
/// # Errors
/// `Forbidden` where it may not be traced.
pub fn be_counted(protocol: &Protocol, cycles: u64, samples: u64) -> Result<(), Uncounted> {
    ptrace::traceme().map_err(|errno| Uncounted::Forbidden(errno.desc().to_owned()))?;
    let Recording { sender, receiver } = record(protocol, cycles);
    let mark = || raise(MARK).expect("a process may signal itself");
    for _ in 0..EMPTY {
        mark();
        mark();
    }
    for tape in [&sender, &receiver] {
        let mut end = tape.start();
        for (event, is_due) in tape.all().iter().zip(chosen(tape, samples)) {
            if is_due {
                mark();
                happen(&mut end, event);
                mark();
            } else {
                happen(&mut end, event);
            }
        }
    }
    Ok(())
}

/// Counts instructions of the events of a recording that the child will mark: `child` is a command that calls
/// `be_counted` with the same protocol, cycles and samples. Returns a count per marked event, by function in the order
/// of `Function::ALL`.
///
/// # Errors
/// Why there are no counts.
pub fn count(recording: &Recording, samples: u64, child: &mut Command) -> Result<Vec<Vec<u64>>, Uncounted> {
    let mut child = Stepped::start(child)?;
    let mut empty = u64::MAX;
    for _ in 0..EMPTY {
        empty = empty.min(child.interval()?);
    }
    let mut counts = vec![Vec::new(); Function::ALL.len()];
    for tape in [&recording.sender, &recording.receiver] {
        for (event, is_due) in tape.all().iter().zip(chosen(tape, samples)) {
            if is_due {
                counts[event.function as usize].push(child.interval()?.saturating_sub(empty));
            }
        }
    }
    child.finish()?;
    Ok(counts)
}

/// A child that is traced. It does not outlive this.
struct Stepped {
    child: Child,
    pid: Pid,
    is_prepared: bool,
}

impl Stepped {
    fn start(command: &mut Command) -> Result<Self, Uncounted> {
        // Where things lie in memory decides which way copies go: let it be the same each time, if that may be said.
        let before = personality::get().ok();
        if let Some(persona) = before {
            let _ = personality::set(persona | Persona::ADDR_NO_RANDOMIZE);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        if let Some(persona) = before {
            let _ = personality::set(persona);
        }
        let child = child.map_err(|error| Uncounted::NotStarted(error.to_string()))?;
        let pid = Pid::from_raw(child.id().cast_signed());
        Ok(Self { child, pid, is_prepared: false })
    }

    /// Runs to the next mark, and counts from there to the one after it.
    fn interval(&mut self) -> Result<u64, Uncounted> {
        while self.wait()? != MARK {
            self.go(ptrace::cont)?;
        }
        if !self.is_prepared {
            self.is_prepared = true;
            ptrace::setoptions(self.pid, Options::PTRACE_O_EXITKILL).map_err(forbidden)?;
        }
        let mut steps = 0;
        loop {
            self.go(ptrace::step)?;
            match self.wait()? {
                MARK => break,
                Signal::SIGTRAP => steps += 1,
                _ => {}
            }
        }
        self.go(ptrace::cont)?;
        Ok(steps)
    }

    fn go(&self, how: impl Fn(Pid, Option<Signal>) -> nix::Result<()>) -> Result<(), Uncounted> {
        how(self.pid, None).map_err(forbidden)
    }

    /// The signal that stopped the child.
    fn wait(&mut self) -> Result<Signal, Uncounted> {
        loop {
            match waitpid(self.pid, None) {
                Ok(WaitStatus::Stopped(_, Signal::SIGINT | Signal::SIGTERM)) => return Err(Uncounted::Interrupted),
                Ok(WaitStatus::Stopped(_, signal)) => return Ok(signal),
                Ok(WaitStatus::Exited(_, code)) => return Err(self.ended(&format!("exit code {code}"))),
                Ok(WaitStatus::Signaled(_, signal, _)) => return Err(self.ended(signal.as_str())),
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(forbidden(errno)),
            }
        }
    }

    /// Lets it come to its end.
    fn finish(mut self) -> Result<(), Uncounted> {
        loop {
            match waitpid(self.pid, None) {
                Ok(WaitStatus::Exited(_, 0)) => return Ok(()),
                Ok(WaitStatus::Exited(_, code)) => return Err(self.ended(&format!("exit code {code}"))),
                Ok(WaitStatus::Signaled(_, signal, _)) => return Err(self.ended(signal.as_str())),
                Ok(WaitStatus::Stopped(_, signal)) if signal == MARK => {
                    return Err(Uncounted::Ended("it does more than was recorded".to_owned()));
                }
                Ok(WaitStatus::Stopped(..)) => self.go(ptrace::cont)?,
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(forbidden(errno)),
            }
        }
    }

    /// It is gone: what it said last is why.
    fn ended(&mut self, how: &str) -> Uncounted {
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut said);
        }
        let said = said.trim().lines().last().unwrap_or(how).to_owned();
        if self.is_prepared { Uncounted::Ended(said) } else { Uncounted::Forbidden(said) }
    }
}

impl Drop for Stepped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forbidden(errno: Errno) -> Uncounted {
    Uncounted::Forbidden(errno.desc().to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hopwright_transport::protocol;

    use super::*;

    #[test]
    fn of_each_function_so_many_are_chosen() {
        let recording = record(protocol("newreno").expect("a known protocol"), 20);
        for samples in [1, 7, 100_000] {
            let tape = &recording.sender;
            let chosen = chosen(tape, samples);
            for function in Function::ALL {
                let picked = tape.all().iter().zip(&chosen).filter(|(e, due)| e.function == function && **due).count();
                assert_eq!(picked as u64, samples.min(tape.events(function)), "{}", function.name());
            }
        }
    }

    /// The script is the same in each cycle: events at the same place of it are alike, and say nothing of the others.
    #[test]
    fn they_stand_at_all_places_of_a_cycle() {
        const CYCLES: u64 = 500;
        let tape = record(protocol("newreno").expect("a known protocol"), CYCLES).sender;
        for samples in [25, 100] {
            let chosen = chosen(&tape, samples);
            for function in [Function::Recovery, Function::CongestionAvoidance] {
                let in_cycle = tape.events(function) / CYCLES;
                let own = tape.all().iter().zip(&chosen).filter(|(event, _)| event.function == function);
                let due = own.enumerate().filter(|(_, (_, due))| **due);
                let places: BTreeSet<u64> = due.map(|(n, _)| n as u64 % in_cycle).collect();
                let most = samples.min(in_cycle) as usize;
                assert!(2 * places.len() > most, "{}: {} of {most}", function.name(), places.len());
            }
        }
    }
}
