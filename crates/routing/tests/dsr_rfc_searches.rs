//! Route Discovery of DSR by RFC 4728, where it ends: searches for transports, headers that are full, replies that are not needed.
//! The router under test is node 0.

use hopwright_machine::Duration;
use hopwright_routing::dsr::Config;
use hopwright_routing::{Input, Protocol};
use hopwright_wire::dsr::{DsrOption, Error, ErrorKind, MAX_ADDRESSES, Reply};

use crate::talk::{Talk, a, all, control, data, error, failed, reply, request, routed, with};

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
    assert_eq!((talk.router.counters().control_made, talk.router.held()), (before + 1, 1));
    talk.hear(3, 4, &routed(data(1, 7, 9), &[3, 4], 1, 0));
    assert_eq!(talk.router.counters().control_made, before);
    assert_eq!((talk.until(1000), talk.router.held()), (vec![], 0));
}

/// A search that has found its target is over: the next one lasts only as long as something waits for it.
#[test]
fn a_transports_search_that_is_over_prolongs_no_other() {
    let mut talk = Talk::new(Config { send_buffer_packets: 1, ..Config::rfc() });
    talk.give(Input::Seek(a(9)));
    talk.get(1, reply(&[1, 9]));
    talk.get(1, error(1, 9, 0, &[], 0));
    assert!(talk.give(Input::Send(data(1, 0, 9)))[0].starts_with("to all: 0->all, RREQ 1 for 9"));
    assert_eq!(talk.give(Input::Send(data(2, 0, 8)))[0], "drop route_buffer_full: 0->9, ttl 64");
    let said = talk.lines_until(20_000);
    assert!(said.len() > 2 && said.iter().all(|line| line.contains("for 8 by")), "{said:?}");
}

/// Appendix A (UseExtends): a link that this node sends over is kept for 120 s, whatever it sends.
#[test]
fn links_that_are_used_live_longer() {
    let lost = || {
        let kind = ErrorKind::NodeUnreachable(a(3));
        let outer = DsrOption::Error(Error { salvage: 0, source: a(2), destination: a(0), kind });
        let kind = ErrorKind::NodeUnreachable(a(5));
        let inner = DsrOption::Error(Error { salvage: 0, source: a(0), destination: a(7), kind });
        routed(with(control(79, 2, a(0), 60, outer), inner), &[], 0, 0)
    };
    for what in ["nothing", "data", "an error told again", "a salvaged packet"] {
        let mut talk = Talk::new(Config::rfc());
        talk.get(1, reply(&[1, 7]));
        talk.until(20_000);
        match what {
            "data" => assert_eq!(talk.give(Input::Send(data(1, 0, 7))).len(), 1),
            "an error told again" => assert_eq!(talk.get(2, lost()).len(), 1),
            "a salvaged packet" => {
                talk.give(failed(routed(data(2, 8, 7), &[3, 0, 4], 1, 0), 4));
                talk.until(20_000);
            }
            _ => {}
        }
        talk.until(139_999);
        let searches = talk.give(Input::Seek(a(7))).len();
        assert_eq!(searches, usize::from(what == "nothing"), "{what}");
        talk.until(140_000 + 60_000);
        assert_eq!(talk.give(Input::Seek(a(7))).len(), 1, "{what}");
    }
}

/// §8.2.5: a reply is not needed only if its own initiator is heard to use a route to its own target.
#[test]
fn what_others_use_cancels_no_reply() {
    for (source, destination, cancelled) in [(7, 9, true), (6, 9, false), (7, 5, false)] {
        let mut talk = Talk::new(Config { reply_delay: Duration::from_millis(10), ..Config::rfc() });
        talk.get(1, reply(&[1, 8, 9]));
        talk.get(2, request(7, 5, 9, &[2], 20));
        talk.hear(3, 4, &routed(data(1, source, destination), &[3, 4], 1, 0));
        assert_eq!(talk.lines_until(1000).is_empty(), cancelled, "{source} to {destination}");
    }
}

/// §4.3: after MaxRequestRexmt a search is given up; the next packet may begin another, with as many requests.
#[test]
fn a_search_that_was_given_up_may_begin_again() {
    let config = Config { max_request_rexmt: 2, nonpropagating_request: false, ..Config::rfc() };
    for seek in [false, true] {
        let mut talk = Talk::new(config.clone());
        let packet = |id| if seek { Input::Seek(a(9)) } else { Input::Send(data(id, 0, 9)) };
        let requests = |said: &[String]| said.iter().filter(|line| line.contains("RREQ")).count();
        assert_eq!(requests(&talk.give(packet(1))), 1);
        assert_eq!(requests(&talk.lines_until(29_000)), 2);
        assert_eq!(requests(&talk.give(packet(2))), 1);
        assert_eq!(requests(&talk.lines_until(100_000)), 2);
        assert_eq!(talk.router.held(), 0);
    }
}

/// §3.3.1: the route that a reply tells is learnt by all who pass the reply on or overhear it, if they snoop.
#[test]
fn routes_are_learnt_from_replies_of_others() {
    let told = || {
        let option = DsrOption::Reply(Reply { last_hop_external: false, addresses: all(&[8, 5, 6, 9]) });
        routed(control(77, 9, a(7), 60, option), &[4, 0, 3], 2, 0)
    };
    for snoop in [true, false] {
        let mut talk = Talk::new(Config { snoop, ..Config::rfc() });
        talk.get(4, told());
        assert_eq!(talk.router.hops(a(8)), snoop.then_some(3), "passed on: 3, 7, 8");
        let mut talk = Talk::new(Config { snoop, ..Config::rfc() });
        let overheard = DsrOption::Reply(Reply { last_hop_external: false, addresses: all(&[8, 5, 6, 9]) });
        talk.hear(4, 3, &routed(control(77, 9, a(7), 60, overheard), &[4, 3], 1, 0));
        assert_eq!(talk.router.hops(a(8)), snoop.then_some(4), "overheard: 4, 3, 7, 8");
    }
}

/// §4.3: each target has its own times.
#[test]
fn searches_for_several_targets_keep_their_own_times() {
    let mut talk = Talk::new(Config::rfc());
    talk.give(Input::Send(data(1, 0, 9)));
    talk.until(10);
    talk.give(Input::Send(data(2, 0, 8)));
    let said = talk.until(600);
    let times: Vec<u64> = said.iter().map(|(ms, _)| *ms).collect();
    assert_eq!(times, [30, 40, 530, 540], "{said:?}");
}
