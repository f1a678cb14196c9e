//! Silence (RFC 6298, RFC 5681 §3.1).

use hopwright_converse::{check, check_ns2};

#[test]
fn a_timeout_goes_back_to_the_first_hole_in_slow_start() {
    check(
        "newreno",
        "
        set initial_window_segments 5
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        300ms > 0:1000
        300ms = cwnd 1000 ssthresh 2500 phase Rto rto 600ms
        400ms < ack 1000
        400ms > 1000:2000 2000:3000
        400ms = cwnd 2000 phase SlowStart retransmissions 3
        500ms < ack 5000
        500ms > 5000:6000 6000:7000 7000:8000
        500ms = cwnd 3000 phase CongestionAvoidance rto 600ms
    ",
    );
}

#[test]
fn silence_about_the_same_segment_halves_once() {
    check(
        "newreno",
        "
        set initial_window_segments 10
          0ms write 10000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        300ms > 0:1000
        300ms = ssthresh 5000
        900ms > 0:1000
        900ms = ssthresh 5000 timeouts 2 rto 1200ms
    ",
    );
}

#[test]
fn ns2_halves_every_time() {
    check_ns2(
        "newreno",
        "
        set initial_window_segments 10
          0ms write 10000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        300ms > 0:1000
        300ms = ssthresh 5000
        900ms > 0:1000
        900ms = ssthresh 2000 timeouts 2 rto 1200ms
    ",
    );
}

#[test]
fn a_resent_segment_is_never_timed() {
    for check in [check, check_ns2] {
        check(
            "reno",
            "
            set initial_window_segments 4
              0ms write 4000
              0ms > 0:1000 1000:2000 2000:3000 3000:4000
             50ms < ack 0 0 0
             50ms > 0:1000
            250ms < ack 4000
            250ms = srtt 100ms rto 300ms
        ",
        );
    }
}

#[test]
fn back_off_lasts_until_something_is_timed_again() {
    check(
        "newreno",
        "
          0ms write 1000000
          0ms > 0:1000 1000:2000
        300ms > 0:1000
        400ms < ack 2000
        400ms > 2000:3000 3000:4000
        400ms = rto 600ms
        500ms < ack 3000
        500ms > 4000:5000
        500ms = rto 250ms srtt 100ms
    ",
    );
}

#[test]
fn new_acks_restart_the_timer_and_the_last_one_stops_it() {
    check(
        "newreno",
        "
          0ms write 2000
          0ms > 0:1000 1000:2000
        100ms < ack 1000
        340ms < ack 2000
          10s = timeouts 0
    ",
    );
}

#[test]
fn a_coarse_clock_fires_late_and_measures_in_ticks() {
    check(
        "newreno",
        "
        set granularity_mode heartbeat
        set granularity_ms 500
          0ms = srtt 500ms
        100ms write 1000
        100ms > 0:1000
          2s > 0:1000
    ",
    );
}

#[test]
fn a_wake_that_comes_early_does_nothing() {
    check(
        "newreno",
        "
          0ms write 1000
          0ms > 0:1000
        299ms wake
        300ms > 0:1000
    ",
    );
}

#[test]
fn silence_about_another_segment_halves_again() {
    check(
        "newreno",
        "
        set initial_window_segments 12
          0ms write 12000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000 \
                10000:11000 11000:12000
        300ms > 0:1000
        300ms = ssthresh 6000
        400ms < ack 1000
        400ms > 1000:2000 2000:3000
           1s > 1000:2000
           1s = ssthresh 5500 timeouts 2
    ",
    );
}

#[test]
fn a_resent_segment_is_no_longer_than_it_was() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
        100ms < syn-ack win 300
        100ms > established
        100ms > ack 0
        100ms write 1000
        100ms > 0:300
        400ms > 0:300
        450ms < ack 300
        450ms > 300:600
    ",
    );
}
