//! What a station is told about timing, rates, limits, and about the places where implementations differ.

use hopwright_machine::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Discipline, FrameKind, arp, fba, lred, ofdm};

/// How stations get access to the medium.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Stations contend for the medium: distributed coordination function, IEEE 802.11.
    #[default]
    Dcf,
    /// The medium is granted to stations. Frames and durations are those of `dcf`, without collisions, back-off and
    /// space between exchanges. The station that has waited longest gets the medium first, as soon as its exchange
    /// disturbs no other exchange. `ideal` is not a protocol: it shows what remains of a protocol if contention costs
    /// nothing.
    Ideal,
}

/// How the bytes of a frame become time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// DSSS and CCK: a frame takes whole microseconds, the last of which may be filled in part (802.11-2007 §18.3.4, TXTIME).
    #[default]
    Microseconds,
    /// Bit by bit, as ns-2 has DSSS and CCK.
    Bits,
    /// In symbols of OFDM, the last of which is padded.
    Symbols {
        /// After the last symbol nothing is sent for so long, which counts as part of the frame all the same.
        extension: Duration,
    },
}

/// Parameters of stations that exchange the frames of 802.11.
///
/// `Default` is IEEE 802.11 DSSS at 2 Mb/s with 1 Mb/s basic rate. The fields from `header_bytes` on are the
/// switches in which ns-2.35 differs from the standard; `Config::ns2` sets them all.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// How they come by the air. Where it is granted, nothing is sensed: there are no slots, no DIFS and EIFS, no windows.
    pub kind: Kind,
    /// aSlotTime (802.11-1999 §15.3.3): 20 µs.
    pub slot: Duration,
    /// aSIFSTime: 10 µs.
    pub sifs: Duration,
    /// DIFS = SIFS + 2 slots: 50 µs.
    pub difs: Duration,
    /// PLCP preamble and header, sent before every frame: 192 µs (long preamble).
    pub preamble: Duration,
    /// How what follows them becomes time.
    pub framing: Framing,
    /// Largest propagation delay allowed for, one way, in the time-outs for CTS and ACK: 2 µs.
    pub propagation_allowance: Duration,
    /// Rate of unicast data frames, bit/s.
    pub data_rate_bps: u64,
    /// Rate of control frames and broadcasts, bit/s.
    pub basic_rate_bps: u64,
    /// The lowest mandatory rate, bit/s: that of the ACK which EIFS leaves room for.
    pub lowest_rate_bps: u64,
    /// aCWmin: 31.
    pub cw_min: u32,
    /// aCWmax: 1023.
    pub cw_max: u32,
    /// dot11RTSThreshold in bytes: larger frames are preceded by RTS/CTS. Zero: all unicast frames.
    pub rts_threshold_bytes: u32,
    /// dot11ShortRetryLimit: 7.
    pub short_retry_limit: u32,
    /// dot11LongRetryLimit: 4.
    pub long_retry_limit: u32,
    /// With the tries of which frame the tries of an RTS are counted.
    pub rts_retries: RtsRetries,
    /// Packets that the interface queue holds besides the one in service.
    pub queue_packets: usize,
    /// Which packet of the interface queue is sent next.
    pub queue_discipline: Discipline,
    /// Windows by stages (`fba`) instead of binary exponential back-off.
    pub fba: Option<fba::Config>,
    /// What the station does about contention beside backing off: Link RED, adaptive pacing; `None`: nothing.
    pub lred: Option<lred::Config>,

    /// Bytes that a data frame adds to its packet. Standard: 24 header, 4 FCS, 8 LLC/SNAP. ns-2: 34 (four
    /// addresses, no LLC): its 1500-byte packet takes 6328 µs at 2 Mb/s.
    pub header_bytes: u32,
    /// Whether the counter is drawn from 0..=cw (802.11 §9.2.4) or, as ns-2 does, from 0..cw.
    pub backoff_includes_cw: bool,
    /// Whether even a packet that finds the medium idle draws a counter (ns-2) instead of leaving after DIFS
    /// (802.11 §9.2.5.1). Seen in the golden trace: the very first RTS leaves DIFS + 2 slots after its packet.
    pub backoff_always: bool,
    /// How long a station waits after a frame that it received in error.
    pub eifs: Eifs,
    /// Whether the carrier is sensed again before the data frame that answers a CTS (ns-2), or not (802.11 §9.2.5.7).
    pub data_waits_for_idle: bool,
    /// Whether the RTS decision counts the 24 bytes of PLCP that ns-2 counts as part of a frame, and a frame of
    /// just the threshold's size is preceded by RTS.
    pub rts_counts_preamble: bool,
    /// Whether retry counters belong to the packet or to the station.
    pub retry_counters: RetryCounters,
    /// Time a packet spends in the link layer, each way. ns-2: 25 µs. Seen in the golden trace: the first RTS
    /// leaves 25 µs + DIFS + 2 slots after the application's start.
    pub link_delay: Duration,
    /// How neighbours' addresses are resolved; `None`: they are known. With ns-2 a matter of the scenario.
    pub arp: Option<arp::Config>,
}

/// How long a station waits after a frame that it received in error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Eifs {
    /// EIFS instead of DIFS.
    // Until a frame is received without error (802.11 §9.2.3.4).
    InsteadOfDifs,
    /// EIFS, and then DIFS.
    // The medium counts as busy for EIFS: 414 µs in all, as ns-2 does.
    ThenDifs,
    /// Only DIFS.
    // Bianchi's model, and ns-3 after frames of which it did not receive the header.
    Never,
}

/// Whether retry counters belong to packets or to stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryCounters {
    /// The counters of each packet start at zero.
    PerPacket,
    /// A packet starts with the counters that the packet before it left.
    // ns-2's long counter outlives a packet that was given up because no CTS came.
    PerStation,
}

/// With the tries of which frame the tries of an RTS are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtsRetries {
    /// With those of short frames. A CTS sets the count back to zero (IEEE 802.11-1999, 9.2.5.3).
    Short,
    /// With those of the data frame that the RTS asks for. A packet has as many tries as the limit for its size allows,
    /// whichever frame was not answered (Hamadani and Rakocevic, section V, to the letter).
    // "The number of retransmission at MAC layer is set to 4 for packets greater than 256B (Long_Retry_Limit) and 7 for other
    // packets (Short_Retry_Limit)".
    AsData,
}

/// Length of an RTS frame, bytes (802.11 §7.2.1.1).
pub const RTS_BYTES: u32 = 20;
/// Length of a CTS frame, bytes (802.11 §7.2.1.2).
pub const CTS_BYTES: u32 = 14;
/// Length of an ACK frame, bytes (802.11 §7.2.1.3).
pub const ACK_BYTES: u32 = 14;

impl Default for Config {
    fn default() -> Self {
        Self {
            kind: Kind::Dcf,
            slot: Duration::from_micros(20),
            sifs: Duration::from_micros(10),
            difs: Duration::from_micros(50),
            preamble: Duration::from_micros(192),
            framing: Framing::Microseconds,
            propagation_allowance: Duration::from_micros(2),
            data_rate_bps: 2_000_000,
            basic_rate_bps: 1_000_000,
            lowest_rate_bps: 1_000_000,
            cw_min: 31,
            cw_max: 1023,
            rts_threshold_bytes: 0,
            short_retry_limit: 7,
            long_retry_limit: 4,
            rts_retries: RtsRetries::Short,
            queue_packets: 50,
            queue_discipline: Discipline::RoutingFirst,
            fba: None,
            lred: None,
            header_bytes: 36,
            backoff_includes_cw: true,
            backoff_always: false,
            eifs: Eifs::InsteadOfDifs,
            data_waits_for_idle: false,
            rts_counts_preamble: false,
            retry_counters: RetryCounters::PerPacket,
            link_delay: Duration::ZERO,
            arp: None,
        }
    }
}

impl Config {
    /// Every switch as ns-2.35 has it.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            header_bytes: 34,
            backoff_includes_cw: false,
            backoff_always: true,
            eifs: Eifs::ThenDifs,
            data_waits_for_idle: true,
            rts_counts_preamble: true,
            framing: Framing::Bits,
            retry_counters: RetryCounters::PerStation,
            link_delay: Duration::from_micros(25),
            ..Self::default()
        }
    }

    /// The OFDM of 802.11a and, with a signal extension, of 802.11g (`ofdm`), at a data rate.
    #[must_use]
    pub fn ofdm(band: ofdm::Band, data_rate_bps: u64) -> Self {
        let (sifs, slot) = (band.sifs(), ofdm::SLOT);
        Self {
            slot,
            sifs,
            difs: sifs + slot * 2,
            preamble: ofdm::PREAMBLE,
            framing: Framing::Symbols { extension: band.extension() },
            data_rate_bps,
            basic_rate_bps: ofdm::control_rate_bps(data_rate_bps),
            lowest_rate_bps: ofdm::MANDATORY_BPS[0],
            cw_min: ofdm::CW_MIN,
            ..Self::default()
        }
    }

    /// Air time of `bytes` at `rate_bps`, with preamble.
    #[must_use]
    pub fn air_time(&self, bytes: u32, rate_bps: u64) -> Duration {
        self.preamble
            + match self.framing {
                Framing::Microseconds => Duration::from_micros((u64::from(bytes) * 8_000_000).div_ceil(rate_bps)),
                Framing::Bits => Duration::from_nanos((u64::from(bytes) * 8_000_000_000).div_ceil(rate_bps)),
                Framing::Symbols { extension } => ofdm::symbols(bytes, rate_bps) + extension,
            }
    }

    /// Air time of an RTS.
    #[must_use]
    pub fn rts_time(&self) -> Duration {
        self.air_time(RTS_BYTES, self.basic_rate_bps)
    }

    /// Air time of a CTS.
    #[must_use]
    pub fn cts_time(&self) -> Duration {
        self.air_time(CTS_BYTES, self.basic_rate_bps)
    }

    /// Air time of an ACK.
    #[must_use]
    pub fn ack_time(&self) -> Duration {
        self.air_time(ACK_BYTES, self.basic_rate_bps)
    }

    /// EIFS = SIFS + DIFS + the time of an ACK at the lowest mandatory rate with preamble (802.11 §9.2.10): 364 µs at 1
    /// Mb/s.
    #[must_use]
    pub fn eifs_time(&self) -> Duration {
        self.sifs + self.difs + self.air_time(ACK_BYTES, self.lowest_rate_bps)
    }

    /// Whether a station may draw anew, and less, when another is faster.
    #[inline]
    pub(crate) fn redraws(&self) -> bool {
        self.fba.is_some_and(|fba| fba.lost_race == fba::LostRace::Redraw)
    }

    /// How long the frames and spaces of an exchange with a unicast packet last, but for propagation: RTS and CTS if need
    /// be, data, ACK.
    #[must_use]
    pub fn exchange_time(&self, packet_bytes: u32) -> Duration {
        let asked = self.rts_time() + self.cts_time() + self.sifs * 2;
        let data = self.air_time(packet_bytes + self.header_bytes, self.data_rate_bps);
        let answered = data + self.sifs + self.ack_time();
        if self.needs_rts(packet_bytes) { asked + answered } else { answered }
    }

    /// How long after the end of a frame its addressee acts on it, and does nothing before: frames that ask for one, or
    /// for leave to send one, are answered after SIFS (802.11 §9.2.5); of the others it is told at once.
    #[inline]
    #[must_use]
    pub const fn acts_after(&self, kind: FrameKind) -> Duration {
        match kind {
            FrameKind::Rts | FrameKind::Cts => self.sifs,
            FrameKind::Data | FrameKind::Ack => Duration::ZERO,
        }
    }

    /// Whether a station senses the medium before the second and later frames of its exchange, too, and waits.
    #[must_use]
    pub fn senses_before(&self, kind: FrameKind) -> bool {
        kind == FrameKind::Data && self.data_waits_for_idle
    }

    /// Whether a unicast packet of `packet_bytes` is preceded by RTS/CTS.
    #[must_use]
    pub const fn needs_rts(&self, packet_bytes: u32) -> bool {
        if self.rts_counts_preamble {
            packet_bytes + self.header_bytes + PLCP_BYTES >= self.rts_threshold_bytes
        } else {
            packet_bytes + self.header_bytes > self.rts_threshold_bytes
        }
    }

    /// Whether the short retry limit holds for a data frame with a packet of `packet_bytes`: frames not longer
    /// than the RTS threshold (802.11 §9.2.5.3).
    #[must_use]
    pub const fn is_short(&self, packet_bytes: u32) -> bool {
        let plcp = if self.rts_counts_preamble { PLCP_BYTES } else { 0 };
        packet_bytes + self.header_bytes + plcp <= self.rts_threshold_bytes
    }
}

/// Preamble and PLCP header as ns-2 counts them in a frame's size: 192 bits.
const PLCP_BYTES: u32 = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn air_times_are_those_of_the_standard() {
        let c = Config::default();
        assert_eq!(c.rts_time(), Duration::from_micros(352));
        assert_eq!(c.cts_time(), Duration::from_micros(304));
        assert_eq!(c.ack_time(), Duration::from_micros(304));
        assert_eq!(c.eifs_time(), Duration::from_micros(364));
        assert_eq!(c.air_time(1500 + 28, c.data_rate_bps), Duration::from_micros(6304));
        assert_eq!(c.air_time(1500 + Config::ns2().header_bytes, c.data_rate_bps), Duration::from_micros(6328));
        // 192 µs and 1111.3 µs; 192 µs and 1547.6 µs.
        assert_eq!(c.air_time(1528, 11_000_000), Duration::from_micros(1304));
        assert_eq!(c.air_time(1064, 5_500_000), Duration::from_micros(1740));
        assert_eq!(Config::ns2().air_time(1528, 11_000_000), Duration::from_nanos(1_303_273));
    }

    /// 802.11-1999 §15.3.3 and annex D; ns-2.35's `Queue/DropTail/PriQueue` and `LL delay_`.
    #[test]
    fn defaults_are_those_of_the_standard_and_of_ns2() {
        let (standard, ns2) = (Config::default(), Config::ns2());
        assert_eq!((standard.cw_min, standard.cw_max, standard.queue_packets), (31, 1023, 50));
        assert_eq!(standard.difs, standard.sifs + standard.slot * 2);
        assert_eq!((standard.link_delay, ns2.link_delay), (Duration::ZERO, Duration::from_micros(25)));
    }

    #[test]
    fn the_threshold_splits_as_the_standard_and_as_ns2_say() {
        let standard = Config { rts_threshold_bytes: 536, ..Config::default() };
        assert!(!standard.needs_rts(500) && standard.is_short(500));
        assert!(standard.needs_rts(501) && !standard.is_short(501));
        let ns2 = Config { rts_threshold_bytes: 558, ..Config::ns2() };
        assert!(ns2.needs_rts(500) && ns2.is_short(500)); // '>=' for RTS and '<=' for the limit
        assert!(!ns2.needs_rts(499) && !ns2.is_short(501));
    }
}
