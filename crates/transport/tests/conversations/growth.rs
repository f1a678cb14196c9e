//! What opens and limits the window (RFC 5681 §3.1, §4.1; RFC 9293 §3.8.6).

use hopwright_converse::{check, check_ns2};

#[test]
fn slow_start_doubles_and_byte_counting_adds_one_per_window() {
    check(
        "newreno",
        "
        set threshold_starts_at_offer true
        set window_limit_segments 8
        slot avoidance byte-counting
          0ms write 1000000
          0ms > 0:1000 1000:2000
        100ms < ack 1000
        100ms > 2000:3000 3000:4000
        101ms < ack 2000
        101ms > 4000:5000 5000:6000
        101ms = cwnd 4000 phase SlowStart
        200ms < ack 3000 4000
        200ms > 6000:7000 7000:8000 8000:9000 9000:10000
        201ms < ack 5000 6000
        201ms > 10000:11000 11000:12000 12000:13000 13000:14000
        201ms = cwnd 8000 phase CongestionAvoidance
        300ms < ack 7000 8000 9000 10000 11000 12000 13000
        300ms > 14000:15000 15000:16000 16000:17000 17000:18000 18000:19000 19000:20000 20000:21000
        300ms = cwnd 8000
        301ms < ack 14000
        301ms > 21000:22000 22000:23000
        301ms = cwnd 9000
    ",
    );
}

#[test]
fn additive_increase_is_a_fraction_per_ack() {
    check(
        "newreno",
        "
        set threshold_starts_at_offer true
        set window_limit_segments 4
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000
        100ms > 4000:5000
        100ms = cwnd 4250
        101ms < ack 3000
        101ms > 5000:6000 6000:7000
        101ms = cwnd 4485 phase CongestionAvoidance
    ",
    );
}

#[test]
fn short_segments_grow_slow_start_by_what_they_carry() {
    check(
        "newreno",
        "
          0ms write 300
          0ms > 0:300
        100ms < ack 300
        100ms = cwnd 2300
    ",
    );
}

#[test]
fn an_event_releases_a_burst_at_most() {
    for check in [check, check_ns2] {
        check(
            "newreno",
            "
            set max_burst_segments 3
            set initial_window_segments 10
              0ms write 1000000
              0ms > 0:1000 1000:2000 2000:3000
            100ms < ack 1000
            100ms > 3000:4000 4000:5000 5000:6000
            101ms < ack 2000
            101ms > 6000:7000 7000:8000 8000:9000
        ",
        );
    }
}

#[test]
fn the_offer_limits_what_is_outstanding() {
    check(
        "newreno",
        "
        set initial_window_segments 10
          0ms < ack 0 win 2500
          0ms write 1000000
          0ms > 0:1000 1000:2000
        100ms < ack 2000 win 3500
        100ms > 2000:3000 3000:4000 4000:5000
        110ms < ack 2000 win 4000
        110ms > 5000:6000
    ",
    );
}

#[test]
fn an_offer_below_a_segment_is_used_whole() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
          0ms < syn-ack win 400
          0ms > established
          0ms > ack 0
          0ms write 1000
          0ms > 0:400
        100ms < ack 400
        100ms > 400:800
        200ms < ack 800
        200ms > 800:1000
    ",
    );
}

#[test]
fn a_closed_window_is_probed_ever_more_rarely() {
    check(
        "newreno",
        "
          0ms write 3000
          0ms > 0:1000 1000:2000
        100ms < ack 2000 win 0
        350ms > 2000:2001
        400ms < ack 2000
        850ms > 2000:2001
        900ms < ack 2000
       1850ms > 2000:2001
       1900ms < ack 2000 win 5000
       1900ms > 2000:3000
       2000ms < ack 3000
       2000ms = timeouts 0 acked 3000
    ",
    );
}

#[test]
fn a_probe_that_is_taken_in_counts_as_data() {
    check(
        "newreno",
        "
          0ms write 3000
          0ms > 0:1000 1000:2000
        100ms < ack 2000 win 0
        350ms > 2000:2001
        450ms < ack 2001 win 4000
        450ms > 2001:3000
        550ms < ack 3000
        550ms = acked 3000 timeouts 0
    ",
    );
}

#[test]
fn after_silence_the_window_starts_over() {
    check(
        "newreno",
        "
          0ms write 2000
          0ms > 0:1000 1000:2000
        100ms < ack 1000 2000
        100ms = cwnd 4000
        240ms write 1000
        240ms > 2000:3000
        240ms = cwnd 4000
        340ms < ack 3000
        340ms = cwnd 5000
           2s write 4000
           2s > 3000:4000 4000:5000
           2s = cwnd 2000
    ",
    );
}

#[test]
fn after_silence_ns2_falls_to_one_segment() {
    check_ns2(
        "newreno",
        "
          0ms write 2000
          0ms > 0:1000 1000:2000
        100ms < ack 1000 2000
           2s write 4000
           2s > 2000:3000
           2s = cwnd 1000
    ",
    );
}

#[test]
fn old_acks_and_acks_of_the_future_do_nothing() {
    check(
        "newreno",
        "
          0ms write 100000
          0ms > 0:1000 1000:2000
        100ms < ack 2000
        100ms > 2000:3000 3000:4000 4000:5000
        110ms < ack 1000
        110ms = cwnd 3000
        120ms < ack 9000
        120ms > ack 0
        120ms = acked 2000
    ",
    );
}

#[test]
fn answers_to_probes_are_no_duplicates_and_no_measurements() {
    check(
        "newreno",
        "
          0ms write 3000
          0ms > 0:1000 1000:2000
        100ms < ack 2000 win 0
        350ms > 2000:2001
        400ms < ack 2000 2000 2000 2000
        400ms = cwnd 3000 phase SlowStart srtt 100ms
        850ms > 2000:2001
        950ms < ack 2001 win 5000
        950ms > 2001:3000
        950ms = srtt 100ms rto 250ms
    ",
    );
}

#[test]
fn a_window_that_moves_but_stays_closed_is_probed_afresh() {
    check(
        "newreno",
        "
          0ms write 3000
          0ms > 0:1000 1000:2000
        100ms < ack 2000 win 0
        350ms > 2000:2001
        850ms > 2000:2001
        900ms < ack 2001
       1850ms > 2001:2002
       2350ms > 2001:2002
    ",
    );
}

#[test]
fn an_ack_sent_while_probing_does_not_count_the_probe_as_there() {
    check(
        "newreno",
        "
          0ms write 3000
          0ms > 0:1000 1000:2000
        100ms < ack 2000 win 0
        350ms > 2000:2001
        400ms < 0:1000
        400ms > readable 1000
        400ms > ack 1000 seq 2000
    ",
    );
}

#[test]
fn repetitions_with_nothing_outstanding_are_no_duplicates() {
    check(
        "newreno",
        "
          0ms < ack 0 0 0 0
          0ms = cwnd 2000 phase SlowStart retransmissions 0
    ",
    );
}
