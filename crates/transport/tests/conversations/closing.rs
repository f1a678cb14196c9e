//! Both at once, half at a time, and in the middle of things (RFC 9293 §3.5, §3.6, §3.10.4, §3.10.5).

use hopwright_converse::check;

/// §3.5, figure 8. The answer is acceptable although its number was used already.
#[test]
fn both_may_open_at_once() {
    check(
        "newreno",
        "
          0ms write 500
          0ms open
          0ms > syn+options
         10ms < syn
         10ms > syn-ack
         10ms = state SynReceived
         20ms < syn-ack
         20ms > established
         20ms > 0:500
         20ms = state Established mss 1000
    ",
    );
}

#[test]
fn of_two_crossing_answers_one_may_be_lost() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
         10ms < syn
         10ms > syn-ack
         20ms < ack 0
         20ms > established
         20ms = state Established
         30ms < syn-ack
         30ms > ack 0
    ",
    );
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
         10ms < syn
         10ms > syn-ack
        1010ms > syn-ack
        1020ms < syn-ack
        1020ms > established
        1020ms > ack 0
    ",
    );
}

/// §3.10.7.4: the one who opened is told; who waited goes on waiting.
#[test]
fn a_reset_while_both_open_is_a_refusal() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
         10ms < syn
         10ms > syn-ack
         20ms < rst
         20ms > reset
         20ms = state Closed
    ",
    );
}

/// §3.10.7.3.
#[test]
fn only_a_reset_that_knows_our_syn_refuses_it() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
          1ms < raw R seq -1
          2ms < raw RA seq 0 ack 7
          3ms < raw SA seq -1 ack 7
          3ms > rst seq 7
          4ms < raw A seq -1 ack 0
          4ms = state SynSent
          5ms < raw RA seq 0 ack 0
          5ms > reset
          5ms = state Closed
    ",
    );
}

/// §3.10.7.2: what comes with a SYN waits for the peer to send it again; what comes with its answer is taken.
#[test]
fn data_on_a_syn() {
    check(
        "newreno",
        "
        role passive
          0ms open
          0ms < raw S seq -1 len 10
          0ms > syn-ack
         10ms < raw A seq 10 ack 0
         10ms > established
         11ms < 0:10
         11ms > readable 10
         11ms > ack 10
    ",
    );
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
         10ms < raw SAF seq -1 len 10
         10ms > established
         10ms > readable 10
         10ms > peer-closed
         10ms > ack 11
         10ms = state CloseWait
    ",
    );
}

/// §3.10.7.4, in SYN-RECEIVED.
#[test]
fn a_half_open_end_believes_little() {
    check(
        "newreno",
        "
        role passive
          0ms open
          0ms < syn
          0ms > syn-ack
          1ms < ack 5
          1ms > rst seq 5
          2ms < raw R seq 5
          2ms > ack 0
          3ms < raw A seq -5 ack 0 len 3
          3ms > ack 0
          3ms = state SynReceived
          4ms < raw S seq 5
          4ms = state Listen
          5ms < syn
          5ms > syn-ack
    ",
    );
}

/// §3.10.4: in SYN-RECEIVED the FIN waits for the connection, elsewhere before it there is nothing to end.
#[test]
fn closing_before_it_is_open() {
    check(
        "newreno",
        "
        role passive
          0ms open
          0ms < syn
          0ms > syn-ack
          1ms write 10
          2ms close
          2ms = state SynReceived
         10ms < ack 0
         10ms > established
         10ms > 0:10+fin
         10ms = state FinWait1
    ",
    );
    check(
        "newreno",
        "
        role passive
          0ms open
          1ms close
          1ms > closed
          2ms < syn
          2ms > rst
    ",
    );
}

/// §3.10.5.
#[test]
fn giving_up_at_any_time() {
    let open = "0ms open\n 0ms > syn+options\n";
    let listen = "role passive\n 0ms open\n";
    for (before, resets) in [
        (open.to_string(), false),
        (listen.to_string(), false),
        (format!("{listen} 0ms < syn\n 0ms > syn-ack\n"), true),
        ("0ms write 5\n 0ms > 0:5\n".into(), true),
        ("0ms close\n 0ms > fin 0\n".into(), true),
        ("0ms close\n 0ms > fin 0\n 0ms < ack 1\n".into(), true),
        ("0ms < fin 0\n 0ms > peer-closed\n 0ms > ack 1\n".into(), true),
        ("0ms < fin 0\n 0ms > peer-closed\n 0ms > ack 1\n 0ms close\n 0ms > fin 0\n".into(), true),
        ("0ms close\n 0ms > fin 0\n 0ms < fin 0\n 0ms > peer-closed\n 0ms > ack 1\n".into(), true),
        ("0ms close\n 0ms > fin 0\n 0ms < fin 0 ack 1\n 0ms > peer-closed\n 0ms > ack 1\n".into(), false),
    ] {
        let reset = if resets { "9ms > rst\n" } else { "" };
        check("newreno", &format!("{before} 9ms abort\n {reset} 9ms > reset\n 9ms = state Closed"));
    }
}

/// §3.6 case 1 and 2: each direction ends by itself.
#[test]
fn each_direction_ends_by_itself() {
    check(
        "newreno",
        "
          0ms close
          0ms > fin 0
         10ms < 0:1000
         10ms > readable 1000
         10ms > ack 1000
         20ms < ack 1
         20ms = state FinWait2
         30ms < 1000:2000
         30ms > readable 1000
         30ms > ack 2000
        3600s < 2000:2500
        3600s > readable 500
        3600s > ack 2500
    ",
    );
    check(
        "newreno",
        "
        set min_rto_ms 400
          0ms < raw FA seq 0 len 500
          0ms > readable 500
          0ms > peer-closed
          0ms > ack 501
          1ms write 1500
          1ms > 0:1000 1000:1500
        100ms < raw A seq 501 ack 1500
        100ms = state CloseWait acked 1500
        200ms close
        200ms > fin 1500
        600ms > fin 1500
        700ms < raw A seq 501 ack 1501
        700ms > closed
    ",
    );
}

/// §3.6.1 and RFC 1337 §3: a reset does not cut the wait short; a FIN once more prolongs it, nothing else.
#[test]
fn the_last_wait_outlasts_strays() {
    check(
        "newreno",
        "
        set msl_s 1
          0ms < 0:10
          0ms > readable 10
          0ms > ack 10
          0ms close
          0ms > fin 0
        100ms < fin 10 ack 1
        100ms > peer-closed
        100ms > ack 11
        100ms = state TimeWait
        200ms < rst
        300ms < raw A seq 0 ack 1 len 10
        300ms > ack 11
           1s < fin 10 ack 1
           1s > ack 11
         1.5s < raw FA seq 4 ack 1
         1.5s > ack 11
           3s > closed
    ",
    );
}

/// RFC 1122 §4.2.2.13.
#[test]
fn a_new_connection_may_follow_if_its_number_is_beyond() {
    check(
        "newreno",
        "
          0ms < reopening refused seq 500
          0ms close
          0ms > fin 0
         10ms < fin 0 ack 1
         10ms > peer-closed
         10ms > ack 1
         20ms < reopening refused seq 0
         20ms < reopening admitted seq 1
         20ms < reopening admitted seq 1000000
         20ms < reopening refused seq 4294960000
         20ms < syn
         20ms > ack 1
    ",
    );
}

/// RFC 6191 §2.
#[test]
fn or_its_timestamp_is() {
    check(
        "newreno",
        "
        set timestamps true
          0ms close
          0ms > fin 0
         10ms < fin 0 ack 1 ts 600
         10ms > peer-closed
         10ms > ack 1
         20ms < reopening admitted seq 4294960000 ts 601
         20ms < reopening refused seq 1000000 ts 599
         20ms < reopening admitted seq 1 ts 600
         20ms < reopening refused seq 0 ts 600
         20ms < reopening refused seq 0 no-ts
         20ms < reopening admitted seq 5 no-ts
    ",
    );
}

/// RFC 5961 §5 counts back from what was acknowledged by the largest window; our FIN may lie one number beyond that.
#[test]
fn what_the_peer_sent_before_it_saw_window_and_fin_is_believed() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
         10ms < syn-ack win 200
         10ms > established
         10ms > ack 0
         20ms write 200
         20ms > 0:200
         20ms close
         20ms > fin 200
         30ms < raw A seq 10 ack 201 win 200
         30ms = state FinWait2
         31ms < raw A seq 0 ack 0 len 10
         31ms > readable 10
         31ms > ack 10
    ",
    );
}
