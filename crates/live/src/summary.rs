//! What a host did.

use std::collections::BTreeMap;

use hopwright_host::{EventKind, Host, Work};
use hopwright_machine::{Duration, Time};
use hopwright_transport as transport;
use serde::Serialize;

/// What a host did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Connections that ended in order.
    pub connections: u64,
    /// Connections that did not.
    pub failed_connections: u64,
    /// Of those: peers that answered, but took next to nothing for too long.
    pub stalled_connections: u64,
    /// Likewise, and somebody else needed their place or their memory.
    pub displaced_connections: u64,
    /// Peers that were silent for too long.
    pub silent_connections: u64,
    /// Connections broken off because the file changed under way.
    pub changed_connections: u64,
    /// Requests for connections that were dropped because there was no room.
    pub requests_dropped: u64,
    /// Of those, from addresses that had as many connections as one may have.
    pub requests_over_address: u64,
    /// What went wrong, though the rest was done.
    pub error: Option<String>,
    /// Bytes that peers acknowledged, each once.
    pub sent_bytes: u64,
    /// Bytes received in order.
    pub received_bytes: u64,
    /// From the first connection's opening until the last one had nothing more to do.
    pub seconds: f64,
    /// Megabytes sent and received per second.
    pub megabytes_per_s: f64,
    /// Data segments sent, first ones and retransmissions.
    pub segments_sent: u64,
    /// Of those, retransmissions.
    pub retransmissions: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Changes of mechanisms by triggers; `None` without triggers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<u64>,
    /// What connections took to compute; `None` where it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute: Option<Compute>,
}

/// What connections took to compute, retransmissions and all (docs/host.md).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Compute {
    /// What was taken off each interval: what an empty one shows.
    pub empty_ns: u64,
    /// By function: slow start, congestion avoidance and so on.
    pub functions: BTreeMap<&'static str, Function>,
}

/// What one function took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Function {
    /// Events that nothing interrupted: segments that came, timers, calls of the application.
    pub events: u64,
    /// How long they took.
    pub cpu_ns: u64,
    /// Events within which something else had the processor.
    pub interrupted_events: u64,
    /// How long these took.
    pub interrupted_ns: u64,
    /// Payload that left because of them, retransmissions among it.
    pub sent_bytes: u64,
    /// How long connections were at it.
    pub time_s: f64,
}

impl Compute {
    fn of(work: &Work) -> Self {
        let functions = transport::Function::ALL.into_iter().map(|function| {
            let cost = work.of(function);
            let costs = Function {
                events: cost.events,
                cpu_ns: cost.cpu_ns,
                interrupted_events: cost.interrupted_events,
                interrupted_ns: cost.interrupted_ns,
                sent_bytes: cost.sent_bytes,
                time_s: cost.time.as_secs_f64(),
            };
            (function.name(), costs)
        });
        Self { empty_ns: work.empty_ns(), functions: functions.collect() }
    }
}

/// When things happened and how they ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) connections: u64,
    pub(crate) failed: u64,
    pub(crate) stalled: u64,
    pub(crate) displaced: u64,
    pub(crate) silent: u64,
    pub(crate) changed: u64,
    pub(crate) error: Option<String>,
    pub(crate) first: Option<Time>,
    pub(crate) last: Time,
}

impl Tally {
    pub(crate) fn on_open(&mut self, now: Time) {
        self.first.get_or_insert(now);
    }

    /// A connection has come to its end.
    pub(crate) fn on_end(&mut self, now: Time, kind: EventKind) {
        match kind {
            EventKind::Closed => self.connections += 1,
            _ => self.failed += 1,
        }
        self.stalled += u64::from(kind == EventKind::Stalled);
        self.displaced += u64::from(kind == EventKind::Displaced);
        self.silent += u64::from(kind == EventKind::TimedOut);
        self.last = now;
    }

    pub(crate) fn summary(&self, host: &Host, has_triggers: bool) -> Summary {
        let statistics = host.statistics();
        let busy = self.first.map_or(Duration::ZERO, |first| self.last.since(first));
        let (sent_bytes, received_bytes) = (statistics.acked_bytes, statistics.delivered_bytes);
        let seconds = busy.as_secs_f64();
        let bytes = (sent_bytes + received_bytes) as f64;
        Summary {
            connections: self.connections,
            failed_connections: self.failed,
            stalled_connections: self.stalled,
            displaced_connections: self.displaced,
            silent_connections: self.silent,
            changed_connections: self.changed,
            requests_dropped: statistics.requests_dropped,
            requests_over_address: statistics.requests_over_address,
            error: self.error.clone(),
            sent_bytes,
            received_bytes,
            seconds,
            megabytes_per_s: if seconds > 0.0 { bytes / seconds / 1e6 } else { 0.0 },
            segments_sent: statistics.segments_sent,
            retransmissions: statistics.retransmissions,
            timeouts: statistics.timeouts,
            changes: has_triggers.then_some(statistics.changes),
            compute: host.work().map(Compute::of),
        }
    }
}
