//! What window validation (RFC 7661) does to every protocol: nothing to a sender that always has data to send, and no window
//! far beyond what is used to one that has not.

use std::collections::BTreeMap;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::params::{GranularityMode, WindowValidation};
use hopwright_transport::{
    Connection, Data, Input, NetworkSignal, Output, PROTOCOLS, Params, Protocol, Public, Role, protocol,
};
use hopwright_wire::tcp::{Segment, Seq};

const ONE_WAY: Duration = Duration::from_millis(50);
const ROUND_TRIP_MS: u64 = 101;
const SEGMENT: u32 = 1000;
/// What a segment carries beside a timestamp.
const PAYLOAD: u32 = SEGMENT - 12;

const fn at(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// What happens to the sender from outside.
#[derive(Clone, Copy)]
enum Event {
    Write(u64),
    RouteFails,
    RouteReturns,
}

/// A path that loses every so-maniest data segment (0: none), and everything while there is no route.
struct Path {
    loses: u64,
    route_gone: Option<(Time, Time)>,
}

/// How a transfer went: the data segments that left, and the state at the end.
struct Course {
    sent: Vec<(Time, u32, u32)>,
    end: Public,
}

fn transfer(row: &Protocol, base: &Params, path: &Path, events: &[(Time, Event)], until: Time) -> Course {
    let mut params = row.params(base.clone());
    (params.timestamps, params.selective_acks) = (true, true);
    let end = |role| Connection::new(&row.recipe, &params, role, 1, 2, Seq(1));
    let mut ends = [end(Role::Active), end(Role::Passive)];
    let mut arrivals: BTreeMap<(Time, u64), (usize, Segment)> = BTreeMap::new();
    let mut events = events.iter().peekable();
    let (mut now, mut count, mut sent) = (Time::ZERO, 0, Vec::new());
    ends[1].handle(now, Input::Open);
    ends[0].handle(now, Input::Open);
    loop {
        for index in [0, 1] {
            while let Some(output) = ends[index].poll() {
                let Output::Segment(segment) = output else { continue };
                let is_data = segment.payload_bytes > 0;
                if is_data {
                    sent.push((now, segment.seq.0, segment.payload_bytes));
                }
                let is_lost = is_data && path.loses > 0 && (sent.len() as u64).is_multiple_of(path.loses);
                if !is_lost && !path.route_gone.is_some_and(|(from, to)| (from..to).contains(&now)) {
                    count += 1;
                    arrivals.insert((now + ONE_WAY, count), (1 - index, segment));
                }
            }
        }
        let arrival = arrivals.first_key_value().map_or(Time::NEVER, |(&(time, _), _)| time);
        let event = events.peek().map_or(Time::NEVER, |(time, _)| *time);
        let timer = ends[0].deadline().min(ends[1].deadline());
        now = arrival.min(timer).min(event);
        if now > until {
            return Course { sent, end: ends[0].public().clone() };
        }
        if event == now {
            let input = match events.next().expect("an event").1 {
                Event::Write(bytes) => Input::Write(Data::Count(bytes)),
                Event::RouteFails => Input::Signal(NetworkSignal::RouteFailed(None)),
                Event::RouteReturns => Input::Signal(NetworkSignal::RouteRestored),
            };
            ends[0].handle(now, input);
        } else if timer < arrival {
            let index = usize::from(ends[0].deadline() > timer);
            ends[index].handle(now, Input::Wake);
        } else if let Some((_, (index, segment))) = arrivals.pop_first() {
            ends[index].handle(now, Input::Segment { segment: &segment, data: &[] });
        }
    }
}

fn params(window_validation: WindowValidation) -> Params {
    Params {
        segment_bytes: SEGMENT,
        window_limit_segments: 20_000,
        max_burst_segments: 0,
        initial_window_segments: 10,
        granularity_mode: GranularityMode::Exact,
        window_validation,
        ..Params::default()
    }
}

const BOTH: [WindowValidation; 2] = [WindowValidation::None, WindowValidation::Rfc7661];

/// TCC's receiver limits its sender by what it offers.
fn window_limited() -> impl Iterator<Item = &'static Protocol> {
    PROTOCOLS.iter().filter(|row| row.id != "tcc")
}

#[test]
fn who_always_sends_does_not_notice() {
    let bulk = [(at(0), Event::Write(1 << 40))];
    for row in window_limited() {
        for (loses, seconds) in [(0, 1), (23, 20), (150, 20)] {
            let path = Path { loses, route_gone: None };
            let run = |mode| transfer(row, &params(mode), &path, &bulk, at(1000 * seconds));
            let [without, with] = BOTH.map(run);
            assert!(without.sent == with.sent && without.end.cwnd == with.end.cwnd, "{}, 1 in {loses}", row.id);
            assert!(with.sent.len() > 20, "{}: {}", row.id, with.sent.len());
        }
    }
}

/// A route that is gone for three seconds: who stands still meanwhile goes on as if there were no validation.
#[test]
fn who_stands_still_is_not_idle() {
    let (fails, returns) = (at(600), at(3_600));
    for id in ["tcp-f", "elfn", "simelfn", "fsr", "atcp"] {
        let path = Path { loses: 0, route_gone: Some((fails, returns)) };
        let events = [(at(0), Event::Write(1 << 40)), (fails, Event::RouteFails), (returns, Event::RouteReturns)];
        let slow = |mode| Params { initial_window_segments: 2, ..params(mode) };
        let run = |mode| transfer(protocol(id).unwrap(), &slow(mode), &path, &events, at(4_100));
        let [without, with] = BOTH.map(run);
        assert!(without.sent == with.sent && without.end.cwnd == with.end.cwnd, "{id}");
        assert!(with.sent.iter().any(|(time, ..)| *time >= returns), "{id} is silent");
    }
}

/// One segment per round trip two hundred times, and then more than any window.
fn sparing() -> Vec<(Time, Event)> {
    let single = (0..200).map(|n| (at(200 + n * ROUND_TRIP_MS), Event::Write(u64::from(PAYLOAD))));
    single.chain([(at(200 + 200 * ROUND_TRIP_MS), Event::Write(1 << 40))]).collect()
}

/// How many segments leave at once, and how many in the round trip that then begins.
fn released(row: &Protocol, mode: WindowValidation) -> (usize, usize) {
    let (path, last) = (Path { loses: 0, route_gone: None }, at(200 + 200 * ROUND_TRIP_MS));
    let course = transfer(row, &params(mode), &path, &sparing(), last + Duration::from_millis(90));
    let after = |until: Time| course.sent.iter().filter(|(time, ..)| (last..=until).contains(time)).count();
    (after(last), after(at(u64::MAX / 1_000_000)))
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let newreno = protocol("newreno").unwrap();
    assert_eq!(released(newreno, WindowValidation::None), (210, 210));
    for row in PROTOCOLS {
        let (at_once, in_a_round_trip) = released(row, WindowValidation::Rfc7661);
        assert!(at_once <= 10 && in_a_round_trip <= 11, "{}: {at_once}, then {in_a_round_trip}", row.id);
        assert!(at_once > 0, "{}", row.id);
    }
}

/// The peer's offer keeps the window from being used as an application does.
#[test]
fn a_window_beyond_what_is_offered_grows_to_twice_that() {
    let bulk = [(at(0), Event::Write(1 << 40))];
    let path = Path { loses: 0, route_gone: None };
    let offered = |mode| Params { window_limit_segments: 64, ..params(mode) };
    let run = |mode| transfer(protocol("newreno").unwrap(), &offered(mode), &path, &bulk, at(10_000));
    let [without, with] = BOTH.map(|mode| run(mode).end.cwnd / f64::from(PAYLOAD));
    assert!(without > 1_000.0, "{without}");
    assert!((64.0..=130.0).contains(&with), "{with}");
}
