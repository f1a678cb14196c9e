#![cfg(target_os = "linux")]
//! Conversation scripts replayed on the kernel of this machine: its TCP as a subject, in real time, over a TUN device in a network namespace of its own.
//!
//! The thread that makes a [`Kernel`] moves into the new namespace; with the thread, namespace and device go. The
//! script's numbers are kept: the kernel's initial sequence number and timestamps are learnt from its SYN and
//! translated. The application's part is done with sockets that never block.
//!
//! What the kernel chooses for itself is not compared: the size of its window beyond "open or closed", its window
//! scale, and every `=` but `state`, `received`, `readable` and `delivered`. Its initial window is ten segments.
//! States are read from `/proc/net/tcp`, which also knows connections without a socket: SYN-RECEIVED, TIME-WAIT.

mod application;
mod device;
mod namespace;
mod table;

use std::collections::VecDeque;
use std::thread;
use std::time::Instant;

use hopwright_converse::script::{Action, Detail, Name, Script};
use hopwright_converse::subject::{Heard, ISS, Subject, Tolerance, ZERO};
use hopwright_converse::{Failure, converse};
use hopwright_machine::{Duration, Time};
use hopwright_transport::{Output, Params};
use hopwright_wire::tcp::{Flags, SackBlocks, Segment, Seq};

use crate::application::Application;
use crate::device::Device;

/// How far from its time something may be. The kernel's clock ticks every 1 to 10 ms, its timers are late by up to an
/// eighth of their length, and threads come when they can.
const TOLERANCE: Tolerance = Tolerance { early: Duration::from_millis(15), late: Duration::from_millis(100) };

/// How often the application looks.
const STEP: Duration = Duration::from_millis(2);

/// Before the handshake that a script leaves out.
const BEFORE: Duration = Duration::from_millis(150);

/// Holds a conversation with the kernel, in a thread and a network namespace of its own.
///
/// # Errors
/// If namespace or device cannot be made, or the kernel does not keep to the script.
///
/// # Panics
/// If there are no threads left.
pub fn replay(script: &Script) -> Result<(), Failure> {
    let result = thread::scope(|scope| {
        let apart = scope.spawn(|| {
            let mut kernel = Kernel::new(script).map_err(silent)?;
            converse(script, &Params::default(), &mut kernel)
        });
        apart.join()
    });
    result.unwrap_or_else(|_| Err(silent("the thread panicked".into())))
}

const fn silent(what: String) -> Failure {
    Failure { what, said: String::new(), lag: Duration::ZERO }
}

/// Whether namespaces and devices can be made here.
///
/// # Errors
/// Why not.
pub fn is_available() -> Result<(), String> {
    let try_it = || Kernel::new(&Script::default()).map(|_| ());
    thread::spawn(try_it).join().unwrap_or_else(|_| Err("no thread".into()))
}

/// The kernel of this machine.
#[derive(Debug)]
pub struct Kernel {
    device: Device,
    application: Application,
    started: Instant,
    /// Its initial sequence number, once it was seen.
    iss: Option<Seq>,
    /// How far its timestamps are ahead of those of the engine, which show milliseconds.
    stamps_ahead: Option<u32>,
    outputs: VecDeque<Heard>,
    /// The longest time between two looks.
    longest: Duration,
}

impl Kernel {
    /// A kernel that is set as the script wishes. The calling thread changes its network namespace.
    ///
    /// # Errors
    /// If namespace or device cannot be made.
    pub fn new(script: &Script) -> Result<Self, String> {
        Self::with(script, "reno")
    }

    /// The same with this algorithm of congestion control.
    ///
    /// # Errors
    /// If namespace or device cannot be made, or the kernel has no such algorithm.
    pub fn with(script: &Script, congestion: &str) -> Result<Self, String> {
        let params = script.setup.params(Params { segment_bytes: 1000, ..Params::default() });
        namespace::enter()?;
        let device = Device::open(params.segment_bytes)?;
        namespace::set(&params, congestion)?;
        let application = Application::new(&script.setup, &params);
        let (iss, stamps_ahead, outputs) = (None, None, VecDeque::new());
        let longest = Duration::ZERO;
        Ok(Self { device, application, started: now(), iss, stamps_ahead, outputs, longest })
    }

    /// Reads what the kernel sent, and what its application noticed.
    fn look(&mut self) {
        while let Some(segment) = self.device.read() {
            let at = self.now();
            let segment = self.translated(at, segment);
            self.outputs.push_back(Heard { at, output: Output::Segment(segment) });
        }
        let at = self.now();
        let news = self.application.look();
        self.outputs.extend(news.into_iter().map(|output| Heard { at, output }));
    }

    /// The kernel's numbers in those of the script.
    fn translated(&mut self, at: Time, mut segment: Segment) -> Segment {
        if segment.flags.has(Flags::SYN) {
            self.iss = Some(segment.seq);
        }
        if let Some((value, _)) = &mut segment.options.timestamps {
            let ms = (at.as_nanos() / 1_000_000) as u32;
            *value = value.wrapping_sub(*self.stamps_ahead.get_or_insert(value.wrapping_sub(ms)));
        }
        let iss = self.iss.unwrap_or(ISS);
        segment.seq = Seq(segment.seq.0.wrapping_sub(iss.0).wrapping_add(ISS.0));
        segment
    }
}

impl Subject for Kernel {
    fn tolerance(&self) -> Option<Tolerance> {
        Some(TOLERANCE)
    }

    fn now(&self) -> Time {
        let passed = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Time::ZERO + ZERO.saturating_sub(BEFORE) + Duration::from_nanos(passed)
    }

    fn lag(&self) -> Duration {
        self.longest.saturating_sub(STEP)
    }

    fn listen(&mut self, until: Time, briefly: bool, heard: &mut VecDeque<Heard>) {
        loop {
            self.look();
            let is_over = briefly && !self.outputs.is_empty();
            heard.append(&mut self.outputs);
            let left = until.since(self.now());
            if is_over || left == Duration::ZERO {
                return;
            }
            let before = self.now();
            self.device.wait(left.min(STEP));
            self.longest = self.longest.max(self.now().since(before));
        }
    }

    fn act(&mut self, action: &Action) {
        let news = self.application.act(action);
        let at = self.now();
        self.outputs.extend(news.into_iter().map(|output| Heard { at, output }));
    }

    fn arrive(&mut self, segment: &Segment, data: &[u8]) {
        let mut segment = *segment;
        let iss = self.iss.unwrap_or(ISS);
        let theirs = |seq: Seq| Seq(seq.0.wrapping_sub(ISS.0).wrapping_add(iss.0));
        if segment.flags.has(Flags::ACK) {
            segment.ack = theirs(segment.ack);
        }
        let mut sack = SackBlocks::default();
        for &(left, right) in segment.options.sack.as_slice() {
            sack.push(theirs(left), theirs(right));
        }
        segment.options.sack = sack;
        if let Some((_, echo)) = &mut segment.options.timestamps {
            *echo = self.stamps_ahead.map_or(0, |ahead| echo.wrapping_add(ahead));
        }
        self.device.write(&segment, data);
    }

    fn value(&self, name: Name) -> Option<String> {
        match name {
            Name::State => Some(format!("{:?}", table::state())),
            Name::Received => Some(self.application.received()),
            Name::Readable => Some(self.application.unread().to_string()),
            Name::Delivered => Some(self.application.delivered().to_string()),
            _ => None,
        }
    }

    fn admits_reopening(&self, _segment: &Segment) -> Option<bool> {
        None
    }

    fn agrees(&self, detail: Detail, found: &str, wanted: &str) -> bool {
        match detail {
            Detail::Window => (found == "0") == (wanted == "0"),
            Detail::Scale | Detail::Stamp => (found == "none") == (wanted == "none"),
            _ => found == wanted,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the kernel lives in real time")]
fn now() -> Instant {
    Instant::now()
}
