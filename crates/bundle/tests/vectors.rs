//! The test vectors of the specification of NCTP, section 9. N1, N12, N13 and N18 stand beside what they test; N15, N16 and
//! N20 concern what is measured.

use hopwright_bundle::{Config, InitialTimer, News, Service, WhenFull};
use hopwright_machine::{Duration, NodeId, Time};
use hopwright_wire::nctp::{Kind, Packet};

use crate::world::{Happening, MESSAGE, PACKET, World, seconds};

const S: u16 = 1000;
const BUNDLE: u64 = 512_000;

fn config() -> Config {
    Config::default()
}

fn patient() -> Config {
    Config { initial_timer: InitialTimer::Fixed(Duration::from_secs(60)), ..Config::default() }
}

fn time_of(world: &World, node: usize, is_it: impl Fn(&News) -> bool) -> Time {
    let told = world.told.iter().find(|(_, at, _, news)| *at == node && is_it(news));
    told.expect("it happens").0
}

fn handed_by(world: &World, node: usize) -> Vec<(Time, Packet)> {
    world.handed.iter().filter(|(_, by, _)| *by == node).map(|&(at, _, packet)| (at, packet)).collect()
}

/// Alone over three hops: the acknowledgement is back after three transfers and three hops of its own, and the sample leaves
/// the first transfer out.
#[test]
fn n2_alone_over_three_hops() {
    let mut world = World::string(3, patient());
    world.file(Time::ZERO, (0, 3), 0, BUNDLE);
    world.run(seconds(60.0));
    let transfers = PACKET * 3 * u64::from(S);
    assert_eq!(time_of(&world, 3, |news| *news == News::Delivered), Time::ZERO + transfers);
    assert_eq!(world.acked[&(0, 0)], BUNDLE);
    // Probes are answered while the bundle comes in.
    assert_eq!(world.round_trips, [PACKET * 2 * u64::from(S) + MESSAGE * 3]);
    assert!((transfers + MESSAGE * 3).as_secs_f64() - 11.78 < 0.01);
}

/// With the thesis' timer of 5 s the source sends again while the third hop is under way; all is delivered once.
#[test]
fn n3_an_early_timer_makes_a_copy() {
    let mut world = World::string(3, config());
    world.file(Time::ZERO, (0, 3), 0, BUNDLE);
    world.run(seconds(60.0));
    let expires = time_of(&world, 0, |news| *news == News::Expired);
    assert_eq!(expires, Time::ZERO + PACKET * u64::from(S) + Duration::from_secs(5));
    // The copy is taken by the relay that has let go of the bundle, and stops when the acknowledgement comes.
    assert_eq!(world.count(|node, news| node == 1 && *news == News::Begun), 2);
    assert_eq!(world.count(|node, news| node == 3 && *news == News::Delivered), 1);
    assert_eq!(world.delivered.values().sum::<u64>(), BUNDLE);
    let sent = handed_by(&world, 0).len();
    assert!(sent > usize::from(S) && sent < 2 * usize::from(S), "the source stops: {sent}");
    assert_eq!(world.count(|node, news| node == 1 && *news == News::PartDeleted), 1);
    assert!(world.round_trips.is_empty(), "a bundle that was sent twice gives no sample");
}

/// A relay asks once, ten packets before the end.
#[test]
fn n4_a_relay_asks_at_packet_990() {
    let mut world = World::string(2, patient());
    world.file(Time::ZERO, (0, 2), 0, BUNDLE);
    world.run(seconds(3.886));
    assert_eq!(world.messages.len(), 0, "989 packets have come");
    world.run(seconds(60.0));
    let probes: Vec<_> = world.messages.iter().filter(|(_, _, packet)| packet.kind == Kind::Probe).collect();
    assert_eq!(probes.len(), 1);
    assert_eq!((probes[0].0, probes[0].1), (Time::ZERO + PACKET * 990, 1));
    let answers = world.messages.iter().filter(|(_, node, packet)| (*node, packet.kind) == (2, Kind::Alive));
    assert_eq!(answers.count(), 1);
}

/// A short bundle is asked for with its first packet; it goes on when it is whole and the answer is there.
#[test]
fn n5_a_short_bundle_waits_for_the_answer() {
    // The answer comes first: two hops there and back are 3.8 ms, the bundle takes 19.6 ms.
    let mut world = World::string(2, Config { bundle_packets: 5, ..patient() });
    world.file(Time::ZERO, (0, 2), 0, 5 * 512);
    world.run(seconds(10.0));
    let (probe, first) = (world.messages[0], handed_by(&world, 1)[0].0);
    assert_eq!((probe.0, probe.2.kind), (Time::ZERO + PACKET, Kind::Probe));
    assert_eq!(first, Time::ZERO + PACKET * 5);
    // The bundle is whole first: seven hops there and back are 26 ms, a bundle of two packets 7.9 ms.
    let mut world = World::string(8, Config { bundle_packets: 2, ..patient() });
    world.file(Time::ZERO, (0, 8), 0, 2 * 512);
    world.run(seconds(10.0));
    assert_eq!(time_of(&world, 1, |news| *news == News::Owned), Time::ZERO + PACKET * 2);
    assert_eq!(handed_by(&world, 1)[0].0, Time::ZERO + PACKET + MESSAGE * 14);
}

/// The link to a relay fails at packet 400 and is found again: all packets go again, the relay counts what is new.
#[test]
fn n6_the_same_receiver_counts_what_is_new() {
    for (failed_falsely, new) in [(false, 601), (true, 600)] {
        let mut world = World::string(2, patient());
        world.file(Time::ZERO, (0, 2), 0, BUNDLE);
        let at = Time::ZERO + PACKET * 400;
        let just_before = Time::ZERO + (PACKET * 400 - Duration::from_micros(1));
        if failed_falsely {
            world.run(just_before);
            world.chances.fails_falsely = 1000;
            world.run(at);
            world.chances.fails_falsely = 0;
        } else {
            world.enter(just_before, Happening::Link(0, 1, false));
            world.enter(at + Duration::from_millis(10), Happening::Link(0, 1, true));
        }
        world.run(seconds(60.0));
        let handed = handed_by(&world, 0);
        let numbers: Vec<u16> = handed.iter().map(|(_, packet)| packet.number).collect();
        let expected: Vec<u16> = (1..=400).chain(1..=S).collect();
        assert_eq!(numbers, expected);
        let duplicates = world.count(|node, news| node == 1 && *news == News::Duplicate);
        assert_eq!(usize::from(S) - duplicates, new);
        assert_eq!(world.count(|node, news| node == 1 && *news == News::Begun), 1);
        assert_eq!(world.delivered.values().sum::<u64>(), BUNDLE);
    }
}

/// The link fails and the new way leads over another relay: that gets everything, the first deletes its part.
#[test]
fn n7_another_receiver_gets_everything() {
    // 0 - 1 - 3 and 0 - 2 - 3.
    let mut world = World::new(4, &[(0, 1), (1, 3), (0, 2), (2, 3)], patient());
    world.file(Time::ZERO, (0, 3), 0, BUNDLE);
    world.enter(Time::ZERO + (PACKET * 400 - Duration::from_micros(1)), Happening::Link(0, 1, false));
    world.run(seconds(60.0));
    let to = |node: u32| handed_by(&world, 0).iter().filter(|(_, p)| p.receiver == NodeId(node).address()).count();
    assert_eq!((to(1), to(2)), (400, usize::from(S)));
    let deleted = time_of(&world, 1, |news| *news == News::PartDeleted);
    assert_eq!(deleted, Time::ZERO + PACKET * 399 + Duration::from_secs(5));
    assert_eq!(world.count(|_, news| *news == News::Delivered), 1);
}

/// The second relay goes down with the bundle: the source sends it again, and the first relay finds another way.
#[test]
fn n8_an_owner_dies() {
    // 0 - 1 - 2 - 4 and 1 - 3 - 4.
    let mut world = World::new(5, &[(0, 1), (1, 2), (2, 4), (1, 3), (3, 4)], patient());
    world.file(Time::ZERO, (0, 4), 0, BUNDLE);
    world.enter(Time::ZERO + PACKET * 2000 + Duration::from_millis(100), Happening::Node(2, false));
    world.run(seconds(200.0));
    assert_eq!(world.count(|node, news| node == 2 && *news == News::Lost), 1);
    assert_eq!(world.count(|node, news| node == 0 && *news == News::Expired), 1);
    assert_eq!(world.count(|node, news| node == 1 && *news == News::Owned), 2);
    assert_eq!(world.count(|node, news| node == 3 && *news == News::HandedOver(NodeId(4))), 1);
    assert_eq!(world.count(|_, news| *news == News::Delivered), 1);
}

/// The acknowledgement is lost: all hops again, a second one, and then the next bundle.
#[test]
fn n9_the_acknowledgement_is_lost() {
    let mut world = World::string(2, config());
    world.loses = Some((Kind::Ack, 2, 1));
    world.file(Time::ZERO, (0, 2), 0, 2 * BUNDLE);
    world.run(seconds(100.0));
    let acks: Vec<_> = world.messages.iter().filter(|(_, _, packet)| packet.kind == Kind::Ack).collect();
    assert_eq!(acks.iter().map(|ack| ack.2.key.bundle).collect::<Vec<_>>(), [0, 0, 1]);
    let second = handed_by(&world, 0).iter().find(|(_, packet)| packet.key.bundle == 1).expect("it goes").0;
    assert!(second >= acks[1].0);
    assert_eq!(world.count(|node, news| node == 2 && *news == News::Delivered), 2);
    assert_eq!(world.delivered.values().sum::<u64>(), 2 * BUNDLE);
}

/// A bundle that comes a second time to its owner is counted packet by packet, and takes no memory.
#[test]
fn n10_duplicates_at_an_owner() {
    // The timer runs out while the relay still hands the bundle over.
    let initial_timer = InitialTimer::Fixed(Duration::from_millis(500));
    let mut world = World::string(2, Config { initial_timer, ..config() });
    world.file(Time::ZERO, (0, 2), 0, BUNDLE);
    world.run(seconds(7.8));
    assert_eq!(
        time_of(&world, 0, |news| *news == News::Expired),
        Time::ZERO + PACKET * 1000 + Duration::from_millis(500)
    );
    let sent = handed_by(&world, 0).len() - usize::from(S);
    assert_eq!(world.count(|node, news| node == 1 && *news == News::Duplicate), sent - 1, "one is in the link");
    assert!(sent > 800);
    assert_eq!((world.agents[1].relayed(), world.agents[1].most_relayed()), (1, 1));
}

/// A relay with room for one bundle refuses the second, which tries again until there is room.
#[test]
fn n11_a_full_relay_refuses() {
    // 0 and 1 send over 2 to 3, which is out of reach for a while.
    for (when_full, is_refused) in [(WhenFull::Refuse, true), (WhenFull::Drop, false)] {
        let config = Config { room: Some(1), when_full, bundle_packets: 100, ..config() };
        let mut world = World::new(4, &[(0, 2), (1, 2), (2, 3)], config);
        world.file(Time::ZERO, (0, 3), 0, 51_200);
        world.file(seconds(0.1), (1, 3), 1, 51_200);
        world.enter(seconds(0.2), Happening::Link(2, 3, false));
        world.enter(seconds(3.0), Happening::Link(2, 3, true));
        world.run(seconds(2.0));
        let refusals: Vec<_> = world.messages.iter().filter(|(_, _, packet)| packet.kind == Kind::Refusal).collect();
        assert_eq!(!refusals.is_empty(), is_refused);
        assert_eq!(world.agents[2].relayed(), 1);
        if is_refused {
            assert_eq!((refusals[0].1, refusals[0].2.receiver), (2, NodeId(1).address()));
            // One packet may have been on its way when the refusal came.
            let tries = handed_by(&world, 1);
            let gaps: Vec<_> = tries.windows(2).map(|two| two[1].0.since(two[0].0)).collect();
            assert!(gaps.iter().any(|&gap| gap >= Duration::from_millis(95)), "{gaps:?}");
            assert_eq!(world.count(|node, news| node == 1 && matches!(news, News::HandedOver(_))), 0);
        }
        world.run(seconds(60.0));
        assert_eq!(world.delivered.values().copied().collect::<Vec<_>>(), [51_200, 51_200]);
        assert_eq!(world.agents[2].most_relayed(), 1);
    }
}

/// A probe that nobody answers: after a second another way is looked for, which is not asked about.
#[test]
fn n14_silence_ahead() {
    // The way is 0 - 1 - 2 - 4; 2 - 4 is lost without 1 knowing; 1 - 3 - 4 is there.
    let mut world = World::new(5, &[(0, 1), (1, 2), (2, 4), (1, 3), (3, 4)], patient());
    world.file(Time::ZERO, (0, 4), 0, BUNDLE);
    world.enter(seconds(1.0), Happening::Link(2, 4, false));
    world.run(seconds(60.0));
    let asked = time_of(&world, 1, |news| *news == News::Probed);
    let silent = time_of(&world, 1, |news| *news == News::Silent);
    assert_eq!(silent.since(asked), Duration::from_secs(1));
    assert_eq!(world.count(|node, news| node == 1 && *news == News::Probed), 1);
    let first = handed_by(&world, 1)[0];
    assert_eq!((first.0, first.1.receiver), (silent, NodeId(3).address()));
}

/// An error about the probe ends the wait at once (V 6.5.2): another way is looked for as if nobody had answered. One
/// about a link that is not on the probe's way, or behind, changes nothing.
#[test]
fn an_error_ahead() {
    let broken = |links: &'static [(usize, usize)], config| {
        let mut world = World::new(5, &[(0, 1), (1, 2), (2, 4), (1, 3), (3, 4)], config);
        world.file(Time::ZERO, (0, 4), 0, BUNDLE);
        world.enter(seconds(1.0), Happening::Link(2, 4, false));
        for &(from, to) in links {
            world.enter(seconds(4.0), Happening::Broken { at: 1, from, to });
        }
        world.run(seconds(60.0));
        assert_eq!(world.delivered.values().sum::<u64>(), BUNDLE);
        assert_eq!(world.count(|node, news| node == 1 && *news == News::Probed), 1);
        assert_eq!(world.count(|node, news| node == 1 && *news == News::Silent), 1);
        (time_of(&world, 1, |news| *news == News::Silent), handed_by(&world, 1)[0])
    };
    // The bundle is whole after 3.926 s.
    let (silent, (at, first)) = broken(&[(2, 4)], patient());
    assert_eq!((silent, at, first.receiver), (seconds(4.0), seconds(4.0), NodeId(3).address()));
    let later = broken(&[], patient());
    assert_eq!(broken(&[(0, 1), (4, 2), (3, 4), (1, 4)], patient()), later);
    assert_eq!(broken(&[(2, 4)], Config { heeds_errors: false, ..patient() }), later);
}

/// Two bundles in a relay take turns, or the first goes first.
#[test]
fn n17_two_bundles_in_a_relay() {
    for (service, alternates) in [(Service::Turns, true), (Service::OldestFirst, false)] {
        let config = Config { service, ..patient() };
        let mut world = World::new(4, &[(0, 2), (1, 2), (2, 3)], config);
        world.file(Time::ZERO, (0, 3), 0, BUNDLE);
        world.file(Time::ZERO, (1, 3), 1, BUNDLE);
        world.run(seconds(60.0));
        let handed = handed_by(&world, 2);
        let begin = handed[0].0;
        let ends: Vec<f64> = [0, 1]
            .map(|connection| {
                let last = handed.iter().rfind(|(_, packet)| packet.key.connection == connection);
                last.expect("it goes").0.since(begin).as_secs_f64()
            })
            .into();
        let changes = handed.windows(2).filter(|two| two[0].1.key.connection != two[1].1.key.connection).count();
        if alternates {
            assert!(changes >= 1990, "{changes} changes");
            assert!(ends.iter().all(|&end| (end - 7.85).abs() < 0.02), "{ends:?}");
        } else {
            assert_eq!(changes, 1);
            assert!((ends[0] - 3.92).abs() < 0.02 && (ends[1] - 7.85).abs() < 0.02, "{ends:?}");
        }
    }
}

/// Of a bundle there is never more than one packet in the link of a node.
#[test]
fn n19_one_packet_of_a_bundle_in_the_link() {
    let mut world = World::string(3, Config { bundle_packets: 50, in_transit: 4, ..patient() });
    world.file(Time::ZERO, (0, 3), 0, 4 * 50 * 512);
    world.run(seconds(20.0));
    for node in 0..3 {
        let handed = handed_by(&world, node);
        for bundle in 0..4 {
            let times: Vec<_> = handed.iter().filter(|(_, p)| p.key.bundle == bundle).map(|(at, _)| *at).collect();
            assert_eq!(times.len(), 50);
            assert!(times.windows(2).all(|two| two[1].since(two[0]) >= PACKET));
        }
    }
    assert_eq!(world.delivered.values().sum::<u64>(), 4 * 50 * 512);
}

/// S x 4096 bits over h hops, and the acknowledgement back: section 4 of the specification.
#[test]
fn alone_over_one_to_eight_hops_as_the_closed_form() {
    for hops in 1..=8u64 {
        let mut world = World::string(hops as usize, patient());
        world.file(Time::ZERO, (0, hops as usize), 0, 3 * BUNDLE);
        world.run(seconds(200.0));
        let last = world.told.iter().rfind(|(_, _, _, news)| *news == News::Delivered).expect("it arrives").0;
        let cycle = PACKET * u64::from(S) * hops + MESSAGE * hops;
        assert_eq!(last, Time::ZERO + (cycle * 3 - MESSAGE * hops), "{hops} hops");
    }
}
