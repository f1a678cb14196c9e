//! Named random streams: one per (run, node, purpose).
//!
//! Changing one protocol leaves everybody else's draws as they were, so variants are compared on common
//! random numbers. The generator is ChaCha with 8 rounds (published vectors, disjoint streams by
//! construction); the run's seed fills the key, node and purpose choose the stream. The samplers are ours,
//! on integers and `libm`, so that the bits are the same on every machine.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::{Duration, NodeId};

/// What a stream is drawn for. The number is part of the stream's name: never reuse or renumber.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Purpose {
    /// Back-off counters of the MAC.
    Backoff = 1,
    /// Placement of nodes.
    Placement = 2,
    /// Choice of a flow's ends.
    Traffic = 3,
    /// Gaps between packets of a source.
    Application = 4,
    /// Jitter of routing messages.
    Routing = 5,
    /// Initial sequence numbers and other draws of a transport.
    Transport = 6,
    /// The way of a node through the area.
    Mobility = 7,
    /// Which packets Link RED marks or drops.
    LinkRed = 8,
    /// Shadowing of each frame.
    Shadowing = 9,
    /// Fading of each frame.
    Fading = 10,
    /// Whether noise and interference damage a frame.
    BitErrors = 11,
    /// Whether a frame is damaged for no reason that power gives.
    FrameErrors = 12,
    /// Good and bad times of a link.
    LinkState = 13,
    /// Shadowing that stays with a pair of nodes.
    LinkShadowing = 14,
    /// Which diagnoses of losses are wrong on purpose.
    Diagnosis = 15,
    /// Which events of many are looked at.
    Sampling = 16,
    /// The ups and downs of a shaped link's rate.
    LinkRate = 17,
    /// Which packets a shaped link loses.
    LinkLoss = 18,
    /// How long each packet is on its way over a shaped link.
    LinkDelay = 19,
    /// Which packets of a shaped link go ahead of others.
    LinkOrder = 20,
    /// Which packets of a shaped link arrive twice.
    LinkCopies = 21,
    /// Which pipe of its profile each packet of a shaped link takes.
    LinkPipes = 22,
    /// How long nodes wait before they pass on a packet to a group.
    Multicast = 23,
}

/// One stream of random numbers.
#[derive(Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream for `purpose` at `node` in the run with this `seed`.
    #[must_use]
    pub fn new(seed: u64, node: NodeId, purpose: Purpose) -> Self {
        let mut key = [0u8; 32];
        for (word, chunk) in key.chunks_exact_mut(8).enumerate() {
            chunk.copy_from_slice(&split_mix(seed.wrapping_add(word as u64 + 1)).to_le_bytes());
        }
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream((u64::from(node.0) << 32) | purpose as u64);
        Self(rng)
    }

    /// A stream of the way from one node to another, beside those of all other pairs: blocks of the first node's stream
    /// that belong to the second, 2^32 of them.
    #[must_use]
    pub fn of_link(seed: u64, from: NodeId, to: NodeId, purpose: Purpose) -> Self {
        let Self(mut rng) = Self::new(seed, from, purpose);
        rng.set_block_pos(u64::from(to.0) << 32);
        Self(rng)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An integer in `0..n`, each equally likely (Lemire 2019, with rejection). `n` must not be zero.
    pub fn below(&mut self, n: u32) -> u32 {
        assert!(n > 0, "an empty range has no member");
        let mut product = u64::from(self.0.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let reject = n.wrapping_neg() % n;
            while (product as u32) < reject {
                product = u64::from(self.0.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// A real number in [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Two independent draws from the normal distribution with mean 0 and variance 1 (Box and Muller 1958).
    pub fn normals(&mut self) -> (f64, f64) {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        let angle = self.unit() * core::f64::consts::TAU;
        (radius * libm::cos(angle), radius * libm::sin(angle))
    }

    /// A draw from the exponential distribution with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// A span in [0, `limit`).
    pub fn duration_below(&mut self, limit: Duration) -> Duration {
        Duration::from_nanos((self.unit() * limit.as_nanos() as f64) as u64)
    }
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014): spreads a small seed over all bits.
const fn split_mix(x: u64) -> u64 {
    let mut z = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_node_and_purpose_and_repeat() {
        let draw = |seed, node, purpose| Stream::new(seed, NodeId(node), purpose).bits();
        let first = draw(1, 0, Purpose::Backoff);
        assert_eq!(first, draw(1, 0, Purpose::Backoff));
        assert_ne!(first, draw(2, 0, Purpose::Backoff));
        assert_ne!(first, draw(1, 1, Purpose::Backoff));
        assert_ne!(first, draw(1, 0, Purpose::Routing));
    }

    #[test]
    fn streams_of_links_differ_by_both_ends_and_by_direction() {
        let draw = |from, to| Stream::of_link(1, NodeId(from), NodeId(to), Purpose::LinkState).bits();
        let all = [draw(0, 1), draw(1, 0), draw(0, 2), draw(0, 9_999), draw(9_999, 0)];
        assert!(all.iter().enumerate().all(|(n, x)| !all[n + 1..].contains(x)), "{all:?}");
        assert_eq!(draw(0, 2), all[2]);
    }

    #[test]
    fn normal_and_exponential_draws_have_their_moments_and_tails() {
        let mut stream = Stream::new(7, NodeId(3), Purpose::Shadowing);
        let n = 100_000;
        let pairs: Vec<(f64, f64)> = (0..n).map(|_| stream.normals()).collect();
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / f64::from(n);
        assert!(mean(&|p| p.0).abs() < 0.013 && mean(&|p| p.1).abs() < 0.013, "4 standard errors");
        assert!((mean(&|p| p.0 * p.0) - 1.0).abs() < 0.018 && mean(&|p| p.0 * p.1).abs() < 0.013);
        let beyond = mean(&|p| f64::from(u8::from(p.0 > 1.281_552))); // the 90 % quantile
        assert!((beyond - 0.1).abs() < 0.004, "{beyond}");
        let over = (0..n).filter(|_| stream.exponential() > core::f64::consts::LN_10).count() as f64 / f64::from(n);
        assert!((over - 0.1).abs() < 0.004, "{over}");
    }

    #[test]
    fn below_is_uniform() {
        let mut stream = Stream::new(7, NodeId(3), Purpose::Backoff);
        let mut counts = [0u32; 31];
        for _ in 0..310_000 {
            counts[stream.below(31) as usize] += 1;
        }
        // Chi-square with 30 degrees of freedom: 59.7 is exceeded with probability 0.001.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0) * (f64::from(c) - 10_000.0) / 10_000.0).sum();
        assert!(chi2 < 59.7, "chi-square {chi2}");
    }

    #[test]
    fn unit_stays_inside() {
        let mut stream = Stream::new(7, NodeId(3), Purpose::Application);
        let mean = (0..10_000).map(|_| stream.unit()).inspect(|u| assert!((0.0..1.0).contains(u))).sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.015, "mean {mean}");
    }
}
