//! A port where connections are welcome.
//!
//! Spec      RFC 4987 §3.3 (a bounded backlog), §3.6 (cookies once it is full)
//! Deviates  nothing
//! Holds     never more than `backlog` half-open connections

use hopwright_machine::{Duration, Time};

/// Cookies are taken as long as one may still be on its way: they are good for two counts of 64 s.
const MEMORY: Duration = Duration::from_secs(192);

/// See the file's header.
#[derive(Debug)]
pub(crate) struct Listener {
    backlog: usize,
    half_open: usize,
    /// When a cookie was last sent.
    overflowed: Option<Time>,
}

impl Listener {
    pub(crate) const fn new(backlog: usize) -> Self {
        Self { backlog, half_open: 0, overflowed: None }
    }

    /// Whether another half-open connection may be kept.
    pub(crate) const fn has_room(&self) -> bool {
        self.half_open < self.backlog
    }

    /// A half-open connection was kept.
    pub(crate) const fn on_half_open(&mut self) {
        self.half_open += 1;
    }

    /// A half-open connection opened or vanished.
    pub(crate) const fn on_settled(&mut self) {
        self.half_open = self.half_open.saturating_sub(1);
    }

    pub(crate) const fn on_cookie_sent(&mut self, now: Time) {
        self.overflowed = Some(now);
    }

    /// Outside floods an acknowledgement out of the blue is never taken for a cookie: guessing must not pay.
    pub(crate) fn takes_cookies(&self, now: Time) -> bool {
        self.overflowed.is_some_and(|last| now.since(last) < MEMORY)
    }
}
