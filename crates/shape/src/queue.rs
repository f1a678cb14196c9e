//! The queue before a server.

use std::collections::VecDeque;

use hopwright_machine::Time;

use crate::codel::{Codel, Head, State};

/// A queue: how much it holds, and what it drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Packets that wait at most; the one that is being sent is none of them.
    pub packets: usize,
    /// What it drops beside what finds it full.
    pub discipline: Discipline,
}

/// Which packets a queue drops besides packets that find the queue full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// Nothing.
    DropTail,
    /// What has waited too long.
    Codel(Codel),
}

impl Default for Queue {
    fn default() -> Self {
        Self { packets: 50, discipline: Discipline::DropTail }
    }
}

/// A packet that waits.
#[derive(Debug)]
struct Waiting<P> {
    packet: P,
    bytes: u32,
    since: Time,
}

/// Packets that wait.
#[derive(Debug)]
pub(crate) struct Waiters<P> {
    queue: Queue,
    waiting: VecDeque<Waiting<P>>,
    bytes: u64,
    /// The largest packet so far, bytes.
    largest: u32,
    codel: State,
}

impl<P> Waiters<P> {
    pub(crate) fn new(queue: Queue) -> Self {
        Self { queue, waiting: VecDeque::new(), bytes: 0, largest: 0, codel: State::default() }
    }

    pub(crate) const fn set(&mut self, queue: Queue) {
        self.queue = queue;
    }

    pub(crate) fn packets(&self) -> impl Iterator<Item = &P> {
        self.waiting.iter().map(|waiting| &waiting.packet)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether one more packet would be taken; `is_idle`: the server takes it at once.
    pub(crate) fn has_room(&self, is_idle: bool) -> bool {
        self.waiting.len() < self.queue.packets || (is_idle && self.waiting.is_empty())
    }

    /// A packet goes by: the server takes it at once.
    pub(crate) const fn let_pass(&mut self, bytes: u32) {
        if bytes > self.largest {
            self.largest = bytes;
        }
    }

    /// Lets a packet wait, or gives it back if there is no room; `is_idle`: the server takes it at once.
    pub(crate) fn push(&mut self, now: Time, packet: P, bytes: u32, is_idle: bool) -> Result<(), P> {
        if !self.has_room(is_idle) {
            return Err(packet);
        }
        self.largest = self.largest.max(bytes);
        self.bytes += u64::from(bytes);
        self.waiting.push_back(Waiting { packet, bytes, since: now });
        Ok(())
    }

    /// The next packet to be sent, and its length; what is dropped for having waited too long goes to `dropped`.
    pub(crate) fn pop(&mut self, now: Time, mut dropped: impl FnMut(P)) -> Option<(P, u32)> {
        let Self { queue, waiting, bytes, largest, codel } = self;
        let mut take = || {
            let Waiting { packet, bytes: length, since } = waiting.pop_front()?;
            *bytes -= u64::from(length);
            Some(Head { packet: (packet, length), waited: now.since(since), is_last: *bytes <= u64::from(*largest) })
        };
        match &queue.discipline {
            Discipline::DropTail => take().map(|head| head.packet),
            Discipline::Codel(constants) => codel.deque(constants, now, take, |(packet, _)| dropped(packet)),
        }
    }

    /// Takes all that waits.
    pub(crate) fn clear(&mut self) -> impl Iterator<Item = P> + use<P> {
        self.bytes = 0;
        std::mem::take(&mut self.waiting).into_iter().map(|waiting| waiting.packet)
    }
}
