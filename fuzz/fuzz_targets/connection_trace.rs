//! Any bytes as each kind of trace of a connection: an answer with line or packet, or a trace whose pipes keep its totals.
#![no_main]

use hopwright_machine::Duration;
use hopwright_sedlane::read::{KINDS, Options as Told, detect, drops, read};
use hopwright_sedlane::{Averaging, Lost, Options, Reduction, reduce, to_toml};
use hopwright_shape::profile::Mode;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|content: &[u8]| {
    let _ = detect(content);
    for (_, kind) in KINDS {
        let told = Told { flow: None, tick: Some(Duration::from_millis(10)), segment_bytes: None };
        let mut trace = match read(kind, content, &told) {
            Ok(trace) => trace,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        assert!(trace.samples.windows(2).all(|pair| pair[0].at < pair[1].at));
        if let Ok(drops) = drops(content, &trace.connection) {
            trace.add_drops(&drops);
        }
        for mode in [Mode::Sequential, Mode::Simultaneous] {
            let lost = if trace.known.retransmitted { Lost::Retransmitted } else { Lost::Dropped };
            let options = Options {
                mode,
                pipes: 5,
                reduction: Reduction::LeastError,
                averaging: Averaging::Disjoint,
                lost,
                lifetime: None,
                rate: true,
            };
            if let Ok(answer) = reduce(&trace, &options) {
                assert!((1..=5).contains(&answer.profile.pipes.len()));
                let total: f64 = answer.profile.pipes.iter().map(|pipe| pipe.probability).sum();
                assert!((total - 1.0).abs() < 1e-6, "{total}");
                assert!(!to_toml(&answer.profile, &[]).is_empty());
            }
        }
    }
});
