//! Shadowing: what obstacles do to power, as a factor whose logarithm is normal.
//!
//! Spec      Rappaport, Wireless Communications, §4.9.2 (log-normal shadowing); ns-2 manual §18.3
//! Deviates  links do not shadow each other alike, however near they are
//! Holds     a link's shadowing is the same in both directions; the median factor is 1, so that the power at a distance
//!           is half of the time above, and half of the time below, what the path loss says

use hopwright_machine::{NodeId, Purpose, Stream};

/// Where power varies, nodes are left out that would notice a frame with a smaller probability than this; where it
/// varies for two reasons, than twice this.
pub const UNHEARD: f64 = 1e-4;
/// The normal distribution's quantile that is exceeded with that probability.
const UNHEARD_SD: f64 = 3.719_016_485_455_68;

/// What obstacles do to power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shadowing {
    /// Nothing.
    None,
    /// A draw for each frame at each receiver, as in ns-2.
    Frame {
        /// Standard deviation, decibels.
        sigma_db: f64,
    },
    /// A draw for each pair of nodes, which stays.
    Link {
        /// Standard deviation, decibels.
        sigma_db: f64,
    },
}

impl Shadowing {
    /// The factor that is exceeded with probability `UNHEARD`.
    #[must_use]
    pub fn most(self) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Frame { sigma_db } | Self::Link { sigma_db } => ratio(sigma_db * UNHEARD_SD),
        }
    }

    /// The same of what varies from frame to frame alone.
    #[must_use]
    pub fn most_of_frame(self) -> f64 {
        if let Self::Frame { .. } = self { self.most() } else { 1.0 }
    }

    /// What stays with a link between two nodes, the same from either end.
    #[must_use]
    pub fn of_link(self, seed: u64, a: NodeId, b: NodeId) -> f64 {
        match self {
            Self::Link { sigma_db } => {
                let mut stream = Stream::of_link(seed, a.min(b), a.max(b), Purpose::LinkShadowing);
                ratio(sigma_db * stream.normals().0)
            }
            Self::None | Self::Frame { .. } => 1.0,
        }
    }

    /// What happens to one frame at one receiver.
    pub fn of_frame(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Frame { sigma_db } => ratio(sigma_db * stream.normals().0),
            Self::None | Self::Link { .. } => 1.0,
        }
    }
}

fn ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn db(ratio: f64) -> f64 {
        10.0 * libm::log10(ratio)
    }

    /// Shares of draws above the median, above one and above two standard deviations.
    fn check(draws: impl Iterator<Item = f64>, sigma_db: f64) {
        let draws: Vec<f64> = draws.map(|factor| db(factor) / sigma_db).collect();
        for (sd, share) in [(0.0, 0.5), (1.0, 0.158_655), (2.0, 0.022_750)] {
            let found = draws.iter().filter(|&&x| x > sd).count() as f64 / draws.len() as f64;
            let error = (share * (1.0 - share) / draws.len() as f64).sqrt();
            assert!((found - share).abs() < 4.0 * error, "{found} of draws above {sd} sd");
        }
    }

    #[test]
    fn draws_have_the_quantiles_of_the_log_normal_distribution() {
        let mut stream = Stream::new(1, NodeId(0), Purpose::Shadowing);
        let shadowing = Shadowing::Frame { sigma_db: 6.0 };
        check((0..40_000).map(|_| shadowing.of_frame(&mut stream)), 6.0);
        let shadowing = Shadowing::Link { sigma_db: 4.0 };
        let pairs = (0..200).flat_map(|a| (a + 1..200).map(move |b| (NodeId(a), NodeId(b))));
        check(pairs.map(|(a, b)| shadowing.of_link(3, a, b)), 4.0);
    }

    #[test]
    fn a_link_keeps_its_factor_in_both_directions() {
        let shadowing = Shadowing::Link { sigma_db: 8.0 };
        let of = |a, b| shadowing.of_link(5, NodeId(a), NodeId(b));
        assert_eq!(of(3, 70).to_bits(), of(70, 3).to_bits());
        assert_ne!(of(3, 70), of(3, 71));
        assert_ne!(of(3, 70), shadowing.of_link(6, NodeId(3), NodeId(70)));
        assert_eq!(Shadowing::None.of_link(5, NodeId(3), NodeId(70)), 1.0);
    }

    #[test]
    fn the_most_is_exceeded_as_rarely_as_is_said() {
        // The tail of the normal distribution at that point.
        let tail = 0.5 * libm::erfc(UNHEARD_SD / core::f64::consts::SQRT_2);
        assert!((tail / UNHEARD - 1.0).abs() < 1e-9, "{tail}");
        assert!((db(Shadowing::Link { sigma_db: 8.0 }.most()) - 29.752_131_9).abs() < 1e-6);
        assert_eq!(Shadowing::None.most(), 1.0);
        // A link's factor is the same for all its frames.
        let (frame, link) = (Shadowing::Frame { sigma_db: 8.0 }, Shadowing::Link { sigma_db: 8.0 });
        assert_eq!((frame.most_of_frame(), link.most_of_frame()), (frame.most(), 1.0));
        let mut stream = Stream::new(1, NodeId(0), Purpose::Shadowing);
        assert_eq!((link.of_frame(&mut stream), Shadowing::None.of_frame(&mut stream)), (1.0, 1.0));
        assert_eq!(frame.of_link(5, NodeId(3), NodeId(70)), 1.0);
    }
}
