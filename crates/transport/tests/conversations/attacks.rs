//! Segments of somebody who sees nothing and guesses (RFC 5961), and peers that do not agree.

use hopwright_machine::{Machine as _, Time};
use hopwright_transport::{Connection, Input, Output, Params, Role, protocol};
use hopwright_wire::tcp::{Flags, Options, Segment, Seq};

use hopwright_converse::check;

/// §3.2: believed only where it is exactly in order. §7: not every guess is answered.
#[test]
fn resets_in_the_window_are_questioned_ten_times_a_second() {
    let mut script = String::new();
    for i in 1..=12 {
        script += &format!("{i}ms < rst {}\n", i * 5000);
        if i <= 10 {
            script += &format!("{i}ms > ack 0\n");
        }
    }
    script += "2s < rst 9\n 2s > ack 0\n 3s < rst 64001\n 3s < raw R seq -1\n 3s = state Established";
    check("newreno", &script);
}

/// §4.2: wherever it lies.
#[test]
fn syns_are_questioned() {
    check(
        "newreno",
        "
        set challenge_acks_per_s 3
          0ms < raw S seq 500
          0ms > ack 0
          1ms < raw S seq 1000000
          1ms > ack 0
          2ms < raw SA seq -50 ack 0
          2ms > ack 0
          3ms < raw S seq 600
          3ms = state Established
    ",
    );
}

/// §5.2: SND.UNA - MAX.SND.WND <= SEG.ACK <= SND.NXT.
#[test]
fn data_with_an_impossible_acknowledgement_is_not_taken() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
        100ms < syn-ack win 1000
        100ms > established
        100ms > ack 0
        100ms write 3500
        100ms > 0:1000
        200ms < ack 1000
        200ms > 1000:2000
        300ms < ack 2000
        300ms > 2000:3000
        400ms < ack 3000
        400ms > 3000:3500
        401ms < raw A seq 0 ack 3501 len 10
        401ms > ack 0
        402ms < raw A seq 0 ack 1999 len 10
        402ms > ack 0
        403ms < raw A seq 0 ack 2000000000 len 10
        403ms > ack 0
        404ms < raw A seq 0 ack 2000 len 10
        404ms > readable 10
        404ms > ack 10
        405ms = delivered 10 flight 500
    ",
    );
}

/// What came first stays, in order or not.
#[test]
fn later_bytes_never_replace_earlier_ones() {
    check(
        "newreno",
        "
        set explicit_read true
          0ms < raw A seq 2 text cd
          0ms > ack 0
          1ms < raw A seq 1 text XYZ
          1ms > ack 0
          2ms < raw A seq 0 text a1234f
          2ms > readable 6
          2ms > ack 6
          3ms < raw A seq 4 text 56g
          3ms > readable 1
          3ms > ack 7
          3ms = received aXcd4fg readable 7
    ",
    );
}

#[test]
fn nothing_beyond_the_window_is_kept() {
    check(
        "newreno",
        "
        set explicit_read true
        set receive_buffer_bytes 4
          0ms < raw A seq 2 text cdefgh
          0ms > ack 0
          1ms < raw A seq 4 text ef
          1ms > ack 0
          2ms < raw A seq 0 text ab
          2ms > readable 4
          2ms > ack 4 win 0
          2ms = received abcd
    ",
    );
}

/// What lies behind the end does not come before it.
#[test]
fn a_second_end_of_the_stream_is_ignored() {
    check(
        "newreno",
        "
          0ms < fin 500
          0ms > ack 0
          1ms < raw A seq 400 len 200
          1ms > ack 0
          2ms < raw FA seq 450
          3ms < 0:400
          3ms > readable 500
          3ms > peer-closed
          3ms > ack 501
          4ms < raw A seq 501 len 10
          4ms > ack 501
          4ms = delivered 500 state CloseWait
    ",
    );
}

fn open_with(iss: u32, peer: u32) -> Connection {
    let recipe = protocol("newreno").unwrap().recipe;
    let mut end = Connection::new(&recipe, &Params::default(), Role::Active, 1, 2, Seq(iss));
    end.handle(Time::ZERO, Input::Open);
    let answer = Segment {
        source_port: 2,
        destination_port: 1,
        seq: Seq(peer),
        ack: Seq(iss + 1),
        flags: Flags::SYN.with(Flags::ACK),
        window: 1000,
        urgent: 0,
        options: Options::default(),
        payload_bytes: 0,
        ecn: hopwright_wire::ip::Ecn::NotCapable,
    };
    end.handle(Time::ZERO, Input::Segment { segment: &answer, data: &[] });
    end
}

/// Each answers what it cannot accept with what the other cannot accept.
#[test]
fn two_ends_that_disagree_fall_silent() {
    for (a, b) in [(1_000, 900_000_000), (3_000_000_000, 5)] {
        let mut ends = [open_with(50_000, a), open_with(80_000_000, b)];
        let mut answers = 0;
        let mut now = 0;
        loop {
            let mut is_silent = true;
            for index in [0, 1] {
                while let Some(output) = ends[index].poll() {
                    let Output::Segment(segment) = output else { continue };
                    if segment.flags == Flags::ACK {
                        (is_silent, answers, now) = (false, answers + 1, now + 1_000_000);
                        let input = Input::Segment { segment: &segment, data: &[] };
                        ends[1 - index].handle(Time::from_nanos(now), input);
                    }
                }
            }
            if is_silent {
                break;
            }
            assert!(answers < 100, "they will never stop");
        }
        assert!(answers > 10, "they agreed after {answers}");
    }
}
