//! The loop of a shaper: packets in, packets out when their time has come, sleep.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use hopwright_machine::Time;
use hopwright_netns::Device;
use hopwright_shape::Config;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use super::{Carried, Shaper, Side};
use crate::lateness::{Lateness, Quantiles};

/// Packets read from one side before the other one has its turn.
const BATCH: usize = 64;

/// How a shaper is stopped from another thread.
#[derive(Debug)]
pub struct Stop {
    bell: OwnedFd,
    stopped: AtomicBool,
}

impl Stop {
    /// # Errors
    /// If the system has no descriptor left.
    pub fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { bell, stopped: AtomicBool::new(false) })
    }

    /// Makes [`shape`] return soon.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes()); // fails only if it was rung 2^64 times
    }
}

impl AsFd for Stop {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

/// What a shaper has done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShaperSummary {
    /// Wall time, seconds.
    pub wall_s: f64,
    /// Time of the processor that the shaper's thread took, seconds.
    pub cpu_s: f64,
    /// From the near side to the far one.
    pub there: Carried,
    /// And back.
    pub back: Carried,
    /// How late packets left: when they were given to the kernel, less when the link says.
    pub lateness: Quantiles,
}

/// Carries packets between both devices over the link, until `stop` says.
///
/// # Errors
/// If a device is gone, or cannot be waited for.
pub fn shape(near: &Device, far: &Device, link: [Config; 2], seed: u64, stop: &Stop) -> io::Result<ShaperSummary> {
    // The kernel may wake ordinary threads 50 us late, to save power.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let mut shaper = Shaper::new(link, seed, near.offloads());
    let (start, cpu_s) = (start(), cpu_s());
    let now = || Time::from_nanos(start.elapsed().as_nanos() as u64);
    let mut lateness = Lateness::default();
    let mut incoming = vec![0; hopwright_netns::HEADER_BYTES + 65_536];
    let sides = [(Side::Near, near, far), (Side::Far, far, near)];
    while !stop.stopped.load(Ordering::SeqCst) {
        let mut has_read = false;
        for (side, from, _) in sides {
            for _ in 0..BATCH {
                let Some(length) = from.read(&mut incoming).map_err(io::Error::other)? else { break };
                shaper.arrive(now(), side, &mut incoming, length);
                has_read = true;
            }
        }
        shaper.wake(now());
        for (side, _, to) in sides {
            while let Some((due, written)) = shaper.poll(side, |packet| to.write(packet)) {
                if !written.map_err(io::Error::other)? {
                    shaper.unwritten(side);
                }
                lateness.add(now().since(due));
            }
        }
        if !has_read {
            sleep(shaper.deadline(), now(), [near.as_fd(), far.as_fd(), stop.as_fd()])?;
        }
    }
    let [there, back] = shaper.carried();
    let (wall_s, cpu_s) = (now().as_secs_f64(), self::cpu_s() - cpu_s);
    Ok(ShaperSummary { wall_s, cpu_s, there, back, lateness: lateness.quantiles() })
}

#[expect(clippy::disallowed_methods, reason = "this is the driver: here the time comes from")]
fn start() -> Instant {
    Instant::now()
}

/// Waits until something is due or can be read.
fn sleep(until: Time, now: Time, wakers: [BorrowedFd<'_>; 3]) -> io::Result<()> {
    let left = until.since(now).as_nanos();
    let timeout = Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
    let timeout = (!until.is_never()).then_some(&timeout);
    let mut wakers = wakers.map(|waker| PollFd::from_borrowed_fd(waker, PollFlags::IN));
    match poll(&mut wakers, timeout) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The processor's time of this thread.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
