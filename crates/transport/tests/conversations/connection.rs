//! Opening, closing, breaking off (RFC 9293 §3.5, §3.6, §3.10).

use hopwright_converse::check;

#[test]
fn active_open() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
        100ms < syn-ack
        100ms > established
        100ms > ack 0
        100ms = state Established mss 1000 cwnd 2000 srtt 100ms rto 300ms
    ",
    );
}

#[test]
fn passive_open() {
    check(
        "newreno",
        "
        role passive
          0ms open
          0ms = state Listen
         10ms < syn
         10ms > syn-ack
         10ms = state SynReceived
        110ms < ack 0
        110ms > established
        110ms = state Established srtt 100ms
    ",
    );
}

#[test]
fn a_lost_syn_is_sent_again_and_costs_window_and_timer() {
    check(
        "newreno",
        "
          0ms write 5000
          0ms open
          0ms > syn+options
           1s > syn+options
           3s > syn+options
         3.1s < syn-ack
         3.1s > established
         3.1s > ack 0
         3.1s > 0:1000
         3.1s = cwnd 1000 srtt none rto 3000ms timeouts 2 retransmissions 0
    ",
    );
}

#[test]
fn a_lost_answer_is_sent_again() {
    check(
        "newreno",
        "
        role passive
          0ms open
          0ms < syn
          0ms > syn-ack
        400ms < syn
        400ms > syn-ack
           1s > syn-ack
         1.1s < ack 0
         1.1s > established
         1.1s = srtt none
    ",
    );
}

#[test]
fn what_acknowledges_another_syn_is_refused() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
         10ms < ack 7
         10ms > rst
         10ms = state SynSent
    ",
    );
}

#[test]
fn a_closed_end_refuses_everything() {
    check(
        "newreno",
        "
        role passive
          0ms < fin 0
          0ms > peer-closed
          0ms > ack 1
          1ms close
          1ms > fin 0
          2ms < ack 1
          2ms > closed
          3ms < ack 1
          3ms > rst
          3ms < rst
    ",
    );
}

#[test]
fn closing_first_waits_for_stray_segments() {
    check(
        "newreno",
        "
        set msl_s 1
          0ms write 500
          0ms > 0:500
         10ms close
         10ms > fin 500
         10ms = state FinWait1
        100ms < ack 501
        100ms = state FinWait2 acked 500
        200ms < fin 0
        200ms > peer-closed
        200ms > ack 1
        200ms = state TimeWait
        700ms < fin 0
        700ms > ack 1
         2.7s > closed
         2.7s = state Closed
    ",
    );
}

#[test]
fn the_fin_rides_on_the_last_data_and_is_sent_again() {
    check(
        "newreno",
        "
          0ms write 2500
          0ms > 0:1000 1000:2000
         10ms close
        100ms < ack 1000
        100ms > 2000:2500+fin
        200ms < ack 2000
        450ms > 2000:2500+fin
        450ms = timeouts 1 retransmissions 1
        500ms < ack 2501
        500ms = state FinWait2 acked 2500
    ",
    );
}

#[test]
fn a_fin_alone_is_sent_again() {
    check(
        "newreno",
        "
          0ms close
          0ms > fin 0
        300ms > fin 0
        900ms > fin 0
        950ms < ack 1
        950ms = state FinWait2 segments 0
    ",
    );
}

#[test]
fn a_reset_in_order_is_believed_one_in_the_window_is_questioned() {
    check(
        "newreno",
        "
          0ms < rst 5
          0ms > ack 0
          0ms = state Established
          1ms < rst 63999
          1ms > ack 0
          2ms < rst 64000
          3ms < rst
          3ms > reset
          3ms = state Closed
    ",
    );
}

#[test]
fn giving_up_resets_the_peer() {
    check(
        "newreno",
        "
          0ms write 1000
          0ms > 0:1000
         10ms abort
         10ms > rst
         10ms > reset
         10ms = state Closed
    ",
    );
}

#[test]
fn a_refused_syn_ends_the_attempt() {
    check(
        "newreno",
        "
          0ms open
          0ms > syn+options
         10ms close
         10ms > closed
    ",
    );
}

/// A repeated FIN whose timestamp is older than one accepted before, or that acknowledges what was never sent, is answered
/// and nothing else.
#[test]
fn of_an_old_repeated_fin_not_even_the_acknowledgement_counts() {
    check(
        "newreno",
        "
        set timestamps true
          0ms < fin 0 ts 600
          0ms > peer-closed
          0ms > ack 1
         10ms close
         10ms > fin 0
        100ms < fin 0 ack 1 ts 599
        100ms > ack 1
        110ms < fin 0 ack 9 ts 600
        110ms > ack 1
        110ms = state LastAck
        200ms < fin 0 ack 1 ts 600
        200ms > closed
    ",
    );
}

/// §3.10.1 asks for a new connection: this one's numbers and estimates are used up.
#[test]
fn what_has_ended_does_not_open_again() {
    let opens = "
          0ms open
          0ms > syn+options
    ";
    let listens = "
        role passive
          0ms open
         10ms close
         10ms > closed
    ";
    check(
        "newreno",
        &format!(
            "
          {opens}
         10ms < syn-ack
         10ms > established
         10ms > ack 0
         20ms < rst
         20ms > reset
         30ms write 10
         30ms open
         30ms = state Closed
         40ms < syn-ack
         40ms > rst seq 0
         40ms = state Closed
    "
        ),
    );
    check("newreno", &format!("{listens} 20ms open\n 20ms = state Closed\n 30ms < syn\n 30ms > rst"));
}
