//! Mechanisms of Velayutham 2005 chapter 2 in conversations: what leaves when, and what silence does.

use hopwright_converse::check;

/// §2.5.1.2: a window each round trip, whether acknowledgements arrive or not.
#[test]
fn an_explicit_window_leaves_every_round_trip() {
    check(
        "sack",
        "
        slot control explicit
        slot clocking explicit
        set initial_window_segments 4
        set granularity_mode exact
          0ms write 40000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000
        200ms > 8000:9000 9000:10000 10000:11000 11000:12000
        250ms < ack 12000
        290ms < ack 12000
        300ms > 12000:13000 13000:14000 14000:15000 15000:16000 16000:17000
    ",
    );
}

/// Vector X1: a window of four segments with a round trip of 100 ms. Though nothing is acknowledged four leave at once, four
/// after 100 ms and four after 200 ms, until the time-out.
#[test]
fn an_explicit_window_leaves_until_the_time_out() {
    check(
        "sack",
        "
        slot control explicit
        slot clocking explicit
        set initial_window_segments 4
          0ms write 40000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000
        200ms > 8000:9000 9000:10000 10000:11000 11000:12000
        300ms > 0:1000
        300ms = timeouts 1
    ",
    );
}

/// §2.5.1.8: the window is spread over the round trip.
#[test]
fn a_paced_window_takes_a_round_trip() {
    check(
        "sack",
        "
        slot control hybrid
        slot clocking paced
        set initial_window_segments 4
        set granularity_mode exact
          0ms write 40000
          0ms > 0:1000 1000:2000
         25ms > 2000:3000
         50ms > 3000:4000
        100ms < ack 4000
        100ms > 4000:5000
        120ms > 5000:6000
        140ms > 6000:7000
    ",
    );
}

/// §2.5.4.1: silence is asked, again and again, at one distance; nothing is cut.
#[test]
fn silence_is_probed_until_an_answer_comes() {
    check(
        "newreno",
        "
        slot timeout probe
        set initial_window_segments 4
        set granularity_mode exact
          0ms write 8000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000
        100ms > 4000:5000 5000:6000
        300ms > probe 1000
        400ms > probe 1000
        500ms > probe 1000
        600ms > probe 1000
        650ms < ack 2000
        650ms > 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
        650ms = cwnd 6000
        750ms < ack 8000
    ",
    );
}

/// Vector X12: with a round trip of 200 ms the last acknowledgement comes at 1 s, and the next only after another second.
/// Probes leave 400, 600, 800 and 1000 ms after it, without data, and the time-out does not back off.
#[test]
fn probes_are_not_backed_off() {
    check(
        "sack",
        "
        slot timeout probe
        set initial_window_segments 4
        600ms open
        600ms > syn+options
        800ms < syn-ack
        800ms > established ack 0
        800ms write 100000
        800ms > 0:1000 1000:2000 2000:3000 3000:4000
           1s < ack 4000
           1s > 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000
           1s = srtt 200ms
         1.4s > probe 4000
         1.6s > probe 4000
         1.8s > probe 4000
           2s > probe 4000
           2s = rto 200ms timeouts 0 retransmissions 0
    ",
    );
}

/// With `probe_cuts = "no"` the window is after the answer what it was (Velayutham 2005 §2.5.4.1): what left had all come,
/// only the acknowledgements were lost. A sender that waited for an answer was not idle (RFC 5681 §4.1).
#[test]
fn an_answer_with_nothing_outstanding_leaves_the_window() {
    check(
        "sack",
        "
        slot timeout probe
        set initial_window_segments 4
        set granularity_mode exact
          0ms write 100000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 4000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000
        100ms = cwnd 5000
        300ms > probe 4000
        400ms > probe 4000
        450ms < ack 9000
        450ms > 9000:10000 10000:11000 11000:12000 12000:13000 13000:14000 14000:15000
        450ms = cwnd 6000
    ",
    );
}

/// Who has nothing to send after the answer is idle from then on: an RTO later the window is the initial one.
#[test]
fn after_the_answer_a_sender_may_be_idle() {
    check(
        "sack",
        "
        slot timeout probe
        set initial_window_segments 4
        set granularity_mode exact
          0ms write 9000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 4000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000
        300ms > probe 4000
        400ms > probe 4000
        450ms < ack 9000
        450ms = cwnd 6000
        500ms write 1000
        500ms > 9000:10000
        500ms = cwnd 6000
        600ms < ack 10000
           2s write 1000
           2s > 10000:11000
           2s = cwnd 4000
    ",
    );
}

#[test]
fn an_answer_that_repeats_is_one_and_what_is_held_is_not_sent_again() {
    check(
        "sack",
        "
        slot timeout probe
        set probe_cuts one-segment
        set initial_window_segments 4
        set granularity_mode exact
          0ms write 4000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000
        300ms > probe 1000
        350ms < ack 1000 sack 2000:3000
        350ms > 1000:2000
        350ms = cwnd 1000
        450ms < ack 3000
        450ms > 3000:4000
    ",
    );
}

/// Even a whole flight that is lost with its probes leaves nothing behind.
#[test]
fn the_last_segment_is_probed_for_too() {
    check(
        "newreno",
        "
        slot timeout probe
        set granularity_mode exact
          0ms write 1000
          0ms > 0:1000
          0ms close
          0ms > fin 1000
        200ms > probe 0
        300ms > probe 0
        310ms < ack 0
        310ms > 0:1000+fin
    ",
    );
}
