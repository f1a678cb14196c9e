//! Links that follow a profile.

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_shape::profile::{Mode, Pipe, Profile};
use hopwright_shape::{Config, Following, Input, Jitter, Link, Loss, Output, Queue, Rate, Share, Streams, Why};

mod common;
use common::{at, ms, play};

fn pipe(rtt_ms: u64, lifetime_ms: u64) -> Pipe {
    Pipe { rtt: ms(rtt_ms), lifetime: ms(lifetime_ms), ..Pipe::default() }
}

fn follow(mode: Mode, repeats: bool, pipes: Vec<Pipe>) -> Following {
    Following { profile: Profile { mode, pipes, repeats }.into(), share: Share::Half, loses: true }
}

fn of(following: Following) -> Config {
    Config { profile: Some(following), ..Config::default() }
}

/// When packets offered at these times arrive, in ms.
fn arrivals(config: Config, offers_ms: &[u64]) -> Vec<u64> {
    let offers: Vec<_> = offers_ms.iter().map(|ms| (at(*ms), 1500)).collect();
    play(config, 1, &offers).iter().map(|(at, ..)| at.as_nanos() / 1_000_000).collect()
}

#[test]
fn pipe_follows_pipe_each_for_its_lifetime() {
    let pipes = vec![pipe(20, 100), pipe(60, 50), pipe(40, 0)];
    let once = of(follow(Mode::Sequential, false, pipes.clone()));
    assert_eq!(arrivals(once, &[0, 99, 100, 149, 200, 100_000]), [10, 109, 130, 179, 220, 100_020]);
    let pipes = vec![pipe(20, 100), pipe(60, 50)];
    let again = of(follow(Mode::Sequential, true, pipes));
    assert_eq!(
        arrivals(again, &[0, 100, 150, 1_500_000_000, 1_500_000_100]),
        [10, 130, 160, 1_500_000_010, 1_500_000_130]
    );
}

/// A shorter way does not let a packet overtake the one before, unless that is asked.
#[test]
fn a_new_pipe_keeps_the_order() {
    let pipes = vec![pipe(200, 10), pipe(20, 0)];
    let keeps = of(follow(Mode::Sequential, false, pipes.clone()));
    assert_eq!(arrivals(keeps.clone(), &[9, 10, 50, 98, 100]), [109, 109, 109, 109, 110]);
    let reorders = Config { jitter: Jitter { reorders: true, ..Jitter::default() }, ..keeps };
    assert_eq!(arrivals(reorders, &[9, 10, 50, 98, 100]), [20, 60, 108, 109, 110]);
}

/// To the nanosecond: both halves are the round trip.
#[test]
fn half_the_round_trip_is_each_way() {
    let pipes = vec![Pipe { rtt: Duration::from_nanos(23_400_001), ..Pipe::default() }];
    let there = follow(Mode::Sequential, false, pipes);
    let back = Following { share: Share::OtherHalf, ..there.clone() };
    let way = |following| play(of(following), 1, &[(at(3), 100)])[0].0.since(at(3)).as_nanos();
    let taking = |share| way(Following { share, ..there.clone() });
    assert_eq!((taking(Share::All), taking(Share::Nothing)), (23_400_001, 0));
    assert_eq!((way(there), way(back)), (11_700_000, 11_700_001));
}

/// A rate that begins while a packet is being sent sends the rest of it.
#[test]
fn a_pipe_has_its_rate_or_that_of_the_link() {
    let rated = |lifetime_ms, rate_bps| Pipe { rate_bps, ..pipe(0, lifetime_ms) };
    let pipes = vec![rated(15, Some(1.2e6)), rated(15, Some(2.4e6)), rated(0, None)];
    let config = Config {
        rate: Rate::Fixed(1.2e7),
        queue: Queue { packets: 10, ..Queue::default() },
        ..of(follow(Mode::Sequential, false, pipes))
    };
    let fates = play(config, 1, &[(at(0), 1500); 6]);
    let us: Vec<u64> = fates.iter().map(|(at, ..)| at.as_nanos() / 1_000).collect();
    // 10 ms each, half of the second; then 5 ms each; from 30 ms on 1 ms, of the fifth a half.
    assert_eq!(us, [10_000, 17_500, 22_500, 27_500, 30_500, 31_500]);
}

#[test]
fn losses_are_on_the_way_that_they_are_said_to_be_on() {
    let pipes = vec![Pipe { loss: 1.0, ..pipe(20, 100) }, Pipe { loss: 0.0, ..pipe(20, 0) }];
    let there = follow(Mode::Sequential, false, pipes);
    let back = Following { share: Share::OtherHalf, loses: false, ..there.clone() };
    let lost = |following| {
        let offers: Vec<_> = (0..20).map(|n| (at(n * 10), 100)).collect();
        play(of(following), 1, &offers).iter().filter(|(.., gone)| *gone == Some(Why::Lost)).count()
    };
    assert_eq!((lost(there), lost(back)), (10, 0));
}

/// All at once: each packet draws its pipe, its loss and its rate.
#[test]
fn packets_draw_their_pipes() {
    let drawn = |rtt_ms, probability, loss, rate_bps| Pipe { probability, loss, rate_bps, ..pipe(rtt_ms, 0) };
    let pipes = vec![drawn(20, 0.05, 0.5, None), drawn(40, 0.25, 0.0, Some(1.2e7)), drawn(60, 0.7, 0.1, None)];
    let follows = of(follow(Mode::Simultaneous, false, pipes));
    let free = Config { jitter: Jitter { reorders: true, ..Jitter::default() }, ..follows.clone() };
    const PACKETS: u32 = 40_000;
    let offers: Vec<_> = (0..PACKETS).map(|n| (at(u64::from(n) * 2), 1500)).collect();
    let fates = play(free, 2, &offers);
    assert!(fates.windows(2).any(|pair| pair[0].1 > pair[1].1));
    for (took_ms, probability, loss) in [(10, 0.05, 0.5), (21, 0.25, 0.0), (30, 0.7, 0.1)] {
        let its: Vec<_> = fates.iter().filter(|(now, n, _)| now.since(offers[*n as usize].0) == ms(took_ms)).collect();
        let is_within = |count: usize, of: f64, share: f64| {
            (count as f64 - of * share).abs() <= 3.0 * (of * share * (1.0 - share)).sqrt()
        };
        assert!(is_within(its.len(), f64::from(PACKETS), probability), "{took_ms} ms: {}", its.len());
        let lost = its.iter().filter(|(.., gone)| gone.is_some()).count();
        assert!(is_within(lost, its.len() as f64, loss), "{took_ms} ms: {lost} of {}", its.len());
    }
    let kept = play(follows, 2, &offers);
    assert!(kept.is_sorted_by_key(|(_, packet, _)| *packet));
}

/// A change of anything else does not begin the profile anew; another profile begins when it comes.
#[test]
fn a_profile_goes_on_until_there_is_another() {
    let first = follow(Mode::Sequential, false, vec![pipe(20, 100), pipe(60, 0)]);
    let second = follow(Mode::Sequential, false, vec![pipe(2, 100), pipe(4, 0)]);
    let mut link = Link::new(of(first.clone()), Streams::new(1, 0));
    let other = Config { loss: Loss::each(0.0), queue: Queue { packets: 7, ..Queue::default() }, ..of(first) };
    let mut arrived = vec![];
    let mut take = |link: &mut Link<u32>, until: Time| {
        while link.deadline() <= until {
            let now = link.deadline();
            link.handle(now, Input::Wake);
            while let Some(Output::Arrived(n)) = link.poll() {
                arrived.push((n, now.as_nanos() / 1_000_000));
            }
        }
    };
    link.handle(at(90), Input::Reshape(Box::new(other)));
    link.handle(at(100), Input::Offer { packet: 0, bytes: 100 });
    take(&mut link, at(200));
    link.handle(at(200), Input::Reshape(Box::new(of(second))));
    for (n, ms) in [(1, 297), (2, 300)] {
        link.handle(at(ms), Input::Offer { packet: n, bytes: 100 });
        take(&mut link, at(ms + 2));
    }
    link.handle(at(400), Input::Reshape(Box::new(Config { delay: ms(7), ..Config::default() })));
    link.handle(at(400), Input::Offer { packet: 3, bytes: 100 });
    take(&mut link, Time::ZERO + Duration::from_secs(1));
    assert_eq!(arrived, [(0, 130), (1, 298), (2, 302), (3, 407)]);
}
