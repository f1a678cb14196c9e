//! AODV as ns-2.35 runs it. Times and numbers of the first two conversations are those of its traces.

use std::sync::Arc;

use hopwright_machine::NodeId;
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Router, Wishes};
use hopwright_wire::notice::Restored;

use crate::script::{check, wishes};

fn ns2() -> Router {
    asked(&Arc::new(Wishes::new()))
}

fn asked(wishes: &Arc<Wishes>) -> Router {
    routing::Config::from(Config::ns2()).router(NodeId(0), 1, wishes)
}

/// The first request has TTL 30; the number of the node starts at two and grows by two.
#[test]
fn the_first_request_goes_through_the_whole_network() {
    check(
        ns2(),
        "
         1000ms  < send 4
         1000ms  > all RREQ 1 0->4 own 4 known ? hops 0 ttl 30
         1033ms  < get 1 RREP 4 seq 4 hops 3 to 0 life 10000
         1033ms  > 1 data 0->4 ttl 30
         1033ms  = route 4 via 1 hops 4
         1415ms  < fail 1 data 0->4 ttl 30
         1415ms  > drop retry_limit_rts data 0->4 ttl 30
         1415ms  > purge 1
         1415ms  > all RERR 4:5
         1426ms  < send 4
         1426ms  > all RREQ 2 0->4 own 8 known 5 hops 0 ttl 6
         1500ms  = breaks 1
         1798ms  < send 4
         1798ms  > all RREQ 3 0->4 own 10 known 5 hops 0 ttl 8
         1798ms  = held 2
         1825ms  < get 1 RREP 4 seq 6 hops 3 to 0 life 10000
         1825ms  > 1 data 0->4 ttl 30
         1835ms  > 1 data 0->4 ttl 30
         1835ms  = held 0
         1835ms  = control 4 176
        ",
    );
}

/// Node 3 of an 8-hop string, its number reckoned: the packet is nearer to its destination (3 hops) than to
/// its source (5 hops away). It asks at each walk after 1.8, 3.6 and 5.4 s, then gives up for 10 s.
#[test]
fn local_repair_asks_four_times_and_gives_up() {
    check(
        ns2(),
        "
         43000ms  < get 2 RREQ 9 8->7 own 60 known ? hops 2 ttl 1
         43500ms  < fail 2 data 4->8 ttl 25
         43500ms  > all RREQ 1 0->8 own 4 known 60 hops 0 ttl 30
         43500ms  = route 8 none
         44000ms  < get 4 data 4->8 ttl 26
         44000ms  = held 2
         44500ms  < get 2 RREP 8 seq 60 hops 2 to 0 life 10000
         44500ms  = held 2
         45500ms  > all RREQ 2 0->8 own 6 known 60 hops 0 ttl 30
         49500ms  > all RREQ 3 0->8 own 8 known 60 hops 0 ttl 30
         55000ms  > all RREQ 4 0->8 own 10 known 60 hops 0 ttl 30
         62500ms  > drop no_route data 4->8 ttl 25
         62500ms  > drop no_route data 4->8 ttl 25
         63000ms  < get 4 data 4->8 ttl 26
         64000ms  < get 2 RREQ 10 8->7 own 62 known ? hops 2 ttl 1
         64000ms  > 2 data 4->8 ttl 25
        ",
    );
}

/// The repair's end is set by an instant taken for a span: 2 s after the start with a wait of 1.8 s, it comes
/// 3.8 s later. From then on packets are refused again.
#[test]
fn a_failed_repair_ends_late_and_silently() {
    check(
        ns2(),
        "
         1000ms  < get 2 RREQ 9 8->7 own 60 known ? hops 2 ttl 1
         2000ms  < fail 2 data 4->8 ttl 25
         2000ms  > all RREQ 1 0->8 own 4 known 60 hops 0 ttl 30
         4000ms  > all RREQ 2 0->8 own 6 known 60 hops 0 ttl 30
         5799ms  < get 4 data 4->8 ttl 26
         5800ms  < get 4 data 4->8 ttl 26
         5800ms  > all RERR 8:60
         5800ms  > drop no_route data 4->8 ttl 25
         5800ms  = held 2
        ",
    );
}

#[test]
fn a_route_is_refreshed_by_use_and_expires_at_the_next_walk() {
    check(
        ns2(),
        "
             0ms  < get 1 RREP 5 seq 8 hops 1 to 0 life 3000
          2900ms  < get 2 data 7->5 ttl 9
          2900ms  > 1 data 7->5 ttl 8
         12900ms  = route 5 via 1 hops 2
         13000ms  = route 5 none
         13100ms  < get 2 data 7->5 ttl 9
         13100ms  > all RERR 5:9
         13100ms  > drop no_route data 7->5 ttl 8
        ",
    );
}

#[test]
fn a_reverse_route_lives_six_seconds() {
    check(
        ns2(),
        "
            0ms  < get 1 RREQ 3 7->5 own 4 known ? hops 1 ttl 1
         6000ms  = route 7 via 1 hops 2
         6500ms  = route 7 none
        ",
    );
}

#[test]
fn the_destination_replies_with_an_even_number_greater_than_asked() {
    check(
        ns2(),
        "
         0ms  < get 1 RREQ 3 7->0 own 4 known 11 hops 2 ttl 1
         0ms  > 1 RREP 0 seq 12 hops 0 to 7 life 10000
         0ms  < get 2 RREQ 3 7->0 own 4 known 11 hops 0 ttl 9
         1ms  < get 1 RREQ 4 7->0 own 6 known 12 hops 2 ttl 1
         1ms  > 1 RREP 0 seq 14 hops 0 to 7 life 10000
        ",
    );
}

/// An intermediate reply promises whole seconds only. Others pass the request on, with the freshest number.
#[test]
fn an_intermediate_node_replies_if_its_route_is_fresh_enough() {
    check(
        ns2(),
        "
           0ms  < get 1 RREP 5 seq 8 hops 1 to 0 life 6000
        1500ms  < get 2 RREQ 3 7->5 own 4 known 8 hops 0 ttl 9
        1500ms  > 2 RREP 5 seq 8 hops 2 to 7 life 4000
        1501ms  < get 2 RREQ 4 7->5 own 6 known 9 hops 0 ttl 9
        1501ms+ > all RREQ 4 7->5 own 6 known 9 hops 1 ttl 8
        ",
    );
}

#[test]
fn stale_replies_are_rejected() {
    check(
        ns2(),
        "
         0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1ms  < get 1 RREP 5 seq 8 hops 2 to 7 life 6000
         1ms  > 2 RREP 5 seq 8 hops 3 to 7 life 6000
         2ms  < get 3 RREP 5 seq 6 hops 0 to 7 life 6000
         3ms  < get 3 RREP 5 seq 8 hops 2 to 7 life 6000
         3ms  = route 5 via 1 hops 3
         4ms  < get 3 RREP 5 seq 8 hops 1 to 7 life 6000
         4ms  > 2 RREP 5 seq 8 hops 2 to 7 life 6000
         4ms  = route 5 via 3 hops 2
        ",
    );
}

/// A received error empties the queue for its sender; with precursors it goes on, jittered and by broadcast.
#[test]
fn errors_spread_to_where_there_are_precursors() {
    check(
        ns2(),
        "
         0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1ms  < get 1 RREP 5 seq 8 hops 2 to 7 life 6000
         1ms  > 2 RREP 5 seq 8 hops 3 to 7 life 6000
         2ms  < get 1 RREP 6 seq 8 hops 2 to 0 life 6000
         3ms  < get 3 RERR 5:9
         4ms  < get 1 RERR 5:7
         4ms  = route 5 via 1 hops 3
         5ms  < get 1 RERR 5:9 6:9
         5ms  > purge 1
         5ms+ > all RERR 5:9
         15ms = route 6 none
        ",
    );
}

#[test]
fn lost_routing_messages_and_returning_packets() {
    check(
        ns2(),
        "
         0ms  < get 1 RREP 5 seq 8 hops 2 to 0 life 6000
         1ms  < fail 1 RREP 0 seq 2 hops 0 to 5 life 10000
         1ms  > drop retry_limit_rts RREP 0 seq 2 hops 0 to 5 life 10000
         1ms  = route 5 via 1 hops 3
         2ms  < get 1 data 0->5 ttl 9
         2ms  > drop routing_loop data 0->5 ttl 9
         3ms  < get 2 data 7->5 ttl 1
         3ms  > drop ttl_expired data 7->5 ttl 1
         4ms  < get 2 data 7->0 ttl 1
         4ms  > deliver data 7->0 ttl 1
        ",
    );
}

/// The source of a flow that asks is told along the route back which segment could not go on; a notice that finds no
/// route ends, and makes no error.
#[test]
fn the_source_of_an_undeliverable_segment_is_told() {
    check(
        asked(&wishes("7", "5", Restored::Sender)),
        "
         1000ms  < get 1 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1000ms  < get 2 RREP 5 seq 8 hops 30 to 7 life 60000
         1000ms  > 1 RREP 5 seq 8 hops 31 to 7 life 60000
         1100ms  < get 1 tcp 7->5 seq 800
         1100ms  > 2 tcp 7->5 seq 800
         1200ms  < fail 2 tcp 7->5 seq 800
         1200ms  > drop retry_limit_rts tcp 7->5 seq 800
         1200ms  > purge 2
         1200ms  > all RERR 5:9
         1200ms  > 1 Rfn 7->5 seq 800 hops 1 to 7 ttl 64
         1300ms  < get 1 tcp 7->5 seq 900
         1300ms  > all RERR 5:9
         1300ms  > drop no_route tcp 7->5 seq 900
         1300ms  > 1 Rfn 7->5 seq 900 hops 1 to 7 ttl 64
         2000ms  < get 2 RREP 5 seq 10 hops 1 to 0 life 60000
         2000ms  > 1 Rrn 7->5 seq 0 hops 1 to 7 ttl 64
         2100ms  < get 2 Rfn 9->6 to 9
         2100ms  > drop no_route Rfn 9->6 seq 0 hops 0 to 9 ttl 63
        ",
    );
}

/// A segment kept for a local repair is told of as well.
#[test]
fn a_segment_that_waits_for_a_repair_is_told_of() {
    check(
        asked(&wishes("7", "5", Restored::Nobody)),
        "
         1000ms  < get 1 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
         1000ms  < get 2 RREP 5 seq 8 hops 0 to 7 life 60000
         1000ms  > 1 RREP 5 seq 8 hops 1 to 7 life 60000
         1100ms  < fail 2 tcp 7->5 seq 800 ttl 20
         1100ms  > all RREQ 1 0->5 own 4 known 8 hops 0 ttl 30
         1100ms  > 1 Rfn 7->5 seq 800 hops 1 to 7 ttl 64
         1200ms  < get 1 tcp 7->5 seq 900
         1200ms  > 1 Rfn 7->5 seq 900 hops 1 to 7 ttl 64
         1200ms  = held 2
        ",
    );
}

/// At the source itself the notice takes no hop, and it learns when the route is there.
#[test]
fn the_ends_are_told_at_once() {
    check(
        asked(&wishes("0", "5", Restored::Sender)),
        "
         1000ms  < get 1 RREP 5 seq 8 hops 1 to 0 life 60000
         1000ms  > up 5
         1200ms  < fail 1 tcp 0->5 seq 800 ttl 30
         1200ms  > drop retry_limit_rts tcp 0->5 seq 800
         1200ms  > purge 1
         1200ms  > all RERR 5:9
         1200ms  > tell Rfn 0->5 seq 800 hops 0
         1300ms  < get 1 RREP 5 seq 10 hops 1 to 0 life 60000
         1300ms  > up 5
        ",
    );
}

/// Packets that waited leave 10 ms apart; those still inside are counted together with those without a route.
#[test]
fn packets_that_leave_one_by_one_are_inside_until_they_leave() {
    check(
        ns2(),
        "
         1000ms  < send 4
         1000ms  > all RREQ 1 0->4 own 4 known ? hops 0 ttl 30
         1001ms  < send 4
         1002ms  < send 4
         1003ms  < send 5
         1003ms  > all RREQ 2 0->5 own 6 known ? hops 0 ttl 30
         1013ms  < get 1 RREP 4 seq 4 hops 3 to 0 life 10000
         1013ms  > 1 data 0->4 ttl 30
         1013ms  = held 3
         1023ms  > 1 data 0->4 ttl 30
         1033ms  > 1 data 0->4 ttl 30
         1035ms  = held 1
        ",
    );
}

/// A transport may want a route though nothing waits: the search is that for a packet.
#[test]
fn a_route_is_sought_without_a_packet() {
    check(
        ns2(),
        "
         1000ms  < seek 0
         1000ms  < seek 4
         1000ms  > all RREQ 1 0->4 own 4 known ? hops 0 ttl 30
         1033ms  < get 1 RREP 4 seq 4 hops 3 to 0 life 10000
         1033ms  = route 4 via 1 hops 4
         1040ms  < seek 4
         1050ms  = held 0
        ",
    );
}

/// `recvRequest`: the destination's number is one more than the newest known, and even. (Hops are counted as in the RFC: ns-2
/// counts one more.)
#[test]
fn the_destinations_number_grows_and_stays_even() {
    for (known, replied) in [(4, 6), (5, 6), (6, 8), (9, 10)] {
        let script = format!(
            "
             1000ms  < get 1 RREQ 3 7->0 own 4 known {known} hops 0 ttl 9
             1000ms  > 1 RREP 0 seq {replied} hops 0 to 7 life 10000
            "
        );
        check(ns2(), &script);
    }
}

/// `sendRequest`: TTL_INCREMENT more than the last known length while that is below TTL_THRESHOLD (7); from then on the network.
#[test]
fn rings_end_at_the_threshold() {
    check(
        ns2(),
        "
         1000ms  < send 4
         1000ms  > all RREQ 1 0->4 own 4 known ? hops 0 ttl 30
         1033ms  < get 1 RREP 4 seq 4 hops 4 to 0 life 10000
         1033ms  > 1 data 0->4 ttl 30
         1033ms  = route 4 via 1 hops 5
         1415ms  < fail 1 data 0->4 ttl 30
         1415ms  > drop retry_limit_rts data 0->4 ttl 30
         1415ms  > purge 1
         1415ms  > all RERR 4:5
         1426ms  < send 4
         1426ms  > all RREQ 2 0->4 own 8 known 5 hops 0 ttl 7
         2000ms  > all RREQ 3 0->4 own 10 known 5 hops 0 ttl 30
        ",
    );
}
