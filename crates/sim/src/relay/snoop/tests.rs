//! Vectors S1 to S4 of the specification, what ns-2 gets wrong, and what holds whatever is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hopwright_machine::{NodeId, PacketId};
use hopwright_wire::ip::Ecn;
use hopwright_wire::tcp::Options;
use proptest::prelude::*;

use super::*;

const CONFIG: Config = Config { cache_packets: 100, min_timeout: Duration::from_millis(100), most_tries: 10 };
/// Bytes of a segment.
const SEGMENT: u32 = 100;
/// Numbers wrap on the way.
const FIRST: u32 = u32::MAX - 250;

fn segment(flags: Flags, seq: Seq, ack: Seq, payload_bytes: u32) -> Segment {
    let (source_port, destination_port, window, urgent, options, ecn) =
        (1, 2, 1_000, 0, Options::default(), Ecn::NotCapable);
    Segment { source_port, destination_port, seq, ack, flags, window, urgent, options, payload_bytes, ecn }
}

fn packet(id: u64, segment: Segment) -> Packet {
    let (from, to) = (NodeId(0).address(), NodeId(2).address());
    Packet::new(PacketId(id), from, to, 64, Payload::Tcp(Arc::new(segment)))
}

/// Where segment `n` begins, the first being 1.
fn at(n: u32) -> Seq {
    Seq(FIRST) + (n - 1) * SEGMENT
}

fn data(n: u32) -> Packet {
    packet(u64::from(n), segment(Flags::ACK, at(n), Seq(7), SEGMENT))
}

/// All up to segment `n` have come.
fn ack(n: u32) -> Packet {
    packet(1_000 + u64::from(n), segment(Flags::ACK, Seq(7), at(n + 1), 0))
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn send(snoop: &mut Snoop, now: Time, packet: Packet) {
    snoop.handle(now, Input::Data { packet: packet.clone(), has_room: true });
    assert_eq!(outputs(snoop), [Output::Pass(packet)]);
}

fn outputs(snoop: &mut Snoop) -> Vec<Output> {
    std::iter::from_fn(|| snoop.poll()).collect()
}

/// What becomes of an acknowledgement: `p` passes, `s` is suppressed, `r` with a copy of the packet it asks for.
fn answers(snoop: &mut Snoop, now: Time, acks: impl IntoIterator<Item = Packet>) -> String {
    let of = |ack: Packet| {
        snoop.handle(now, Input::Ack(ack.clone()));
        match outputs(snoop).as_slice() {
            [Output::Pass(passed)] if *passed == ack => 'p',
            [Output::Suppress(held)] if *held == ack => 's',
            [Output::Again(_), Output::Suppress(held)] if *held == ack => 'r',
            other => panic!("{other:?}"),
        }
    };
    acks.into_iter().map(of).collect()
}

/// A connection with ten packets under way, of which the first four were acknowledged at 20 ms.
fn ten() -> Snoop {
    let mut snoop = Snoop::new(CONFIG);
    for n in 1..=10 {
        send(&mut snoop, ms(n), data(n as u32));
    }
    assert_eq!(answers(&mut snoop, ms(20), (1..=4).map(ack)), "pppp");
    assert_eq!(snoop.kept.len(), 6);
    snoop
}

#[test]
fn s1_a_lost_packet_is_sent_again_and_its_repetitions_go_no_further() {
    let mut snoop = ten();
    // 5 is lost; 6 to 10 cause five repetitions, and there are no more to be expected.
    assert_eq!(answers(&mut snoop, ms(30), std::iter::repeat_n(ack(4), 5)), "prsss");
    assert_eq!(snoop.expected, 0);
    assert_eq!(snoop.counts, Counts { cached: 10, by_duplicates: 1, by_timer: 0, suppressed: 4 });
    assert_eq!(answers(&mut snoop, ms(40), [ack(10)]), "p");
    assert!(snoop.kept.is_empty() && snoop.deadline().is_never());
}

#[test]
fn s1_the_copy_is_the_packet() {
    let mut snoop = ten();
    answers(&mut snoop, ms(30), [ack(4)]);
    snoop.handle(ms(30), Input::Ack(ack(4)));
    assert_eq!(outputs(&mut snoop), [Output::Again(data(5)), Output::Suppress(ack(4))]);
}

#[test]
fn s2_what_the_sender_sends_again_is_its_own_affair() {
    let mut snoop = ten();
    send(&mut snoop, ms(25), data(5));
    assert_eq!(answers(&mut snoop, ms(30), std::iter::repeat_n(ack(4), 5)), "ppppp");
    assert_eq!(snoop.counts.cached, 10); // it was kept already
    // Likewise where it had been sent again from here before.
    let mut snoop = ten();
    assert_eq!(answers(&mut snoop, ms(30), [ack(4), ack(4), ack(4)]), "prs");
    send(&mut snoop, ms(35), data(5));
    assert_eq!(answers(&mut snoop, ms(40), [ack(4), ack(4)]), "pp");
}

#[test]
fn s3_an_acknowledgement_of_all_frees_all() {
    let mut snoop = ten();
    assert_eq!(answers(&mut snoop, ms(30), [ack(10)]), "p");
    assert!(snoop.kept.is_empty() && snoop.deadline().is_never());
    send(&mut snoop, ms(31), data(3)); // a copy of what has come long since
    assert!(snoop.kept.is_empty());
}

#[test]
fn s4_without_an_acknowledgement_it_is_sent_again() {
    let mut snoop = Snoop::new(CONFIG);
    let mut now = Time::ZERO;
    for n in 1..=20 {
        send(&mut snoop, now, data(n));
        now += Duration::from_millis(10);
        assert_eq!(answers(&mut snoop, now, [ack(n)]), "p");
    }
    // Every round trip took 10 ms, so the shortest wait holds.
    send(&mut snoop, now, data(21));
    for tries in 1..=CONFIG.most_tries {
        let due = now + Duration::from_millis(100);
        assert_eq!(snoop.deadline(), due);
        snoop.handle(Time::from_nanos(due.as_nanos() - 1), Input::Wake);
        assert_eq!(outputs(&mut snoop), []);
        snoop.handle(due, Input::Wake);
        assert_eq!(outputs(&mut snoop), [Output::Again(data(21))], "try {tries}");
        now = due;
    }
    let due = snoop.deadline();
    snoop.handle(due, Input::Wake);
    assert_eq!(outputs(&mut snoop), []);
    assert!(snoop.deadline().is_never());
    send(&mut snoop, due, data(21)); // the sender lives
    let due = snoop.deadline();
    snoop.handle(due, Input::Wake);
    assert_eq!(outputs(&mut snoop), [Output::Again(data(21))]);
    assert_eq!((snoop.counts.by_timer, snoop.counts.by_duplicates), (11, 0));
}

#[test]
fn without_a_round_trip_it_waits_as_long_as_ns2() {
    let mut snoop = Snoop::new(CONFIG);
    assert_eq!(answers(&mut snoop, ms(0), [ack(0)]), "p");
    send(&mut snoop, ms(3), data(1));
    assert_eq!(snoop.deadline(), ms(1_103));
}

/// ns-2 would take the first repetition of the second loss for the second of the first one's.
#[test]
fn a_single_repetition_is_forgotten_with_the_next_acknowledgement() {
    let mut snoop = ten();
    assert_eq!(answers(&mut snoop, ms(30), [ack(4), ack(5), ack(5), ack(5)]), "pppr");
}

#[test]
fn what_was_not_kept_is_left_to_the_sender() {
    let mut snoop = Snoop::new(Config { cache_packets: 2, ..CONFIG });
    snoop.handle(ms(0), Input::Data { packet: data(1), has_room: false }); // it would be dropped
    for n in 2..=4 {
        snoop.handle(ms(1), Input::Data { packet: data(n), has_room: true });
    }
    assert_eq!(outputs(&mut snoop).len(), 4);
    assert_eq!(snoop.counts.cached, 2); // 2 and 3: there is no place for 4
    assert_eq!(answers(&mut snoop, ms(2), std::iter::repeat_n(ack(0), 4)), "pppp");
    send(&mut snoop, ms(3), data(1)); // the sender's, and again there is no place
    assert_eq!(answers(&mut snoop, ms(4), [ack(3), ack(3), ack(3)]), "ppp"); // 4 was not kept
}

#[test]
fn what_comes_late_is_the_senders() {
    let mut snoop = Snoop::new(CONFIG);
    for n in [1, 3, 4, 5, 2] {
        send(&mut snoop, ms(0), data(n));
    }
    assert_eq!(answers(&mut snoop, ms(5), std::iter::repeat_n(ack(1), 4)), "pppp");
    assert_eq!(snoop.kept.iter().map(|kept| kept.seq).collect::<Vec<_>>(), (2..=5).map(at).collect::<Vec<_>>());
}

#[test]
fn repetitions_that_nobody_expects_cause_two_copies() {
    let mut snoop = Snoop::new(CONFIG);
    send(&mut snoop, ms(0), data(1));
    assert_eq!(answers(&mut snoop, ms(1), std::iter::repeat_n(ack(0), 6)), "pprrpp");
}

#[test]
fn news_is_passed_on() {
    let mut snoop = ten();
    let change = |change: fn(&mut Segment)| {
        let mut segment = segment(Flags::ACK, Seq(7), at(5), 0);
        change(&mut segment);
        packet(1, segment)
    };
    let news = [
        change(|segment| segment.window = 2_000),
        change(|segment| segment.window = 3_000),
        change(|segment| segment.payload_bytes = 5),
        change(|segment| segment.flags = segment.flags.with(Flags::ECE)),
        change(|segment| segment.flags = segment.flags.with(Flags::FIN)),
    ];
    assert_eq!(answers(&mut snoop, ms(30), news), "ppppp");
    assert_eq!((snoop.passed, snoop.expected), (0, 0));
    assert_eq!(answers(&mut snoop, ms(31), [ack(3)]), "p"); // an old one
}

#[test]
fn no_round_trip_is_taken_of_what_was_sent_twice() {
    let mut snoop = ten();
    let before = snoop.round_trip;
    assert!(before.is_some());
    answers(&mut snoop, ms(30), [ack(4), ack(4)]);
    answers(&mut snoop, ms(900), [ack(10)]);
    assert_eq!(snoop.round_trip, before);
}

#[test]
fn another_connection_begins_anew() {
    let mut snoop = ten();
    let syn = packet(5, segment(Flags::SYN, Seq(5), Seq(0), 0));
    send(&mut snoop, ms(50), syn);
    assert!(snoop.kept.is_empty() && snoop.acked.is_none() && snoop.deadline().is_never());
    assert_eq!(snoop.counts.cached, 10);
}

/// A sender with a window, three repetitions for a fast retransmission and a timer of a second; a wireless side that takes
/// 10 ms each way and loses what it is told to; a receiver that acknowledges everything.
struct World {
    snoop: Snoop,
    config: Config,
    /// What happens when, in this order.
    agenda: BTreeMap<(Time, u64), Happening>,
    number: u64,
    losses: std::vec::IntoIter<bool>,
    una: u32,
    next: u32,
    repeated: u32,
    timer: u64,
    received: BTreeSet<u32>,
    /// The receiver's acknowledgements that are on their way, by their packets.
    acks: BTreeMap<u64, u32>,
    /// How often each was sent again from the relay since the sender last sent it.
    tries: BTreeMap<u64, u32>,
}

#[derive(Debug)]
enum Happening {
    ReachesReceiver(Packet),
    ReachesRelay(Packet),
    SenderTimer(u64),
    Wake,
}

const SEGMENTS: u32 = 60;
const WINDOW: u32 = 12;

impl World {
    fn after(&mut self, now: Time, ms: u64, happening: Happening) {
        self.number += 1;
        self.agenda.insert((now + Duration::from_millis(ms), self.number), happening);
    }

    fn sender_sends(&mut self, now: Time, n: u32) {
        self.tries.insert(u64::from(n), 0);
        let had = self.snoop.outputs.len();
        assert_eq!(had, 0);
        self.snoop.handle(now, Input::Data { packet: data(n), has_room: true });
        let mut passed = 0;
        self.outputs(now, |output| passed += usize::from(*output == Output::Pass(data(n))));
        assert_eq!(passed, 1, "data are always passed on");
    }

    fn fill(&mut self, now: Time) {
        while self.next < (self.una + WINDOW).min(SEGMENTS + 1) {
            self.next += 1;
            self.sender_sends(now, self.next - 1);
        }
        self.timer += 1;
        self.after(now, 1_000, Happening::SenderTimer(self.timer));
    }

    fn outputs(&mut self, now: Time, mut see: impl FnMut(&Output)) {
        for output in outputs(&mut self.snoop) {
            see(&output);
            match output {
                Output::Pass(packet) if packet.id.0 < 1_000 => self.wireless(now, packet),
                Output::Again(packet) => {
                    let tries = self.tries.get_mut(&packet.id.0).expect("what was never sent is not sent again");
                    *tries += 1;
                    assert!(*tries <= self.config.most_tries);
                    self.wireless(now, packet);
                }
                Output::Pass(packet) => {
                    let number = self.acks.remove(&packet.id.0).expect("an acknowledgement that was sent, and once");
                    self.sender_hears(now, number);
                }
                Output::Suppress(packet) => {
                    let number = self.acks.remove(&packet.id.0).expect("an acknowledgement that was sent, and once");
                    assert!(number + 1 >= self.una && !self.tries.is_empty());
                }
            }
        }
        let due = self.snoop.deadline();
        if !due.is_never() {
            self.number += 1;
            self.agenda.insert((due.max(now), self.number), Happening::Wake);
        }
    }

    fn wireless(&mut self, now: Time, packet: Packet) {
        if !self.losses.next().unwrap_or(false) {
            self.after(now, 10, Happening::ReachesReceiver(packet));
        }
    }

    fn sender_hears(&mut self, now: Time, number: u32) {
        if number >= self.una {
            (self.una, self.repeated) = (number + 1, 0);
            self.fill(now);
        } else if number + 1 == self.una {
            self.repeated += 1;
            if self.repeated == 3 && self.una <= SEGMENTS {
                self.sender_sends(now, self.una);
            }
        }
    }

    fn happens(&mut self, now: Time, happening: Happening) {
        match happening {
            Happening::ReachesReceiver(packet) => {
                self.received.insert(packet.id.0 as u32);
                let all = (1..).find(|n| !self.received.contains(n)).expect("one is missing") - 1;
                let id = 1_000_000 + self.number;
                self.acks.insert(id, all);
                let mut answer = ack(all);
                answer.id = PacketId(id);
                if !self.losses.next().unwrap_or(false) {
                    self.after(now, 10, Happening::ReachesRelay(answer));
                }
            }
            Happening::ReachesRelay(answer) => {
                self.snoop.handle(now, Input::Ack(answer));
                self.outputs(now, |_| ());
            }
            Happening::SenderTimer(timer) if timer == self.timer && self.una <= SEGMENTS => {
                self.repeated = 0;
                self.sender_sends(now, self.una);
                self.timer += 1;
                self.after(now, 1_000, Happening::SenderTimer(self.timer));
            }
            Happening::SenderTimer(_) => {}
            Happening::Wake => {
                self.snoop.handle(now, Input::Wake);
                self.outputs(now, |_| ());
            }
        }
    }
}

proptest! {
    /// Whatever is lost on the wireless side, there or back: nothing is acknowledged that was not, all data arrive, and
    /// the sender gets on, as soon as something arrives again.
    #[test]
    fn whatever_is_lost_the_sender_gets_on(
        losses in proptest::collection::vec(proptest::bool::weighted(0.3), 0..400),
        cache_packets in 1_usize..20,
        most_tries in 1_u32..5,
    ) {
        let config = Config { cache_packets, most_tries, ..CONFIG };
        let lost = losses.iter().filter(|lost| **lost).count() as u64;
        let mut world = World {
            snoop: Snoop::new(config), config, agenda: BTreeMap::new(), number: 0, losses: losses.into_iter(), una: 1,
            next: 1, repeated: 0, timer: 0, received: BTreeSet::new(), acks: BTreeMap::new(), tries: BTreeMap::new(),
        };
        world.fill(Time::ZERO);
        let mut end = Time::ZERO;
        while world.una <= SEGMENTS {
            let Some(((now, _), happening)) = world.agenda.pop_first() else { panic!("nothing more happens") };
            prop_assert!(now >= end);
            end = now;
            world.happens(now, happening);
        }
        prop_assert!((1..=SEGMENTS).all(|n| world.received.contains(&n)));
        // Each loss costs the sender's timer at most, and each window a round trip.
        prop_assert!(end <= ms(1_100 * (lost + 1) + 30 * u64::from(SEGMENTS)), "{end} for {lost} losses");
    }
}
