use hopwright_machine::Duration;
use proptest::prelude::*;

use super::*;

const POWERS: Powers = Powers::of(3.0, 2.0, 1.0);

const fn at(us: u64) -> Time {
    Time::from_nanos(us * 1000)
}

const fn payer(n: u64) -> Payer {
    Payer { account: n as usize % 3, packet: PacketId(n) }
}

/// One radio, on which three accounts are kept: routing's and those of a flow.
fn meter(begin: Time) -> Meter {
    Meter::of(POWERS, begin, 1, 1, true)
}

fn busy(from: u64, until: u64, state: RadioState, n: u64) -> Busy {
    Busy { from: at(from), until: at(until), state, payer: payer(n) }
}

/// Microseconds in each state: transmit, receive, overhear, sense, idle, off.
fn spent_us(meter: &mut Meter, end: u64) -> [u64; 6] {
    meter.end(at(end));
    meter.devices[0].spent.map(|ns| ns / 1000)
}

/// Microseconds that a packet took in all states.
fn packet_us(meter: &Meter, n: u64) -> u64 {
    let packets = meter.books.packets.as_ref().expect("asked for");
    packets.get(&PacketId(n)).map_or(0, |airtime| airtime.iter().sum::<u64>() / 1000)
}

#[test]
fn what_is_not_busy_is_idle() {
    let mut meter = meter(Time::ZERO);
    meter.hears(at(10), 0, busy(11, 31, RadioState::Receive, 1));
    meter.sends(at(40), NodeId(0), at(47), payer(2));
    assert_eq!(spent_us(&mut meter, 100), [7, 20, 0, 0, 73, 0]);
    assert_eq!((packet_us(&meter, 1), packet_us(&meter, 2)), (20, 7));
    let j = 1e-6 * (7.0 * 3.0 + 20.0 * 2.0 + 73.0);
    assert!((meter.joules(&meter.devices[0].spent) - j).abs() < 1e-15);
}

#[test]
fn of_frames_that_overlap_the_first_counts_to_its_end() {
    let mut meter = meter(Time::ZERO);
    // Announced in another order than they arrive.
    meter.hears(at(0), 0, busy(5, 25, RadioState::Overhear, 2));
    meter.hears(at(0), 0, busy(2, 12, RadioState::Sense, 1));
    meter.hears(at(0), 0, busy(6, 10, RadioState::Receive, 3)); // over before it could be its turn
    assert_eq!(spent_us(&mut meter, 30), [0, 0, 13, 10, 7, 0]);
    assert_eq!([1, 2, 3].map(|n| packet_us(&meter, n)), [10, 13, 0]);
}

#[test]
fn of_frames_that_come_together_the_one_that_left_first_counts() {
    let mut meter = meter(Time::ZERO);
    meter.hears(at(0), 0, busy(5, 9, RadioState::Sense, 1));
    meter.hears(at(0), 0, busy(5, 9, RadioState::Receive, 2));
    assert_eq!(spent_us(&mut meter, 10), [0, 0, 0, 4, 6, 0]);
}

#[test]
fn who_sends_receives_nothing_meanwhile() {
    let mut meter = meter(Time::ZERO);
    meter.hears(at(0), 0, busy(0, 20, RadioState::Sense, 1));
    meter.sends(at(5), NodeId(0), at(15), payer(2));
    meter.hears(at(6), 0, busy(7, 14, RadioState::Receive, 3));
    assert_eq!(spent_us(&mut meter, 30), [10, 0, 0, 10, 10, 0]);
    assert_eq!([1, 2, 3].map(|n| packet_us(&meter, n)), [10, 10, 0]);
}

#[test]
fn a_node_that_is_down_is_off_and_forgets() {
    let mut meter = meter(Time::ZERO);
    meter.hears(at(0), 0, busy(0, 20, RadioState::Receive, 1));
    meter.switch(at(5), NodeId(0), false);
    meter.switch(at(10), NodeId(0), true); // the frame is in the air yet, and not noticed
    meter.sends(at(30), NodeId(0), at(40), payer(2));
    meter.switch(at(34), NodeId(0), false); // cut off
    meter.switch(at(38), NodeId(0), true);
    assert_eq!(spent_us(&mut meter, 50), [4, 5, 0, 0, 32, 9]);
}

#[test]
fn only_what_is_measured_counts() {
    let mut meter = meter(at(100));
    meter.sends(at(10), NodeId(0), at(20), payer(1));
    meter.hears(at(90), 0, busy(95, 105, RadioState::Receive, 2));
    meter.hears(at(190), 0, busy(195, 215, RadioState::Receive, 3)); // the run ends meanwhile
    assert_eq!(spent_us(&mut meter, 200), [0, 10, 0, 0, 90, 0]);
    assert_eq!([1, 2, 3].map(|n| packet_us(&meter, n)), [0, 5, 5]);
    assert_eq!(meter.books.accounts.iter().flatten().sum::<u64>(), 10_000);
}

#[test]
#[should_panic(expected = "does not add up")]
fn times_that_do_not_add_up_are_noticed() {
    let mut meter = meter(Time::ZERO);
    meter.devices[0].settled = at(1);
    meter.end(at(10));
}

/// What may happen at a radio, a time after what happened before.
#[derive(Clone, Debug)]
enum Happening {
    Sends(u64),
    Hears { delay: u64, length: u64, state: RadioState },
    Switches,
}

fn happening() -> impl Strategy<Value = (u64, Happening)> {
    let state = prop::sample::select(vec![RadioState::Receive, RadioState::Overhear, RadioState::Sense]);
    let hears = (0u64..4, 1u64..40, state);
    let hears = hears.prop_map(|(delay, length, state)| Happening::Hears { delay, length, state });
    let what = prop_oneof![
        2 => (1u64..30).prop_map(Happening::Sends),
        6 => hears,
        1 => Just(Happening::Switches),
    ];
    (0u64..12, what)
}

/// The same, instant by instant.
#[derive(Default)]
struct Slow {
    /// State and packet in each nanosecond.
    instants: Vec<(RadioState, u64)>,
    is_down: bool,
    sending: Option<(u64, u64)>,
    heard: Vec<(u64, u64, RadioState, u64)>,
}

impl Slow {
    fn up_to(&mut self, now: u64) {
        while (self.instants.len() as u64) < now {
            let t = self.instants.len() as u64;
            let there = self.heard.iter().filter(|(from, until, ..)| (*from..*until).contains(&t));
            let state = if self.is_down {
                (RadioState::Off, 0)
            } else if let Some((_, n)) = self.sending.filter(|(until, _)| *until > t) {
                (RadioState::Transmit, n)
            } else {
                there.min_by_key(|(from, ..)| *from).map_or((RadioState::Idle, 0), |&(_, _, state, n)| (state, n))
            };
            self.instants.push(state);
        }
    }
}

proptest! {
    #[test]
    fn it_agrees_with_a_look_at_every_instant(
        happenings in prop::collection::vec(happening(), 0..60),
        begin in 0u64..100,
        rest in 0u64..50,
    ) {
        let (mut meter, mut slow) = (meter(Time::from_nanos(begin)), Slow::default());
        let mut now = 0;
        for (n, (gap, what)) in happenings.into_iter().enumerate() {
            now += gap;
            let (time, n) = (Time::from_nanos(now), n as u64 + 1);
            slow.up_to(now);
            match what {
                Happening::Switches => {
                    meter.switch(time, NodeId(0), slow.is_down);
                    slow = Slow { instants: slow.instants, is_down: !slow.is_down, ..Slow::default() };
                }
                _ if slow.is_down => {}
                Happening::Sends(length) => {
                    if slow.sending.is_none_or(|(until, _)| until <= now) {
                        meter.sends(time, NodeId(0), time + Duration::from_nanos(length), payer(n));
                        slow.sending = Some((now + length, n));
                    }
                }
                Happening::Hears { delay, length, state } => {
                    let from = time + Duration::from_nanos(delay);
                    let until = from + Duration::from_nanos(length);
                    meter.hears(time, 0, Busy { from, until, state, payer: payer(n) });
                    slow.heard.push((now + delay, now + delay + length, state, n));
                }
            }
        }
        let end = (now + rest).max(begin);
        slow.up_to(end);
        meter.end(Time::from_nanos(end));
        let measured = &slow.instants[begin as usize..];
        for state in RadioState::ALL {
            let ns = measured.iter().filter(|(s, _)| *s == state).count() as u64;
            prop_assert_eq!(meter.devices[0].spent[state as usize], ns, "{:?}", state);
        }
        let busy = |n: u64| measured.iter().filter(|&&(_, p)| p == n).count() as u64;
        let packets = meter.books.packets.clone().unwrap_or_default();
        for n in 1..=60 {
            prop_assert_eq!(packets.get(&PacketId(n)).map_or(0, |a| a.iter().sum()), busy(n), "packet {}", n);
        }
        for (account, airtime) in meter.books.accounts.iter().enumerate() {
            let of_packets: u64 = (1..=60).filter(|n| *n as usize % 3 == account).map(busy).sum();
            prop_assert_eq!(airtime.iter().sum::<u64>(), of_packets, "account {}", account);
        }
    }
}
