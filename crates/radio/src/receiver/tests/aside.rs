//! What is announced aside leaves the same as if the station were told of each signal.

use proptest::prelude::*;

use super::*;
use crate::Past;

/// What an idle station makes of what its receiver tells: how long the medium is busy, and whether the last of it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Busy {
    carrier_until: Time,
    reserved_until: Time,
    failed_at: Time,
    last_failed: bool,
}

impl Busy {
    fn notice(&mut self, at: Time, event: RxEvent<u64>) {
        match event {
            RxEvent::Carrier(until) => {
                self.carrier_until = self.carrier_until.max(until);
                self.last_failed = false;
            }
            RxEvent::Ended(Ended::Received(reserves_ns)) => {
                self.reserved_until = self.reserved_until.max(at + Duration::from_nanos(reserves_ns));
                self.last_failed = false;
            }
            RxEvent::Ended(Ended::Failed(_) | Ended::Damaged(_)) => (self.failed_at, self.last_failed) = (at, true),
            _ => {}
        }
    }

    fn take(&mut self, Past { over_at, reserved_until, failed_at }: Past) {
        self.carrier_until = self.carrier_until.max(over_at);
        self.reserved_until = self.reserved_until.max(reserved_until);
        self.failed_at = self.failed_at.max(failed_at);
        self.last_failed = failed_at == over_at;
    }
}

/// What happens next, so many nanoseconds later.
#[derive(Clone, Debug)]
enum Step {
    /// A frame leaves: after a delay, it lasts so long; its power, hurdle and reservation; whether the receiver must have
    /// it as it is.
    Frame { delay: u64, lasts: u64, power_mw: f64, hurdle: Hurdle, reserves: u64, is_mine: bool },
    /// The station looks.
    Look,
    /// The station looks, and transmits for so long.
    Transmit(u64),
    /// The station is idle from now on, or not.
    Idle(bool),
}

fn step() -> impl Strategy<Value = (u64, Step)> {
    let hurdle = prop_oneof![4 => Just(Hurdle::NONE), 1 => Just(Hurdle::DAMAGED), 2 => Just(Hurdle::WEAK)];
    let power = prop_oneof![Just(0.5), Just(1.0), Just(16.0)];
    let frame = (0..4_u64, 1..20_u64, power, hurdle, 0..30_u64, prop::bool::weighted(0.1)).prop_map(
        |(delay, lasts, power_mw, hurdle, reserves, is_mine)| Step::Frame {
            delay,
            lasts,
            power_mw,
            hurdle,
            reserves,
            is_mine,
        },
    );
    let step = prop_oneof![
        12 => frame,
        1 => Just(Step::Look),
        1 => (1..20_u64).prop_map(Step::Transmit),
        1 => any::<bool>().prop_map(Step::Idle),
    ];
    (0..25_u64, step)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_by_being_put_aside(steps in prop::collection::vec(step(), 1..40), rule in 0..12_usize) {
        let rule = all_rules()[rule];
        let (mut whole, mut aside) = (Receiver::<u64>::new(rule), Receiver::<u64>::new(rule));
        let (mut busy, mut is_idle) = ([Busy::default(); 2], true);
        let mut ended = [Vec::new(), Vec::new()];
        let mut now = Time::ZERO;
        let look = |now, receivers: [&mut Receiver<u64>; 2], busy: &mut [Busy; 2], ended: &mut [Vec<_>; 2]| {
            for ((receiver, busy), ended) in receivers.into_iter().zip(busy).zip(ended) {
                receiver.take_past().into_iter().for_each(|past| busy.take(past));
                receiver.advance(now, |at: Time, event| {
                    busy.notice(at, event);
                    if let RxEvent::Ended(how) = event && how != Ended::Unnoticed {
                        ended.push((at, how));
                    }
                });
            }
        };
        for (later, step) in steps {
            now += Duration::from_nanos(later);
            match step {
                Step::Frame { delay, lasts, power_mw, hurdle, reserves, is_mine } => {
                    let from = now + Duration::from_nanos(delay);
                    let signal =
                        Signal { from, until: from + Duration::from_nanos(lasts), power_mw, hurdle, frame: reserves };
                    whole.announce(signal);
                    if is_mine {
                        aside.announce(signal);
                    } else {
                        let ends = |at, how| {
                            ended[1].push((at, how));
                            let Ended::Received(reserves_ns) = how else { return Duration::ZERO };
                            Duration::from_nanos(reserves_ns)
                        };
                        aside.announce_aside(now, || signal, || is_idle, ends);
                    }
                    prop_assert_eq!(whole.fails_at(), aside.fails_at());
                    continue; // nobody looks
                }
                Step::Look => look(now, [&mut whole, &mut aside], &mut busy, &mut ended),
                Step::Transmit(lasts) => {
                    look(now, [&mut whole, &mut aside], &mut busy, &mut ended);
                    let until = now + Duration::from_nanos(lasts);
                    prop_assert_eq!(whole.transmit(until), aside.transmit(until));
                }
                Step::Idle(becomes) => {
                    look(now, [&mut whole, &mut aside], &mut busy, &mut ended);
                    is_idle = becomes;
                    if !is_idle {
                        aside.keep_apart();
                    }
                }
            }
            prop_assert_eq!(busy[0], busy[1]);
            prop_assert_eq!(&ended[0], &ended[1]);
            prop_assert_eq!(whole.next_event(), aside.next_event());
        }
        look(Time::NEVER, [&mut whole, &mut aside], &mut busy, &mut ended);
        prop_assert_eq!(busy[0], busy[1]);
        prop_assert_eq!(&ended[0], &ended[1]);
    }
}

#[test]
fn of_a_hundred_frames_for_others_one_is_kept() {
    for rule in all_rules() {
        let mut receiver = Receiver::new(rule);
        let sums = rule.interference == Interference::Sum;
        for n in 0..if sums { 8 } else { 100 } {
            let [leaves, from, until] = [0, 1, 11].map(|ns| Time::from_nanos(20 * n + ns));
            let signal = Signal { from, until, ..signal('a') };
            receiver.announce_aside(leaves, || signal, || true, |_, _| Duration::from_nanos(3));
            assert_eq!(receiver.has_news(leaves), n > 0, "{rule:?}: what is over is news, what has not come is none");
        }
        assert_eq!(receiver.upcoming().len(), if sums { 8 } else { 1 }, "{rule:?}");
        let over = Time::from_nanos(20 * 98 + 11);
        let past = Past { over_at: over, reserved_until: over + Duration::from_nanos(3), failed_at: Time::ZERO };
        assert_eq!(receiver.take_past(), (!sums).then_some(past), "{rule:?}");
    }
}
