//! Contention delay: how long the packet in service has waited for the channel.
//!
//! Spec      Hamadani and Rakocevic §IV a: the time from a packet's reaching the head of the queue until it leaves for
//!           transmission, which each station adds to a field of the data frame. Time in the queue is no part of it
//! Deviates  decided here: the field has 4 bytes and counts microseconds; every data frame of a network whose
//!           transports ask for it has one. The paper leaves open whether the time ends with the first try: `Until`
//! Holds     a packet's delay at a station never includes the exchange that carries it

use hopwright_machine::{Duration, Time};

/// Length of the field in the data frame, bytes.
pub const FIELD_BYTES: u32 = 4;

/// When a packet's contention delay at a station ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// With the exchange in which this copy of it leaves: failed tries are part of it.
    Sent,
    /// With its first try.
    FirstTry,
}

/// Measures the delay of the packet in service, and has it added to what leaves.
#[derive(Debug)]
pub(crate) struct Meter<P> {
    until: Until,
    /// Adds to a packet's field. The station does not know what a packet is.
    add: fn(&mut P, Duration),
    /// When the packet came into service, and when its delay ended.
    since: Time,
    begun: Option<Time>,
}

impl<P> Meter<P> {
    pub(crate) const fn new(until: Until, add: fn(&mut P, Duration)) -> Self {
        Self { until, add, since: Time::ZERO, begun: None }
    }

    /// A packet has come to the head of the queue.
    pub(crate) const fn serves(&mut self, now: Time) {
        (self.since, self.begun) = (now, None);
    }

    /// The station has the channel, and tries to send it.
    pub(crate) fn tries(&mut self, now: Time) {
        if self.until == Until::Sent || self.begun.is_none() {
            self.begun = Some(now);
        }
    }

    /// A copy of it leaves.
    pub(crate) fn sends(&self, packet: &mut P) {
        let begun = self.begun.unwrap_or(self.since);
        (self.add)(packet, begun.since(self.since));
    }
}
