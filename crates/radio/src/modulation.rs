//! How often bits are wrong: the four modulations of 802.11b in white noise, and by `ofdm` those of 802.11a and 802.11g.
//!
//! Spec      IEEE 802.11-1999 §15 (1 and 2 Mb/s: DBPSK, DQPSK, spread by 11 chips), IEEE 802.11b-1999 §18 (5.5 and 11
//!           Mb/s: CCK). DBPSK and DQPSK: Proakis, Digital Communications, §5.2-8; the latter as Simon and Alouini,
//!           Digital Communication over Fading Channels, ch. 8, write it. CCK: Pursley and Royster, IEEE Trans. Comm.
//!           57(2) 2009, eq. 17 and 18, in the form that ns-3's DsssErrorRateModel gives them
//! Deviates  a wrong symbol of CCK is counted once, however many of its bits are wrong; interference is taken for noise
//! Holds     less noise never makes errors likelier

use core::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2, TAU};

use crate::Ofdm;

/// Bandwidth in which noise counts, hertz: the width of a channel (IEEE 802.11b-1999 §18.4.7.3).
const BANDWIDTH_HZ: f64 = 22e6;
/// Chips per second.
const SYMBOLS_HZ: f64 = 1e6;
/// Symbols of CCK per second, of 8 chips each.
const CCK_SYMBOLS_HZ: f64 = 1.375e6;
/// From this signal-to-noise ratio on no bit of 802.11b is wrong: an error of 11 Mb/s, the most sensitive, is rarer than 1e-14.
const PERFECT: f64 = 16.0;

/// How bits become a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Differential binary phase shift keying: 1 Mb/s.
    Dbpsk,
    /// Differential quadrature phase shift keying: 2 Mb/s.
    Dqpsk,
    /// Complementary code keying, 4 bits in a symbol: 5.5 Mb/s.
    Cck5,
    /// The same with 8 bits in a symbol: 11 Mb/s.
    Cck11,
    /// Subcarriers: 6 to 54 Mb/s.
    Ofdm(Ofdm),
}

impl Modulation {
    /// Those of 802.11b, from the slowest to the fastest.
    pub const DSSS: [Self; 4] = [Self::Dbpsk, Self::Dqpsk, Self::Cck5, Self::Cck11];

    /// The modulation with this rate, bit/s. No two have the same.
    #[must_use]
    pub fn of_rate(bps: u64) -> Option<Self> {
        let all = Self::DSSS.into_iter().chain(Ofdm::ALL.map(Self::Ofdm));
        all.into_iter().find(|modulation| modulation.rate_bps() == bps as f64)
    }

    /// Its rate, bit/s.
    #[must_use]
    pub const fn rate_bps(self) -> f64 {
        match self {
            Self::Dbpsk => 1e6,
            Self::Dqpsk => 2e6,
            Self::Cck5 => 5.5e6,
            Self::Cck11 => 11e6,
            Self::Ofdm(rate) => rate.mbps() as f64 * 1e6,
        }
    }

    /// The probability that none of so many bits is wrong. `sinr`: power of the signal over that of noise and
    /// interference in the whole channel, a ratio.
    #[must_use]
    pub fn success(self, sinr: f64, bits: f64) -> f64 {
        if sinr >= PERFECT && !matches!(self, Self::Ofdm(_)) {
            return 1.0;
        }
        let (error, bits_each) = self.error(sinr);
        libm::exp(bits / bits_each * libm::log1p(-error.min(1.0)))
    }

    /// The probability that a unit is wrong, and how many bits a unit is: a bit, or a symbol of CCK.
    fn error(self, sinr: f64) -> (f64, f64) {
        match self {
            Self::Dbpsk => (0.5 * libm::exp(-sinr * BANDWIDTH_HZ / SYMBOLS_HZ), 1.0),
            Self::Dqpsk => (dqpsk(sinr * BANDWIDTH_HZ / SYMBOLS_HZ / 2.0), 1.0),
            Self::Cck5 => (wrong_of_16(sinr * BANDWIDTH_HZ / CCK_SYMBOLS_HZ / 2.0), 4.0),
            Self::Cck11 => {
                // As two symbols of which each has half of the energy.
                let half = wrong_of_16(sinr * BANDWIDTH_HZ / CCK_SYMBOLS_HZ / 4.0);
                (half * (2.0 - half), 8.0)
            }
            Self::Ofdm(rate) => (rate.error(sinr), 1.0),
        }
    }
}

/// Bit errors of DQPSK with Gray coding, by the energy of a bit over the noise density: Q1(a, b) - I0(ab) exp(-(a^2 +
/// b^2)/2)/2 as an integral over a whole period, for which equal steps are exact soon.
fn dqpsk(ebn0: f64) -> f64 {
    const STEPS: u32 = 64;
    // b^2/2, and a/b squared: Proakis has a^2 = 2 (1 - 1/sqrt 2) Eb/N0 and b^2 = 2 (1 + 1/sqrt 2) Eb/N0.
    let half_b2 = ebn0 * (1.0 + FRAC_1_SQRT_2);
    let zeta2 = (1.0 - FRAC_1_SQRT_2) / (1.0 + FRAC_1_SQRT_2);
    let zeta = zeta2.sqrt();
    let part = |n: u32| {
        let u = 1.0 + 2.0 * zeta * libm::sin(TAU * f64::from(n) / f64::from(STEPS)) + zeta2;
        (1.0 - zeta2) / u * libm::exp(-half_b2 * u)
    };
    0.5 * (0..STEPS).map(part).sum::<f64>() / f64::from(STEPS)
}

/// The probability that one of 16 biorthogonal symbols is taken for another: 1 - the integral of (2 Phi(x + beta) -
/// 1)^7 phi(x) over x > -beta, with beta^2 = 2 e. Integrated as what is lacking, so that small errors are exact.
fn wrong_of_16(e: f64) -> f64 {
    const STEPS: u32 = 240;
    /// Beyond, the normal density is nothing.
    const FAR: f64 = 9.0;
    let beta = (2.0 * e).sqrt();
    let (low, step) = (-beta.min(FAR), (beta.min(FAR) + FAR) / f64::from(STEPS));
    let lacking = |x: f64| {
        let missed = libm::erfc((x + beta) / SQRT_2); // 2 Q(x + beta)
        let wrong = if missed < 1.0 { -libm::expm1(7.0 * libm::log1p(-missed)) } else { 1.0 };
        wrong * libm::exp(-x * x / 2.0) / (2.0 * PI).sqrt()
    };
    // Simpson's rule.
    let weight = |n: u32| if n == 0 || n == STEPS { 1.0 } else { f64::from(2 + 2 * (n % 2)) };
    let sum: f64 = (0..=STEPS).map(|n| weight(n) * lacking(low + step * f64::from(n))).sum();
    sum * step / 3.0 + 0.5 * libm::erfc(beta / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(db: f64) -> f64 {
        libm::pow(10.0, db / 10.0)
    }

    #[test]
    fn dbpsk_is_half_the_exponential() {
        // Eb/N0 of 10 dB: 0.5 exp(-10) = 2.27e-5, the textbook's point.
        let bit = 1.0 - Modulation::Dbpsk.success(10.0 / 22.0, 1.0);
        assert!((bit / 2.269_996_5e-5 - 1.0).abs() < 1e-6, "{bit}");
    }

    /// Proakis §5.2-8: Q1(a, b) - I0(ab) exp(-(a^2 + b^2)/2)/2.
    fn exact_dqpsk(ebn0: f64) -> f64 {
        let (a2, b2) = (2.0 * ebn0 * (1.0 - 1.0 / SQRT_2), 2.0 * ebn0 * (1.0 + 1.0 / SQRT_2));
        // Marcum's Q1 and I0 from one series: sum of (a/b)^n I_n(ab).
        let ab = (a2 * b2).sqrt();
        let bessel = |n: u32| {
            let (mut term, mut sum) = ((1..=n).fold(1.0, |t, i| t * ab / 2.0 / f64::from(i)), 0.0);
            for m in 0..400u32 {
                sum += term;
                term *= ab * ab / 4.0 / (f64::from(m + 1) * f64::from(m + 1 + n));
            }
            sum
        };
        let q1: f64 = (0..60).map(|n| libm::pow((a2 / b2).sqrt(), f64::from(n)) * bessel(n)).sum();
        (q1 - 0.5 * bessel(0)) * libm::exp(-(a2 + b2) / 2.0)
    }

    #[test]
    fn dqpsk_is_what_its_series_gives() {
        for db in [-10.0, -3.0, 0.0, 5.0, 7.0, 9.0, 11.0, 12.0] {
            let (ours, series) = (dqpsk(ratio(db)), exact_dqpsk(ratio(db)));
            assert!((ours / series - 1.0).abs() < 1e-6, "{db} dB: {ours}, not {series}");
        }
        assert!((dqpsk(0.0) - 0.5).abs() < 1e-12, "nothing but noise");
        // 2.3 dB worse than coherent QPSK: 1e-5 at about 11.9 dB instead of 9.6.
        assert!((libm::log10(dqpsk(ratio(11.9))) + 5.0).abs() < 0.15);
    }

    #[test]
    fn cck_meets_its_bounds() {
        // Of 15 wrong symbols, 14 are orthogonal to the right one and one is its opposite: the union bound, tight at
        // the end.
        let q = |x: f64| 0.5 * libm::erfc(x / SQRT_2);
        for (e, tight) in [(8.0_f64, 0.7), (16.0, 0.9), (30.0, 0.97), (60.0, 0.99)] {
            let bound = 14.0 * q(e.sqrt()) + q((2.0 * e).sqrt());
            let wrong = wrong_of_16(e);
            assert!(wrong < bound && wrong > tight * bound, "{e}: {wrong}, bound {bound}");
        }
        assert!((wrong_of_16(0.0) - 15.0 / 16.0).abs() < 1e-6, "nothing but noise: one of 16");
    }

    /// 1 - the integral over x > -beta of (2 Phi(x + beta) - 1)^7 phi(x), as it stands, in steps as small as it takes.
    #[test]
    fn cck_is_its_integral() {
        for e in [0.0_f64, 0.1, 0.5, 1.0, 2.0, 4.0, 6.0, 20.0] {
            let beta = (2.0 * e).sqrt();
            let both = |x: f64| libm::erf((x + beta) / SQRT_2); // 2 Phi(x + beta) - 1
            let density = |x: f64| libm::exp(-x * x / 2.0) / (2.0 * PI).sqrt();
            let steps = 200_000;
            let step = (beta + 12.0) / f64::from(steps);
            let right: f64 = (0..steps)
                .map(|n| -beta + (f64::from(n) + 0.5) * step)
                .map(|x| libm::pow(both(x), 7.0) * density(x) * step)
                .sum();
            assert!((wrong_of_16(e) - (1.0 - right)).abs() < 1e-8, "{e}: {}, not {}", wrong_of_16(e), 1.0 - right);
        }
    }

    #[test]
    fn in_nothing_but_noise_each_symbol_is_guessed() {
        // One bit of two, one symbol of 16, and of 256 as two of 16.
        let guesses =
            [(Modulation::Dbpsk, 1.0, 0.5), (Modulation::Dqpsk, 1.0, 0.5), (Modulation::Cck5, 4.0, 1.0 / 16.0)];
        for (modulation, bits, right) in guesses.into_iter().chain([(Modulation::Cck11, 8.0, 1.0 / 256.0)]) {
            let found = modulation.success(0.0, bits);
            assert!((found - right).abs() < 1e-6, "{modulation:?}: {found}");
        }
    }

    #[test]
    fn each_rate_errs_by_the_energy_of_its_symbols() {
        let q = |x: f64| 0.5 * libm::erfc(x / SQRT_2);
        let lost = |modulation: Modulation, sinr| 1.0 - modulation.success(sinr, 8000.0);
        // 802.11b §18.4.6: 8 chips at 11 Mchip/s are a symbol, which has 22/1.375 times the ratio in the channel. The
        // error model takes half of it as the distance to each of 14 orthogonal symbols, all to the opposite one.
        let bound = |e: f64| 14.0 * q(e.sqrt()) + q((2.0 * e).sqrt());
        for sinr in [4.0, 5.0] {
            let expected = 8000.0 / 4.0 * bound(22.0 / 1.375 * sinr / 2.0);
            let found = lost(Modulation::Cck5, sinr) / expected;
            assert!(found > 0.97 && found < 1.0, "5.5 Mb/s, {sinr}: {found}");
        }
        for sinr in [8.0, 10.0] {
            // A symbol of 8 bits is two of 4, each with half of the energy: either may be wrong.
            let expected = 8000.0 / 8.0 * 2.0 * bound(22.0 / 1.375 * sinr / 4.0);
            let found = lost(Modulation::Cck11, sinr) / expected;
            assert!(found > 0.97 && found < 1.0, "11 Mb/s, {sinr}: {found}");
        }
        // §15: a symbol lasts 1 µs, and has two bits at 2 Mb/s.
        let bit = 1.0 - Modulation::Dqpsk.success(1.0, 1.0);
        assert!((bit / exact_dqpsk(22.0 / 2.0) - 1.0).abs() < 1e-6, "2 Mb/s: {bit}");
    }

    #[test]
    fn above_the_limit_no_bit_is_wrong() {
        // The most sensitive rate errs less often than 1e-14 there, and a little below it still could.
        assert_eq!(Modulation::Cck11.success(PERFECT, 1e6), 1.0);
        let (symbol, _) = Modulation::Cck11.error(PERFECT);
        assert!(symbol > 0.0 && symbol < 1e-13, "{symbol}");
    }

    #[test]
    fn each_rate_needs_more_than_the_slower_one_and_less_noise_never_hurts() {
        for pair in Modulation::DSSS.windows(2) {
            for db in [-6.0, -3.0, 0.0, 3.0, 6.0] {
                assert!(pair[0].success(ratio(db), 8192.0) >= pair[1].success(ratio(db), 8192.0), "{pair:?}, {db} dB");
            }
        }
        for modulation in Modulation::DSSS {
            let mut last = 0.0;
            for tenths in -150..150 {
                let now = modulation.success(ratio(f64::from(tenths) / 10.0), 8192.0);
                assert!(now >= last && now <= 1.0, "{modulation:?}, {tenths}");
                last = now;
            }
            assert_eq!(last, 1.0);
            let parts = modulation.success(1.0, 1000.0) * modulation.success(1.0, 500.0);
            assert!((parts - modulation.success(1.0, 1500.0)).abs() < 1e-12);
            assert_eq!(Modulation::of_rate(modulation.rate_bps() as u64), Some(modulation));
        }
    }
}
