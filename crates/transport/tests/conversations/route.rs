//! Senders that guess at routes: Fixed-RTO and TCP-DOOR.

use hopwright_converse::{check, check_ns2};

/// R1, R3, R4: the second time-out in a row does not double, a new acknowledgement starts the count over, and the
/// threshold changes once.
#[test]
fn fixed_rto_doubles_once() {
    check(
        "fixed-rto",
        "
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        300ms > 0:1000
        300ms = ssthresh 5000 rto 600ms
        900ms > 0:1000
        900ms = ssthresh 5000 rto 600ms
       1500ms > 0:1000
       2100ms > 0:1000
       2100ms = timeouts 4 ssthresh 5000
       2200ms < ack 10000
       2200ms > 10000:11000 11000:12000
       2300ms < ack 12000
       2300ms > 12000:13000 13000:14000 14000:15000
       2300ms = srtt 100ms rto 250ms
       2550ms > 12000:13000
       2550ms = rto 500ms
       3050ms > 12000:13000
       3050ms = rto 500ms
    ",
    );
}

/// R2: the other reading.
#[test]
fn fixed_rto_doubles_three_times() {
    check(
        "fixed-rto",
        "
        set fixed_rto_after 4
          0ms write 1000
          0ms > 0:1000
        300ms > 0:1000
        900ms > 0:1000
       2100ms > 0:1000
       4500ms > 0:1000
       6900ms > 0:1000
    ",
    );
}

/// R4 in ns-2's profile, where others halve every time.
#[test]
fn fixed_rto_halves_once_in_ns2s_profile_too() {
    check_ns2(
        "fixed-rto",
        "
        set initial_window_segments 8
        set initial_rto_ms 300
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
        300ms > 0:1000
        300ms = ssthresh 4000
        900ms > 0:1000
        900ms = ssthresh 4000
    ",
    );
}

/// D1, D4: an old acknowledgement undoes the cut of a time-out.
#[test]
fn an_old_acknowledgement_undoes_a_cut() {
    check(
        "door",
        "
        set initial_window_segments 4
        set door_response recover
          0ms write 6944
          0ms > 0:992 992:1984 1984:2976 2976:3968 tpsn 4
        100ms < ack 1984
        100ms > 3968:4960 4960:5952 5952:6944
        100ms = cwnd 5000 rto 250ms
        350ms > 1984:2976 tpsn 8
        350ms = cwnd 1000 ssthresh 2480 rto 500ms
        360ms < ack 992
        360ms = cwnd 5000 ssthresh inf rto 250ms
        400ms < ack 6944
    ",
    );
}

/// D4 the other way: too long ago.
#[test]
fn a_cut_long_ago_is_not_undone() {
    check(
        "door",
        "
        set initial_window_segments 4
        set door_response recover
          0ms write 3000
          0ms > 0:992 992:1984 1984:2976 2976:3000
        100ms < ack 1984
        350ms > 1984:2976
        451ms < ack 992
        451ms = cwnd 1000
    ",
    );
}

/// A recovery whose cut is undone goes on all the same: it repairs the second hole, and leaves the window alone.
#[test]
fn a_recovery_outlasts_the_cut_that_is_undone() {
    check(
        "door",
        "
        set initial_window_segments 6
        set door_response recover
          0ms write 5952
          0ms > 0:992 992:1984 1984:2976 2976:3968 3968:4960 4960:5952
        100ms < ack 992
        101ms < ack 992 adsn 1
        102ms < ack 992 adsn 2
        103ms < ack 992 adsn 3
        103ms > 992:1984
        103ms = base 2480 phase Recovery
        105ms < ack 0
        105ms = base 6992 ssthresh inf phase Recovery
        200ms < ack 2976
        200ms > 2976:3968
        300ms < ack 5952
        300ms = cwnd 6992 ssthresh inf phase SlowStart retransmissions 2 timeouts 0
    ",
    );
}

/// D2, D6: duplicates whose numbers go back came out of order; the numbers go around.
#[test]
fn duplicates_are_told_apart_by_their_numbers() {
    for (numbers, is_disorder) in [([1, 3, 2], true), ([1, 2, 3], false), ([255, 0, 1], false), ([1, 1, 2], true)] {
        let [a, b, c] = numbers;
        let (cwnd, ssthresh) = if is_disorder { ("4000", "inf") } else { ("2000", "2000") };
        let first = if a == 255 { 254 } else { 0 };
        check(
            "door",
            &format!(
                "
            set initial_window_segments 4
              0ms write 3968
              0ms > 0:992 992:1984 1984:2976 2976:3968
             99ms < ack 0 adsn {first}
            100ms < ack 0 adsn {a}
            101ms < ack 0 adsn {b}
            101ms > 0:992
            102ms < ack 0 adsn {c}
            102ms = base {cwnd} ssthresh {ssthresh}
        "
            ),
        );
    }
}

/// D3, at the receiver: an earlier number is told once; an old byte with a new number is in order.
#[test]
fn the_receiver_tells_what_is_out_of_order() {
    check(
        "door",
        "
        role passive
          0ms < 0:1000 tpsn 7
          0ms > readable 1000
          0ms > ack 1000 adsn 0 ooo none
          1ms < 2000:3000 tpsn 9
          1ms > ack 1000 adsn 1 ooo none
          2ms < 1000:2000 tpsn 8
          2ms > readable 2000
          2ms > ack 3000 adsn 0 ooo yes
          3ms < 0:1000 tpsn 10
          3ms > ack 3000 adsn 1 ooo none
    ",
    );
}

/// D5: for a while after the bit of the receiver's, a loss is repaired and nothing is cut.
#[test]
fn after_disorder_congestion_control_holds_still() {
    for (detector, base) in [("both", "5000"), ("receiver", "5000"), ("sender", "2480")] {
        check(
            "door",
            &format!(
                "
            set initial_window_segments 4
            set door_response disable
            set door_detector {detector}
              0ms write 6944
              0ms > 0:992 992:1984 1984:2976 2976:3968
            100ms < ack 1984
            100ms > 3968:4960 4960:5952 5952:6944
            110ms < ack 1984 adsn 1 ooo
            111ms < ack 1984 adsn 2
            112ms < ack 1984 adsn 3
            112ms > 1984:2976
            112ms = base {base}
        "
            ),
        );
    }
}

/// The recovery of such a loss leaves the window alone to its end.
#[test]
fn a_recovery_without_a_cut_ends_without_one() {
    for (threshold, ssthresh) in [("false", "inf"), ("true", "4000")] {
        check(
            "door",
            &format!(
                "
            set initial_window_segments 4
            set window_limit_segments 4
            set threshold_starts_at_offer {threshold}
            set door_response disable
            set door_disable_srtt 0.5
              0ms write 5952
              0ms > 0:992 992:1984 1984:2976 2976:3968
            100ms < ack 1984 ooo
            100ms > 3968:4960 4960:5952
            101ms < ack 1984 adsn 1
            102ms < ack 1984 adsn 2
            103ms < ack 1984 adsn 3
            103ms > 1984:2976
            103ms = base 4000 ssthresh {ssthresh}
            300ms < ack 5952
            300ms = cwnd 4000 ssthresh {ssthresh}
        "
            ),
        );
    }
}
