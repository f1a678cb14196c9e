//! Fewer acknowledgements: DAA, every so manieth segment, tuned, polled; and timers that beat.

use core::fmt::Write as _;

use hopwright_converse::check;

/// Segments of 1000 bytes from the `first` on, one every `gap_ms`; an acknowledgement is expected after each of
/// `answered`, at once.
fn steady(first: u32, count: u32, gap_ms: u32, answered: &[u32]) -> String {
    let mut script = String::new();
    for n in 0..count {
        let (at, start) = (n * gap_ms, (first + n - 1) * 1000);
        let end = start + 1000;
        let _ = writeln!(script, "{at}ms < {start}:{end}\n{at}ms > readable 1000");
        if answered.contains(&(first + n)) {
            let _ = writeln!(script, "{at}ms > ack {end}");
        }
    }
    script
}

#[test]
fn daa_grows_by_a_segment_once_it_has_reached_four() {
    // Four are reached with the first 21 segments; number 22 is early, which resets to two; then 20 in order.
    let first = steady(1, 21, 10, &[2, 4, 6, 8, 11, 14, 17, 21]);
    let mut script = format!(
        "role passive\nslot acking daa\n{first}
        210ms < 22000:23000
        210ms > ack 21000
        220ms < 21000:22000
        220ms > readable 2000
        220ms > ack 23000\n"
    );
    for n in 1..=20 {
        let (at, start) = (220 + n * 10, 22_000 + n * 1000);
        let _ = writeln!(script, "{at}ms < {start}:{}\n{at}ms > readable 1000", start + 1000);
        if [2, 5, 9, 13, 17].contains(&n) {
            let _ = writeln!(script, "{at}ms > ack {}", start + 1000);
        }
    }
    script += "442ms > ack 43000 within 1ms\n"; // 2.2 gaps after the last
    check("newreno", &script);
}

#[test]
fn daa_grows_slowly_before() {
    let script = steady(1, 21, 10, &[2, 4, 6, 8, 11, 14, 17, 21]);
    check("newreno", &format!("role passive\nslot acking daa\n{script}"));
}

#[test]
fn daa_may_start_with_one_segment() {
    let script = steady(1, 9, 10, &[1, 2, 3, 4, 6, 8]); // 1, 1.3, 1.6, 1.9, 2.2, 2.5
    check(
        "newreno",
        &format!("role passive\nslot acking daa\nset daa_start_segments 1\n{script}102ms > ack 9000 within 1ms"),
    );
}

#[test]
fn daa_answers_what_is_out_of_order_at_once_and_begins_anew_with_two() {
    let first = steady(1, 24, 10, &[2, 4, 6, 8, 11, 14, 17, 21]); // three of four wait
    check(
        "newreno",
        &format!(
            "
        role passive
        slot acking daa
        {first}
        235ms < 25000:26000
        235ms > ack 24000
        240ms < 24000:25000
        240ms > readable 2000
        240ms > ack 26000
        250ms < 26000:27000
        250ms > readable 1000
        260ms < 27000:28000
        260ms > readable 1000
        260ms > ack 28000
    "
        ),
    );
}

#[test]
fn the_wait_of_daa_ends_at_a_tick() {
    // Gaps of 25 ms: a wait of 55 ms.
    for (granularity, at) in [("set granularity_mode exact", 105), ("set granularity_mode heartbeat", 200)] {
        let script = steady(1, 3, 25, &[2]);
        check(
            "newreno",
            &format!("role passive\nslot acking daa\n{granularity}\nset granularity_ms 200\n{script}{at}ms > ack 3000"),
        );
    }
}

#[test]
fn a_time_out_of_daa_takes_it_back_to_two() {
    let first = steady(1, 22, 10, &[2, 4, 6, 8, 11, 14, 17, 21]);
    check(
        "newreno",
        &format!(
            "
        role passive
        slot acking daa
        {first}
        232ms > ack 22000
        240ms < 22000:23000
        240ms > readable 1000
        250ms < 23000:24000
        250ms > readable 1000
        250ms > ack 24000
    "
        ),
    );
}

#[test]
fn the_sender_of_daa_keeps_four_segments_at_most() {
    check(
        "daa",
        "
        set initial_window_segments 6
          0ms write 100000
          0ms > 0:1000 1000:2000 2000:3000 3000:4000
          0ms = cwnd 4000
        100ms < ack 4000
        100ms > 4000:5000 5000:6000 6000:7000 7000:8000
        100ms = cwnd 4000 flight 4000
    ",
    );
}

#[test]
fn an_rto_factor_stretches_the_time_out() {
    for (factor, rto) in [("1", "300ms"), ("5", "1500ms")] {
        check("newreno", &format!("set rto_factor {factor}\n 0ms = rto {rto}"));
    }
}

#[test]
fn delayed_acknowledgements_wait_exactly_or_for_a_tick() {
    for granularity in ["set granularity_mode exact", "set granularity_mode heartbeat\nset granularity_ms 200"] {
        check(
            "newreno",
            &format!(
                "
            role passive
            slot acking delayed
            set delayed_ack_ms 100
            {granularity}
              0ms < 0:1000
              0ms > readable 1000
             30ms < 1000:2000
             30ms > readable 1000
             30ms > ack 2000
            500ms < 2000:3000
            500ms > readable 1000
            600ms > ack 3000
        "
            ),
        );
    }
}

#[test]
fn every_so_manieth_segment_or_after_the_delay() {
    check(
        "newreno",
        "
        role passive
        slot acking every-k
        set ack_every_segments 4
        set delayed_ack_ms 100
          0ms < 0:1000 1000:2000 2000:3000 3000:4000
          0ms > readable 1000 readable 1000 readable 1000 readable 1000
          0ms > ack 4000
         10ms < 4000:5000
         10ms > readable 1000
         90ms < 5000:6000
         90ms > readable 1000
        110ms > ack 6000
        200ms < 7000:8000
        200ms > ack 6000
        210ms < 6000:7000
        210ms > readable 2000
        210ms > ack 8000
        220ms < 7000:8000
        220ms > ack 8000
    ",
    );
}

#[test]
fn altman_and_jimenez_begin_with_every_segment() {
    let script = steady(1, 20, 5, &[1, 3, 6, 10, 14, 18]);
    check("newreno", &format!("role passive\nslot acking altman-jimenez\n{script}190ms > ack 20000"));
}

#[test]
fn a_tuned_sender_asks_for_a_part_of_its_round_trip() {
    check(
        "newreno",
        "
        slot acking tuned
        set tuned_acks_per_rtt 4
          0ms write 3000
          0ms > 0:988 period 25000 988:1976 period 25000
        100ms < ack 988
        100ms > 1976:2964 period 25000 2964:3000 period 25000
        300ms < ack 3000
    ",
    );
}

/// Vector X10: with a round trip of 200 ms one acknowledgement is asked for each 50 ms, and of data that come for a second
/// 20 leave, 50 ms apart.
#[test]
fn four_tuned_acknowledgements_leave_in_a_round_trip() {
    check(
        "newreno",
        "
        slot acking tuned
          0ms open
          0ms > syn+options
        200ms < syn-ack
        200ms > established ack 0
        200ms write 988
        200ms > 0:988 period 50000
    ",
    );
    let mut script = String::from("role passive\nslot acking tuned\n");
    for n in 0..20 {
        let data = |at| format!("{at}ms < {}:{} period 50000\n{at}ms > readable 1000\n", 100 * at, 100 * at + 1000);
        let at = 50 * n;
        let (first, others) = (data(at), [10, 20, 30, 40].map(|after| data(at + after)).concat());
        script += &match n {
            0 => format!("{first}0ms > ack 1000\n{others}"),
            _ => format!("{at}ms > ack {}\n{first}{others}", 100 * at),
        };
    }
    check(
        "newreno",
        &format!("{script}999ms = delivered 100000\n1000ms > ack 100000 ack 100000 ack 100000 within 100ms"),
    );
}

#[test]
fn before_a_round_trip_is_known_a_tuned_sender_asks_for_the_initial_period() {
    check(
        "newreno",
        "
        slot acking tuned
        set tuned_initial_ms 40
          0ms open
          0ms > syn+options
          0ms write 100
       1000ms > syn+options within 100ms
       1500ms < syn-ack
       1500ms > established ack 0
       1500ms > 0:100 period 40000
    ",
    );
}

/// RFC 5681 §4.2: no acknowledgement later than 500 ms, whatever the round trip.
#[test]
fn a_tuned_sender_asks_for_half_a_second_at_most() {
    check(
        "newreno",
        "
        slot acking tuned
        set tuned_acks_per_rtt 2
        set initial_rto_ms 5000
          0ms open
          0ms > syn+options
          0ms write 100
       1500ms < syn-ack
       1500ms > established ack 0
       1500ms > 0:100 period 500000
    ",
    );
}

#[test]
fn a_tuned_receiver_answers_once_per_period_whatever_arrives() {
    check(
        "newreno",
        "
        role passive
        slot acking tuned
          0ms < 0:1000 period 50000
          0ms > readable 1000
          0ms > ack 1000
         10ms < 1000:2000 2000:3000 4000:5000 period 50000
         10ms > readable 1000 readable 1000
         50ms > ack 3000
         60ms < 5000:6000 6000:7000 period 50000
        100ms > ack 3000
        110ms < 3000:4000 period 50000
        110ms > readable 4000
        150ms > ack 7000
        200ms > ack 7000
        250ms > ack 7000
        900ms < 7000:8000 period 20000
        900ms > readable 1000
        900ms > ack 8000
        920ms > ack 8000
        940ms > ack 8000
       2000ms = delivered 8000
    ",
    );
}

#[test]
fn a_tuned_receiver_need_not_repeat_itself() {
    check(
        "newreno",
        "
        role passive
        slot acking tuned
        set tuned_repeats 0
          0ms < 0:1000 period 50000
          0ms > readable 1000
          0ms > ack 1000
         10ms < 1000:2000 period 50000
         10ms > readable 1000
         50ms > ack 2000
    ",
    );
}

#[test]
fn a_tuned_receiver_falls_silent_with_the_stream() {
    check(
        "newreno",
        "
        role passive
        slot acking tuned
          0ms < 0:1000 period 50000
          0ms > readable 1000
          0ms > ack 1000
         10ms < fin 1000
         10ms > peer-closed ack 1001
        500ms = state CloseWait
    ",
    );
}

#[test]
fn a_polled_receiver_answers_polls_only() {
    check(
        "newreno",
        "
        role passive
        slot acking polled
          0ms < 0:1000 poll
          0ms > readable 1000
          0ms > ack 1000
          1ms < 1000:2000 2000:3000 3000:4000
          1ms > readable 1000 readable 1000 readable 1000
        900ms < 4000:5000 poll
        900ms > readable 1000
        900ms > ack 5000
        910ms < 4000:5000
        910ms > ack 5000
    ",
    );
}

/// What a peer that polls sends again is a poll. From one that does not, whose mechanism is another, each segment would
/// wait for its retransmission timer, until a poll comes.
#[test]
fn a_polled_receiver_answers_all_that_a_peer_sends_which_polls_no_more() {
    check(
        "newreno",
        "
        role passive
        slot acking polled
          0ms < 0:1000 poll
          0ms > readable 1000
          0ms > ack 1000
          1s < 0:1000
          1s > ack 1000
          2s < 0:1000
          2s > ack 1000
          3s < 1000:2000
          3s > readable 1000
          4s < 1000:2000
          4s > ack 2000
          5s < 2000:3000
          5s > readable 1000
          5s > ack 3000
          6s < 3000:4000 poll
          6s > readable 1000
          6s > ack 4000
          7s < 4000:5000
          7s > readable 1000
    ",
    );
}

/// Segments of 988 bytes from the `first` on that leave together, the first of which asks for an acknowledgement.
fn polling(first: u32, count: u32) -> String {
    let segment = |n| format!("{}:{} poll {}", 988 * n, 988 * (n + 1), if n == first { "asked" } else { "none" });
    (first..first + count).map(segment).collect::<Vec<_>>().join(" ")
}

/// Vector X11: of 50 segments in a round trip, of which none is lost, one asks for an acknowledgement, and one is
/// acknowledged. When the tenth is lost, and three come after it, one acknowledgement leaves after the third.
#[test]
fn one_polled_acknowledgement_leaves_in_a_round_trip() {
    let (first, second, third) = (polling(0, 50), polling(50, 50), polling(100, 50));
    check(
        "newreno",
        &format!(
            "
        slot acking polled
        set initial_window_segments 50
        set cwnd_limit_segments 50
          0ms write 1000000
          0ms > {first}
        100ms < ack 49400
        100ms > {second}
        200ms < ack 98800
        200ms > {third}
    "
        ),
    );
    let mut script = String::from("role passive\nslot acking polled\n");
    for n in 0..100 {
        let (at, start, polls) = (2 * n, 1000 * n, n % 50 == 0);
        let poll = if polls { " poll" } else { "" };
        let _ = writeln!(script, "{at}ms < {start}:{}{poll}\n{at}ms > readable 1000", start + 1000);
        if polls {
            let _ = writeln!(script, "{at}ms > ack {}", start + 1000);
        }
    }
    check("newreno", &script);
    let until_the_ninth = steady(1, 9, 2, &[]);
    check(
        "newreno",
        &format!(
            "
        role passive
        slot acking polled
        {until_the_ninth}
        20ms < 10000:11000
        22ms < 11000:12000
        24ms < 12000:13000
        24ms > ack 9000
    "
        ),
    );
}

#[test]
fn a_polled_receiver_tells_of_three_segments_out_of_order() {
    check(
        "newreno",
        "
        role passive
        slot acking polled
          0ms < 1000:2000 2000:3000
          1ms < 3000:4000
          1ms > ack 0
          2ms < 4000:5000 5000:6000
          3ms < 6000:7000
          3ms > ack 0
          4ms < 0:1000
          4ms > readable 7000
          4ms > ack 7000
    ",
    );
}

#[test]
fn a_polled_sender_marks_one_segment_per_round_trip_and_the_last() {
    check(
        "newreno",
        "
        slot acking polled
        set initial_window_segments 4
          0ms write 6916
          0ms > 0:988 poll asked 988:1976 poll none 1976:2964 poll none 2964:3952 poll none
        100ms < ack 988
        100ms > 3952:4940 poll asked 4940:5928 poll none
        200ms < ack 4940
        200ms > 5928:6916 poll asked
        300ms < ack 6916
    ",
    );
}

#[test]
fn a_polled_sender_asks_again_when_a_poll_was_lost_and_with_all_that_it_repeats() {
    check(
        "newreno",
        "
        slot acking polled
        set initial_window_segments 2
          0ms write 1976
          0ms > 0:988 poll asked 988:1976 poll asked
        300ms > 0:988 poll asked
        350ms < ack 988
        350ms > 988:1976 poll asked
        400ms < ack 1976
    ",
    );
    check(
        "newreno",
        "
        slot acking polled
        set initial_window_segments 8
          0ms write 988
          0ms > 0:988 poll asked
         10ms write 9880
         10ms > 988:1976 poll none 1976:2964 poll none 2964:3952 poll none 3952:4940 poll none 4940:5928 poll none 5928:6916 poll none 6916:7904 poll none
        150ms < ack 0 0 0
        150ms > 0:988 poll asked
    ",
    );
}

/// An application that reads while a gap is open: does the offer change between duplicates?
fn reads_while_a_gap_is_open(hold: bool, offer: u32) -> String {
    format!(
        "
        role passive
        set explicit_read true
        set receive_buffer_bytes 10000
        set ack_rwnd_hold {hold}
          0ms < 0:1000 1000:2000
          0ms > readable 1000 ack 1000 win 9000 readable 1000 ack 2000 win 8000
          1ms < 3000:4000
          1ms > ack 2000 win 8000
          2ms read 2000
          3ms < 4000:5000
          3ms > ack 2000 win {offer}
          4ms < 2000:3000
          4ms > readable 3000 ack 5000 win 7000
        "
    )
}

#[test]
fn the_offer_can_be_held_while_duplicates_are_counted() {
    check("newreno", &reads_while_a_gap_is_open(false, 10_000));
    check("newreno", &reads_while_a_gap_is_open(true, 8000));
}

#[test]
fn only_duplicates_with_the_same_offer_count() {
    for (offers, is_loss) in [([8000, 9000, 10_000], false), ([64_000, 64_000, 64_000], true)] {
        let mut script = String::from(
            "set initial_window_segments 4\n 0ms write 4000\n 0ms > 0:1000 1000:2000 2000:3000 3000:4000\n",
        );
        for offer in offers {
            let _ = writeln!(script, "100ms < ack 0 win {offer}");
        }
        script += if is_loss { "100ms > 0:1000\n" } else { "100ms = retransmissions 0\n" };
        check("newreno", &script);
    }
}
