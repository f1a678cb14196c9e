//! CPU time of this thread, as the kernel books it.

use nix::time::{ClockId, clock_gettime};

/// CPU time of this thread so far, nanoseconds. What other programs take of the processor is not in it.
///
/// # Panics
/// Where the system has no such clock: Linux has.
pub(crate) fn cpu_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has this clock");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// What reading the clock adds to an interval between two readings: the mean of many empty ones, nanoseconds.
pub(crate) fn overhead_ns() -> f64 {
    const READINGS: u64 = 20_000;
    let start = cpu_ns();
    let mut last = start;
    for _ in 0..READINGS {
        last = std::hint::black_box(cpu_ns());
    }
    (last - start) as f64 / READINGS as f64
}
