//! Events that remember what led to them, for as long as somebody may ask.
//!
//! Most of what happens ends well, and nobody asks. So an event is held by those that it led to, and goes with the last
//! of them; once one of them is told, so is everything that led to it. Most events are tries, one after the other of the
//! same packet: these are kept together. A run may go on in another thread than it began in, so its events are shared as
//! threads share; never by two at a time, so nobody waits.
//!
//! Holds     - an event is written once, after it has ended
//!           - what is written names only events that are written

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hopwright_machine::{NodeId, PacketId, Time};

use super::row::{By, Id, Row};

/// An event, shared by those that it led to.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Alone(Arc<Known>),
    /// The try with this place in a trail.
    Try(Arc<Trail>, usize),
}

/// An event that has happened, and what led to it.
#[derive(Debug)]
pub(super) struct Known {
    row: Row,
    because: Mutex<Option<Event>>,
    is_written: AtomicBool,
}

/// Tries of a packet that led from one to the next.
#[derive(Debug)]
pub(super) struct Trail {
    packet: PacketId,
    flow: Option<usize>,
    /// What led to the first, until that is written, and its number.
    because: Mutex<Option<Event>>,
    before: Option<Id>,
    steps: Mutex<Vec<Step>>,
}

/// A try: happened, or going on.
#[derive(Debug)]
pub(super) struct Step {
    id: Id,
    at: Time,
    node: NodeId,
    next_hop: Option<NodeId>,
    count: u32,
    failure: Option<Box<Failure>>,
    has_ended: bool,
    is_wanted: bool,
    is_written: bool,
}

/// Why a try came to nothing.
#[derive(Debug)]
struct Failure {
    frame: &'static str,
    cause: &'static str,
    by: Option<By>,
}

/// A packet has a few tries at each of its hops.
const STEPS: usize = 8;

impl Event {
    /// Something that has happened.
    pub(super) fn new(row: Row, because: Option<Self>) -> Self {
        let row = Row { because: because.as_ref().map(Self::id), ..row };
        Self::Alone(Arc::new(Known { row, because: Mutex::new(because), is_written: AtomicBool::new(false) }))
    }

    /// A try that begins.
    pub(super) fn begin(packet: PacketId, flow: Option<usize>, step: Step, because: Option<Self>) -> Self {
        if let Some(Self::Try(trail, place)) = &because
            && *place + 1 == lock(&trail.steps).len()
        {
            lock(&trail.steps).push(step);
            return Self::Try(Arc::clone(trail), place + 1);
        }
        let mut steps = Vec::with_capacity(STEPS);
        steps.push(step);
        let before = because.as_ref().map(Self::id);
        let trail = Trail { packet, flow, because: Mutex::new(because), before, steps: Mutex::new(steps) };
        Self::Try(Arc::new(trail), 0)
    }

    pub(super) fn id(&self) -> Id {
        match self {
            Self::Alone(known) => known.row.id,
            Self::Try(trail, place) => lock(&trail.steps)[*place].id,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Alone(known) => known.row.kind,
            Self::Try(..) => TRY,
        }
    }

    /// A try has come to nothing.
    pub(super) fn fail(&self, frame: &'static str, cause: &'static str, by: Option<By>) {
        if let Self::Try(trail, place) = self {
            lock(&trail.steps)[*place].failure = Some(Box::new(Failure { frame, cause, by }));
        }
    }

    /// A try has ended. Returns whether it was asked for meanwhile.
    pub(super) fn end(&self) -> bool {
        let Self::Try(trail, place) = self else { return false };
        let step = &mut lock(&trail.steps)[*place];
        step.has_ended = true;
        step.is_wanted
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The `kind` of tries.
pub(super) const TRY: &str = "try";

impl Step {
    pub(super) const fn new(id: Id, at: Time, node: NodeId, next_hop: Option<NodeId>, count: u32) -> Self {
        Self { id, at, node, next_hop, count, failure: None, has_ended: false, is_wanted: false, is_written: false }
    }
}

impl Trail {
    fn row(&self, place: usize) -> Row {
        let steps = lock(&self.steps);
        let step = &steps[place];
        let failure = step.failure.as_deref();
        Row {
            peer: step.next_hop,
            flow: self.flow,
            packet: Some(self.packet),
            tries: Some(step.count),
            frame: failure.map(|failure| failure.frame),
            cause: failure.map(|failure| failure.cause),
            by: failure.and_then(|failure| failure.by).map(Box::new),
            because: if place > 0 { Some(steps[place - 1].id) } else { self.before },
            ..Row::new(step.id, step.at, TRY, step.node)
        }
    }

    /// A try is asked for. Returns whether it is to be written now; `None`: it was asked for before.
    fn want(&self, place: usize) -> Option<bool> {
        let step = &mut lock(&self.steps)[place];
        if step.is_written || (step.is_wanted && !step.has_ended) {
            return None;
        }
        step.is_wanted = true;
        step.is_written = step.has_ended;
        Some(step.has_ended)
    }
}

/// Writes an event and all that led to it, each once; what goes on will be written when it has ended.
pub(super) fn tell(event: &Event, mut write: impl FnMut(&Row)) {
    let mut next = Some(event.clone());
    while let Some(event) = next {
        next = match &event {
            Event::Alone(known) => {
                if known.is_written.swap(true, Ordering::Relaxed) {
                    return;
                }
                write(&known.row);
                lock(&known.because).take()
            }
            Event::Try(trail, place) => {
                let Some(is_over) = trail.want(*place) else { return };
                if is_over {
                    write(&trail.row(*place));
                }
                match place.checked_sub(1) {
                    Some(place) => Some(Event::Try(Arc::clone(trail), place)),
                    None if is_over => lock(&trail.because).take(),
                    None => lock(&trail.because).clone(),
                }
            }
        };
    }
}
