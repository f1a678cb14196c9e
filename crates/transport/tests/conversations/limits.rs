//! Limits of the congestion window, fixed (CWL) and by hop count (adaptive CWL).

use hopwright_converse::{check, check_ns2};

#[test]
fn a_fixed_limit_bounds_window_and_flight() {
    for check in [check, check_ns2] {
        check(
            "cwl",
            "
            set cwnd_limit_segments 3
              0ms write 100000
              0ms > 0:1000 1000:2000
            100ms < ack 1000
            100ms > 2000:3000 3000:4000
            100ms < ack 2000
            100ms > 4000:5000
            100ms = cwnd 3000 flight 3000
            200ms < ack 3000 4000
            200ms > 5000:6000 6000:7000
            200ms = cwnd 3000 flight 3000
        ",
        );
    }
}

#[test]
fn a_limit_of_sending_alone_lets_the_window_grow() {
    check(
        "cwl",
        "
        set cwnd_limit_segments 2
        set cwnd_limit_acts send
          0ms write 100000
          0ms > 0:1000 1000:2000
        100ms < ack 1000 2000
        100ms > 2000:3000 3000:4000
        100ms = cwnd 4000 flight 2000
    ",
    );
}

#[test]
fn four_hops_admit_one_segment_and_every_loss_ends_in_a_time_out() {
    check(
        "adaptive-cwl",
        "
          0ms hops 4
          0ms write 3000
          0ms > 0:1000
        100ms < ack 1000
        100ms > 1000:2000
        300ms = flight 1000 timeouts 0
        300ms > 1000:2000 within 200ms
        600ms = timeouts 1 retransmissions 1
        600ms < ack 2000
        600ms > 2000:3000
        650ms < ack 3000
    ",
    );
}

#[test]
fn a_longer_route_widens_the_limit_from_the_next_sending_on() {
    check(
        "adaptive-cwl",
        "
          0ms hops 4
          0ms write 100000
          0ms > 0:1000
        100ms < ack 1000
        100ms > 1000:2000
        110ms hops 7
        200ms < ack 2000
        200ms > 2000:3000 3000:4000
        300ms < ack 3000
        300ms > 4000:5000 5000:6000
        300ms < ack 4000
        300ms > 6000:7000
        300ms = cwnd 3000 flight 3000
    ",
    );
    check(
        "adaptive-cwl",
        "
        set cwnd_limit_acts send
        set initial_window_segments 8
          0ms hops 4
          0ms write 100000
          0ms > 0:1000
        110ms hops 7
        200ms < ack 1000
        200ms > 1000:2000 2000:3000 3000:4000
        200ms = flight 3000
    ",
    );
}

#[test]
fn a_shorter_route_takes_nothing_back() {
    for (acts, cwnd) in [("clamp", 1000), ("send", 3000)] {
        check(
            "adaptive-cwl",
            &format!(
                "
            set cwnd_limit_acts {acts}
            set initial_window_segments 3
              0ms hops 10
              0ms write 100000
              0ms > 0:1000 1000:2000 2000:3000
             10ms hops 3
             10ms = cwnd {cwnd} flight 3000
            100ms < ack 1000
            100ms < ack 2000
            100ms = flight 1000
            100ms < ack 3000
            100ms > 3000:4000
            100ms = flight 1000 retransmissions 0 timeouts 0
        "
            ),
        );
    }
}

#[test]
fn the_offer_of_the_peer_wins_over_the_limit() {
    check(
        "adaptive-cwl",
        "
        set initial_window_segments 3
          0ms hops 7
          0ms < ack 0 win 1000
          0ms write 100000
          0ms > 0:1000
          1ms = flight 1000
        100ms < ack 1000
        100ms > 1000:2000
        100ms = flight 1000
    ",
    );
}

#[test]
fn without_a_hop_count_there_is_no_adaptive_limit() {
    check(
        "adaptive-cwl",
        "
        set initial_window_segments 9
          0ms write 9000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000
        100ms < ack 9000
        200ms hops 16
        200ms = cwnd 10000
    ",
    );
}

#[test]
fn a_floor_holds_after_a_time_out() {
    check(
        "daa",
        "
          0ms write 100000
          0ms > 0:1000 1000:2000
        300ms > 0:1000 1000:2000
        300ms = cwnd 2000 phase Rto
        350ms < ack 1000
        350ms > 2000:3000
        350ms = cwnd 2500
    ",
    );
}
