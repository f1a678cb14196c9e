//! The largest delay on a packet's way: how long packets take through the slowest of its stations.
//!
//! Spec      Sundaresan, Anantharaman, Hsieh and Sivakumar 2003 (ATP) §4.1: each node keeps two exponential averages over
//!           the packets of all flows that it sends, of the time in the queue and of the time at its head until the packet
//!           is sent or given up; a packet carries the largest sum of both. Quick start: a node that is idle writes a
//!           multiple of it on probes, because the flow will contend with itself on the hops before and behind
//! Deviates  decided here: messages of routing and address resolution do not count, are not heard, and carry nothing. The
//!           first packet begins both averages, and carries the time at the head that its own exchange will have taken if
//!           all goes well. After some time without packets the queue's average is zero and the head's is that of the last
//!           packet. Idle is who has sent and heard no data for some time up to now, or up to what is going on now if that
//!           has begun as lately: else nobody would be whom the probe has come to by air. None of the constants is known
//!           (`Config`)
//! Holds     a packet's own time in the queue is part of what it carries; its own time at the head is not where there is an
//!           average, since it has not ended

use std::collections::BTreeMap;
use std::sync::Arc;

use hopwright_link::{self as link, Stamper};
use hopwright_machine::{Duration, PacketId, Time};
use hopwright_wire::{Packet, Payload, atp};

/// How averages are made, and what idle nodes write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The share of the former average in the new one, 0 to 1.
    pub weight: f64,
    /// What an idle node writes on a probe, as a multiple of what it takes.
    pub probe_factor: f64,
    /// Who has sent and heard no data for so long is idle.
    pub idle: Duration,
    /// After so long without a packet averages are forgotten.
    pub stale: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self { weight: 0.75, probe_factor: 3.0, idle: Duration::from_millis(100), stale: Duration::from_secs(1) }
    }
}

/// Keeps the averages of one node.
#[derive(Debug)]
pub(super) struct Delay {
    config: Config,
    mac: Arc<link::Config>,
    place: usize,
    /// When each packet that waits has come.
    came: BTreeMap<PacketId, Time>,
    /// Since when the packet in service is there, if it counts.
    since: Option<Time>,
    /// Averages, seconds; `None` before the first packet.
    queueing_s: Option<f64>,
    transmission_s: Option<f64>,
    /// When the last packet was done with, and how long it was at the head, seconds.
    done: Time,
    last_s: f64,
    silence: Silence,
}

/// Whether data have been sent or heard of late.
#[derive(Clone, Copy, Debug, Default)]
struct Silence {
    /// When they last were.
    broken: Option<Time>,
    /// When the last silence ended that was long enough.
    ended: Time,
}

impl Silence {
    fn is_broken(&mut self, now: Time, idle: Duration) {
        if self.is_long(now, idle) {
            self.ended = now;
        }
        self.broken = self.broken.max(Some(now));
    }

    fn is_long(&self, now: Time, idle: Duration) -> bool {
        self.broken.is_none_or(|broken| now.since(broken) >= idle)
    }

    fn is_idle(&self, now: Time, idle: Duration) -> bool {
        self.is_long(now, idle) || now.since(self.ended) < idle
    }
}

impl Delay {
    pub(super) fn new(config: Config, place: usize, mac: Arc<link::Config>) -> Self {
        Self {
            config,
            mac,
            place,
            came: BTreeMap::new(),
            since: None,
            queueing_s: None,
            transmission_s: None,
            done: Time::ZERO,
            last_s: 0.0,
            silence: Silence::default(),
        }
    }

    /// How long the exchange lasts from when the data frame leaves, if all goes well.
    fn rest(&self, packet: &Packet) -> Duration {
        let mac = &self.mac;
        mac.air_time(packet.bytes() + mac.header_bytes, mac.data_rate_bps) + mac.sifs + mac.ack_time()
    }

    fn average(&self, former: Option<f64>, sample_s: f64) -> Option<f64> {
        let weight = self.config.weight;
        Some(former.map_or(sample_s, |former| weight * former + (1.0 - weight) * sample_s))
    }
}

fn is_probe(packet: &Packet) -> bool {
    let Payload::Atp(segment) = &packet.payload else { return false };
    segment.data().is_some_and(|data| data.kind == atp::Kind::Probe)
}

impl Stamper<Packet> for Delay {
    fn waits(&mut self, now: Time, packet: &Packet) {
        if !packet.payload.is_message() {
            self.came.insert(packet.id, now);
        }
    }

    fn is_served(&mut self, now: Time, packet: &Packet) {
        self.since = (!packet.payload.is_message()).then_some(now);
        if self.since.is_none() {
            return;
        }
        let came = self.came.remove(&packet.id).unwrap_or(now);
        if self.transmission_s.is_some() && came.since(self.done) >= self.config.stale {
            (self.queueing_s, self.transmission_s) = (Some(0.0), Some(self.last_s));
        }
        self.queueing_s = self.average(self.queueing_s, now.since(came).as_secs_f64());
    }

    fn leaves(&mut self, now: Time, copy: &mut Packet) {
        let Some(since) = self.since else { return };
        let head_s = self.transmission_s.unwrap_or_else(|| (now.since(since) + self.rest(copy)).as_secs_f64());
        let mut sum_s = self.queueing_s.unwrap_or_default() + head_s;
        if is_probe(copy) && self.silence.is_idle(now, self.config.idle) {
            sum_s *= self.config.probe_factor;
        }
        copy.stamps.raise(self.place, Duration::from_secs_f64(sum_s));
    }

    fn is_done(&mut self, now: Time) {
        let Some(since) = self.since.take() else { return };
        (self.done, self.last_s) = (now, now.since(since).as_secs_f64());
        self.transmission_s = self.average(self.transmission_s, self.last_s);
        self.silence.is_broken(now, self.config.idle);
    }

    fn is_gone(&mut self, packet: &Packet) {
        self.came.remove(&packet.id);
    }

    fn hears(&mut self, at: Time) {
        self.silence.is_broken(at, self.config.idle);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Address;
    use hopwright_wire::udp::Datagram;

    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// The least that a packet of these tests takes once its data frame leaves.
    const EXCHANGE_US: u32 = 192 + (20 + 8 + 3 + 36) * 4 + 10 + 304;

    fn delay() -> Delay {
        Delay::new(Config::default(), 0, Arc::default())
    }

    fn packet(n: u64) -> Packet {
        let datagram = Datagram { source_port: 1, destination_port: 2, payload_bytes: 3 };
        Packet::new(PacketId(n), Address(1), Address(2), 9, Payload::Udp(datagram))
    }

    fn probe(n: u64) -> Packet {
        let data = atp::Data {
            packet: 0,
            number: 0,
            kind: atp::Kind::Probe,
            delay: atp::Delay::NONE,
            rate_dpps: 0,
            payload_bytes: 0,
        };
        let segment = atp::Segment { source_port: 1, destination_port: 2, body: atp::Body::Data(data) };
        Packet::new(PacketId(n), Address(1), Address(2), 9, Payload::Atp(segment.into()))
    }

    /// What a packet carries that waits and is then sent for so long, in milliseconds.
    fn pass(delay: &mut Delay, begin: u64, queued: u64, sent: u64, mut packet: Packet) -> u32 {
        delay.waits(at(begin), &packet);
        delay.is_served(at(begin + queued), &packet);
        delay.leaves(at(begin + queued), &mut packet);
        delay.is_done(at(begin + queued + sent));
        packet.stamps.us(0)
    }

    #[test]
    fn a3_averages_are_those_of_atp() {
        let mut delay = delay();
        // Its own time at the head is the first: preamble, 67 bytes at 2 Mb/s, SIFS and an ACK.
        assert_eq!(pass(&mut delay, 0, 20, 8, packet(1)), 20_000 + EXCHANGE_US);
        // 0.75 of 20 ms and a quarter of 40 ms are 25 ms; 8 ms at the head.
        assert_eq!(pass(&mut delay, 100, 40, 16, packet(2)), 33_000);
        // 0.75 of 25 ms, and 10 ms at the head.
        assert_eq!(pass(&mut delay, 200, 0, 1, packet(3)), 28_750);
    }

    #[test]
    fn a1_the_largest_of_the_way_stays() {
        let mut carried = packet(1);
        for (ms, most) in [(20, 20_000), (30, 30_000), (25, 30_000)] {
            let mut delay = delay();
            pass(&mut delay, 0, 0, ms, packet(2));
            delay.is_served(at(100), &carried);
            delay.leaves(at(101), &mut carried);
            assert_eq!(carried.stamps.us(0), most);
        }
        assert_eq!(atp::Delay::of(Duration::from_micros(30_000)).duration(), Duration::from_millis(30));
    }

    #[test]
    fn a6_an_idle_node_writes_thrice_its_delay_on_probes_alone() {
        let mut delay = delay();
        pass(&mut delay, 0, 0, 5, packet(1));
        assert_eq!(pass(&mut delay, 500, 0, 5, probe(2)), 15_000, "66.7 packets per second");
        // A probe that has just been sent, or heard, makes nobody busy for others.
        delay.hears(at(510));
        assert_eq!(pass(&mut delay, 520, 0, 5, probe(3)), 15_000);
        assert_eq!(pass(&mut delay, 530, 0, 5, packet(4)), 5000, "no probe");
        // By now the silence is over for longer than it has to be long.
        assert_eq!(pass(&mut delay, 610, 0, 5, probe(5)), 5000);
        for ms in (700..2000).step_by(90) {
            delay.hears(at(ms));
        }
        assert_eq!(pass(&mut delay, 1990, 0, 5, probe(6)), 5000, "it hears others");
        assert_eq!(pass(&mut delay, 2095, 0, 5, probe(7)), 15_000);
    }

    #[test]
    fn averages_are_forgotten_after_a_while_without_packets() {
        let mut delay = delay();
        pass(&mut delay, 0, 40, 10, packet(1));
        pass(&mut delay, 60, 40, 2, packet(2));
        assert_eq!(pass(&mut delay, 1101, 0, 2, packet(3)), 30_000 + 8000, "999 ms later");
        assert_eq!(pass(&mut delay, 2103, 0, 2, packet(4)), 2000, "a second later, as the last");
    }

    #[test]
    fn messages_do_not_count_and_what_is_dropped_is_forgotten() {
        let mut delay = delay();
        let message = Packet::new(PacketId(7), Address(1), Address(2), 9, Payload::Nothing);
        assert_eq!(pass(&mut delay, 0, 50, 50, message), 0);
        assert!(delay.silence.broken.is_none());
        assert_eq!(pass(&mut delay, 100, 0, 1, packet(1)), EXCHANGE_US, "no message was averaged");
        delay.waits(at(200), &packet(2));
        delay.is_gone(&packet(2));
        assert!(delay.came.is_empty());
    }
}
