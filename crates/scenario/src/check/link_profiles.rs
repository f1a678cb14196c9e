//! Profiles that links follow: that their pipes can be used, and that nothing beside them says the same.

use crate::model::{LinkProfile, LinkShape, ProfileMode, Variation};
use crate::read::{Document, join};

/// A shorter time is none that anybody measured; pipes that follow each other faster take long to work out.
const SHORTEST_LIFETIME_S: f64 = 1e-4;
/// Probabilities that are written with a few digits add up to 1 within this.
const ROUNDING: f64 = 1e-3;

/// Refuses pipes that cannot be used. `path`: the key of the profile.
pub(super) fn pipes(document: &mut Document, path: &str, profile: &LinkProfile) {
    let (rules, pipes) = (&profile.rules, &profile.pipes);
    if pipes.is_empty() {
        document.refuse(path, "a profile needs pipes: add [[profile.pipes]]".to_owned());
        return;
    }
    let pipe = |n: usize, key: &str| join(path, &format!("pipes.{n}.{key}"));
    match rules.mode {
        ProfileMode::Sequential => {
            let all_end = if rules.repeat { pipes.len() } else { pipes.len() - 1 };
            let too_short = |&n: &usize| pipes[n].lifetime_s < SHORTEST_LIFETIME_S;
            for n in (0..all_end).filter(too_short) {
                let which =
                    if rules.repeat { "a pipe of a profile that repeats" } else { "a pipe that another pipe follows" };
                let found = pipes[n].lifetime_s;
                let reason = format!("{which} must last for at least {SHORTEST_LIFETIME_S} s, found {found}");
                document.refuse(&pipe(n, "lifetime_s"), reason);
            }
        }
        ProfileMode::Simultaneous => {
            if rules.repeat {
                let reason = "needs mode = 'sequential': pipes that are used at once do not end".to_owned();
                document.refuse(&join(path, "repeat"), reason);
            }
            let sum: f64 = pipes.iter().map(|pipe| pipe.probability).sum();
            if (sum - 1.0).abs() > ROUNDING {
                let reason = format!("the probabilities of all pipes must add up to 1, found {sum:.4}");
                document.refuse(&pipe(pipes.len() - 1, "probability"), reason);
            }
        }
    }
}

/// Refuses what a link that follows a profile says of itself, and its pipes do, too. `path`: the key of the shape.
pub(super) fn beside(document: &mut Document, path: &str, shape: &LinkShape, profile: &LinkProfile) {
    let has_rates = profile.pipes.iter().any(|pipe| pipe.rate_kbps.is_some());
    let contradictions = [
        ("delay_ms", shape.delay_ms > 0.0, "the pipes of the profile set the delay (rtt_ms)"),
        ("loss_percent", shape.loss_percent > 0.0, "the pipes of the profile set the losses (loss_percent)"),
        ("burst_packets", shape.burst_packets > 1.0, "pipes of a profile lose each packet independently"),
        (
            "bad_begins_percent",
            shape.bad_begins_percent > 0.0,
            "the pipes of the profile set the losses (loss_percent)",
        ),
        ("loss_trace", shape.loss_trace.is_some(), "the pipes of the profile set the losses (loss_percent)"),
        (
            "variation",
            shape.variation != Variation::None,
            "the period is a share of delay_ms, and a profile has no delay_ms",
        ),
        ("trace", shape.trace.is_some() && has_rates, "the pipes of the profile set the rate (rate_kbps)"),
    ];
    for (key, _, reason) in contradictions.into_iter().filter(|(_, is_said, _)| *is_said) {
        let full = join(path, key);
        let preset = join(path, "preset");
        let place = if !document.gives(&full) && document.gives(&preset) { preset } else { full };
        document.refuse(&place, format!("contradicts 'profile': {reason}"));
    }
}
