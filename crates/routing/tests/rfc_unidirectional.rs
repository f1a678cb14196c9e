//! Links that carry frames only one way, by RFC 3561 §6.8: one rule per conversation.

use std::sync::Arc;

use hopwright_machine::NodeId;
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Router};

use crate::script::check;

fn router(change: impl Fn(&mut Config)) -> Router {
    let mut config = Config { blacklist: true, ..Config::rfc() };
    change(&mut config);
    routing::Config::from(config).router(NodeId(0), 1, &Arc::default())
}

/// No RREP-ACK within NEXT_HOP_WAIT (50 ms): requests from there are ignored for BLACKLIST_TIMEOUT (2 x 2.8 s),
/// so that a copy from elsewhere is the first.
#[test]
fn who_does_not_acknowledge_is_not_heard() {
    check(
        router(|config| config.rrep_ack = true),
        "
          0ms  < get 1 RREQ 3 7->0 own 4 known ? hops 0 ttl 5
          0ms  > 1 RREP 0 seq 0 hops 0 to 7 life 20000 A
         49ms  < get 1 ACK
        100ms  < get 1 RREQ 4 7->0 own 5 known ? hops 0 ttl 5
        100ms  > 1 RREP 0 seq 0 hops 0 to 7 life 20000 A
        149ms  < get 1 RREQ 5 7->0 own 6 known ? hops 0 ttl 5
        149ms  > 1 RREP 0 seq 0 hops 0 to 7 life 20000 A
        150ms  < get 1 RREQ 6 7->0 own 7 known ? hops 0 ttl 5
        151ms  < get 2 RREQ 6 7->0 own 7 known ? hops 1 ttl 5
        151ms  > 2 RREP 0 seq 0 hops 0 to 7 life 20000 A
        152ms  < get 2 ACK
       5749ms  < get 1 RREQ 7 9->0 own 7 known ? hops 0 ttl 5
       5749ms  = route 9 none
       5750ms  < get 1 RREQ 7 9->0 own 7 known ? hops 0 ttl 5
       5750ms  > 1 RREP 0 seq 0 hops 0 to 9 life 20000 A
        ",
    );
}

/// The link layer's report of a lost reply serves as well.
#[test]
fn a_reply_that_the_link_layer_gives_up_counts() {
    let script = |ignored: bool| {
        let first = "
          0ms  < get 1 RREQ 3 7->0 own 4 known ? hops 0 ttl 5
          0ms  > 1 RREP 0 seq 0 hops 0 to 7 life 20000
          9ms  < fail 1 RREP 0 seq 0 hops 0 to 7 life 20000
          9ms  > drop retry_limit_rts RREP 0 seq 0 hops 0 to 7 life 20000
          9ms  > purge 1
         10ms  < get 1 RREQ 4 7->0 own 5 known ? hops 0 ttl 5
        ";
        let answer = "10ms > 1 RREP 0 seq 0 hops 0 to 7 life 20000";
        format!("{first} {}", if ignored { "" } else { answer })
    };
    check(router(|_| {}), &script(true));
    check(router(|config| config.blacklist = false), &script(false));
}

/// Other packets that fail say nothing about replies.
#[test]
fn data_that_fail_blacklist_nobody() {
    check(
        router(|_| {}),
        "
          0ms  < get 1 RREQ 3 7->0 own 4 known ? hops 0 ttl 5
          0ms  > 1 RREP 0 seq 0 hops 0 to 7 life 20000
          9ms  < fail 1 data 0->7 ttl 64
          9ms  > drop retry_limit_rts data 0->7 ttl 64
          9ms  > purge 1
         10ms  < get 1 RREQ 4 7->0 own 5 known ? hops 0 ttl 5
         10ms  > 1 RREP 0 seq 0 hops 0 to 7 life 20000
        ",
    );
}

/// §5.4: a reply with A is acknowledged, whatever becomes of it; who passes it on asks for itself.
#[test]
fn a_reply_with_a_is_acknowledged() {
    for (own, flag) in [(false, ""), (true, " A")] {
        check(
            router(|config| config.rrep_ack = own),
            &format!(
                "
          0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
          1ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 6000 A
          1ms  > 1 ACK
          1ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000{flag}
          2ms  < get 2 ACK
          3ms  < get 3 RREP 5 seq 6 hops 1 to 7 life 6000 A
          3ms  > 3 ACK
          3ms  = route 5 via 1 hops 2
                "
            ),
        );
    }
}
