//! The physical layer that frames are sent by, and the defaults of the MAC that go with it.

use hopwright_link::ofdm::{self, Band};
use hopwright_radio::Ofdm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Mac;
use super::limits::limit;

/// How frames are sent. It sets the defaults of rates, times and windows, and how long a frame is on the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Phy {
    /// DSSS and CCK: 1, 2, 5.5 and 11 Mb/s. Without `radio.bit_errors`, any other rate is possible, too.
    #[default]
    #[serde(rename = "802.11b")]
    Dot11b,
    /// OFDM at 5 GHz: 6, 9, 12, 18, 24, 36, 48 and 54 Mb/s.
    #[serde(rename = "802.11a")]
    Dot11a,
    /// OFDM at 2.4 GHz, with the rates of 802.11a. There are no stations of 802.11b, and therefore no protection and
    /// the short slot.
    #[serde(rename = "802.11g")]
    Dot11g,
}

impl Phy {
    /// Its name in scenario files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dot11b => "802.11b",
            Self::Dot11a => "802.11a",
            Self::Dot11g => "802.11g",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Dot11b, Self::Dot11a, Self::Dot11g].into_iter().find(|phy| phy.name() == name)
    }

    /// Where its OFDM is sent, if it has any.
    #[must_use]
    pub const fn band(self) -> Option<Band> {
        match self {
            Self::Dot11b => None,
            Self::Dot11a => Some(Band::FiveGhz),
            Self::Dot11g => Some(Band::TwoGhz),
        }
    }
}

impl Mac {
    /// The same with the defaults of a physical layer: of OFDM, 24 Mb/s, the highest rate that every station has.
    #[must_use]
    pub fn with_phy(self, phy: Phy) -> Self {
        let Some(band) = phy.band() else { return Self { phy, ..self } };
        let usual = hopwright_link::Config::ofdm(band, u64::from(Ofdm::Mbps24.mbps()) * 1_000_000);
        let us = |time: hopwright_machine::Duration| time.as_nanos() as f64 / 1e3;
        Self {
            phy,
            data_rate_mbps: usual.data_rate_bps as f64 / 1e6,
            basic_rate_mbps: usual.basic_rate_bps as f64 / 1e6,
            slot_us: us(usual.slot),
            sifs_us: us(usual.sifs),
            difs_us: us(usual.difs),
            preamble_us: us(usual.preamble),
            cw_min: usual.cw_min,
            cw_max: usual.cw_max,
            ..self
        }
    }

    /// Of OFDM, what follows from other keys where the file does not give it itself: the rate of control frames from that
    /// of data, DIFS from SIFS and slot.
    pub fn follow(&mut self, gives: impl Fn(&str) -> bool) {
        if self.phy.band().is_none() {
            return;
        }
        if !gives("basic_rate_mbps") {
            self.basic_rate_mbps = ofdm::control_rate_bps((self.data_rate_mbps * 1e6 + 0.5) as u64) as f64 / 1e6;
        }
        if !gives("difs_us") {
            let most = limit("mac.difs_us").map_or(f64::INFINITY, |limit| limit.most);
            self.difs_us = (self.sifs_us + 2.0 * self.slot_us).min(most);
        }
    }
}
