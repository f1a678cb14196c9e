//! Slow growth of the window: SS, SCA and both (Papanastasiou 2006 §4.3, §4.5.2).

use hopwright_converse::check;

#[test]
fn in_slow_start_one_acknowledgement_in_k_plus_one_adds_a_segment() {
    for (protocol, slot) in [("ss-reno", ""), ("ssca-reno", ""), ("newreno", "slot startup slow")] {
        check(
            protocol,
            &format!(
                "
            {slot}
            set k 2
            set initial_window_segments 6
              0ms write 6000
              0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
            100ms < ack 1000
            100ms = cwnd 7000
            100ms < ack 2000 3000
            100ms = cwnd 7000
            100ms < ack 4000
            100ms = cwnd 8000
            100ms < ack 5000 6000
            100ms = cwnd 8000
        "
            ),
        );
    }
}

/// P §4.3.3 tried different parameters for the two phases.
#[test]
fn slow_start_may_have_a_parameter_of_its_own() {
    check(
        "ssca-reno",
        "
        set k 2
        set ss_k 1
        set initial_window_segments 4
          0ms write 4000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000
        100ms = cwnd 5000
        100ms < ack 2000
        100ms = cwnd 5000
        100ms < ack 3000
        100ms = cwnd 6000
    ",
    );
    check(
        "ssca-reno",
        &format!(
            "
        set k 1
        set ss_k 5
        {AFTER_A_LOSS}
        300ms < ack 9000
        300ms > 12000:13000
        300ms = cwnd 4250
        300ms < ack 10000
        300ms > 13000:14000
        300ms = cwnd 4250
        300ms < ack 11000
        300ms = cwnd 4485
    "
        ),
    );
}

#[test]
fn sca_starts_up_as_reno_does() {
    check(
        "sca-reno",
        "
        set initial_window_segments 3
          0ms write 3000
          0ms > 0:1000 1000:2000 2000:3000
        100ms < ack 1000 2000 3000
        100ms = cwnd 6000 phase SlowStart
    ",
    );
}

/// Eight segments in flight, the first lost: afterwards the window is at the threshold of 4000.
const AFTER_A_LOSS: &str = "
    set initial_window_segments 8
      0ms write 14000
      0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000
    100ms < ack 0 0 0
    100ms > 0:1000
    200ms < ack 8000
    200ms > 8000:9000 9000:10000 10000:11000 11000:12000
    200ms = cwnd 4000 phase CongestionAvoidance
";

#[test]
fn in_avoidance_one_acknowledgement_in_k_plus_one_adds_its_share() {
    for protocol in ["sca-reno", "ssca-reno"] {
        check(
            protocol,
            &format!(
                "
            set k 2
            {AFTER_A_LOSS}
            300ms < ack 9000
            300ms > 12000:13000
            300ms = cwnd 4250
            300ms < ack 10000
            300ms > 13000:14000
            300ms < ack 11000
            300ms = cwnd 4250
            300ms < ack 12000
            300ms = cwnd 4485
            300ms < ack 13000 14000
            300ms = cwnd 4485
        "
            ),
        );
    }
}

#[test]
fn k_of_zero_is_reno() {
    for protocol in ["sca-reno", "ssca-reno", "reno"] {
        check(
            protocol,
            &format!(
                "
            set k 0
            {AFTER_A_LOSS}
            300ms < ack 9000
            300ms > 12000:13000
            300ms < ack 10000
            300ms > 13000:14000
            300ms < ack 11000 12000
            300ms = cwnd 4921
        "
            ),
        );
    }
}

#[test]
fn adaptive_sca_follows_the_route() {
    check(
        "adaptive-sca",
        &format!(
            "
        {AFTER_A_LOSS}
        201ms hops 3
        300ms < ack 9000
        300ms > 12000:13000
        300ms < ack 10000
        300ms > 13000:14000
        300ms = cwnd 4485
        301ms hops 4
        302ms < ack 11000
        302ms = cwnd 4708
        302ms < ack 12000 13000
        302ms = cwnd 4708
        303ms hops 2
        304ms < ack 14000
        304ms = cwnd 4921
    "
        ),
    );
}
