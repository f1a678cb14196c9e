//! How a host is watched and stopped from another thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// How a host is watched and stopped from another thread.
#[derive(Debug)]
pub struct Watch {
    /// Readable once `stop` was called: wakes a driver that waits for packets.
    bell: OwnedFd,
    stopped: AtomicBool,
    pub(crate) ready: AtomicBool,
    pub(crate) sent_bytes: AtomicU64,
    pub(crate) received_bytes: AtomicU64,
}

impl Watch {
    /// # Errors
    /// If the system has no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            bell: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            stopped: AtomicBool::new(false),
            ready: AtomicBool::new(false),
            sent_bytes: AtomicU64::new(0),
            received_bytes: AtomicU64::new(0),
        })
    }

    /// Makes the driver break off its connections and return, soon.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes()); // fails only if it was rung 2^64 times
    }

    /// Whether `stop` was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Whether the device is up, and the port open if there is one.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::SeqCst)
    }

    /// Bytes that peers have acknowledged, and bytes received, a moment ago.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        (self.sent_bytes.load(Ordering::Relaxed), self.received_bytes.load(Ordering::Relaxed))
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
