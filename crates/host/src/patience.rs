//! How long a peer may take next to nothing while something waits for it.
//!
//! Spec      RFC 9293 §3.8.6.1 and RFC 6429 §4, §5 (who answers probes is never given up by the protocol; whoever owns
//!           the memory may do so)
//! Deviates  nothing
//! Holds     only who asked us for the connection can try our patience. A peer that takes `least_rate_bytes_per_s` is never
//!           given up; one that is heard and takes less is, by and by; one that is not heard is the business of the user
//!           time-out; time in which nothing waits costs nothing
//!
//! Patience runs down while something waits for the peer, and what it takes earns some back. It runs down as long as the
//! peer's window is shut; otherwise only for a while after each sign of life, for a path that carries nothing for
//! minutes is no fault of the peer's.

use hopwright_machine::{Duration, Time};
use hopwright_transport::{Connection, State};

use crate::config::Config;

/// For how long after a sign of life silence counts.
const SILENCE: Duration = Duration::from_secs(10);

/// This part of the patience must be used up before a connection may be displaced by a new one.
const DISPLACED_AFTER: u64 = 12;

/// See the file's header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// All of it; zero: it never runs out.
    whole: Duration,
    left: Duration,
    /// When that was reckoned, and until when time counts from then on.
    at: Time,
    until: Time,
    /// What the peer had acknowledged by then: a position in our stream.
    taken: u64,
    /// When the peer was last heard.
    heard: Time,
}

impl Patience {
    /// With somebody who asked us, or whom we asked.
    pub(crate) const fn new(config: &Config, is_ours: bool) -> Self {
        let whole = if is_ours { Duration::ZERO } else { config.stall_timeout };
        Self { whole, left: whole, at: Time::ZERO, until: Time::ZERO, taken: 0, heard: Time::ZERO }
    }

    pub(crate) const fn on_heard(&mut self, now: Time) {
        self.heard = now;
    }

    /// Brings it up to date. `is_deaf`: the application has closed both directions, and the peer's end is waited for.
    pub(crate) fn reckon(&mut self, now: Time, connection: &Connection, is_deaf: bool, config: &Config) {
        let p = connection.public();
        if self.whole == Duration::ZERO {
            return;
        }
        let counted = self.until.min(now).since(self.at);
        let earned = worth(p.una.saturating_sub(self.taken), config);
        let is_end_owed = is_deaf && connection.state() == State::FinWait2;
        let waits = is_open(connection.state()) && (connection.is_owed() || is_end_owed);
        self.left = match waits {
            true => (self.left.saturating_sub(counted) + earned).min(self.whole),
            false => self.whole,
        };
        let is_shut = is_end_owed || p.offer < u64::from(p.mss).min(connection.backlog());
        self.until = match (waits, is_shut) {
            (false, _) => now,
            (true, true) => Time::NEVER,
            (true, false) => self.heard + SILENCE,
        };
        (self.at, self.taken) = (now, p.una);
    }

    /// When it runs out, if the peer takes nothing more: then it must be reckoned again.
    pub(crate) fn runs_out(&self) -> Time {
        let end = self.at + self.left;
        if end <= self.until && self.until > self.at { end } else { Time::NEVER }
    }

    pub(crate) fn has_run_out(&self) -> bool {
        self.left == Duration::ZERO && self.whole > Duration::ZERO
    }

    /// Whether so much is used up that somebody else may have the connection's place.
    pub(crate) fn is_thin(&self, now: Time) -> bool {
        let left = self.left.saturating_sub(self.until.min(now).since(self.at));
        let used = self.whole.saturating_sub(left).as_nanos();
        self.whole > Duration::ZERO && used >= self.whole.as_nanos() / DISPLACED_AFTER
    }
}

/// Whether the connection has opened, and is not over.
const fn is_open(state: State) -> bool {
    !matches!(state, State::Closed | State::Listen | State::SynSent | State::SynReceived | State::TimeWait)
}

/// The time that so many bytes earn. Without a least rate, any byte earns all of it.
fn worth(bytes: u64, config: &Config) -> Duration {
    match (bytes, config.least_rate_bytes_per_s) {
        (0, _) => Duration::ZERO,
        (_, 0) => config.stall_timeout,
        (bytes, rate) => Duration::from_nanos(bytes.saturating_mul(1_000_000_000) / rate),
    }
}
