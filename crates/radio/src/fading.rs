//! Fading: what many paths do to power, frame by frame.
//!
//! Spec      Rappaport, Wireless Communications, §5.6.1 (Rayleigh), §5.6.2 (Ricean)
//! Deviates  a frame has one draw for its whole length, and frames that follow each other are independent (block
//!           fading)
//! Holds     the factor has mean 1

use core::f64::consts::TAU;

use hopwright_machine::Stream;

use crate::shadowing::UNHEARD;

/// What many paths do to power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fading {
    /// Nothing.
    None,
    /// A direct path and many others.
    Ricean {
        /// How many times as strong the direct path is as all others together; 0: there is none (Rayleigh).
        k: f64,
    },
}

impl Fading {
    /// A factor that is exceeded with probability `UNHEARD` at the most. With a direct path the amplitude is at the
    /// most the sum of both parts'; of the other paths together, whose power is exponential, that bounds the tail.
    #[must_use]
    pub fn most(self) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Ricean { k } => {
                let amplitude = k.sqrt() + (-libm::log(UNHEARD)).sqrt();
                amplitude * amplitude / (k + 1.0)
            }
        }
    }

    /// What happens to one frame at one receiver.
    pub fn of_frame(self, stream: &mut Stream) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Ricean { k } => {
                // The other paths add up to a complex normal amplitude: its power is exponential, its phase uniform.
                let (direct, others) = (k / (k + 1.0), stream.exponential() / (k + 1.0));
                let phase = stream.unit() * TAU;
                direct + others + 2.0 * (direct * others).sqrt() * libm::cos(phase)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{NodeId, Purpose};

    use super::*;

    fn draws(k: f64, n: usize) -> Vec<f64> {
        let mut stream = Stream::new(2, NodeId(0), Purpose::Fading);
        (0..n).map(|_| Fading::Ricean { k }.of_frame(&mut stream)).collect()
    }

    /// Marcum's Q1(a, b) as the sum of Poisson-weighted gamma tails: the probability that a Ricean amplitude exceeds b.
    fn marcum_q(a: f64, b: f64) -> f64 {
        let (x, y) = (a * a / 2.0, b * b / 2.0);
        let (mut weight, mut term) = (libm::exp(-x), libm::exp(-y));
        let (mut tail, mut q) = (term, weight * term);
        for n in 1..400 {
            weight *= x / f64::from(n);
            term *= y / f64::from(n);
            tail += term;
            q += weight * tail;
        }
        q
    }

    #[test]
    fn without_fading_power_stays_as_it_is_and_nothing_is_drawn() {
        let fresh = || Stream::new(2, NodeId(0), Purpose::Fading);
        let mut stream = fresh();
        assert_eq!(Fading::None.of_frame(&mut stream), 1.0);
        assert_eq!(stream.unit(), fresh().unit());
    }

    #[test]
    fn rayleigh_outage_is_exponential() {
        // Below 1/snr of the mean: 1 - exp(-1/snr).
        let all = draws(0.0, 100_000);
        for margin in [0.05, 0.2, 1.0, 3.0] {
            let expected = 1.0 - libm::exp(-margin);
            let found = all.iter().filter(|&&x| x < margin).count() as f64 / all.len() as f64;
            let error = (expected * (1.0 - expected) / all.len() as f64).sqrt();
            assert!((found - expected).abs() < 4.0 * error, "{margin}: {found}, not {expected}");
        }
    }

    #[test]
    fn ricean_outage_is_marcums_q() {
        for k in [0.0, 1.0, 4.0, 20.0] {
            let all = draws(k, 100_000);
            for level in [0.3, 0.8, 1.0, 1.5] {
                let (a, b) = ((2.0 * k).sqrt(), (2.0 * (k + 1.0) * level).sqrt());
                let expected = 1.0 - marcum_q(a, b);
                let found = all.iter().filter(|&&x| x < level).count() as f64 / all.len() as f64;
                let error = (expected * (1.0 - expected) / all.len() as f64).sqrt();
                assert!((found - expected).abs() < 4.0 * error + 1e-9, "k {k}, {level}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn power_has_mean_one_and_the_variance_of_its_k() {
        for k in [0.0, 0.5, 4.0, 100.0] {
            let all = draws(k, 100_000);
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / all.len() as f64;
            let expected = (1.0 + 2.0 * k) / ((1.0 + k) * (1.0 + k));
            assert!((mean - 1.0).abs() < 4.0 * (expected / all.len() as f64).sqrt(), "k {k}: mean {mean}");
            assert!((variance / expected - 1.0).abs() < 0.05, "k {k}: variance {variance}, not {expected}");
        }
    }

    #[test]
    fn the_most_is_exceeded_no_more_often_than_is_said() {
        assert!((Fading::Ricean { k: 0.0 }.most() + libm::log(UNHEARD)).abs() < 1e-12, "Rayleigh: just so often");
        for k in [0.1, 1.0, 4.0, 30.0] {
            let most = Fading::Ricean { k }.most();
            let tail = marcum_q((2.0 * k).sqrt(), (2.0 * (k + 1.0) * most).sqrt());
            assert!(tail <= UNHEARD && tail > UNHEARD / 20.0, "k {k}: {tail}");
        }
        assert_eq!(Fading::None.most(), 1.0);
    }
}
