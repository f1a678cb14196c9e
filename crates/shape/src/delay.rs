//! How long each packet is on its way.
//!
//! Spec      The delay, and jitter by a stated law. Correlated jitter is NORTA (Cario and Nelson 1997): an autoregressive
//!           series of normal numbers, z' = rho z + sqrt(1 - rho²) e, each of which is carried over to the law by its own
//!           distribution function. So the law stays what it is, whatever the correlation; netem's mean of the last number
//!           and a new one (`get_crandom` in net/sched/sch_netem.c) narrows it
//! Holds     the correlation stated is that of one packet's jitter with that of the packet before: of a uniform law
//!           rho = 2 sin(pi c / 6) makes it so (Pearson 1907), of the normal law rho = c. A normal law that would take a
//!           delay below zero is cut off there

use hopwright_machine::{Duration, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the delay differs from packet to packet.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Jitter {
    /// By what part of the delay.
    pub share: f64,
    /// How the jitter is drawn.
    pub law: JitterLaw,
    /// Whether a packet may overtake another.
    pub reorders: bool,
    /// The correlation with the packet before, 0 to below 1.
    pub correlation: f64,
}

/// How jitter is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JitterLaw {
    /// Evenly, up to `jitter_percent`.
    // More or less.
    #[default]
    Uniform,
    /// From the normal distribution, with `jitter_percent` as its standard deviation.
    // Not below zero.
    Normal,
}

/// Delays as packets go by.
#[derive(Debug)]
pub(crate) struct Delaying {
    pub(crate) delay: Duration,
    jitter: Jitter,
    stream: Stream,
    /// Whether someone needs the normal numbers behind the law: a correlation, or losses that go with the delay.
    is_latent: bool,
    /// The last of them, once there is one, and what part of it stays in the next.
    last: Option<f64>,
    rho: f64,
    /// The second of two that were drawn together.
    spare: Option<f64>,
}

impl Delaying {
    pub(crate) fn new(delay: Duration, jitter: Jitter, loses_by_delay: bool, stream: Stream) -> Self {
        let mut new = Self { delay, jitter, stream, is_latent: false, last: None, rho: 0.0, spare: None };
        new.set(delay, jitter, loses_by_delay);
        new
    }

    pub(crate) fn set(&mut self, delay: Duration, jitter: Jitter, loses_by_delay: bool) {
        (self.delay, self.jitter) = (delay, jitter);
        self.is_latent = jitter.share > 0.0 && (jitter.correlation > 0.0 || loses_by_delay);
        self.rho = match jitter.law {
            JitterLaw::Uniform => 2.0 * libm::sin(core::f64::consts::PI * jitter.correlation / 6.0),
            JitterLaw::Normal => jitter.correlation,
        };
        if !self.is_latent {
            self.last = None;
        }
    }

    /// How long the way takes for the next packet, and how far that is above the mean, in standard deviations of a normal
    /// distribution, where someone needs it.
    pub(crate) fn next(&mut self) -> (Duration, Option<f64>) {
        let Jitter { share, law, .. } = self.jitter;
        if share == 0.0 {
            return (self.delay, None);
        }
        let latent = self.is_latent.then(|| self.latent());
        let drawn = match (law, latent) {
            (JitterLaw::Uniform, None) => 2.0 * self.stream.unit() - 1.0,
            (JitterLaw::Normal, None) => self.stream.normals().0,
            (JitterLaw::Uniform, Some(z)) => 1.0 - 2.0 * beyond(z),
            (JitterLaw::Normal, Some(z)) => z,
        };
        (Duration::from_secs_f64(self.delay.as_secs_f64() * (1.0 + share * drawn)), latent)
    }

    fn latent(&mut self) -> f64 {
        let new = self.spare.take().unwrap_or_else(|| {
            let (first, second) = self.stream.normals();
            self.spare = Some(second);
            first
        });
        let z = self.last.map_or(new, |last| joined(self.rho, last, new));
        self.last = Some(z);
        z
    }
}

/// Of two independent numbers of the standard normal distribution, one that has this correlation with the first.
pub(crate) fn joined(correlation: f64, first: f64, second: f64) -> f64 {
    correlation * first + (1.0 - correlation * correlation).sqrt() * second
}

/// The probability that a number of the standard normal distribution is above `z`.
pub(crate) fn beyond(z: f64) -> f64 {
    0.5 * libm::erfc(z * core::f64::consts::FRAC_1_SQRT_2)
}
