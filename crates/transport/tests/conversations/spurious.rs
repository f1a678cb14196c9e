//! Time-outs that were not needed: F-RTO (RFC 5682), Eifel (RFC 3522), and the answer (RFC 4015).

use hopwright_converse::{check, check_ns2};

/// B12 and B13: the delayed acknowledgements of two originals arrive, nothing is sent again but the first.
#[test]
fn late_acknowledgements_show_a_spurious_time_out() {
    check(
        "newreno",
        "
        slot timeout frto
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        300ms > 0:1000
        300ms = ssthresh 5000 cwnd 1000 timeouts 1
        310ms < ack 1000
        310ms > 10000:11000 11000:12000
        320ms < ack 2000
        320ms > 12000:13000
        320ms = ssthresh inf cwnd 11000 flight 11000 spurious 1 retransmissions 1 phase SlowStart
        330ms < ack 3000
        330ms > 13000:14000 14000:15000
    ",
    );
}

#[test]
fn the_cut_windows_may_be_kept() {
    check(
        "newreno",
        "
        slot timeout frto
        set spurious_response none
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        300ms > 0:1000
        310ms < ack 1000
        310ms > 10000:11000 11000:12000
        320ms < ack 2000
        320ms = ssthresh 5000 cwnd 3000 flight 10000 spurious 1
        330ms < ack 12000
        330ms > 12000:13000 13000:14000 14000:15000 15000:16000
    ",
    );
}

/// Step 2a: a duplicate first, or everything acknowledged at once.
#[test]
fn the_first_answer_may_show_nothing() {
    check(
        "newreno",
        "
        slot timeout frto
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        300ms > 0:1000
        305ms < ack 0
        310ms < ack 1000
        310ms > 1000:2000 2000:3000
        320ms < ack 4000
        320ms > 4000:5000 5000:6000
        320ms = spurious 0
        920ms > 4000:5000
        930ms < ack 6000
        930ms > 6000:7000 7000:8000
        930ms = spurious 0
    ",
    );
}

/// Step 3a: a duplicate after the new segments.
#[test]
fn a_duplicate_after_the_trial_means_a_loss() {
    check(
        "newreno",
        "
        slot timeout frto
        set initial_window_segments 6
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        300ms > 0:1000
        400ms < ack 1000
        400ms > 6000:7000 7000:8000
        500ms < ack 1000
        500ms > 1000:2000 2000:3000
        500ms = spurious 0 cwnd 2000 ssthresh 3000
        600ms < ack 8000
        600ms > 8000:9000 9000:10000 10000:11000
    ",
    );
}

/// Step 2b where nothing new can be sent, and step 1 where the same data timed out again.
#[test]
fn without_new_data_recovery_goes_on_as_ever() {
    check(
        "newreno",
        "
        slot timeout frto
        set initial_window_segments 4
          0ms write 4000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        300ms > 0:1000
        900ms > 0:1000
       1000ms < ack 1000
       1000ms > 1000:2000 2000:3000
       1100ms < ack 2000
       1100ms > 3000:4000
       1100ms = spurious 0
       1200ms < ack 4000
    ",
    );
}

#[test]
fn nothing_new_to_send_shows_nothing() {
    check(
        "newreno",
        "
        slot timeout frto
        set initial_window_segments 4
          0ms write 4000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        300ms > 0:1000
        400ms < ack 1000
        400ms > 1000:2000 2000:3000
        410ms < ack 2000
        410ms > 3000:4000
        410ms = spurious 0
        500ms < ack 4000
    ",
    );
}

/// §3.1: duplicates before the first advance are waited out; then a report of old data is as good as an advance.
#[test]
fn a_report_of_old_data_shows_a_spurious_time_out() {
    check(
        "sack",
        "
        slot timeout frto
        set initial_window_segments 6
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        300ms > 0:1000
        305ms < ack 0 sack 2000:3000
        310ms < ack 1000 sack 2000:3000
        310ms > 6000:7000 7000:8000
        320ms < ack 1000 sack 2000:4000
        320ms = spurious 1 cwnd 7000
        400ms < ack 8000
        400ms > 8000:9000 9000:10000 10000:11000 11000:12000 12000:13000 13000:14000 14000:15000 15000:16000
    ",
    );
}

/// §3.1 step 3a: a report of the new data, or none.
#[test]
fn a_report_of_new_data_shows_a_loss() {
    for report in ["sack 6000:7000", ""] {
        check(
            "sack",
            &format!(
                "
            slot timeout frto
            set initial_window_segments 6
              0ms write 1000000
              0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
            300ms > 0:1000
            400ms < ack 1000
            400ms > 6000:7000 7000:8000
            500ms < ack 1000 {report}
            500ms > 1000:2000 2000:3000
            500ms = spurious 0 cwnd 2000
            600ms < ack 8000
            600ms > 8000:9000 9000:10000 10000:11000
        "
            ),
        );
    }
}

/// A recovery by selective acknowledgements that ends in a time-out is no case for F-RTO.
#[test]
fn a_recovery_that_times_out_is_not_tried() {
    check(
        "sack",
        "
        slot timeout frto
        set initial_window_segments 6
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 0 sack 1000:2000
        101ms < ack 0 sack 1000:3000
        102ms < ack 0 sack 1000:4000
        102ms > 0:1000
        402ms > 0:1000
        500ms < ack 4000
        500ms > 4000:5000 5000:6000
        500ms = spurious 0
        600ms < ack 6000
        600ms > 6000:7000 7000:8000 8000:9000
    ",
    );
}

/// RFC 4015 step 9: the first time of data that was unsent then makes the estimate more careful.
#[test]
fn the_estimate_becomes_more_careful() {
    check(
        "newreno",
        "
        slot timeout frto
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
          0ms = srtt 100ms rto 300ms
        300ms > 0:1000
        310ms < ack 1000
        310ms > 4000:5000 5000:6000
        320ms < ack 2000
        320ms > 6000:7000
        320ms = spurious 1 rto 600ms
        710ms < ack 5000      # 400 ms: four times what it was; its half is the variation
        710ms > 7000:8000 8000:9000 9000:10000 10000:11000
        710ms = srtt 400ms rto 1200ms
    ",
    );
}

/// RFC 3522: the first acknowledgement echoes the original.
#[test]
fn an_earlier_echo_shows_a_spurious_time_out() {
    check(
        "newreno",
        "
        slot timeout eifel
        set timestamps true
        set segment_bytes 1012
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:988 988:1976 1976:2964 2964:3952 3952:4940 4940:5928 5928:6916 6916:7904 7904:8892 8892:9880
        300ms > 0:988 ts 1300
        310ms < ack 988 ecr 1000
        310ms > 9880:10868
        310ms = spurious 1 cwnd 9880 ssthresh inf retransmissions 1
    ",
    );
}

#[test]
fn an_echo_of_the_retransmission_shows_a_loss() {
    check(
        "newreno",
        "
        slot timeout eifel
        set timestamps true
        set segment_bytes 1012
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:988 988:1976 1976:2964 2964:3952
        300ms > 0:988 ts 1300
        400ms < ack 988 ecr 1300
        400ms > 988:1976 1976:2964
        400ms = spurious 0
    ",
    );
}

/// Step 5: with nothing outstanding the echo may be that of a duplicate.
#[test]
fn an_echo_with_nothing_outstanding_shows_nothing() {
    check(
        "newreno",
        "
        slot timeout eifel
        set timestamps true
        set segment_bytes 1012
          0ms write 1976
          0ms > 0:988 988:1976
        300ms > 0:988
        310ms < ack 1976 ecr 1000
        310ms = spurious 0
    ",
    );
}

#[test]
fn a_needless_fast_retransmit_is_counted() {
    check(
        "newreno",
        "
        slot timeout eifel
        set timestamps true
        set segment_bytes 1012
        set initial_window_segments 5
          0ms write 4940
          0ms > 0:988 988:1976 1976:2964 2964:3952 3952:4940
        100ms < ack 0 0 0 ecr 1000
        100ms > 0:988
        105ms < ack 3952 ecr 1000
        105ms > 3952:4940
        105ms = needless 1 spurious 0
        200ms < ack 4940 ecr 1105
    ",
    );
}

/// Step 2b: where nothing new could be sent, old data left, and its acknowledgement shows nothing, even if there is new
/// data by then.
#[test]
fn data_written_too_late_for_the_trial_shows_nothing() {
    check(
        "newreno",
        "
        slot timeout frto
        set initial_window_segments 2
          0ms write 2000
          0ms > 0:1000 1000:2000
        300ms > 0:1000
        400ms < ack 1000
        400ms > 1000:2000
        410ms write 1000
        410ms > 2000:3000
        500ms < ack 2000
        500ms = spurious 0 ssthresh 2000
        510ms < ack 3000
    ",
    );
}

/// Where the window never is as small as a segment, several leave again, and their acknowledgements show nothing.
#[test]
fn a_least_window_of_two_leaves_nothing_to_find_out() {
    for (what, more) in [("set cwnd_floor_segments 2", ""), ("slot response vegas", "")] {
        check(
            "newreno",
            &format!(
                "
            slot timeout frto
            {what}
            set initial_window_segments 6
              0ms write 1000000
              0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
            300ms > 0:1000 1000:2000
            400ms < ack 1000
            400ms > 2000:3000 3000:4000
            410ms < ack 2000
            410ms > 4000:5000{more}
            410ms = spurious 0
        "
            ),
        );
    }
}

/// Step 5: an acknowledgement that reports a duplicate was not the original's; but where the peer reports them, one of
/// everything that reports none was.
#[test]
fn what_the_peer_reports_as_a_duplicate_shows_nothing() {
    check(
        "sack",
        "
        slot timeout eifel
        set timestamps true
        set segment_bytes 1012
        set initial_window_segments 4
          0ms write 3952
          0ms > 0:988 988:1976 1976:2964 2964:3952
        300ms > 0:988
        310ms < ack 988 ecr 1000 sack 0:988
        310ms > 988:1976 1976:2964
        310ms = spurious 0
    ",
    );
    check(
        "sack",
        "
        slot timeout eifel
        set timestamps true
        set segment_bytes 1012
          0ms write 1976
          0ms > 0:988 988:1976
        100ms < ack 1976 ecr 1000 sack 0:988
        100ms write 1976
        100ms > 1976:2964 2964:3952
        350ms > 1976:2964
        360ms < ack 3952 ecr 1100
        360ms = spurious 1
    ",
    );
}

/// ns-2's handshake carries no options: timestamps are agreed on beforehand, as its agents do.
#[test]
fn an_earlier_echo_is_believed_under_ns2s_handshake_too() {
    check_ns2(
        "newreno",
        "
        slot timeout eifel
        set timestamps true
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        300ms > 0:1000 ts 1300
        310ms < ack 1000 ts 5 ecr 1000
        310ms > 4000:5000
        310ms = spurious 1
    ",
    );
}
