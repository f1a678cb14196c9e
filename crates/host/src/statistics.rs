//! What a host counted, of all its connections.

use hopwright_transport::Public;

/// What a host counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Packets that came in.
    pub packets_received: u64,
    /// Of those: not for us, from impossible addresses, or damaged.
    pub packets_ignored: u64,
    /// Resets sent to segments that belong to no connection.
    pub resets_sent: u64,
    /// Resets, echo replies and answers not sent because there were too many.
    pub answers_withheld: u64,
    /// Half-open connections that were not kept, but turned into cookies.
    pub cookies_sent: u64,
    /// Connections opened from a cookie that came back.
    pub cookies_accepted: u64,
    /// Connections in TIME-WAIT given up for new ones.
    pub time_waits_recycled: u64,
    /// Requests for connections dropped because there was no room, or too little to open them safely again.
    pub requests_dropped: u64,
    /// Of those, from addresses that had as many connections as one may have.
    pub requests_over_address: u64,
    /// Connections given up because the peer took next to nothing for too long.
    pub connections_stalled: u64,
    /// Connections given up for others because the peer was taking next to nothing.
    pub connections_displaced: u64,
    /// Data segments that all connections sent, first ones and retransmissions.
    pub segments_sent: u64,
    /// Of those, retransmissions.
    pub retransmissions: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Changes of mechanisms by triggers.
    pub changes: u64,
    /// Bytes of applications that peers acknowledged.
    pub acked_bytes: u64,
    /// Bytes that came in order for applications.
    pub delivered_bytes: u64,
}

/// What of a connection's counters is in the host's.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    segments_sent: u64,
    retransmissions: u64,
    timeouts: u64,
    changes: u64,
    acked_bytes: u64,
    delivered_bytes: u64,
}

impl Statistics {
    /// Counts what a connection did since `before`.
    pub(crate) const fn add(&mut self, before: &mut Counted, connection: &Public) {
        self.segments_sent += connection.segments_sent - before.segments_sent;
        self.retransmissions += connection.retransmissions - before.retransmissions;
        self.timeouts += connection.timeouts - before.timeouts;
        self.changes += connection.changes - before.changes;
        self.acked_bytes += connection.acked_bytes - before.acked_bytes;
        self.delivered_bytes += connection.delivered_bytes - before.delivered_bytes;
        *before = Counted {
            segments_sent: connection.segments_sent,
            retransmissions: connection.retransmissions,
            timeouts: connection.timeouts,
            changes: connection.changes,
            acked_bytes: connection.acked_bytes,
            delivered_bytes: connection.delivered_bytes,
        };
    }
}
