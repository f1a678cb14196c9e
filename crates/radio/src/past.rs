//! What an idle station must know of signals for others that are over: until when they occupied and reserved the medium.

use hopwright_machine::{Duration, Time};

use crate::signal::Signal;

/// What signals leave that are over, met no other, and were for others. Times are `ZERO` if there is no such thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// The last of them ended then.
    pub over_at: Time,
    /// Those that were received reserve the medium until then.
    pub reserved_until: Time,
    /// The last one whose reception failed ended then.
    pub failed_at: Time,
}

impl Past {
    pub(crate) const NOTHING: Self = Self { over_at: Time::ZERO, reserved_until: Time::ZERO, failed_at: Time::ZERO };

    pub(crate) const fn is_nothing(&self) -> bool {
        self.over_at.as_nanos() == 0
    }

    /// Adds the next signal, which reserves the medium for so long if it is received.
    #[inline(always)] // once for each frame and hearer
    pub(crate) fn add<F: Copy>(
        &mut self,
        signal: &Signal<F>,
        locks_on_weak: bool,
        reserved: impl FnOnce(F) -> Duration,
    ) {
        self.over_at = signal.until;
        if !signal.hurdle.is_damaged() {
            self.reserved_until = self.reserved_until.max(signal.until.after(reserved(signal.frame)));
        } else if locks_on_weak || signal.hurdle.is_decodable() {
            self.failed_at = signal.until;
        }
    }
}
