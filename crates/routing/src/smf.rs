//! Flooding of packets to groups: simplified multicast forwarding, in which every node passes each packet on once.
//!
//! Spec      RFC 6621 §4 (what is forwarded, time to live), §6 (duplicates), §8 (classic flooding: every node is a relay);
//!           RFC 5148 §4 (jitter); RFC 5771 §4 (224.0.0.0/24 stays on its link)
//! Deviates  duplicates are told by the identity that every simulated packet has: no two have the same, so none is taken
//!           for another, as may happen to the identifications and hashes of §6.2
//!           10.255.255.255 means every node of the network, not of the link, and is flooded; 255.255.255.255 is not
//! Holds     a node takes and sends each packet at most once in [`KEEP`], and none whose time to live would become zero

use std::collections::{BTreeMap, VecDeque};

use hopwright_machine::{Duration, Machine, NodeId, Purpose, Stream, Time};
use hopwright_wire::Packet;

use crate::parts::Seen;

/// For how long a packet is known. RFC 6621 §6.1 wants longer than packets live in the network; how long is ours: full
/// queues of 50 packets of 1500 bytes at 1 Mb/s hold one up for 0.6 s at each node.
const KEEP: Duration = Duration::from_secs(60);

/// How packets to groups are flooded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Nodes wait for a random time below this before they pass a packet on: those that have heard the same frame would
    /// else all send at once.
    pub jitter: Duration,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A program here sends a packet. It leaves at once: when it is sent is the program's choice.
    Send(Packet),
    /// The link layer received a packet.
    Receive(Packet),
    /// The deadline has come.
    Wake,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A packet that has not come before, for programs here.
    Deliver {
        /// The packet.
        packet: Packet,
        /// There is a second copy from now on, which is passed on.
        goes_on: bool,
    },
    /// A packet that has come before: it ends here.
    Repeated(Packet),
    /// Send the packet to all that hear it.
    Transmit(Packet),
}

/// The flooding of one node.
#[derive(Debug)]
pub struct Smf {
    config: Config,
    stream: Stream,
    seen: Seen,
    ready: VecDeque<Output>,
    waiting: BTreeMap<(Time, u64), Packet>,
    count: u64,
}

impl Smf {
    /// The flooding of `node`; `seed` is the run's.
    #[must_use]
    pub fn new(node: NodeId, seed: u64, config: Config) -> Self {
        let stream = Stream::new(seed, node, Purpose::Multicast);
        let (ready, waiting) = (VecDeque::new(), BTreeMap::new());
        Self { config, stream, seen: Seen::default(), ready, waiting, count: 0 }
    }

    /// Packets inside: waiting for their jitter, or for their turn.
    #[must_use]
    pub fn held(&self) -> usize {
        self.waiting.len() + self.ready.len()
    }

    fn is_new(&mut self, now: Time, packet: &Packet) -> bool {
        // The source, and the number that it gave the packet.
        self.seen.is_new(now, KEEP, packet.source, packet.id.0 as u32)
    }

    fn receive(&mut self, now: Time, packet: Packet) {
        if !self.is_new(now, &packet) {
            self.ready.push_back(Output::Repeated(packet));
            return;
        }
        let goes_on = packet.ttl > 1 && !packet.destination.is_link_local();
        if goes_on {
            let at = now + self.stream.duration_below(self.config.jitter);
            self.waiting.insert((at, self.count), Packet { ttl: packet.ttl - 1, ..packet.clone() });
            self.count += 1;
        }
        self.ready.push_back(Output::Deliver { packet, goes_on });
    }
}

impl Machine for Smf {
    type Input<'a> = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Send(packet) => {
                self.is_new(now, &packet); // what comes back is known
                self.ready.push_back(Output::Transmit(packet));
            }
            Input::Receive(packet) => self.receive(now, packet),
            Input::Wake => {}
        }
        while let Some(entry) = self.waiting.first_entry().filter(|entry| entry.key().0 <= now) {
            self.ready.push_back(Output::Transmit(entry.remove()));
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.ready.pop_front()
    }

    fn deadline(&self) -> Time {
        self.waiting.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Address, PacketId};
    use hopwright_wire::Payload;
    use hopwright_wire::udp::Datagram;

    use super::*;

    const JITTER: Duration = Duration::from_millis(10);

    fn packet(number: u64, destination: u32, ttl: u8) -> Packet {
        let payload = Payload::Udp(Datagram { source_port: 1, destination_port: 2, payload_bytes: 10 });
        Packet::new(PacketId(7 << 40 | number), NodeId(7).address(), Address(destination), ttl, payload)
    }

    fn smf() -> Smf {
        Smf::new(NodeId(3), 1, Config { jitter: JITTER })
    }

    fn all(smf: &mut Smf) -> Vec<Output> {
        std::iter::from_fn(|| smf.poll()).collect()
    }

    #[test]
    fn a_packet_is_taken_once_and_passed_on_once_after_its_jitter() {
        let mut smf = smf();
        let now = Time::from_nanos(1_000_000);
        let came = packet(1, 0xe401_0203, 5);
        smf.handle(now, Input::Receive(came.clone()));
        assert_eq!(all(&mut smf), [Output::Deliver { packet: came.clone(), goes_on: true }]);
        smf.handle(now, Input::Receive(Packet { ttl: 3, ..came.clone() })); // by another way
        assert_eq!(all(&mut smf), [Output::Repeated(Packet { ttl: 3, ..came.clone() })]);
        let at = smf.deadline();
        assert!(at >= now && at < now + JITTER, "{at}");
        smf.handle(at, Input::Wake);
        assert_eq!(all(&mut smf), [Output::Transmit(Packet { ttl: 4, ..came })]);
        assert_eq!((smf.deadline(), smf.held()), (Time::NEVER, 0));
    }

    #[test]
    fn what_is_sent_leaves_at_once_and_is_known_when_it_comes_back() {
        let mut smf = smf();
        let own = packet(1, 0xe401_0203, 5);
        smf.handle(Time::ZERO, Input::Send(own.clone()));
        smf.handle(Time::ZERO, Input::Receive(own.clone()));
        assert_eq!(all(&mut smf), [Output::Transmit(own.clone()), Output::Repeated(own)]);
    }

    #[test]
    fn what_has_lived_or_is_for_the_link_alone_goes_no_further() {
        let mut smf = smf();
        for (number, destination, ttl) in
            [(1, 0xe401_0203, 1), (2, 0xe000_00fb, 255), (3, u32::MAX, 64), (4, 0xe401_0203, 0)]
        {
            let came = packet(number, destination, ttl);
            smf.handle(Time::ZERO, Input::Receive(came.clone()));
            assert_eq!(all(&mut smf), [Output::Deliver { packet: came, goes_on: false }]);
        }
        smf.handle(Time::ZERO, Input::Receive(packet(5, 0x0aff_ffff, 64)));
        assert!(matches!(all(&mut smf)[..], [Output::Deliver { goes_on: true, .. }]), "everyone in the network");
    }

    #[test]
    fn jitter_is_even_and_differs_from_node_to_node() {
        let wait = |node| {
            let mut smf = Smf::new(NodeId(node), 1, Config { jitter: JITTER });
            smf.handle(Time::ZERO, Input::Receive(packet(1, 0xe401_0203, 5)));
            smf.deadline().as_nanos() as f64 / JITTER.as_nanos() as f64
        };
        let waits: Vec<f64> = (0..1000).map(wait).collect();
        let mean = waits.iter().sum::<f64>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.037, "{mean}: more than 4 standard errors");
        assert!(waits.iter().all(|wait| (0.0..1.0).contains(wait)));
    }
}
