//! Local repair by RFC 3561 §6.12: one rule per conversation.
//!
//! Node 0 stands between neighbour 2, behind which node 7 sends, and neighbour 1, behind which is node 5.

use std::sync::Arc;

use hopwright_machine::{Duration, NodeId};
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Router};

use crate::script::check;

fn router(change: impl Fn(&mut Config)) -> Router {
    let mut config = Config { local_repair: true, ..Config::rfc() };
    change(&mut config);
    routing::Config::from(config).router(NodeId(0), 1, &Arc::default())
}

/// A route from 7 to 5, `back` hops to the source and `hops` to the destination; then its link to 1 breaks
/// under a packet.
fn broken(back: u8, hops: u8) -> String {
    format!(
        "
          0ms  < get 2 RREQ 3 7->5 own 4 known ? hops {} ttl 1
          0ms  < get 1 RREP 5 seq 7 hops {} to 7 life 6000
          0ms  > 2 RREP 5 seq 7 hops {hops} to 7 life 6000
         10ms  < get 2 data 7->5 ttl 9
         10ms  > 1 data 7->5 ttl 8
         20ms  < fail 1 data 7->5 ttl 8
         20ms  > reclaim 1
        ",
        back - 1,
        hops - 1,
    )
}

/// The number grows by one, the request goes LOCAL_ADD_TTL hops beyond the old length; packets wait, and
/// nobody else needs to know.
#[test]
fn a_lost_link_is_repaired_unseen() {
    check(
        router(|_| {}),
        &(broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
         20ms  = held 1
         30ms  < get 2 data 7->5 ttl 9
         30ms  < reclaimed 1 data 7->5 ttl 8
         30ms  = held 3
         40ms  < get 3 RREP 5 seq 8 hops 1 to 0 life 6000
         40ms  > 3 data 7->5 ttl 8
         40ms  > 3 data 7->5 ttl 8
         40ms  > 3 data 7->5 ttl 8
         40ms  = held 0
         40ms  = route 5 via 3 hops 2
         40ms  = breaks 1
       2000ms  = control 2 100
        "),
    );
}

/// max(MIN_REPAIR_TTL, 0.5 x hops to the source) + LOCAL_ADD_TTL, with MIN_REPAIR_TTL the last known length.
#[test]
fn a_far_source_makes_the_ring_larger() {
    for (back, hops, ttl) in [(9, 2, 6), (4, 2, 4), (1, 10, 12), (68, 3, 35)] {
        let request = format!("20ms > all RREQ 1 0->5 own 1 known 8 hops 0 ttl {ttl}");
        check(router(|_| {}), &(broken(back, hops) + &request));
    }
}

/// A longer way: RERR with N to the precursors, who keep the route.
#[test]
fn a_longer_route_is_announced() {
    check(
        router(|_| {}),
        &(broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
         40ms  < get 3 RREP 5 seq 8 hops 2 to 0 life 6000
         40ms  > 2 RERR N 5:8
         40ms  > 3 data 7->5 ttl 8
         40ms  = route 5 via 3 hops 3
        "),
    );
}

/// No answer in the discovery period (RING_TRAVERSAL_TIME of TTL 4, 480 ms): what §6.11 says.
#[test]
fn a_failed_repair_is_an_error() {
    check(
        router(|_| {}),
        &(broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
        100ms  < get 2 data 7->5 ttl 9
        500ms  > drop no_route data 7->5 ttl 8
        500ms  > drop no_route data 7->5 ttl 8
        500ms  > 2 RERR 5:8
        500ms  = held 0
        600ms  < get 2 data 7->5 ttl 9
        600ms  > 2 RERR 5:8
        600ms  > drop no_route data 7->5 ttl 8
        "),
    );
}

/// Whoever sends here hears of the failure even if no reply made it a precursor.
#[test]
fn who_sends_during_a_repair_hears_of_its_failure() {
    check(
        router(|_| {}),
        &(broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
        100ms  < get 4 data 8->5 ttl 9
        500ms  > drop no_route data 7->5 ttl 8
        500ms  > drop no_route data 8->5 ttl 8
        500ms  > all RERR 5:8
        "),
    );
}

/// "MAY choose to repair the link locally if the destination was no farther than MAX_REPAIR_TTL hops away":
/// 0.3 x 35 = 10.
#[test]
fn a_far_destination_is_not_repaired() {
    check(
        router(|_| {}),
        &(broken(2, 11)
            + "
         20ms  > 2 RERR 5:8
         20ms  > drop retry_limit_rts data 7->5 ttl 8
        "),
    );
}

/// Only the packet's destination is repaired at once; other routes through the neighbour when packets come
/// for them, as long as they would have been in use.
#[test]
fn other_routes_are_repaired_when_needed() {
    check(
        router(|_| {}),
        &("
          0ms  < get 2 RREQ 2 7->6 own 3 known ? hops 1 ttl 1
          0ms  < get 1 RREP 6 seq 3 hops 1 to 7 life 4000
          0ms  > 2 RREP 6 seq 3 hops 2 to 7 life 4000
        "
        .to_owned()
            + &broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
         30ms  < get 3 RREP 5 seq 8 hops 1 to 0 life 6000
         30ms  > 3 data 7->5 ttl 8
         30ms  = route 6 none
       3999ms  < get 2 data 7->6 ttl 9
       3999ms  > all RREQ 2 0->6 own 2 known 4 hops 0 ttl 4
       4000ms  = held 1
       4010ms  < get 3 RREP 6 seq 4 hops 1 to 0 life 6000
       4010ms  > 3 data 7->6 ttl 8
        "),
    );
    check(
        router(|_| {}),
        &("
          0ms  < get 2 RREQ 2 7->6 own 3 known ? hops 1 ttl 1
          0ms  < get 1 RREP 6 seq 3 hops 1 to 7 life 4000
          0ms  > 2 RREP 6 seq 3 hops 2 to 7 life 4000
        "
        .to_owned()
            + &broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
         30ms  < get 3 RREP 5 seq 8 hops 1 to 0 life 6000
         30ms  > 3 data 7->5 ttl 8
       4000ms  < get 2 data 7->6 ttl 9
       4000ms  > 2 RERR 6:4
       4000ms  > drop no_route data 7->6 ttl 8
        "),
    );
}

/// The source's own packets are searched for as ever: ring by ring, beginning two hops beyond the last length.
#[test]
fn the_source_keeps_its_packets_and_searches() {
    check(
        router(|_| {}),
        "
          0ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 6000
          0ms  < send 5
          0ms  > 1 data 0->5 ttl 64
         10ms  < fail 1 data 0->5 ttl 64
         10ms  > reclaim 1
         10ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
        490ms  > all RREQ 2 0->5 own 2 known 8 hops 0 ttl 6
        500ms  < get 3 RREP 5 seq 8 hops 3 to 0 life 6000
        500ms  > 3 data 0->5 ttl 64
        ",
    );
}

/// A repair that fails is over for others' packets; own ones go on being searched for.
#[test]
fn own_packets_outlive_a_failed_repair() {
    check(
        router(|_| {}),
        &(broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
         30ms  < send 5
        500ms  > drop no_route data 7->5 ttl 8
        500ms  > 2 RERR 5:8
        500ms  > all RREQ 2 0->5 own 2 known 8 hops 0 ttl 6
        500ms  = held 1
        "),
    );
}

/// A packet that comes back from the link layer after another route was learned takes that.
#[test]
fn a_packet_given_back_takes_a_newer_route() {
    check(
        router(|_| {}),
        &(broken(2, 2)
            + "
         20ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
         30ms  < get 3 RREP 5 seq 8 hops 1 to 0 life 6000
         30ms  > 3 data 7->5 ttl 8
         31ms  < reclaimed 1 data 7->5 ttl 8
         31ms  > 3 data 7->5 ttl 8
         32ms  < fail 1 data 7->5 ttl 8
         32ms  > reclaim 1
         32ms  > 3 data 7->5 ttl 8
        "),
    );
}

/// A packet that is given back again and again waits no longer than any other (here 100 ms).
#[test]
fn a_packet_is_not_given_back_for_ever() {
    check(
        router(|config| config.buffer_timeout = Duration::from_millis(100)),
        "
          0ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 6000
         10ms  < reclaimed 2 data 7->5 ttl 2
         10ms  > 1 data 7->5 ttl 2
        109ms  < fail 1 data 7->5 ttl 2
        109ms  > reclaim 1
        109ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
        110ms  > drop route_buffer_timeout data 7->5 ttl 2
        120ms  < get 1 RREP 5 seq 9 hops 1 to 0 life 6000
        130ms  < fail 1 data 7->5 ttl 2
        130ms  > reclaim 1
        130ms  > drop route_buffer_timeout data 7->5 ttl 2
        ",
    );
}

/// Without local repair a link loss ends as before.
#[test]
fn without_local_repair_nothing_waits() {
    let script = broken(2, 2).replace("20ms  > reclaim 1", "");
    check(
        router(|config| config.local_repair = false),
        &(script
            + "
         20ms  > drop retry_limit_rts data 7->5 ttl 8
         20ms  > purge 1
         20ms  > 2 RERR 1:0 5:8
        "),
    );
}

/// A link that HELLOs find lost has no packet at hand: its routes wait for one.
#[test]
fn a_silent_neighbours_routes_wait_for_packets() {
    check(
        router(|config| {
            config.hello = true;
            config.allowed_hello_loss = 1;
        }),
        "
          0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 1 ttl 1
          0ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 6000
          0ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000
          0ms  < get 1 HELLO 1 seq 4 life 2000
       0ms+999 > all HELLO 0 seq 0 life 1000
       1000ms  > reclaim 1
       1000ms  = route 5 none
       1001ms  < get 2 data 7->5 ttl 9
       1001ms  > all RREQ 1 0->5 own 1 known 8 hops 0 ttl 4
       1002ms  < get 3 RREP 5 seq 8 hops 1 to 0 life 6000
       1002ms  > 3 data 7->5 ttl 8
        ",
    );
}

/// An RERR with N is passed on with N, and the route stays; without precursors or from elsewhere, nothing.
#[test]
fn no_delete_leaves_the_route() {
    check(
        router(|_| {}),
        "
          0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 1 ttl 1
          0ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 6000
          0ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000
          0ms  < get 1 RREP 6 seq 7 hops 1 to 0 life 6000
          1ms  < get 1 RERR N 5:8 6:8
          1ms  > 2 RERR N 5:7
          1ms  = route 5 via 1 hops 2
          1ms  = route 6 via 1 hops 2
          2ms  < get 2 RERR N 5:8
          2ms  = route 5 via 1 hops 2
          3ms  < get 1 RERR N 5:8
          3ms  > 2 RERR N 5:7
        ",
    );
}
