//! What holds for every trace.

use hopwright_machine::{Duration, Time};
use hopwright_sedlane::{Answer, Averaging, Builder, Known, Lost, Options, Reduction, Trace, reduce, to_toml};
use hopwright_shape::profile::Mode;
use proptest::prelude::*;

/// A sample: how long after the one before, its round-trip time, segments sent, lost ones among them.
type Drawn = (u64, u64, u32, u32);

fn trace(samples: &[Drawn]) -> Trace {
    let mut builder = Builder::new(Known { sent: true, retransmitted: true, dropped: true });
    let mut at = Time::ZERO;
    for &(after, rtt, sent, lost) in samples {
        at += Duration::from_micros(after);
        builder.measured(at, Duration::from_micros(rtt));
        let (sent, lost) = (u64::from(sent) * 1000, u64::from(lost.min(sent)) * 1000);
        builder.sent(at, sent, lost);
        builder.dropped(at, lost + 500);
        // Dropped when nothing was sent any more.
    }
    builder.lasts_until(at + Duration::from_millis(7));
    builder.finish(String::new()).expect("it has samples")
}

fn traces() -> impl Strategy<Value = Trace> {
    // Few values, so that there are equal ones; lifetimes of some orders of magnitude.
    let sample = (1_u64..200_000, prop_oneof![1_u64..6, 1_u64..400_000], 0_u32..40, 0_u32..4);
    prop::collection::vec(sample, 1..120)
        .prop_map(|samples| {
            samples
                .into_iter()
                .map(|(a, rtt, s, l)| (a, if rtt < 6 { rtt * 20_000 } else { rtt }, s, l))
                .collect::<Vec<_>>()
        })
        .prop_map(|samples| trace(&samples))
        .prop_filter("something was sent", |trace| trace.samples.iter().any(|sample| sample.sent > 0))
}

fn options(mode: Mode, pipes: usize, reduction: Reduction, averaging: Averaging) -> Options {
    Options { mode, pipes, reduction, averaging, lost: Lost::Retransmitted, lifetime: None, rate: true }
}

fn all(trace: &Trace, pipes: usize) -> Vec<(Mode, Reduction, Answer)> {
    let mut answers = Vec::new();
    for mode in [Mode::Sequential, Mode::Simultaneous] {
        for (reduction, averaging) in [
            (Reduction::Pairwise, Averaging::Overlapping),
            (Reduction::Pairwise, Averaging::Disjoint),
            (Reduction::LeastError, Averaging::Overlapping),
        ] {
            let answer = reduce(trace, &options(mode, pipes, reduction, averaging)).expect("all is known");
            answers.push((mode, reduction, answer));
        }
    }
    answers
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn totals_stay_and_pipes_differ(trace in traces(), pipes in 1_usize..20) {
        let sent: f64 = trace.samples.iter().map(|sample| sample.sent as f64).sum();
        let lost: f64 = trace.samples.iter().map(|sample| sample.retransmitted as f64).sum();
        let seconds: f64 = (0..trace.samples.len()).map(|n| trace.lifetime(n).as_secs_f64()).sum();
        for (mode, _, answer) in all(&trace, pipes) {
            let profile = &answer.profile;
            prop_assert!(!profile.pipes.is_empty() && profile.pipes.len() <= pipes);
            prop_assert!(near(profile.pipes.iter().map(|pipe| pipe.probability).sum(), 1.0));
            prop_assert!(near(answer.seconds, seconds));
            for pipe in &profile.pipes {
                prop_assert!((0.0..=1.0).contains(&pipe.loss) && (0.0..=1.0 + 1e-9).contains(&pipe.probability));
                prop_assert!(pipe.rate_bps.is_none_or(|bps| bps.is_finite() && bps > 0.0));
            }
            match mode {
                Mode::Sequential => {
                    prop_assert!(profile.pipes.windows(2).all(|pair| pair[0].rtt != pair[1].rtt));
                    let total: f64 = profile.pipes.iter().map(|pipe| pipe.lifetime.as_secs_f64()).sum();
                    prop_assert!((total - seconds).abs() < 1e-9 * pipes as f64 + 1e-9 * seconds);
                }
                Mode::Simultaneous => {
                    let mut rtts: Vec<_> = profile.pipes.iter().map(|pipe| pipe.rtt).collect();
                    rtts.sort_unstable();
                    prop_assert!(rtts.windows(2).all(|pair| pair[0] != pair[1]));
                }
            }
            for way in [&answer.pairwise, &answer.least_error] {
                let shown = serde_json::to_value(way).expect("numbers");
                let sum = |key: &str| -> f64 {
                    shown["pipes"].as_array().expect("a list").iter().map(|pipe| pipe[key].as_f64().expect("a number")).sum()
                };
                prop_assert!(near(sum("bytes"), sent), "{} {sent}", sum("bytes"));
                prop_assert!(near(sum("lost_bytes"), lost), "{} {lost}", sum("lost_bytes"));
            }
        }
    }

    #[test]
    fn the_least_error_is_the_least(trace in traces(), pipes in 1_usize..20) {
        for (mode, _, answer) in all(&trace, pipes) {
            let own = |error: hopwright_sedlane::Distance| match mode {
                Mode::Sequential => error.rtt_rms_ms.expect("over time"),
                Mode::Simultaneous => error.rtt_wasserstein_ms.expect("of bytes"),
            };
            let (best, pairwise) = (own(answer.least_error.error), own(answer.pairwise.error));
            prop_assert!(best <= pairwise * (1.0 + 1e-9) + 1e-9, "{best} {pairwise}");
        }
    }

    #[test]
    fn as_many_pipes_as_values_are_the_trace(trace in traces()) {
        for (mode, _, answer) in all(&trace, 1000) {
            let error = answer.least_error.error;
            let own = if mode == Mode::Sequential { error.rtt_rms_ms } else { error.rtt_wasserstein_ms };
            prop_assert!(own.expect("its measure") < 1e-6);
            prop_assert_eq!(error, answer.pairwise.error);
        }
    }

    #[test]
    fn a_constant_lifetime_is_that_of_every_pipe(trace in traces(), pipes in 1_usize..9) {
        let lifetime = Duration::from_millis(250);
        let with = Options { lifetime: Some(lifetime), ..options(Mode::Sequential, pipes, Reduction::LeastError, Averaging::Overlapping) };
        let answer = reduce(&trace, &with).expect("all is known");
        prop_assert!(answer.profile.pipes.iter().all(|pipe| pipe.lifetime == lifetime));
        prop_assert!(to_toml(&answer.profile, &["made of\nnothing"]).starts_with("# made of?nothing\n\n[profile]\nmode = \"sequential\"\n"));
    }
}

/// A long trace: both reductions end soon, and the better one is the better one.
#[test]
fn a_hundred_thousand_samples() {
    let mut state = 1_u64;
    let samples: Vec<Drawn> = (0..100_000_u64)
        .map(|n| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let noise = state >> 44;
            (1000, 20_000 + (n / 9000) % 5 * 15_000 + noise % 8000, 2, u32::from(noise.is_multiple_of(97)))
        })
        .collect();
    let trace = trace(&samples);
    for mode in [Mode::Sequential, Mode::Simultaneous] {
        let answer = reduce(&trace, &options(mode, 12, Reduction::LeastError, Averaging::Overlapping)).expect("known");
        let (best, pairwise) = (answer.least_error.error, answer.pairwise.error);
        match mode {
            Mode::Sequential => {
                // Twelve steps are there; what is left is the noise: uniform over 8 ms, so 8 / sqrt(12).
                let rms = best.rtt_rms_ms.expect("over time");
                assert!((rms - 8.0 / 12_f64.sqrt()).abs() < 0.05, "{rms}");
                assert!(pairwise.rtt_rms_ms.expect("over time") > 2.0 * rms);
            }
            Mode::Simultaneous => {
                let distance = best.rtt_wasserstein_ms.expect("of bytes");
                // Five stretches of 8 ms, twelve values: two or three a stretch, 8/8 or 8/12 ms off.
                assert!(distance > 8.0 / 12.0 && distance < 8.0 / 8.0 + 0.05, "{distance}");
            }
        }
    }
}
