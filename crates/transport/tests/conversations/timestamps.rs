//! Timestamps (RFC 7323 §3, §4, §5). Ours show 1000 at the script's zero, in milliseconds.

use hopwright_converse::check;

#[test]
fn both_ends_agree_on_the_syn_and_every_segment_makes_room() {
    check(
        "newreno",
        "
        set timestamps true
          0ms open
          0ms > syn+options ts 1000 ecr 0
        100ms < syn-ack ts 500
        100ms > established
        100ms > ack 0 ts 1100 ecr 500
        100ms = mss 988
        100ms write 10000
        100ms > 0:988 ts 1100 ecr 500 988:1976 ts 1100 ecr 500
        200ms < ack 988 ts 550
        200ms > 1976:2964 ts 1200 ecr 550 2964:3952
    ",
    );
}

#[test]
fn the_answer_carries_one_only_if_the_syn_did() {
    for (syn, mss) in [("syn", 988), ("syn no-ts", 1000)] {
        check(
            "newreno",
            &format!(
                "
            role passive
            set timestamps true
              0ms open
              0ms < {syn}
              0ms > syn-ack
              1ms = mss {mss}
        "
            ),
        );
    }
}

#[test]
fn a_peer_without_options_gets_none() {
    check(
        "newreno",
        "
        peer bare
        set timestamps true
        set selective_acks true
          0ms write 1000
          0ms > 0:536 536:1000
         10ms < 1000:2000
         10ms > ack 0
         20ms = mss 536
    ",
    );
}

/// RFC 7323 §4.1: the echo tells which transmission was acknowledged; without it, Karn's rule.
#[test]
fn a_resent_segment_is_timed_by_its_echo() {
    for (echo, srtt, rto) in
        [(1300, "93ms", "293ms"), (1000, "131ms", "531ms"), (1351, "100ms", "600ms"), (899, "100ms", "600ms")]
    {
        check(
            "newreno",
            &format!(
                "
            set timestamps true
              0ms write 500
              0ms > 0:500
            300ms > 0:500
            350ms < ack 500 ecr {echo}
            350ms = srtt {srtt} rto {rto}
        "
            ),
        );
    }
}

/// RFC 7323 §4.3: the echo is of the segment that the last acknowledgement waited for.
#[test]
fn what_is_echoed_is_the_oldest_unacknowledged() {
    check(
        "newreno",
        "
        role passive
        slot acking delayed
        set timestamps true
          0ms < 0:988 ts 600
          0ms > readable 988
         50ms < 988:1976 ts 650
         50ms > readable 988
         50ms > ack 1976 ecr 600
         60ms < 2964:3952 ts 660
         60ms > ack 1976 ecr 600
         70ms < 1976:2964 ts 670
         70ms > readable 1976
         70ms > ack 3952 ecr 670
    ",
    );
}

/// RFC 7323 §5.3 R1; §5.2: resets are exempt.
#[test]
fn old_timestamps_are_answered_and_dropped() {
    check(
        "newreno",
        "
        role passive
        set timestamps true
          0ms < 0:1000 ts 600
          0ms > readable 1000
          0ms > ack 1000 ecr 600
          1ms < raw A seq 1000 len 1000 ts 599
          1ms > ack 1000 ecr 600
          1ms < raw A seq 500 len 1000 ts 599
          1ms > ack 1000 ecr 600
          1ms = delivered 1000
          2ms < raw A seq 1000 len 1000 ts 2147484247
          2ms > readable 1000
          2ms > ack 2000 ecr 2147484247
          3ms < raw R seq 2000 ts 7
          3ms > reset
    ",
    );
}

/// RFC 7323 §5.5.
#[test]
fn after_twenty_four_days_any_timestamp_is_new() {
    check(
        "newreno",
        "
        role passive
        set timestamps true
          0ms < 0:1000 ts 600
          0ms > readable 1000
          0ms > ack 1000
    2073600s < raw A seq 1000 len 1000 ts 5
    2073600s > ack 1000 ecr 600
    2073601s < raw A seq 1000 len 1000 ts 5
    2073601s > readable 1000
    2073601s > ack 2000 ecr 5
    ",
    );
}

/// RFC 7323 §3.2.
#[test]
fn a_segment_without_one_is_dropped_unless_it_is_a_reset() {
    check(
        "newreno",
        "
        set timestamps true
          0ms < raw A seq 0 len 10 no-ts
          1ms < raw S seq 0 no-ts
          1ms > ack 0
          2ms < raw R seq 0 no-ts
          2ms > reset
    ",
    );
}

/// A stranger's timestamp does not count before its acknowledgement does.
#[test]
fn a_blind_segment_does_not_poison_the_echo() {
    check(
        "newreno",
        "
        set timestamps true
          0ms < raw A seq 0 ack 9000 len 10 ts 100000
          0ms > ack 0 ecr 500
          1ms < 0:10 ts 501
          1ms > readable 10
          1ms > ack 10 ecr 501
    ",
    );
}
