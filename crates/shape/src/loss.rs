//! Which packets a link loses.
//!
//! Spec      Bursts: Gilbert 1960 and Elliott 1963, in steps of one packet: a good and a bad state, each with its own
//!           probability of loss. With the letters of the literature, p = `begins`, r = `ends`, 1 - k = `good`, 1 - h = `bad`.
//!           The state goes on first, and then the packet is lost or not; netem's `loss gemodel` does it the other way
//!           round, which is the same process one packet earlier
//!           Losses that go with the delay: a Gaussian copula. The packet has a normal number that is correlated with the
//!           one behind its jitter (`delay`), and is lost if that is among the share of the greatest. So the share lost
//!           is the one stated, whatever the correlation

use std::sync::Arc;

use hopwright_machine::{Duration, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::delay::{beyond, joined};
use crate::recorded::LossRecord;

/// Which packets are lost.
#[derive(Clone, Debug, PartialEq)]
pub enum Loss {
    /// Each with the same probability.
    Each {
        /// The share lost: of all packets, or of those of `Per::REFERENCE_BYTES`.
        probability: f64,
        /// Whether the length of a packet matters.
        per: Per,
        /// How losses go with the delay, -1 to 1: above 0 a packet is lost more often if it takes longer. Of the normal
        /// numbers behind both; without jitter it means nothing.
        delay_correlation: f64,
    },
    /// By the state of the link.
    States(GilbertElliott),
    /// As recorded.
    Recorded(Arc<LossRecord>),
}

/// A link that is good or bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// The probability that with the next packet a good link becomes bad (p).
    pub begins: f64,
    /// The probability that with the next packet a bad one becomes good (r).
    pub ends: f64,
    /// The share lost while it is good (1 - k).
    pub good: f64,
    /// The share lost while it is bad (1 - h).
    pub bad: f64,
    /// How much longer the way takes while it is bad.
    pub bad_delay: Duration,
}

impl GilbertElliott {
    /// The share of packets that meet a bad link.
    #[must_use]
    pub fn bad_share(&self) -> f64 {
        if self.begins == 0.0 { 0.0 } else { self.begins / (self.begins + self.ends) }
    }
}

/// What is lost with a probability of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// Each packet is lost with the same probability, whatever its length.
    #[default]
    Packet,
    /// Each bit is lost with the same probability, and the packet with the bit. `loss_percent` holds for packets of
    /// 1500 bytes.
    // A packet is lost with any of its bits, a short one less often.
    Bit,
}

impl Per {
    /// The length of the packets that a probability is of, bytes.
    pub const REFERENCE_BYTES: f64 = 1500.0;
}

impl Default for Loss {
    fn default() -> Self {
        Self::each(0.0)
    }
}

impl Loss {
    /// This share of packets, each by itself.
    #[must_use]
    pub const fn each(probability: f64) -> Self {
        Self::Each { probability, per: Per::Packet, delay_correlation: 0.0 }
    }

    /// This share of packets, so many in a row on average (Gilbert): what is above 1, and not more than `most` allows.
    #[must_use]
    pub fn bursts(probability: f64, burst: f64) -> Self {
        let (begins, ends) = (probability / (burst * (1.0 - probability)), 1.0 / burst);
        Self::States(GilbertElliott { begins, ends, good: 0.0, bad: 1.0, bad_delay: Duration::ZERO })
    }

    /// The largest share that bursts of this length can lose: between two of them at least one packet arrives.
    #[must_use]
    pub const fn most(burst: f64) -> f64 {
        burst / (burst + 1.0)
    }

    /// The share lost in the long run, of packets of `Per::REFERENCE_BYTES`.
    #[must_use]
    pub fn share(&self) -> f64 {
        match self {
            Self::Each { probability, .. } => *probability,
            Self::States(states) => {
                let is_bad = states.bad_share();
                is_bad * states.bad + (1.0 - is_bad) * states.good
            }
            Self::Recorded(record) => record.share(),
        }
    }

    /// Whether a loss goes with the delay.
    pub(crate) fn goes_by_delay(&self) -> bool {
        matches!(self, Self::Each { delay_correlation, .. } if *delay_correlation != 0.0)
    }
}

/// Losses as packets go by.
#[derive(Debug)]
pub(crate) struct Losing {
    loss: Loss,
    stream: Stream,
    is_bad: bool,
    /// Packets of a record that have gone by.
    gone_by: u64,
}

impl Losing {
    pub(crate) const fn new(loss: Loss, stream: Stream) -> Self {
        Self { loss, stream, is_bad: false, gone_by: 0 }
    }

    pub(crate) fn set(&mut self, loss: Loss) {
        // A burst does not outlive what makes it; a record that stays goes on.
        self.is_bad &= matches!(loss, Loss::States(states) if states.begins > 0.0);
        if matches!(loss, Loss::Recorded(_)) && self.loss != loss {
            self.gone_by = 0;
        }
        self.loss = loss;
    }

    /// The pipe of a profile says the probability.
    pub(crate) const fn set_probability(&mut self, of_pipe: f64) {
        if let Loss::Each { probability, .. } = &mut self.loss {
            *probability = of_pipe;
        }
    }

    /// How much longer the way takes in the state of the link.
    pub(crate) const fn extra(&self) -> Duration {
        match &self.loss {
            Loss::States(states) if self.is_bad => states.bad_delay,
            _ => Duration::ZERO,
        }
    }

    /// Whether the packet that goes by is lost. Where each is by itself, one number is drawn for each, lost or not.
    /// `latent`: how its delay came about, where losses go with it.
    pub(crate) fn takes(&mut self, bytes: u32, latent: Option<f64>) -> bool {
        match &self.loss {
            Loss::Each { probability, per, delay_correlation } => {
                let stays = match per {
                    Per::Packet => 1.0 - probability,
                    Per::Bit => libm::pow(1.0 - probability, f64::from(bytes) / Per::REFERENCE_BYTES),
                };
                if let Some(latent) = latent.filter(|_| *delay_correlation != 0.0) {
                    let own = self.stream.normals().0;
                    return beyond(joined(*delay_correlation, latent, own)) < 1.0 - stays;
                }
                let drawn = self.stream.unit();
                if *per == Per::Bit { drawn >= stays } else { drawn < *probability }
            }
            Loss::States(states) => {
                let drawn = self.stream.unit();
                self.is_bad = if self.is_bad { drawn >= states.ends } else { drawn < states.begins };
                let share = if self.is_bad { states.bad } else { states.good };
                // Nothing is drawn for what is certain.
                share > 0.0 && (share >= 1.0 || self.stream.unit() < share)
            }
            Loss::Recorded(record) => {
                self.gone_by += 1;
                record.is_lost(self.gone_by - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopwright_machine::{NodeId, Purpose};

    #[test]
    fn a_burst_ends_with_the_losses() {
        let mut losing = losing(Loss::bursts(0.5, 1e4));
        while !losing.takes(1500, None) {}
        losing.set(Loss::bursts(0.0, 1e4));
        assert!((0..1000).all(|_| !losing.takes(1500, None)));
    }

    #[test]
    fn the_most_that_bursts_lose_is_lost() {
        for burst in [2.0, 4.0, 20.0] {
            let probability = Loss::most(burst);
            let mut losing = losing(Loss::bursts(probability, burst));
            let lost = (0..100_000).filter(|_| losing.takes(1500, None)).count() as u32;
            assert_share(lost, 100_000, probability, 2.0 * burst);
        }
    }

    fn losing(loss: Loss) -> Losing {
        Losing::new(loss, Stream::new(1, NodeId(0), Purpose::LinkLoss))
    }

    /// Lost packets of so many are within three standard deviations of what is expected.
    fn assert_share(lost: u32, of: u32, probability: f64, more: f64) {
        let sd = (f64::from(of) * probability * (1.0 - probability) * more).sqrt();
        let off = f64::from(lost) - f64::from(of) * probability;
        assert!(off.abs() < 3.0 * sd, "{lost} of {of}, {probability} expected");
    }

    #[test]
    fn a_share_of_packets_is_lost() {
        for probability in [0.001, 0.01, 0.05, 0.3] {
            let mut losing = losing(Loss::each(probability));
            let lost = (0..100_000).filter(|_| losing.takes(1500, None)).count() as u32;
            assert_share(lost, 100_000, probability, 1.0);
        }
        let mut never = losing(Loss::default());
        assert!((0..10_000).all(|_| !never.takes(1500, None)));
        let mut always = losing(Loss::each(1.0));
        assert!((0..10_000).all(|_| always.takes(40, None)));
    }

    #[test]
    fn short_packets_lose_fewer_bits() {
        let loss = Loss::Each { probability: 0.05, per: Per::Bit, delay_correlation: 0.0 };
        for (bytes, share) in [(1500, 0.05), (40, 1.0 - libm::pow(0.95, 40.0 / 1500.0)), (3000, 1.0 - 0.95 * 0.95)] {
            let mut losing = losing(loss.clone());
            let lost = (0..100_000).filter(|_| losing.takes(bytes, None)).count() as u32;
            assert_share(lost, 100_000, share, 1.0);
        }
    }

    #[test]
    fn bursts_are_as_long_as_asked() {
        let (probability, burst) = (0.05, 4.0);
        let mut losing = losing(Loss::bursts(probability, burst));
        let lost: Vec<bool> = (0..400_000).map(|_| losing.takes(1500, None)).collect();
        let count = lost.iter().filter(|&&lost| lost).count() as u32;
        // Losses in bursts vary as if there were fewer packets.
        assert_share(count, 400_000, probability, 2.0 * burst);
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        let mean = f64::from(count) / bursts as f64;
        assert!((mean - burst).abs() < 0.1, "{mean}");
    }
}
