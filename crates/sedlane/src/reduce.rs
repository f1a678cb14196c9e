//! Pipes from a trace, both ways, and how far each is from it.
//!
//! Spec      Ghaleb-Seddik (2009), 3.5.2.2 to 3.5.2.6
//! Deviates  probabilities are bytes over all bytes (eq. 3.3) in both modes; a pipe that nothing was sent over has no
//!           loss ratio (eq. 3.9 would divide by zero), and none is above 1
//! Holds     - never more pipes than asked for; neighbours, and with `Simultaneous` any two, differ by a nanosecond
//!           - the least-error reduction is never farther from the trace than the pairwise one, in the mode's own measure

use hopwright_machine::Duration;
use hopwright_shape::profile::{Mode, Pipe, Profile};
use serde::Serialize;
use thiserror::Error;

use crate::classes::{Class, Lost, merge_equal, merge_neighbours, of_trace};
use crate::distance::{Distance, at_once, over_time, ratio};
use crate::pairwise::{self, Averaging};
use crate::trace::Trace;
use crate::{clusters, segments};

/// How a trace becomes pipes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// One pipe after the other, or all at once.
    pub mode: Mode,
    /// At most so many; at least one.
    pub pipes: usize,
    /// How.
    pub reduction: Reduction,
    /// What a pair is, for the pairwise reduction.
    pub averaging: Averaging,
    /// What counts as lost.
    pub lost: Lost,
    /// The lifetime of every pipe, if it is given and not the trace's.
    pub lifetime: Option<Duration>,
    /// Whether pipes have a rate.
    pub rate: bool,
}

/// Which reduction makes the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reduction {
    /// The document's.
    Pairwise,
    /// The one with the least error.
    #[default]
    LeastError,
}

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// How many round-trip times the trace has.
    pub samples: usize,
    /// How many of them differ, or differ from their neighbours: K.
    pub transitions: usize,
    /// Its length, seconds.
    pub seconds: f64,
    /// Bytes sent; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Bytes lost.
    pub lost_bytes: u64,
    /// The document's pipes.
    pub pairwise: Way,
    /// The better ones.
    pub least_error: Way,
    /// What was asked for.
    #[serde(skip)]
    pub profile: Profile,
}

/// Pipes of one reduction.
#[derive(Clone, Debug, Serialize)]
pub struct Way {
    /// How far they are from the trace.
    pub error: Distance,
    /// In order.
    pub pipes: Vec<Shown>,
}

/// A pipe with the names that the file has.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Shown {
    rtt_ms: f64,
    lifetime_s: f64,
    probability: f64,
    loss_percent: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_kbps: Option<f64>,
    bytes: f64,
    lost_bytes: f64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Wrong {
    /// The source does not tell what counts as lost.
    #[error("does not say what was {0}: say --lost {1}")]
    LostUnknown(&'static str, &'static str),
    /// Nothing was sent: there are no shares of it.
    #[error(
        "not a byte was sent while round-trip times were measured, so pipes have no probabilities: say --mode sequential"
    )]
    NothingSent,
}

/// Pipes of a trace.
///
/// # Errors
/// If the trace does not have what the options ask for.
pub fn reduce(trace: &Trace, options: &Options) -> Result<Answer, Wrong> {
    check(trace, options)?;
    let classes = of_trace(trace, options.lost);
    let merged = match options.mode {
        Mode::Sequential => merge_neighbours(&classes),
        Mode::Simultaneous => merge_equal(&classes),
    };
    let pairwise = unique(&pairwise::reduce(&merged, options.pipes, options.averaging), options.mode);
    let best = match options.mode {
        Mode::Sequential => segments::reduce(&merged, options.pipes),
        Mode::Simultaneous => clusters::reduce(&merged, options.pipes),
    };
    let mut best = unique(&best, options.mode);
    // A long trace is first made coarse; should that have cost more than means of neighbours do, these are better.
    if own_measure(&merged, &pairwise, options.mode) < own_measure(&merged, &best, options.mode) {
        best.clone_from(&pairwise);
    }
    let pairwise = Finished::new(pairwise, options);
    let best = Finished::new(best, options);
    let chosen = if options.reduction == Reduction::Pairwise { &pairwise } else { &best };
    Ok(Answer {
        samples: trace.samples.len(),
        transitions: merged.len(),
        seconds: merged.iter().map(|class| class.lifetime_s).sum(),
        bytes: trace.known.sent.then(|| trace.samples.iter().map(|sample| sample.sent).sum()),
        lost_bytes: merged.iter().map(|class| class.lost).sum::<f64>() as u64,
        profile: chosen.profile(options.mode),
        pairwise: pairwise.way(&merged, options.mode),
        least_error: best.way(&merged, options.mode),
    })
}

fn check(trace: &Trace, options: &Options) -> Result<(), Wrong> {
    let known = trace.known;
    match options.lost {
        Lost::Dropped if !known.dropped => return Err(Wrong::LostUnknown("dropped", "retransmitted")),
        Lost::Retransmitted if !known.retransmitted && known.dropped => {
            return Err(Wrong::LostUnknown("sent again", "dropped"));
        }
        _ => {}
    }
    if options.mode == Mode::Simultaneous && known.sent && trace.samples.iter().all(|sample| sample.sent == 0) {
        return Err(Wrong::NothingSent);
    }
    Ok(())
}

/// Two consecutive pipes with the same round trip are one; at once, any two (3.5.2.3).
fn unique(classes: &[Class], mode: Mode) -> Vec<Class> {
    match mode {
        Mode::Sequential => merge_neighbours(classes),
        Mode::Simultaneous => without_idle(merge_equal(classes)),
    }
}

/// Without pipes that nothing was sent over: none would ever be taken. What they had goes to the pipe before.
fn without_idle(classes: Vec<Class>) -> Vec<Class> {
    let mut left: Vec<Class> = Vec::with_capacity(classes.len());
    let mut waiting = Class::default();
    for class in classes {
        if class.sent > 0.0 {
            left.push(class);
        } else {
            left.last_mut().unwrap_or(&mut waiting).take(&class);
        }
    }
    if let Some(first) = left.first_mut() {
        first.take(&waiting);
    }
    left
}

fn distance(trace: &[Class], pipes: &[Class], mode: Mode) -> Distance {
    match mode {
        Mode::Sequential => over_time(trace, pipes),
        Mode::Simultaneous => at_once(trace, pipes),
    }
}

fn own_measure(trace: &[Class], pipes: &[Class], mode: Mode) -> f64 {
    let found = distance(trace, pipes, mode);
    found.rtt_rms_ms.or(found.rtt_wasserstein_ms).unwrap_or(0.0)
}

/// Pipes with their rates and the lifetimes that they will have.
struct Finished {
    pipes: Vec<(Class, Option<f64>)>,
    sent: f64,
}

impl Finished {
    fn new(classes: Vec<Class>, options: &Options) -> Self {
        let sent = classes.iter().map(|class| class.sent).sum();
        let finish = |mut class: Class| {
            // Where nothing was sent nothing is known of a rate.
            let rate_bps = class.bits / class.lifetime_s;
            let rate = Some(rate_bps).filter(|bps| options.rate && bps.is_finite() && *bps > 0.0);
            if let Some(lifetime) = options.lifetime {
                class.lifetime_s = lifetime.as_secs_f64();
            }
            (class, rate)
        };
        Self { pipes: classes.into_iter().map(finish).collect(), sent }
    }

    /// Eq. 3.3; nothing was sent at all only where nothing reads it.
    fn probability(&self, class: &Class) -> f64 {
        if self.sent > 0.0 { class.sent / self.sent } else { 1.0 / self.pipes.len() as f64 }
    }

    fn profile(&self, mode: Mode) -> Profile {
        let pipe = |&(class, rate_bps): &(Class, Option<f64>)| Pipe {
            rtt: Duration::from_secs_f64(class.rtt_s),
            lifetime: Duration::from_secs_f64(class.lifetime_s),
            probability: self.probability(&class),
            loss: ratio(&class),
            rate_bps,
        };
        Profile { mode, pipes: self.pipes.iter().map(pipe).collect(), repeats: false }
    }

    fn way(&self, trace: &[Class], mode: Mode) -> Way {
        let classes: Vec<Class> = self.pipes.iter().map(|&(class, _)| class).collect();
        let shown = |&(class, rate_bps): &(Class, Option<f64>)| Shown {
            rtt_ms: 1e3 * class.rtt_s,
            lifetime_s: class.lifetime_s,
            probability: self.probability(&class),
            loss_percent: 1e2 * ratio(&class),
            rate_kbps: rate_bps.map(|bps| bps / 1e3),
            bytes: class.sent,
            lost_bytes: class.lost,
        };
        Way { error: distance(trace, &classes, mode), pipes: self.pipes.iter().map(shown).collect() }
    }
}
