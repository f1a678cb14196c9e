//! Times and rates of OFDM in 20 MHz: 802.11a at 5 GHz, 802.11g (ERP-OFDM) at 2.4 GHz.
//!
//! Spec      IEEE 802.11-2020 clause 17: §17.3.2 (PPDU), table 17-4 (bits per symbol), §17.4.3 (TXTIME), table 17-21
//!           (times, windows); clause 18 (ERP): signal extension, times; §10.6.6.5.2 (rate of control frames)
//! Deviates  a network of 802.11g has no stations of 802.11b: no protection, no rates of DSSS; during the signal
//!           extension, in which nothing is sent, the air is busy like during the frame
//! Holds     a frame ends with a whole symbol

use hopwright_machine::Duration;

/// Training symbols, 16 µs, and SIGNAL, 4 µs.
pub const PREAMBLE: Duration = Duration::from_micros(20);
/// aSlotTime: of 802.11a, and the short one of 802.11g.
pub const SLOT: Duration = Duration::from_micros(9);
/// aCWmin; aCWmax is 1023.
pub const CW_MIN: u32 = 15;
/// The rates that every station has, bit/s. The first: those of ACKs that EIFS leaves room for.
pub const MANDATORY_BPS: [u64; 3] = [6_000_000, 12_000_000, 24_000_000];

/// Symbols per second.
const SYMBOLS_HZ: u64 = 250_000;
const SYMBOL_US: u64 = 4;
/// SERVICE before the bytes, the tail of the code behind them: bits.
const SERVICE_AND_TAIL: u64 = 16 + 6;

/// Where the same symbols are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// 5 GHz: 802.11a.
    FiveGhz,
    /// 2.4 GHz: 802.11g.
    TwoGhz,
}

impl Band {
    /// aSIFSTime.
    #[must_use]
    pub const fn sifs(self) -> Duration {
        Duration::from_micros(match self {
            Self::FiveGhz => 16,
            Self::TwoGhz => 10,
        })
    }

    /// aSignalExtension: with it decoders have as much time before their answer as those of 802.11a.
    #[must_use]
    pub const fn extension(self) -> Duration {
        Duration::from_micros(match self {
            Self::FiveGhz => 0,
            Self::TwoGhz => 6,
        })
    }
}

/// How long the symbols last that carry `bytes`: N_DBPS bits each.
#[must_use]
pub(crate) const fn symbols(bytes: u32, rate_bps: u64) -> Duration {
    let bits = SERVICE_AND_TAIL + 8 * bytes as u64;
    Duration::from_micros(SYMBOL_US * (bits * SYMBOLS_HZ).div_ceil(rate_bps))
}

/// The highest mandatory rate that is not above a data rate: that of the answers.
#[must_use]
pub const fn control_rate_bps(data_rate_bps: u64) -> u64 {
    let [lowest, middle, highest] = MANDATORY_BPS;
    if data_rate_bps >= highest {
        highest
    } else if data_rate_bps >= middle {
        middle
    } else {
        lowest
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    use super::*;

    /// N_DBPS by rate, table 17-4.
    const BITS_PER_SYMBOL: [(u64, u64); 8] =
        [(6, 24), (9, 36), (12, 48), (18, 72), (24, 96), (36, 144), (48, 192), (54, 216)];

    fn us(t: u64) -> Duration {
        Duration::from_micros(t)
    }

    /// §17.4.3: TXTIME = 16 + 4 + 4 x ceil((16 + 8 x LENGTH + 6)/N_DBPS).
    #[test]
    fn frames_last_as_long_as_txtime_says() {
        for (mbps, bits_per_symbol) in BITS_PER_SYMBOL {
            let rate_bps = mbps * 1_000_000;
            let config = Config::ofdm(Band::FiveGhz, rate_bps);
            let extended = Config::ofdm(Band::TwoGhz, rate_bps);
            for bytes in 0..2000_u32 {
                let symbols = (16 + 8 * u64::from(bytes) + 6).div_ceil(bits_per_symbol);
                assert_eq!(config.air_time(bytes, rate_bps), us(16 + 4 + 4 * symbols), "{bytes} bytes at {mbps} Mb/s");
                assert_eq!(extended.air_time(bytes, rate_bps), us(16 + 4 + 4 * symbols + 6));
            }
        }
    }

    /// Annex I.1 (a worked frame): 100 octets at 36 Mb/s, 822 bits of DATA, are 6 symbols. A packet of 1500 bytes has a
    /// frame of 1536, as everybody's tables have it.
    #[test]
    fn worked_examples() {
        let config = Config::ofdm(Band::FiveGhz, 54_000_000);
        assert_eq!(config.air_time(100, 36_000_000), us(20 + 6 * 4));
        assert_eq!(config.air_time(1536, 54_000_000), us(248)); // (22 + 12288)/216 = 56.99: 57 symbols
        assert_eq!(config.air_time(1536, 24_000_000), us(536)); // 128.2: 129
        assert_eq!(config.air_time(1536, 6_000_000), us(2072)); // 512.9: 513
    }

    #[test]
    fn answers_go_at_the_highest_mandatory_rate_not_above_the_data() {
        let answers = BITS_PER_SYMBOL.map(|(mbps, _)| {
            let config = Config::ofdm(Band::FiveGhz, mbps * 1_000_000);
            (mbps, config.basic_rate_bps / 1_000_000, config.ack_time(), config.rts_time())
        });
        // 14 bytes: 134 bits; 20 bytes: 182 bits.
        assert_eq!(
            answers,
            [
                (6, 6, us(44), us(52)),
                (9, 6, us(44), us(52)),
                (12, 12, us(32), us(36)),
                (18, 12, us(32), us(36)),
                (24, 24, us(28), us(28)),
                (36, 24, us(28), us(28)),
                (48, 24, us(28), us(28)),
                (54, 24, us(28), us(28)),
            ]
        );
    }

    /// Table 17-21: SIFS 16, slot 9, DIFS 34 µs; clause 18: SIFS 10, slot 9 or 20, DIFS 28 or 50 µs. EIFS has room for an
    /// ACK at 6 Mb/s (§10.3.2.3.7), whatever the rate.
    #[test]
    fn interframe_spaces_are_those_of_the_tables() {
        for mbps in [6, 54] {
            let a = Config::ofdm(Band::FiveGhz, mbps * 1_000_000);
            assert_eq!((a.sifs, a.slot, a.difs, a.eifs_time()), (us(16), us(9), us(34), us(16 + 44 + 34)));
            let g = Config::ofdm(Band::TwoGhz, mbps * 1_000_000);
            assert_eq!((g.sifs, g.slot, g.difs, g.eifs_time()), (us(10), us(9), us(28), us(10 + 50 + 28)));
            assert_eq!((a.cw_min, a.cw_max, g.cw_min, g.cw_max), (15, 1023, 15, 1023));
            // What the extension takes, SIFS gives back: exchanges are equally long.
            assert_eq!(a.difs + a.exchange_time(1500), g.difs + g.exchange_time(1500));
        }
    }
}
