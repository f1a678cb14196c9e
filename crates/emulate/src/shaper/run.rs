//! The loop of a shaper: packets in, packets out when their time has come, sleep.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use hopwright_netns::Device;
use hopwright_shape::Config;
use serde::Serialize;

use super::{Carried, Shaper, Side};
use crate::lateness::{Lateness, Quantiles};
use crate::waiting::{Bell, Clock, cpu_time};

/// Packets read from one side before the other one has its turn.
const BATCH: usize = 64;

/// How a shaper is stopped from another thread.
#[derive(Debug)]
pub struct Stop {
    bell: Bell,
    stopped: AtomicBool,
}

impl Stop {
    /// # Errors
    /// If the system has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self { bell: Bell::new()?, stopped: AtomicBool::new(false) })
    }

    /// Makes [`shape`] return soon.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.bell.ring();
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
    /// When it began, and with it the link's profile: seconds since 1970, as captures have them.
    pub began_s: f64,
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
    let mut shaper = Shaper::new(link, seed, near.offloads());
    let (clock, cpu) = (Clock::start(), cpu_time());
    #[expect(clippy::disallowed_methods, reason = "captures of the same packets have the machine's time")]
    let began_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let now = || clock.now();
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
            clock.sleep(shaper.deadline(), [near.as_fd(), far.as_fd(), stop.as_fd()].into_iter())?;
        }
    }
    let [there, back] = shaper.carried();
    let (wall_s, cpu_s) = (now().as_secs_f64(), cpu_time().saturating_sub(cpu).as_secs_f64());
    Ok(ShaperSummary { began_s, wall_s, cpu_s, there, back, lateness: lateness.quantiles() })
}
