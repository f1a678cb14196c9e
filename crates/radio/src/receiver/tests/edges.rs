//! Where rules begin and end: just the capture ratio, frames that end together, and who keeps the medium busy.

use super::visits::{sent, told};
use super::*;

fn rule(interference: Interference) -> ReceptionRule {
    ReceptionRule { interference, ..ReceptionRule::default() }
}

fn lines(rule: ReceptionRule, air: &[Signal<char>]) -> Vec<String> {
    told(rule, air).into_iter().map(|(at, what)| format!("{at} {what}")).collect()
}

fn of(words: &str, lines: Vec<String>) -> Vec<String> {
    lines.into_iter().filter(|line| words.split(' ').any(|word| line.contains(word))).collect()
}

#[test]
fn just_ten_times_as_strong_is_enough() {
    for rule in all_rules() {
        let stronger_first = [(0, 10, 10.0, 'a'), (5, 15, 1.0, 'b')];
        assert_eq!(outcome(rule, &stronger_first).0.chars().next(), Some('a'), "{rule:?}");
        assert_eq!(blamed(rule, false, &stronger_first), ["b<a"], "{rule:?}");
        let any = rule.capture == Capture::Any;
        assert_eq!(outcome(rule, &[(0, 10, 1.0, 'a'), (5, 15, 10.0, 'b')]).0.contains('b'), any, "{rule:?}");
    }
}

/// ns-2's receiver, event by event.
#[test]
fn the_locked_receiver_keeps_the_medium_as_long_as_what_it_is_locked_on() {
    let ns2 = rule(Interference::Locked);
    assert_eq!(
        lines(ns2, &[sent(0, 10, 16.0, 'a'), sent(5, 30, 1.0, 'b')]),
        ["0 carrier 10 a", "5 missed b Captured('a')", "5 carrier 10 a", "5 held 30 b", "10 ended Received('a')"]
    );
    // Frames that collide: the one that ends last stands for both; of two that end together, the first.
    for (until, carrier, ended) in [
        (15, "5 carrier 15 b", "15 ended Failed('b')"),
        (8, "5 carrier 10 a", "10 ended Failed('a')"),
        (10, "5 carrier 10 a", "10 ended Failed('a')"),
    ] {
        let collision = lines(ns2, &[sent(0, 10, 8.0, 'a'), sent(5, until, 2.0, 'b')]);
        assert_eq!(collision, ["0 carrier 10 a", "5 a/b", "5 b/a", carrier, ended]);
    }
    // One that takes over does not make the other shorter.
    let any = ReceptionRule { capture: Capture::Any, ..ns2 };
    for (until, carrier, ended) in
        [(15, "5 carrier 20 a", "15 ended Received('b')"), (25, "5 carrier 25 b", "25 ended Received('b')")]
    {
        let captured = lines(any, &[sent(0, 20, 1.0, 'a'), sent(5, until, 16.0, 'b')]);
        assert_eq!(captured, ["0 carrier 20 a", "5 a/b", carrier, ended]);
    }
}

#[test]
fn the_medium_is_busy_until_the_last_of_all_frames_has_ended() {
    for interference in [Interference::All, Interference::Sum] {
        let air = [sent(0, 30, 1.0, 'a'), sent(5, 40, 1.0, 'b'), sent(7, 35, 1.0, 'c'), sent(8, 50, 1.0, 'd')];
        let carriers = of("carrier", lines(rule(interference), &air));
        assert_eq!(carriers, ["0 carrier 30 a", "5 carrier 40 b", "7 carrier 40 b", "8 carrier 50 d"]);
        let air = [sent(0, 30, 1.0, 'a'), sent(5, 20, 1.0, 'b'), sent(7, 10, 1.0, 'c')];
        let carriers = of("carrier", lines(rule(interference), &air));
        assert_eq!(carriers, ["0 carrier 30 a", "5 carrier 30 a", "7 carrier 30 a"]);
    }
}

/// Functions of events are listeners, too: they hear of what is held.
#[test]
fn a_function_is_told_of_what_holds_the_medium() {
    let mut receiver = Receiver::new(rule(Interference::Locked));
    receiver.announce(sent(0, 10, 16.0, 'a'));
    receiver.announce(sent(5, 30, 1.0, 'b'));
    let mut held = Vec::new();
    receiver.advance(Time::NEVER, |_, event| {
        if let RxEvent::Held(until) = event {
            held.push(until.as_nanos());
        }
    });
    assert_eq!(held, [30]);
}

/// What is over disturbs nobody, also if it ends in the very instant.
#[test]
fn what_has_ended_is_no_interference() {
    for interference in [Interference::All, Interference::Sum] {
        let any = ReceptionRule { capture: Capture::Any, ..rule(interference) };
        for ends in [10, 12] {
            let air = [(0, 8, 1000.0, 'l'), (2, ends, 50.0, 'w'), (9, 30, 1.0, 'b'), (12, 20, 20.0, 'a')];
            assert!(outcome(any, &air).0.contains('a'), "{interference:?}, {ends}");
        }
        // It must exceed all that are there, not one of them.
        let energy = ReceptionRule { weak_frames: WeakFrames::Energy, ..any };
        let air = [(0, 30, 0.05, 'x'), (2, 30, 5.0, 'y'), (5, 10, 6.0, 'a')];
        assert!(!outcome(energy, &air).0.contains('a'), "{interference:?}");
    }
    // Who is taken over goes on disturbing: 20 is more than ten times 1 and more than ten times 1.5, not of both.
    let sum = ReceptionRule { capture: Capture::Any, ..rule(Interference::Sum) };
    let air = [(0, 30, 1.0, 'a'), (5, 20, 20.0, 'b'), (7, 15, 1.5, 'c')];
    assert!(!outcome(sum, &air).0.contains('b') && outcome(sum, &air[..2]).0.contains('b'));
}

#[test]
fn of_those_in_the_air_the_strongest_is_to_blame_and_the_earliest_of_these() {
    let energy = ReceptionRule { weak_frames: WeakFrames::Energy, ..rule(Interference::All) };
    let blame = |air: &[(u64, u64, f64, char)]| blamed(energy, false, air);
    assert_eq!(blame(&[(0, 10, 0.5, 'v'), (2, 20, 2.0, 'a')]), ["a/v"]);
    assert_eq!(blame(&[(0, 10, 0.5, 'v'), (1, 10, 0.9, 'w'), (2, 20, 2.0, 'a')]), ["a/w"]);
    assert_eq!(blame(&[(0, 10, 0.9, 'v'), (1, 10, 0.9, 'w'), (2, 20, 2.0, 'a')]), ["a/v"]);
    // Not one that is over.
    assert_eq!(blame(&[(0, 3, 50.0, 'v'), (5, 10, 0.9, 'w'), (6, 12, 2.0, 'a')]), ["a/w"]);
    // Who keeps the receiver is to blame where none may take it over.
    let first = blame(&[(0, 40, 2.0, 'a'), (2, 40, 50.0, 'c'), (3, 40, 6.0, 'b')]);
    assert_eq!(first, ["a/c", "c/a", "b/a"]);
    // A frame that could not be decoded anyway is lost to nobody.
    assert_eq!(blame(&[(0, 10, 20.0, 'a'), (5, 15, 0.5, 'w')]), [""; 0]);
}

/// What ends with the transmission, or later, is noticed as an error; what ends before is not.
#[test]
fn what_ends_during_a_transmission_is_not_noticed() {
    for rule in all_rules() {
        for (transmits_until, ended) in [(19, Ended::Failed('a')), (20, Ended::Failed('a')), (21, Ended::Unnoticed)] {
            let mut receiver = Receiver::new(rule);
            receiver.announce(sent(0, 20, 2.0, 'a'));
            receiver.advance(Time::from_nanos(5), |_, _| ());
            receiver.transmit(Time::from_nanos(transmits_until));
            let mut ends = Vec::new();
            receiver.advance(Time::NEVER, |_, event| ends.push(event));
            assert_eq!(ends, [RxEvent::Ended(ended)], "{rule:?}");
        }
    }
}
