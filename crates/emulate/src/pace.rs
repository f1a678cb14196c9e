//! The clock's pace: what is due is let happen when its time has come, and packets are carried between devices and nodes.
//!
//! Simulated time is the wall's since the start. It is never stretched: where the network costs more than there is time,
//! packets are late, how late is counted, and whoever watches is told.

use std::io;
use std::os::fd::AsFd;

use hopwright_machine::{Duration, Time};
use hopwright_netns::Device;
use serde::Serialize;

use crate::attachment::{Counts, Refused};
use crate::emulation::Emulation;
use crate::input::Input;
use crate::lateness::{Lateness, Quantiles};
use crate::waiting::{Clock, Rests, cpu_time};
use crate::watch::Watch;

/// Events between two looks at the devices.
const EVENTS: u64 = 2_000;

/// The least time between two awakenings for events of the network: a flood has thousands in a tenth of a second, hardly any of
/// which concerns a program, and each awakening costs more than its event. A packet is that much later at most.
const TOGETHER: Duration = Duration::from_micros(50);

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

/// Lets the network run at the clock's pace until it ends or `watch` is told to stop. A loop that goes before all others
/// (`is_realtime`) leaves them a tenth of the processor.
///
/// # Errors
/// If a device is gone, or cannot be waited for.
pub fn pace(
    emulation: &mut Emulation<'_>,
    ports: &[&impl Port],
    watch: &Watch<Status>,
    is_realtime: bool,
) -> io::Result<Summary> {
    let (mut pace, mut rests) = (Pace::begin(), Rests::new(is_realtime));
    let mut buffer = vec![0; 65_536];
    loop {
        // Once more after it is told to stop: then everything up to the present has happened.
        let is_last = watch.is_stopped();
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
        let awake = pace.now();
        let is_done = emulation.advance(awake, EVENTS);
        while let Some(departure) = emulation.poll() {
            ports[departure.port].write(&departure.bytes)?;
            pace.lateness.add(pace.now().since(departure.at));
        }
        pace.tell(emulation, watch);
        if is_last || emulation.simulation().now() >= emulation.simulation().end() {
            break;
        }
        // Who stops after this question rings a bell that nobody has heard: sleep ends at once. Whoever watches is told how things
        // stand although nothing happens.
        if is_done && !has_read && !watch.is_stopped() {
            let next = emulation.next().min(awake + WINDOW);
            let until = next.max(awake + TOGETHER).min(emulation.simulation().end());
            let wakers = ports.iter().map(|port| port.as_fd()).chain([watch.as_fd()]);
            pace.clock.sleep(until, wakers)?;
        }
        rests.take(&pace.clock)?;
    }
    pace.say(emulation, watch); // however short ago it was said
    Ok(pace.summary())
}

struct Pace {
    clock: Clock,
    lateness: Lateness,
    /// The processor's time at the start, and when the current window began.
    cpu: (Duration, Duration),
    /// The end of the current window.
    window: Time,
    worst_window: Duration,
    told: Time,
}

impl Pace {
    fn begin() -> Self {
        let cpu = cpu_time();
        Self {
            clock: Clock::start(),
            lateness: Lateness::default(),
            cpu: (cpu, cpu),
            window: Time::ZERO + WINDOW,
            worst_window: Duration::ZERO,
            told: Time::ZERO,
        }
    }

    fn now(&self) -> Time {
        self.clock.now()
    }

    /// Looks at what the last window cost, and says how things stand, ten times a second.
    fn tell(&mut self, emulation: &Emulation<'_>, watch: &Watch<Status>) {
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
        self.say(emulation, watch);
    }

    /// Says how things stand.
    fn say(&mut self, emulation: &Emulation<'_>, watch: &Watch<Status>) {
        let simulated = emulation.simulation().now();
        self.told = self.now();
        let attached = emulation.attached().map(|(node, counts)| (node.0, counts.sent_bytes, counts.received_bytes));
        let refused = |(_, counts): (_, &Counts)| counts.refused_packets.get(&Refused::Multicast).copied().unwrap_or(0);
        let ledger = emulation.simulation().ledger();
        let drops = hopwright_machine::DropCause::ALL.into_iter().zip(ledger.dropped);
        let status = Status {
            simulated_s: simulated.as_secs_f64(),
            wall_s: self.now().as_secs_f64(),
            latest_s: self.lateness.worst().as_secs_f64(),
            attached: attached.collect(),
            refused_multicast: emulation.attached().map(refused).sum(),
            drops: drops.filter(|(_, count)| *count > 0).map(|(cause, count)| (cause.to_string(), count)).collect(),
        };
        watch.tell(simulated, status);
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
