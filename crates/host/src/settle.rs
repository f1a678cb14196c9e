//! What the host does after something happened to a connection.
//!
//! Spec      RFC 9293 §3.6.1 (a connection closed in both directions)
//! Deviates  nothing
//! Holds     every connection's time and memory are known after every event

use hopwright_machine::{Machine, Time};
use hopwright_transport::{self as transport, State};

use crate::events::{Event, EventKind, Output};
use crate::host::Host;
use crate::table::Stage;

/// Answers to a connection request before nobody is believed to be there (63 s, as Linux).
const ANSWERS: u32 = 6;

/// How many connections may go at once for the memory of another.
const MOST_DISPLACED: usize = 4;

impl Host {
    /// Tells a connection something.
    pub(crate) fn drive(&mut self, index: u32, now: Time, input: transport::Input<'_>) {
        if self.table.at(index).is_some() {
            self.tell(index, now, input);
            self.settle(index, now);
        }
    }

    /// The same, where the connection is looked at later.
    pub(crate) fn tell(&mut self, index: u32, now: Time, input: transport::Input<'_>) {
        let Some(entry) = self.table.at_mut(index) else { return };
        match &mut self.work {
            None => entry.connection.handle(now, input),
            Some(work) => work.handle(index, &mut entry.connection, now, input),
        }
    }

    /// Looks at a connection after something happened to it.
    fn settle(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.at_mut(index) else { return };
        self.statistics.add(&mut entry.counted, entry.connection.public());
        if entry.connection.state() == State::Listen {
            return self.forget(index); // a stranger who asked for it reset it
        }
        entry.patience.reckon(now, &entry.connection, entry.is_deaf, &self.config);
        if entry.patience.has_run_out() {
            return self.lose_patience(index, now);
        }
        let (handle, address) = (entry.handle, entry.tuple.remote.address);
        let (deadline, is_in_time_wait) = (entry.connection.deadline(), entry.connection.state() == State::TimeWait);
        entry.spare.reckon(now, &mut entry.connection);
        let wanted = deadline.min(entry.patience.runs_out()).min(entry.spare.due());
        self.deadlines.want(index, wanted, &mut entry.registered);
        if !entry.is_dirty {
            entry.is_dirty = true;
            self.dirty.push_back(index);
        }
        let waits_anew = is_in_time_wait && entry.stage != Stage::TimeWait;
        if waits_anew {
            entry.stage = Stage::TimeWait;
            self.shares.change(address, |share| share.connections -= 1);
            self.keep_waiting(handle);
        }
        self.count_memory(index);
        if self.keeps_too_much(address)
            && let Some(entry) = self.table.at_mut(index)
        {
            entry.connection.forget_beyond_gaps();
            self.count_memory(index);
        }
        self.offer_room(index, now);
    }

    /// Tells the application that there is room, if it waits for some; makes some, if it must.
    fn offer_room(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.at(index).filter(|entry| entry.wants_room) else { return };
        let (tuple, has_room) = (entry.tuple, self.has_room(entry));
        if has_room && let Some(entry) = self.table.at_mut(index) {
            entry.wants_room = false;
            let event = Event { handle: entry.handle, kind: EventKind::Writable };
            self.ready.push_back(Output::Event(event));
        }
        for _ in 0..MOST_DISPLACED {
            let is_starved = self.table.at(index).is_some_and(|entry| self.is_starved(now, entry));
            if !is_starved || !self.make_free(now, &tuple) {
                break;
            }
        }
    }

    fn count_memory(&mut self, index: u32) {
        let Some(entry) = self.table.at_mut(index) else { return };
        let (before, memory) = (entry.buffered, entry.connection.memory());
        if before != memory {
            entry.buffered = memory;
            self.shares.change(entry.tuple.remote.address, |share| share.buffered = share.buffered - before + memory);
        }
    }

    /// The peer has been taking next to nothing for too long. If it has everything, only its end is missing: that is
    /// nobody's loss.
    fn lose_patience(&mut self, index: u32, now: Time) {
        let is_owed = self.table.at(index).is_some_and(|entry| entry.connection.is_owed());
        self.statistics.connections_stalled += u64::from(is_owed);
        self.cut(now, index, if is_owed { EventKind::Stalled } else { EventKind::Closed });
    }

    /// Something other than a segment came out of a connection.
    pub(crate) fn on_output(&mut self, index: u32, output: transport::Output) -> Option<Output> {
        let entry = self.table.at_mut(index)?;
        let (handle, stage, is_told) = (entry.handle, entry.stage, entry.is_told_closed);
        let kind = match output {
            transport::Output::Established => {
                if stage == Stage::HalfOpen {
                    self.on_half_open_over(index);
                }
                if stage != Stage::TimeWait
                    && let Some(entry) = self.table.at_mut(index)
                {
                    entry.stage = Stage::Open;
                }
                EventKind::Established
            }
            transport::Output::Readable(_) => EventKind::Readable,
            transport::Output::PeerClosed => EventKind::PeerClosed,
            transport::Output::Closed => EventKind::Closed,
            transport::Output::Reset if stage == Stage::Connecting => EventKind::Refused,
            // The peer went on talking to an application that had gone, or said nothing more: it has all that this one
            // said.
            transport::Output::Reset | transport::Output::TimedOut if entry.is_deaf && !entry.connection.is_owed() => {
                EventKind::Closed
            }
            transport::Output::Reset => EventKind::Reset,
            transport::Output::TimedOut => EventKind::TimedOut,
            transport::Output::Segment(_) => return None, // collected elsewhere
        };
        if kind.is_last() {
            self.forget(index);
            if stage == Stage::HalfOpen || is_told {
                return None;
            }
        }
        Some(Output::Event(Event { handle, kind }))
    }

    /// A half-open connection has opened, or is gone.
    fn on_half_open_over(&mut self, index: u32) {
        let Some(entry) = self.table.at(index) else { return };
        if let Some(listener) = self.listeners.get_mut(&entry.tuple.local_port) {
            listener.on_settled();
        }
        self.shares.change(entry.tuple.remote.address, |share| share.half_open -= 1);
    }

    /// Drops a connection without a word.
    pub(crate) fn forget(&mut self, index: u32) {
        if self.table.at(index).is_some_and(|entry| entry.stage == Stage::HalfOpen) {
            self.on_half_open_over(index);
        }
        let Some(mut entry) = self.table.remove(index) else { return };
        self.deadlines.forget(index, entry.registered);
        if let Some(work) = &mut self.work {
            work.forget(index);
        }
        self.statistics.add(&mut entry.counted, entry.connection.public());
        self.shares.change(entry.tuple.remote.address, |share| {
            share.entries -= 1;
            share.connections -= usize::from(entry.stage != Stage::TimeWait);
            share.buffered -= entry.buffered;
        });
    }

    pub(crate) fn on_wake(&mut self, now: Time) {
        let mut due = std::mem::take(&mut self.due);
        while let Some(index) = self.deadlines.pop_due(now) {
            due.push(index);
        }
        for index in due.drain(..) {
            let Some(entry) = self.table.at_mut(index) else { continue };
            entry.registered = Time::NEVER;
            if entry.connection.deadline() <= now {
                self.tell(index, now, transport::Input::Wake);
            }
            let is_given_up = self.table.at(index).is_some_and(|entry| {
                entry.stage == Stage::HalfOpen && entry.connection.public().consecutive_timeouts >= ANSWERS
            });
            if is_given_up {
                self.forget(index);
            } else {
                self.settle(index, now);
            }
        }
        self.due = due;
    }
}
