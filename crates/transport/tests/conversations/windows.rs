//! Windows: small, closed, taken back, counted in bytes (RFC 9293 §3.7.4, §3.8.6), and urgent data.

use hopwright_converse::check;

/// §3.8.6: nothing new goes beyond the smaller window, what was sent may go again, and numbers stay acceptable.
#[test]
fn a_window_taken_back_is_survived() {
    check(
        "newreno",
        "
        set initial_window_segments 4
          0ms write 10000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000 win 1000
        150ms < ack 2000 win 0
        160ms < 0:10
        160ms > readable 10
        160ms > ack 10 seq 2000
        400ms > 2000:3000
        500ms < ack 4000 win 5000
        500ms > 4000:5000 5000:6000
    ",
    );
}

/// One that was overtaken by a larger one with the same numbers says nothing: acknowledgements are still numbered by what was
/// sent. A window that is closed is closed.
#[test]
fn of_two_offers_with_the_same_numbers_the_larger_counts() {
    let course = |offer: u32, number: u32| {
        check(
            "newreno",
            &format!(
                "
                set initial_window_segments 2
                  0ms write 10000
                  0ms > 0:1000 1000:2000
                100ms < ack 2000 win 2000
                100ms > 2000:3000 3000:4000
                110ms < ack 2000 win {offer}
                120ms < 0:10
                120ms > readable 10
                120ms > ack 10 seq {number}
            "
            ),
        );
    };
    course(500, 4000);
    course(0, 2000);
}

/// An older, closed offer came last, and we number by it. A peer to which the same happened refuses that, and numbers from
/// before what we have of it: its acknowledgement is all that can tell either end (RFC 9293, appendix A.2). One from farther
/// back than any window is a stranger's.
#[test]
fn two_ends_that_number_by_closed_windows_hear_each_other() {
    let course = |seq: u32, acked: u32, flight: u32| {
        check(
            "newreno",
            &format!(
                "
                set receive_buffer_bytes 500
                  0ms write 1000
                  0ms > 0:1000
                100ms < ack 1000 win 1000
                105ms write 1000
                105ms > 1000:2000
                110ms < ack 1000 win 0
                120ms < 0:500
                120ms > readable 500
                120ms > ack 500 seq 1000
                125ms < 500:1000
                125ms > readable 500
                125ms > ack 1000 seq 1000
                130ms < raw A seq {seq} ack 2000
                130ms > ack 1000 seq {acked}
                130ms = acked {acked} flight {flight}
            "
            ),
        );
    };
    course(999, 2000, 0);
    course(499, 2000, 0);
    course(498, 1000, 1000);
}

/// The same where all that went beyond the closed window is what probed it.
#[test]
fn two_ends_that_number_from_before_their_probes_hear_each_other() {
    check(
        "newreno",
        "
          0ms write 1000
          0ms > 0:1000
        100ms < ack 1000 win 0
        105ms write 1000
        110ms < 0:500
        110ms > readable 500
        110ms > ack 500 seq 1000
        355ms > 1000:1001
        410ms < raw A seq 0 ack 1001 win 0
        410ms > ack 500 seq 1001
        410ms = acked 1001 flight 0
    ",
    );
}

/// Who numbers by what was sent is heard by the peer, and believes nothing from before the window.
#[test]
fn an_old_segment_is_not_believed_without_need() {
    check(
        "newreno",
        "
          0ms write 1000
          0ms > 0:1000
         10ms < 0:500
         10ms > readable 500
         10ms > ack 500
         20ms < raw A seq 0 ack 1000
         20ms > ack 500
         20ms = acked 0 flight 1000
    ",
    );
}

/// §3.8.6.2.1: half of the largest window, or after a while.
#[test]
fn a_silly_window_waits() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
        100ms < syn-ack win 800
        100ms > established
        100ms > ack 0
        100ms write 5000
        100ms > 0:800
        200ms < ack 800 win 399
        250ms < ack 800 win 400
        250ms > 800:1200
        350ms < ack 1200 win 100
        550ms > 1200:1300
        650ms < ack 1300 win 0
        700ms < ack 1300 win 10
        850ms > 1300:1310
    ",
    );
}

/// Half of the window is worth a segment even while another is under way.
#[test]
fn half_a_window_is_not_silly() {
    check(
        "newreno",
        "
        set initial_window_segments 4
          0ms open
          0ms > syn+options
        100ms < syn-ack win 1600
        100ms > established
        100ms > ack 0
        100ms write 5000
        100ms > 0:1000
        200ms < ack 1000
        200ms > 1000:2000
        250ms < ack 1200
        250ms > 2000:2800
    ",
    );
}

/// §3.7.4.
#[test]
fn nagle_holds_small_segments_until_the_last() {
    check(
        "newreno",
        "
        set nagle true
        set initial_window_segments 4
          0ms write 100
          0ms > 0:100
         10ms write 100
         20ms write 200
        100ms < ack 100
        100ms > 100:400
        110ms write 999
        120ms write 2
        120ms > 400:1400
        130ms close
        130ms > 1400:1401+fin
    ",
    );
    check(
        "newreno",
        "
          0ms write 100
          0ms > 0:100
         10ms write 100
         10ms > 100:200
    ",
    );
}

#[test]
fn nagle_does_not_hold_what_is_sent_again() {
    check(
        "newreno",
        "
        set nagle true
        set initial_window_segments 4
          0ms write 1000
          0ms > 0:1000
         10ms write 1000
         10ms > 1000:2000
         20ms write 30
         20ms > 2000:2030
         30ms write 30
        100ms < ack 1000
        350ms > 1000:2000
        500ms < ack 2000
        500ms > 2000:2060
           1s > 2000:2060
    ",
    );
}

/// §3.10.7.4: even a closed window lets acknowledgements through, the probe's byte is refused.
#[test]
fn a_probe_brings_its_acknowledgement() {
    check(
        "newreno",
        "
        set explicit_read true
        set receive_buffer_bytes 1000
          0ms write 500
          0ms > 0:500
          1ms < 0:1000
          1ms > readable 1000
          1ms > ack 1000 win 0
         50ms < raw A seq 1000 ack 500 len 1
         50ms > ack 1000 win 0
         50ms = flight 0 acked 500
         60ms < raw A seq 1001 ack 500 len 1
         60ms > ack 1000 win 0
         70ms read 1000
         70ms > ack 1000 win 1000
    ",
    );
}

#[test]
fn a_buffer_may_have_any_size() {
    check(
        "newreno",
        "
        role passive
        set explicit_read true
        set receive_buffer_bytes 1500
          0ms < 0:1000
          0ms > readable 1000
          0ms > ack 1000 win 500
          1ms < 1000:1600
          1ms > readable 500
          1ms > ack 1500 win 0
          2ms read 700
          3ms read 50
          3ms > ack 1500 win 750
          3ms = readable 750
    ",
    );
}

/// RFC 5681 §4.2: every second full-sized one, however many came as one.
#[test]
fn a_large_segment_counts_as_many() {
    check(
        "newreno",
        "
        role passive
        slot acking delayed
          0ms < 0:1000
          0ms > readable 1000
         10ms < 1000:2001
         10ms > readable 1001
         10ms > ack 2001
         20ms < 2001:62001
         20ms > readable 60000
         20ms > ack 62001
    ",
    );
}

/// More data than the window takes is no reason to send: what the bound on bursts held back waits for the next event.
#[test]
fn writing_more_lets_out_no_second_burst() {
    check(
        "newreno",
        "
        set max_burst_segments 3
        set initial_window_segments 8
          0ms write 100000
          0ms > 0:1000 1000:2000 2000:3000
          5ms write 100000
        100ms < ack 1000
        100ms > 3000:4000 4000:5000 5000:6000
        100ms write 1000
    ",
    );
}

/// Data that a sender waits for leave at once.
#[test]
fn writing_to_an_idle_sender_sends() {
    check(
        "newreno",
        "
        set initial_window_segments 8
          0ms write 1500
          0ms > 0:1000 1000:1500
          5ms write 100
          5ms > 1500:1600
    ",
    );
}
