//! HELLO by RFC 3561 §6.9 and §6.10: one rule per conversation.

use std::sync::Arc;

use hopwright_machine::{Duration, Machine, NodeId, Time};
use hopwright_routing::aodv::Config;
use hopwright_routing::{self as routing, Input, Output, Router};

use crate::script::check;

fn config() -> Config {
    Config { hello: true, link_feedback: false, hello_jitter: Duration::ZERO, ..Config::rfc() }
}

fn router(change: impl Fn(&mut Config)) -> Router {
    let mut config = config();
    change(&mut config);
    routing::Config::from(config).router(NodeId(0), 1, &Arc::default())
}

fn hellos() -> Router {
    router(|_| {})
}

/// R6. A neighbour is lost ALLOWED_HELLO_LOSS x HELLO_INTERVAL after the last sign of it, and §6.11 follows.
#[test]
fn a_neighbour_that_falls_silent_is_lost() {
    check(
        hellos(),
        "
            0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
            0ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 6000
            0ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000
            0ms  < get 1 HELLO 1 seq 4 life 2000
         0ms+999 > all HELLO 0 seq 0 life 2000
      1000ms+999 > all HELLO 0 seq 0 life 2000
         1999ms  = route 5 via 1 hops 2
         2000ms  > purge 1
         2000ms  > 2 RERR 1:5 5:8
         2000ms  = route 5 none
         2000ms  = breaks 1
        ",
    );
}

/// §6.9: "any packets (Hello messages or otherwise)" show that the neighbour is there.
#[test]
fn any_packet_is_a_sign_of_life() {
    check(
        hellos(),
        "
            0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
            0ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 6000
            0ms  > 2 RREP 5 seq 7 hops 2 to 7 life 6000
            0ms  < get 1 HELLO 1 seq 4 life 2000
         0ms+999 > all HELLO 0 seq 0 life 2000
         1000ms  < get 1 data 5->7 ttl 9
         1000ms  > 2 data 5->7 ttl 8
      1000ms+999 > all HELLO 0 seq 0 life 2000
      2000ms+999 > all HELLO 0 seq 0 life 2000
         2999ms  = route 5 via 1 hops 2
         3000ms  > purge 1
         3000ms  > 2 RERR 1:5 5:8
        ",
    );
}

/// §6.10: whoever has never sent a HELLO is not missed.
#[test]
fn silence_of_a_node_without_hellos_means_nothing() {
    check(
        router(|config| config.hello_interval = Duration::from_secs(60)),
        "
            0ms  < get 1 RREP 5 seq 7 hops 1 to 0 life 600000
         9000ms  < get 1 HELLO 1 seq 4 life 2000
         9500ms  = route 5 via 1 hops 2
      9500ms+500 = breaks 0
        ",
    );
}

/// Without link-layer feedback, what the link layer gives up is lost and nothing else.
#[test]
fn without_feedback_a_failure_is_only_a_loss() {
    check(
        hellos(),
        "
            0ms  < get 1 HELLO 1 seq 4 life 2000
            1ms  < fail 1 data 7->1 ttl 9
            1ms  > drop retry_limit_rts data 7->1 ttl 9
            1ms  = route 1 via 1 hops 1
            1ms  = breaks 0
        ",
    );
}

/// With both, the link layer is heard first and the silence comes to nothing.
#[test]
fn with_feedback_a_failure_is_a_lost_link() {
    check(
        router(|config| config.link_feedback = true),
        "
            0ms  < get 1 HELLO 1 seq 4 life 2000
            1ms  < fail 1 data 7->1 ttl 9
            1ms  > drop retry_limit_rts data 7->1 ttl 9
            1ms  > purge 1
            1ms  = route 1 none
            1ms  = breaks 1
         2000ms  > purge 1
         2000ms  = breaks 1
        ",
    );
}

/// §6.9: only nodes that are part of an active route send HELLOs; ACTIVE_ROUTE_TIMEOUT (10 s) after the last
/// packet, they stop.
#[test]
fn an_idle_node_is_silent() {
    check(
        hellos(),
        "
            0ms  < get 1 HELLO 1 seq 4 life 60000
            1ms  < get 2 HELLO 2 seq 4 life 60000
        1999ms  = control 0 0
        2000ms  > purge 1
        2001ms  > purge 2
        3000ms  < get 1 HELLO 1 seq 5 life 60000
        3000ms  < send 1
        3000ms  > 1 data 0->1 ttl 64
    3000ms+999  > all HELLO 0 seq 0 life 2000
    4000ms+999  > all HELLO 0 seq 0 life 2000
        5000ms  > purge 1
    5000ms+999  > all HELLO 0 seq 0 life 2000
    6000ms+999  > all HELLO 0 seq 0 life 2000
    7000ms+999  > all HELLO 0 seq 0 life 2000
    8000ms+999  > all HELLO 0 seq 0 life 2000
    9000ms+999  > all HELLO 0 seq 0 life 2000
   10000ms+999  > all HELLO 0 seq 0 life 2000
   11000ms+999  > all HELLO 0 seq 0 life 2000
   12000ms+999  > all HELLO 0 seq 0 life 2000
       60000ms  = control 10 480
        ",
    );
}

/// Every kind of part in a route counts: source, destination, and between.
#[test]
fn who_takes_part_in_a_route_sends_hellos() {
    let destination = "
            0ms  < get 1 data 7->0 ttl 9
            0ms  > deliver data 7->0 ttl 9
         0ms+999 > all HELLO 0 seq 0 life 2000
    ";
    check(hellos(), destination);
    let asked = "
            0ms  < get 1 RREQ 3 7->0 own 4 known ? hops 0 ttl 1
            0ms  > 1 RREP 0 seq 0 hops 0 to 7 life 20000
         0ms+999 > all HELLO 0 seq 0 life 2000
    ";
    check(hellos(), asked);
    let asker = "
            0ms  < send 5
            0ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 1
            1ms  < get 1 RREP 5 seq 7 hops 0 to 0 life 6000
            1ms  > 1 data 0->5 ttl 64
         1000ms  > all HELLO 0 seq 1 life 2000
    ";
    check(hellos(), asker);
}

/// §6.9: a broadcast in the last HELLO_INTERVAL makes the HELLO superfluous.
#[test]
fn a_broadcast_takes_the_place_of_a_hello() {
    check(
        router(|config| {
            config.hello_always = true;
            config.ttl_start = 35;
        }),
        "
         0ms+999 > all HELLO 0 seq 0 life 2000
         1000ms  < send 5
         1000ms  > all RREQ 1 0->5 own 1 known ? hops 0 ttl 35
         2000ms  > all HELLO 0 seq 1 life 2000
         3000ms  > all HELLO 0 seq 1 life 2000
         3800ms  > all RREQ 2 0->5 own 2 known ? hops 0 ttl 35
         4800ms  > all HELLO 0 seq 2 life 2000
        ",
    );
}

/// §6.9: a HELLO makes a route and keeps it for its lifetime; packets may take it.
#[test]
fn a_hello_is_a_route() {
    check(
        router(|config| config.allowed_hello_loss = 5),
        "
            0ms  < send 1
            0ms  > all RREQ 1 0->1 own 1 known ? hops 0 ttl 1
            1ms  < get 1 HELLO 1 seq 4 life 2000
            1ms  > 1 data 0->1 ttl 64
            1ms  = route 1 via 1 hops 1
        ",
    );
    check(
        router(|config| config.hello = false),
        "
            0ms  < get 1 HELLO 1 seq 4 life 2000
         1999ms  = route 1 via 1 hops 1
         1999ms  < get 2 HELLO 2 seq 4 life 2000
         2000ms  < get 2 HELLO 2 seq 4 life 2000
         2000ms  = route 1 none
         2000ms  = route 2 via 2 hops 1
        ",
    );
}

/// §6.9 wants the HELLO's number in the table. An older one than is known would lower it: loops could form.
#[test]
fn a_hello_renews_the_number_but_never_lowers_it() {
    let known_after = |hello: &str, known: &str| {
        check(
            router(|config| config.hello = false),
            &format!(
                "
            0ms  < get 1 RREP 1 seq 9 hops 0 to 0 life 60000
            0ms  < get 1 HELLO 1 seq {hello} life 2000
            1ms  < get 2 RREQ 4 7->1 own 4 known 1 hops 0 ttl 9
            1ms  > 2 RREP 1 seq {known} hops 1 to 7 life 59999
                "
            ),
        );
    };
    known_after("12", "12");
    known_after("3", "9");
}

/// A reply to all that is not about its sender is none that §6.9 knows.
#[test]
fn a_hello_speaks_for_its_sender_only() {
    check(
        hellos(),
        "
            0ms  < get 1 HELLO 6 seq 4 life 2000
            0ms  = route 6 none
            0ms  = route 1 none
        ",
    );
}

/// HELLOs come up to `hello_jitter` early, never late, and not all of them the same.
#[test]
fn jitter_spreads_hellos() {
    let config = Config { hello_always: true, hello_jitter: Duration::from_millis(100), ..config() };
    let mut router = routing::Config::from(config).router(NodeId(3), 7, &Arc::default());
    router.handle(Time::ZERO, Input::Start);
    let mut times = Vec::new();
    while times.len() < 200 {
        let now = router.deadline();
        router.handle(now, Input::Wake);
        while let Some(output) = router.poll() {
            assert!(matches!(output, Output::Transmit { next_hop: None, .. }));
            times.push(now);
        }
    }
    let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    let (least, most) = (gaps.iter().min().expect("gaps"), gaps.iter().max().expect("gaps"));
    assert!(*least > Duration::from_millis(900) && *most <= Duration::from_secs(1), "{least:?} to {most:?}");
    assert!(most.saturating_sub(*least) > Duration::from_millis(80), "{least:?} to {most:?}");
}

/// §6.9: silence counts if a HELLO came "within the past DELETE_PERIOD".
#[test]
fn the_last_hello_must_be_younger_than_delete_period() {
    for (ms, end, lost) in [("2999", "4999", true), ("3000", "5000", false)] {
        let lost = if lost {
            format!("{end}ms > purge 1\n{end}ms > 2 RERR 1:5 5:8\n5000ms = route 5 none")
        } else {
            "5000ms = route 5 via 1 hops 2".to_owned()
        };
        let script = format!(
            "
            0ms  < get 2 RREQ 3 7->5 own 4 known ? hops 0 ttl 1
            0ms  < get 1 RREP 5 seq 7 hops 1 to 7 life 60000
            0ms  > 2 RREP 5 seq 7 hops 2 to 7 life 60000
            0ms  < get 1 HELLO 1 seq 4 life 60000
         0ms+999 > all HELLO 0 seq 0 life 2000
      1000ms+999 > all HELLO 0 seq 0 life 2000
         1999ms  < get 1 data 5->7 ttl 9
         1999ms  > 2 data 5->7 ttl 8
      2000ms+999 > all HELLO 0 seq 0 life 2000
         {ms}ms  < get 1 data 5->7 ttl 9
         {ms}ms  > 2 data 5->7 ttl 8
      3000ms+999 > all HELLO 0 seq 0 life 2000
      4000ms+998 > all HELLO 0 seq 0 life 2000
         {lost}
            "
        );
        check(router(|c| c.delete_period = Duration::from_millis(4999)), &script);
    }
}

/// §6.9: a node speaks while it is part of an active route: from the reply that gives it one, for ACTIVE_ROUTE_TIMEOUT after
/// the last packet. What else happens then makes it say no more.
#[test]
fn who_gets_a_reply_speaks_while_its_route_is_active() {
    let hellos: String = (2..=12).map(|s| format!("{s}000ms > all HELLO 0 seq 1 life 2000\n")).collect();
    let (first, later) = hellos.split_at(hellos.find("4000ms").unwrap());
    let script = format!(
        "
        1000ms < seek 4
        1000ms > all RREQ 1 0->4 own 1 known ? hops 0 ttl 1
        1050ms < get 4 RREP 4 seq 7 hops 0 to 0 life 60000
        {first}
        3000ms < get 4 data 4->0 ttl 9
        3000ms > deliver data 4->0 ttl 9
        {later}
       13000ms < seek 0
       15000ms = held 0
        "
    );
    check(self::hellos(), &script);
}
