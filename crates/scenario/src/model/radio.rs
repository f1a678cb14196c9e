//! The radio of every node.

pub use hopwright_radio::{Capture, Interference, WeakFrames};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limit::{Limit, SHORTEST_M, from};
use super::{PowerTable, Profile};

/// The radio of every node. Each of the two thresholds is given as a range or as a power, never as both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Radio {
    /// How received power depends on distance.
    pub propagation: Propagation,
    /// With propagation log-distance: the exponent with which received power falls as distance grows.
    pub path_loss_exponent: f64,
    /// With propagation log-distance: distance up to which propagation is that of free space, metres.
    pub reference_distance_m: f64,
    /// How obstacles change received power.
    pub shadowing: Shadowing,
    /// Standard deviation of shadowing, dB.
    pub shadowing_sigma_db: f64,
    /// How several paths between two antennas (multipath) change the received power of each frame.
    pub fading: Fading,
    /// With fading ricean: how much stronger the direct path is than all other paths together, dB.
    pub ricean_k_db: f64,
    /// Reception range: the distance up to which frames can be decoded, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reception_range_m: Option<f64>,
    /// Instead of `reception_range_m`: the lowest received power at which frames can be decoded, dBm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reception_threshold_dbm: Option<f64>,
    /// Carrier-sense range: the distance up to which frames are noticed, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier_sense_range_m: Option<f64>,
    /// Instead of `carrier_sense_range_m`: the lowest received power at which frames are noticed, dBm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carrier_sense_threshold_dbm: Option<f64>,
    /// Transmit power, dBm.
    pub transmit_power_dbm: f64,
    /// Carrier frequency, MHz.
    pub frequency_mhz: f64,
    /// Antenna height above ground, metres.
    pub antenna_height_m: f64,
    /// How much stronger than an overlapping frame a frame must be to be received, dB.
    pub capture_threshold_db: f64,
    /// Whether the receiver may change to a later, stronger frame.
    pub capture: Capture,
    /// The effect of a frame that is noticed, but is too weak to be decoded.
    pub weak_frames: WeakFrames,
    /// Which frames disturb a reception.
    pub interference: Interference,
    /// With interference sum: the power of noise in a receiver, dBm.
    pub noise_floor_dbm: f64,
    /// With interference sum: whether frames are damaged by random bit errors, instead of by `capture_threshold_db`.
    /// The probability of errors follows from modulation and SINR. With `phy` 802.11b: only at the rates of 802.11b.
    pub bit_errors: bool,
    /// The power that the radio takes from its battery: the name of a known radio, or a table. Without this key,
    /// results contain no energy of radios.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<PowerTable>,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("path_loss_exponent", 1.0, 10.0),
    from("reference_distance_m", 0.001, 1e6),
    from("shadowing_sigma_db", 0.0, 30.0),
    from("ricean_k_db", -30.0, 60.0),
    from("noise_floor_dbm", -200.0, 100.0),
    from("reception_range_m", SHORTEST_M, 1e6),
    from("carrier_sense_range_m", SHORTEST_M, 1e6),
    from("reception_threshold_dbm", -200.0, 100.0),
    from("carrier_sense_threshold_dbm", -200.0, 100.0),
    from("transmit_power_dbm", -100.0, 100.0),
    from("frequency_mhz", 1.0, 1e6),
    from("antenna_height_m", SHORTEST_M, 1e4),
    from("capture_threshold_db", 0.0, 100.0),
];

impl Radio {
    /// Reception range where neither range nor power is given, metres.
    pub const RECEPTION_RANGE_M: f64 = 250.0;
    /// Carrier-sense range where neither range nor power is given, metres; of a disc, its reception range.
    pub const CARRIER_SENSE_RANGE_M: f64 = 550.0;

    /// The defaults of a profile, thresholds still open.
    #[must_use]
    pub const fn of_profile(profile: Profile) -> Self {
        Self {
            propagation: Propagation::TwoRayGround,
            path_loss_exponent: 3.0, // of towns, 2.7 to 3.5: Rappaport, table 4.2
            reference_distance_m: 1.0,
            shadowing: Shadowing::None,
            shadowing_sigma_db: 4.0, // ns-2's std_db_
            fading: Fading::None,
            ricean_k_db: 6.0,
            reception_range_m: None,
            reception_threshold_dbm: None,
            carrier_sense_range_m: None,
            carrier_sense_threshold_dbm: None,
            transmit_power_dbm: 24.5, // 0.28183815 W
            frequency_mhz: 914.0,
            antenna_height_m: 1.5,
            capture_threshold_db: 10.0,
            capture: Capture::First,
            weak_frames: WeakFrames::Lock,
            interference: match profile {
                Profile::Standard => Interference::All,
                Profile::Ns2 => Interference::Locked,
            },
            noise_floor_dbm: -93.6, // thermal noise in 22 MHz at 290 K, -100.6 dBm, and a noise figure of 7 dB
            bit_errors: false,
            energy: None,
        }
    }

    /// Fills in thresholds that are still open.
    pub fn close(&mut self) {
        if self.reception_range_m.is_none() && self.reception_threshold_dbm.is_none() {
            self.reception_range_m = Some(Self::RECEPTION_RANGE_M);
        }
        if self.carrier_sense_range_m.is_none() && self.carrier_sense_threshold_dbm.is_none() {
            self.carrier_sense_range_m = match self.propagation {
                Propagation::Disc => self.reception_range_m,
                _ => Some(Self::CARRIER_SENSE_RANGE_M),
            };
        }
    }
}

/// How received power depends on distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Propagation {
    /// As in free space up to the crossover distance. Then received power falls with the fourth power of the distance.
    TwoRayGround,
    /// The law of Friis for free space.
    FreeSpace,
    /// As in free space up to `reference_distance_m`. Then received power falls with the exponent `path_loss_exponent`.
    LogDistance,
    /// Frames reach every node inside a circle, and no node outside.
    Disc,
}

/// What obstacles do to power: a factor whose logarithm is normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shadowing {
    /// Not at all.
    None,
    /// Each frame has another random loss at each receiver, as in ns-2.
    Frame,
    /// Each pair of nodes has one random loss, for both directions and for the whole run.
    Link,
}

/// What many paths do to power: a draw for each frame at each receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fading {
    /// Not at all.
    None,
    /// There is no direct path. Received power is exponentially distributed.
    Rayleigh,
    /// There is a direct path, and others: see `ricean_k_db`.
    Ricean,
}
