//! A node that has lost its memory, by RFC 3561 §6.13.

use std::sync::Arc;

use hopwright_machine::{Duration, NodeId};
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Router};

use crate::script::check;

fn router(change: impl Fn(&mut Config)) -> Router {
    let mut config = Config { delete_period: Duration::from_secs(5), ..Config::rfc() };
    change(&mut config);
    routing::Config::from(config).router(NodeId(0), 1, &Arc::default())
}

/// For DELETE_PERIOD (here 5 s) it learns, but asks, answers and passes on nothing; then it begins with the
/// number that others remember of it.
#[test]
fn a_rebooted_node_learns_and_waits() {
    check(
        router(|_| {}),
        "
          0ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 60000
          1ms  < start
          1ms  = route 5 none
         10ms  < send 5
         20ms  < get 1 RREQ 3 7->0 own 4 known 20 hops 0 ttl 5
         30ms  < get 1 RREQ 4 7->9 own 5 known 2 hops 0 ttl 5
         40ms  < get 1 RREP 9 seq 7 hops 1 to 7 life 60000
         50ms  < get 1 RERR 9:8
         60ms  = route 7 none
         60ms  = held 1
       5001ms  > all RREQ 1 0->5 own 21 known ? hops 0 ttl 1
       5001ms  = route 7 via 1 hops 1
        ",
    );
}

/// Another's packet shows that somebody still sends this way: all are told, and the wait begins anew.
#[test]
fn a_packet_for_another_begins_the_wait_anew() {
    check(
        router(|_| {}),
        "
          0ms  < start
         10ms  < send 5
       4000ms  < get 2 data 7->9 ttl 9
       4000ms  > all RERR 9:0
       4000ms  > drop no_route data 7->9 ttl 8
       9000ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 1
        ",
    );
}

/// What arrives for the node itself is its own; a route learned meanwhile serves after the wait.
#[test]
fn own_packets_wait_for_the_end() {
    check(
        router(|_| {}),
        "
          0ms  < start
         10ms  < get 2 data 7->0 ttl 9
         10ms  > deliver data 7->0 ttl 9
         20ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 60000
         30ms  < send 5
         30ms  = held 1
       5000ms  > 1 data 0->5 ttl 64
        ",
    );
}

/// Packets kept before the reboot are lost, with a cause.
#[test]
fn what_was_kept_is_lost() {
    check(
        router(|_| {}),
        "
          0ms  < send 5
          0ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 1
          1ms  < get 2 RREQ 3 7->9 own 4 known ? hops 0 ttl 5
          1ms  < start
          1ms  > drop no_route data 0->5 ttl 64
          1ms  > drop no_route RREQ 3 7->9 own 4 known ? hops 1 ttl 4
          1ms  = held 0
        ",
    );
}

/// HELLOs begin again after the wait.
#[test]
fn hellos_wait_too() {
    check(
        router(|config| {
            config.hello = true;
            config.hello_always = true;
        }),
        "
       0ms+999 > all HELLO 0 seq 0 life 2000
       1000ms  < start
       6000ms  > all HELLO 0 seq 0 life 2000
        ",
    );
}
