//! Vegas (Brakmo and Peterson 1995).

use hopwright_converse::check;

#[test]
fn slow_start_doubles_in_every_other_round_trip() {
    check(
        "vegas",
        "
          0ms write 1000000
          0ms > 0:1000 1000:2000
        100ms < ack 1000
        100ms > 2000:3000
        101ms < ack 2000
        101ms > 3000:4000
        101ms = cwnd 2000
        200ms < ack 3000
        200ms > 4000:5000 5000:6000
        201ms < ack 4000
        201ms > 6000:7000 7000:8000
        201ms = cwnd 4000 phase SlowStart
        300ms < ack 5000
        300ms > 8000:9000
        300ms = cwnd 4000
    ",
    );
}

#[test]
fn one_late_duplicate_resends_and_cuts_a_quarter_and_only_once_per_flight() {
    check(
        "vegas",
        "
        set initial_window_segments 12
        set max_burst_segments 0
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000 10000:11000 11000:12000
        180ms < ack 0                  # 1.2 times the fine time-out: 3/2 of the handshake's 100 ms
        180ms > 0:1000
        180ms = base 9000 cwnd 10000 phase Recovery
        190ms < ack 1000               # the next one left before the cut, and is late as well
        190ms > 1000:2000
        190ms = base 8000 retransmissions 2 # one less for the queue: 12 (1 - 100 / 190) segments
    ",
    );
}

#[test]
fn three_duplicates_are_enough_and_an_early_one_is_not() {
    check(
        "vegas",
        "
        set initial_window_segments 6
          0ms write 6000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 0
        101ms < ack 0
        102ms < ack 0
        102ms > 0:1000
        102ms = base 4500 cwnd 7500
    ",
    );
}

#[test]
fn after_silence_it_starts_over_with_two_segments() {
    check(
        "vegas",
        "
        set initial_window_segments 6
          0ms write 6000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        300ms > 0:1000 1000:2000
        300ms = cwnd 2000 ssthresh 3000 timeouts 1
    ",
    );
}
