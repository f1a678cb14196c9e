//! Which packets a link loses.
//!
//! Spec      Bursts: Gilbert 1960, in steps of one packet, lost whenever the state is bad

use hopwright_machine::Stream;

impl Loss {
    /// The largest share that bursts of this length can lose: between two of them at least one packet arrives.
    #[must_use]
    pub const fn most(burst: f64) -> f64 {
        burst / (burst + 1.0)
    }
}

/// How often packets are lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The share lost: of all packets, or of those of `Per::REFERENCE_BYTES`.
    pub probability: f64,
    /// Whether the length of a packet matters.
    pub per: Per,
    /// Packets lost in a row, on average; 1 or less: each by itself.
    pub burst: f64,
}

/// What is lost with a probability of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Per {
    /// A packet, whatever its length.
    #[default]
    Packet,
    /// A bit: a packet is lost with any of its bits, a short one less often.
    Bit,
}

impl Per {
    /// The length of the packets that `Loss::probability` is of, bytes.
    pub const REFERENCE_BYTES: f64 = 1500.0;
}

impl Default for Loss {
    fn default() -> Self {
        Self { probability: 0.0, per: Per::Packet, burst: 1.0 }
    }
}

/// Losses as packets go by.
#[derive(Debug)]
pub(crate) struct Losing {
    loss: Loss,
    stream: Stream,
    is_bad: bool,
}

impl Losing {
    pub(crate) const fn new(loss: Loss, stream: Stream) -> Self {
        Self { loss, stream, is_bad: false }
    }

    pub(crate) fn set(&mut self, loss: Loss) {
        self.loss = loss;
        self.is_bad &= loss.probability > 0.0 && loss.burst > 1.0; // a burst does not outlive what makes it
    }

    /// Whether the packet that goes by is lost. One number is drawn for each, lost or not.
    pub(crate) fn takes(&mut self, bytes: u32) -> bool {
        let Loss { probability, per, burst } = self.loss;
        let drawn = self.stream.unit();
        if per == Per::Bit {
            let stays = libm::pow(1.0 - probability, f64::from(bytes) / Per::REFERENCE_BYTES);
            return drawn >= stays;
        }
        if burst <= 1.0 {
            return drawn < probability;
        }
        // So many packets in a row, and the share of time in the bad state is the probability.
        let (ends, begins) = (1.0 / burst, probability / (burst * (1.0 - probability)));
        self.is_bad = if self.is_bad { drawn >= ends } else { drawn < begins };
        self.is_bad
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopwright_machine::{NodeId, Purpose};

    #[test]
    fn a_burst_ends_with_the_losses() {
        let mut losing = losing(Loss { probability: 0.5, burst: 1e4, ..Loss::default() });
        while !losing.takes(1500) {}
        losing.set(Loss { probability: 0.0, burst: 1e4, ..Loss::default() });
        assert!((0..1000).all(|_| !losing.takes(1500)));
    }

    #[test]
    fn the_most_that_bursts_lose_is_lost() {
        for burst in [2.0, 4.0, 20.0] {
            let probability = Loss::most(burst);
            let mut losing = losing(Loss { probability, burst, ..Loss::default() });
            let lost = (0..100_000).filter(|_| losing.takes(1500)).count() as u32;
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
            let mut losing = losing(Loss { probability, ..Loss::default() });
            let lost = (0..100_000).filter(|_| losing.takes(1500)).count() as u32;
            assert_share(lost, 100_000, probability, 1.0);
        }
        let mut never = losing(Loss::default());
        assert!((0..10_000).all(|_| !never.takes(1500)));
        let mut always = losing(Loss { probability: 1.0, ..Loss::default() });
        assert!((0..10_000).all(|_| always.takes(40)));
    }

    #[test]
    fn short_packets_lose_fewer_bits() {
        let loss = Loss { probability: 0.05, per: Per::Bit, ..Loss::default() };
        for (bytes, share) in [(1500, 0.05), (40, 1.0 - libm::pow(0.95, 40.0 / 1500.0)), (3000, 1.0 - 0.95 * 0.95)] {
            let mut losing = losing(loss);
            let lost = (0..100_000).filter(|_| losing.takes(bytes)).count() as u32;
            assert_share(lost, 100_000, share, 1.0);
        }
    }

    #[test]
    fn bursts_are_as_long_as_asked() {
        let (probability, burst) = (0.05, 4.0);
        let mut losing = losing(Loss { probability, burst, ..Loss::default() });
        let lost: Vec<bool> = (0..400_000).map(|_| losing.takes(1500)).collect();
        let count = lost.iter().filter(|&&lost| lost).count() as u32;
        // Losses in bursts vary as if there were fewer packets.
        assert_share(count, 400_000, probability, 2.0 * burst);
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        let mean = f64::from(count) / bursts as f64;
        assert!((mean - burst).abs() < 0.1, "{mean}");
    }
}
