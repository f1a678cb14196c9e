//! AODV by RFC 3561: one rule per conversation.

use std::sync::Arc;

use hopwright_machine::{Duration, NodeId};
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Router, Wishes};
use hopwright_wire::notice::Restored;

use crate::script::{check, wishes};

fn router(change: impl Fn(&mut Config)) -> Router {
    let mut config = Config::rfc();
    change(&mut config);
    asked(config, &Arc::new(Wishes::new()))
}

fn asked(config: Config, wishes: &Arc<Wishes>) -> Router {
    routing::Config::from(config).router(NodeId(0), 1, wishes)
}

fn rfc() -> Router {
    router(|_| {})
}

/// R5, §6.4: from TTL_START by TTL_INCREMENT up to TTL_THRESHOLD, each ring for its traversal time; then the
/// whole network, the wait doubling (§6.3), two retries, and the kept packet is lost.
#[test]
fn rings_grow_and_then_waits_double() {
    check(
        router(|config| config.ttl_start = 2),
        "
             0ms  < send 5
             0ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 2
             0ms  = held 1
           320ms  > all RREQ 2 0->5 own 2 known ? hops 0 ttl 4
           800ms  > all RREQ 3 0->5 own 3 known ? hops 0 ttl 6
          1440ms  > all RREQ 4 0->5 own 4 known ? hops 0 ttl 35
          4240ms  > all RREQ 5 0->5 own 5 known ? hops 0 ttl 35
          9840ms  > all RREQ 6 0->5 own 6 known ? hops 0 ttl 35
         21040ms  > drop no_route data 0->5 ttl 64
         21040ms  = held 0
         21040ms  = control 6 312
        ",
    );
}

#[test]
fn the_first_network_wide_request_may_count_as_a_retry() {
    check(
        router(|config| {
            config.ttl_start = 35;
            config.rreq_retries_include_first = true;
        }),
        "
            0ms  < send 5
            0ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 35
         2800ms  > all RREQ 2 0->5 own 2 known ? hops 0 ttl 35
         8400ms  > drop no_route data 0->5 ttl 64
        ",
    );
}

/// §6.3: packets wait for the reply and leave in order.
#[test]
fn a_reply_releases_the_kept_packets() {
    check(
        rfc(),
        "
         0ms  < send 5
         0ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 1
         1ms  < get 7 data 7->5 ttl 9
         1ms  > 7 RERR 5:0
         1ms  > drop no_route data 7->5 ttl 8
         2ms  < send 5
         2ms  = held 2
         9ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 6000
         9ms  > 1 data 0->5 ttl 64
         9ms  > 1 data 0->5 ttl 64
         9ms  = held 0
         9ms  = route 5 via 1 hops 2
        20ms  < get 7 data 7->5 ttl 9
        20ms  > 1 data 7->5 ttl 8
         5000ms = route 1 via 1 hops 1
        ",
    );
}

/// The oldest packet goes when the buffer is full, any packet when its time is up.
#[test]
fn the_buffer_has_a_size_and_a_time() {
    check(
        router(|config| {
            config.buffer_packets = 2;
            config.buffer_timeout = Duration::from_millis(100);
        }),
        "
           0ms  < send 5
           0ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 1
           1ms  < send 5
           2ms  < send 5
           2ms  > drop route_buffer_full data 0->5 ttl 64
         101ms  > drop route_buffer_timeout data 0->5 ttl 64
         102ms  > drop route_buffer_timeout data 0->5 ttl 64
        9000ms  = control 1 52
        ",
    );
}

/// §6.5: a copy is discarded for PATH_DISCOVERY_TIME (5.6 s); own requests always.
#[test]
fn copies_of_a_request_are_discarded() {
    check(
        rfc(),
        "
            0ms  < get 1 RREQ 3 7->5 own 4 known ? hops 0 ttl 9
            0ms+ > all RREQ 3 7->5 own 4 known ? hops 1 ttl 8
           20ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 9
           30ms  < get 1 RREQ 9 0->5 own 4 known ? hops 0 ttl 9
         5599ms  < get 1 RREQ 3 7->5 own 6 known ? hops 0 ttl 9
         5600ms  < get 1 RREQ 3 7->5 own 6 known ? hops 0 ttl 9
         5600ms+ > all RREQ 3 7->5 own 6 known ? hops 1 ttl 8
        ",
    );
}

/// §6.6.1: zero hops, MY_ROUTE_TIMEOUT, and the newer of both sequence numbers.
#[test]
fn the_destination_replies_with_the_newest_number() {
    check(
        rfc(),
        "
         0ms  < get 1 RREQ 3 7->0 own 4 known 20 hops 2 ttl 1
         0ms  > 1 RREP 0 seq 20 hops 0 to 7 life 20000
         0ms  = route 7 via 1 hops 3
         1ms  < get 1 RREQ 4 7->0 own 5 known 6 hops 2 ttl 1
         1ms  > 1 RREP 0 seq 20 hops 0 to 7 life 20000
        ",
    );
}

/// §6.6.2: a node with a route that is fresh enough replies, for the rest of its lifetime; §6.6.3: and
/// tells the destination if asked.
#[test]
fn an_intermediate_node_replies_if_its_route_is_fresh_enough() {
    check(
        rfc(),
        "
           0ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 6000
           0ms  = route 5 via 1 hops 2
        1000ms  < get 2 RREQ 3 7->5 own 4 known 7 hops 0 ttl 9
        1000ms  > 2 RREP 5 seq 7 hops 2 to 7 life 5000
        1001ms  < get 2 RREQ 4 7->5 own 5 known 8 hops 0 ttl 9
        1001ms+ > all RREQ 4 7->5 own 5 known 8 hops 1 ttl 8
        1020ms  < get 2 RREQ 5 7->5 own 6 known 6 hops 0 ttl 9 D
        1020ms+ > all RREQ 5 7->5 own 6 known 7 hops 1 ttl 8 D
        1040ms  < get 2 RREQ 6 7->5 own 7 known ? hops 0 ttl 9 G
        1040ms  > 2 RREP 5 seq 7 hops 2 to 7 life 4960
        1040ms  > 1 RREP 7 seq 7 hops 1 to 5 life 5520
        ",
    );
}

/// §6.7 (R7): lower numbers are rejected, equal ones only if shorter; what improves nothing goes no further.
#[test]
fn stale_replies_are_rejected() {
    check(
        rfc(),
        "
         0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1ms  < get 1 RREP 5 seq 7 hops 2 to 7 life 6000
         1ms  > 2 RREP 5 seq 7 hops 3 to 7 life 6000
         2ms  < get 3 RREP 5 seq 6 hops 0 to 7 life 6000
         2ms  = route 5 via 1 hops 3
         3ms  < get 3 RREP 5 seq 7 hops 2 to 7 life 6000
         3ms  = route 5 via 1 hops 3
         4ms  < get 3 RREP 5 seq 7 hops 1 to 7 life 6000
         4ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000
         4ms  = route 5 via 3 hops 2
        ",
    );
}

/// §6.11 (i): one precursor is told alone, several by broadcast; routes nobody uses are not mentioned.
#[test]
fn a_broken_link_is_told_to_the_precursors() {
    check(
        rfc(),
        "
          0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
          1ms  < get 1 RREP 5 seq 7 hops 2 to 7 life 6000
          1ms  > 2 RREP 5 seq 7 hops 3 to 7 life 6000
          2ms  < get 1 RREP 6 seq 9 hops 2 to 0 life 6000
          9ms  < fail 1 data 7->5 ttl 63
          9ms  > drop retry_limit_rts data 7->5 ttl 63
          9ms  > purge 1
          9ms  > 2 RERR 1:0 5:8
          9ms  = route 5 none
          9ms  = route 6 none
          9ms  = route 7 via 2 hops 1
          9ms  = breaks 1
         10ms  < fail 1 data 7->5 ttl 63
         10ms  > drop retry_limit_rts data 7->5 ttl 63
         10ms  > purge 1
         10ms  = breaks 1
         20ms  < get 1 RREP 5 seq 8 hops 2 to 7 life 6000
         20ms  > 2 RREP 5 seq 8 hops 3 to 7 life 6000
         21ms  < get 3 RREQ 8 8->5 own 4 known 8 hops 0 ttl 9
         21ms  > 3 RREP 5 seq 8 hops 3 to 8 life 5999
         30ms  < fail 1 RERR 9:9
         30ms  > drop retry_limit_rts RERR 9:9
         30ms  > purge 1
         30ms  > all RERR 1:0 5:9
        ",
    );
}

/// §6.11 (iii): only routes through the sender are lost; they take the error's number, never an older one.
#[test]
fn an_error_is_passed_on_to_precursors_only() {
    check(
        rfc(),
        "
          0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
          1ms  < get 1 RREP 5 seq 7 hops 2 to 7 life 6000
          1ms  > 2 RREP 5 seq 7 hops 3 to 7 life 6000
          2ms  < get 1 RREP 6 seq 9 hops 2 to 0 life 6000
          3ms  < get 3 RERR 5:8
          3ms  = route 5 via 1 hops 3
          4ms  < get 1 RERR 5:12 6:2
          4ms  > 2 RERR 5:12
          4ms  = route 5 none
          5ms  < send 6
          5ms  > all RREQ 1 0->6 own 1 known 10 hops 0 ttl 5
          6ms  < get 4 RREP 6 seq 9 hops 0 to 0 life 6000
          6ms  = held 1
        ",
    );
}

/// §6.11 (ii): whoever sends a packet that cannot go on is told, with the number that we remember.
#[test]
fn an_undeliverable_packet_is_answered_with_an_error() {
    check(
        rfc(),
        "
            0ms  < get 1 RREP 5 seq 7 hops 2 to 0 life 1000
         1000ms  < get 2 data 7->5 ttl 9
         1000ms  > 2 RERR 5:8
         1000ms  > drop no_route data 7->5 ttl 8
         1001ms  < get 2 data 7->5 ttl 1
         1001ms  > drop ttl_expired data 7->5 ttl 1
        ",
    );
}

/// §6.2: forwarding a packet prolongs the routes to both ends and both neighbours.
#[test]
fn use_keeps_routes_alive() {
    check(
        rfc(),
        "
            0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 1 ttl 1
            0ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 3000
         2999ms  < get 2 data 7->5 ttl 9
         2999ms  > 1 data 7->5 ttl 8
        12998ms  < get 3 RREQ 1 3->9 own 1 known ? hops 0 ttl 1
        12998ms  = route 5 via 1 hops 2
        12998ms  = route 1 via 1 hops 1
        12998ms  = route 2 via 2 hops 1
        12998ms  = route 7 via 2 hops 2
        12999ms  < get 3 RREQ 2 3->9 own 2 known ? hops 0 ttl 1
        12999ms  = route 5 none
        12999ms  = route 1 none
        12999ms  = route 2 none
        12999ms  = route 7 none
        ",
    );
}

/// §6.3: no more than RREQ_RATELIMIT requests in a second; the rest wait.
#[test]
fn requests_are_limited() {
    check(
        router(|config| {
            config.rreq_ratelimit = 2;
            config.ttl_start = 35;
        }),
        "
            0ms  < send 5
            0ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 35
          100ms  < send 6
          100ms  > all RREQ 2 0->6 own 2 known ? hops 0 ttl 35
          200ms  < send 7
         1000ms  > all RREQ 3 0->7 own 3 known ? hops 0 ttl 35
         1000ms  = held 3
        ",
    );
}

/// §6.11: no more than RERR_RATELIMIT errors in a second.
#[test]
fn errors_are_limited() {
    check(
        router(|config| config.rerr_ratelimit = 1),
        "
            0ms  < get 2 data 7->5 ttl 9
            0ms  > 2 RERR 5:0
            0ms  > drop no_route data 7->5 ttl 8
          999ms  < get 2 data 7->5 ttl 9
          999ms  > drop no_route data 7->5 ttl 8
         1000ms  < get 2 data 7->5 ttl 9
         1000ms  > 2 RERR 5:0
         1000ms  > drop no_route data 7->5 ttl 8
        ",
    );
}

/// A transport may want a route though nothing waits: the search is that for a packet, and ends as quietly.
#[test]
fn a_route_is_sought_without_a_packet() {
    check(
        router(|c| (c.ttl_start, c.rreq_retries) = (35, 0)),
        "
         1000ms  < seek 4
         1000ms  > all RREQ 1 0->4 own 1 known ? hops 0 ttl 35
         1000ms  < seek 4
         2000ms  < get 1 RREP 4 seq 7 hops 1 to 0 life 6000
         2000ms  = route 4 via 1 hops 2
         2000ms  < seek 4
         9000ms  < seek 4
         9000ms  > all RREQ 2 0->4 own 2 known 8 hops 0 ttl 4
         9300ms  = held 0
        ",
    );
}

/// The source of a flow that asks is told which segment could not go on: by a packet of its own after the error, along
/// the route back, and only if there is one.
#[test]
fn the_source_of_an_undeliverable_segment_is_told() {
    let flow = wishes("7", "5", Restored::Sender);
    check(
        asked(Config::rfc(), &flow),
        "
         1000ms  < get 1 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1000ms  < get 2 RREP 5 seq 7 hops 1 to 7 life 60000
         1000ms  > 1 RREP 5 seq 7 hops 2 to 7 life 60000
         1100ms  < get 1 tcp 7->5 seq 800
         1100ms  > 2 tcp 7->5 seq 800
         1200ms  < fail 2 tcp 7->5 seq 800
         1200ms  > drop retry_limit_rts tcp 7->5 seq 800
         1200ms  > purge 2
         1200ms  > 1 RERR 2:0 5:8
         1200ms  > 1 Rfn 7->5 seq 800 hops 1 to 7 ttl 64
         1300ms  < get 1 tcp 7->5 seq 900
         1300ms  > 1 RERR 5:8
         1300ms  > drop no_route tcp 7->5 seq 900
         1300ms  > 1 Rfn 7->5 seq 900 hops 1 to 7 ttl 64
         1400ms  < get 1 tcp 7->5 seq 1000
         1400ms  > 1 RERR 5:8
         1400ms  > drop no_route tcp 7->5 seq 1000
         2000ms  < get 2 RREP 5 seq 9 hops 1 to 0 life 60000
         2000ms  > 1 Rrn 7->5 seq 0 hops 1 to 7 ttl 64
        ",
    );
    check(
        asked(Config::rfc(), &flow),
        "
         1000ms  < get 1 tcp 7->5 seq 800
         1000ms  > 1 RERR 5:0
         1000ms  > drop no_route tcp 7->5 seq 800
        ",
    );
}

/// At the source itself a notice takes no hop; and a node that waits for a route learns when it is there.
#[test]
fn the_ends_are_told_at_once() {
    check(
        asked(Config::rfc(), &wishes("0", "5", Restored::Sender)),
        "
         1000ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 60000
         1000ms  > up 5
         1200ms  < fail 1 tcp 0->5 seq 800
         1200ms  > drop retry_limit_rts tcp 0->5 seq 800
         1200ms  > purge 1
         1200ms  > tell Rfn 0->5 seq 800 hops 0
         1300ms  < get 1 RREP 5 seq 9 hops 1 to 0 life 60000
         1300ms  > up 5
        ",
    );
}

/// R7, §6.7: a stale reply is nothing; one as fresh counts if it is shorter, a fresher one in any case. Only what
/// improves the route goes on.
#[test]
fn sequence_numbers_decide_between_replies() {
    check(
        rfc(),
        "
         0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1ms  < get 1 RREP 5 seq 7 hops 3 to 7 life 6000
         1ms  > 2 RREP 5 seq 7 hops 4 to 7 life 6000
         2ms  < get 3 RREP 5 seq 6 hops 1 to 7 life 6000
         2ms  = route 5 via 1 hops 4
         3ms  < get 3 RREP 5 seq 7 hops 3 to 7 life 6000
         3ms  = route 5 via 1 hops 4
         4ms  < get 3 RREP 5 seq 7 hops 2 to 7 life 6000
         4ms  > 2 RREP 5 seq 7 hops 3 to 7 life 6000
         4ms  = route 5 via 3 hops 3
         5ms  < get 1 RREP 5 seq 8 hops 9 to 7 life 6000
         5ms  > 2 RREP 5 seq 8 hops 10 to 7 life 6000
         5ms  = route 5 via 1 hops 10
        ",
    );
}

/// Where only destinations reply, a reply that says what this node knows must go on all the same.
#[test]
fn with_destination_only_a_confirming_reply_goes_on() {
    let script = "
         0ms  < get 1 RREP 5 seq 7 hops 3 to 0 life 6000
         0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1 D
         1ms  < get 3 RREP 5 seq 7 hops 3 to 7 life 6000
         2ms  < get 1 RREP 5 seq 7 hops 3 to 7 life 6000
    ";
    check(rfc(), script);
    let goes_on = "2ms  > 2 RREP 5 seq 7 hops 4 to 7 life 6000";
    check(router(|config| config.destination_only = true), &format!("{script}{goes_on}"));
}

/// A notice that finds no route ends: no error, no notice about it, no waiting.
#[test]
fn a_notice_makes_no_messages() {
    check(
        asked(Config { local_repair: true, ..Config::rfc() }, &wishes("7", "5", Restored::Sender)),
        "
         1000ms  < get 1 Rfn 7->5 to 7
         1000ms  > drop no_route Rfn 7->5 seq 0 hops 0 to 7 ttl 63
         1000ms  < get 2 RREP 7 seq 8 hops 1 to 0 life 60000
         1001ms  < fail 2 Rfn 7->5 to 7
         1001ms  > reclaim 2
         1001ms  > drop retry_limit_rts Rfn 7->5 seq 0 hops 0 to 7 ttl 64
         1001ms  = held 0
        ",
    );
}

/// A segment that waits for a repair is told of when it is kept, not again when the repair fails.
#[test]
fn a_segment_that_waits_for_a_repair_is_told_of() {
    check(
        asked(Config { local_repair: true, ..Config::rfc() }, &wishes("7", "5", Restored::Sender)),
        "
         1000ms  < get 1 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1000ms  < get 2 RREP 5 seq 7 hops 1 to 7 life 60000
         1000ms  > 1 RREP 5 seq 7 hops 2 to 7 life 60000
         1200ms  < fail 2 tcp 7->5 seq 800
         1200ms  > reclaim 2
         1200ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
         1200ms  > 1 Rfn 7->5 seq 800 hops 1 to 7 ttl 64
         1210ms  < reclaimed 2 tcp 7->5 seq 900
         1300ms  < get 1 tcp 7->5 seq 1000
         1300ms  > 1 Rfn 7->5 seq 1000 hops 1 to 7 ttl 64
         1680ms  > drop no_route tcp 7->5 seq 800
         1680ms  > drop no_route tcp 7->5 seq 900
         1680ms  > drop no_route tcp 7->5 seq 1000
         1680ms  > 1 RERR 5:8
         2000ms  < get 3 RREP 5 seq 8 hops 1 to 0 life 60000
         2000ms  > 1 Rrn 7->5 seq 0 hops 1 to 7 ttl 64
        ",
    );
}

#[test]
fn nobody_searches_for_itself() {
    check(rfc(), "0ms < seek 0\n 5000ms = control 0 0");
}

/// §6.3: RREQ_RETRIES of the network-wide request, each after NET_TRAVERSAL_TIME; with none the first is the last.
#[test]
fn without_retries_one_request_is_all() {
    check(
        router(|c| (c.ttl_start, c.rreq_retries) = (35, 0)),
        "
         1000ms  < send 4
         1000ms  > all RREQ 1 0->4 own 1 known ? hops 0 ttl 35
         3800ms  > drop no_route data 0->4 ttl 64
         9000ms  = held 0
        ",
    );
}

/// `release_gap`: packets that waited for a route leave one by one, the first at once.
#[test]
fn kept_packets_may_leave_one_by_one() {
    check(
        router(|c| c.release_gap = Duration::from_millis(10)),
        "
         1000ms  < send 4
         1000ms  > all RREQ 1 0->4 own 1 known ? hops 0 ttl 1
         1000ms  < send 4
         1000ms  < send 4
         1050ms  < get 4 RREP 4 seq 7 hops 0 to 0 life 6000
         1050ms  > 4 data 0->4 ttl 64
         1051ms  = held 2
         1060ms  > 4 data 0->4 ttl 64
         1070ms  > 4 data 0->4 ttl 64
         1080ms  = held 0
        ",
    );
}

/// §6.1, §6.11: an expired route is deleted DELETE_PERIOD later, and its number with it, whatever becomes of others.
#[test]
fn a_route_is_deleted_though_others_live() {
    for (ms, known) in [("50999", "known 8 hops 0 ttl 4"), ("51000", "known ? hops 0 ttl 1")] {
        let script = format!(
            "
             0ms  < get 1 RREP 4 seq 7 hops 1 to 0 life 1000
             0ms  < get 1 RREP 6 seq 7 hops 1 to 0 life 900000
             0ms  = route 4 via 1 hops 2
         {ms}ms  = route 6 via 1 hops 2
         {ms}ms  < send 4
         {ms}ms  > all RREQ 1 0->4 own 1 {known}
            ",
        );
        check(rfc(), &script);
    }
}

/// §6.11: an error that goes on to several precursors is broadcast, after a jitter.
#[test]
fn an_error_for_several_precursors_is_broadcast() {
    check(
        rfc(),
        "
            0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
            0ms  < get 3 RREQ 3 8->5 own 4 known ? hops 0 ttl 1
            0ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 6000
            0ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000
            0ms  < get 1 RREP 5 seq 8 hops 1 to 8 life 6000
            0ms  > 3 RREP 5 seq 8 hops 2 to 8 life 6000
          100ms  < get 1 RERR 5:9
         100ms+  > all RERR 5:9
          200ms  = route 5 none
        ",
    );
}

/// §6.6.2: only a node that knows the destination's number replies for it.
#[test]
fn who_knows_a_neighbour_but_not_its_number_does_not_reply_for_it() {
    check(
        rfc(),
        "
            0ms  < get 3 RREQ 3 7->6 own 4 known ? hops 1 ttl 1
            0ms  = route 3 via 3 hops 1
          100ms  < get 2 RREQ 5 8->3 own 4 known ? hops 0 ttl 9
         100ms+  > all RREQ 5 8->3 own 4 known ? hops 1 ttl 8
        ",
    );
}

/// §6.5: a reverse route lives for 2 NET_TRAVERSAL_TIME - 2 HopCount NODE_TRAVERSAL_TIME at least: 5600 - 3 x 80 ms.
#[test]
fn reverse_routes_of_far_originators_live_shorter() {
    for (ms, expected) in [("5359", "1 data 0->7 ttl 64"), ("5360", "all RREQ 1 0->7 own 1 known 5 hops 0 ttl 5")] {
        let script = format!(
            "
             0ms  < get 1 RREQ 3 7->5 own 4 known ? hops 2 ttl 1
             0ms  = route 7 via 1 hops 3
         {ms}ms  < send 7
         {ms}ms  > {expected}
            "
        );
        check(rfc(), &script);
    }
}

/// §6.11: who has been told of a route's end is told no more of it, until it sends that way again.
#[test]
fn precursors_are_told_once() {
    check(
        rfc(),
        "
            0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
            0ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 6000
            0ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000
          100ms  < get 1 RERR 5:8
          100ms  > 2 RERR 5:8
          200ms  < get 1 RREP 5 seq 9 hops 1 to 0 life 6000
          200ms  = route 5 via 1 hops 2
          300ms  < get 1 RERR 5:10
          400ms  = route 5 none
        ",
    );
}
