//! What an idle station must know of signals for others that are over: until when they occupied and reserved the medium.

use hopwright_machine::{Duration, Time};

use crate::listener::Ended;
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

    /// Adds the next signal. `ends`: told how its reception ended, and when, if the receiver noticed it; answers for how long a
    /// frame that was received reserves the medium.
    #[inline(always)] // once for each frame and hearer
    pub(crate) fn add<F: Copy>(
        &mut self,
        signal: &Signal<F>,
        locks_on_weak: bool,
        ends: impl FnOnce(Time, Ended<F>) -> Duration,
    ) {
        let &Signal { until, frame, hurdle, .. } = signal;
        self.over_at = until;
        if !hurdle.is_damaged() {
            self.reserved_until = self.reserved_until.max(until.after(ends(until, Ended::Received(frame))));
        } else if locks_on_weak || hurdle.is_decodable() {
            self.failed_at = until;
            ends(until, if hurdle.is_decodable() { Ended::Damaged(frame) } else { Ended::Failed(frame) });
        }
    }
}
