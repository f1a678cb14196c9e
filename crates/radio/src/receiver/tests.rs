mod aside;
mod edges;
mod visits;

use super::*;
use crate::{Bits, Capture, Decoding, Ended, Missed, Modulation, Pace, RxEvent};

/// One that nothing but its neighbours can harm.
fn signal(frame: char) -> Signal<char> {
    Signal { from: Time::ZERO, until: Time::ZERO, power_mw: 5.0, hurdle: Hurdle::NONE.sent_at(Pace::Data), frame }
}

/// In order, but where powers are summed: there, a frame is known to be lost at its end.
fn sorted(rule: ReceptionRule, mut told: Vec<String>) -> Vec<String> {
    if rule.interference == Interference::Sum {
        told = told.into_iter().map(|word| if word.contains(['/', '<']) { word } else { letters(&word) }).collect();
        told.sort();
    }
    told
}

fn letters(word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

/// Runs signals (from, until, power, frame) through a receiver that decodes from power 1 and returns what
/// it received and what collided.
fn outcome(rule: ReceptionRule, signals: &[(u64, u64, f64, char)]) -> (String, String) {
    let mut receiver = Receiver::new(rule);
    for &(from, until, power_mw, frame) in signals {
        receiver.announce(Signal {
            from: Time::from_nanos(from),
            until: Time::from_nanos(until),
            power_mw,
            hurdle: Hurdle::of(power_mw >= 1.0),
            ..signal(frame)
        });
    }
    let (mut received, mut collided) = (String::new(), String::new());
    receiver.advance(Time::NEVER, |_, event| match event {
        RxEvent::Ended(Ended::Received(frame)) => received.push(frame),
        RxEvent::Ended(Ended::Failed(_) | Ended::Damaged(_)) => received.push('!'),
        RxEvent::Ended(Ended::Unnoticed) => received.push('-'),
        RxEvent::Collided { frame, .. } => collided.push(frame),
        RxEvent::Carrier(_) | RxEvent::Held(_) | RxEvent::Missed { .. } => {}
    });
    (received, collided)
}

fn all_rules() -> Vec<ReceptionRule> {
    let mut rules = Vec::new();
    for capture in [Capture::First, Capture::Any] {
        for weak_frames in [WeakFrames::Lock, WeakFrames::Energy] {
            for interference in [Interference::All, Interference::Locked, Interference::Sum] {
                rules.push(ReceptionRule { capture, weak_frames, interference, ..ReceptionRule::default() });
            }
        }
    }
    rules
}

#[test]
fn a_lone_frame_is_received() {
    for rule in all_rules() {
        assert_eq!(outcome(rule, &[(0, 10, 1.0, 'a'), (20, 30, 1.0, 'b')]), ("ab".into(), String::new()));
    }
}

#[test]
fn first_strong_frame_survives_by_twelve_decibels_not_by_nine() {
    for rule in all_rules() {
        assert_eq!(outcome(rule, &[(0, 10, 16.0, 'a'), (5, 15, 1.0, 'b')]).0.chars().next(), Some('a'), "{rule:?}");
        let (received, collided) = outcome(rule, &[(0, 10, 8.0, 'a'), (5, 15, 1.0, 'b')]);
        assert!(!received.contains(['a', 'b']), "{rule:?}: {received}");
        assert_eq!(sorted(rule, vec![collided]), sorted(rule, vec!["ab".into()]), "{rule:?}");
    }
}

#[test]
fn later_strong_frame_takes_over_only_if_any_may() {
    for rule in all_rules() {
        let (received, _) = outcome(rule, &[(0, 10, 1.0, 'a'), (5, 15, 16.0, 'b')]);
        assert_eq!(received.contains('b'), rule.capture == Capture::Any, "{rule:?}: {received}");
        assert!(!received.contains('a'));
    }
}

#[test]
fn weak_frame_blocks_the_receiver_only_if_it_locks() {
    for rule in all_rules() {
        // A frame that begins while an undecodable one, ten times weaker, is in the air.
        let (received, _) = outcome(rule, &[(0, 10, 0.5, 'w'), (5, 15, 6.0, 'a')]);
        let free = rule.weak_frames == WeakFrames::Energy || rule.capture == Capture::Any;
        assert_eq!(received.contains('a'), free, "{rule:?}: {received}");
    }
}

#[test]
fn whether_a_captured_frame_disturbs_the_next_one_is_the_interference_rule() {
    for rule in all_rules() {
        // 'b' is captured by 'a' and still in the air when 'c' begins, only twice as strong.
        let (received, _) = outcome(rule, &[(0, 10, 16.0, 'a'), (5, 30, 1.0, 'b'), (12, 20, 2.0, 'c')]);
        assert_eq!(received.contains('c'), rule.interference == Interference::Locked, "{rule:?}: {received}");
    }
}

#[test]
fn nothing_is_received_while_transmitting() {
    for rule in all_rules() {
        for (transmit_until, from, until) in [(10, 5, 20), (10, 2, 8)] {
            let mut receiver = Receiver::new(rule);
            receiver.transmit(Time::from_nanos(transmit_until));
            let (from, until) = (Time::from_nanos(from), Time::from_nanos(until));
            receiver.announce(Signal { from, until, ..signal('a') });
            receiver.advance(Time::NEVER, |_, event| {
                assert!(!matches!(event, RxEvent::Ended(Ended::Received(_)) | RxEvent::Collided { .. }), "{rule:?}");
            });
        }
    }
}

#[test]
fn starting_to_transmit_spoils_the_reception() {
    for rule in all_rules() {
        let mut receiver = Receiver::new(rule);
        let signal = Signal { until: Time::from_nanos(20), ..signal('a') };
        receiver.announce(signal);
        receiver.advance(Time::from_nanos(5), |_, event| assert_eq!(event, RxEvent::Carrier(signal.until)));
        assert_eq!(receiver.transmit(Time::from_nanos(10)), Some('a'), "{rule:?}");
        let mut ends = Vec::new();
        receiver.advance(Time::NEVER, |at, event| ends.push((at, event)));
        assert_eq!(ends, [(signal.until, RxEvent::Ended(Ended::Failed('a')))]);
    }
}

/// Who was lost to whom; a small letter alone was missed while transmitting until 4.
fn blamed(rule: ReceptionRule, transmits: bool, signals: &[(u64, u64, f64, char)]) -> Vec<String> {
    let mut receiver = Receiver::new(rule);
    if transmits {
        receiver.transmit(Time::from_nanos(4));
    }
    for &(from, until, power_mw, frame) in signals {
        let (from, until) = (Time::from_nanos(from), Time::from_nanos(until));
        receiver.announce(Signal { from, until, power_mw, hurdle: Hurdle::of(power_mw >= 1.0), ..signal(frame) });
    }
    let mut blamed = Vec::new();
    receiver.advance(Time::NEVER, |_, event: RxEvent<char>| match event {
        RxEvent::Collided { frame, by } => blamed.push(format!("{frame}/{by}")),
        RxEvent::Missed { frame, why: Missed::Captured(by) } => blamed.push(format!("{frame}<{by}")),
        RxEvent::Missed { frame, why: Missed::Transmitting } => blamed.push(frame.to_string()),
        RxEvent::Carrier(_) | RxEvent::Held(_) | RxEvent::Ended(_) => {}
    });
    sorted(rule, blamed)
}

#[test]
fn each_lost_frame_names_the_one_it_was_lost_to() {
    for rule in all_rules() {
        let any = rule.capture == Capture::Any;
        // Two of like strength: each spoils the other.
        assert_eq!(blamed(rule, false, &[(0, 10, 8.0, 'a'), (5, 15, 2.0, 'b')]), ["a/b", "b/a"], "{rule:?}");
        // A weaker one: it is captured. A stronger one, later: it takes over, or both are lost.
        assert_eq!(blamed(rule, false, &[(0, 10, 16.0, 'a'), (5, 15, 1.0, 'b')]), ["b<a"], "{rule:?}");
        let stronger = blamed(rule, false, &[(0, 10, 1.0, 'a'), (5, 15, 16.0, 'b')]);
        assert_eq!(stronger, if any { vec!["a/b"] } else { vec!["a/b", "b/a"] }, "{rule:?}");
        // One that cannot be decoded spoils, and is not lost itself.
        assert_eq!(blamed(rule, false, &[(0, 10, 4.0, 'a'), (5, 15, 0.9, 'w')]), ["a/w"], "{rule:?}");
        // What arrives during a transmission is not taken up, whatever else is in the air.
        assert_eq!(blamed(rule, true, &[(2, 10, 8.0, 'a')]), ["a"], "{rule:?}");
        assert_eq!(blamed(rule, true, &[(1, 10, 0.5, 'w'), (2, 10, 8.0, 'a')]), ["a"], "{rule:?}");
    }
    // One collision after the other: the frame that lasts longest stands for what is in the air.
    let ns2 = ReceptionRule { interference: Interference::Locked, ..ReceptionRule::default() };
    let three = [(0, 10, 8.0, 'a'), (5, 20, 2.0, 'b'), (15, 25, 2.0, 'c')];
    assert_eq!(blamed(ns2, false, &three), ["a/b", "b/a", "c/b"]);
    // Of all that overlaps, the strongest.
    let energy = ReceptionRule { weak_frames: WeakFrames::Energy, ..ReceptionRule::default() };
    let weak = [(0, 10, 0.5, 'v'), (1, 10, 0.9, 'w'), (2, 10, 0.4, 'x'), (3, 20, 2.0, 'a')];
    assert_eq!(blamed(energy, false, &weak), ["a/w"]);
}

#[test]
fn arrivals_are_taken_in_order_of_arrival_not_of_announcement() {
    let mut receiver = Receiver::new(ReceptionRule::default());
    for (from, frame) in [(7, 'b'), (3, 'a'), (9, 'c')] {
        let (from, until) = (Time::from_nanos(from), Time::from_nanos(from + 1));
        receiver.announce(Signal { from, until, ..signal(frame) });
    }
    let mut order = String::new();
    receiver.advance(Time::NEVER, |_, event| {
        if let RxEvent::Ended(Ended::Received(frame)) = event {
            order.push(frame);
        }
    });
    assert_eq!(order, "abc");
}

#[test]
fn a_damaged_frame_ends_in_error_and_no_other_is_to_blame() {
    for rule in all_rules() {
        let mut receiver = Receiver::new(rule);
        receiver.announce(Signal { until: Time::from_nanos(9), hurdle: Hurdle::DAMAGED, ..signal('a') });
        let mut told = Vec::new();
        receiver.advance(Time::NEVER, |at: Time, event| told.push((at.as_nanos(), event)));
        let end = Time::from_nanos(9);
        assert_eq!(told, [(0, RxEvent::Carrier(end)), (9, RxEvent::Ended(Ended::Damaged('a')))], "{rule:?}");
    }
}

#[test]
fn what_each_is_too_weak_for_all_do_together() {
    // 'a' is 16 times as strong as each of three: alone they do no harm, two at a time they do.
    let air = [(0, 100, 16.0, 'a'), (10, 40, 1.0, 'b'), (20, 50, 1.0, 'c')];
    for interference in [Interference::All, Interference::Locked, Interference::Sum] {
        let rule = ReceptionRule { interference, ..ReceptionRule::default() };
        let summed = interference == Interference::Sum;
        assert_eq!(outcome(rule, &air).0.contains('a'), !summed, "{interference:?}");
        let apart = [(0, 100, 16.0, 'a'), (10, 40, 1.0, 'b'), (40, 50, 1.0, 'c')];
        assert!(outcome(rule, &apart).0.contains('a'), "{interference:?}");
    }
    // Noise adds to it: 16 / (1 + 0.59) is above 10, 16 / (1 + 0.61) below.
    for (noise_mw, received) in [(0.59, true), (0.61, false)] {
        let rule = ReceptionRule { interference: Interference::Sum, noise_mw, ..ReceptionRule::default() };
        assert_eq!(outcome(rule, &air[..2]).0.contains('a'), received);
    }
    let sum = ReceptionRule { interference: Interference::Sum, ..ReceptionRule::default() };
    assert_eq!(blamed(sum, false, &air), ["a/b", "b<a", "c<a"], "the strongest of all, the earliest of these");
}

/// Preamble 4 us, of which the last is the header; then 8 us: 16 bits of 2 Mb/s.
fn noisy(noise_mw: f64) -> ReceptionRule {
    let decoding = Decoding::BitErrors(Bits::dsss(Duration::from_micros(4), [Modulation::Dbpsk, Modulation::Dqpsk]));
    ReceptionRule { interference: Interference::Sum, noise_mw, decoding, ..ReceptionRule::default() }
}

/// What becomes of 'a', 12 us long with power 5, among others (from, until, power) with this hurdle.
fn fate(rule: ReceptionRule, hurdle: f64, others: &[(u64, u64, f64)]) -> Vec<String> {
    let mut receiver = Receiver::new(rule);
    receiver.announce(Signal {
        until: Time::from_nanos(12_000),
        hurdle: Hurdle::at(hurdle).sent_at(Pace::Data),
        ..signal('a')
    });
    for &(from, until, power_mw) in others {
        let (from, until) = (Time::from_nanos(from), Time::from_nanos(until));
        receiver.announce(Signal { from, until, power_mw, hurdle: Hurdle::WEAK, ..signal('b') });
    }
    let mut fate = Vec::new();
    receiver.advance(Time::NEVER, |_, event: RxEvent<char>| match event {
        RxEvent::Collided { frame, by } => fate.push(format!("{frame}/{by}")),
        RxEvent::Ended(how) => fate.push(format!("{how:?}")),
        _ => {}
    });
    fate
}

#[test]
fn the_chance_of_a_frame_is_that_of_all_its_bits() {
    // Noise alone: 1 bit at 1 Mb/s and 16 at 2 Mb/s, at a ratio of 0.5.
    let chance = Modulation::Dbpsk.success(0.5, 1.0) * Modulation::Dqpsk.success(0.5, 16.0);
    assert!(chance > 0.5 && chance < 0.999, "{chance}");
    let rule = noisy(10.0);
    assert_eq!(fate(rule, chance - 1e-9, &[]), ["Received('a')"]);
    assert_eq!(fate(rule, chance + 1e-9, &[]), ["Damaged('a')"]);
    // Another frame from 5 to 7 us: 4 of the bits are sent in three times the noise, and it is to blame where noise
    // alone would have done no harm.
    let worse = Modulation::Dbpsk.success(0.5, 1.0)
        * Modulation::Dqpsk.success(0.5, 12.0)
        * Modulation::Dqpsk.success(5.0 / 30.0, 4.0);
    assert!(worse < chance - 0.01);
    let other = [(5_000, 7_000, 20.0)];
    assert_eq!(fate(rule, worse - 1e-9, &other), ["Received('a')"]);
    assert_eq!(fate(rule, worse + 1e-9, &other), ["a/b", "Failed('a')"]);
    assert_eq!(fate(rule, chance + 1e-9, &other), ["Damaged('a')"]);
    // What comes during the first three quarters of the preamble harms no bit; in the last one it does.
    assert_eq!(fate(rule, chance - 1e-9, &[(500, 3_000, 1e9)]), ["Received('a')"]);
    assert_eq!(fate(rule, chance - 1e-9, &[(500, 3_001, 1e9)]), ["a/b", "Failed('a')"]);
    // Two that overlap add up; it makes no difference in how many steps one looks.
    let both = [(5_000, 7_000, 10.0), (5_000, 7_000, 10.0)];
    assert_eq!(fate(rule, worse - 1e-9, &both), ["Received('a')"]);
    assert_eq!(fate(rule, worse + 1e-9, &both), ["a/b", "Failed('a')"]);
}
