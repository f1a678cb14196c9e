//! The clock's pace: what is due is let happen when its time has come, and packets are carried between devices and nodes.
//!
//! Simulated time is the wall's since the start. It is never stretched: where the network costs more than there is time,
//! packets are late, how late is counted, and whoever watches is told.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use hopwright_machine::{Duration, Time};
use hopwright_netns::Device;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::attachment::{Counts, Refused};
use crate::command::Command;
use crate::emulation::{Emulation, Input};
use crate::lateness::{Lateness, Quantiles};

/// Events between two looks at the devices.
const EVENTS: u64 = 2_000;

/// Packets read from one device before another one has its turn.
const BATCH: usize = 64;

/// The span of simulated time whose cost is looked at.
const WINDOW: Duration = Duration::from_millis(100);

/// Where packets of a program come from and go to.
pub trait Port: AsFd {
    /// Reads the next packet, if there is one: how many bytes of `buffer` it fills.
    ///
    /// # Errors
    /// If the device is gone.
    fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Gives a packet to the program. What it has no room for is lost, as on any network.
    ///
    /// # Errors
    /// If the device is gone.
    fn write(&self, packet: &[u8]) -> io::Result<()>;
}

impl Port for Device {
    fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        Self::read(self, buffer).map_err(io::Error::other)
    }

    fn write(&self, packet: &[u8]) -> io::Result<()> {
        Self::write(self, packet).map(drop).map_err(io::Error::other)
    }
}

/// How a pace is watched, told things, and stopped, from other threads.
#[derive(Debug)]
pub struct Watch {
    /// Readable once something was said.
    bell: OwnedFd,
    stopped: AtomicBool,
    said: Mutex<Vec<Said>>,
    status: Mutex<Status>,
}

/// A command, and where to say what came of it.
type Said = (Command, Sender<Result<Time, String>>);

/// How things stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Simulated time, seconds: everything due up to it has happened.
    pub simulated_s: f64,
    /// Wall time since the start, seconds.
    pub wall_s: f64,
    /// The latest packet so far, seconds.
    pub latest_s: f64,
    /// For each attachment, the node and bytes sent into the network and received from it.
    pub attached: Vec<(u32, u64, u64)>,
    /// Packets of programs to groups that did not enter so far, for the network does not flood them.
    pub refused_multicast: u64,
    /// Packets dropped in the network so far, by cause, whosever they were.
    pub drops: Vec<(String, u64)>,
}

/// What pacing was like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Wall time, seconds.
    pub wall_s: f64,
    /// Time of the processor that the network took, seconds.
    pub cpu_s: f64,
    /// The most that 100 ms of simulated time have taken of it, seconds.
    pub worst_window_cpu_s: f64,
    /// How late packets were given to programs.
    pub lateness: Quantiles,
}

impl Watch {
    /// # Errors
    /// If the system has no descriptor left.
    pub fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let (said, status) = (Mutex::default(), Mutex::default());
        Ok(Self { bell, stopped: AtomicBool::new(false), said, status })
    }

    /// Makes [`pace`] return soon.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.ring();
    }

    /// Has a command carried out soon. What comes back is when it took effect, or why it did not; nothing where the pace
    /// ends before.
    ///
    /// # Panics
    /// If the pace has.
    #[must_use]
    pub fn say(&self, command: Command) -> Receiver<Result<Time, String>> {
        let (told, hears) = channel();
        self.said.lock().expect("nobody panics while it holds this").push((command, told));
        self.ring();
        hears
    }

    /// How things stood a moment ago.
    ///
    /// # Panics
    /// If the pace has.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status.lock().expect("nobody panics while it holds this").clone()
    }

    fn ring(&self) {
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes()); // fails only if it was rung 2^64 times
    }

    fn heard(&self) -> Vec<Said> {
        let _ = rustix::io::read(&self.bell, &mut [0; 8]);
        std::mem::take(&mut *self.said.lock().expect("nobody panics while it holds this"))
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

/// Lets the network run at the clock's pace until it ends or `watch` is told to stop.
///
/// # Errors
/// If a device is gone, or cannot be waited for.
pub fn pace(emulation: &mut Emulation<'_>, ports: &[&impl Port], watch: &Watch) -> io::Result<Summary> {
    let mut pace = Pace::begin();
    let mut buffer = vec![0; 65_536];
    while !watch.stopped.load(Ordering::SeqCst) && emulation.simulation().now() < emulation.simulation().end() {
        let mut has_read = false;
        for (port, device) in ports.iter().enumerate() {
            for _ in 0..BATCH {
                let Some(length) = device.read(&mut buffer)? else { break };
                let input = Input::Packet { port, bytes: &buffer[..length] };
                emulation.handle(pace.now(), &input).expect("a packet is taken or counted");
                has_read = true;
            }
        }
        for (command, told) in watch.heard() {
            let done = emulation.handle(pace.now(), &Input::Command(&command));
            let _ = told.send(done.map(|()| emulation.simulation().now())); // whoever asked may be gone
        }
        let is_done = emulation.advance(pace.now(), EVENTS);
        while let Some(departure) = emulation.poll() {
            ports[departure.port].write(&departure.bytes)?;
            pace.lateness.add(pace.now().since(departure.at));
        }
        pace.tell(emulation, watch);
        if is_done && !has_read {
            pace.sleep(emulation.next().min(emulation.simulation().end()), ports, watch)?;
        }
    }
    pace.tell(emulation, watch);
    Ok(pace.summary())
}

struct Pace {
    start: Instant,
    lateness: Lateness,
    /// The processor's time at the start, and when the current window began.
    cpu: (Duration, Duration),
    /// The end of the current window.
    window: Time,
    worst_window: Duration,
    told: Time,
}

impl Pace {
    #[expect(clippy::disallowed_methods, reason = "this is the driver: here the time comes from")]
    fn begin() -> Self {
        let cpu = cpu_time();
        Self {
            start: Instant::now(),
            lateness: Lateness::default(),
            cpu: (cpu, cpu),
            window: Time::ZERO + WINDOW,
            worst_window: Duration::ZERO,
            told: Time::ZERO,
        }
    }

    fn now(&self) -> Time {
        Time::from_nanos(self.start.elapsed().as_nanos() as u64)
    }

    /// Looks at what the last window cost, and says how things stand, ten times a second.
    fn tell(&mut self, emulation: &Emulation<'_>, watch: &Watch) {
        let simulated = emulation.simulation().now();
        if simulated >= self.window {
            let cpu = cpu_time();
            // Several windows in one step cost what they cost together: more than any of them.
            self.worst_window = self.worst_window.max(cpu.saturating_sub(self.cpu.1));
            self.cpu.1 = cpu;
            while self.window <= simulated {
                self.window += WINDOW;
            }
        } else if self.now().since(self.told) < WINDOW {
            return;
        }
        self.told = self.now();
        let attached = emulation.attached().map(|(node, counts)| (node.0, counts.sent_bytes, counts.received_bytes));
        let refused = |(_, counts): (_, &Counts)| counts.refused_packets.get(&Refused::Multicast).copied().unwrap_or(0);
        let ledger = emulation.simulation().ledger();
        let drops = hopwright_machine::DropCause::ALL.into_iter().zip(ledger.dropped);
        *watch.status.lock().expect("nobody panics while it holds this") = Status {
            simulated_s: simulated.as_secs_f64(),
            wall_s: self.now().as_secs_f64(),
            latest_s: self.lateness.worst().as_secs_f64(),
            attached: attached.collect(),
            refused_multicast: emulation.attached().map(refused).sum(),
            drops: drops.filter(|(_, count)| *count > 0).map(|(cause, count)| (cause.to_string(), count)).collect(),
        };
    }

    /// Waits until a packet comes, somebody says something, or `until`.
    fn sleep(&self, until: Time, ports: &[&impl Port], watch: &Watch) -> io::Result<()> {
        let left = until.since(self.now()).as_nanos();
        let timeout = Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
        let timeout = (!until.is_never()).then_some(&timeout);
        let devices = ports.iter().map(|port| PollFd::from_borrowed_fd(port.as_fd(), PollFlags::IN));
        let mut wakers: Vec<_> = devices.chain([PollFd::new(watch, PollFlags::IN)]).collect();
        match poll(&mut wakers, timeout) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn summary(&self) -> Summary {
        Summary {
            wall_s: self.now().as_secs_f64(),
            cpu_s: cpu_time().saturating_sub(self.cpu.0).as_secs_f64(),
            worst_window_cpu_s: self.worst_window.as_secs_f64(),
            lateness: self.lateness.quantiles(),
        }
    }
}

/// The processor's time of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::from_nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}
