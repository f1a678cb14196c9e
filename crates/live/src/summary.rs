//! What a host did.

use hopwright_host::Statistics;
use hopwright_machine::{Duration, Time};
use serde::Serialize;

/// What a host did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Connections that ended in order.
    pub connections: u64,
    /// Connections that did not.
    pub failed_connections: u64,
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
}

/// When things happened and how they ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) connections: u64,
    pub(crate) failed: u64,
    pub(crate) first: Option<Time>,
    pub(crate) last: Time,
}

impl Tally {
    pub(crate) fn on_open(&mut self, now: Time) {
        self.first.get_or_insert(now);
    }

    pub(crate) fn summary(&self, statistics: &Statistics) -> Summary {
        let busy = self.first.map_or(Duration::ZERO, |first| self.last.since(first));
        let (sent_bytes, received_bytes) = (statistics.acked_bytes, statistics.delivered_bytes);
        let seconds = busy.as_secs_f64();
        let bytes = (sent_bytes + received_bytes) as f64;
        Summary {
            connections: self.connections,
            failed_connections: self.failed,
            sent_bytes,
            received_bytes,
            seconds,
            megabytes_per_s: if seconds > 0.0 { bytes / seconds / 1e6 } else { 0.0 },
            segments_sent: statistics.segments_sent,
            retransmissions: statistics.retransmissions,
            timeouts: statistics.timeouts,
        }
    }
}
