//! Times that can be worked out by hand.

use hopwright_link::FrameKind;
use hopwright_machine::NodeId;
use hopwright_sim::FrameRecord;

use crate::support::{at, datagrams, outcome, quiet, star, traced};

/// From one exchange of a saturated sender to the next, nanoseconds, without back-off: DIFS, then RTS, CTS, DATA,
/// ACK with SIFS between them, or DATA and ACK alone. `data_us` is the data frame's time on the air.
fn exchange_ns(rts: bool, data_us: u64, delay_ns: u64) -> u64 {
    if rts {
        (50 + 352 + 10 + 304 + 10 + data_us + 10 + 304) * 1000 + 4 * delay_ns
    } else {
        (50 + data_us + 10 + 304) * 1000 + 2 * delay_ns
    }
}

/// 1460 bytes of data, 8 of UDP, 20 of IP, and the MAC's 34 (ns-2) or 36 at 2 Mb/s, after 192 µs of preamble.
const fn data_us(ns2: bool) -> u64 {
    192 + (1488 + if ns2 { 34 } else { 36 }) * 4
}

/// 50 m at the speed of light.
const DELAY_NS: u64 = 167;

/// Both profiles, with and without RTS.
const ALL: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

#[test]
fn one_saturated_sender_keeps_its_cycle_to_the_nanosecond() {
    for (ns2, rts) in ALL {
        // Every counter once per round: 0..=30 in ns-2, 0..=31 in the standard, so a round has just the mean.
        let counters = if ns2 { 31 } else { 32 };
        let rounds = 5;
        let draws: Vec<u32> = (0..counters * (rounds + 2)).map(|i| i % counters).collect();
        let setup = star(1, rts, 2.0, ns2);
        let run = traced(&setup, 1, &[&[], &draws]);
        let first = if rts { FrameKind::Rts } else { FrameKind::Data };
        let starts: Vec<u64> = run
            .frames
            .iter()
            .filter(|f| f.from == NodeId(1) && f.kind == first)
            .map(|f| f.at.as_nanos())
            .skip(counters as usize) // by then the queue is never empty
            .collect();
        let cycles = (counters * rounds) as usize;
        let took = starts[cycles] - starts[0];
        let mean_backoff_ns = 10_000 * u64::from(counters - 1); // 20 µs times half the largest counter
        let expected = cycles as u64 * (exchange_ns(rts, data_us(ns2), DELAY_NS) + mean_backoff_ns);
        assert_eq!(took, expected, "{cycles} cycles, ns2 {ns2}, rts {rts}");
    }
}

#[test]
fn one_saturated_sender_reaches_the_throughput_of_the_formula() {
    for (ns2, rts) in ALL {
        let run = outcome(&star(1, rts, 241.0, ns2), 1);
        let mean_backoff_ns = if ns2 { 300_000 } else { 310_000 };
        let cycle_s = (exchange_ns(rts, data_us(ns2), DELAY_NS) + mean_backoff_ns) as f64 * 1e-9;
        // 30,000 cycles with a deviation of 185 µs each: the mean is within 0.1 % of theirs to 6 deviations.
        let ratio = run.report.flows[0].received_bps / (1460.0 * 8.0 / cycle_s);
        assert!((ratio - 1.0).abs() < 1e-3, "{ratio} of the formula, ns2 {ns2}, rts {rts}");
    }
}

/// Four exchanges between two stations 149.896 m apart: 0.5 µs of way. Each station gets two datagrams of 472
/// bytes, 500 with headers, 536 in the air: 192 + 536 x 4 = 2336 µs. RTS 352 µs, CTS and ACK 304 µs, SIFS 10, DIFS
/// 50, slot 20. Microseconds after second 1; times at the sender's antenna.
#[rustfmt::skip]
const CONVERSATION: [(f64, u32, FrameKind); 16] = [
    // A's first datagram comes at 0 to a medium that has long been idle: no back-off.
    (    0.0, 0, FrameKind::Rts),
    (  362.5, 1, FrameKind::Cts),  // 352 + way .5 + SIFS 10
    (  677.0, 0, FrameKind::Data), // 362.5 + 304 + .5 + 10
    ( 3023.5, 1, FrameKind::Ack),  // 677 + 2336 + .5 + 10
    // B's first came at 500, during the exchange, so B drew: 3. A's second came at 1000 and waits for the counter
    // that follows success: 5. B counts from the end of its ACK at 3327.5, A from its arrival at 3328.
    (3437.5, 1, FrameKind::Rts),   // 3327.5 + 50 + 3 x 20; A would have been at 3328 + 50 + 5 x 20 = 3478
    (3800.0, 0, FrameKind::Cts),   // A froze at 3438 after (3438 - 3378) / 20 = 3 slots, 2 are left
    (4114.5, 1, FrameKind::Data),
    (6461.0, 0, FrameKind::Ack),   // 4114.5 + 2336 + .5 + 10; over at A at 6765, at B at 6765.5
    // B drew 7 for its second: 6765.5 + 50 + 140 = 6955.5. A is earlier with its 2:
    (6855.0, 0, FrameKind::Rts),   // 6765 + 50 + 2 x 20; B freezes at 6855.5 after 2 slots, 5 are left
    (7217.5, 1, FrameKind::Cts),
    (7532.0, 0, FrameKind::Data),
    (9878.5, 1, FrameKind::Ack),   // over at B at 10182.5
    // A has nothing left.
    (10332.5, 1, FrameKind::Rts),  // 10182.5 + 50 + 5 x 20
    (10695.0, 0, FrameKind::Cts),
    (11009.5, 1, FrameKind::Data),
    (13356.0, 0, FrameKind::Ack),
];

#[test]
fn a_conversation_of_four_exchanges_keeps_the_times_worked_out_by_hand() {
    let mut setup = quiet(&[(0.0, 0.0), (149.896_229, 0.0)], true, 1.0, false);
    setup.flows = vec![datagrams(0, 1, 472, 1.0, 2), datagrams(1, 0, 472, 1.0005, 2)];
    let run = traced(&setup, 1, &[&[5, 9], &[3, 7, 1]]);
    let sent = |f: &FrameRecord| ((f.at.as_nanos() - at(1.0).as_nanos()) as f64 / 1e3, f.from.0, f.kind);
    let sent: Vec<_> = run.frames.iter().map(sent).collect();
    for (number, (ours, hand)) in sent.iter().zip(&CONVERSATION).enumerate() {
        assert_eq!(ours, hand, "frame {}", number + 1);
    }
    assert_eq!(sent.len(), CONVERSATION.len(), "{sent:?}");
    assert_eq!(run.ledger.frames_received, 16);
}
