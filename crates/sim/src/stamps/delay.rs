//! The largest delay on a packet's way: how long packets take through the slowest of its stations.
//!
//! Spec      Sundaresan, Anantharaman, Hsieh and Sivakumar 2003 (ATP) §4.1: each node keeps two exponential averages over
//!           the packets of all flows that it sends, of the time in the queue and of the time at its head until the packet
//!           is sent or given up; a packet carries the largest sum of both
//! Deviates  decided here: messages of routing and address resolution do not count and carry nothing. The first packet
//!           begins both averages. The paper's weight is not known (`Config`)
//! Holds     a packet's own time in the queue is part of what it carries; its own time at the head is not, since it has
//!           not ended

use std::collections::BTreeMap;

use hopwright_link::Stamper;
use hopwright_machine::{Duration, PacketId, Time};
use hopwright_wire::Packet;

/// How averages are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The share of the former average in the new one, 0 to 1.
    pub weight: f64,
}

/// Keeps the averages of one node.
#[derive(Debug)]
pub(super) struct Delay {
    weight: f64,
    place: usize,
    /// When each packet that waits has come.
    came: BTreeMap<PacketId, Time>,
    /// Since when the packet in service is there, if it counts.
    since: Option<Time>,
    /// Averages, seconds; `None` before the first packet.
    queueing_s: Option<f64>,
    transmission_s: Option<f64>,
}

impl Delay {
    pub(super) const fn new(config: Config, place: usize) -> Self {
        let (queueing_s, transmission_s) = (None, None);
        Self { weight: config.weight, place, came: BTreeMap::new(), since: None, queueing_s, transmission_s }
    }

    fn average(weight: f64, former: Option<f64>, sample: Duration) -> Option<f64> {
        let sample = sample.as_secs_f64();
        Some(former.map_or(sample, |former| weight * former + (1.0 - weight) * sample))
    }
}

impl Stamper<Packet> for Delay {
    fn waits(&mut self, now: Time, packet: &Packet) {
        if !packet.payload.is_message() {
            self.came.insert(packet.id, now);
        }
    }

    fn is_served(&mut self, now: Time, packet: &Packet) {
        self.since = (!packet.payload.is_message()).then_some(now);
        if self.since.is_some() {
            let came = self.came.remove(&packet.id).unwrap_or(now);
            self.queueing_s = Self::average(self.weight, self.queueing_s, now.since(came));
        }
    }

    fn leaves(&mut self, _now: Time, copy: &mut Packet) {
        if self.since.is_some() {
            let sum_s = self.queueing_s.unwrap_or_default() + self.transmission_s.unwrap_or_default();
            copy.stamps.raise(self.place, Duration::from_secs_f64(sum_s));
        }
    }

    fn is_done(&mut self, now: Time) {
        if let Some(since) = self.since.take() {
            self.transmission_s = Self::average(self.weight, self.transmission_s, now.since(since));
        }
    }

    fn is_gone(&mut self, packet: &Packet) {
        self.came.remove(&packet.id);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Address;
    use hopwright_wire::Payload;
    use hopwright_wire::udp::Datagram;

    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn packet(n: u64) -> Packet {
        let datagram = Datagram { source_port: 1, destination_port: 2, payload_bytes: 3 };
        Packet::new(PacketId(n), Address(1), Address(2), 9, Payload::Udp(datagram))
    }

    /// What a packet carries that waits and is then sent for so long, in milliseconds.
    fn pass(delay: &mut Delay, begin: u64, queued: u64, sent: u64, mut packet: Packet) -> u32 {
        delay.waits(at(begin), &packet);
        delay.is_served(at(begin + queued), &packet);
        delay.leaves(at(begin + queued + 1), &mut packet);
        delay.is_done(at(begin + queued + sent));
        packet.stamps.us(0)
    }

    #[test]
    fn averages_are_those_of_atp() {
        let mut delay = Delay::new(Config { weight: 0.75 }, 0);
        assert_eq!(pass(&mut delay, 0, 20, 8, packet(1)), 20_000, "nothing is known of the time at the head");
        // 0.75 of 20 ms and a quarter of 40 ms are 25 ms; 8 ms at the head.
        assert_eq!(pass(&mut delay, 100, 40, 16, packet(2)), 33_000);
        // 0.75 of 25 ms, and 10 ms at the head.
        assert_eq!(pass(&mut delay, 200, 0, 1, packet(3)), 28_750);
    }

    #[test]
    fn the_largest_of_the_way_stays() {
        let mut carried = packet(1);
        for (queued, most) in [(20, 20_000), (30, 30_000), (25, 30_000)] {
            let mut delay = Delay::new(Config { weight: 0.75 }, 0);
            delay.waits(at(0), &carried);
            delay.is_served(at(queued), &carried);
            delay.leaves(at(queued), &mut carried);
            assert_eq!(carried.stamps.us(0), most);
        }
    }

    #[test]
    fn messages_do_not_count_and_what_is_dropped_is_forgotten() {
        let mut delay = Delay::new(Config { weight: 0.75 }, 0);
        let message = Packet::new(PacketId(7), Address(1), Address(2), 9, Payload::Nothing);
        assert_eq!(pass(&mut delay, 0, 50, 50, message), 0);
        assert_eq!(pass(&mut delay, 100, 0, 1, packet(1)), 0, "no message was averaged");
        delay.waits(at(200), &packet(2));
        delay.is_gone(&packet(2));
        assert!(delay.came.is_empty());
    }
}
