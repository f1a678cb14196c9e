//! How often bits of OFDM are wrong: the eight rates of 802.11a and 802.11g in white noise.
//!
//! Spec      IEEE 802.11-2020 table 17-4 (rates), §17.3.5.6 (the code, punctured), table 17-18 (sensitivity). Errors: Pei and
//!           Henderson, "Validation of OFDM error rate model in ns-3", 2010, which takes bits of a constellation with
//!           Gray coding (Proakis, Digital Communications, §5.2-9; there is no fading within a frame), a decoder that is
//!           told 0 or 1 of each, and the union bound of its errors; spectra of the codes: Haccoun and Begin, IEEE Trans.
//!           Comm. 37(11) 1989, tables II and III
//! Deviates  nothing is lost to synchronisation, guard intervals and pilots; interference is taken for noise
//! Holds     less noise never makes errors likelier

/// From this signal-to-noise ratio on no bit is wrong: an error of 54 Mb/s, the most sensitive, is rarer than 1e-24.
const PERFECT: f64 = 1000.0;

/// A rate of OFDM in 20 MHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ofdm {
    /// 6 Mb/s: BPSK, 1/2.
    Mbps6,
    /// 9 Mb/s: BPSK, 3/4.
    Mbps9,
    /// 12 Mb/s: QPSK, 1/2.
    Mbps12,
    /// 18 Mb/s: QPSK, 3/4.
    Mbps18,
    /// 24 Mb/s: 16-QAM, 1/2.
    Mbps24,
    /// 36 Mb/s: 16-QAM, 3/4.
    Mbps36,
    /// 48 Mb/s: 64-QAM, 2/3.
    Mbps48,
    /// 54 Mb/s: 64-QAM, 3/4.
    Mbps54,
}

/// What a subcarrier carries in a symbol.
#[derive(Clone, Copy, Debug)]
enum Constellation {
    Bpsk,
    Qpsk,
    Qam16,
    Qam64,
}

/// A convolutional code with 64 states, punctured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Code {
    /// Bits that go in while a puncturing pattern goes by.
    period: f64,
    /// The least distance between two code words.
    free_distance: i32,
    /// Wrong bits, added up over all error events of a period, at that distance and those above it.
    spectrum: &'static [f64],
}

const HALF: Code = Code {
    period: 1.0,
    free_distance: 10,
    // Odd distances do not occur, and are left out.
    spectrum: &[36.0, 211.0, 1404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0],
};
const TWO_THIRDS: Code = Code {
    period: 2.0,
    free_distance: 6,
    spectrum: &[3.0, 70.0, 285.0, 1276.0, 6160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0],
};
const THREE_QUARTERS: Code = Code {
    period: 3.0,
    free_distance: 5,
    spectrum: &[
        42.0,
        201.0,
        1492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};

impl Ofdm {
    /// All of them, from the slowest to the fastest.
    pub const ALL: [Self; 8] =
        [Self::Mbps6, Self::Mbps9, Self::Mbps12, Self::Mbps18, Self::Mbps24, Self::Mbps36, Self::Mbps48, Self::Mbps54];

    /// Its rate, Mb/s.
    #[must_use]
    pub const fn mbps(self) -> u32 {
        match self {
            Self::Mbps6 => 6,
            Self::Mbps9 => 9,
            Self::Mbps12 => 12,
            Self::Mbps18 => 18,
            Self::Mbps24 => 24,
            Self::Mbps36 => 36,
            Self::Mbps48 => 48,
            Self::Mbps54 => 54,
        }
    }

    /// The power at which a receiver has to receive nine of ten frames with 1000 bytes, dBm.
    #[must_use]
    pub const fn sensitivity_dbm(self) -> f64 {
        match self {
            Self::Mbps6 => -82.0,
            Self::Mbps9 => -81.0,
            Self::Mbps12 => -79.0,
            Self::Mbps18 => -77.0,
            Self::Mbps24 => -74.0,
            Self::Mbps36 => -70.0,
            Self::Mbps48 => -66.0,
            Self::Mbps54 => -65.0,
        }
    }

    const fn sent(self) -> (Constellation, Code) {
        match self {
            Self::Mbps6 => (Constellation::Bpsk, HALF),
            Self::Mbps9 => (Constellation::Bpsk, THREE_QUARTERS),
            Self::Mbps12 => (Constellation::Qpsk, HALF),
            Self::Mbps18 => (Constellation::Qpsk, THREE_QUARTERS),
            Self::Mbps24 => (Constellation::Qam16, HALF),
            Self::Mbps36 => (Constellation::Qam16, THREE_QUARTERS),
            Self::Mbps48 => (Constellation::Qam64, TWO_THIRDS),
            Self::Mbps54 => (Constellation::Qam64, THREE_QUARTERS),
        }
    }

    /// The probability that a decoded bit is wrong, or more: the union bound is above one where there is much noise.
    /// `sinr`: power of the signal over that of noise and interference in the whole channel, a ratio.
    pub(crate) fn error(self, sinr: f64) -> f64 {
        if sinr >= PERFECT {
            return 0.0;
        }
        let (constellation, code) = self.sent();
        code.error(constellation.error(sinr))
    }
}

impl Constellation {
    /// The probability that a bit is taken for the other, before decoding. A subcarrier has the whole channel's ratio.
    fn error(self, sinr: f64) -> f64 {
        // Of M points on a square with distance d between neighbours: d^2/(4 N0) = 3 Es/(2 (M - 1) N0), and a bit is wrong
        // with (sqrt M - 1)/(sqrt M log2 sqrt M) erfc of the root.
        match self {
            Self::Bpsk => 0.5 * libm::erfc(sinr.sqrt()),
            Self::Qpsk => 0.5 * libm::erfc((sinr / 2.0).sqrt()),
            Self::Qam16 => 3.0 / 8.0 * libm::erfc((sinr / 10.0).sqrt()),
            Self::Qam64 => 7.0 / 24.0 * libm::erfc((sinr / 42.0).sqrt()),
        }
    }
}

impl Code {
    /// The union bound, by the probability that a coded bit is wrong. An event at distance d is at most as likely as the
    /// power d of 2 sqrt(p (1 - p)) (Chernoff), and half of that.
    fn error(&self, p: f64) -> f64 {
        let squared = 4.0 * p * (1.0 - p);
        let chernoff = squared.sqrt();
        let step = if self.period == 1.0 { squared } else { chernoff };
        let first = (0..self.free_distance).fold(1.0, |power, _| power * chernoff);
        let (sum, _) =
            self.spectrum.iter().fold((0.0, first), |(sum, power), wrong| (sum + wrong * power, power * step));
        sum / (2.0 * self.period)
    }
}

#[cfg(test)]
mod tests;
