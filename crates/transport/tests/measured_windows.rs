//! Windows that are made of the distances of segments, between two ends: the first one by a packet pair, and the
//! receiver's.

use hopwright_transport::{Params, Recipe, Value, protocol};

use crate::pair::{Line, Network, Pair, SEGMENT, Traffic};

/// A line that takes so many microseconds for a segment, and has room for so many.
fn pair(parts: &[(&str, &str)], settings: &[(&str, &str)], line: Line) -> Pair {
    let sack = protocol("sack").expect("a protocol");
    let fill = |recipe: Recipe, (slot, part): &(&str, &str)| recipe.with(slot, part).expect("a part");
    let recipe = parts.iter().fold(sack.recipe, fill);
    let mut params = sack.params(Params::default());
    for (name, word) in settings {
        params.set(name, Value::Word((*word).into())).expect("a word");
    }
    recipe.check(&params).expect("parts that work together");
    let network =
        Network { seed: 5, loss: 0, duplication: 0, reordering: 0, jitter_us: 0, dark_from_ms: 0, dark_for_ms: 0 };
    let traffic = Traffic {
        forward: 40_000,
        backward: 0,
        iss: [7, 70],
        window_segments: 64,
        reading_delay_ms: 0,
        is_virtual: false,
        both_open: false,
    };
    let mut pair = Pair::new(&recipe, &params, network, traffic);
    pair.line = Some(line);
    pair
}

const SLOW: Line = Line { segment_us: 4_000, queue: 100 };

/// The threshold in segments when it was first found, as a share of what the line holds in a round trip.
fn first_window(parts: &[(&str, &str)], settings: &[(&str, &str)]) -> Option<f64> {
    let mut pair = pair(parts, settings, SLOW);
    let mut found = None;
    pair.run_with(|pair| {
        let p = pair.ends[0].public();
        if let (None, true, Some(srtt)) = (found, p.ssthresh.is_finite(), p.srtt) {
            let holds = srtt.as_secs_f64() / SLOW.segment_us as f64 * 1e6;
            found = Some(p.ssthresh / f64::from(SEGMENT) / holds);
        }
    });
    found
}

#[test]
fn a_pair_finds_what_the_line_holds() {
    assert_eq!(first_window(&[], &[]), None, "nothing is lost, and slow start goes on");
    let paced = [("control", "hybrid"), ("clocking", "paced")];
    for acking in ["every", "delayed"] {
        for clock in [&[][..], &paced] {
            let parts = [&[("startup", "packet-pair"), ("acking", acking)][..], clock].concat();
            let share = first_window(&parts, &[]).expect("a window is found");
            // By the round trip of that moment; the share is of the smoothed one.
            assert!((share - 1.0).abs() < 0.4, "{parts:?}: {share}");
        }
    }
    let share = first_window(&[("startup", "packet-pair")], &[("pair_gap_from", "acks")]).expect("a window");
    assert!((share - 1.0).abs() < 0.4, "{share}");
}

/// Losses are no sign: the receiver's window alone keeps the queue from overflowing.
#[test]
fn the_receivers_window_keeps_the_queue_short() {
    let deaf = [("diagnosis", "blame-channel"), ("response", "spare"), ("control", "hybrid"), ("clocking", "paced")];
    let heeding = [&deaf[..], &[("avoidance", "told"), ("offer", "separation")]].concat();
    let resent = |parts: &[(&str, &str)]| {
        let mut pair = pair(parts, &[], Line { segment_us: 4_000, queue: 20 });
        pair.run();
        pair.ends[0].public().retransmissions
    };
    let (deaf, heeding) = (resent(&deaf), resent(&heeding));
    assert!(deaf > 30 && 3 * heeding < deaf, "{heeding} of {deaf}");
}
