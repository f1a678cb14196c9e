//! How far pipes are from the trace that they stand for.
//!
//! Pipes that follow one another are compared over time: root mean square and mean of the round trip's difference, and
//! the mean difference of the loss ratio. Pipes that are there at once have no time: compared is the distribution of
//! round-trip times over bytes, by Wasserstein's first distance, the area between the distribution functions. Of both,
//! the loss ratio of all bytes.

use serde::Serialize;

use crate::classes::Class;

/// Errors of pipes. Those that a mode has no meaning for are absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Distance {
    /// Root of the mean square, over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_rms_ms: Option<f64>,
    /// Mean of the absolute difference, over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_mean_absolute_ms: Option<f64>,
    /// Mean of the absolute difference of the loss ratio, over time, percentage points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_mean_absolute_percent: Option<f64>,
    /// Wasserstein-1 distance of the distributions over bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_wasserstein_ms: Option<f64>,
    /// Loss ratio of all bytes: that of the pipes less that of the trace, percentage points.
    pub loss_percent: f64,
}

/// Of pipes that follow one another; a last one that is over too soon stays.
pub(crate) fn over_time(trace: &[Class], pipes: &[Class]) -> Distance {
    let (mut square, mut absolute, mut loss, mut total) = (0.0, 0.0, 0.0, 0.0);
    let mut place = 0;
    let mut left = pipes.first().map_or(f64::INFINITY, |pipe| pipe.lifetime_s);
    for class in trace {
        let mut rest = class.lifetime_s;
        while rest > 0.0 {
            let is_last = place + 1 >= pipes.len();
            let span = if is_last { rest } else { rest.min(left) };
            let pipe = &pipes[place];
            let difference = pipe.rtt_s - class.rtt_s;
            square += span * difference * difference;
            absolute += span * difference.abs();
            loss += span * (ratio(pipe) - ratio(class)).abs();
            total += span;
            rest -= span;
            left -= span;
            if left <= 0.0 && !is_last {
                place += 1;
                left = pipes[place].lifetime_s;
            }
        }
    }
    let mean = |sum: f64| if total > 0.0 { sum / total } else { 0.0 };
    Distance {
        rtt_rms_ms: Some(1e3 * libm::sqrt(mean(square))),
        rtt_mean_absolute_ms: Some(1e3 * mean(absolute)),
        loss_mean_absolute_percent: Some(1e2 * mean(loss)),
        rtt_wasserstein_ms: None,
        loss_percent: loss_difference(trace, pipes),
    }
}

/// Of pipes that are there at once.
pub(crate) fn at_once(trace: &[Class], pipes: &[Class]) -> Distance {
    let step = |classes: &[Class], sign: f64| {
        let total: f64 = classes.iter().map(|class| class.sent).sum();
        let share = move |class: &Class| (class.rtt_s, if total > 0.0 { sign * class.sent / total } else { 0.0 });
        classes.iter().map(share).collect::<Vec<_>>()
    };
    let mut steps = step(trace, 1.0);
    steps.extend(step(pipes, -1.0));
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut height, mut area) = (0.0_f64, 0.0);
    for pair in steps.windows(2) {
        height += pair[0].1;
        area += height.abs() * (pair[1].0 - pair[0].0);
    }
    Distance {
        rtt_wasserstein_ms: Some(1e3 * area),
        loss_percent: loss_difference(trace, pipes),
        ..Distance::default()
    }
}

/// The share that a pipe loses (eq. 3.9). It cannot lose more than is sent.
pub(crate) fn ratio(class: &Class) -> f64 {
    if class.sent > 0.0 { (class.lost / class.sent).min(1.0) } else { 0.0 }
}

fn loss_difference(trace: &[Class], pipes: &[Class]) -> f64 {
    let sum = |classes: &[Class], of: fn(&Class) -> f64| classes.iter().map(of).sum::<f64>();
    let sent = sum(trace, |class| class.sent);
    if sent <= 0.0 {
        return 0.0;
    }
    1e2 * (sum(pipes, |pipe| ratio(pipe) * pipe.sent) - sum(trace, |class| class.lost)) / sent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(rtt_s: f64, lifetime_s: f64, sent: f64, lost: f64) -> Class {
        Class { rtt_s, lifetime_s, sent, lost, bits: 0.0 }
    }

    #[test]
    fn differences_over_time_by_hand() {
        let trace = [class(0.010, 2.0, 100.0, 0.0), class(0.030, 2.0, 100.0, 10.0)];
        let found = over_time(&trace, &[class(0.010, 3.0, 100.0, 0.0), class(0.030, 1.0, 100.0, 10.0)]);
        // One second of four is 20 ms and 10 % off.
        assert!((found.rtt_rms_ms.expect("of time") - 10.0).abs() < 1e-9);
        assert!((found.rtt_mean_absolute_ms.expect("of time") - 5.0).abs() < 1e-9);
        assert!((found.loss_mean_absolute_percent.expect("of time") - 2.5).abs() < 1e-9);
        assert!(found.loss_percent.abs() < 1e-12);
    }

    #[test]
    fn a_shift_is_as_far_as_it_shifts() {
        let trace = [class(0.010, 1.0, 30.0, 0.0), class(0.030, 1.0, 70.0, 0.0)];
        let shifted = [class(0.015, 1.0, 3.0, 0.0), class(0.035, 1.0, 7.0, 0.0)];
        assert!((at_once(&trace, &shifted).rtt_wasserstein_ms.expect("of bytes") - 5.0).abs() < 1e-9);
        let one = [class(0.030, 1.0, 1.0, 0.0)];
        assert!((at_once(&trace, &one).rtt_wasserstein_ms.expect("of bytes") - 6.0).abs() < 1e-9);
    }
}
