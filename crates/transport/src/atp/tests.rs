//! Both ends against each other: the vectors, and networks that lose, repeat and reorder.

use std::collections::BTreeMap;

use hopwright_machine::{Duration, Machine, NodeId, Purpose, Stream, Time};
use hopwright_wire::atp::{Body, Data, Delay, Feedback, Kind, Segment};
use proptest::prelude::*;

use super::*;

fn at(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn ms(ms: u64) -> Delay {
    Delay::of(Duration::from_millis(ms))
}

fn sent(sender: &mut Sender) -> Vec<Data> {
    let output = |output| match output {
        SenderOutput::Segment(segment) => segment.data().copied(),
        SenderOutput::Done => None,
    };
    std::iter::from_fn(|| sender.poll()).filter_map(output).collect()
}

/// Wakes the sender whenever it wants to be up to `until`: what leaves, and when. What has left before counts as well.
fn run(sender: &mut Sender, until: Time) -> Vec<(Time, Data)> {
    let mut all = Vec::new();
    loop {
        let now = sender.deadline();
        if now > until {
            return all;
        }
        sender.handle(now, SenderInput::Wake);
        all.extend(sent(sender).into_iter().map(|data| (now, data)));
    }
}

fn told(receiver: &mut Receiver) -> Vec<Feedback> {
    let feedback = |output| match output {
        ReceiverOutput::Segment(Segment { body: Body::Feedback(feedback), .. }) => Some(feedback),
        _ => None,
    };
    std::iter::from_fn(|| receiver.poll()).filter_map(feedback).collect()
}

fn feedback(cumulative: u64, rate_pps: f64, blocks: &[(u32, u32)]) -> Feedback {
    Feedback {
        is_answer: false,
        cumulative: cumulative as u32,
        rate_mpps: (rate_pps * 1000.0) as u32,
        window: 8192,
        blocks: blocks.into(),
    }
}

fn hand(sender: &mut Sender, now: Time, feedback: Feedback) {
    let segment = Segment { source_port: 2, destination_port: 1, body: Body::Feedback(feedback) };
    sender.handle(now, SenderInput::Segment(&segment));
}

fn give(receiver: &mut Receiver, now: Time, data: Data, stamped: Delay) {
    let segment = Segment { source_port: 1, destination_port: 2, body: Body::Data(data) };
    receiver.handle(now, ReceiverInput::Segment { segment: &segment, stamped });
}

fn part(number: u32, kind: Kind) -> Data {
    let payload_bytes = if kind == Kind::Probe { 0 } else { 100 };
    Data { packet: number, number, kind, delay: Delay::NONE, rate_dpps: 0, payload_bytes }
}

/// An endless sender whose probe was answered after 10 ms.
fn open(rate_pps: f64) -> Sender {
    let mut sender = Sender::new(&Params::default(), 1, 2);
    sender.handle(at(0), SenderInput::Open);
    sender.handle(at(0), SenderInput::Write(u64::MAX / 2));
    assert_eq!(sent(&mut sender).iter().map(|data| data.kind).collect::<Vec<_>>(), [Kind::Probe]);
    hand(&mut sender, at(10), Feedback { is_answer: true, ..feedback(0, rate_pps, &[]) });
    assert_eq!((sender.state(), sender.public().rate_pps), (State::Open, rate_pps));
    sender
}

#[test]
fn a1_the_rate_is_the_inverse_of_the_largest_delay_of_the_way() {
    let mut receiver = Receiver::new(&Params::default(), 2, 1);
    // Three hops that take 20, 30 and 25 ms have written 30 ms: the stations' business.
    give(&mut receiver, at(5), part(0, Kind::Part), ms(30));
    assert_eq!((told(&mut receiver).len(), receiver.deadline()), (0, at(1005)));
    receiver.handle(at(1005), ReceiverInput::Wake);
    let told = told(&mut receiver);
    assert_eq!(told, [Feedback { cumulative: 1, ..feedback(1, 33.333, &[]) }]);
}

#[test]
fn the_receiver_averages_and_is_silent_when_nothing_comes() {
    let mut receiver = Receiver::new(&Params::default(), 2, 1);
    give(&mut receiver, at(0), part(0, Kind::Part), ms(20));
    give(&mut receiver, at(9), part(3, Kind::Part), ms(40));
    give(&mut receiver, at(9), part(3, Kind::Part), Delay::NONE); // once more, and nobody has written
    receiver.handle(at(1000), ReceiverInput::Wake);
    // 0.85 of 20 ms and 0.15 of 40 ms are 23 ms.
    assert_eq!(told(&mut receiver), [feedback(1, 43.478_3, &[(3, 4)])]);
    assert_eq!(receiver.deadline(), at(2000));
    receiver.handle(at(2000), ReceiverInput::Wake);
    assert_eq!((told(&mut receiver).len(), receiver.deadline()), (0, Time::NEVER));
    give(&mut receiver, at(7500), part(1, Kind::Part), ms(23));
    assert_eq!(receiver.deadline(), at(8500));
}

#[test]
fn feedback_may_come_before_the_epoch_is_over_if_the_average_changes() {
    let params = Params { early_change: 0.2, receiver_weight: 0.0, ..Params::default() };
    let mut receiver = Receiver::new(&params, 2, 1);
    let mut after = |now, number, delay| {
        give(&mut receiver, at(now), part(number, Kind::Part), ms(delay));
        told(&mut receiver).len()
    };
    assert_eq!(after(0, 0, 100), 0, "nothing was told that could have changed");
    give(&mut receiver, at(1), part(1, Kind::Probe), ms(100));
    assert_eq!(told(&mut receiver).len(), 1);
    let mut after = |now, number, delay| {
        give(&mut receiver, at(now), part(number, Kind::Part), ms(delay));
        told(&mut receiver).len()
    };
    assert_eq!([after(2, 1, 119), after(3, 2, 81), after(4, 3, 121), after(5, 4, 101)], [0, 0, 1, 0]);
    assert_eq!(receiver.deadline(), at(1004));
}

#[test]
fn a_probe_is_answered_at_once_with_its_own_delay() {
    let mut receiver = Receiver::new(&Params::default(), 2, 1);
    give(&mut receiver, at(0), part(0, Kind::Part), ms(500));
    give(&mut receiver, at(3), part(1, Kind::Probe), ms(15));
    assert_eq!(told(&mut receiver), [Feedback { is_answer: true, ..feedback(1, 66.667, &[]) }]);
    give(&mut receiver, at(4), part(1, Kind::Probe), Delay::NONE);
    assert_eq!(told(&mut receiver), [Feedback { is_answer: true, ..feedback(1, 0.0, &[]) }]);
}

#[test]
fn a4_two_epochs_without_feedback_halve_the_rate_and_three_begin_again() {
    let mut sender = open(20.0);
    run(&mut sender, at(1019));
    assert_eq!(sender.public().rate_pps, 20.0, "one epoch without");
    run(&mut sender, at(2019));
    assert_eq!(sender.public().rate_pps, 20.0, "the second is not over for as long as a round trip takes");
    let last = run(&mut sender, at(3019));
    assert_eq!((sender.public().rate_pps, sender.state()), (10.0, State::Open));
    let gap_ms = last[last.len() - 1].0.since(last[last.len() - 2].0).as_nanos() / 1_000_000;
    assert_eq!(gap_ms, 100);
    let after = run(&mut sender, at(7000));
    assert_eq!(sender.state(), State::Probing);
    let kinds: Vec<_> = after.iter().map(|(now, data)| (*now, data.kind)).collect();
    assert_eq!(kinds, [3020, 4020, 5020, 6020].map(|now| (at(now), Kind::Probe)));
    // Everything that left is old by now: all of it leaves again, the oldest first.
    let sent = sender.public().segments_sent;
    hand(&mut sender, at(7000), Feedback { is_answer: true, ..feedback(0, 50.0, &[]) });
    assert_eq!(run(&mut sender, at(7100)).first().map(|(_, data)| data.number), Some(0));
    assert_eq!(sender.public().retransmissions, sender.public().segments_sent - sent);
}

#[test]
fn feedback_ends_the_wait() {
    let mut sender = open(20.0);
    for epoch in 1..20 {
        let sent = run(&mut sender, at(1900 * epoch)).len();
        assert!(sent > 0);
        let next = sender.public().segments_sent - sender.public().retransmissions;
        hand(&mut sender, at(1900 * epoch), feedback(next, 20.0, &[]));
    }
    assert_eq!((sender.state(), sender.public().rate_pps, sender.public().probes), (State::Open, 20.0, 1));
}

#[test]
fn a5_after_a_route_failure_no_data_leave_and_probes_go_on_until_one_is_answered() {
    let mut sender = open(20.0);
    run(&mut sender, at(500));
    sender.handle(at(510), SenderInput::RouteFailed);
    assert_eq!(sent(&mut sender).iter().map(|data| data.kind).collect::<Vec<_>>(), [Kind::Probe]);
    let probes = run(&mut sender, at(3600));
    let kinds: Vec<_> = probes.iter().map(|(now, data)| (*now, data.kind)).collect();
    assert_eq!(kinds, [1510, 2510, 3510].map(|now| (at(now), Kind::Probe)));
    // Feedback from before the failure, an answer that no station has written on, another failure: none of it opens.
    hand(&mut sender, at(3610), feedback(2, 40.0, &[]));
    hand(&mut sender, at(3620), Feedback { is_answer: true, ..feedback(2, 0.0, &[]) });
    sender.handle(at(3630), SenderInput::RouteFailed);
    assert_eq!((sender.state(), sent(&mut sender).len(), sender.deadline()), (State::Probing, 0, at(4510)));
    // A probe leaves as soon as there is a route again.
    sender.handle(at(3700), SenderInput::RouteRestored);
    assert_eq!(sent(&mut sender).len(), 1);
    hand(&mut sender, at(3720), Feedback { is_answer: true, ..feedback(2, 40.0, &[]) });
    assert_eq!((sender.state(), sender.public().rate_pps), (State::Open, 40.0));
    assert_eq!(run(&mut sender, at(3790)).len(), 3, "every 25 ms");
}

#[test]
fn a6_the_answer_to_a_probe_is_the_rate() {
    // An idle station whose packets take 5 ms writes three times that, which is the stations' business.
    let mut receiver = Receiver::new(&Params::default(), 2, 1);
    give(&mut receiver, at(0), part(0, Kind::Probe), ms(15));
    let mut sender = Sender::new(&Params::default(), 1, 2);
    sender.handle(at(0), SenderInput::Open);
    hand(&mut sender, at(9), told(&mut receiver).remove(0));
    assert_eq!((sender.state(), sender.public().rate_pps), (State::Open, 66.667));
}

#[test]
fn missing_data_leave_before_new_ones_once_in_an_epoch_and_a_round_trip() {
    let mut sender = open(10.0);
    let new: Vec<_> = run(&mut sender, at(1000)).iter().map(|(_, data)| data.number).collect();
    assert_eq!(new, (0..=9).collect::<Vec<_>>());
    // 2 and 4 are missing, but younger than an epoch.
    hand(&mut sender, at(1005), feedback(2, 10.0, &[(3, 4), (5, 9)]));
    assert_eq!(run(&mut sender, at(2000)).iter().map(|(_, data)| data.number).min(), Some(10));
    hand(&mut sender, at(2005), feedback(2, 10.0, &[(3, 4), (5, 19)]));
    let numbers: Vec<_> = run(&mut sender, at(2320)).iter().map(|(_, data)| data.number).collect();
    assert_eq!(numbers[..3], [2, 4, 20]);
    // They may be on their way.
    hand(&mut sender, at(3000), feedback(2, 10.0, &[(3, 4), (5, 27)]));
    assert!(run(&mut sender, at(3500)).iter().all(|(_, data)| data.number > 20));
    let packets = sender.public().segments_sent + sender.public().probes;
    hand(&mut sender, at(4000), feedback(4, 10.0, &[(5, 31)]));
    let again = run(&mut sender, at(4100));
    assert_eq!((again[0].1.number, u64::from(again[0].1.packet)), (4, packets), "a packet number of its own");
}

#[test]
fn no_more_is_under_way_than_the_receiver_has_room_for() {
    let mut sender = open(1000.0);
    hand(&mut sender, at(20), Feedback { window: 3, ..feedback(0, 1000.0, &[]) });
    let mut small = Sender::new(&Params::default(), 1, 2);
    small.handle(at(0), SenderInput::Open);
    small.handle(at(0), SenderInput::Write(u64::MAX / 2));
    hand(&mut small, at(10), Feedback { is_answer: true, window: 3, ..feedback(0, 1000.0, &[]) });
    run(&mut small, at(500));
    assert_eq!(small.public().segments_sent, 3);
    hand(&mut small, at(1000), Feedback { window: 3, ..feedback(2, 1000.0, &[]) });
    run(&mut small, at(1500));
    assert_eq!(small.public().segments_sent, 5);
    // A window does not shrink.
    run(&mut sender, at(500));
    assert!(sender.public().segments_sent > 400);
}

#[test]
fn a_sender_that_was_idle_for_long_asks_first_and_one_without_anything_to_send_does_not_ask() {
    let mut sender = Sender::new(&Params::default(), 1, 2);
    sender.handle(at(0), SenderInput::Open);
    sender.handle(at(0), SenderInput::Write(100));
    hand(&mut sender, at(10), Feedback { is_answer: true, ..feedback(0, 100.0, &[]) });
    hand(&mut sender, at(1000), feedback(1, 100.0, &[]));
    sent(&mut sender);
    assert_eq!((sender.public().acked_bytes, sender.deadline()), (100, Time::NEVER));
    sender.handle(at(2000), SenderInput::RouteFailed);
    assert_eq!((sent(&mut sender).len(), sender.deadline()), (0, Time::NEVER));
    sender.handle(at(2500), SenderInput::Write(100));
    assert_eq!(sent(&mut sender)[0].kind, Kind::Probe);
    hand(&mut sender, at(2600), Feedback { is_answer: true, ..feedback(1, 100.0, &[]) });
    hand(&mut sender, at(2700), feedback(2, 100.0, &[]));
    sent(&mut sender);
    sender.handle(at(5600), SenderInput::Write(100));
    assert_eq!(sent(&mut sender)[0].kind, Kind::Part);
    hand(&mut sender, at(5700), feedback(3, 100.0, &[]));
    sender.handle(at(8701), SenderInput::Write(100));
    assert_eq!(sent(&mut sender)[0].kind, Kind::Probe);
}

#[test]
fn a_stream_ends_with_its_last_bytes_or_behind_them() {
    for closes_late in [false, true] {
        let mut sender = Sender::new(&Params { segment_bytes: 100, ..Params::default() }, 1, 2);
        sender.handle(at(0), SenderInput::Open);
        sender.handle(at(0), SenderInput::Write(250));
        if !closes_late {
            sender.handle(at(0), SenderInput::Close);
        }
        hand(&mut sender, at(0), Feedback { is_answer: true, ..feedback(0, 100.0, &[]) });
        run(&mut sender, at(900));
        sender.handle(at(900), SenderInput::Close);
        sender.handle(at(901), SenderInput::Write(77)); // too late
        run(&mut sender, at(950));
        let last = if closes_late { 4 } else { 3 };
        assert_eq!(sender.public().segments_sent, last);
        hand(&mut sender, at(1000), feedback(last, 100.0, &[]));
        assert_eq!((sender.state(), sender.deadline()), (State::Done, Time::NEVER));
        assert_eq!(std::iter::from_fn(|| sender.poll()).last(), Some(SenderOutput::Done));
    }
}

/// A network between both ends.
#[derive(Clone, Copy, Debug)]
struct Network {
    seed: u64,
    /// Per cent.
    loss: u32,
    duplication: u32,
    reordering: u32,
    /// A time in which nothing passes, and whether the sender is told of it.
    dark_ms: (u64, u64),
    is_told: bool,
}

fn networks() -> impl Strategy<Value = Network> {
    (any::<u64>(), 0..30u32, 0..10u32, 0..20u32, (0..20_000u64, 0..20_000u64), any::<bool>()).prop_map(
        |(seed, loss, duplication, reordering, dark_ms, is_told)| Network {
            seed,
            loss,
            duplication,
            reordering,
            dark_ms,
            is_told,
        },
    )
}

/// What is on its way, by when it arrives.
type InAir = BTreeMap<(Time, u64), Segment>;

impl Network {
    fn is_dark(&self, now: Time) -> bool {
        (at(self.dark_ms.0)..at(self.dark_ms.0 + self.dark_ms.1)).contains(&now)
    }

    fn carry(&self, now: Time, segment: &Segment, luck: &mut Stream, air: &mut InAir) {
        let copies = 1 + u32::from(luck.below(100) < self.duplication);
        for _ in 0..copies {
            let late = if luck.below(100) < self.reordering { luck.below(300) } else { 0 };
            let arrives = now + Duration::from_millis(20) + Duration::from_millis(u64::from(late));
            if luck.below(100) >= self.loss && !self.is_dark(now) {
                air.insert(
                    (arrives, air.last_key_value().map_or(0, |((_, n), _)| n + 1) + luck.bits() % 7),
                    segment.clone(),
                );
            }
        }
    }
}

/// Runs a stream of so many bytes, written in pieces, to its end. Returns when that was.
fn transfer(network: Network, params: &Params, bytes: u64, pieces: u64) -> Time {
    let mut luck = Stream::new(network.seed, NodeId(0), Purpose::Transport);
    let (mut sender, mut receiver) = (Sender::new(params, 1, 2), Receiver::new(params, 2, 1));
    let (mut to_receiver, mut to_sender) = (InAir::new(), InAir::new());
    // Data numbers that left, with what they hold.
    let mut made: BTreeMap<u32, (u32, Kind)> = BTreeMap::new();
    let (mut read, mut is_closed, mut last_data) = (0, false, None::<Time>);
    let (mut written, mut writes_at) = (0, at(0));
    let mut dark = [at(network.dark_ms.0), at(network.dark_ms.0 + network.dark_ms.1)].into_iter();
    let mut signal = dark.next().unwrap_or(Time::NEVER);
    let mut has_failed = false;
    sender.handle(Time::ZERO, SenderInput::Open);
    loop {
        let first = |air: &InAir| air.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
        let now = [sender.deadline(), receiver.deadline(), first(&to_receiver), first(&to_sender), writes_at, signal]
            .into_iter()
            .min()
            .expect("six times");
        assert!(now < at(10_000_000), "it does not come to an end: {network:?} {:?}", sender.public());
        if writes_at <= now {
            let piece = (bytes - written).div_ceil(pieces).max(1).min(bytes - written);
            written += piece;
            sender.handle(now, SenderInput::Write(piece));
            writes_at = now + Duration::from_millis(u64::from(luck.below(5000)));
            if written == bytes {
                writes_at = Time::NEVER;
                sender.handle(now, SenderInput::Close);
            }
        }
        if signal <= now {
            if network.is_told {
                let input = if has_failed { SenderInput::RouteRestored } else { SenderInput::RouteFailed };
                sender.handle(now, input);
            }
            (signal, has_failed) = (dark.next().unwrap_or(Time::NEVER), true);
        }
        if let Some(entry) = to_receiver.first_entry().filter(|entry| entry.key().0 <= now) {
            let segment = entry.remove();
            let stamped = Delay(1 + luck.below(2000) as u16);
            receiver.handle(now, ReceiverInput::Segment { segment: &segment, stamped });
        }
        if let Some(entry) = to_sender.first_entry().filter(|entry| entry.key().0 <= now) {
            let segment = entry.remove();
            sender.handle(now, SenderInput::Segment(&segment));
        }
        receiver.handle(now, ReceiverInput::Wake);
        sender.handle(now, SenderInput::Wake);
        let gap = Duration::from_secs_f64(1.0 / sender.public().rate_pps.max(1.0));
        while let Some(output) = sender.poll() {
            let SenderOutput::Segment(segment) = output else {
                assert!(is_closed && read == bytes, "the sender is done before the receiver has all");
                return now;
            };
            let data = *segment.data().expect("senders send data");
            if data.kind != Kind::Probe {
                let made = *made.entry(data.number).or_insert((data.payload_bytes, data.kind));
                assert_eq!(made, (data.payload_bytes, data.kind), "data number {} is other data", data.number);
                let since = last_data.replace(now).map_or(Duration::MAX, |last| now.since(last));
                assert!(since >= gap, "{since} after the last, at a gap of {gap}");
            }
            network.carry(now, &segment, &mut luck, &mut to_receiver);
        }
        while let Some(output) = receiver.poll() {
            match output {
                ReceiverOutput::Segment(segment) => network.carry(now, &segment, &mut luck, &mut to_sender),
                ReceiverOutput::Readable(more) => {
                    read += more;
                    assert!(!is_closed && read <= written);
                }
                ReceiverOutput::PeerClosed => {
                    assert!(!std::mem::replace(&mut is_closed, true));
                    let all: u64 = made.values().map(|(bytes, _)| u64::from(*bytes)).sum();
                    assert_eq!((read, all), (bytes, bytes), "in order, and each once");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_byte_arrives_once_and_in_order(
        network in networks(),
        bytes in 0..200_000u64,
        pieces in 1..6u64,
        window_segments in 1..300u16,
        sack_blocks in 0..30u32,
        early in any::<bool>(),
    ) {
        let early_change = if early { 0.2 } else { 0.0 };
        let params = Params { segment_bytes: 1000, window_segments, sack_blocks, early_change, ..Params::default() };
        transfer(network, &params, bytes, pieces);
    }

    /// Whatever a stranger tells, the ends go on.
    #[test]
    fn strange_feedback_and_data_do_no_harm(
        told in proptest::collection::vec((any::<[bool; 2]>(), any::<[u32; 2]>(), any::<u16>(), proptest::collection::vec(any::<(u32, u32)>(), 0..4)), 1..40),
    ) {
        let (mut sender, mut receiver) = (open(100.0), Receiver::new(&Params::default(), 2, 1));
        for (n, ([is_answer, is_near], [cumulative, rate_mpps], window, blocks)) in told.into_iter().enumerate() {
            let now = at(20 + 37 * n as u64);
            run(&mut sender, now);
            let cumulative = if is_near { cumulative % 8 } else { cumulative };
            let blocks = blocks.into_iter().map(|(a, b)| if is_near { (a % 64, b % 64) } else { (a, b) }).collect();
            hand(&mut sender, now, Feedback { is_answer, cumulative, rate_mpps, window, blocks });
            give(&mut receiver, now, part(cumulative, Kind::Last), Delay(window));
            receiver.handle(now, ReceiverInput::Wake);
            prop_assert!(sender.deadline() > now && receiver.deadline() > now);
        }
    }
}

#[test]
fn a_file_without_losses_takes_its_time_at_the_rate() {
    let network = Network { seed: 1, loss: 0, duplication: 0, reordering: 0, dark_ms: (0, 0), is_told: false };
    let ended = transfer(network, &Params { segment_bytes: 1000, ..Params::default() }, 300_000, 1);
    assert!(ended < at(60_000), "{ended}");
}
