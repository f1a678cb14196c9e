//! What a sender does when congestion is echoed (RFC 3168 §6.1.2). What leaves on the wire: `converse/scripts/ecn`.

use hopwright_converse::{check, check_ns2};

/// Eight segments in flight at 100 ms.
const SENDING: &str = "
    set ecn true
    set initial_window_segments 8
    set min_rto_ms 300
      0ms write 1000000
      0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
";

fn check_sending(id: &str, setup: &str, rest: &str) {
    check(id, &format!("{setup}{SENDING}{rest}"));
}

/// Once per window: what echoes the same congestion neither cuts again nor opens the window; what was sent after the
/// cut and is echoed, cuts again.
#[test]
fn the_window_is_cut_once_per_window() {
    check_sending(
        "newreno",
        "",
        "
    100ms < ack 1000 ece
    100ms = cwnd 3500 ssthresh 3500 phase CongestionAvoidance retransmissions 0
    101ms < ack 2000 ece
    102ms < ack 3000 ece
    103ms < ack 4000 ece
    104ms < ack 5000 ece
    104ms = cwnd 3500 ssthresh 3500
    105ms < ack 6000
    105ms > 8000:9000 cwr yes ect yes
    105ms = cwnd 3786
    110ms < ack 8000
    110ms > 9000:10000 cwr none 10000:11000 cwr none 11000:12000
    200ms < ack 9000 ece
    200ms = cwnd 2000 ssthresh 2000
    ",
    );
}

/// An acknowledgement that repeats a number tells it, too, whether it counts as a duplicate or not.
#[test]
fn any_acknowledgement_tells() {
    for acknowledgement in ["ack 0 ece", "ack 0 win 60000 ece", "0:100 ece"] {
        let receives = acknowledgement.starts_with("0:");
        let news = if receives { "50ms > readable 100\n 50ms > ack 100" } else { "" };
        check_sending("newreno", "", &format!(" 50ms < {acknowledgement}\n {news}\n 50ms = cwnd 4000 ssthresh 4000"));
    }
}

/// Nobody asked, nobody answers.
#[test]
fn an_echo_without_agreement_is_nothing() {
    check(
        "newreno",
        "
    set initial_window_segments 4
      0ms write 100000
      0ms > 0:1000 ect none 1000:2000 2000:3000 3000:4000
    100ms < ack 1000 ece
    100ms > 4000:5000 cwr none 5000:6000
    100ms = cwnd 5000 ssthresh inf
    ",
    );
}

/// What is lost in a window that was cut for an echo is repaired without another cut; the first new data after a cut
/// for a loss say so as well.
#[test]
fn a_loss_in_the_same_window_costs_nothing_more() {
    check_sending(
        "newreno",
        "",
        "
    100ms < ack 1000 ece
    100ms = cwnd 3500 ssthresh 3500
    101ms < ack 1000
    102ms < ack 1000
    103ms < ack 1000
    103ms > 1000:2000 ect none
    103ms = base 3500 ssthresh 3500 phase Recovery
    200ms < ack 8000
    200ms > 8000:9000 cwr yes 9000:10000 10000:11000
    200ms = cwnd 3500 ssthresh 3500 phase CongestionAvoidance
    ",
    );
    check_sending(
        "newreno",
        "",
        "
    101ms < ack 0
    102ms < ack 0
    103ms < ack 0
    103ms > 0:1000 ect none cwr none
    104ms < ack 0 ece
    104ms = base 4000 ssthresh 4000
    200ms < ack 8000
    200ms > 8000:9000 cwr yes ect yes 9000:10000 cwr none
    ",
    );
}

/// The same acknowledgement shows a loss and echoes congestion: one cut.
#[test]
fn a_duplicate_that_echoes_cuts_once() {
    check_sending(
        "reno",
        "",
        "
    101ms < ack 0
    102ms < ack 0
    103ms < ack 0 ece
    103ms > 0:1000
    103ms = base 4000 ssthresh 4000
    ",
    );
}

/// After a time-out too, the first new data tell; what is sent again does not.
#[test]
fn after_a_time_out_new_data_tell() {
    check(
        "newreno",
        "
    set ecn true
    set initial_window_segments 2
      0ms write 1000000
      0ms > 0:1000 1000:2000
    300ms > 0:1000 ect none cwr none
    400ms < ack 2000
    400ms > 2000:3000 ect yes cwr yes 3000:4000 cwr none
    ",
    );
}

/// A window of one segment cannot be halved: the next segment waits for the timer (RFC 3168 §6.1.2), which is no
/// time-out.
#[test]
fn a_window_of_one_segment_waits() {
    check(
        "newreno",
        "
    set ecn true
    set initial_window_segments 1
    set min_rto_ms 300
      0ms write 1000000
      0ms > 0:1000
    100ms < ack 1000 ece
    100ms = cwnd 1000 ssthresh 2000 flight 0
    400ms > 1000:2000 cwr yes
    400ms = timeouts 0 rto 300ms
    500ms < ack 2000
    500ms > 2000:3000 3000:4000
    ",
    );
}

/// As for a loss: half, one segment (Tahoe), seven tenths (RFC 9438 §4.6), of 7000 bytes in flight.
#[test]
fn the_cut_is_that_of_a_loss() {
    for (id, cwnd, ssthresh) in
        [("tahoe", 1000, 3500), ("reno", 3500, 3500), ("sack", 3500, 3500), ("cubic", 4900, 4900)]
    {
        let rest =
            format!("100ms < ack 1000 ece\n 100ms = cwnd {cwnd} ssthresh {ssthresh} retransmissions 0 timeouts 0");
        check_sending(id, "", &rest);
    }
}

#[test]
fn in_ns2s_profile_marks_are_agreed_beforehand() {
    check_ns2(
        "newreno",
        "
    set ecn true
    set initial_window_segments 8
      0ms write 1000000
      0ms > 0:1000 ect yes 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
    100ms < ack 1000 ece
    100ms = cwnd 4000 ssthresh 4000
    ",
    );
}

/// ATCP, A2: congestion is told with the duplicates, and TCP answers the loss itself.
#[test]
fn atcp_leaves_congestion_to_tcp() {
    check_sending(
        "atcp",
        "",
        "
    101ms < ack 0 ece
    101ms = cwnd 4000 ssthresh 4000
    102ms < ack 0 ece
    103ms < ack 0 ece
    103ms > 0:1000
    103ms = phase Recovery base 4000 ssthresh 4000 freezes 0
    ",
    );
    check_sending(
        "atcp",
        "",
        "
    101ms < ack 0
    102ms < ack 0
    103ms < ack 0 ece
    103ms > 0:1000
    103ms = phase Recovery ssthresh 4000 freezes 0
    ",
    );
}

/// ATCP in LOSS: an echo takes TCP out of it, and the time-out that follows is TCP's own.
#[test]
fn an_echo_ends_atcps_repair() {
    check_sending(
        "atcp",
        "",
        "
    101ms < ack 0
    102ms < ack 0
    103ms < ack 0
    103ms > 0:1000
    103ms = phase Frozen
    150ms < ack 0 ece
    150ms > 0:1000
    150ms = phase Recovery ssthresh 4000
    ",
    );
}

/// ATCP in CONGESTED: until something new was sent, what looks like a loss is TCP's business; afterwards ATCP's again.
#[test]
fn atcp_watches_again_after_new_data() {
    check_sending(
        "atcp",
        "",
        "
    100ms < ack 1000 ece
    100ms = cwnd 3500
    400ms > 1000:2000
    400ms = timeouts 1 phase Rto freezes 0
    ",
    );
    check_sending(
        "atcp",
        "",
        "
    100ms < ack 1000 ece
    110ms < ack 6000
    110ms > 8000:9000
    110ms = cwnd 3786
    410ms > 6000:7000
    410ms = timeouts 0 phase Frozen freezes 1
    ",
    );
}
