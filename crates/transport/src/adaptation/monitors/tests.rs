//! Each monitor over what was made up for it.

use hopwright_machine::{NodeId, Purpose, Stream};

use super::*;
use crate::mechanisms::AckKind;
use crate::mechanisms::testing::empty_segment;

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_micros(us)
}

#[test]
fn loss_is_a_share_of_the_window() {
    let mut loss = Loss::new(500, false);
    let mut p = Public::default();
    loss.on_event(&p);
    assert_eq!(loss.value(&Public { segments_sent: 99, retransmissions: 9, ..Public::default() }), None);
    for (lost, share) in [(11, 2.2), (7, 1.4)] {
        for n in 1..=500 {
            p.segments_sent += 1;
            p.retransmissions += u64::from(n * lost / 500 > (n - 1) * lost / 500);
            loss.on_event(&p);
        }
        assert_eq!(loss.value(&p), Some(share));
    }
}

/// Twenty of a hundred are lost in slow start, five of the next hundred in recovery; then two of a hundred.
#[test]
fn what_slow_start_loses_can_be_left_out() {
    let mut monitors = [false, true].map(|skips| Loss::new(500, skips));
    let mut p = Public::default();
    let phases = [(Phase::SlowStart, 20), (Phase::Recovery, 5), (Phase::CongestionAvoidance, 2)];
    for (phase, lost) in phases.into_iter().chain([(Phase::CongestionAvoidance, 2); 2]) {
        p.doing = phase;
        for n in 1..=100 {
            p.segments_sent += 1;
            p.retransmissions += u64::from(n > 50 && n <= 50 + lost);
            monitors.iter_mut().for_each(|loss| loss.on_event(&p));
        }
    }
    let shares = monitors.each_ref().map(|loss| loss.value(&p).unwrap());
    assert!((shares[0] - 6.2).abs() < 0.05 && (shares[1] - 2.0).abs() < 0.05, "{shares:?}");
}

#[test]
fn what_the_peer_had_was_not_lost() {
    let mut loss = Loss::new(500, false);
    let mut p = Public::default();
    loss.on_event(&p);
    (p.segments_sent, p.retransmissions, p.dsacks) = (200, 10, 4);
    assert_eq!(loss.value(&p), Some(3.0));
}

/// Vector M2: times of 50, 55, 50, 45 and 50 ms make a jitter of 0.3125, 0.6055, 0.8801 and 1.1376 ms, which is 2.28 % of a
/// delay of 50 ms. Times that are even up to 9 ms more or less make one of 6 ms.
#[test]
fn jitter_is_the_filter_of_the_document() {
    let after = |jitter: &mut Jitter, ms| {
        jitter.on_round_trip(Duration::from_millis(ms));
        (jitter.ms * 1e4).round() / 1e4
    };
    let mut jitter = Jitter::default();
    (0..11).for_each(|_| assert_eq!(after(&mut jitter, 50), 0.0));
    assert_eq!([50, 55, 50, 45].map(|ms| after(&mut jitter, ms)), [0.0, 0.3125, 0.6055, 0.8801]);
    assert_eq!(jitter.ms(), None, "fifteen are too few");
    assert_eq!(after(&mut jitter, 50), 1.1376);
    let mut monitors = Monitors::new(&[Monitor::Jitter], &Settings::default());
    monitors.delay.as_mut().unwrap().on_round_trip(at(0), Duration::from_millis(100));
    monitors.jitter = Some(jitter);
    let share = monitors.value(Monitor::Jitter, &Public::default()).unwrap();
    assert_eq!((share * 1e2).round() / 1e2, 2.28);
    let jitter = monitors.jitter.as_mut().unwrap();
    let mut random = Stream::new(1, NodeId(0), Purpose::LinkDelay);
    let mut sum_ms = 0.0;
    for _ in 0..100_000 {
        jitter.on_round_trip(Duration::from_millis(41) + random.duration_below(Duration::from_millis(18)));
        sum_ms += jitter.ms;
    }
    assert!((sum_ms / 1e5 - 6.0).abs() < 0.06, "{sum_ms}");
}

/// The numbers of vector M2, as timestamps tell them: of a peer whose clock began elsewhere and comes round meanwhile. The
/// way back has no say, nor have acknowledgements that repeat a number, or cover what was sent again.
#[test]
fn jitter_of_the_way_there_goes_by_timestamps() {
    let settings = Settings { jitter_of: JitterOf::OneWay, ..Settings::default() };
    let mut monitors = Monitors::new(&[Monitor::Jitter], &settings);
    assert!(monitors.wants_delays(), "whether something was sent again");
    let mut sent = 0;
    let mut after = |monitors: &mut Monitors, way: u32, acked, covers_resent| {
        sent += 20;
        let mut segment = empty_segment();
        segment.options.timestamps = Some(((sent + way).wrapping_add(u32::MAX - 200), sent));
        let (delay, kind) = (Some(Duration::from_millis(u64::from(way) + u64::from(sent))), AckKind::Advance);
        monitors.on_ack(&Public::default(), &Ack { delay, covers_resent, ..Ack::bare(kind, acked, &segment) });
        (monitors.jitter.as_ref().unwrap().ms * 1e4).round() / 1e4
    };
    (0..11).for_each(|_| assert_eq!(after(&mut monitors, 50, 1_000, false), 0.0));
    assert_eq!([(90, 0, false), (90, 1_000, true)].map(|(w, n, r)| after(&mut monitors, w, n, r)), [0.0, 0.0]);
    let ways = [50, 55, 50, 45, 50].map(|way| after(&mut monitors, way, 1_000, false));
    assert_eq!(ways, [0.0, 0.3125, 0.6055, 0.8801, 1.1376]);
}

#[test]
fn delay_is_half_of_the_shortest_round_trip_of_ten_seconds() {
    let mut delay = Delay::default();
    for (s, rtt, ms) in [(0, 100, 50.0), (1, 80, 40.0), (5, 120, 40.0), (11, 130, 40.0), (12, 140, 60.0)] {
        delay.on_round_trip(at(s * 1_000_000), Duration::from_millis(rtt));
        assert_eq!(delay.ms(), Some(ms), "at {s} s");
    }
}

#[test]
fn bandwidth_counts_headers() {
    let mut bandwidth = Bandwidth::default();
    let mut p = Public { mss: 1_460, srtt: Some(Duration::from_secs(1)), ..Public::default() };
    bandwidth.on_ack(&p, 1_460);
    assert_eq!(bandwidth.kbps(), None);
    for n in 1..=25 {
        p.now = at(n * 40_000);
        bandwidth.on_ack(&p, 1_460);
    }
    assert_eq!(bandwidth.kbps(), Some(300.0)); // 25 packets of 1500 bytes
}

/// The least and the most that is measured from ten seconds on, in per cent of a delay of 250 ms, of a link that carries
/// 390 and 210 kb/s in turn, a packet of 1500 bytes at a time.
fn shares(half_us: u64) -> [f64; 2] {
    let mut monitors = Monitors::new(&[Monitor::Fluctuation], &Settings::default());
    let segment = empty_segment();
    let ack = Ack { rtt: Some(Duration::from_millis(500)), ..Ack::bare(AckKind::Advance, 1_500, &segment) };
    let (mut us, mut least, mut most) = (0, f64::INFINITY, 0.0_f64);
    while us < 60_000_000 {
        let kbps = if (us / half_us).is_multiple_of(2) { 390 } else { 210 };
        us += 12_000_000 / kbps;
        let p = Public { now: at(us), ..Public::default() };
        monitors.on_ack(&p, &ack);
        if us > 10_000_000 {
            let share = monitors.value(Monitor::Fluctuation, &p).unwrap();
            (least, most) = (least.min(share), most.max(share));
        }
    }
    [least, most]
}

/// Vector M3: 390 and 210 kb/s for 125 ms each are a period of 250 ms, 100 % of a delay of 250 ms; for 120 ms each they are
/// 96 %. From ten seconds on what is measured is within 1 % of that.
#[test]
fn fluctuation_is_the_period_of_ups_and_downs() {
    for (half, wanted, off) in [(125_000, 100.0, 0.01), (120_000, 96.0, 0.01), (500_000, 400.0, 0.05)] {
        let shares = shares(half);
        assert!(shares.iter().all(|share| (share / wanted - 1.0).abs() < off), "{shares:?} for {wanted}");
    }
}

#[test]
fn a_steady_rate_has_no_period() {
    let mut fluctuation = Fluctuation::default();
    for n in 0..1_200 {
        fluctuation.on_ack(at(n * 10_000), 1_500);
        assert_eq!(fluctuation.period_ms(at(n * 10_000)).is_some(), n > 1_000, "{n}");
    }
    assert_eq!(fluctuation.period_ms(at(12_000_000)), Some(f64::INFINITY));
}

#[test]
fn what_nobody_asks_for_is_not_measured() {
    let monitors = Monitors::new(&[Monitor::Loss], &Settings::default());
    assert!(!monitors.wants_delays());
    assert!(Monitors::new(&[Monitor::Jitter], &Settings::default()).wants_delays());
    let p = Public { segments_sent: 500, ..Public::default() };
    assert!(Monitor::ALL[..5].iter().all(|&monitor| monitors.value(monitor, &p).is_none()));
}
