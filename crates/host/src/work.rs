//! What connections compute, by function: how long each event took, beside what left because of it.
//!
//! Spec      Ghaleb-Seddik 2009 §4.3.3.3.1 (computation by slow start, congestion avoidance, fast recovery)
//! Deviates  a function is that of the event, not of the time at which it was measured (`transport/src/function.rs`)
//! Holds     without a clock nothing is measured; handling an event, making its segments and putting these together
//!           count, bytes of packets, checksums and the device do not; until its first data leave, an end counts as a
//!           receiver
//!
//! The clock is of the machine, not of the thread, as it is read twice an event. So an interval in which the system took
//! the processor away is too long: events that took [`INTERRUPTED_NS`] and more are counted apart.

use std::hint::black_box;

use hopwright_machine::{Duration, Machine, Time};
use hopwright_transport::{Before, Connection, Function, Input, Public};

/// Nanoseconds since some moment, never backwards.
pub type Stopwatch = fn() -> u64;

/// So long takes no event: something else had the processor meanwhile.
pub const INTERRUPTED_NS: u64 = 1 << 17;

/// What a function of all connections took.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cost {
    /// Events that nothing interrupted.
    pub events: u64,
    /// How long they took.
    pub cpu_ns: u64,
    /// Events that took [`INTERRUPTED_NS`] or more.
    pub interrupted_events: u64,
    /// How long these took.
    pub interrupted_ns: u64,
    /// Payload that left because of all events, retransmissions among it.
    pub sent_bytes: u64,
    /// How long connections were in the phase that the function is of.
    pub time: Duration,
}

/// What the connections of a host took, by function.
#[derive(Clone, Debug)]
pub struct Work {
    stopwatch: Stopwatch,
    empty_ns: u64,
    costs: [Cost; Function::ALL.len()],
    /// Of each place in the table: what its connection was left at, and when.
    lasts: Vec<Option<Last>>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    event: Function,
    phase: Function,
    at: Time,
    /// How long the event took so far: its outputs are made later.
    took: u64,
}

impl Work {
    pub(crate) fn new(stopwatch: Stopwatch) -> Self {
        Self { stopwatch, empty_ns: empty_ns(stopwatch), costs: Default::default(), lasts: Vec::new() }
    }

    /// What is taken off each interval, as one in which nothing happens shows so much, nanoseconds.
    #[must_use]
    pub const fn empty_ns(&self) -> u64 {
        self.empty_ns
    }

    /// What a function took.
    #[must_use]
    pub const fn of(&self, function: Function) -> Cost {
        self.costs[function as usize]
    }

    /// Tells a connection something, and measures.
    pub(crate) fn handle(&mut self, index: u32, connection: &mut Connection, now: Time, input: Input<'_>) {
        let before = Before::of(connection.public());
        let began = (self.stopwatch)();
        connection.handle(now, input);
        let took = (self.stopwatch)() - began;
        let after = connection.public();
        let has_sent = after.segments_sent > 0;
        let function = if has_sent { before.function(&input, after) } else { Function::Receiver };
        let next =
            Last { event: function, phase: phase(after, has_sent), at: now, took: took.saturating_sub(self.empty_ns) };
        if let Some(last) = self.last(index).replace(next) {
            self.cost(last.phase).time += now.since(last.at);
            self.count(last);
        }
    }

    /// When an output began to be made.
    pub(crate) fn begin(&self) -> u64 {
        (self.stopwatch)()
    }

    /// An output was made of what the connection's last event left.
    pub(crate) fn on_output(&mut self, index: u32, began: u64, sent_bytes: u32) {
        let took = (self.stopwatch)() - began;
        let took = took.saturating_sub(self.empty_ns);
        if let Some(last) = self.last(index) {
            last.took += took;
            let function = last.event;
            self.cost(function).sent_bytes += u64::from(sent_bytes);
        }
    }

    /// The connection at this place is gone.
    pub(crate) fn forget(&mut self, index: u32) {
        if let Some(last) = self.last(index).take() {
            self.count(last);
        }
    }

    fn last(&mut self, index: u32) -> &mut Option<Last> {
        let place = index as usize;
        if place >= self.lasts.len() {
            self.lasts.resize(place + 1, None);
        }
        &mut self.lasts[place]
    }

    fn cost(&mut self, function: Function) -> &mut Cost {
        &mut self.costs[function as usize]
    }

    /// An event is over.
    fn count(&mut self, last: Last) {
        let cost = self.cost(last.event);
        if last.took < INTERRUPTED_NS {
            cost.events += 1;
            cost.cpu_ns += last.took;
        } else {
            cost.interrupted_events += 1;
            cost.interrupted_ns += last.took;
        }
    }
}

fn phase(public: &Public, has_sent: bool) -> Function {
    if has_sent { Function::of_phase(public.phase()) } else { Function::Receiver }
}

/// What an empty interval shows: the median over many short rounds, as some are interrupted.
fn empty_ns(stopwatch: Stopwatch) -> u64 {
    const ROUNDS: usize = 101;
    const READINGS: u64 = 100;
    let mut means = [0; ROUNDS];
    for mean in &mut means {
        let began = stopwatch();
        for _ in 1..READINGS {
            black_box(stopwatch());
        }
        *mean = (stopwatch() - began) / READINGS;
    }
    means.sort_unstable();
    means[ROUNDS / 2]
}
