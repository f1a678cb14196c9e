//! Contention delay: how long the packet in service has waited for the channel.
//!
//! Spec      Hamadani and Rakocevic §IV a: the time from a packet's reaching the head of the queue until it leaves for
//!           transmission, which each station adds to a field of the data frame. Time in the queue is no part of it
//! Deviates  decided here: the field has 4 bytes and counts microseconds; every data frame of a network whose
//!           transports ask for it has one. The paper leaves open whether the time ends with the first try: `Until`
//! Holds     a packet's delay at a station never includes the exchange that carries it

use hopwright_link::Stamper;
use hopwright_machine::Time;
use hopwright_wire::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Length of the field in the data frame, bytes.
pub const FIELD_BYTES: u32 = 4;

/// When a packet's contention delay at a station, which begins at the head of the queue, ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// With the exchange that hands the packet over: the delay includes failed tries.
    Sent,
    /// With the first try of the packet.
    FirstTry,
}

/// Measures the delay of the packet in service, and adds it to what leaves.
#[derive(Debug)]
pub(super) struct Contention {
    until: Until,
    place: usize,
    /// When the packet came into service, and when its delay ended.
    since: Time,
    begun: Option<Time>,
}

impl Contention {
    pub(super) const fn new(until: Until, place: usize) -> Self {
        Self { until, place, since: Time::ZERO, begun: None }
    }
}

impl Stamper<Packet> for Contention {
    fn is_served(&mut self, now: Time, _packet: &Packet) {
        (self.since, self.begun) = (now, None);
    }

    fn is_tried(&mut self, now: Time) {
        if self.until == Until::Sent || self.begun.is_none() {
            self.begun = Some(now);
        }
    }

    fn leaves(&mut self, _now: Time, copy: &mut Packet) {
        let begun = self.begun.unwrap_or(self.since);
        copy.stamps.add(self.place, begun.since(self.since));
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Address, Duration, PacketId};
    use hopwright_wire::Payload;

    use super::*;

    #[test]
    fn it_ends_with_the_exchange_that_sends_or_with_the_first_try() {
        let at = |us: u64| Time::from_nanos(us * 1000);
        for (until, delay_us) in [(Until::Sent, 780), (Until::FirstTry, 110)] {
            let mut contention = Contention::new(until, 1);
            let mut packet = Packet::new(PacketId(1), Address(1), Address(2), 9, Payload::Nothing);
            // It has had a hop before, with a delay of a millisecond.
            packet.stamps.add(1, Duration::from_millis(1));
            contention.is_served(at(1000), &packet);
            contention.is_tried(at(1110));
            contention.is_tried(at(1780));
            contention.leaves(at(2446), &mut packet);
            assert_eq!((packet.stamps.us(0), packet.stamps.us(1)), (0, 1000 + delay_us), "{until:?}");
            // The next begins anew; one that leaves without a try has not waited.
            let mut next = Packet::new(PacketId(2), Address(1), Address(2), 9, Payload::Nothing);
            contention.is_served(at(9000), &next);
            contention.leaves(at(9500), &mut next);
            assert_eq!(next.stamps.us(1), 0);
        }
    }
}
