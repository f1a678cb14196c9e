//! DSR as ns-2.35 has it (`dsr/dsragent.cc`, `dsr/hdr_sr.cc`, `dsr/mobicache.cc`, `dsr/requesttable.cc`): searches, answers, cache,
//! broken links. The router under test is node 0. `dsr_ns2_flows.rs` is about flow state.

use hopwright_machine::{Address, Duration, Machine, NodeId, Time};
use hopwright_routing::dsr::Config;
use hopwright_routing::{Input, Protocol};
use hopwright_wire::dsr::{DsrOption, Error, ErrorKind, Reply};
use hopwright_wire::{Packet, Payload};

use crate::talk::{Talk, a, all, control, data, error, failed, reply, request, routed, segment, with};

/// Without flow state, which puts more into headers than these rules are about.
fn plain() -> Config {
    Config { flow_state: false, ..Config::ns2() }
}

fn now_ms(talk: &Talk) -> u64 {
    talk.now.as_nanos() / 1_000_000
}

/// What comes within 10 ms, the jitter of requests and of the target's replies.
fn soon(talk: &mut Talk) -> Vec<String> {
    let end = now_ms(talk) + 10;
    talk.lines_until(end)
}

/// Searches begin after 0.5 s times four to the number of earlier ones, 10 s at most; each asks the neighbours first and
/// the network, with ns-2's time to live of 32, 30 ms later (`rt_rq_period`, `rt_rq_max_period`, `arp_timeout`). A packet
/// waits for 30 s (`SEND_TIMEOUT`). The send buffer is looked over every 30 to 60 ms, requests have a jitter of 10 ms.
#[test]
fn searches_grow_apart_and_ask_the_neighbours_first() {
    for seek in [false, true] {
        let mut talk = Talk::new(plain());
        let first = if seek { Input::Seek(a(9)) } else { Input::Send(data(1, 0, 9)) };
        assert_eq!(talk.give(first), Vec::<String>::new());
        let mut said = talk.until(40_000);
        if !seek {
            let (at, dropped) = said.pop().unwrap();
            assert_eq!(dropped, "drop route_buffer_timeout: 0->9, ttl 64");
            assert!((30_000..=30_060).contains(&at), "{at}");
        }
        let begun = [0, 2000, 10_000, 20_000];
        assert_eq!(said.len(), 2 * begun.len(), "{said:?}");
        for (n, (at, line)) in said.iter().enumerate() {
            let (search, ttl, later) = (begun[n / 2], [1, 32][n % 2], [0, 30][n % 2]);
            assert_eq!(*line, format!("to all: 0->all, RREQ {} for 9 by , ttl {ttl}", n + 1));
            // A look at the buffer comes up to 60 ms late, for each of the searches so far and for the second request.
            let slack = 60 * (n as u64 / 2 + n as u64 % 2) + 10;
            assert!((search + later..=search + later + slack).contains(at), "{line} at {at}");
        }
        assert_eq!((talk.router.held(), talk.router.deadline()), (0, Time::NEVER));
    }
}

/// `dsragent_ring_zero_search` off.
#[test]
fn without_a_ring_the_network_is_asked_at_once_and_once() {
    let mut talk = Talk::new(Config { nonpropagating_request: false, ..plain() });
    talk.give(Input::Send(data(1, 0, 9)));
    assert_eq!(soon(&mut talk), ["to all: 0->all, RREQ 1 for 9 by , ttl 32"]);
    assert_eq!(talk.until(1999), []);
}

#[test]
fn a_transport_that_seeks_what_is_known_starts_no_search() {
    let mut talk = Talk::new(plain());
    talk.get(1, reply(&[1, 9]));
    for node in [9, 0] {
        assert_eq!(talk.give(Input::Seek(a(node))), Vec::<String>::new());
        assert_eq!(talk.until(60_000 + u64::from(node)).len(), 0);
    }
}

#[test]
fn a_search_for_a_transport_ends_with_the_answer() {
    let mut talk = Talk::new(plain());
    talk.give(Input::Seek(a(9)));
    assert_eq!(soon(&mut talk).len(), 1);
    talk.get(1, reply(&[1, 9]));
    assert_eq!(talk.until(60_000), []);
    assert_eq!(talk.router.deadline(), Time::NEVER);
}

/// `RTREP` handling: what waits for the target, or for a node on the way to it, leaves 30 ms apart, and a new search may begin at
/// once.
#[test]
fn a_reply_releases_what_waits_one_by_one() {
    let mut talk = Talk::new(plain());
    for (id, to) in [(1, 9), (2, 8), (3, 9), (4, 2)] {
        talk.give(Input::Send(data(id, 0, to)));
    }
    soon(&mut talk);
    let at = now_ms(&talk);
    let first = talk.get(1, reply(&[1, 2, 9]));
    let to_9 = "to 1: 0->9, by 1-2 left 2 salvage 0, ttl 64";
    assert_eq!(first, [to_9]);
    let later: Vec<_> = talk.until(at + 1000).into_iter().filter(|(_, line)| !line.contains("RREQ")).collect();
    assert_eq!(later, [(at + 30, to_9.into()), (at + 60, "to 1: 0->2, by 1 left 1 salvage 0, ttl 64".into())]);
    assert_eq!(talk.router.held(), 1, "the packet to node 8");
}

/// A request table's number is the newest heard; what is not newer was seen. Nodes on the way are named once.
#[test]
fn requests_are_passed_on_once_and_name_whom_they_visit() {
    let mut talk = Talk::new(plain());
    talk.give(Input::Seek(a(7))); // an entry for node 7 says nothing of its requests
    soon(&mut talk);
    talk.until(100);
    let mut passed = |packet| {
        assert_eq!(talk.get(2, packet), Vec::<String>::new());
        let said = soon(&mut talk);
        said.first().map(|line| line.split(", ttl").next().unwrap().to_owned())
    };
    assert_eq!(passed(request(7, 1, 9, &[2], 20)).unwrap(), "to all: 7->all, RREQ 1 for 9 by 2-0");
    assert_eq!(passed(request(7, 1, 9, &[3], 20)), None, "seen");
    assert_eq!(passed(request(7, 2, 9, &[2, 0], 20)), None, "named already");
    assert_eq!(passed(request(7, 2, 9, &[2], 1)), None, "for the neighbours alone");
    assert_eq!(passed(request(7, 2, 9, &[2], 20)), None, "seen, though not passed on");
    assert_eq!(passed(request(7, 3, 9, &[2], 2)).unwrap(), "to all: 7->all, RREQ 3 for 9 by 2-0");
    // A route has no more than 16 nodes (`MAX_SR_LEN`), of which the request names all but the target.
    let many: Vec<u32> = (20..34).collect();
    assert!(passed(request(7, 4, 9, &many, 20)).is_some());
    let many: Vec<u32> = (20..35).collect();
    assert_eq!(passed(request(7, 5, 9, &many, 20)), None);
}

/// The target answers every copy, after a jitter, back the way that the request came.
#[test]
fn the_target_answers_every_copy() {
    let mut talk = Talk::new(plain());
    for (over, line) in [
        (&[2][..], "to 2: 0->7, RREP 2-0, by 2 left 1 salvage 0"),
        (&[3, 4], "to 4: 0->7, RREP 3-4-0, by 4-3 left 2 salvage 0"),
    ] {
        assert_eq!(talk.get(2, request(7, 5, 0, over, 20)), Vec::<String>::new());
        let said = soon(&mut talk);
        assert!(said.len() == 1 && said[0].starts_with(line), "{said:?}");
    }
    assert_eq!(talk.router.next_hop(a(7)), Some(NodeId(2)));
    let many: Vec<u32> = (20..34).collect();
    talk.get(33, request(7, 6, 0, &many, 20));
    assert_eq!(soon(&mut talk).len(), 1, "16 nodes");
    let many: Vec<u32> = (20..35).collect();
    talk.get(34, request(7, 7, 0, &many, 20));
    assert_eq!(soon(&mut talk).len(), 0, "17 nodes");
}

/// A node that knows the way answers at once instead of passing the request on. A request for the neighbours alone is
/// answered always, others with `dsragent_reply_from_cache_on_propagating`.
#[test]
fn replies_from_the_cache_go_at_once() {
    let answer = "to 2: 0->7, RREP 2-0-1-9, by 2 left 1 salvage 0, ttl 255";
    for (from_cache, ttl, answers) in [(true, 20, true), (true, 1, true), (false, 1, true), (false, 20, false)] {
        let mut talk = Talk::new(Config { reply_from_cache: from_cache, ..plain() });
        talk.get(1, reply(&[1, 9]));
        let said = talk.get(2, request(7, 5, 9, &[2], ttl));
        assert_eq!(said, if answers { vec![answer] } else { vec![] }, "{from_cache} {ttl}");
        assert_eq!(soon(&mut talk).len(), usize::from(!answers));
    }
}

/// The route told names no node twice and leads through who tells it; it has 16 nodes at most, loops included.
#[test]
fn a_cached_route_is_told_only_if_it_leads_through_here() {
    let told = |known: &[u32], over: &[u32]| {
        let mut talk = Talk::new(plain());
        talk.get(1, reply(known));
        talk.get(2, request(7, 5, 9, over, 1)).len()
    };
    assert_eq!(told(&[1, 9], &[3, 2]), 1);
    assert_eq!(told(&[2, 9], &[3, 2]), 0, "back over node 2, which could have answered");
    let over: Vec<u32> = (20..32).collect(); // 13 nodes with the initiator
    assert_eq!(told(&[1, 9], &over), 1, "16 nodes");
    assert_eq!(told(&[1, 8, 9], &over), 0, "17 nodes");
}

/// `dsragent_propagate_last_error`: an error told to this node goes along with its next requests, for a second, until one has
/// gone to the network.
#[test]
fn the_last_error_goes_with_the_next_search() {
    // Told 999 ms ago, it goes with the request to the neighbours, but is too old for the second one.
    for (wait, named) in [(0, [true, true]), (999, [true, false]), (1000, [false, false])] {
        let mut talk = Talk::new(plain());
        talk.get(1, reply(&[1, 2, 9]));
        talk.until(1000);
        talk.get(1, error(2, 9, 0, &[1], 0));
        assert_eq!(talk.router.hops(a(9)), None);
        assert_eq!(talk.until(1000 + wait), []);
        talk.give(Input::Send(data(1, 0, 9)));
        let said = talk.lines_until(1000 + wait + 110);
        assert_eq!(said.iter().map(|line| line.contains("RERR 2-9")).collect::<Vec<_>>(), named, "{said:?}");
    }
    let mut talk = Talk::new(plain());
    talk.get(1, error(2, 9, 0, &[1], 0));
    talk.give(Input::Send(data(1, 0, 9)));
    talk.give(Input::Send(data(2, 0, 8)));
    let said = talk.lines_until(110);
    assert_eq!(
        said.iter().filter(|line| line.contains("RERR 2-9")).count(),
        3,
        "not again after one to the network: {said:?}"
    );
}

/// A packet of another node goes to the next of its route, one hop of the time to live less; a route that is not this
/// node's to follow ends here.
#[test]
fn data_follow_their_route() {
    let mut talk = Talk::new(plain());
    let said = talk.get(3, routed(data(1, 7, 9), &[3, 0, 4], 2, 0));
    assert_eq!(said, ["to 4: 7->9, by 3-0-4 left 1 salvage 0, ttl 63"]);
    assert_eq!(talk.router.hops(a(9)), Some(2), "the way on is kept");
    assert_eq!(talk.get(3, routed(data(1, 7, 0), &[3], 0, 0)), ["deliver 7->0, ttl 64"]);
    for bad in [&[3, 5, 4], &[3, 4, 0]] {
        let said = talk.get(3, routed(data(1, 7, 9), bad, 2, 0));
        assert!(said.len() == 1 && said[0].starts_with("drop routing_loop"), "{said:?}");
    }
    for (ttl, start) in [(0, "drop ttl_expired"), (1, "to 4")] {
        let said = talk.get(3, Packet { ttl, ..routed(data(1, 7, 9), &[3, 0, 4], 2, 0) });
        assert!(said.len() == 1 && said[0].starts_with(start), "{said:?}");
    }
    let lost = control(5, 7, a(9), 0, DsrOption::Reply(Reply { last_hop_external: false, addresses: all(&[8, 7]) }));
    assert_eq!(talk.get(3, routed(lost, &[3, 0, 4], 2, 0)), Vec::<String>::new(), "messages are just forgotten");
}

/// `xmitFailed`: the packet takes another way, marked as salvaged; what waits for the lost neighbour is asked for; the
/// packet's source is told back along its route.
#[test]
fn a_broken_link_is_told_and_packets_are_salvaged() {
    let mut talk = Talk::new(plain());
    talk.get(4, reply(&[4, 9]));
    talk.get(5, reply(&[5, 6, 9]));
    let said = talk.give(failed(routed(data(1, 7, 9), &[3, 0, 4], 1, 0), 4));
    let salvaged = "to 5: 7->9, by 0-5-6 left 2 salvage 1, ttl 64";
    let told = "to 3: 0->7, RERR 0-4 tell 7 salvage 0, by 3 left 1 salvage 0, ttl 255";
    assert_eq!(said, [salvaged, "reclaim 4", told]);
    assert_eq!((talk.router.hops(a(4)), talk.router.counters().link_failures), (None, 1));
    assert_eq!(talk.router.counters().route_breaks, 1);
    let waiting = routed(data(2, 7, 9), &[3, 0, 4], 1, 0);
    assert_eq!(talk.give(Input::Reclaimed { packet: waiting, next_hop: NodeId(4) }), [salvaged]);
    // Its own packets just take the other way.
    let own = routed(data(3, 0, 9), &[4], 1, 0);
    let said = talk.give(failed(own, 4));
    assert_eq!(said, ["to 5: 0->9, by 5-6 left 2 salvage 0, ttl 64", "reclaim 4"]);
}

/// `dsragent_salvage_max_requests`, `MAX_SALVAGE_COUNT`.
#[test]
fn a_packet_is_salvaged_only_so_often() {
    for (config, salvaged, kept) in [
        (plain(), 14, true),
        (plain(), 15, false),
        (Config { max_salvage_count: 2, ..plain() }, 1, true),
        (Config { max_salvage_count: 2, ..plain() }, 2, false),
        (Config { salvage: false, ..plain() }, 0, false),
    ] {
        let mut talk = Talk::new(config);
        talk.get(5, reply(&[5, 6, 9]));
        let over: &[u32] = if salvaged == 0 { &[3, 0, 4] } else { &[7, 3, 0, 4] };
        let said = talk.give(failed(routed(data(1, 7, 9), over, 1, salvaged), 4));
        let first =
            if kept { format!("to 5: 7->9, by 0-5-6 left 2 salvage {}", salvaged + 1) } else { "drop no_route".into() };
        assert!(said[0].starts_with(&first), "{said:?}");
    }
}

/// Who cannot salvage a packet keeps it and asks its neighbours, once; when a second search would be due, it gives up.
#[test]
fn a_packet_that_cannot_be_salvaged_waits_for_one_search_of_the_neighbours() {
    let mut talk = Talk::new(plain());
    let said = talk.give(failed(routed(data(1, 7, 9), &[3, 0, 4], 1, 0), 4));
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(talk.router.held(), 1);
    let said = talk.until(5000);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(said[0].1, "to all: 0->all, RREQ 1 for 9 by , ttl 1");
    assert_eq!(said[1].1, "drop no_route: 7->9, by 3-0-4 left 1 salvage 0, ttl 64");
    assert!((2000..=2120).contains(&said[1].0), "{said:?}");

    let mut talk = Talk::new(plain());
    talk.give(failed(routed(data(1, 7, 9), &[3, 0, 4], 1, 0), 4));
    talk.until(100);
    assert_eq!(talk.get(5, reply(&[5, 9])), ["to 5: 7->9, by 0-5 left 1 salvage 1, ttl 64"]);
}

/// `dsragent_dont_salvage_bad_replies`: a reply that tells of the very link that is broken is not worth another way, but
/// what travels with it is.
#[test]
fn a_reply_over_the_broken_link_is_not_salvaged() {
    let tells = |nodes: &[u32]| DsrOption::Reply(Reply { last_hop_external: false, addresses: all(nodes) });
    let lose = |packet| {
        let mut talk = Talk::new(plain());
        talk.get(5, reply(&[5, 7]));
        talk.give(failed(routed(packet, &[4, 0, 3], 1, 0), 3))[0].clone()
    };
    let message = |nodes: &[u32]| control(1, 9, a(7), 60, tells(nodes));
    for bad in [&[3, 0, 4, 9], &[0, 3, 4, 9]] {
        assert!(lose(message(bad)).starts_with("drop next_hop_lost: 9->7, RREP"), "{}", lose(message(bad)));
    }
    for good in [&[3, 4, 0, 9][..], &[8, 9]] {
        assert!(lose(message(good)).starts_with("to 5: 9->7, RREP"), "{}", lose(message(good)));
    }
    let with_data = with(data(1, 9, 7), tells(&[3, 0, 4, 9]));
    assert_eq!(lose(with_data), "to 5: 9->7, by 0-5 left 1 salvage 1, ttl 64");
    let kind = ErrorKind::NodeUnreachable(a(8));
    let error = DsrOption::Error(Error { salvage: 0, source: a(9), destination: a(7), kind });
    assert!(lose(with(message(&[3, 0, 4, 9]), error)).starts_with("to 5: 9->7, RERR 9-8 tell 7"));
}

/// `MAX_ROUTE_ERRORS`: of a lost error the one about it takes it along, three in all.
#[test]
fn errors_nest_three_deep() {
    let lost = |count: u32| {
        let mut packet = control(1, 8, a(7), 60, DsrOption::Timeout(1));
        for link in 0..count {
            let kind = ErrorKind::NodeUnreachable(a(20 + link));
            packet = with(packet, DsrOption::Error(Error { salvage: 0, source: a(8), destination: a(7), kind }));
        }
        let mut talk = Talk::new(plain());
        talk.get(5, reply(&[5, 7]));
        let said = talk.give(failed(routed(packet, &[3, 0, 4], 1, 0), 4));
        let told = said.iter().find(|line| line.starts_with("to 3: 0->8")).cloned();
        told.map(|line| line.matches("RERR").count())
    };
    assert_eq!([0, 1, 2, 3].map(lost), [Some(1), Some(2), Some(3), None]);
}

/// Errors take the link out of the cache of everyone they come by; who is named in the last sends the others on.
#[test]
fn errors_are_heeded_on_their_way_and_those_left_go_on() {
    let dead = |tell: u32, from: u32, to: u32| {
        DsrOption::Error(Error {
            salvage: 0,
            source: a(from),
            destination: a(tell),
            kind: ErrorKind::NodeUnreachable(a(to)),
        })
    };
    let mut talk = Talk::new(plain());
    talk.get(1, reply(&[1, 8, 9]));
    talk.get(3, reply(&[3, 7]));
    let nested = || with(control(1, 5, a(0), 60, dead(7, 8, 9)), dead(0, 20, 21));
    let said = talk.get(1, routed(nested(), &[1], 0, 0));
    assert_eq!(said, ["to 3: 0->7, RERR 8-9 tell 7 salvage 0, by 3 left 1 salvage 0, ttl 255"]);
    assert_eq!((talk.router.hops(a(9)), talk.router.hops(a(8))), (None, Some(2)));
    // Passed on, they are only read.
    talk.get(1, reply(&[1, 8, 9]));
    let said = talk.get(3, routed(control(2, 8, a(7), 60, dead(7, 8, 9)), &[4, 0, 3], 2, 0));
    assert!(said.len() == 1 && said[0].starts_with("to 3: 8->7, RERR 8-9"), "{said:?}");
    assert_eq!(talk.router.hops(a(9)), None);
}

/// The tap: routes in use nearby are kept, from who was heard on; errors and replies overheard count as well.
#[test]
fn what_is_overheard_is_kept() {
    let mut talk = Talk::new(plain());
    talk.hear(3, 4, &routed(data(1, 7, 9), &[3, 4, 5], 2, 0));
    assert_eq!([9, 4, 3, 7].map(|node| talk.router.hops(a(node))), [Some(4), Some(2), Some(1), None]);
    talk.hear(3, 4, &error(5, 9, 7, &[3, 4], 1));
    assert_eq!(talk.router.hops(a(9)), None);
    let own = routed(data(2, 0, 8), &[4], 0, 0);
    talk.hear(4, 8, &own);
    assert_eq!(talk.router.hops(a(8)), None, "its own packet");
}

/// Automatic route shortening: who is to have a packet later and hears it now tells its source, but no packet twice. ns-2's
/// holdoff of a second (`grat_hold_down_time`) begins with the second reply.
#[test]
fn a_shorter_way_is_told() {
    let told = "to 3: 0->7, RREP 3-0-9, by 3 left 1 salvage 0, ttl 255";
    let mut talk = Talk::new(plain());
    let packet = |id| routed(data(id, 7, 9), &[3, 4, 0], 2, 0);
    assert_eq!(talk.hear(3, 4, &packet(1)), [told]);
    assert_eq!(talk.router.hops(a(7)), Some(2), "the way that the reply takes");
    assert_eq!(talk.hear(3, 4, &packet(1)), Vec::<String>::new(), "the same packet");
    assert_eq!(talk.hear(3, 4, &packet(2)), [told]);
    assert_eq!(talk.hear(3, 4, &packet(3)), Vec::<String>::new());
    talk.until(999);
    assert_eq!(talk.hear(3, 4, &packet(4)), Vec::<String>::new());
    talk.until(1000);
    assert_eq!(talk.hear(3, 4, &packet(5)), [told]);
    assert_eq!(talk.hear(4, 0, &routed(data(6, 7, 9), &[3, 4, 0], 1, 0)), Vec::<String>::new(), "its turn");
    assert_eq!(talk.hear(0, 9, &routed(data(7, 7, 9), &[3, 0, 4], 1, 0)), Vec::<String>::new(), "it had the packet");

    let mut talk = Talk::new(Config { gratuitous_replies: false, ..plain() });
    assert_eq!(talk.hear(3, 4, &packet(1)), Vec::<String>::new());
}

/// `hdr_sr::size`; `DSRAgent::recv` adds an IP header to what TCP has given one already, and not to what UDP's agent gives it without: in a trace of
/// two hops, CBR of 1000 bytes and 8 for UDP has 1048 bytes with its route, TCP with 1460 has 1540. A reply's addresses name both ends, with five bytes more; who salvaged a
/// packet is not named; everyone who passes a request on adds the whole header.
#[test]
fn lengths_are_those_of_ns_2() {
    let talk = Talk::new(Config::ns2());
    let bytes = |packet: &Packet| talk.router.packet_bytes(packet);
    let udp = 20 + 8 + 100;
    assert_eq!(bytes(&data(1, 7, 9)), udp);
    assert_eq!(bytes(&segment(1, 7, 9)), 20 + 20 + 100 + 20);
    for (over, salvage, header) in [(&[3, 4][..], 0, 4 + 4 + 8), (&[], 0, 4 + 4), (&[0, 3, 4], 1, 4 + 4 + 8)] {
        assert_eq!(bytes(&routed(data(1, 7, 9), over, 1, salvage)), udp + header, "{over:?}");
    }
    for nodes in [2, 5] {
        let told: Vec<u32> = (1..nodes).collect();
        let reply = DsrOption::Reply(Reply { last_hop_external: false, addresses: all(&told) });
        let unpadded: u32 = 4 + 5 + 4 * nodes;
        assert_eq!(bytes(&control(1, 9, a(0), 60, reply)), 20 + unpadded.next_multiple_of(4), "{nodes} nodes");
    }
    // A request has 8 bytes and 4 for each node it names, beside the header's 4.
    let header = |named: u32| 4 + 8 + 4 * named;
    for named in 0..4 {
        let over: Vec<u32> = (20..20 + named).collect();
        let whole: u32 = (0..=named).map(header).sum();
        assert_eq!(bytes(&request(7, 1, 9, &over, 20)), 20 + whole, "{named} nodes");
    }
    assert_eq!(bytes(&Packet::new(hopwright_machine::PacketId(1), a(0), Address::BROADCAST, 1, Payload::Nothing)), 20);
}

/// `MobiCache`: 30 routes that were asked for and 64 that were seen in use; the oldest makes room.
#[test]
fn the_caches_hold_30_and_64_routes() {
    let mut talk = Talk::new(plain());
    for node in 100..130 {
        talk.get(1, reply(&[node, node + 100]));
    }
    let known = |talk: &Talk, nodes: std::ops::Range<u32>| nodes.filter(|&n| talk.router.hops(a(n)).is_some()).count();
    assert_eq!(known(&talk, 200..230), 30);
    talk.get(1, reply(&[130, 230]));
    assert_eq!((known(&talk, 200..231), talk.router.hops(a(200))), (30, None));

    let mut talk = Talk::new(plain());
    for node in 300..365 {
        talk.hear(node, node + 100, &routed(data(u64::from(node), node, node + 200), &[node + 100], 1, 0));
        if node == 363 {
            assert_eq!(known(&talk, 500..564), 64);
        }
    }
    assert_eq!((known(&talk, 500..565), talk.router.hops(a(500))), (64, None));
}

/// `SEND_BUF_SIZE`.
#[test]
fn the_send_buffer_holds_64_packets_and_loses_its_oldest() {
    let mut talk = Talk::new(plain());
    for id in 0..64 {
        talk.now = Time::ZERO + Duration::from_millis(id);
        let said = talk.give(Input::Send(data(id, 0, 100 + id as u32)));
        assert!(!said.iter().any(|line| line.starts_with("drop")), "{said:?}");
    }
    let said = talk.give(Input::Send(data(64, 0, 9)));
    assert!(said.contains(&"drop route_buffer_full: 0->100, ttl 64".to_owned()), "{said:?}");
}

/// An answer ends the waits between searches: the next one begins at once.
#[test]
fn a_search_after_an_answer_begins_at_once() {
    for answered in [true, false] {
        let mut talk = Talk::new(plain());
        talk.give(Input::Send(data(1, 0, 9)));
        talk.until(600);
        if answered {
            talk.get(1, reply(&[1, 9]));
            talk.get(1, error(1, 9, 0, &[], 0));
        }
        talk.until(700);
        talk.give(Input::Send(data(2, 0, 9)));
        assert_eq!(soon(&mut talk).len(), usize::from(answered));
    }
}

/// The request table knows a node's newest request, also of those that were for this node: an older one comes too late.
#[test]
fn a_request_older_than_the_newest_heard_comes_too_late() {
    let mut talk = Talk::new(plain());
    talk.get(2, request(7, 5, 0, &[2], 20));
    soon(&mut talk);
    for (id, goes_on) in [(4, false), (6, true)] {
        talk.get(2, request(7, id, 8, &[2], 20));
        assert_eq!(soon(&mut talk).len(), usize::from(goes_on), "request {id}");
    }
}

/// A route that an overheard reply tells is of use only if it leads through this node.
#[test]
fn an_overheard_reply_tells_only_of_routes_through_here() {
    for (told, hops) in [(&[8, 5, 9], None), (&[0, 5, 9], Some(1))] {
        let mut talk = Talk::new(plain());
        let option = DsrOption::Reply(Reply { last_hop_external: false, addresses: all(told) });
        talk.hear(4, 3, &routed(control(77, 9, a(7), 60, option), &[4, 3], 1, 0));
        assert_eq!((talk.router.hops(a(8)), talk.router.hops(a(5))), (None, hops), "{told:?}");
    }
}
