//! Every second segment, or after a delay; at once where the sender may be repairing a loss.
//!
//! Spec      RFC 1122 §4.2.3.2, RFC 5681 §4.2; ns-2 Agent/TCPSink/DelAck
//! Deviates  segments are counted whatever their size (the RFC counts full-sized ones); ns-2's sink, where
//!           switched on, also delays the answer to a repetition of the newest segment
//! Holds     never waits longer than `delayed_ack_ms`, plus the wait for a clock tick

use hopwright_machine::Duration;

use super::{Acking, Arrival, When};
use crate::mechanisms::Part;

/// See the file's header.
pub const DELAYED: Part<dyn Acking> = Part::new("delayed", "RFC 5681 §4.2", |p| {
    Box::new(Delayed { delay: p.delayed_ack, repeats: p.delays_acks_of_repeats })
});

#[derive(Debug)]
struct Delayed {
    delay: Duration,
    /// Whether a repetition of the newest segment is taken for a new one.
    repeats: bool,
}

impl Acking for Delayed {
    fn on_data(&mut self, arrival: &Arrival) -> When {
        let is_usual = arrival.is_in_order || (self.repeats && arrival.is_newest);
        if !is_usual || arrival.had_gap || arrival.unacknowledged >= 2 {
            When::Now
        } else {
            When::By(arrival.now + self.delay)
        }
    }
}
