//! What is on its way.
//!
//! Holds     the next to arrive comes out first; of two that arrive at one time, the one that left first
//!
//! Packets that keep their order are a list, to whose end the next one goes. Only one that overtakes goes into a heap beside
//! it: where nothing does, this costs a comparison.

use core::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use hopwright_machine::Time;

/// What becomes of a packet that is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Arrives,
    ArrivesTwice,
    Lost,
}

/// A packet on its way.
#[derive(Debug)]
struct Traveller<P> {
    at: Time,
    number: u64,
    packet: P,
    fate: Fate,
}

/// Packets on their way.
#[derive(Debug)]
pub(crate) struct UnderWay<P> {
    in_order: VecDeque<Traveller<P>>,
    ahead: BinaryHeap<Traveller<P>>,
    /// How many have left.
    left: u64,
}

impl<P> UnderWay<P> {
    pub(crate) const fn new() -> Self {
        Self { in_order: VecDeque::new(), ahead: BinaryHeap::new(), left: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.in_order.len() + self.ahead.len()
    }

    pub(crate) fn packets(&self) -> impl Iterator<Item = &P> {
        self.in_order.iter().chain(&self.ahead).map(|traveller| &traveller.packet)
    }

    /// When the next one arrives.
    pub(crate) fn next(&self) -> Time {
        let first = self.in_order.front().map_or(Time::NEVER, |first| first.at);
        self.ahead.peek().map_or(first, |ahead| first.min(ahead.at))
    }

    /// The next one to arrive.
    pub(crate) fn pop(&mut self) -> Option<(P, Fate)> {
        let is_ahead = match (self.ahead.peek(), self.in_order.front()) {
            (Some(ahead), Some(first)) => ahead > first, // of a heap, whose greatest is the first
            (ahead, _) => ahead.is_some(),
        };
        let next = if is_ahead { self.ahead.pop() } else { self.in_order.pop_front() };
        next.map(|Traveller { packet, fate, .. }| (packet, fate))
    }

    /// One leaves, to arrive at a time, or with the last one if it may not overtake.
    pub(crate) fn push(&mut self, at: Time, may_overtake: bool, packet: P, fate: Fate) {
        let last = self.in_order.back().map_or(Time::ZERO, |last| last.at);
        let overtakes = may_overtake && at < last;
        let at = if overtakes { at } else { at.max(last) };
        let traveller = Traveller { at, number: self.left, packet, fate };
        self.left += 1;
        if overtakes {
            self.ahead.push(traveller);
        } else {
            self.in_order.push_back(traveller);
        }
    }
}

impl<P> Traveller<P> {
    const fn key(&self) -> (Time, u64) {
        (self.at, self.number)
    }
}

/// The first to arrive is the greatest.
impl<P> Ord for Traveller<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<P> PartialOrd for Traveller<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Traveller<P> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<P> Eq for Traveller<P> {}
