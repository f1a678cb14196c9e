//! The sender with selective acknowledgements (RFC 6675), and reports of what came twice (RFC 2883).

use hopwright_converse::check;

/// Bytes 0 to 9999 outstanding, 0 and 3000 lost: entry, the pipe, the second hole, new data, a partial
/// acknowledgement.
#[test]
fn two_holes_of_a_window() {
    check(
        "sack",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 0 sack 1000:2000
        101ms < ack 0 sack 1000:3000
        101ms = phase SlowStart
        102ms < ack 0 sack 4000:5000,1000:3000
        102ms > 0:1000
        102ms = cwnd 5000 ssthresh 5000 phase Recovery
        103ms < ack 0 sack 4000:6000,1000:3000
        104ms < ack 0 sack 4000:7000,1000:3000
        104ms > 3000:4000
        105ms < ack 0 sack 4000:8000,1000:3000
        105ms > 10000:11000
        200ms < ack 3000 sack 4000:8000
        200ms > 11000:12000
        200ms = phase Recovery cwnd 5000
        210ms < ack 8000
        210ms > 12000:13000
        211ms < ack 10000
        211ms > 13000:14000 14000:15000
        211ms = phase CongestionAvoidance cwnd 5000 ssthresh 5000
    ",
    );
}

/// Step 2 of §5: two segments and a byte beyond the first hole are enough, whatever the count.
#[test]
fn as_much_beyond_the_hole_as_three_segments_means_a_loss() {
    check(
        "sack",
        "
        set initial_window_segments 5
          0ms write 5000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        100ms < ack 0 sack 1000:3000
        101ms < ack 0 sack 1000:3001
        101ms > 0:1000
        101ms = phase Recovery cwnd 2500
        200ms < ack 5000
        200ms = phase CongestionAvoidance cwnd 2500
    ",
    );
}

/// §2: what repeats a number but reports nothing new is no duplicate.
#[test]
fn acknowledgements_without_news_are_no_duplicates() {
    check(
        "sack",
        "
        set initial_window_segments 5
          0ms write 5000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000
        100ms < ack 0 0 0 0 0
        110ms < ack 0 0 0 0 0 sack 1000:2000
        110ms = phase SlowStart
        200ms < ack 5000
    ",
    );
}

#[test]
fn limited_transmit_keeps_the_pipe_full() {
    check(
        "sack",
        "
        set initial_window_segments 4
        set limited_transmit true
          0ms write 100000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 0 sack 1000:2000
        100ms > 4000:5000
        101ms < ack 0 0 sack 1000:2000
        102ms < ack 0 sack 1000:3000
        102ms > 5000:6000
        103ms < ack 0 sack 1000:4000
        103ms > 0:1000
        103ms = ssthresh 2000 cwnd 2000
        200ms < ack 6000
        200ms > 6000:7000 7000:8000
    ",
    );
}

/// Rule 4 of `NextSeg`: with nothing new to send, the end of the window is sent again once.
#[test]
fn the_last_segment_is_rescued() {
    check(
        "sack",
        "
        set initial_window_segments 8
          0ms write 8000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
        100ms < ack 0 sack 2000:3000
        101ms < ack 0 sack 2000:4000
        102ms < ack 0 sack 2000:5000      # lost: 0, 1000 and the two at the end
        102ms > 0:1000
        102ms = cwnd 4000
        200ms < ack 1000 sack 2000:5000
        200ms > 1000:2000
        201ms < ack 5000
        201ms > 7000:8000
        201ms = phase Recovery
        202ms < ack 5000 sack 7000:8000
        202ms > 5000:6000 6000:7000
        300ms < ack 8000
        300ms = timeouts 0 phase CongestionAvoidance
    ",
    );
}

/// §5.1: no new recovery before everything outstanding at the time-out is acknowledged; what is reported afterwards
/// is not sent again.
#[test]
fn after_a_time_out_what_is_reported_is_skipped() {
    check(
        "sack",
        "
        set initial_window_segments 8
          0ms write 100000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
        100ms < ack 0 sack 2000:3000
        300ms > 0:1000
        300ms = timeouts 1 cwnd 1000 phase Rto
        400ms < ack 1000 sack 2000:4000,6000:7000
        400ms > 1000:2000 4000:5000
        400ms = cwnd 2000
        410ms < ack 1000 sack 2000:4000,6000:8000
        410ms = phase SlowStart
        500ms < ack 4000 sack 6000:8000
        500ms > 5000:6000 8000:9000
        500ms = phase SlowStart cwnd 3000
        600ms < ack 8000
        600ms > 9000:10000 10000:11000 11000:12000
        700ms < ack 12000
        700ms > 12000:13000 13000:14000 14000:15000 15000:16000
        700ms = phase CongestionAvoidance
    ",
    );
}

/// RFC 2018 §8: a time-out forgets every report.
#[test]
fn a_time_out_forgets_reports() {
    check(
        "sack",
        "
        set initial_window_segments 4
          0ms write 4000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 0 sack 1000:2000
        300ms > 0:1000
        400ms < ack 1000
        400ms > 1000:2000 2000:3000
        500ms < ack 4000
    ",
    );
}

/// §6, by RFC 6298 and with the timer started over by every retransmission.
#[test]
fn the_timer_of_a_recovery() {
    for (timer, expiry) in [("advance", 302), ("retransmission", 350)] {
        check(
            "sack",
            &format!(
                "
            set initial_window_segments 10
            set sack_timer {timer}
              0ms write 10000
              0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
            100ms < ack 0 sack 1000:2000
            101ms < ack 0 sack 1000:3000
            102ms < ack 0 sack 4000:5000,1000:3000
            102ms > 0:1000
            150ms < ack 0 sack 4000:8000,1000:3000
            150ms > 3000:4000
            {}ms > 0:1000
            {}ms = timeouts 1
            600ms < ack 10000
        ",
                expiry + 100,
                expiry + 100
            ),
        );
    }
}

#[test]
fn a_peer_that_does_not_report_is_served_as_by_newreno() {
    check(
        "sack",
        "
        peer bare
        set segment_bytes 536
        set initial_window_segments 6
          0ms write 3216
          0ms > 0:536 536:1072 1072:1608 1608:2144 2144:2680 2680:3216
        100ms < ack 0 0 0
        100ms > 0:536
        100ms = phase Recovery cwnd 3216 ssthresh 1608
        200ms < ack 1072
        200ms > 1072:1608
        300ms < ack 3216
        300ms = phase SlowStart cwnd 1072
    ",
    );
}

/// A D-SACK is counted, but nothing that it names is taken for news.
#[test]
fn what_came_twice_is_no_news() {
    check(
        "sack",
        "
        set initial_window_segments 6
          0ms write 100000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 2000
        100ms > 6000:7000 7000:8000 8000:9000
        101ms < ack 2000 sack 0:1000
        101ms = dsacks 1
        102ms < ack 2000 sack 3000:4000
        103ms < ack 2000 sack 3000:4000,3000:5000
        103ms = dsacks 2 phase SlowStart
        104ms < ack 2000 sack 1000:2000,3000:5000
        104ms = dsacks 3 phase SlowStart
        105ms < ack 2000 sack 3000:6000
        105ms > 2000:3000
        200ms < ack 9000
        200ms > 9000:10000 10000:11000 11000:12000
    ",
    );
}

/// RFC 2883 §4: what is below the acknowledgement, and what is part of a block; each is told once.
#[test]
fn a_receiver_tells_what_came_twice() {
    check(
        "newreno",
        "
        role passive
        set selective_acks true
        set duplicate_sacks true
          0ms < 0:4000
          0ms > readable 4000
          0ms > ack 4000 sack none
          1ms < 3000:3500
          1ms > ack 4000 sack 3000:3500
          2ms < 5000:6000
          2ms > ack 4000 sack 5000:6000
          3ms < 5500:6000
          3ms > ack 4000 sack 5500:6000,5000:6000
          4ms < 7000:8000
          4ms > ack 4000 sack 7000:8000,5000:6000
    ",
    );
}

/// RFC 2883 §4.1.1, example 2: segments of 500, a lost one, a duplicate.
#[test]
fn a_gap_and_a_duplicate_below_it() {
    check(
        "newreno",
        "
        role passive
        set selective_acks true
        set duplicate_sacks true
          0ms < 0:500
          0ms > readable 500
          0ms > ack 500
          1ms < 500:1000
          1ms > readable 500
          1ms > ack 1000
          2ms < 2000:2500
          2ms > ack 1000 sack 2000:2500
          3ms < 500:1000
          3ms > ack 1000 sack 500:1000,2000:2500
          4ms < 2500:3000
          4ms > ack 1000 sack 2000:3000
    ",
    );
}

/// RFC 2883 §4.2 and §4.3: of a segment only part of which came before, the first such part is told.
#[test]
fn a_part_that_came_before() {
    check(
        "newreno",
        "
        role passive
        set selective_acks true
        set duplicate_sacks true
          0ms < 0:500
          0ms > readable 500
          0ms > ack 500
          1ms < 1000:1500
          1ms > ack 500 sack 1000:1500
          2ms < 500:1500
          2ms > readable 1000
          2ms > ack 1500 sack 1000:1500
          3ms < 2000:2500
          3ms > ack 1500 sack 2000:2500
          4ms < 3000:3500
          4ms > ack 1500 sack 3000:3500,2000:2500
          5ms < 2250:3250
          5ms > ack 1500 sack 2250:2500,2000:3500
          6ms < 1000:2000
          6ms > readable 2000
          6ms > ack 3500 sack 1000:1500
    ",
    );
}

/// Three blocks where no more are wanted: the newest, and those most recently told (S8).
#[test]
fn the_blocks_most_recently_told_stay() {
    check(
        "newreno",
        "
        role passive
        set selective_acks true
        set sack_blocks 3
          0ms < 1000:2000
          0ms > ack 0 sack 1000:2000
          1ms < 3000:4000
          1ms > ack 0 sack 3000:4000,1000:2000
          2ms < 5000:6000
          2ms > ack 0 sack 5000:6000,3000:4000,1000:2000
          3ms < 7000:8000
          3ms > ack 0 sack 7000:8000,5000:6000,3000:4000
          4ms < 9000:10000
          4ms > ack 0 sack 9000:10000,7000:8000,5000:6000
    ",
    );
}

/// ns-2's sink: what newer blocks displaced is told again only when more of it comes.
#[test]
fn ns2_forgets_displaced_blocks() {
    check(
        "newreno",
        "
        role passive
        set selective_acks true
        set sack_blocks 3
        set displaced_blocks_forgotten true
          0ms < 1000:2000
          0ms > ack 0 sack 1000:2000
          1ms < 3000:4000
          1ms > ack 0 sack 3000:4000,1000:2000
          2ms < 5000:6000
          2ms > ack 0 sack 5000:6000,3000:4000,1000:2000
          3ms < 7000:8000
          3ms > ack 0 sack 7000:8000,5000:6000,3000:4000
          4ms < 6000:7000
          4ms > ack 0 sack 5000:8000,3000:4000
          5ms < 2000:3000
          5ms > ack 0 sack 1000:4000,5000:8000
    ",
    );
}
