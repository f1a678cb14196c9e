//! Route Discovery of DSR by RFC 4728, where it ends: searches for transports, headers that are full, replies that are not needed.
//! The router under test is node 0.

mod talk;

use hopwright_machine::{Duration, Machine, Time};
use hopwright_routing::dsr::Config;
use hopwright_routing::{Input, Protocol};
use hopwright_wire::dsr::MAX_ADDRESSES;
use talk::{Talk, a, data, reply, request, routed};

/// A transport's search is that for a packet (§4.3, §8.2.1), for as long as one would wait.
#[test]
fn a_transport_may_seek_a_route() {
    let mut talk = Talk::new(Config::rfc());
    assert_eq!(talk.give(Input::Seek(a(9))), ["to all: 0->all, RREQ 0 for 9 by , ttl 1"]);
    let times: Vec<u64> = talk.until(100_000).into_iter().map(|(ms, _)| ms).collect();
    assert_eq!(times, [30, 530, 1530, 3530, 7530, 15_530, 25_530]);
    assert_eq!(talk.router.deadline(), Time::NEVER);
}

#[test]
fn a_transports_search_ends_with_the_answer() {
    let mut talk = Talk::new(Config::rfc());
    talk.give(Input::Seek(a(9)));
    talk.get(1, reply(&[1, 9]));
    assert_eq!(talk.until(60_000), []);
    for known in [9, 0] {
        talk.get(1, reply(&[1, 9]));
        assert_eq!(talk.give(Input::Seek(a(known))), Vec::<String>::new());
        let end = talk.now.as_nanos() / 1_000_000 + 60_000;
        assert_eq!(talk.until(end), []);
    }
}

/// §6.2: an option's length has eight bits. A request that is full goes no further.
#[test]
fn a_request_that_is_full_goes_no_further() {
    for (named, goes_on) in [(MAX_ADDRESSES - 1, true), (MAX_ADDRESSES, false)] {
        let mut talk = Talk::new(Config::rfc());
        let over: Vec<u32> = (100..).take(named).collect();
        talk.get(over[named - 1], request(7, 5, 9, &over, 200));
        assert_eq!(talk.lines_until(10).len(), usize::from(goes_on), "{named} nodes");
    }
}

/// A cached route is told only if the whole fits into a reply.
#[test]
fn a_reply_from_the_cache_must_fit() {
    for (named, answers) in [(MAX_ADDRESSES - 3, true), (MAX_ADDRESSES - 2, false)] {
        let mut talk = Talk::new(Config::rfc());
        talk.get(1, reply(&[1, 9]));
        let over: Vec<u32> = (100..).take(named - 1).collect();
        talk.get(over[named - 2], request(7, 5, 9, &over, 200));
        let said = talk.lines_until(1000);
        assert_eq!(said.iter().any(|line| line.contains("RREP")), answers, "{named} nodes: {said:?}");
    }
}

/// §8.2.5: a reply that is cancelled never was: it counts as no message.
#[test]
fn a_cancelled_reply_is_no_message() {
    let mut talk = Talk::new(Config { reply_delay: Duration::from_millis(10), ..Config::rfc() });
    talk.get(1, reply(&[1, 8, 9]));
    let before = talk.router.counters().control_made;
    talk.get(2, request(7, 5, 9, &[2], 20));
    assert_eq!(talk.router.counters().control_made, before + 1);
    talk.hear(3, 4, &routed(data(1, 7, 9), &[3, 4], 1, 0));
    assert_eq!(talk.router.counters().control_made, before);
    assert_eq!((talk.until(1000), talk.router.held()), (vec![], 0));
}
