//! TCP-WELCOME on a route that breaks and comes back twice as long (Ghaleb-Seddik 2009 §5.7).

use std::collections::BTreeMap;

use hopwright_machine::{Duration, Machine as _, Time};
use hopwright_transport::params::GranularityMode;
use hopwright_transport::{Connection, Data, Input, Output, Params, Public, Role, protocol};
use hopwright_wire::tcp::{Segment, Seq};

/// Nothing passes between these times; before, 50 ms each way, afterwards 100.
const BREAKS_MS: u64 = 1_030;
const RESTORED_MS: u64 = 2_500;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Runs a transfer for ten seconds and shows the sender's state after each of its events.
fn transfer(mut watch: impl FnMut(&Public)) {
    let row = protocol("welcome").unwrap();
    let exact = Params { granularity_mode: GranularityMode::Exact, window_limit_segments: 12, ..Params::default() };
    let params = row.params(exact);
    let end = |role| Connection::new(&row.recipe, &params, role, 1, 2, Seq(1));
    let mut ends = [end(Role::Active), end(Role::Passive)];
    let mut arrivals: BTreeMap<(Time, u64), (usize, Segment)> = BTreeMap::new();
    ends[1].handle(Time::ZERO, Input::Open);
    ends[0].handle(Time::ZERO, Input::Write(Data::Count(100_000_000)));
    ends[0].handle(Time::ZERO, Input::Open);
    let (mut now, mut count) = (Time::ZERO, 0);
    while now < at(10_000) {
        for index in [0, 1] {
            while let Some(output) = ends[index].poll() {
                let Output::Segment(segment) = output else { continue };
                let delay = if now < at(RESTORED_MS) { 50 } else { 100 };
                count += 1;
                if now < at(BREAKS_MS) || now >= at(RESTORED_MS) {
                    arrivals.insert((now + Duration::from_millis(delay), count), (1 - index, segment));
                }
            }
        }
        let arrival = arrivals.first_key_value().map_or(Time::NEVER, |(&(time, _), _)| time);
        let timer = ends[0].deadline().min(ends[1].deadline());
        now = arrival.min(timer);
        if timer < arrival {
            let index = usize::from(ends[0].deadline() > timer);
            ends[index].handle(now, Input::Wake);
        } else if let Some((_, (index, segment))) = arrivals.pop_first() {
            ends[index].handle(now, Input::Segment { segment: &segment, data: &[] });
        }
        watch(ends[0].public());
    }
}

#[test]
fn the_window_is_kept_until_it_is_scaled_and_the_timer_is_never_backed_off() {
    let mut before: Option<Public> = None;
    let (mut former, mut samples, mut scaled) = (Public::default(), 0, None);
    transfer(|p| {
        if p.timeouts > 0 && before.is_none() {
            before = Some(former.clone());
        }
        if let Some(before) = &before {
            if p.now < at(RESTORED_MS) {
                assert_eq!((p.cwnd, p.rto), (before.cwnd, before.rto), "at {}", p.now);
            }
            samples += u32::from(p.rtt_sample.is_some() && p.now > former.now);
            if samples == 4 && scaled.is_none() {
                scaled = Some(p.clone());
            }
        }
        former = p.clone();
    });
    let (before, scaled) = (before.expect("a time-out"), scaled.expect("four samples"));
    assert!(former.diagnosed.route >= 3 && former.diagnosed.congestion == 0, "{:?}", former.diagnosed);
    let rto = |p: &Public| p.rto.as_secs_f64();
    assert!((rto(&scaled) / rto(&before) - 2.0).abs() < 0.02, "{} after {}", scaled.rto, before.rto);
    let half = (before.cwnd / 2.0).min(scaled.ssthresh);
    let growth = scaled.cwnd - half; // of the acknowledgement that brought the last sample
    assert!((0.0..=f64::from(scaled.mss)).contains(&growth), "{} after {}", scaled.cwnd, before.cwnd);
}
