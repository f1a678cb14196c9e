//! DSR by RFC 4728: one rule per test. The router under test is node 0 unless a test says otherwise.

use hopwright_machine::{Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::dsr::{CacheKind, Config, Order};
use hopwright_routing::{Input, Output, Protocol, Wishes};
use hopwright_wire::dsr::{Acknowledgement, DsrOption, Error, ErrorKind, Reply};
use hopwright_wire::ip::Ecn;
use hopwright_wire::notice::{Asks, Flow, Kind, Restored};
use hopwright_wire::{Packet, Payload, tcp};

use crate::talk::{Talk, a, all, control, data, error, failed, reply, request, routed, sent, with};

/// Requests with the times of R2: the neighbours first, then the network, the wait doubling to 10 s (§8.2.1, §9);
/// the packet is lost after 30 s, and the search ends.
#[test]
fn an_unreachable_target_is_asked_for_with_growing_waits() {
    let mut talk = Talk::new(Config::rfc());
    assert_eq!(talk.give(Input::Send(data(1, 0, 9))), ["to all: 0->all, RREQ 0 for 9 by , ttl 1"]);
    let said = talk.until(60_000);
    let times: Vec<u64> = said.iter().map(|(ms, _)| *ms).collect();
    assert_eq!(times, [30, 530, 1530, 3530, 7530, 15_530, 25_530, 30_000]);
    assert_eq!(said[0].1, "to all: 0->all, RREQ 1 for 9 by , ttl 255");
    assert_eq!(said[7].1, "drop route_buffer_timeout: 0->9, ttl 64");
    assert_eq!((talk.router.held(), talk.router.deadline()), (0, Time::NEVER));
    // A new packet does not start a new search: the back-off goes on (§4.3).
    assert_eq!(talk.give(Input::Send(data(2, 0, 9))), ["to all: 0->all, RREQ 8 for 9 by , ttl 255"]);
    assert_eq!(talk.until(69_999), []);
    assert_eq!(talk.lines_until(70_000), ["to all: 0->all, RREQ 9 for 9 by , ttl 255"]);
}

#[test]
fn a_search_gives_up_after_max_request_rexmt() {
    let mut talk = Talk::new(Config {
        max_request_rexmt: 2,
        nonpropagating_request: false,
        send_buffer_timeout: Duration::from_secs(300),
        ..Config::rfc()
    });
    assert_eq!(talk.give(Input::Send(data(1, 0, 9))), ["to all: 0->all, RREQ 0 for 9 by , ttl 255"]);
    let said = talk.until(100_000);
    assert_eq!(said.iter().map(|(ms, _)| *ms).collect::<Vec<_>>(), [500, 1500, 3500]);
    assert_eq!(said[2].1, "drop no_route: 0->9, ttl 64");
}

/// §8.1.2: all that waited leaves in its order; §8.1.3: the source route names the nodes between.
#[test]
fn a_reply_releases_what_waits_in_order() {
    for cache in [CacheKind::Path, CacheKind::Link] {
        let mut talk = Talk::new(Config { cache, ..Config::rfc() });
        talk.give(Input::Send(data(1, 0, 9)));
        talk.give(Input::Send(data(2, 0, 9)));
        talk.give(Input::Send(data(3, 0, 2)));
        let said = talk.get(1, reply(&[1, 2, 9]));
        let to_9 = "to 1: 0->9, by 1-2 left 2 salvage 0, ttl 64";
        assert_eq!(said, ["to 1: 0->2, by 1 left 1 salvage 0, ttl 64", to_9, to_9], "{cache:?}");
        assert_eq!(talk.until(60_000), []);
        assert_eq!(talk.router.hops(a(9)), Some(3));
        assert_eq!(talk.router.next_hop(a(9)), Some(NodeId(1)));
        // One hop needs no nodes between.
        assert_eq!(talk.give(Input::Send(data(4, 0, 1))), ["to 1: 0->1, by  left 0 salvage 0, ttl 64"]);
    }
}

#[test]
fn the_send_buffer_loses_its_oldest() {
    let mut talk = Talk::new(Config { send_buffer_packets: 1, ..Config::rfc() });
    talk.give(Input::Send(data(1, 0, 9)));
    assert_eq!(talk.give(Input::Send(data(2, 0, 8)))[0], "drop route_buffer_full: 0->9, ttl 64");
    assert_eq!(talk.router.held(), 1);
}

/// §8.2.2: passed on once, with the own address added, after a jitter; the target answers along the way back (§8.2.4).
#[test]
fn requests_are_passed_on_once() {
    let mut talk = Talk::new(Config::rfc());
    assert_eq!(talk.get(2, request(1, 5, 9, &[2], 20)), Vec::<String>::new());
    assert_eq!(talk.router.held(), 1);
    let said = talk.until(10);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].1, "to all: 1->all, RREQ 5 for 9 by 2-0, ttl 19");
    for ignored in [
        request(1, 5, 9, &[3], 20),    // seen
        request(1, 6, 9, &[2, 0], 20), // named already
        request(0, 7, 9, &[2], 20),    // its own
        request(1, 8, 9, &[2], 1),     // as far as it goes
        request(1, 9, 9, &[2, 2], 20), // broken
    ] {
        assert_eq!(talk.get(2, ignored), Vec::<String>::new());
        assert_eq!(talk.until(talk.now.as_nanos() / 1_000_000 + 20), []);
    }
    // Every copy that comes to the target is answered.
    for over in [&[2][..], &[3, 4]] {
        talk.get(2, request(1, 10, 0, over, 20));
    }
    let now = talk.now.as_nanos() / 1_000_000;
    let mut said = talk.lines_until(now + 10);
    said.sort();
    let first = "to 2: 0->1, RREP 2-0, by 2 left 1 salvage 0, ttl 255";
    assert_eq!(said, [first, "to 4: 0->1, RREP 3-4-0, by 4-3 left 2 salvage 0, ttl 255"]);
}

/// §8.2.3, §8.2.5: d = H (h - 1 + r); no reply if the initiator is heard to use a route as short; none with a node
/// twice; the request then goes on.
#[test]
fn replies_come_from_the_cache_unless_they_are_not_needed() {
    let config = Config { reply_delay: Duration::from_millis(10), ..Config::rfc() };
    let cached = |config: Config| {
        let mut talk = Talk::new(config);
        talk.get(1, reply(&[1, 8, 9]));
        talk.get(2, request(7, 5, 9, &[2], 20));
        talk
    };
    let mut talk = cached(config.clone());
    let said = talk.until(1000);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!((40..50).contains(&said[0].0), "h = 5 hops: {said:?}");
    assert_eq!(said[0].1, "to 2: 0->7, RREP 2-0-1-8-9, by 2 left 1 salvage 0, ttl 255");

    let mut talk = cached(config.clone());
    talk.hear(3, 4, &routed(data(1, 7, 9), &[3, 4, 5, 6, 10], 4, 0));
    assert_eq!(talk.until(39).len(), 0, "six hops are longer: the reply waits");
    talk.hear(3, 4, &routed(data(1, 7, 9), &[3, 4], 1, 0));
    assert_eq!((talk.until(1000), talk.router.held()), (vec![], 0));

    let mut talk = cached(config.clone());
    talk.get(3, routed(data(1, 7, 9), &[3, 0], 1, 0));
    assert_eq!((talk.until(1000), talk.router.held()), (vec![], 0), "a packet that is passed on tells as much");
    let mut talk = cached(config.clone());
    talk.hear(3, 4, &routed(data(1, 7, 9), &[3, 4], 1, 1));
    assert_eq!(talk.until(1000).len(), 1, "the way that node 3 found says nothing about that of node 7");

    let mut talk = cached(Config { reply_from_cache: false, ..config.clone() });
    assert_eq!(talk.lines_until(1000), ["to all: 7->all, RREQ 5 for 9 by 2-0, ttl 19"]);

    let mut talk = Talk::new(config);
    talk.get(1, reply(&[1, 8, 9]));
    talk.get(8, request(7, 5, 9, &[8], 20));
    assert_eq!(talk.lines_until(1000), ["to all: 7->all, RREQ 5 for 9 by 8-0, ttl 19"]);
}

/// §8.1.5: to the next of the route, one hop of the time to live less; a route that makes no sense ends here.
#[test]
fn data_follow_their_route() {
    let mut talk = Talk::new(Config::rfc());
    let said = talk.get(3, routed(data(1, 7, 9), &[3, 0, 4], 2, 0));
    assert_eq!(said, ["to 4: 7->9, by 3-0-4 left 1 salvage 0, ttl 63"]);
    let said = talk.get(3, routed(data(1, 7, 9), &[3, 0], 1, 0));
    assert_eq!(said, ["to 9: 7->9, by 3-0 left 0 salvage 0, ttl 63"]);
    assert_eq!(talk.get(3, routed(data(1, 7, 0), &[3], 0, 0)), ["deliver 7->0, ttl 64"]);
    for bad in [
        routed(data(1, 7, 9), &[3, 5, 4], 2, 0),    // not for this node
        routed(data(1, 7, 9), &[3, 0, 4], 9, 0),    // more left than named
        routed(data(1, 7, 9), &[3, 0, 4, 3], 3, 0), // a node twice
        routed(data(1, 7, 9), &[3, 0, 7], 2, 0),
    ] {
        let said = talk.get(3, bad);
        assert!(said.len() == 1 && said[0].starts_with("drop routing_loop"), "{said:?}");
    }
    assert!(talk.get(3, data(1, 7, 9))[0].starts_with("drop no_route"));
    let mut old = routed(data(1, 7, 9), &[3, 0, 4], 2, 0);
    old.ttl = 1;
    assert!(talk.get(3, old)[0].starts_with("drop ttl_expired"));
}

/// R3, with link-layer feedback (§8.3.1, §8.3.4, §8.3.6): the source is told, the packet takes another way, the packets
/// that wait for the lost neighbour follow it, in the order that is set.
#[test]
fn a_broken_link_is_told_and_packets_are_salvaged() {
    for (order, ids) in [(Order::Fifo, [1, 2]), (Order::Lifo, [2, 1])] {
        let mut talk = Talk::new(Config { maintenance_order: order, ..Config::rfc() });
        talk.get(3, routed(data(8, 9, 7), &[6, 5, 0, 3], 2, 0)); // another way to node 9: 0-5-6-9
        let packets = [1, 2].map(|id| {
            let mut packet = routed(data(id, 7, 9), &[3, 0, 4], 1, 0);
            packet.ttl = if id == ids[0] { 63 } else { 62 };
            packet
        });
        assert_eq!(talk.give(failed(packets[0].clone(), 4)), ["reclaim 4"]);
        talk.give(Input::Reclaimed { packet: packets[1].clone(), next_hop: NodeId(4) });
        assert_eq!(talk.router.held(), 2);
        let error = "to 3: 0->7, RERR 0-4 tell 7 salvage 0, by 3 left 1 salvage 0, ttl 255";
        let salvaged = |ttl| format!("to 5: 7->9, by 0-5-6 left 2 salvage 1, ttl {ttl}");
        assert_eq!(talk.lines_until(0), [error.to_owned(), salvaged(63), salvaged(62)], "{order:?}");
        // The link was never part of a route of this node's own: the sender chose it.
        assert_eq!((talk.router.counters().link_failures, talk.router.counters().route_breaks), (1, 0));
    }
}

/// A lost neighbour is a broken route once: where a route over it was known, and as long as it was.
#[test]
fn a_route_breaks_once_with_its_first_link() {
    for cache in [CacheKind::Path, CacheKind::Link] {
        let mut talk = Talk::new(Config { cache, ..Config::rfc() });
        talk.get(1, reply(&[1, 2, 9]));
        for (id, breaks) in [(1, 1), (2, 1)] {
            talk.give(failed(routed(data(id, 0, 9), &[0, 1, 2], 2, 0), 1));
            talk.lines_until(0);
            assert_eq!(talk.router.counters().route_breaks, breaks, "{cache:?}");
        }
        assert_eq!(talk.router.counters().link_failures, 2);
    }
}

/// §8.3.6, §9: as often as MAX_SALVAGE_COUNT; about a salvaged packet, who salvaged it is told (§8.3.4).
#[test]
fn a_packet_is_salvaged_fifteen_times_at_most() {
    for (count, fate) in [(14, "to 5: 7->9, by 0-5-6 left 2 salvage 15"), (15, "drop next_hop_lost: 7->9")] {
        let mut talk = Talk::new(Config::rfc());
        talk.get(3, routed(data(8, 9, 7), &[6, 5, 0, 3], 2, 0));
        talk.give(failed(routed(data(1, 7, 9), &[8, 3, 0, 4], 1, count), 4));
        let said = talk.lines_until(0);
        assert!(said[0].starts_with(&format!("to 3: 0->8, RERR 0-4 tell 8 salvage {count}, by 3 left 1")), "{said:?}");
        assert!(said[1].starts_with(fate), "{said:?}");
    }
    let mut talk = Talk::new(Config { salvage: false, ..Config::rfc() });
    talk.get(3, routed(data(8, 9, 7), &[6, 5, 0, 3], 2, 0));
    talk.give(failed(routed(data(1, 7, 9), &[3, 0, 4], 1, 0), 4));
    assert!(talk.lines_until(0)[1].starts_with("drop next_hop_lost"));
}

/// §8.3.5 and §3.4.4: the source forgets the link, uses another route, and tells the error with its next request.
#[test]
fn an_error_removes_the_link_and_goes_with_the_next_request() {
    for cache in [CacheKind::Path, CacheKind::Link] {
        let mut talk = Talk::new(Config { cache, ..Config::rfc() });
        talk.get(1, reply(&[1, 2, 9]));
        talk.get(3, reply(&[3, 4, 5, 9]));
        assert_eq!(talk.router.hops(a(9)), Some(3));
        assert_eq!(talk.get(1, error(2, 9, 0, &[1], 0)), Vec::<String>::new());
        assert_eq!(talk.router.hops(a(9)), Some(4), "{cache:?}");
        let said = talk.give(Input::Send(data(1, 0, 8)));
        assert_eq!(said, ["to all: 0->all, RREQ 0 for 8 by , RERR 2-9 tell 0 salvage 0, ttl 1"]);
        // Whoever hears or forwards an error learns from it too.
        talk.hear(3, 6, &error(4, 5, 6, &[3], 0));
        assert_eq!(talk.router.hops(a(9)), None);
    }
}

#[test]
fn an_own_packet_whose_hop_is_lost_waits_for_a_new_route() {
    let mut talk = Talk::new(Config::rfc());
    talk.get(1, reply(&[1, 9]));
    talk.give(failed(routed(data(1, 0, 9), &[1], 1, 0), 1));
    assert_eq!(talk.lines_until(0), ["to all: 0->all, RREQ 0 for 9 by , ttl 1"]);
    assert_eq!(talk.get(2, reply(&[2, 9])), ["to 2: 0->9, by 2 left 1 salvage 0, ttl 64"]);
}

/// `own_packets_wait`: without it, a source's packets for a lost neighbour go another way that it knows, or are dropped,
/// and it does not search. DSR-UU does so in ns-2.
#[test]
fn a_source_can_drop_what_it_knows_no_other_way_for() {
    let mut talk = Talk::new(Config { own_packets_wait: false, ..Config::rfc() });
    talk.get(1, reply(&[1, 9]));
    talk.give(failed(routed(data(1, 0, 9), &[1], 1, 0), 1));
    let said = talk.lines_until(0);
    assert!(said.len() == 1 && said[0].starts_with("drop next_hop_lost"), "{said:?}");
    assert_eq!(talk.router.held(), 0);
    for neighbour in [1, 2] {
        talk.get(neighbour, reply(&[neighbour, 9]));
    }
    talk.give(failed(routed(data(2, 0, 9), &[1], 1, 0), 1));
    assert_eq!(talk.lines_until(0), ["to 2: 0->9, by 2 left 1 salvage 0, ttl 64"]);
}

/// `two_way_links`: without it, a route tells of the way that its packet goes, a request of the way back, and who is heard
/// is a neighbour.
#[test]
fn links_may_lead_one_way() {
    for (two_way_links, back) in [(true, Some(2)), (false, None)] {
        let mut talk = Talk::new(Config { two_way_links, ..Config::rfc() });
        talk.get(3, routed(data(1, 7, 9), &[3, 0, 4], 2, 0));
        assert_eq!([9, 4, 3, 7].map(|node| talk.router.hops(a(node))), [Some(2), Some(1), Some(1), back]);
        talk.get(2, request(1, 5, 9, &[2], 20));
        assert_eq!([2, 1].map(|node| talk.router.hops(a(node))), [Some(1), Some(2)]);
        // A link that breaks is gone both ways.
        talk.hear(5, 6, &error(2, 1, 6, &[5], 0));
        assert_eq!([2, 1].map(|node| talk.router.hops(a(node))), [Some(1), None]);
    }
}

/// `cache_links`: what comes when the cache is full is not learnt, until a link breaks.
#[test]
fn a_full_link_cache_learns_nothing() {
    let mut talk = Talk::new(Config { cache_links: 3, ..Config::rfc() });
    talk.get(1, reply(&[1, 2, 9]));
    talk.get(4, reply(&[4]));
    assert_eq!([1, 2, 9, 4].map(|node| talk.router.hops(a(node))), [Some(1), Some(2), Some(3), None]);
    talk.give(failed(routed(data(1, 0, 9), &[1, 2], 2, 0), 1));
    talk.get(4, reply(&[4]));
    assert_eq!([1, 4].map(|node| talk.router.hops(a(node))), [None, Some(1)]);
}

/// `flush_link_cache`: all links are forgotten when one breaks. In DSR-UU that one alone goes, whatever A.2's entry for
/// a flush: it is a command of the kernel module.
#[test]
fn the_link_cache_can_be_flushed() {
    for (config, neighbour) in
        [(Config { flush_link_cache: true, ..Config::rfc() }, None), (Config::papanastasiou(), Some(1))]
    {
        let mut talk = Talk::new(config);
        talk.get(1, reply(&[1, 2, 9]));
        talk.hear(3, 6, &error(2, 9, 6, &[3], 0));
        assert_eq!((talk.router.hops(a(9)), talk.router.hops(a(1))), (None, neighbour));
    }
}

/// R4 and §8.3.2: nothing is asked of a hop that is not the last; hearing it pass the packet on confirms it, and for
/// MaintHoldoffTime nothing more has to.
#[test]
fn passive_acknowledgements_ask_for_nothing_but_at_the_last_hop() {
    let mut talk = Talk::new(Config::papanastasiou());
    talk.get(1, reply(&[1, 2, 9]));
    assert_eq!(talk.give(Input::Send(data(1, 0, 9))), ["to 1: 0->9, by 1-2 left 2 salvage 0, ttl 64"]);
    talk.hear(1, 2, &routed(data(1, 0, 9), &[1, 2], 1, 0));
    assert_eq!(talk.router.deadline(), Time::NEVER);
    let said = talk.give(Input::Send(data(2, 0, 1)));
    assert_eq!(said, ["to 1: 0->1, by  left 0 salvage 0, ttl 64"], "confirmed: not even the last hop is asked");
    assert_eq!(talk.until(250), []);
    let said = talk.give(Input::Send(data(3, 0, 1)));
    assert_eq!(said, ["to 1: 0->1, by  left 0 salvage 0, ACKREQ, ttl 64"]);
    let answer = Acknowledgement { id: 1, source: a(1), destination: a(0) };
    talk.get(1, control(5, 1, a(0), 1, DsrOption::Acknowledgement(answer)));
    assert_eq!(talk.until(5000), []);
}

/// §8.3.2, §9: once more without a request; then, as network acknowledgements are off, the neighbour is lost. Copies
/// are declared, the newest goes first (P's order), and there is nobody to salvage with: they wait for a route.
#[test]
fn an_unheard_neighbour_is_lost_after_one_repetition() {
    let mut talk = Talk::new(Config::papanastasiou());
    talk.get(3, routed(data(8, 9, 7), &[1, 0, 3], 2, 0)); // both ways: 0-1-9 and 0-3-7
    let said = talk.until(99);
    assert_eq!(said, []);
    talk.get(3, routed(data(1, 7, 9), &[3, 0, 1, 2], 3, 0));
    let said = talk.until(1000);
    let times: Vec<u64> = said.iter().map(|(ms, _)| *ms).collect();
    let lines: Vec<&str> = said.iter().map(|(_, line)| line.as_str()).collect();
    let (again, lost) = (199, 299);
    assert!(times.contains(&again) && times.contains(&lost), "{said:?}");
    assert!(lines.contains(&"again 1") && lines.contains(&"to 1: 7->9, by 3-0-1-2 left 2 salvage 0, ttl 63"));
    assert!(
        lines.iter().any(|line| line.starts_with("to 3: 0->7, RERR 0-1 tell 7 salvage 0, by 3 left 1")),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.starts_with("drop next_hop_lost: 7->9")), "{lines:?}");
}

/// §8.3.3: asked for, repeated MaxMaintRexmt times with growing patience, then the neighbour is lost; a request from
/// another node is answered at once.
#[test]
fn network_acknowledgements_are_asked_for_and_given() {
    let config = Config { link_layer_feedback: false, network_acks: true, ..Config::rfc() };
    let mut talk = Talk::new(config);
    talk.get(1, reply(&[1, 9]));
    assert_eq!(talk.give(Input::Send(data(1, 0, 9))), ["to 1: 0->9, by 1 left 1 salvage 0, ACKREQ, ttl 64"]);
    let said = talk.until(699);
    let times: Vec<u64> = said.iter().filter(|(_, l)| l.starts_with("to 1")).map(|(ms, _)| *ms).collect();
    assert_eq!(times, [100, 300]);
    let said = talk.lines_until(700);
    assert_eq!(said, ["again 1", "to all: 0->all, RREQ 0 for 9 by , ttl 1", "reclaim 1"]);
    let asking = with(routed(data(2, 7, 0), &[3], 0, 0), DsrOption::AcknowledgementRequest(44));
    assert_eq!(talk.get(3, asking), ["to 3: 0->3, ACK 44 to 3, ttl 1", "deliver 7->0, ttl 64"]);
    // The link layer's report is not waited for, nor believed.
    let said = talk.give(failed(routed(data(3, 0, 9), &[1], 1, 0), 1));
    assert!(said.len() == 1 && said[0].starts_with("drop retry_limit_rts"), "{said:?}");
}

/// §4.5, §8.3.2: times run from the transmission. While a packet waits in the interface queue, nothing is sent again.
#[test]
fn what_waits_in_the_interface_queue_is_not_sent_again() {
    for config in [Config::papanastasiou(), Config { network_acks: true, ..Config::papanastasiou() }] {
        let mut talk = Talk::new(config);
        talk.get(1, reply(&[1, 2, 9]));
        talk.keeps = true;
        assert_eq!(talk.give(Input::Send(data(1, 0, 9))).len(), 1);
        assert_eq!(talk.until(5000), [], "it is still in the queue");
        assert_eq!(talk.give(sent(1)), Vec::<String>::new());
        assert_eq!(talk.until(5099), []);
        let again = ["again 1", "to 1: 0->9, by 1-2 left 2 salvage 0, ttl 64"];
        assert_eq!(talk.lines_until(5100), again);
        assert_eq!(talk.until(9000), [], "the copy is in the queue");
        talk.hear(1, 2, &routed(data(1, 0, 9), &[1, 2], 1, 0));
        talk.give(sent(1));
        assert_eq!(talk.until(20_000), [], "confirmed");
    }
}

/// §4.5: a lost neighbour's packets are removed from the buffer; of one that is still queued, the queue has the only
/// copy.
#[test]
fn packets_for_a_lost_neighbour_are_not_doubled_if_they_are_still_queued() {
    let mut talk = Talk::new(Config { maintenance_order: Order::Fifo, ..Config::papanastasiou() });
    talk.get(1, reply(&[1, 2, 9]));
    talk.keeps = true;
    let packets = [data(1, 0, 9), data(2, 0, 9), data(3, 0, 9)];
    let queued = packets.map(|packet| {
        let id = packet.id;
        talk.router.handle(talk.now, Input::Send(packet));
        let Some(Output::Transmit { packet, .. }) = talk.router.poll() else { panic!("packet {id:?} waits") };
        packet
    });
    talk.give(sent(1));
    talk.give(sent(2));
    let said = talk.lines_until(100);
    assert_eq!(said.iter().filter(|line| line.starts_with("again")).collect::<Vec<_>>(), ["again 1", "again 2"]);
    talk.give(sent(1));
    let said = talk.lines_until(200);
    assert_eq!(said[0], "again 1", "{said:?}");
    assert_eq!(said.last().map(String::as_str), Some("reclaim 1"));
    assert!(!said.iter().any(|line| line.starts_with("again 2") || line.starts_with("again 3")), "{said:?}");
    let [_, second, third] = queued;
    for packet in [second, third] {
        talk.give(Input::Reclaimed { packet, next_hop: NodeId(1) });
    }
    let said = talk.lines_until(1000);
    assert!(!said.iter().any(|line| line.starts_with("again")), "{said:?}");
    assert_eq!(talk.router.held(), 3, "all three wait for a new route");
}

/// The link layer did not get through: that is a transmission, too. What the interface queue dropped was none.
#[test]
fn a_packet_that_the_link_layer_gave_up_is_waited_for() {
    let mut talk = Talk::new(Config::papanastasiou());
    talk.get(1, reply(&[1, 2, 9]));
    talk.keeps = true;
    talk.give(Input::Send(data(1, 0, 9)));
    assert_eq!(talk.until(1000), []);
    let said = talk.give(failed(routed(data(1, 0, 9), &[1, 2], 2, 0), 1));
    assert!(said.len() == 1 && said[0].starts_with("drop retry_limit_rts"), "{said:?}");
    assert_eq!(talk.lines_until(1100)[0], "again 1");

    let mut talk = Talk::new(Config::papanastasiou());
    talk.get(1, reply(&[1, 2, 9]));
    talk.keeps = true;
    talk.give(Input::Send(data(1, 0, 9)));
    talk.give(Input::Left { packet: PacketId(1), sent: false });
    assert_eq!(talk.until(1000), []);
    talk.give(sent(1));
    assert_eq!(talk.until(5000), [], "forgotten");
}

/// RexmtBufferSize: packets that have left.
#[test]
fn the_maintenance_buffer_is_limited() {
    let mut talk = Talk::new(Config { maintenance_buffer_packets: 2, ..Config::papanastasiou() });
    talk.get(1, reply(&[1, 2, 9]));
    for packet in 1..=4 {
        talk.give(Input::Send(data(packet, 0, 9)));
    }
    let said = talk.lines_until(100);
    assert_eq!(said.iter().filter(|line| line.starts_with("again")).collect::<Vec<_>>(), ["again 1", "again 2"]);
}

/// §3.4.3: the source is told once in GratReplyHoldoff; who was not needed is left out.
#[test]
fn a_shorter_way_is_told() {
    let mut talk = Talk::new(Config::rfc());
    let packet = routed(data(1, 7, 9), &[3, 4, 5, 0], 3, 0);
    let told = ["to 3: 0->7, RREP 3-0-9, by 3 left 1 salvage 0, ttl 255"];
    assert_eq!(talk.hear(3, 4, &packet), told);
    assert_eq!(talk.until(999), []);
    assert_eq!(talk.hear(3, 4, &packet), Vec::<String>::new());
    assert_eq!(talk.until(1000), []);
    assert_eq!(talk.hear(3, 4, &packet), told);
    assert_eq!(talk.hear(3, 0, &routed(data(1, 8, 9), &[3, 0], 1, 0)), Vec::<String>::new(), "it is the next hop");
    let mut talk = Talk::new(Config { gratuitous_replies: false, ..Config::rfc() });
    assert_eq!(talk.hear(3, 4, &packet), Vec::<String>::new());
}

/// §3.3.1: routes in forwarded and overheard packets are kept, unless that is switched off.
#[test]
fn routes_are_learnt_from_packets_of_others() {
    for (cache, snoop) in [(CacheKind::Path, true), (CacheKind::Link, true), (CacheKind::Link, false)] {
        let config = Config { cache, snoop, gratuitous_replies: false, ..Config::rfc() };
        let mut talk = Talk::new(config);
        talk.get(3, routed(data(1, 7, 9), &[3, 0, 4], 2, 0));
        talk.hear(5, 6, &routed(data(1, 10, 11), &[12, 5, 6], 1, 0));
        let hops = [7, 3, 4, 9, 5, 11, 10].map(|node| talk.router.hops(a(node)));
        let known = [Some(2), Some(1), Some(1), Some(2), Some(1), Some(3), Some(3)];
        assert_eq!(hops, if snoop { known } else { [None; 7] }, "{cache:?}");
    }
}

/// R11: the notice about the segment goes with the error to its source; the loss of an acknowledgement says nothing
/// to the sender of the data.
#[test]
fn a_notice_goes_with_the_error() {
    let flow = Flow { source: a(7), destination: a(9), source_port: 33_001, destination_port: 5001 };
    let wish = Asks { failed: Kind::Elfn, every_detector: true, restored: Restored::Sender, seeks: true };
    let wishes = || Wishes::from([(flow, wish)]);
    let packet = segment;
    let mut relay = Talk::asked(Config::rfc(), 0, wishes());
    relay.get(3, routed(data(2, 7, 9), &[3, 0, 4], 2, 0));
    relay.give(failed(routed(packet(7, 9, (33_001, 5001), 1460), &[3, 0, 4], 1, 0), 4));
    let said = relay.lines_until(0);
    let error = "to 3: 0->7, RERR 0-4 tell 7 salvage 0, Elfn 4711, by 3 left 1 salvage 0, ttl 255";
    assert_eq!(said[0], error);
    // The relay comes to know the route again and says so.
    let said = relay.hear(8, 4, &routed(data(2, 8, 9), &[], 0, 0));
    assert!(said.iter().any(|line| line.starts_with("to 3: 0->7, by 3 left 1")), "{said:?}");
    // The other direction.
    relay.give(failed(routed(packet(9, 7, (5001, 33_001), 0), &[4, 0, 3], 1, 0), 3));
    assert!(!relay.lines_until(0).iter().any(|line| line.contains("Elfn")));

    let mut source = Talk::asked(Config::rfc(), 7, wishes());
    let kind = ErrorKind::NodeUnreachable(a(4));
    let error = DsrOption::Error(Error { salvage: 0, source: a(0), destination: a(7), kind });
    let notice = relay_notice(flow);
    let message = with(routed(control(3, 0, a(7), 60, error), &[3], 0, 0), DsrOption::Notice(notice));
    assert_eq!(source.get(3, message), ["tell Elfn 4711"]);
    // At the source itself it takes no hop.
    let mut source = Talk::asked(Config::rfc(), 7, wishes());
    let said = source.give(failed(routed(packet(7, 9, (33_001, 5001), 1460), &[3, 0], 2, 0), 3));
    assert_eq!(said, ["reclaim 3"]);
    assert_eq!(source.lines_until(0)[0], "tell Elfn 4711");
}

fn segment(from: u32, to: u32, ports: (u16, u16), payload_bytes: u32) -> Packet {
    let segment = tcp::Segment {
        source_port: ports.0,
        destination_port: ports.1,
        seq: tcp::Seq(4711),
        ack: tcp::Seq(0),
        flags: tcp::Flags::ACK,
        window: 9,
        urgent: 0,
        options: tcp::Options::default(),
        payload_bytes,
        ecn: Ecn::NotCapable,
    };
    Packet::new(PacketId(1), a(from), a(to), 60, Payload::Tcp(segment.into()))
}

/// The error about a salvaged packet goes to who salvaged it, and takes no notice along: the packet's source has not
/// been told, and is when the next one fails, however soon.
#[test]
fn a_salvaged_packet_takes_no_notice_from_the_next() {
    let flow = Flow { source: a(7), destination: a(9), source_port: 33_001, destination_port: 5001 };
    let wish = Asks { failed: Kind::Elfn, every_detector: false, restored: Restored::Nobody, seeks: false };
    let mut relay = Talk::asked(Config::rfc(), 0, Wishes::from([(flow, wish)]));
    let mut told = Vec::new();
    for (route, salvage) in [(&[2, 0, 4], 1), (&[3, 0, 4], 0), (&[3, 0, 4], 0)] {
        relay.give(failed(routed(segment(7, 9, (33_001, 5001), 1460), route, 1, salvage), 4));
        told.push(relay.lines_until(0).iter().filter(|line| line.contains("Elfn")).count());
    }
    assert_eq!(told, [0, 1, 0]);
}

fn relay_notice(flow: Flow) -> hopwright_wire::notice::Notice {
    hopwright_wire::notice::Notice { kind: Kind::Elfn, hops: 0, id: 1, flow, seq: tcp::Seq(4711) }
}

/// A transport may ask for a route though nothing waits; the search ends with the send buffer's time.
#[test]
fn a_transport_can_seek() {
    let mut talk = Talk::new(Config::rfc());
    assert_eq!(talk.give(Input::Seek(a(9))), ["to all: 0->all, RREQ 0 for 9 by , ttl 1"]);
    let times: Vec<u64> = talk.until(60_000).iter().map(|(ms, _)| *ms).collect();
    assert_eq!(times, [30, 530, 1530, 3530, 7530, 15_530, 25_530]);
}

/// A receiver that misses its sender, and is then looked for by it, hears once that there is a route: it answers at
/// once with one acknowledgement, not with a duplicate of its own (Zhou et al., section 5.2).
#[test]
fn a_receiver_is_told_once_that_its_sender_is_there() {
    let flow = Flow { source: a(7), destination: a(9), source_port: 33_001, destination_port: 5001 };
    let wish = Asks { failed: Kind::Rfn, every_detector: true, restored: Restored::Receiver, seeks: true };
    for config in [Config::rfc(), Config::ns2()] {
        let mut talk = Talk::asked(config, 9, Wishes::from([(flow, wish)]));
        talk.give(Input::Send(data(1, 9, 7)));
        talk.until(1000);
        let mut said = talk.get(4, request(7, 5, 9, &[4], 20));
        said.extend(talk.lines_until(2000));
        assert_eq!(said.iter().filter(|line| *line == "up 7").count(), 1, "{said:?}");
    }
}

/// §8.3.6: a reply takes no other way, for it is to prove the links it tells of; what else goes with it is salvaged.
/// The same holds where it was made (§8.2.4).
#[test]
fn replies_are_not_salvaged() {
    let mut talk = Talk::new(Config::rfc());
    talk.get(3, routed(data(8, 9, 7), &[6, 5, 0, 3], 2, 0)); // another way to node 9: 0-5-6-9
    let option = || DsrOption::Reply(Reply { last_hop_external: false, addresses: all(&[8, 7]) });
    talk.give(failed(routed(control(70, 7, a(9), 60, option()), &[3, 0, 4], 1, 0), 4));
    let said = talk.lines_until(0);
    assert!(said.len() == 2 && said[1].starts_with("drop next_hop_lost: 7->9, RREP 8-7"), "{said:?}");
    talk.give(failed(with(routed(data(1, 7, 9), &[3, 0, 4], 1, 0), option()), 4));
    assert_eq!(talk.lines_until(0)[1], "to 5: 7->9, by 0-5-6 left 2 salvage 1, ttl 64");
    talk.give(failed(routed(control(71, 0, a(9), 60, option()), &[4], 1, 0), 4));
    let said = talk.lines_until(0);
    assert!(said.len() == 1 && said[0].starts_with("drop next_hop_lost: 0->9, RREP 8-7"), "{said:?}");
}

/// §8.1.4: an acknowledgement shows that its two ends hear each other.
#[test]
fn an_acknowledgement_shows_a_link() {
    let answer = |from, to| {
        let answer = Acknowledgement { id: 1, source: a(from), destination: a(to) };
        control(9, from, a(to), 1, DsrOption::Acknowledgement(answer))
    };
    for (cache, snoop) in [(CacheKind::Path, true), (CacheKind::Link, true), (CacheKind::Link, false)] {
        let mut talk = Talk::new(Config { cache, snoop, ..Config::rfc() });
        talk.hear(4, 5, &answer(4, 5));
        talk.get(6, answer(6, 0));
        let hops = [4, 5, 6].map(|node| talk.router.hops(a(node)));
        assert_eq!(hops, if snoop { [Some(1), Some(2), Some(1)] } else { [None; 3] }, "{cache:?}");
    }
}

/// §8.3.4: what an error on its way could not tell goes back with the error about it, until the total salvage count
/// (§6.4) is too high.
#[test]
fn an_error_about_an_error_takes_it_along() {
    let first = "to 3: 0->8, RERR 0-4 tell 8 salvage 0";
    let (lost, route) = ("RERR 8-9 tell 7 salvage 0", "by 3 left 1 salvage 0, ttl 255");
    for (limit, expected) in [(2, format!("{first}, {lost}, {route}")), (1, format!("{first}, {route}"))] {
        let mut talk = Talk::new(Config { max_salvage_count: limit, ..Config::rfc() });
        talk.give(failed(error(8, 9, 7, &[3, 0, 4], 1), 4));
        assert_eq!(talk.lines_until(0)[0], expected);
    }
}

/// §8.3.5: who made the error that was lost tells it again over another route; nobody else does.
#[test]
fn a_lost_error_is_told_again() {
    let lost = |salvage, from| {
        let kind = ErrorKind::NodeUnreachable(a(3));
        let outer = DsrOption::Error(Error { salvage, source: a(2), destination: a(0), kind });
        let kind = ErrorKind::NodeUnreachable(a(5));
        let inner = DsrOption::Error(Error { salvage: 0, source: a(from), destination: a(7), kind });
        routed(with(control(79, 2, a(0), 60, outer), inner), &[], 0, 0)
    };
    let mut talk = Talk::new(Config::rfc());
    assert_eq!(talk.get(2, lost(0, 0)), Vec::<String>::new(), "no route to node 7");
    talk.get(1, reply(&[1, 7]));
    let told = "RERR 0-5 tell 7 salvage 0";
    assert_eq!(talk.get(2, lost(0, 0)), [format!("to 1: 0->7, {told}, by 1 left 1 salvage 0, ttl 255")]);
    assert_eq!(talk.get(2, lost(2, 0)), [format!("to 1: 0->7, {told}, by 0-1 left 1 salvage 2, ttl 255")]);
    assert_eq!(talk.get(2, lost(0, 8)), Vec::<String>::new());
}

/// §8.1.6: the three highest bits of an option's type say what becomes of it where it is unknown.
#[test]
fn unknown_options_are_treated_as_their_types_say() {
    let get = |kind| {
        let option = DsrOption::Other { kind, data: vec![1, 2] };
        Talk::new(Config::rfc()).get(3, with(routed(data(1, 7, 9), &[3, 0, 4], 2, 0), option))
    };
    let sent = |option: &str| format!("to 4: 7->9, by 3-0-4 left 1 salvage 0{option}, ttl 63");
    assert_eq!(get(0x05), [sent(", Other { kind: 5, data: [1, 2] }")]);
    assert_eq!(get(0x25), [sent("")]);
    assert_eq!(get(0x45), [sent(", Other { kind: 69, data: [129, 2] }")]);
    let said = get(0x65);
    assert!(said.len() == 1 && said[0].starts_with("drop unknown_option: 7->9"), "{said:?}");
    for (kind, sent) in [(0x85, sent(", Other { kind: 133, data: [1, 2] }")), (0xa5, sent(""))] {
        let said = get(kind);
        let unsupported = format!("OptionNotSupported({kind})");
        assert!(said[0].starts_with("to 3: 0->7, Error(") && said[0].contains(&unsupported), "{said:?}");
        assert_eq!(said[1..], [sent]);
    }
    let asking = with(request(7, 5, 9, &[3], 20), DsrOption::Other { kind: 0xa5, data: vec![] });
    let mut talk = Talk::new(Config::rfc());
    assert_eq!(talk.get(3, asking), Vec::<String>::new());
    assert_eq!(talk.lines_until(10), ["to all: 7->all, RREQ 5 for 9 by 3-0, ttl 19"], "no error about a request");
}

/// §8.3.3: only the next node of the route answers a request, and none that goes with an acknowledgement for another.
#[test]
fn acknowledgement_requests_for_others_are_ignored() {
    let asking = |packet| with(packet, DsrOption::AcknowledgementRequest(44));
    let answers = |packet| Talk::new(Config::rfc()).get(3, asking(packet)).iter().any(|line| line.contains(", ACK 44"));
    assert!(answers(routed(data(1, 7, 9), &[3, 0, 4], 2, 0)));
    assert!(!answers(routed(data(1, 7, 9), &[3, 0, 4], 1, 0)));
    let answer = |to| DsrOption::Acknowledgement(Acknowledgement { id: 1, source: a(3), destination: a(to) });
    assert!(answers(control(1, 3, a(0), 1, answer(0))));
    assert!(!answers(routed(control(1, 7, a(9), 9, answer(9)), &[3, 0, 4], 2, 0)));
}
