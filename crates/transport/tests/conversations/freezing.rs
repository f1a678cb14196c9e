//! Transports that stand still while there is no route, each by its own rules: what leaves, and what stays as it was.

use hopwright_converse::{check, check_ns2};

/// Four segments in flight at 100 ms, in congestion avoidance, and a window that one acknowledgement cannot fill.
const SENDING: &str = "
    set initial_window_segments 4
    set min_rto_ms 300
      0ms write 1000000
      0ms > 0:1000 1000:2000 2000:3000 3000:4000
    100ms < ack 1000
    100ms > 4000:5000 5000:6000
    100ms = cwnd 5000 rto 300ms phase SlowStart flight 5000
";

fn check_sending(id: &str, setup: &str, rest: &str) {
    check(id, &format!("{setup}{SENDING}{rest}"));
}

// ---------------------------------------------------------------- TCP-F

/// F1: nothing leaves between the two messages; the first segment is that of `tcpf_resume_from`, and windows and
/// time-out are those from before.
#[test]
fn tcp_f_goes_on_as_it_was() {
    for (resume_from, first) in
        [("una", "1000:2000 2000:3000 3000:4000 4000:5000 5000:6000"), ("rfn-seq", "3000:4000 4000:5000 5000:6000")]
    {
        check_sending(
            "tcp-f",
            &format!("set tcpf_resume_from {resume_from}"),
            &format!(
                "
            150ms route-failed 3000
            150ms = phase Frozen freezes 1
               1s write 1000
               2s = cwnd 5000 ssthresh inf rto 300ms timeouts 0 probes 0
            3.15s route-restored
            3.15s > {first}
            3.15s = cwnd 5000 ssthresh inf rto 300ms phase SlowStart timeouts 0
            3.25s < ack 6000
            3.25s > 6000:7000 7000:8000 8000:9000 9000:10000 10000:11000 11000:12000
        "
            ),
        );
    }
}

/// F1, the timer: a whole time-out from the thaw on, or what was left at the freeze.
#[test]
fn the_timer_goes_on_as_asked() {
    for (timer, expiry) in [("full", "3.45s"), ("remaining", "3.4s")] {
        check_sending(
            "tcp-f",
            &format!("set thaw_timer {timer}\nset tcpf_resume_from rfn-seq"),
            &format!(
                "
            150ms route-failed 5000
            3.15s route-restored
            3.15s > 5000:6000
            {expiry} > 1000:2000
            {expiry} = timeouts 1 rto 600ms cwnd 1000
        "
            ),
        );
    }
}

/// F2: no message, and the time-out runs when the wait is over, as congestion control wants it.
#[test]
fn tcp_f_without_news_times_out() {
    check_sending(
        "tcp-f",
        "",
        "
    150ms route-failed 3000
     30s = timeouts 0 phase Frozen
  30.15s > 1000:2000
  30.15s = cwnd 1000 ssthresh 2500 rto 600ms timeouts 1 phase Rto
  30.75s > 1000:2000
  30.75s = timeouts 2
    ",
    );
    check_sending("tcp-f", "set tcpf_route_failure_s 2", "150ms route-failed\n 2.15s > 1000:2000\n 2.15s = timeouts 1");
}

/// F3: the second message changes nothing: neither where it resumes nor how long it waits.
#[test]
fn tcp_f_heeds_the_first_message_only() {
    check_sending(
        "tcp-f",
        "set tcpf_resume_from rfn-seq",
        "
    150ms route-failed 4000
       1s route-failed 2000
       1s route-failed 5000
       1s = freezes 1
       2s route-restored
       2s > 4000:5000 5000:6000
    ",
    );
    check_sending(
        "tcp-f",
        "",
        "
    150ms route-failed 4000
      20s route-failed 2000
   30.15s > 1000:2000
    ",
    );
}

/// F5: a route that comes back to an active sender is no news.
#[test]
fn tcp_f_ignores_routes_while_it_is_active() {
    check_sending(
        "tcp-f",
        "",
        "
    150ms route-restored
    150ms = phase SlowStart freezes 0
    400ms > 1000:2000
    400ms = timeouts 1
    ",
    );
}

/// What acknowledgements say meanwhile is taken in; they open no window and wake nobody. Duplicates are not counted.
#[test]
fn acknowledgements_are_taken_in_by_a_frozen_sender() {
    check_sending(
        "tcp-f",
        "set tcpf_resume_from rfn-seq",
        "
    150ms route-failed 2000
    160ms < ack 3000
    160ms = cwnd 5000 flight 3000 phase Frozen
    170ms < ack 3000 3000 3000 3000
    170ms = phase Frozen retransmissions 0
       1s route-restored
       1s > 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
       1s = cwnd 5000
    1.01s < ack 3000 3000
    1.02s < ack 3000
    1.02s > 3000:4000
    1.02s = phase Recovery
    ",
    );
}

/// Everything was acknowledged while it stood still: what is written meanwhile waits for the route.
#[test]
fn a_frozen_sender_with_nothing_outstanding_waits_all_the_same() {
    check(
        "tcp-f",
        "
          0ms write 1000
          0ms > 0:1000
         50ms route-failed 0
        100ms < ack 1000
        200ms write 2000
           1s route-restored
           1s > 1000:2000 2000:3000
    ",
    );
    check(
        "tcp-f",
        "
          0ms write 1000
          0ms > 0:1000
         50ms route-failed 0
        100ms < ack 1000
        200ms write 2000
       30.05s > 1000:2000 2000:3000
       30.05s = timeouts 0
    ",
    );
}

// ---------------------------------------------------------------- what is believed

/// A number that is not outstanding is a stranger's, or late; an idle connection stands for nothing; nor does one
/// that is not open.
#[test]
fn only_what_is_outstanding_can_fail() {
    for id in ["tcp-f", "elfn", "atcp", "simelfn", "fsr"] {
        check_sending(
            id,
            "",
            "
        150ms route-failed 0
        150ms route-failed 999
        150ms route-failed 6000
        150ms route-failed 2000000000
        150ms route-failed 4000000000
        150ms = freezes 0 phase SlowStart
        151ms route-failed 5999
        151ms = freezes 1 phase Frozen
        ",
        );
        check(
            id,
            "
          0ms route-failed
          0ms route-failed 0
          0ms = freezes 0
        100ms write 1000
        100ms > 0:1000
        200ms < ack 1000
        200ms route-failed
        200ms route-failed 0
        200ms = freezes 0
        ",
        );
        check(
            id,
            "
          0ms open
          0ms > syn+options
         50ms route-failed
         50ms route-failed 0
         50ms = freezes 0
           1s > syn+options
        ",
        );
    }
}

/// The end of the data waits like the rest.
#[test]
fn a_fin_waits_for_the_thaw() {
    check(
        "elfn",
        "
          0ms write 1000
          0ms > 0:1000
         50ms route-failed 0
        100ms close
       2.05s > 0:1000
       2.15s < ack 1000
       2.15s > fin 1000
       2.25s < ack 1001
       2.25s = state FinWait2
    ",
    );
    check(
        "tcp-f",
        "
          0ms write 1000
          0ms > 0:1000
         50ms route-failed 0
        100ms < ack 1000
        100ms close
           1s route-restored
           1s > fin 1000
    ",
    );
}

// ---------------------------------------------------------------- TCP-ELFN

/// E1, E2: probes of the first unacknowledged segment, no time-outs; an acknowledgement lets it go on.
#[test]
fn elfn_probes_until_it_is_answered() {
    check_sending(
        "elfn",
        "",
        "
    150ms route-failed 3000
   2.15s > 1000:2000
   4.15s > 1000:2000
   6.15s > 1000:2000
   6.15s = timeouts 0 cwnd 5000 ssthresh inf rto 300ms phase Frozen probes 3
    6.4s < ack 2000
    6.4s > 6000:7000 7000:8000
    6.4s = phase SlowStart cwnd 6000 rto 300ms srtt 100ms
    6.7s > 2000:3000
    6.7s = timeouts 1
    ",
    );
}

/// E2 with a duplicate: it wakes the sender, and counts as one. What it sends anew is bounded by the window that it
/// had.
#[test]
fn elfn_is_woken_by_a_duplicate() {
    check_sending(
        "elfn",
        "",
        "
    150ms route-failed 3000
   2.15s > 1000:2000
   2.25s < ack 1000
   2.25s = phase SlowStart cwnd 5000
   2.26s < ack 1000
   2.27s < ack 1000
   2.27s > 1000:2000
   2.27s = phase Recovery timeouts 0
    ",
    );
}

/// Probes that nodes kept come together when the route is there again: duplicates, and a fast retransmit that nothing
/// calls for (Zhou et al. §4.2).
#[test]
fn elfns_probes_look_like_losses() {
    let receiver = "
        role passive
          0ms < 0:1000
          0ms > readable 1000
          0ms > ack 1000
           7s < 0:1000 0:1000 0:1000
           7s > ack 1000 ack 1000 ack 1000
    ";
    check("elfn", receiver);
    check_sending(
        "elfn",
        "",
        "
    150ms route-failed 2000
   2.15s > 1000:2000
   4.15s > 1000:2000
   6.15s > 1000:2000
   7.15s < ack 6000
   7.15s > 6000:7000 7000:8000 8000:9000 9000:10000 10000:11000 11000:12000
   7.15s = phase SlowStart cwnd 6000
   7.16s < ack 6000 6000
   7.17s < ack 6000
   7.17s > 6000:7000
   7.17s = phase Recovery
    ",
    );
}

/// E3: one segment, slow start to the saved threshold.
#[test]
fn elfn_can_begin_with_one_segment() {
    check(
        "elfn",
        "
    set elfn_restore_cwnd one-segment
    set elfn_restore_rto initial
    set initial_rto_ms 6000
    set initial_window_segments 4
      0ms write 1000000
      0ms > 0:1000 1000:2000 2000:3000 3000:4000
    101ms < ack 0
    102ms < ack 0
    103ms < ack 0
    103ms > 0:1000 4000:5000
    200ms < ack 5000
    200ms > 5000:6000 6000:7000
    200ms = cwnd 2000 ssthresh 2000 phase CongestionAvoidance
    300ms < ack 7000
    300ms > 7000:8000 8000:9000
    300ms = cwnd 2500 ssthresh 2000
    350ms route-failed 7000
   2.35s > 7000:8000
   2.45s < ack 7000
   2.45s > 7000:8000
   2.45s = cwnd 1000 ssthresh 2000 rto 6000ms phase SlowStart
   2.55s < ack 9000
   2.55s > 9000:10000 10000:11000
   2.55s = cwnd 2000 ssthresh 2000 phase CongestionAvoidance
    ",
    );
}

/// E4: a message for another flow never comes here; one with a number that is not of this one is ignored (above).
/// E5: a second message does not put the next probe off.
#[test]
fn elfn_does_not_begin_anew() {
    check_sending(
        "elfn",
        "",
        "
    150ms route-failed 3000
       1s route-failed 3000
       2s route-failed
   2.15s > 1000:2000
   2.16s route-failed 1000
   4.15s > 1000:2000
   4.15s = freezes 1
    ",
    );
}

/// The interval may follow the round-trip time instead.
#[test]
fn elfns_interval_may_follow_the_round_trip_time() {
    check_sending("elfn", "set elfn_probe_srtt 5", "150ms route-failed 3000\n 650ms > 1000:2000\n 1.15s > 1000:2000");
    check_sending("elfn", "set elfn_probe_s 0.25", "150ms route-failed 3000\n 400ms > 1000:2000\n 650ms > 1000:2000");
}

/// In ns-2's profile, where any repetition counts and windows are whole segments.
#[test]
fn elfn_stands_by_in_ns2s_profile_too() {
    check_ns2(
        "elfn",
        "
    set initial_window_segments 4
      0ms write 1000000
      0ms > 0:1000 1000:2000 2000:3000 3000:4000
     50ms route-failed 1000
   2.05s > 0:1000
   2.15s < ack 1000
   2.15s > 4000:5000 5000:6000
   2.15s = phase SlowStart timeouts 0 cwnd 5000
    ",
    );
}

// ---------------------------------------------------------------- simELFN

/// Z §4.1: no probe; a new acknowledgement wakes it, a duplicate does not.
#[test]
fn simelfn_waits_for_something_new() {
    check_sending(
        "simelfn",
        "",
        "
    150ms route-failed 3000
      10s < ack 1000 1000 1000 1000
      10s = phase Frozen cwnd 5000 ssthresh inf rto 300ms
      11s < ack 2000
      11s > 6000:7000 7000:8000
      11s = phase SlowStart cwnd 6000 timeouts 0 probes 0
    ",
    );
}

/// Z §4.1 step 4: SEND_TIMEOUT less alpha round-trip times, and it is Reno from then on.
#[test]
fn simelfn_is_reno_after_a_long_failure() {
    for (alpha, thaw, expiry, again) in
        [("0.5", "30.09s", "30.4s", "31s"), ("0", "30.14s", "30.45s", "31.05s"), ("1", "30.04s", "30.35s", "30.95s")]
    {
        check_sending(
            "simelfn",
            &format!("set simelfn_alpha {alpha}"),
            &format!(
                "
            150ms route-failed 3000
            1s route-failed 2000
            {thaw} = phase Frozen timeouts 0
            {expiry} > 1000:2000
            {expiry} = timeouts 1 cwnd 1000 ssthresh 2500
            {again} > 1000:2000
            {again} = timeouts 2
        "
            ),
        );
    }
}

// ---------------------------------------------------------------- TCP-FSR

/// Z §5.2: the acknowledgement that the receiver's node asks for wakes the sender, which goes on where it points.
#[test]
fn fsr_goes_on_where_the_acknowledgement_points() {
    check_sending(
        "fsr",
        "",
        "
    150ms route-failed 4000
    160ms route-failed 3000
    160ms = freezes 1
       5s < ack 2000
       5s > 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
       5s = cwnd 6000 ssthresh inf phase SlowStart timeouts 0
    ",
    );
    check_sending(
        "fsr",
        "",
        "
    150ms route-failed 4000
       5s < ack 1000
       5s > 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
       5s = cwnd 5000 timeouts 0
    ",
    );
}

/// The other reading: the first of the segments that the messages named.
#[test]
fn fsr_can_go_on_where_the_route_failed() {
    check_sending(
        "fsr",
        "set fsr_resume_from rfn-seq",
        "
    150ms route-failed 4000
    160ms route-failed 3000
    170ms route-failed 5000
       5s < ack 1000
       5s > 3000:4000 4000:5000 5000:6000
    ",
    );
}

/// What the paper's step 3 says of a later message, to the letter: the sender "update[s] the value of TCP states".
#[test]
fn fsr_can_go_on_where_the_latest_message_points() {
    for (later, sent) in [(5000, "5000:6000"), (3000, "3000:4000 4000:5000 5000:6000")] {
        check_sending(
            "fsr",
            "set fsr_resume_from last-rfn-seq",
            &format!(
                "
        150ms route-failed 4000
        160ms route-failed 3000
        170ms route-failed {later}
           5s < ack 1000
           5s > {sent}
        "
            ),
        );
    }
}

/// Z §5.2 step 7.
#[test]
fn fsr_is_standard_after_a_long_failure() {
    check_sending(
        "fsr",
        "set fsr_send_timeout_s 10",
        "
    150ms route-failed 4000
       9s route-failed 3000
   10.1s = phase Frozen
   10.45s > 1000:2000
   10.45s = timeouts 1
    ",
    );
}

/// Z §5.2 step 5, at the receiver: the latest acknowledgement at once, whether anything had come or not.
#[test]
fn fsrs_receiver_acknowledges_when_the_route_is_back() {
    check(
        "fsr",
        "
        role passive
          0ms < 0:1000
          0ms > readable 1000
          0ms > ack 1000
          1ms < 2000:3000
          1ms > ack 1000
           5s route-restored
           5s > ack 1000
    ",
    );
    check("fsr", "role passive\n 5s route-restored\n 5s > ack 0");
    check(
        "fsr",
        "slot acking delayed\n role passive\n 0ms < 0:1000\n 0ms > readable 1000\n 1ms route-restored\n 1ms > ack 1000",
    );
    check("tcp-f", "role passive\n 0ms < 0:1000\n 0ms > readable 1000\n 0ms > ack 1000\n 5s route-restored");
}

// ---------------------------------------------------------------- ATCP

/// A1: the third duplicate is withheld; ATCP repairs, TCP's window stays.
#[test]
fn atcp_hides_a_loss() {
    check_sending(
        "atcp",
        "",
        "
    200ms < ack 1000
    201ms < ack 1000
    202ms < ack 1000
    202ms > 1000:2000
    202ms = phase Frozen cwnd 5000 ssthresh inf rto 300ms probes 1
    203ms < ack 1000
    300ms < ack 6000
    300ms > 6000:7000 7000:8000 8000:9000 9000:10000 10000:11000 11000:12000
    300ms = phase SlowStart cwnd 6000 ssthresh inf timeouts 0
    ",
    );
}

/// In LOSS what is outstanding leaves again, a segment per time-out, over and over, until something new is
/// acknowledged.
#[test]
fn atcp_resends_one_after_the_other() {
    check_sending(
        "atcp",
        "",
        "
    200ms < ack 1000
    201ms < ack 1000
    202ms < ack 1000
    202ms > 1000:2000
    502ms > 2000:3000
    802ms > 3000:4000
    1.102s > 4000:5000
    1.402s > 5000:6000
    1.702s > 1000:2000
    1.71s < ack 1000
    1.8s < ack 2000
    1.8s > 6000:7000 7000:8000
    1.8s = phase SlowStart cwnd 6000 timeouts 0 rto 300ms
    ",
    );
}

/// A4: the time-out is suppressed, and not backed off.
#[test]
fn atcp_suppresses_the_time_out() {
    check_sending(
        "atcp",
        "",
        "
    400ms > 1000:2000
    400ms = phase Frozen timeouts 0 cwnd 5000 ssthresh inf rto 300ms
    700ms > 2000:3000
    1s > 3000:4000
    1.1s < ack 2000
    1.1s > 6000:7000 7000:8000
    1.1s = rto 300ms timeouts 0 cwnd 6000
    1.4s > 2000:3000
    1.4s = phase Frozen
    ",
    );
}

/// A3: without a route only probes leave, further and further apart; what answers one opens a window of one segment,
/// below the same threshold.
#[test]
fn atcp_probes_without_a_route_and_begins_with_one_segment() {
    check_sending(
        "atcp",
        "set atcp_longest_probe_s 15",
        "
    150ms route-failed 3000
    151ms route-failed 3000
   5.15s > 1000:2000
  15.15s > 1000:2000
  30.15s > 1000:2000
  45.15s > 1000:2000
  45.15s = timeouts 0 cwnd 5000 rto 300ms
  45.25s < ack 2000
  45.25s > 2000:3000 3000:4000
  45.25s = cwnd 2000 ssthresh inf phase SlowStart timeouts 0
    ",
    );
    check_sending(
        "atcp",
        "",
        "
    150ms route-failed 3000
   5.15s > 1000:2000
   5.25s < ack 1000
   5.25s > 1000:2000
   5.25s = cwnd 1000 ssthresh inf phase SlowStart
    ",
    );
}

/// A5: a route that fails while a loss is repaired.
#[test]
fn atcp_stops_repairing_without_a_route() {
    check_sending(
        "atcp",
        "",
        "
    200ms < ack 1000
    201ms < ack 1000
    202ms < ack 1000
    202ms > 1000:2000
    300ms route-failed 1000
    5.3s > 1000:2000
   15.3s > 1000:2000
   15.4s < ack 2000
   15.4s > 2000:3000 3000:4000
   15.4s = cwnd 2000 ssthresh inf
    ",
    );
}

/// A selective acknowledgement shows what need not be sent again.
#[test]
fn atcp_leaves_out_what_the_peer_holds() {
    check(
        "atcp",
        "
    set selective_acks true
    slot detection sack
    slot recovery sack
    set initial_window_segments 4
      0ms write 4000
      0ms > 0:1000 1000:2000 2000:3000 3000:4000
    100ms < ack 0 sack 1000:2000
    101ms < ack 0 sack 1000:2000,3000:4000
    200ms = phase SlowStart
    300ms > 0:1000
    300ms = phase Frozen
    600ms > 2000:3000
    900ms > 0:1000
    1s < ack 4000
    1s = timeouts 0 ssthresh inf
    ",
    );
}
