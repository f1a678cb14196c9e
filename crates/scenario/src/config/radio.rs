//! The radio of every node.

use hopwright_radio as phy;

use crate::model::{Card, Fading, Interference, Mac, PowerTable, Propagation, Scenario, Shadowing};
use crate::units::{bps, decibels, micros};

/// The radio's configuration.
pub(crate) fn radio(scenario: &Scenario) -> phy::Config {
    let radio = &scenario.radio;
    let threshold = |range_m: Option<f64>, power_dbm: Option<f64>| match (range_m, power_dbm) {
        (Some(m), _) => phy::Threshold::Range(m),
        (None, Some(dbm)) => phy::Threshold::Power(decibels(dbm)),
        (None, None) => unreachable!("thresholds are filled in when a scenario is read"),
    };
    phy::Config {
        propagation: match radio.propagation {
            Propagation::TwoRayGround => phy::Propagation::TwoRayGround,
            Propagation::FreeSpace => phy::Propagation::FreeSpace,
            Propagation::LogDistance => phy::Propagation::LogDistance {
                exponent: radio.path_loss_exponent,
                reference_m: radio.reference_distance_m,
            },
            Propagation::Disc => phy::Propagation::Disc,
        },
        shadowing: match radio.shadowing {
            Shadowing::None => phy::Shadowing::None,
            Shadowing::Frame => phy::Shadowing::Frame { sigma_db: radio.shadowing_sigma_db },
            Shadowing::Link => phy::Shadowing::Link { sigma_db: radio.shadowing_sigma_db },
        },
        fading: match radio.fading {
            Fading::None => phy::Fading::None,
            Fading::Rayleigh => phy::Fading::Ricean { k: 0.0 },
            Fading::Ricean => phy::Fading::Ricean { k: decibels(radio.ricean_k_db) },
        },
        transmit_power_mw: decibels(radio.transmit_power_dbm),
        frequency_hz: radio.frequency_mhz * 1e6,
        antenna_height_m: radio.antenna_height_m,
        reception: threshold(radio.reception_range_m, radio.reception_threshold_dbm),
        carrier_sense: threshold(radio.carrier_sense_range_m, radio.carrier_sense_threshold_dbm),
        rule: phy::ReceptionRule {
            capture_ratio: decibels(radio.capture_threshold_db),
            capture: radio.capture,
            weak_frames: radio.weak_frames,
            interference: radio.interference,
            noise_mw: match radio.interference {
                Interference::Sum => decibels(radio.noise_floor_dbm),
                Interference::All | Interference::Locked => 0.0,
            },
            decoding: match radio.bit_errors {
                true => phy::Decoding::BitErrors(bits(&scenario.mac)),
                false => phy::Decoding::Threshold,
            },
        },
        powers: radio.energy.as_ref().map(powers),
    }
}

/// How the bits of frames are sent.
fn bits(mac: &Mac) -> phy::Bits {
    let modulation = |mbps| phy::Modulation::of_rate(bps(mbps)).unwrap_or(phy::Modulation::Dbpsk);
    let rates = [mac.basic_rate_mbps, mac.data_rate_mbps].map(modulation);
    let preamble = micros(mac.preamble_us);
    match mac.phy.band() {
        None => phy::Bits::dsss(preamble, rates),
        Some(band) => phy::Bits::ofdm(preamble, band.extension(), rates),
    }
}

/// What a radio draws.
fn powers(energy: &PowerTable) -> phy::Powers {
    match energy {
        PowerTable::Named(Card::Wavelan) => phy::Powers::WAVELAN,
        PowerTable::Named(Card::Lucent) => phy::Powers::LUCENT,
        PowerTable::Named(Card::Ns2) => phy::Powers::NS2,
        PowerTable::Own(own) => phy::Powers {
            overhear_w: own.overhear_w.unwrap_or(own.receive_w),
            sense_w: own.sense_w.unwrap_or(own.receive_w),
            off_w: own.off_w,
            ..phy::Powers::of(own.transmit_w, own.receive_w, own.idle_w)
        },
    }
}
