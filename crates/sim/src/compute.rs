//! What transports computed, in joules: events by function, times the joules of one.
//!
//! Spec      Ghaleb-Seddik (2009) §4.4: measured costs of a transport's functions in the simulator's energy model
//! Deviates  the document charges for the time that a sender is in a function; here each event is charged for, as
//!           nothing is computed between them. The receiver is charged for, too

use std::collections::BTreeMap;

use hopwright_transport::{Before, Connection, Function, Input};
use schemars::JsonSchema;
use serde::Serialize;

use crate::annotations::{self, shown};

/// Joules of an event of each function, in the order of `Function::ALL`.
pub type JoulesPerEvent = [f64; Function::ALL.len()];

/// The work of both transports of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    joules_per_event: JoulesPerEvent,
    events: [u64; Function::ALL.len()],
    /// Payload that the sender's segments carried, resent bytes included.
    sent_bytes: u64,
}

impl Work {
    pub(crate) const fn new(joules_per_event: JoulesPerEvent) -> Self {
        Self { joules_per_event, events: [0; Function::ALL.len()], sent_bytes: 0 }
    }

    /// Measurements start.
    pub(crate) const fn forget(&mut self) {
        *self = Self::new(self.joules_per_event);
    }

    #[cold]
    #[inline(never)]
    pub(crate) const fn count(&mut self, function: Function) {
        self.events[function as usize] += 1;
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn sent(&mut self, bytes: u32) {
        self.sent_bytes += u64::from(bytes);
    }
}

/// What a sender was at before an event, if its work is counted: see `FlowMeter::sender_at`.
#[derive(Debug)]
#[must_use]
pub(crate) struct Begun(pub(crate) Option<Before>);

impl Begun {
    /// The event, and what the application did because of it, is over.
    #[inline]
    pub(crate) fn end(self, work: &mut Option<Box<Work>>, input: &Input<'_>, connection: &Connection) {
        if let (Some(before), Some(work)) = (self.0, work) {
            worked(work, before, input, connection);
        }
    }
}

/// Apart: runs that count nothing pay for a test alone.
#[cold]
#[inline(never)]
fn worked(work: &mut Work, before: Before, input: &Input<'_>, connection: &Connection) {
    work.count(before.function(input, connection.public()));
}

/// What a flow's transports computed.
#[derive(Clone, Debug, Serialize, PartialEq, JsonSchema)]
#[schemars(title = "Compute")]
pub struct ComputeReport {
    /// Energy for the computation at both ends: the events of each function, times the energy of one such event in the
    /// coefficient file.
    #[schemars(title = "computation", extend("x-better" = "lower", "x-shown" = shown("mJ", 1e3, 2)))]
    pub compute_j: f64,
    /// Application bytes that the sender sent, including bytes sent again.
    #[schemars(title = "bytes sent", extend("x-over-flows" = "mean"))]
    pub sent_bytes: u64,
    /// `compute_j` divided by `sent_bytes`; null if no byte was sent.
    #[schemars(title = "computation per sent byte", extend("x-better" = "lower", "x-unit" = "J/byte", "x-shown" = shown("nJ", 1e9, 2)))]
    pub j_per_sent_byte: Option<f64>,
    /// Events of each function of the transports.
    #[schemars(schema_with = "annotations::work_events", extend("x-each" = "events of work", "x-over-flows" = "mean"))]
    pub work_events: BTreeMap<&'static str, u64>,
    /// Energy of each function of the transports.
    #[schemars(schema_with = "annotations::work_j", extend("x-each" = "computation by function", "x-better" = "lower"))]
    pub work_j: BTreeMap<&'static str, f64>,
}

impl ComputeReport {
    pub(crate) fn new(work: &Work) -> Self {
        let joules =
            |function: Function| work.events[function as usize] as f64 * work.joules_per_event[function as usize];
        let compute_j = Function::ALL.map(joules).iter().sum();
        Self {
            compute_j,
            sent_bytes: work.sent_bytes,
            j_per_sent_byte: (work.sent_bytes > 0).then(|| compute_j / work.sent_bytes as f64),
            work_events: Function::ALL.map(|f| (f.name(), work.events[f as usize])).into(),
            work_j: Function::ALL.map(|f| (f.name(), joules(f))).into(),
        }
    }
}
