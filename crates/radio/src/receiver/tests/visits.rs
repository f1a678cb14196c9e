//! It makes no difference when a receiver is looked at; what it says of itself; and what it forgets.

use hopwright_machine::{NodeId, Purpose, Stream};

use super::*;

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// Everything that a listener is told, in words.
#[derive(Debug, Default)]
pub(super) struct Told(pub(super) Vec<(u64, String)>);

impl Told {
    fn say(&mut self, at: Time, what: String) {
        self.0.push((at.as_nanos(), what));
    }
}

impl Listener<char> for &mut Told {
    fn carrier(&mut self, at: Time, until: Time, of: char) {
        self.say(at, format!("carrier {} {of}", until.as_nanos()));
    }

    fn held(&mut self, at: Time, until: Time, of: char) {
        self.say(at, format!("held {} {of}", until.as_nanos()));
    }

    fn collided(&mut self, at: Time, frame: char, by: char) {
        self.say(at, format!("{frame}/{by}"));
    }

    fn missed(&mut self, at: Time, frame: char, why: Missed<char>) {
        self.say(at, format!("missed {frame} {why:?}"));
    }

    fn ended(&mut self, at: Time, how: Ended<char>) {
        self.say(at, format!("ended {how:?}"));
    }
}

pub(super) fn sent(from: u64, until: u64, power_mw: f64, frame: char) -> Signal<char> {
    Signal { from: at(from), until: at(until), power_mw, hurdle: Hurdle::of(power_mw >= 1.0), ..signal(frame) }
}

/// What a receiver tells of signals if it is looked at once, when all is over.
pub(super) fn told(rule: ReceptionRule, signals: &[Signal<char>]) -> Vec<(u64, String)> {
    let (mut receiver, mut told) = (Receiver::new(rule), Told::default());
    signals.iter().for_each(|&signal| receiver.announce(signal));
    receiver.advance(Time::NEVER, &mut told);
    told.0
}

/// Signals by when they are announced, and that time: up to 5 ns before they arrive.
fn traffic(seed: u64) -> Vec<(u64, Signal<char>)> {
    let mut stream = Stream::new(seed, NodeId(0), Purpose::Backoff);
    let mut leaves = 0;
    ('a'..='z')
        .map(|frame| {
            leaves += u64::from(stream.below(12));
            let from = leaves + u64::from(stream.below(5));
            let until = from + 1 + u64::from(stream.below(30));
            let power_mw = [0.05, 0.5, 1.0, 2.0, 10.0, 20.0, 300.0][stream.below(7) as usize];
            (leaves, sent(from, until, power_mw, frame))
        })
        .collect()
}

/// When a receiver tells of it that is always looked at: an end when it is, with the collision that it may turn out to
/// be, and an arrival when it is past.
fn seen_at(told: &[(u64, String)], n: usize) -> u64 {
    let is_end = |n: usize| told.get(n).is_some_and(|(_, what)| what.starts_with("ended"));
    let (at, what) = &told[n];
    let turns_out = what.contains('/') && is_end(n + 1) && told[n + 1].0 == *at;
    if is_end(n) || turns_out { *at } else { at + 1 }
}

#[test]
fn it_makes_no_difference_when_one_looks() {
    let mut received = 0;
    for (n, rule) in all_rules().into_iter().cycle().take(240).enumerate() {
        let traffic = traffic(n as u64);
        let signals: Vec<_> = traffic.iter().map(|&(_, signal)| signal).collect();
        let once = told(rule, &signals);
        received += once.iter().filter(|(_, what)| what.contains("Received")).count();
        // Every so many nanoseconds: an end is told when it is, an arrival when it is past.
        for every in [1, 7, 40] {
            let (mut receiver, mut told) = (Receiver::new(rule), Told::default());
            let mut announced = 0;
            for now in (0..600).step_by(every) {
                while let Some((_, signal)) = traffic.get(announced).filter(|(leaves, _)| *leaves <= now) {
                    receiver.announce(*signal);
                    announced += 1;
                }
                let next = receiver.next_event();
                let before = told.0.len();
                receiver.advance(at(now), &mut told);
                assert!(told.0.len() == before || next <= at(now), "something came before {next}");
                let past = (0..once.len()).filter(|&n| seen_at(&once, n) <= now).count();
                assert_eq!(told.0, once[..past], "{rule:?} at {now}, every {every}");
                let by_then = signals[..announced].iter().filter(|s| s.from >= at(now)).count();
                assert_eq!(receiver.upcoming().len(), by_then);
            }
            assert_eq!(told.0, once, "{rule:?}, every {every}");
        }
        // At each event, and at no other time.
        let (mut receiver, mut told) = (Receiver::new(rule), Told::default());
        signals.iter().for_each(|&signal| receiver.announce(signal));
        while !receiver.next_event().is_never() {
            let (next, before) = (receiver.next_event(), told.0.len());
            receiver.advance(next, &mut told);
            let now = before..told.0.len();
            assert!(!now.is_empty() && now.clone().all(|n| at(seen_at(&once, n)) == next), "{next}: {:?}", &once[now]);
        }
        assert_eq!(told.0, once);
    }
    assert!(received > 500, "{received}");
}

#[test]
fn of_signals_that_arrive_together_the_one_announced_first_comes_first() {
    let air = [sent(7, 20, 1.0, 'a'), sent(9, 20, 1.0, 'b'), sent(7, 20, 1.0, 'c')];
    let carriers: Vec<_> = told(ReceptionRule { interference: Interference::Locked, ..ReceptionRule::default() }, &air)
        .into_iter()
        .filter(|(_, what)| what.contains('/'))
        .collect();
    assert_eq!(carriers[0], (7, "a/c".to_owned()), "'a' was there first");
}

#[test]
fn a_backlog_of_eight_is_time_to_look() {
    let mut receiver = Receiver::new(ReceptionRule::default());
    for n in 1..=8 {
        assert!(!receiver.is_behind());
        receiver.announce(sent(10 * n, 10 * n + 5, 1.0, 'a'));
    }
    assert!(receiver.is_behind());
    receiver.advance(at(11), |_, _| ());
    assert_eq!((receiver.upcoming().len(), receiver.is_behind()), (7, false));
}

/// A weak frame that is alone will end in error; the station may count on it as long as nothing else is announced.
#[test]
fn a_receiver_says_whether_the_last_signal_will_fail_for_certain() {
    let lock = ReceptionRule::default();
    let fails = |rule, transmits: u64, air: &[Signal<char>]| {
        let mut receiver = Receiver::new(rule);
        receiver.transmit(at(transmits));
        air.iter().for_each(|&signal| receiver.announce(signal));
        receiver.fails_at().map(Time::as_nanos)
    };
    let weak = |from, until| sent(from, until, 0.5, 'w');
    let strong = |from, until| sent(from, until, 2.0, 's');
    assert_eq!(fails(lock, 0, &[]), None);
    assert_eq!(Receiver::<char>::new(lock).fails_at(), None);
    assert_eq!(fails(lock, 0, &[weak(5, 9)]), Some(9));
    assert_eq!(fails(lock, 0, &[strong(5, 9)]), None);
    assert_eq!(fails(ReceptionRule { weak_frames: WeakFrames::Energy, ..lock }, 0, &[weak(5, 9)]), None);
    // The station transmits when it comes, or is just done.
    assert_eq!((fails(lock, 6, &[weak(5, 9)]), fails(lock, 5, &[weak(5, 9)])), (None, Some(9)));
    // Another is in the air, or just over.
    assert_eq!(fails(lock, 0, &[weak(5, 9), weak(8, 20)]), None);
    assert_eq!(fails(lock, 0, &[strong(5, 9), weak(9, 20)]), Some(20));
    assert_eq!(fails(lock, 0, &[strong(0, 90), weak(5, 9), weak(10, 20)]), None);
    assert_eq!(fails(lock, 0, &[weak(5, 9), strong(8, 20)]), None);
    // It begins to transmit, or goes down.
    let mut receiver = Receiver::new(lock);
    receiver.announce(weak(5, 9));
    receiver.transmit(at(7));
    assert_eq!(receiver.fails_at(), None);
    // And what is said comes true.
    for rule in all_rules().into_iter().filter(|rule| rule.weak_frames == WeakFrames::Lock) {
        let told = told(rule, &[weak(5, 9)]);
        assert_eq!(told[1..], [(9, "ended Failed('w')".to_owned())], "{rule:?}");
    }
}

#[test]
fn a_receiver_that_was_off_hears_as_a_new_one() {
    for (n, rule) in all_rules().into_iter().cycle().take(48).enumerate() {
        let signals: Vec<_> = traffic(n as u64).into_iter().map(|(_, signal)| signal).collect();
        let mut receiver = Receiver::new(rule);
        signals.iter().for_each(|&signal| receiver.announce(signal));
        receiver.announce(sent(10_000, 20_000, 0.5, 'w'));
        receiver.advance(at(60), |_, _| ());
        receiver.transmit(at(30_000));
        receiver.announce(sent(40_000, 50_000, 0.5, 'w'));
        receiver.clear();
        assert!(receiver.upcoming().is_empty() && receiver.next_event().is_never());
        assert_eq!(receiver.fails_at(), None);
        let mut again = Told::default();
        receiver.announce(sent(61, 70, 0.5, 'w'));
        assert_eq!(receiver.fails_at().is_some(), rule.weak_frames == WeakFrames::Lock, "nothing else is in the air");
        // Some are taken account of, others not, when it goes off.
        receiver.announce(sent(65, 80, 0.5, 'w'));
        receiver.announce(sent(75, 90, 0.5, 'w'));
        receiver.advance(at(62), |_, _| ());
        receiver.clear();
        assert!(receiver.upcoming().is_empty());
        signals.iter().for_each(|&signal| receiver.announce(signal));
        receiver.advance(Time::NEVER, &mut again);
        assert_eq!(again.0, told(rule, &signals), "{rule:?}");
    }
}

/// Of two frames that end together, or are as strong as each other, the one that is cut off is known by both.
#[test]
fn a_frame_that_is_cut_off_cannot_be_decoded() {
    for rule in all_rules() {
        for (looked_at, until, power_mw, received) in [
            (0, 20, 4.0, "b"),
            (5, 20, 4.0, "b"),
            (0, 40, 3.0, "a"),
            (0, 40, 4.0, "ab"),
            (5, 20, 3.0, "ab"),
            (5, 40, 4.0, "ab"),
        ] {
            let mut receiver = Receiver::new(rule);
            receiver.announce(sent(0, 20, 4.0, 'a'));
            receiver.announce(sent(30, 40, 3.0, 'b'));
            receiver.advance(at(looked_at), |_, _| ());
            receiver.spoil(at(until), power_mw);
            let mut heard = String::new();
            receiver.advance(Time::NEVER, |_, event| match event {
                RxEvent::Ended(Ended::Received(frame)) => heard.push(frame),
                RxEvent::Ended(how) => assert!(matches!(how, Ended::Failed(_)), "{how:?}"),
                _ => {}
            });
            assert_eq!(heard, received, "{rule:?}, {looked_at}, {until}, {power_mw}");
        }
    }
}
