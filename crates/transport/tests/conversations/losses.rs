//! What a loss does: Tahoe, Reno, NewReno (RFC 5681 §3.2, RFC 6582, RFC 3042).

use hopwright_converse::check;

#[test]
fn third_duplicate_ack_resends_the_hole_and_halves_once() {
    check(
        "newreno",
        "
        set initial_window_segments 4
          0ms write 5000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000
        100ms > 4000:5000
        120ms < ack 1000 1000 1000
        120ms > 1000:2000
        130ms < ack 1000
        130ms = phase Recovery
        200ms < ack 5000
        200ms = cwnd 2000 phase CongestionAvoidance
    ",
    );
}

#[test]
fn reno_inflates_and_leaves_at_the_first_new_ack() {
    check(
        "reno",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 0 0
        101ms < ack 0
        101ms > 0:1000
        101ms = ssthresh 5000 cwnd 8000 phase Recovery duplicate_acks 3
        102ms < ack 0 0
        103ms < ack 0 0 0 0
        103ms > 10000:11000 11000:12000 12000:13000 13000:14000
        103ms = cwnd 14000 duplicate_acks 9
        200ms < ack 10000
        200ms > 14000:15000
        200ms = cwnd 5000 phase CongestionAvoidance flight 5000 duplicate_acks 9
    ",
    );
}

#[test]
fn renos_second_loss_of_a_window_waits_for_the_timer() {
    check(
        "reno",
        "
        set initial_window_segments 8
          0ms write 8000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
        100ms < ack 0 0 0
        100ms > 0:1000
        101ms < ack 0 0 0
        200ms < ack 3000
        200ms = cwnd 4000 phase CongestionAvoidance
        210ms < ack 3000 3000 3000 3000
        500ms > 3000:4000
        500ms = timeouts 1 cwnd 1000 ssthresh 2500 phase Rto
        600ms < ack 8000
        600ms = phase SlowStart retransmissions 2
    ",
    );
}

#[test]
fn tahoe_starts_over() {
    check(
        "tahoe",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 0 0 0
        100ms > 0:1000
        100ms = ssthresh 5000 cwnd 1000 phase SlowStart
        101ms < ack 0 0 0 0 0 0
        101ms = cwnd 1000
        200ms < ack 10000
        200ms > 10000:11000 11000:12000
        200ms = cwnd 2000
    ",
    );
}

#[test]
fn tahoe_goes_back_and_sends_what_it_does_not_know_to_be_there() {
    check(
        "tahoe",
        "
        set initial_window_segments 6
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 0 0 0
        100ms > 0:1000
        200ms < ack 1000
        200ms > 1000:2000 2000:3000
        200ms = retransmissions 3
        250ms < ack 1000 1000 1000
        300ms < ack 6000
        300ms > 6000:7000 7000:8000 8000:9000
        300ms = cwnd 3000
    ",
    );
}

#[test]
fn newreno_stays_until_everything_is_repaired() {
    check(
        "newreno",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 0 0 0
        100ms > 0:1000
        100ms = ssthresh 5000 cwnd 8000
        101ms < ack 0 0 0 0 0
        101ms > 10000:11000 11000:12000 12000:13000
        101ms = cwnd 13000
        200ms < ack 3000
        200ms > 3000:4000 13000:14000
        200ms = cwnd 11000 phase Recovery flight 11000
        210ms < ack 3000 3000 3000
        210ms > 14000:15000 15000:16000 16000:17000
        300ms < ack 13000
        300ms > 17000:18000
        300ms = cwnd 5000 phase CongestionAvoidance flight 5000
    ",
    );
}

#[test]
fn impatient_newreno_lets_the_timer_run_after_the_first_partial_ack() {
    check(
        "newreno",
        "
        set initial_window_segments 8
          0ms write 8000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
        100ms < ack 0 0 0
        100ms > 0:1000
        200ms < ack 2000
        200ms > 2000:3000
        300ms < ack 4000
        300ms > 4000:5000
        500ms > 4000:5000
        500ms = timeouts 1
        550ms < ack 8000
    ",
    );
}

#[test]
fn slow_but_steady_newreno_restarts_it_every_time() {
    check(
        "newreno",
        "
        set initial_window_segments 8
        set partial_ack_timer every
          0ms write 8000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
        100ms < ack 0 0 0
        100ms > 0:1000
        200ms < ack 2000
        200ms > 2000:3000
        300ms < ack 4000
        300ms > 4000:5000
        590ms < ack 8000
        590ms = timeouts 0 cwnd 2000 ssthresh 4000
    ",
    );
}

#[test]
fn duplicates_of_what_a_timeout_resent_are_its_echo() {
    check(
        "newreno",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        300ms > 0:1000
        300ms = ssthresh 5000
        400ms < ack 7000
        400ms > 7000:8000 8000:9000
        401ms < ack 7000 7000 7000 7000
        401ms = phase SlowStart ssthresh 5000 cwnd 2000
        500ms < ack 10000
        500ms > 10000:11000 11000:12000 12000:13000
    ",
    );
}

#[test]
fn duplicates_at_the_recovery_point_are_ignored_too() {
    check(
        "newreno",
        "
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        300ms > 0:1000
        400ms < ack 4000
        400ms > 4000:5000 5000:6000
        500ms < ack 4000 4000 4000
        500ms = phase CongestionAvoidance ssthresh 2000
        600ms < ack 6000
        600ms > 6000:7000 7000:8000
        700ms < ack 6000
    ",
    );
}

#[test]
fn one_more_than_the_recovery_point_is_a_new_loss() {
    check(
        "newreno",
        "
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        300ms > 0:1000
        400ms < ack 4000
        400ms > 4000:5000 5000:6000
        500ms < ack 5000
        500ms > 6000:7000
        510ms < ack 5000 5000 5000
        510ms > 5000:6000 7000:8000 8000:9000 9000:10000
        510ms = phase Recovery cwnd 5000
    ",
    );
}

#[test]
fn limited_transmit_keeps_a_small_window_going() {
    check(
        "newreno",
        "
        set initial_window_segments 3
        set limited_transmit true
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000
        100ms < ack 0
        100ms > 3000:4000
        101ms < ack 0
        101ms > 4000:5000
        101ms = cwnd 3000 flight 5000
        200ms < ack 0
        200ms > 0:1000
        200ms = ssthresh 2000 cwnd 5000
    ",
    );
}

#[test]
fn limited_transmit_sends_nothing_beyond_the_offer() {
    check(
        "newreno",
        "
        set initial_window_segments 3
        set limited_transmit true
          0ms < ack 0 win 4000
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000
        100ms < ack 0
        100ms > 3000:4000
        101ms < ack 0
    ",
    );
}

#[test]
fn without_it_three_segments_in_flight_wait_for_the_timer() {
    check(
        "newreno",
        "
        set initial_window_segments 3
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000
        100ms < ack 0 0
        300ms > 0:1000
    ",
    );
}

#[test]
fn a_changed_offer_is_no_duplicate() {
    check(
        "newreno",
        "
        set initial_window_segments 5
          0ms write 5000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        100ms < ack 0 0
        101ms < ack 0 win 60000
        102ms < ack 0
        102ms > 0:1000
    ",
    );
}

#[test]
fn data_of_the_peer_is_no_duplicate() {
    check(
        "newreno",
        "
        set initial_window_segments 5
          0ms write 5000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        100ms < ack 0 0
        101ms < 0:1000
        101ms > readable 1000
        101ms > ack 1000
        102ms < ack 0
        102ms > 0:1000
    ",
    );
}

#[test]
fn what_limited_transmit_sent_is_forgotten_when_the_ack_moves() {
    check(
        "newreno",
        "
        set initial_window_segments 4
        set limited_transmit true
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 0 0
        100ms > 4000:5000 5000:6000
        110ms < ack 1000
        110ms = cwnd 5000 flight 5000
        120ms < ack 2000
        120ms > 6000:7000 7000:8000
        130ms < ack 2000 2000
        130ms > 8000:9000 9000:10000
        140ms < ack 2000
        140ms > 2000:3000
        140ms = ssthresh 3000
    ",
    );
}

#[test]
fn limited_transmit_waits_until_everything_is_sent_again() {
    check(
        "newreno",
        "
        set limited_transmit true
          0ms write 1000000
          0ms > 0:1000 1000:2000
        300ms > 0:1000
        310ms < ack 0
        310ms = flight 2000
    ",
    );
}

/// RFC 2582 §4: at exactly the recovery point the careful sender sees an echo, the less careful one a loss (N4).
#[test]
fn a_less_careful_newreno_enters_at_the_recovery_point() {
    for (test, outcome) in
        [("careful", "500ms = phase CongestionAvoidance ssthresh 2000"), ("less-careful", "500ms > 4000:5000")]
    {
        check(
            "newreno",
            &format!(
                "
            set initial_window_segments 4
            set newreno_recover_test {test}
              0ms write 6000
              0ms > 0:1000 1000:2000 2000:3000 3000:4000
            300ms > 0:1000
            400ms < ack 4000
            400ms > 4000:5000 5000:6000
            500ms < ack 4000 4000 4000
            {outcome}
            600ms < ack 6000
        "
            ),
        );
    }
}

/// RFC 6582 §4.1: duplicates after a small advance are no echo of what a time-out sent again.
#[test]
fn a_small_advance_before_duplicates_is_a_loss() {
    for (heuristic, advance, outcome) in [
        ("none", 1000, "410ms = phase SlowStart"),
        ("ack", 1000, "410ms > 1000:2000 3000:4000 4000:5000 5000:6000 6000:7000"),
        ("ack", 4000, "410ms > 4000:5000 6000:7000 7000:8000"),
        ("ack", 5000, "410ms = phase SlowStart"),
    ] {
        check(
            "newreno",
            &format!(
                "
            set initial_window_segments 8
            set newreno_after_timeout {heuristic}
              0ms write 8000
              0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
            300ms > 0:1000
            400ms < ack {advance}
            400ms > {advance}:{} {}:{}
            410ms < ack {advance} {advance} {advance}
            {outcome}
            500ms < ack 8000
        ",
                advance + 1000,
                advance + 1000,
                advance + 2000
            ),
        );
    }
}
