//! Transports that keep a rate, in conversations: what a status makes STP send again, and what silence makes WTCP send.

use core::fmt::Write as _;

use hopwright_converse::check;

/// So many segments leave in a round trip; the first asks for a status, and the last if nothing more was written.
fn leave(count: u32, written: u32) -> String {
    let asks = |n| if n == 0 || 988 * (n + 1) == written { "asked" } else { "none" };
    let segments = (0..count).map(|n| format!("{}:{} poll {}", 988 * n, 988 * (n + 1), asks(n)));
    let segments = segments.collect::<Vec<_>>().join(" ");
    format!("set initial_window_segments {count}\n0ms write {written}\n0ms > {segments} within 99ms\n")
}

/// Vector S1: of segments 1 to 10 a status misses 4 and 7, which are sent again; the same status once more repeats none.
/// Vector S2: a status of what left after them still misses 4, which is sent again.
#[test]
fn a_status_makes_what_it_misses_be_sent_again_once() {
    check(
        "stp",
        &format!(
            "
        {}
        180ms < ack 2964 sack 3952:5928,6916:9880
        180ms > 2964:3952 5928:6916
        200ms < ack 2964 sack 3952:5928,6916:9880
        210ms write 988
        210ms > 9880:10868 poll asked within 2ms
        320ms < ack 2964 sack 3952:10868
        320ms > 2964:3952
        420ms < ack 10868
    ",
            leave(10, 9880)
        ),
    );
}

/// Vector S2: also where the poll leaves in the same instant as what is sent again, after it. Its status still misses 4,
/// which is sent again.
#[test]
fn a_status_tells_of_what_left_in_the_same_instant_before_the_poll() {
    check(
        "stp",
        "
        slot control window
        slot clocking self-clocked
        set initial_window_segments 10
          0ms write 10868
          0ms > 0:988 988:1976 1976:2964 2964:3952 3952:4940 4940:5928 5928:6916 6916:7904 7904:8892 8892:9880
        100ms < ack 2964 sack 3952:5928,6916:9880
        100ms > 2964:3952 5928:6916 9880:10868 poll asked
        200ms < ack 2964 sack 3952:10868
        200ms > 2964:3952
        300ms < ack 10868
    ",
    );
}

/// Vector S3: three segments came after the fourth was lost, which is told unasked: 4 is sent again before the poll at the end
/// is answered.
#[test]
fn what_is_told_unasked_is_sent_again_before_the_poll_is_answered() {
    check(
        "stp",
        &format!(
            "
        {}
        150ms < ack 2964 sack 3952:6916
        150ms > 2964:3952
        180ms < ack 2964 sack 3952:9880
        250ms < ack 9880
    ",
            leave(10, 9880)
        ),
    );
}

/// Vector S4: of 50 segments in a round trip one asks for a status, and one status leaves.
#[test]
fn one_status_leaves_in_a_round_trip() {
    check("stp", &leave(50, 1_000_000));
    let mut script = String::from("role passive\n");
    for n in 0..100 {
        let (at, start) = (2 * n, 1000 * n);
        let (poll, status) = if n % 50 == 0 { (" poll", format!("ack {}", start + 1000)) } else { ("", String::new()) };
        let _ = writeln!(script, "{at}ms < {start}:{}{poll}\n{at}ms > readable 1000 {status}", start + 1000);
    }
    check("stp", &script);
}

/// Vector W3: without an acknowledgement WTCP sends probes at one distance, and no data.
#[test]
fn silence_is_probed_without_data() {
    check(
        "wtcp",
        "
          0ms write 1000000
          0ms > 0:980 980:1960
        100ms < ack 1960
        100ms > 1960:2940 2940:3920 3920:4900 within 100ms
        300ms > probe 1960
        400ms > probe 1960
        500ms > probe 1960
        600ms > probe 1960
        700ms > probe 1960
    ",
    );
}
