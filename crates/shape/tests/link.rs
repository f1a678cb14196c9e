//! A link from outside: when packets arrive, which do not, and that none disappears.

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_shape::{
    Codel, Config, Discipline, Following, GilbertElliott, Input, Jitter, JitterLaw, Link, Loss, LossRecord, Output,
    Per, Queue, Rate, Reordering, Shape, Share, Streams, Why, mahimahi, profile,
};
use proptest::prelude::*;

mod common;
use common::{Fates, at, ms, play};

/// So many packets of 1500 bytes, as fast as they can be offered, with no more than a few waiting.
fn greedy(rate: Rate, packets: u32) -> f64 {
    let config = Config { rate, queue: Queue { packets: packets as usize, ..Queue::default() }, ..Config::default() };
    let offers = vec![(Time::ZERO, 1500); packets as usize];
    let fates = play(config, 1, &offers);
    let bits = f64::from(packets) * 12_000.0;
    bits / fates.last().unwrap().0.as_secs_f64()
}

#[test]
fn it_carries_its_rate() {
    for bps in [1e5, 2e6, 5.4e7, 1e9] {
        let carried = greedy(Rate::Fixed(bps), 10_000);
        assert!((carried / bps - 1.0).abs() < 1e-5, "{carried} of {bps}");
        for shape in [Shape::Square, Shape::Sine, Shape::Random] {
            let period = Duration::from_secs_f64(10_000.0 * 12_000.0 / bps / 1_000.0);
            let carried = greedy(Rate::Varying { mean_bps: bps, amplitude: 0.3, period, shape }, 10_000);
            let most = if shape == Shape::Random { 0.02 } else { 0.001 };
            assert!((carried / bps - 1.0).abs() < most, "{shape:?}: {carried} of {bps}");
        }
    }
}

#[test]
fn the_delay_is_exact() {
    for ns in [0, 1, 999_999_999, 123_456_789] {
        let config = Config { delay: Duration::from_nanos(ns), ..Config::default() };
        let fates = play(config, 1, &[(at(5), 1500), (at(7), 40)]);
        assert_eq!(fates, [(at(5) + Duration::from_nanos(ns), 0, None), (at(7) + Duration::from_nanos(ns), 1, None)]);
    }
}

#[test]
fn the_queue_holds_so_many_beside_the_one_that_is_sent() {
    let config = Config {
        rate: Rate::Fixed(1.2e6), // 10 ms a packet
        queue: Queue { packets: 3, ..Queue::default() },
        ..Config::default()
    };
    let fates = play(config, 1, &[(at(0), 1500); 6]);
    let expected: Fates = vec![
        (at(0), 4, Some(Why::Full)),
        (at(0), 5, Some(Why::Full)),
        (at(10), 0, None),
        (at(20), 1, None),
        (at(30), 2, None),
        (at(40), 3, None),
    ];
    assert_eq!(fates, expected);
}

/// An opportunity sends 1504 bytes: of one packet, of several, or a part of one; two at one time are two.
#[test]
fn a_record_is_served_at_its_opportunities() {
    let record = mahimahi::read("5\n5\n8\n20\n").unwrap();
    let config = || Config { rate: Rate::Trace(record.clone().into()), ..Config::default() };
    let arrivals = |offers: &[(Time, u32)]| -> Vec<u64> {
        let fates = play(config(), 1, offers);
        fates.iter().map(|(at, ..)| at.as_nanos() / 1_000_000).collect()
    };
    assert_eq!(arrivals(&[(at(0), 1500); 6]), [5, 5, 8, 20, 25, 25]);
    assert_eq!(arrivals(&[(at(5), 1500); 2]), [8, 20]); // what comes with an opportunity is too late for it
    assert_eq!(arrivals(&[(at(6), 1500); 2]), [8, 20]);
    assert_eq!(arrivals(&[(at(0), 748); 4]), [5; 4]); // two in each
    assert_eq!(arrivals(&[(at(0), 996); 3]), [5; 3]); // the second in parts of both
    assert_eq!(arrivals(&[(at(6), 1500), (at(9), 40)]), [8, 20]);
    assert_eq!(arrivals(&[(at(6), 996), (at(7), 996)]), [8, 20]); // the rest of the second with the next
    assert_eq!(arrivals(&[(at(0), 3004)]), [5]);
    assert_eq!(arrivals(&[(at(1_000_001), 1500)]), [1_000_005]);
}

/// 12 Mb/s as mahimahi has it: a packet a millisecond.
#[test]
fn a_steady_record_is_a_rate() {
    let record = mahimahi::read(&mahimahi::steady(1504.0 * 8.0 * 1000.0, 1)).unwrap();
    let config = Config {
        rate: Rate::Trace(record.into()),
        queue: Queue { packets: 5_000, ..Queue::default() },
        ..Config::default()
    };
    let fates = play(config, 1, &vec![(at(0), 1500); 5_000]);
    assert!(fates.iter().enumerate().all(|(n, fate)| *fate == (at(n as u64 + 1), n as u32, None)));
}

#[test]
fn jitter_is_spread_as_asked_and_keeps_order_unless_told_otherwise() {
    let offers: Vec<_> = (0..20_000).map(|n| (at(n * 10), 1500)).collect();
    for (law, share, deviation) in [(JitterLaw::Uniform, 0.3, 0.3 / 3_f64.sqrt()), (JitterLaw::Normal, 0.1, 0.1)] {
        for reorders in [true, false] {
            let jitter = Jitter { share, law, reorders, ..Jitter::default() };
            let fates = play(Config { delay: ms(100), jitter, ..Config::default() }, 1, &offers);
            assert_eq!(fates.len(), offers.len());
            let overtaken = fates.windows(2).filter(|pair| pair[0].1 > pair[1].1).count();
            assert_eq!(overtaken > 0, reorders);
            let ways: Vec<f64> =
                fates.iter().map(|(at, n, _)| at.since(offers[*n as usize].0).as_secs_f64() * 10.0).collect();
            let mean = ways.iter().sum::<f64>() / ways.len() as f64;
            if reorders {
                let sd = (ways.iter().map(|way| (way - mean) * (way - mean)).sum::<f64>() / ways.len() as f64).sqrt();
                assert!((mean - 1.0).abs() < 0.006, "{mean}");
                assert!((sd / deviation - 1.0).abs() < 0.03, "{sd} for {deviation}");
            }
            if law == JitterLaw::Uniform {
                assert!(ways.iter().all(|way| (0.7..=1.3).contains(way)));
            }
        }
    }
}

#[test]
fn codel_keeps_the_wait_of_a_greedy_source_far_below_that_of_drop_tail() {
    let mean_wait_ms = |discipline| {
        let config =
            Config { rate: Rate::Fixed(1.2e6), queue: Queue { packets: 1_000, discipline }, ..Config::default() };
        // A tenth more than the link carries, for two minutes.
        let offers: Vec<_> = (0..13_200).map(|n| (Time::ZERO + Duration::from_micros(n * 9_090), 1500)).collect();
        let fates = play(config, 1, &offers);
        let waits: Vec<f64> = fates
            .iter()
            .filter(|(.., gone)| gone.is_none())
            .map(|(at, n, _)| at.since(offers[*n as usize].0).as_secs_f64() * 1e3 - 10.0)
            .collect();
        (waits.iter().sum::<f64>() / waits.len() as f64, fates.iter().any(|(.., gone)| *gone == Some(Why::Late)))
    };
    let (tail, is_late) = mean_wait_ms(Discipline::DropTail);
    assert!(tail > 3_000.0 && !is_late, "{tail}");
    let (codel, is_late) = mean_wait_ms(Discipline::Codel(Codel::default()));
    assert!(codel < 600.0 && is_late, "{codel}"); // a source that does not slow down is met late
}

/// A rate that changes within packets carries its mean: what has left has left.
#[test]
fn a_rate_that_changes_often_carries_its_mean() {
    let at_rate = |bps| Config {
        rate: Rate::Fixed(bps),
        queue: Queue { packets: 1_000, ..Queue::default() },
        ..Config::default()
    };
    let record = || mahimahi::read("1\n").unwrap();
    for second in [at_rate(9e4), Config { rate: Rate::Trace(record().into()), ..at_rate(1.0) }] {
        let mut link = Link::new(at_rate(3e4), Streams::new(1, 0));
        for packet in 0..100 {
            link.handle(at(0), Input::Offer { packet, bytes: 1500 });
        }
        let is_fixed = matches!(second.rate, Rate::Fixed(_));
        let mut arrived = 0;
        for n in 0..100 {
            let config = if n % 2 == 0 { second.clone() } else { at_rate(3e4) };
            let step = if is_fixed || n % 2 == 1 { 20 } else { 2 }; // two opportunities, and then a slow rate
            let now = at((0..n).map(|k| if is_fixed || k % 2 == 1 { 20 } else { 2 }).sum::<u64>() + step);
            link.handle(now, Input::Reshape(Box::new(config)));
            arrived += std::iter::from_fn(|| link.poll()).count();
        }
        // 2 s at 60 kb/s are ten packets; with the record, fifty times two opportunities, each of which sends a packet.
        let expected = if is_fixed { 9..=10 } else { 90..=100 };
        assert!(expected.contains(&arrived), "{arrived}");
    }
}

#[test]
fn a_link_that_is_another_goes_on_with_what_waits() {
    let slow = Config { rate: Rate::Fixed(1.2e5), delay: ms(50), ..Config::default() };
    let fast = Config { rate: Rate::Fixed(1.2e6), delay: ms(5), ..Config::default() };
    let mut link = Link::new(slow, Streams::new(1, 0));
    for packet in 0..3 {
        link.handle(at(0), Input::Offer { packet, bytes: 1500 });
    }
    link.handle(at(100), Input::Wake); // the first has left, and arrives at 150
    link.handle(at(120), Input::Reshape(Box::new(fast)));
    let mut arrived = vec![];
    while !link.deadline().is_never() {
        let now = link.deadline();
        link.handle(now, Input::Wake);
        while let Some(output) = link.poll() {
            arrived.push((now, output));
        }
    }
    // Order is kept: the second, the rest of it sent at the new rate, would have overtaken the first.
    assert_eq!(arrived, [0, 1, 2].map(|n| (at(150), Output::Arrived(n))));
}

#[test]
fn what_is_cleared_is_gone() {
    let mut link =
        Link::new(Config { rate: Rate::Fixed(1.2e5), delay: ms(50), ..Config::default() }, Streams::new(1, 0));
    for packet in 0..3 {
        link.handle(at(0), Input::Offer { packet, bytes: 1500 });
    }
    link.handle(at(100), Input::Clear);
    let gone: Vec<_> = std::iter::from_fn(|| link.poll()).collect();
    assert_eq!(gone, [Output::Gone(1, Why::Cleared), Output::Gone(2, Why::Cleared)]);
    assert_eq!((link.held(), link.deadline()), (1, at(150)));
}

fn configs() -> impl Strategy<Value = Config> {
    let rate = prop_oneof![
        Just(Rate::Unlimited),
        (1e4..1e7).prop_map(Rate::Fixed),
        ((1e4..1e7), (0.0..0.9), (1_u64..1_000), 0..3_usize).prop_map(|(mean_bps, amplitude, period, shape)| {
            Rate::Varying {
                mean_bps,
                amplitude,
                period: ms(period),
                shape: [Shape::Square, Shape::Sine, Shape::Random][shape],
            }
        }),
        prop::collection::vec(0_u64..50, 1..30).prop_map(|steps| {
            let mut at = 1;
            let lines = steps.iter().map(|step| {
                at += step;
                format!("{at}\n")
            });
            Rate::Trace(mahimahi::read(&lines.collect::<String>()).unwrap().into())
        }),
    ];
    let jitter = ((0.0..1.5), any::<bool>(), any::<bool>(), prop_oneof![Just(0.0), 0.0..0.99]).prop_map(
        |(share, normal, reorders, correlation)| Jitter {
            share,
            law: if normal { JitterLaw::Normal } else { JitterLaw::Uniform },
            reorders,
            correlation,
        },
    );
    let loss = prop_oneof![
        ((0.0..0.5), any::<bool>(), -1.0..1.0).prop_map(|(probability, bits, delay_correlation)| Loss::Each {
            probability,
            per: if bits { Per::Bit } else { Per::Packet },
            delay_correlation,
        }),
        ((0.0..0.5), (1.0..5.0)).prop_map(|(probability, burst)| Loss::bursts(probability, burst)),
        ((0.0..1.0), (0.01..1.0), (0.0..0.5), (0.0..1.0), (0_u64..50)).prop_map(|(begins, ends, good, bad, delay)| {
            Loss::States(GilbertElliott { begins, ends, good, bad, bad_delay: ms(delay) })
        }),
        prop::collection::vec(any::<bool>(), 1..9)
            .prop_map(|lost| Loss::Recorded(LossRecord::new(lost).unwrap().into())),
    ];
    let pipe = ((0_u64..200_000_001), (100_u64..30_000), (0.0..0.3), prop::option::of(1e5..1e7)).prop_map(
        |(rtt, lifetime, loss, rate_bps)| profile::Pipe {
            rtt: Duration::from_nanos(rtt),
            lifetime: Duration::from_micros(lifetime),
            probability: 0.0,
            loss,
            rate_bps,
        },
    );
    let profile = (prop::collection::vec(pipe, 1..6), any::<[bool; 3]>(), 0..4_usize).prop_map(
        |(mut pipes, [at_once, repeats, loses], share)| {
            let each = 1.0 / pipes.len() as f64;
            pipes.iter_mut().for_each(|pipe| pipe.probability = each);
            let share = [Share::Half, Share::OtherHalf, Share::All, Share::Nothing][share];
            let mode = if at_once { profile::Mode::Simultaneous } else { profile::Mode::Sequential };
            Following { profile: profile::Profile { mode, pipes, repeats }.into(), share, loses }
        },
    );
    let reordering = (prop_oneof![Just(0.0), 0.0..1.0], 0_u32..5, 0.0..0.9)
        .prop_map(|(share, gap, correlation)| Reordering { share, gap, correlation });
    let more = (reordering, prop_oneof![Just(0.0), 0.0..0.5], prop::option::of(profile));
    let queue = ((0_usize..30), any::<bool>()).prop_map(|(packets, codel)| Queue {
        packets,
        discipline: if codel { Discipline::Codel(Codel::default()) } else { Discipline::DropTail },
    });
    (rate, 0_u64..500, jitter, loss, queue, more).prop_map(
        |(rate, delay, jitter, loss, queue, (reordering, copies, profile))| Config {
            rate,
            delay: ms(delay),
            jitter,
            loss,
            queue,
            reordering,
            copies,
            profile,
        },
    )
}

proptest! {
    /// Each packet has one fate, and a copy follows its packet; times do not go back; where order is kept, it is; the same
    /// again is the same.
    #[test]
    fn nothing_disappears(config in configs(), seed: u64, gaps in prop::collection::vec((0_u64..20_000, 28_u32..3_000), 0..80)) {
        let mut now = Time::ZERO;
        let offers: Vec<_> = gaps.iter().map(|(us, bytes)| {
            now += Duration::from_micros(*us);
            (now, *bytes)
        }).collect();
        let fates = play(config.clone(), seed, &offers);
        let mut seen: Vec<u32> = fates.iter().map(|(_, packet, _)| *packet).collect();
        seen.dedup(); // a copy is right behind
        let arrived: Vec<u32> = fates.iter().filter(|(.., gone)| gone.is_none()).map(|(_, packet, _)| *packet).collect();
        prop_assert!(fates.is_sorted_by_key(|(at, ..)| *at));
        prop_assert!(config.jitter.reorders || config.reordering.share > 0.0 || arrived.is_sorted());
        let copies = fates.len() - seen.len();
        prop_assert!(config.copies > 0.0 || copies == 0);
        prop_assert!(fates.iter().all(|(at, packet, _)| *at >= offers[*packet as usize].0));
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..offers.len() as u32).collect::<Vec<_>>());
        prop_assert_eq!(play(config, seed, &offers), fates);
    }

    /// The same while the link becomes another, again and again, with or without what it holds.
    #[test]
    fn nothing_disappears_when_a_link_becomes_another(
        configs in prop::collection::vec((configs(), any::<bool>()), 2..8),
        seed: u64,
        steps in prop::collection::vec((0_u64..20_000, 28_u32..3_000, any::<bool>()), 1..80),
    ) {
        let mut link = Link::new(configs[0].0.clone(), Streams::new(seed, 0));
        let (mut now, mut offered, mut next, mut fates) = (Time::ZERO, 0_u32, 1, vec![]);
        for (us, bytes, is_offer) in steps {
            now += Duration::from_micros(us);
            if is_offer {
                link.handle(now, Input::Offer { packet: offered, bytes });
                offered += 1;
            } else {
                let (config, clears) = &configs[next % configs.len()];
                next += 1;
                if *clears {
                    link.handle(now, Input::Clear);
                }
                link.handle(now, Input::Reshape(Box::new(config.clone())));
            }
            let out: Vec<_> = std::iter::from_fn(|| link.poll()).collect();
            fates.extend(out);
            prop_assert_eq!(link.held() + fates.len(), offered as usize);
            prop_assert_eq!(link.packets().count(), link.held());
            prop_assert!(link.deadline() > now);
        }
        while !link.deadline().is_never() {
            link.handle(link.deadline(), Input::Wake);
            let out: Vec<_> = std::iter::from_fn(|| link.poll()).collect();
            fates.extend(out);
        }
        let packet = |fate: &Output<u32>| match fate {
            Output::Arrived(packet) | Output::ArrivedTwice(packet) | Output::Gone(packet, _) => *packet,
        };
        let mut seen: Vec<u32> = fates.iter().map(packet).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..offered).collect::<Vec<_>>());
    }
}
