//! The receiving half (RFC 5681 §4.2, RFC 1122 §4.2.3.2, RFC 9293 §3.8.6).

use hopwright_converse::{check, check_ns2};

#[test]
fn every_segment_is_acknowledged() {
    for check in [check, check_ns2] {
        check(
            "newreno",
            "
            role passive
              0ms < 0:1000
              0ms > readable 1000
              0ms > ack 1000
              1ms < 1000:2000
              1ms > readable 1000
              1ms > ack 2000
        ",
        );
    }
}

#[test]
fn gaps_are_acknowledged_at_once_and_filled_in_any_order() {
    for acking in ["every", "delayed"] {
        check(
            "newreno",
            &format!(
                "
            role passive
            slot acking {acking}
              0ms < 1000:2000
              0ms > ack 0
              1ms < 3000:4000
              1ms > ack 0
              2ms < 0:1000
              2ms > readable 2000
              2ms > ack 2000
              3ms < 2000:3000
              3ms > readable 2000
              3ms > ack 4000
              3ms = duplicates 0 delivered 4000
        "
            ),
        );
    }
}

#[test]
fn duplicates_are_acknowledged_at_once() {
    for acking in ["every", "delayed"] {
        check(
            "newreno",
            &format!(
                "
            role passive
            slot acking {acking}
              0ms < 0:1000 1000:2000
              0ms > readable 1000{}
              0ms > readable 1000
              0ms > ack 2000
              1ms < 500:1500
              1ms > ack 2000
              2ms < 3000:4000
              2ms > ack 2000
              3ms < 3000:4000
              3ms > ack 2000
              3ms = duplicates 2 delivered 2000
        ",
                if acking == "every" { "\n 0ms > ack 1000" } else { "" }
            ),
        );
    }
}

#[test]
fn overlapping_segments_deliver_each_byte_once() {
    check(
        "newreno",
        "
        role passive
          0ms < 0:1000
          0ms > readable 1000
          0ms > ack 1000
          1ms < 500:2000
          1ms > readable 1000
          1ms > ack 2000
          1ms = delivered 2000 duplicates 0
    ",
    );
}

#[test]
fn delayed_acks_leave_for_every_second_segment_or_in_time() {
    for check in [check, check_ns2] {
        check(
            "newreno",
            "
            role passive
            slot acking delayed
              0ms < 0:1000
              0ms > readable 1000
             30ms < 1000:2000
             30ms > readable 1000
             30ms > ack 2000
            500ms < 2000:3000
            500ms > readable 1000
            600ms > ack 3000
        ",
        );
    }
}

#[test]
fn a_coarse_clock_delays_them_further() {
    check(
        "newreno",
        "
        role passive
        slot acking delayed
        set delayed_ack_ms 55
        set granularity_mode heartbeat
        set granularity_ms 200
         10ms < 0:1000
         10ms > readable 1000
        200ms > ack 1000
        200ms < 1000:2000
        200ms > readable 1000
        400ms > ack 2000
    ",
    );
}

#[test]
fn a_delayed_ack_rides_on_data() {
    check(
        "newreno",
        "
        slot acking delayed
          0ms < 0:1000
          0ms > readable 1000
         20ms write 500
         20ms > 0:500
         50ms < ack 500
           1s = delivered 1000
    ",
    );
}

#[test]
fn an_unread_buffer_closes_the_window_and_reading_opens_it() {
    check(
        "newreno",
        "
        role passive
        set explicit_read true
        set window_limit_segments 2
          0ms < 0:1000
          0ms > readable 1000
          0ms > ack 1000 win 1000
          1ms < 1000:2000
          1ms > readable 1000
          1ms > ack 2000 win 0
          2ms < 2000:2001
          2ms > ack 2000 win 0
          3ms read 400
          4ms read 600
          4ms > ack 2000 win 1000
          5ms < 2000:3500
          5ms > readable 1000
          5ms > ack 3000 win 0
          6ms = delivered 3000
    ",
    );
}

#[test]
fn a_fin_takes_no_room_in_the_buffer() {
    check(
        "newreno",
        "
        role passive
        set explicit_read true
        set window_limit_segments 2
          0ms < 0:1000 1000:2000
          0ms > readable 1000
          0ms > ack 1000
          0ms > readable 1000
          0ms > ack 2000 win 0
          1ms < fin 2000
          1ms > peer-closed
          1ms > ack 2001 win 0
          2ms read 1999
          3ms = delivered 2000 state CloseWait
    ",
    );
}

#[test]
fn a_keep_alive_is_answered() {
    check(
        "newreno",
        "
          0ms < 0:10
          0ms > readable 10
          0ms > ack 10
         10ms < 5:5
         10ms > ack 10
         20ms < 10:10
    ",
    );
}
