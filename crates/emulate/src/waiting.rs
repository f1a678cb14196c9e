//! What loops beside the clock have in common: a bell that other threads ring, sleep, the processor's time.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use hopwright_machine::{Duration, Time};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};

/// A descriptor that is readable from when it was rung until it is heard.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    /// # Errors
    /// If the system has no descriptor left.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub(crate) fn ring(&self) {
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes()); // fails only if it was rung 2^64 times
    }

    /// It is silent again.
    pub(crate) fn hear(&self) {
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The clock's time since the loop began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "this is the driver: here the time comes from")]
    pub(crate) fn start() -> Self {
        // The kernel may wake ordinary threads 50 us late, to save power (prctl(2), PR_SET_TIMERSLACK).
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        Self(Instant::now())
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }

    /// Waits until `until`, or until one of the descriptors can be read.
    pub(crate) fn sleep<'a>(&self, until: Time, wakers: impl Iterator<Item = BorrowedFd<'a>>) -> io::Result<()> {
        let left = until.since(self.now()).as_nanos();
        let timeout = Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
        let timeout = (!until.is_never()).then_some(&timeout);
        let mut wakers: Vec<_> = wakers.map(|waker| PollFd::from_borrowed_fd(waker, PollFlags::IN)).collect();
        match poll(&mut wakers, timeout) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Rests that a loop takes which goes before all others: it leaves them a tenth of the processor, whatever it has to do.
/// The kernel alone leaves a twentieth, after most of a second (sched(7), `sched_rt_runtime_us`).
#[derive(Debug)]
pub(crate) struct Rests(Option<(Time, Duration)>);

/// The span of time of which a tenth is left.
const SPAN: Duration = Duration::from_millis(10);

impl Rests {
    /// None are taken unless they are `needed`.
    pub(crate) fn new(needed: bool) -> Self {
        Self(needed.then(|| (Time::ZERO, cpu_time())))
    }

    /// Sleeps if the loop has hardly slept since the last time.
    pub(crate) fn take(&mut self, clock: &Clock) -> io::Result<()> {
        let Some((since, before)) = &mut self.0 else { return Ok(()) };
        let span = clock.now().since(*since);
        if span < SPAN {
            return Ok(());
        }
        let used = cpu_time().saturating_sub(*before);
        if used > span / 10 * 9 {
            clock.sleep(clock.now() + used / 9, std::iter::empty())?;
        }
        (*since, *before) = (clock.now(), cpu_time());
        Ok(())
    }
}

/// The processor's time of this thread.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::from_nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However busy the machine is: others make the share smaller.
    #[test]
    fn a_loop_that_never_sleeps_leaves_a_tenth() {
        let (clock, begin) = (Clock::start(), cpu_time());
        let mut rests = Rests::new(true);
        while clock.now() < Time::ZERO + Duration::from_millis(200) {
            rests.take(&clock).expect("it sleeps");
        }
        let share = cpu_time().saturating_sub(begin).as_secs_f64() / clock.now().as_secs_f64();
        assert!(share < 0.92, "{share}: nine tenths, and the last span");
    }
}
