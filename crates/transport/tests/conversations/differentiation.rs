//! Why segments are lost, and what that costs: ELN, Biaz and Vaidya's classifier, Westwood, Veno, TCP-WELCOME.

use hopwright_converse::check;

/// E1, E2.
#[test]
fn a_notice_repairs_the_hole_once_and_costs_nothing() {
    check(
        "eln",
        "
        set initial_window_segments 6
          0ms write 6000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 0 eln
        100ms > 0:1000
        100ms = cwnd 6000 channel 1 congestion 0 phase SlowStart
        101ms < ack 0 eln
        102ms < ack 0 0 0 eln
        102ms = cwnd 6000 channel 1 retransmissions 1 phase SlowStart
        200ms < ack 6000
        200ms = retransmissions 1 timeouts 0
    ",
    );
}

#[test]
fn every_hole_is_repaired_once() {
    check(
        "eln",
        "
        set initial_window_segments 6
          0ms write 6000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 0 0 eln
        100ms > 0:1000
        200ms < ack 2000
        210ms < ack 2000 2000 eln
        210ms > 2000:3000
        300ms < ack 6000
        300ms = retransmissions 2 channel 2 congestion 0
    ",
    );
}

/// E3.
#[test]
fn without_notices_it_is_newreno() {
    for slots in ["", "slot detection duplicate-acks"] {
        check(
            "eln",
            &format!(
                "
        set initial_window_segments 6
        {slots}
          0ms write 6000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 0 0
        100ms = phase SlowStart
        101ms < ack 0
        101ms > 0:1000
        101ms = ssthresh 3000 cwnd 6000 phase Recovery congestion 1 channel 0
    "
            ),
        );
    }
}

/// The classifiers' way: the usual detection, and a diagnosis by the notice.
#[test]
fn noticed_losses_are_spared_in_recovery_and_after_it() {
    check(
        "newreno",
        "
        slot diagnosis biaz-vaidya
        slot response spare
        set initial_window_segments 6
          0ms write 100000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 0 0 0 eln
        100ms > 0:1000 6000:7000 7000:8000 8000:9000
        100ms = base 6000 phase Recovery channel 1 congestion 0
        200ms < ack 9000
        200ms > 9000:10000 10000:11000 11000:12000 12000:13000 13000:14000 14000:15000
        200ms = base 6000 cwnd 6000 phase SlowStart
    ",
    );
}

#[test]
fn a_receiver_tells_of_damage() {
    check(
        "eln",
        "
        role passive
          0ms corrupted 0
          0ms < 1000:2000
          0ms > ack 0 eln yes
          1ms < 2000:3000
          1ms > ack 0 eln yes
          2ms < 0:1000
          2ms > readable 3000 ack 3000 eln none
          3ms < 4000:5000
          3ms > ack 3000 eln none
          4ms corrupted 3000
          5ms < 5000:6000
          5ms > ack 3000 eln yes
    ",
    );
}

#[test]
fn damage_behind_another_gap_waits_for_its_turn() {
    check(
        "eln",
        "
        role passive
          0ms corrupted 2000
          0ms < 1000:2000
          0ms > ack 0 eln none
          1ms < 3000:4000
          1ms > ack 0 eln none
          2ms < 0:1000
          2ms > readable 2000 ack 2000 eln yes
    ",
    );
}

#[test]
fn a_receiver_without_the_mechanism_does_not_care() {
    check(
        "newreno",
        "
        role passive
          0ms corrupted 0
          0ms < 1000:2000
          0ms > ack 0 eln none
    ",
    );
}

#[test]
fn a_receiver_times_arrivals() {
    check(
        "newreno",
        "
        role passive
        slot diagnosis biaz-vaidya
          0ms < 0:1000
          0ms > readable 1000 ack 1000
         10ms < 1000:2000
         10ms > readable 1000 ack 2000
         35ms < 3000:4000
         35ms > ack 2000 eln yes
         45ms < 5000:6000
         45ms > ack 2000 eln yes
         46ms < 2000:3000
         46ms > readable 2000 ack 4000 eln none
    ",
    );
}

#[test]
fn westwood_fits_the_window_to_the_path() {
    check(
        "westwood-plus",
        "
        set westwood_plus_filter linux
        set initial_window_segments 10
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        100ms < ack 1000
        100ms > 10000:11000 11000:12000
        150ms < ack 2000 3000 4000
        150ms > 12000:13000 13000:14000 14000:15000 15000:16000 16000:17000 17000:18000
        200ms < ack 5000
        200ms > 18000:19000 19000:20000
        201ms < ack 5000 5000
        202ms < ack 5000
        202ms > 5000:6000
        202ms = ssthresh 4000 base 4000 phase Recovery
    ",
    );
}

#[test]
fn westwood_starts_over_after_silence() {
    check(
        "westwood",
        "
        set initial_window_segments 4
          0ms write 4000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        300ms > 0:1000
        300ms = cwnd 1000 ssthresh 2000 timeouts 1
    ",
    );
}

/// The path of 100 ms holds nothing else, so that the backlog is zero.
#[test]
fn veno_is_gentle_without_a_queue() {
    for (diagnosis, ssthresh, new) in [("veno", 8000, "16000:17000"), ("blame-congestion", 5000, "")] {
        check(
            "veno",
            &format!(
                "
        set initial_window_segments 4
        slot diagnosis {diagnosis}
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000 2000 3000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000
        200ms < ack 4000 5000 6000
        200ms > 10000:11000 11000:12000 12000:13000 13000:14000 14000:15000 15000:16000
        201ms < ack 6000 6000 6000
        201ms > 6000:7000 {new}
        201ms = ssthresh {ssthresh} phase Recovery
    "
            ),
        );
    }
}

/// Silence after steady times: the route broke. Window and timer stay, and one segment probes.
#[test]
fn welcome_probes_a_broken_route() {
    check(
        "welcome",
        "
        set initial_window_segments 4
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000 2000 3000 4000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000 8000:9000 9000:10000 10000:11000 11000:12000
        100ms = rto 250ms
        350ms > 4000:5000
        350ms = cwnd 8000 rto 250ms timeouts 1 route 1 phase Rto
        600ms > 4000:5000
        600ms = cwnd 8000 rto 250ms timeouts 2 route 2 phase Rto
    ",
    );
}

/// Nothing else leaves while the probe is out, whatever the peer says about its window; then the rest does.
#[test]
fn welcome_probes_with_one_segment() {
    check(
        "welcome",
        "
        set initial_window_segments 4
          0ms write 8000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000 2000 3000 4000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000
        350ms > 4000:5000
        360ms < ack 4000 win 60000
        370ms close
        600ms > 4000:5000
        650ms < ack 5000
        650ms > 5000:6000 6000:7000 7000:8000+fin
        650ms = timeouts 2 route 2
    ",
    );
}

/// A loss that costs nothing does not make growth begin anew either: two acknowledgements before it and two after
/// it are a window.
#[test]
fn growth_goes_on_after_a_spared_loss() {
    check(
        "newreno",
        "
        slot avoidance byte-counting
        slot diagnosis welcome
        slot response spare
        set initial_window_segments 4
        set window_limit_segments 4
        set threshold_starts_at_offer true
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
        100ms < ack 1000 2000
        100ms > 4000:5000 5000:6000
        110ms < ack 2000 2000 2000
        110ms > 2000:3000 6000:7000 7000:8000 8000:9000
        110ms = channel 1 cwnd 7000
        200ms < ack 6000
        200ms > 9000:10000
        200ms = cwnd 4000
        210ms < ack 7000 8000
        210ms > 10000:11000 11000:12000 12000:13000
        210ms = cwnd 5000
    ",
    );
}

/// Duplicates after steady times are put down to the channel, and cost nothing (Ghaleb-Seddik 2009 §5.7.2), half, or
/// what the path was not measured to hold (figures 5.8 and 5.9): here all but the least, two segments.
#[test]
fn welcome_blames_the_channel_for_duplicates() {
    for (reading, base) in [("", 7000), ("keep", 7000), ("halve", 2500), ("minimum", 2000)] {
        let set = if reading.is_empty() { String::new() } else { format!("set welcome_on_channel {reading}") };
        check(
            "welcome",
            &format!(
                "
        {set}
        set initial_window_segments 6
          0ms write 6000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 1000
        110ms < ack 1000 1000 1000
        110ms > 1000:2000
        110ms = phase Recovery channel 1 congestion 0 base {base}
    "
            ),
        );
    }
}

/// Duplicates after growing times are put down to congestion: half, as with NewReno (§5.7.2), or another reading.
#[test]
fn welcome_answers_congestion_as_newreno_does() {
    for (reading, base) in [("", 4000), ("halve", 4000), ("minimum", 2000), ("restart", 1000)] {
        let set = if reading.is_empty() { String::new() } else { format!("set welcome_on_congestion {reading}") };
        check(
            "welcome",
            &format!(
                "
        {set}
        set welcome_growing_samples 0
        set initial_window_segments 6
          0ms write 1000000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000 4000:5000 5000:6000
        100ms < ack 6000
        100ms > 6000:7000 7000:8000 8000:9000 9000:10000 10000:11000 11000:12000 12000:13000
        300ms < ack 7000
        300ms > 13000:14000 14000:15000
        310ms < ack 7000 7000 7000
        310ms > 7000:8000
        310ms = phase Recovery channel 0 congestion 1 base {base}
    "
            ),
        );
    }
}
