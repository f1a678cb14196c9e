//! One entry of the routing table of ns-2's AODV.
//!
//! Spec      ns-2.35, as its runs show it
//! Deviates  nothing
//! Holds     a route that is down has no next hop and 255 hops

use std::collections::BTreeSet;

use hopwright_machine::{Duration, NodeId, Time};

/// More hops than any route has.
pub(super) const UNREACHABLE: u32 = 255;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Down,
    Up,
    InRepair,
}

#[derive(Debug)]
pub(super) struct Route {
    pub(super) state: State,
    pub(super) sequence: u32,
    pub(super) hops: u32,
    pub(super) last_hops: u32,
    pub(super) next_hop: Option<NodeId>,
    pub(super) expiry: Time,
    pub(super) precursors: BTreeSet<NodeId>,
    /// Before this time no further request is sent.
    pub(super) request_timeout: Time,
    /// Network-wide requests since the last reply.
    pub(super) request_count: u32,
    pub(super) last_ttl: u32,
    pub(super) last_request: Time,
    latencies: [Duration; 3],
    oldest: usize,
}

impl Default for Route {
    fn default() -> Self {
        Self {
            state: State::Down,
            sequence: 0,
            hops: UNREACHABLE,
            last_hops: UNREACHABLE,
            next_hop: None,
            expiry: Time::ZERO,
            precursors: BTreeSet::new(),
            request_timeout: Time::ZERO,
            request_count: 0,
            last_ttl: 0,
            last_request: Time::ZERO,
            latencies: [Duration::ZERO; 3],
            oldest: 0,
        }
    }
}

impl Route {
    /// Whether the entry says where to go: true also under repair.
    pub(super) fn is_known(&self) -> bool {
        self.hops != UNREACHABLE
    }

    /// Whether a message with this sequence number and length is better than what the entry has.
    pub(super) fn is_worse_than(&self, sequence: u32, hops: u32) -> bool {
        self.sequence < sequence || (self.sequence == sequence && self.hops > hops)
    }

    pub(super) fn update(&mut self, sequence: u32, hops: u32, next_hop: NodeId, expiry: Time) {
        self.sequence = sequence;
        self.hops = hops;
        self.state = State::Up;
        self.next_hop = Some(next_hop);
        self.expiry = expiry;
    }

    pub(super) fn take_down(&mut self) {
        if self.state != State::Down {
            self.last_hops = self.hops;
            self.hops = UNREACHABLE;
            self.state = State::Down;
            self.next_hop = None;
            self.expiry = Time::ZERO;
        }
    }

    /// An answer has come: the next search starts from its length.
    pub(super) fn end_search(&mut self, hops: u32) {
        self.request_count = 0;
        self.request_timeout = Time::ZERO;
        self.last_ttl = hops;
    }

    pub(super) fn note_latency(&mut self, per_hop: Duration) {
        self.latencies[self.oldest] = per_hop;
        self.oldest = (self.oldest + 1) % self.latencies.len();
    }

    /// Mean time per hop of the last three searches.
    pub(super) fn per_hop_time(&self, unmeasured: Duration) -> Duration {
        let measured = self.latencies.iter().filter(|latency| **latency > Duration::ZERO).count() as u64;
        let sum = self.latencies.iter().fold(Duration::ZERO, |sum, latency| sum + *latency);
        if measured > 0 { sum / measured } else { unmeasured }
    }
}
