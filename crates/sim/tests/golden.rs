//! The first frames of ns-2.35's golden trace, with the trace's own back-off draws.

use hopwright_machine::NodeId;
use hopwright_sim::{FrameRecord, Options, Watch, run};

/// The uncontended beginning: the SYN, its answer, the first data segment as far as node 3; and node 0's next RTS.
const LINES: usize = 46;

/// Counters as the trace shows them: each RTS leaves DIFS + 20 µs x counter after the sender's last ACK (or
/// after the packet came, for the first). Between two of them each station draws one for the back-off after
/// its success, which runs out unused.
const DRAWS: [&[u32]; 5] = [&[2, 0, 18, 25], &[28, 0, 27, 0, 8], &[16, 0, 12, 0, 17], &[8, 0, 7, 0, 10], &[12]];

#[test]
fn the_uncontended_beginning_agrees_to_the_microsecond() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation/ns2/golden.tr");
    let trace = std::fs::read_to_string(path).expect("the golden trace is part of the project");
    let backoff_script = DRAWS.iter().map(|draws| Some(draws.to_vec())).collect();
    let options = Options { frames: true, backoff_script, ..Options::default() };
    let outcome =
        run(&crate::support::string(4, "newreno", 0.04, true), 1, &options, &Watch::default()).expect("not cancelled");
    let sent = trace.lines().take(LINES);
    assert!(outcome.frames.len() >= LINES, "only {} frames", outcome.frames.len());
    for (number, (line, frame)) in sent.zip(&outcome.frames).enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &["s", time, node, "MAC", "---", _, kind, ..] = words.as_slice() else {
            panic!("not a sent frame: {line}")
        };
        let node = NodeId(node.trim_matches('_').parse().expect("a node number"));
        let kind = match kind {
            "RTS" => "Rts",
            "CTS" => "Cts",
            "ACK" => "Ack",
            "tcp" | "ack" => "Data",
            other => panic!("unknown kind {other}"),
        };
        let FrameRecord { at, from, kind: ours, .. } = *frame;
        assert_eq!((node, kind), (from, format!("{ours:?}").as_str()), "line {}: {line}", number + 1);
        let theirs: f64 = time.parse().expect("a time");
        let difference_us = (at.as_secs_f64() - theirs).abs() * 1e6;
        assert!(difference_us < 0.5, "line {}: {at} is {difference_us:.3} us off: {line}", number + 1);
    }
}
