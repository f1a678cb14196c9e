//! When a connection gives back room of its buffers that it does not need.
//!
//! Spec      none (memory is the host's own business)
//! Deviates  nothing
//! Holds     a stream that flows keeps its room: each acknowledgement empties the buffer that the next write fills, and
//!           to give memory back and take it again would cost time; one that has not needed its room for `PATIENCE`
//!           gives it back

use hopwright_machine::{Duration, Time};
use hopwright_transport::Connection;

/// For how long room may lie unused.
const PATIENCE: Duration = Duration::from_secs(1);

/// Since when a connection has had more room than it needs; `NEVER` if it needs what it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spare(Time);

impl Spare {
    pub(crate) const NONE: Self = Self(Time::NEVER);

    /// Looks, and gives back what was not needed for long enough.
    pub(crate) fn reckon(&mut self, now: Time, connection: &mut Connection) {
        if !connection.is_roomy() {
            *self = Self::NONE;
        } else if self.0 == Time::NEVER {
            self.0 = now;
        } else if self.due() <= now {
            connection.give_back();
            *self = Self::NONE;
        }
    }

    /// When room is given back, if it is not needed until then: then it must be reckoned again.
    pub(crate) fn due(self) -> Time {
        self.0 + PATIENCE
    }
}
