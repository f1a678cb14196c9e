//! What was given to one end of a conversation, to be given to it again: the same work, without the rest of the world.

use std::hint::black_box;

use hopwright_machine::{Machine, Time};
use hopwright_transport::{Connection, Data, Function, Input, NetworkSignal, Params, Recipe, Role};
use hopwright_wire::tcp::{Segment, Seq};

/// What an event begins with.
#[derive(Clone, Copy, Debug)]
pub enum Stimulus {
    /// The application opens its end.
    Open,
    /// A segment arrived.
    Segment(Segment),
    /// The deadline came.
    Wake,
    /// News of the route.
    Signal(NetworkSignal),
}

impl Stimulus {
    /// As the connection takes it.
    #[inline]
    #[must_use]
    pub const fn input(&self) -> Input<'_> {
        match self {
            Self::Open => Input::Open,
            Self::Segment(segment) => Input::Segment { segment, data: &[] },
            Self::Wake => Input::Wake,
            Self::Signal(signal) => Input::Signal(*signal),
        }
    }
}

/// One event: what happens, and what the application writes because of it.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// When.
    pub at: Time,
    /// What happens.
    pub stimulus: Stimulus,
    /// Bytes that the application then writes.
    pub write: u64,
    /// What it is work for.
    pub function: Function,
    /// Payload that left with it, resent bytes included.
    pub sent_bytes: u64,
}

/// What an end is made of.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) recipe: Recipe,
    pub(crate) params: Params,
    pub(crate) role: Role,
    pub(crate) iss: Seq,
}

impl End {
    /// One to whom nothing has happened.
    pub(crate) fn build(&self) -> Connection {
        Connection::new(&self.recipe, &self.params, self.role, PORT, PORT, self.iss)
    }
}

/// The port of both ends.
const PORT: u16 = 5001;

/// The events of one end.
#[derive(Debug)]
pub struct Tape {
    end: End,
    events: Vec<Event>,
    /// Time spent in each function, seconds of the conversation, in the order of `Function::ALL`.
    time_s: [f64; Function::ALL.len()],
    /// What the end is at after the last event.
    at: Function,
}

impl Tape {
    pub(crate) fn new(end: End) -> Self {
        Self { end, events: Vec::new(), time_s: [0.0; Function::ALL.len()], at: Function::SlowStart }
    }

    /// The next event, and what the end is at from then on.
    pub(crate) fn push(&mut self, event: Event, at: Function) {
        if let Some(last) = self.events.last() {
            self.time_s[self.at as usize] += event.at.since(last.at).as_secs_f64();
        }
        self.at = at;
        self.events.push(event);
    }

    /// All events in their order.
    #[must_use]
    pub fn all(&self) -> &[Event] {
        &self.events
    }

    /// How many events were work for this function.
    #[must_use]
    pub fn events(&self, function: Function) -> u64 {
        self.of(function).count() as u64
    }

    /// Payload bytes that left with them.
    #[must_use]
    pub fn sent_bytes(&self, function: Function) -> u64 {
        self.of(function).map(|event| event.sent_bytes).sum()
    }

    /// Seconds of the conversation spent in a function.
    #[must_use]
    pub const fn time_s(&self, function: Function) -> f64 {
        self.time_s[function as usize]
    }

    fn of(&self, function: Function) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| event.function == function)
    }

    /// The end before the first event.
    #[must_use]
    pub fn start(&self) -> Connection {
        self.end.build()
    }

    /// Gives the end all events once more; returns it after the last.
    pub fn replay(&self) -> Connection {
        let mut end = self.start();
        for event in &self.events {
            happen(&mut end, event);
        }
        end
    }
}

/// One event happens to a connection, which says what is to be done.
#[inline(never)]
pub(crate) fn happen(end: &mut Connection, event: &Event) {
    end.handle(event.at, event.stimulus.input());
    if event.write > 0 {
        end.handle(event.at, Input::Write(Data::Count(event.write)));
    }
    while let Some(output) = end.poll() {
        black_box(&output);
    }
}
