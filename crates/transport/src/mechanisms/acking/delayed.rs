//! Every second segment, or after a delay; at once where the sender may be repairing a loss.
//!
//! Spec      RFC 1122 §4.2.3.2, RFC 5681 §4.2; ns-2 Agent/TCPSink/DelAck
//! Deviates  segments are counted whatever their size (the RFC counts full-sized ones)
//! Holds     never waits longer than `delayed_ack_ms`, plus the wait for a clock tick

use hopwright_machine::Duration;

use super::{Acking, Arrival, When};
use crate::mechanisms::Part;

/// See the file's header.
pub const DELAYED: Part<dyn Acking> =
    Part { id: "delayed", spec: "RFC 5681 §4.2", build: |p| Box::new(Delayed { delay: p.delayed_ack }) };

#[derive(Debug)]
struct Delayed {
    delay: Duration,
}

impl Acking for Delayed {
    fn on_data(&mut self, arrival: &Arrival) -> When {
        if !arrival.is_in_order || arrival.had_gap || arrival.is_duplicate || arrival.unacknowledged >= 2 {
            When::Now
        } else if arrival.deadline.is_never() {
            When::By(arrival.now + self.delay)
        } else {
            When::By(arrival.deadline)
        }
    }
}
