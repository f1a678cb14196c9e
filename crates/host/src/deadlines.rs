//! When which connection wants to be woken.
//!
//! A registered time may be too early: the connection is woken, finds nothing to do, and is registered anew.
//! It is never too late. So a timer that every segment moves on costs nothing until it would have fired.

use std::collections::BTreeSet;

use hopwright_machine::Time;

/// See the file's header.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    /// In the order of time, then of connections.
    queue: BTreeSet<(Time, u32)>,
}

impl Deadlines {
    /// The connection wants to be woken at `wanted`; `registered` is what stands for it here.
    pub(crate) fn want(&mut self, index: u32, wanted: Time, registered: &mut Time) {
        if wanted < *registered {
            self.queue.remove(&(*registered, index));
            self.queue.insert((wanted, index));
            *registered = wanted;
        }
    }

    /// The connection is gone.
    pub(crate) fn forget(&mut self, index: u32, registered: Time) {
        self.queue.remove(&(registered, index));
    }

    pub(crate) fn earliest(&self) -> Time {
        self.queue.first().map_or(Time::NEVER, |&(time, _)| time)
    }

    /// Takes out a connection that is due.
    pub(crate) fn pop_due(&mut self, now: Time) -> Option<u32> {
        let &(time, index) = self.queue.first()?;
        if time > now {
            return None;
        }
        self.queue.pop_first();
        Some(index)
    }
}
