//! Where ns-2 differs from the RFCs. Each rule was read off runs of ns-2.35 with its own defaults.

use hopwright_converse::check_ns2;

#[test]
fn the_handshake_is_two_packets_and_the_data_comes_at_once() {
    check_ns2(
        "newreno",
        "
          0ms write 1000000
          0ms open
          0ms > syn
        100ms < syn-ack
        100ms > established
        100ms > 0:1000 1000:2000
        100ms = cwnd 2000 ssthresh 64000 srtt 100ms rto 300ms
        200ms < ack 1000
        200ms > 2000:3000 3000:4000
    ",
    );
}

#[test]
fn the_passive_end_answers_without_a_timer() {
    check_ns2(
        "newreno",
        "
        role passive
          0ms open
          0ms < syn
          0ms > syn-ack
          10s < syn
          10s > syn-ack
         11s < 0:1000
         11s > established
         11s > readable 1000
         11s > ack 1000
    ",
    );
}

#[test]
fn a_lost_syn_takes_three_seconds_and_leaves_its_back_off() {
    check_ns2(
        "newreno",
        "
          0ms write 1000000
          0ms open
          0ms > syn
           3s > syn
           9s > syn
         9.1s < syn-ack
         9.1s > established
         9.1s > 0:1000
         9.1s = cwnd 1000 ssthresh 2000 rto 12000ms timeouts 2
         9.2s < ack 1000
         9.2s > 1000:2000 2000:3000
         9.2s = rto 300ms
    ",
    );
}

#[test]
fn only_whole_segments_of_the_window_count() {
    check_ns2(
        "newreno",
        "
        set threshold_starts_at_offer true
        set window_limit_segments 3
        set initial_window_segments 3
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000
        100ms < ack 1000
        100ms > 3000:4000
        100ms = cwnd 3333
        101ms < ack 2000 3000
        101ms > 4000:5000 5000:6000
        101ms = cwnd 3909
        102ms < ack 4000
        102ms > 6000:7000 7000:8000
        102ms = cwnd 4164
    ",
    );
}

#[test]
fn newreno_sends_two_per_duplicate_and_keeps_the_halved_window() {
    check_ns2(
        "newreno",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 0 0 0
        100ms > 0:1000
        100ms = ssthresh 5000 base 5000 cwnd 8000
        101ms < ack 0 0 0 0 0
        101ms > 10000:11000 11000:12000 12000:13000
        200ms < ack 3000
        200ms > 3000:4000 13000:14000
        200ms = base 5000 cwnd 11000 phase Recovery
        300ms < ack 13000
        300ms > 14000:15000 15000:16000 16000:17000 17000:18000
        300ms = base 5200 cwnd 5200 phase CongestionAvoidance
    ",
    );
}

#[test]
fn the_inflation_is_deflated_first_and_then_the_window() {
    check_ns2(
        "newreno",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 0 0 0
        100ms > 0:1000
        200ms < ack 5000
        200ms > 5000:6000
        200ms = base 3000 cwnd 4000
        300ms < ack 6000
        300ms > 6000:7000
        300ms = base 3000 cwnd 4000
        400ms < ack 9000
        400ms > 9000:10000 10000:11000
        400ms = base 1000 cwnd 2000
        480ms < ack 11000
        480ms > 11000:12000 12000:13000
        480ms = base 2000 ssthresh 5000 phase SlowStart
    ",
    );
}

#[test]
fn a_fast_retransmit_lets_two_new_segments_follow() {
    check_ns2(
        "newreno",
        "
        set initial_window_segments 5
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        100ms < ack 1000
        100ms > 5000:6000 6000:7000
        110ms < ack 1000 1000 1000
        110ms > 1000:2000
        110ms = ssthresh 3000 base 3000 cwnd 6000
        111ms < ack 1000 1000 1000
        111ms > 7000:8000 8000:9000 9000:10000
    ",
    );
}

#[test]
fn reno_grows_on_the_ack_that_ends_recovery() {
    check_ns2(
        "reno",
        "
        set initial_window_segments 9
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000
        100ms < ack 0 0 0
        100ms > 0:1000
        100ms = ssthresh 4000 base 4500 cwnd 7500
        200ms < ack 9000
        200ms > 9000:10000 10000:11000 11000:12000 12000:13000
        200ms = base 4722 phase CongestionAvoidance
    ",
    );
}

#[test]
fn tahoe_tries_to_send_on_every_ack() {
    check_ns2(
        "tahoe",
        "
        set max_burst_segments 2
        set initial_window_segments 5
          0ms write 1000000
          0ms > 0:1000 1000:2000
        100ms < ack 0
        100ms > 2000:3000 3000:4000
    ",
    );
}

#[test]
fn reno_sends_nothing_on_the_first_duplicates() {
    check_ns2(
        "reno",
        "
        set max_burst_segments 2
        set initial_window_segments 5
          0ms write 1000000
          0ms > 0:1000 1000:2000
        100ms < ack 0 0
    ",
    );
}

#[test]
fn the_first_segment_may_be_fast_retransmitted_even_after_a_timeout() {
    check_ns2(
        "reno",
        "
        set initial_window_segments 5
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        300ms > 0:1000
        310ms < ack 0 0 0
        310ms > 0:1000 1000:2000 2000:3000
        310ms = phase Recovery ssthresh 2000
    ",
    );
}

#[test]
fn duplicates_need_no_unchanged_window() {
    check_ns2(
        "newreno",
        "
        set initial_window_segments 5
          0ms write 5000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        100ms < ack 0 0
        101ms < ack 0 win 60000
        101ms > 0:1000
    ",
    );
}

#[test]
fn an_old_ack_lets_out_what_a_burst_limit_held_back() {
    check_ns2(
        "newreno",
        "
        set max_burst_segments 3
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000
        100ms < ack 2000
        100ms > 3000:4000 4000:5000 5000:6000
        101ms < ack 1000
        101ms > 6000:7000 7000:8000 8000:9000
    ",
    );
}

#[test]
fn a_timeout_forgets_the_duplicates_before_it() {
    check_ns2(
        "reno",
        "
        set initial_window_segments 5
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        100ms < ack 0 0
        300ms > 0:1000
        310ms < ack 0
        310ms = phase Rto
    ",
    );
}

#[test]
fn an_ack_from_long_ago_is_not_answered() {
    // RFC 5961 §5 challenges what lies more than a window back; over ad hoc routes such ones come without malice.
    check_ns2(
        "newreno",
        "
          0ms write 20000
          0ms open
          0ms > syn
        100ms < syn-ack win 3000
        100ms > established
        100ms > 0:1000 1000:2000
        200ms < ack 2000
        200ms > 2000:3000 3000:4000 4000:5000
        300ms < ack 5000
        300ms > 5000:6000 6000:7000 7000:8000
        310ms < ack 1000
    ",
    );
}

/// `recover_` is zero again after a recovery that ended well: the next loss may follow at once, at that very byte.
#[test]
fn sack1_recovers_again_from_where_it_had_recovered_to() {
    check_ns2(
        "sack",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 0 sack 1000:2000
        101ms < ack 0 sack 1000:3000
        102ms < ack 0 sack 1000:4000
        102ms > 0:1000
        200ms < ack 10000
        200ms > 10000:11000 11000:12000 12000:13000 13000:14000 14000:15000
        200ms = phase CongestionAvoidance
        300ms < ack 10000 sack 11000:12000
        301ms < ack 10000 sack 11000:13000
        302ms < ack 10000 sack 11000:14000
        302ms > 10000:11000
        302ms = phase Recovery
    ",
    );
}

/// `bugFix_`: after a time-out no fast retransmit before what was outstanding then is acknowledged, but for the first.
#[test]
fn sack1_answers_no_duplicates_of_what_a_timeout_sent_again() {
    check_ns2(
        "sack",
        "
        set initial_window_segments 6
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 1000
        100ms > 6000:7000 7000:8000
        350ms > 1000:2000
        410ms < ack 3000
        410ms > 3000:4000 4000:5000
        420ms < ack 3000 sack 5000:6000
        421ms < ack 3000 sack 5000:7000
        422ms < ack 3000 sack 5000:8000
        422ms = phase SlowStart timeouts 1
        430ms < ack 8000
        430ms > 8000:9000 9000:10000 10000:11000
    ",
    );
}
