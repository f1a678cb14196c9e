//! What connections compute, by a clock that goes on by 1 µs whenever it is read.

use std::cell::Cell;

use hopwright_host::{Config, Stopwatch};
use hopwright_machine::Duration;
use hopwright_transport::Function;

use super::net::{CLIENT, Net, SERVER, config, noise};

const BYTES: usize = 500_000;

fn ticking() -> u64 {
    thread_local!(static READ: Cell<u64> = const { Cell::new(0) });
    READ.replace(READ.get() + 1_000)
}

/// The same, but that something else has the processor for a second before each 499th reading.
fn interrupted() -> u64 {
    thread_local!(static READ: Cell<(u64, u64)> = const { Cell::new((0, 0)) });
    let (now, count) = READ.get();
    let jump = if count % 499 == 50 { 1_000_000_000 } else { 0 };
    READ.set((now + 1_000 + jump, count + 1));
    now + jump
}

fn sent(lost: u32, stopwatch: Stopwatch) -> Net {
    let client = Config { stopwatch: Some(stopwatch), ..config(CLIENT) };
    let mut net = Net::new(config(SERVER), client);
    net.lost = lost;
    net.connect(&noise(BYTES, 2));
    net.run(Duration::from_secs(300));
    assert!(net.app(0).received == noise(BYTES, 2));
    net
}

#[test]
fn every_byte_and_every_moment_is_some_functions() {
    for lost in [0, 30] {
        let net = sent(lost, ticking);
        let work = net.hosts[1].work().unwrap();
        let costs = Function::ALL.map(|function| work.of(function));
        let statistics = net.hosts[1].statistics();
        let bytes: u64 = costs.iter().map(|cost| cost.sent_bytes).sum();
        let all = BYTES as u64 + statistics.retransmissions * 1460;
        assert!(bytes <= all && bytes > all - all / 50, "{bytes} of {all}: the last segments are short");
        let time = costs.iter().fold(Duration::ZERO, |sum, cost| sum + cost.time);
        // Windows of 1, 2, 4 and so on segments, a round trip of 10 ms each; what is lost takes longer.
        let rounds = time.as_secs_f64() / 0.01;
        assert!(if lost == 0 { (7.0..12.0).contains(&rounds) } else { rounds > 12.0 }, "{rounds}");
        assert_eq!(work.of(Function::Recovery).events > 0, lost > 0);
        assert_eq!(work.of(Function::Timers).time > Duration::ZERO, statistics.timeouts > 0);
        assert!(work.of(Function::SlowStart).sent_bytes > 0);
    }
}

#[test]
fn what_an_empty_interval_shows_is_taken_off() {
    let net = sent(0, ticking);
    let work = net.hosts[1].work().unwrap();
    // A reading of this clock takes 1 µs, and nothing else takes any.
    assert_eq!(work.empty_ns(), 1_000);
    assert!(Function::ALL.iter().all(|&function| work.of(function).cpu_ns == 0));
}

#[test]
fn what_interrupts_is_in_no_cost() {
    let (quiet, busy) = (sent(30, ticking), sent(30, interrupted));
    let (quiet, busy) = [&quiet, &busy].map(|net| net.hosts[1].work().unwrap()).into();
    assert_eq!(busy.empty_ns(), 1_000);
    let mut interruptions = 0;
    for function in Function::ALL {
        let (quiet, busy) = (quiet.of(function), busy.of(function));
        assert_eq!(quiet.events, busy.events + busy.interrupted_events, "{function:?}");
        assert_eq!((quiet.sent_bytes, quiet.time), (busy.sent_bytes, busy.time));
        assert_eq!(busy.cpu_ns, 0);
        assert_eq!(busy.interrupted_ns, busy.interrupted_events * 1_000_000_000);
        interruptions += busy.interrupted_events;
    }
    assert!(interruptions > 0);
}

#[test]
fn a_host_without_a_clock_measures_nothing() {
    assert!(Net::new(config(SERVER), config(CLIENT)).hosts[1].work().is_none());
}
