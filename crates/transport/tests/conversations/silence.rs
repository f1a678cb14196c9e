//! A peer that says nothing (RFC 9293 §3.8.3, RFC 5482), and one that forgot (§3.5.1).

use hopwright_converse::check;

#[test]
fn after_the_users_limit_the_connection_ends() {
    check(
        "newreno",
        "
        set user_timeout_s 1
          0ms write 500
          0ms > 0:500
        300ms > 0:500
        900ms > 0:500
           1s > rst seq 500
           1s > timed-out
           1s = state Closed
    ",
    );
}

#[test]
fn a_syn_is_given_up_too() {
    check(
        "newreno",
        "
        set user_timeout_s 2.5
          0ms open
          0ms > syn+options
           1s > syn+options
         2.5s > timed-out
         2.5s = state Closed
    ",
    );
}

#[test]
fn so_is_the_answer_to_one() {
    check(
        "newreno",
        "
        role passive
        set user_timeout_s 1.5
          0ms open
          0ms < syn
          0ms > syn-ack
           1s > syn-ack
         1.5s > rst
         1.5s > timed-out
    ",
    );
}

#[test]
fn progress_starts_the_count_anew_and_idling_is_no_silence() {
    check(
        "newreno",
        "
        set user_timeout_s 1
        set min_rto_ms 400
          0ms write 2000
          0ms > 0:1000 1000:2000
        100ms < ack 1000
        500ms > 1000:2000
           1s < ack 1900
         1.8s > 1900:2000
         1.9s < ack 2000
         100s write 10
         100s > 2000:2010
       100.1s < ack 2010
    ",
    );
}

/// RFC 1122 §4.2.2.17: a peer that answers probes is alive; one that does not is not.
#[test]
fn only_unanswered_probes_count() {
    check(
        "newreno",
        "
        set user_timeout_s 2
        set max_rto_s 60
        set min_rto_ms 1000
          0ms write 3000
          0ms > 0:1000 1000:2000
        100ms < ack 2000 win 0
         1.1s > 2000:2001
         1.2s < ack 2000
         3.1s > 2000:2001
         3.2s < ack 2000
         7.1s > 2000:2001
         7.2s < ack 2000
        15.1s > 2000:2001
        17.1s > rst seq 2000
        17.1s > timed-out
    ",
    );
}

/// RFC 9293 §3.8.6: nor does what a smaller window leaves unacknowledged, as long as the peer is there.
#[test]
fn a_peer_that_takes_its_window_back_is_alive() {
    check(
        "newreno",
        "
        set user_timeout_s 2
        set min_rto_ms 1000
          0ms write 2000
          0ms > 0:1000 1000:2000
        100ms < ack 1000 win 0
         1.1s > 1000:2000
         1.2s < ack 1000
         3.1s > 1000:2000
         3.2s < ack 1000
         7.1s > 1000:2000
         7.2s < ack 2000 win 5000
         7.2s = flight 0
    ",
    );
}

/// RFC 9293 §3.6, RFC 1122 §4.2.2.13: without a limit each direction lasts as long as it likes; with one, as long as
/// the peer goes on sending.
#[test]
fn a_fin_that_never_comes_may_be_given_up() {
    let close = "
          0ms close
          0ms > fin 0
        100ms < ack 1
        100ms = state FinWait2
    ";
    check("newreno", &format!("{close} 9000s = state FinWait2"));
    check(
        "newreno",
        &format!(
            "
        set fin_wait_2_timeout_s 60
          {close}
        50.1s < 0:1000
        50.1s > readable 1000
        50.1s > ack 1000
         100s < raw A seq 1000 ack 1
         159s < fin 1000
         159s > peer-closed
         159s > ack 1001
         300s = state TimeWait
         399s > closed
    "
        ),
    );
    check(
        "newreno",
        &format!(
            "
        set fin_wait_2_timeout_s 60
          {close}
        50.1s < 0:1000
        50.1s > readable 1000
        50.1s > ack 1000
       110.1s > rst seq 1
       110.1s > timed-out
       110.1s = state Closed
    "
        ),
    );
}

/// A peer that has no room to send to says nothing, or only what it said before.
#[test]
fn it_is_waited_for_while_the_window_is_closed() {
    check(
        "newreno",
        "
        set explicit_read true
        set fin_wait_2_timeout_s 60
        set receive_buffer_bytes 3000
          0ms close
          0ms > fin 0
        100ms < ack 1
          1s < fill
        500s = state FinWait2
        500s read 3000
        500s > ack 0
        559s = state FinWait2
        560s > rst
        560s > timed-out
    ",
    );
}
