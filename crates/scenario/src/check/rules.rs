//! Rules between keys of the same table.

use hopwright_radio::{LIGHT_MPS, Modulation, Ofdm};

use crate::config;
use crate::model::{Fading, Interference, Mac, MacKind, Phy, Propagation, Quantity, Radio, Scenario, Shadowing};
use crate::read::Document;

/// Folders have names of 255 bytes at most; a date, a count and the number of the process need some of them.
const LONGEST_NAME_BYTES: usize = 200;

/// Whether a folder may be called so, here and on other systems, if that is not too long.
fn names_a_folder(name: &str) -> bool {
    let is_odd = |c: char| matches!(c, '/' | '\\') || c.is_control();
    !name.trim().is_empty() && !name.contains(is_odd) && !name.starts_with('.')
}

/// Whether a scenario may be called so.
pub(crate) fn is_name(name: &str) -> bool {
    names_a_folder(name) && name.len() <= LONGEST_NAME_BYTES
}

pub(super) fn run(document: &mut Document, scenario: &Scenario) {
    let run = &scenario.run;
    if !names_a_folder(&run.name) {
        let reason = "must be usable as the name of a folder: not empty, no '/', '\\' or control characters, \
                      no '.' in front";
        document.refuse("name", reason.to_owned());
    } else if run.name.len() > LONGEST_NAME_BYTES {
        let reason = format!(
            "must be usable as the name of a folder, with a date after it: at most {LONGEST_NAME_BYTES} bytes, found \
             {}",
            run.name.len()
        );
        document.refuse("name", reason);
    }
    if document.is_clean("duration_s") && document.is_clean("warm_up_s") && run.warm_up_s >= run.duration_s {
        let reason = format!("must end before the run does (duration_s = {}), found {}", run.duration_s, run.warm_up_s);
        document.refuse("warm_up_s", reason);
    }
}

pub(super) fn radio(document: &mut Document, scenario: &Scenario) {
    let radio = &scenario.radio;
    let both = [
        ("reception", radio.reception_range_m, radio.reception_threshold_dbm),
        ("carrier_sense", radio.carrier_sense_range_m, radio.carrier_sense_threshold_dbm),
    ];
    for (what, range, power) in both {
        if range.is_some() && power.is_some() {
            let reason = format!("contradicts {what}_range_m: give the threshold as a range or as a power, not both");
            document.refuse(&format!("radio.{what}_threshold_dbm"), reason);
        }
        if radio.propagation == Propagation::Disc && power.is_some() {
            let reason = format!("'disc' does not compute powers: give {what}_range_m");
            document.refuse(&format!("radio.{what}_threshold_dbm"), reason);
        }
    }
    if !document.is_clean("radio") {
        return;
    }
    let built = hopwright_radio::Radio::new(&config::radio(scenario));
    let (reception_m, sense_m) = (built.reception_range_m(), built.carrier_sense_range_m());
    let sense_key = match radio.carrier_sense_threshold_dbm {
        Some(_) => "radio.carrier_sense_threshold_dbm",
        None => "radio.carrier_sense_range_m",
    };
    // The key that was written is the one to point at.
    let key = if document.gives(sense_key) || radio.reception_threshold_dbm.is_some() {
        sense_key
    } else {
        "radio.reception_range_m"
    };
    if !(reception_m.is_finite() && sense_m.is_finite() && reception_m > 0.0) {
        document.refuse(key, "these powers give no finite range".to_owned());
    } else if sense_m < reception_m * (1.0 - 1e-9) {
        let reason = format!(
            "carrier sense ({sense_m:.0} m) must reach at least as far as reception ({reception_m:.0} m): a frame \
             that can be decoded is also noticed"
        );
        document.refuse(key, reason);
    }
    let farthest_m = scenario.mac.difs_us * 1e-6 * LIGHT_MPS;
    let reach_m = built.reach_m();
    if reach_m > farthest_m && document.is_clean("mac.difs_us") && document.is_clean("radio") {
        let luck = if reach_m > sense_m { " in the best case of shadowing and fading" } else { "" };
        let reason = format!(
            "carrier sense reaches {reach_m:.0} m{luck}; beyond {farthest_m:.0} m a signal travels longer than DIFS \
             ({} us), and the DCF cannot work",
            scenario.mac.difs_us
        );
        document.refuse(key, reason);
    }
}

/// What varies about power, and what noise does.
pub(super) fn channel(document: &mut Document, scenario: &Scenario) {
    let radio = &scenario.radio;
    let usual = Radio::of_profile(scenario.run.profile);
    // The value that a key has by itself may stand: the full text of a scenario gives it.
    let idle = [
        (
            "path_loss_exponent",
            radio.path_loss_exponent != usual.path_loss_exponent && radio.propagation != Propagation::LogDistance,
            "propagation = log-distance",
        ),
        (
            "reference_distance_m",
            radio.reference_distance_m != usual.reference_distance_m && radio.propagation != Propagation::LogDistance,
            "propagation = log-distance",
        ),
        (
            "shadowing_sigma_db",
            radio.shadowing_sigma_db != usual.shadowing_sigma_db && radio.shadowing == Shadowing::None,
            "shadowing = frame or link",
        ),
        ("ricean_k_db", radio.ricean_k_db != usual.ricean_k_db && radio.fading != Fading::Ricean, "fading = ricean"),
        (
            "noise_floor_dbm",
            radio.noise_floor_dbm != usual.noise_floor_dbm && radio.interference != Interference::Sum,
            "interference = sum",
        ),
        ("bit_errors", radio.bit_errors && radio.interference != Interference::Sum, "interference = sum"),
    ];
    for (key, _, needed) in idle.iter().filter(|(_, is_idle, _)| *is_idle) {
        document.refuse(&format!("radio.{key}"), format!("has no effect here: it needs {needed}"));
    }
    let disc = [
        ("shadowing", radio.shadowing != Shadowing::None),
        ("fading", radio.fading != Fading::None),
        ("bit_errors", radio.bit_errors),
    ];
    for (key, _) in disc.iter().filter(|(_, used)| *used && radio.propagation == Propagation::Disc) {
        document.refuse(&format!("radio.{key}"), "'disc' does not compute powers: use another propagation".to_owned());
    }
    if !document.is_clean("radio") || radio.interference != Interference::Sum {
        return;
    }
    if radio.bit_errors {
        if scenario.mac.phy == Phy::Dot11b {
            let known = Modulation::DSSS.map(|modulation| modulation.rate_bps() / 1e6);
            rates(
                document,
                &scenario.mac,
                &known,
                "must be one of 1, 2, 5.5 and 11 with radio.bit_errors, the rates of 802.11b",
            );
        }
    } else if radio.propagation != Propagation::Disc {
        let built = hopwright_radio::Radio::new(&config::radio(scenario));
        let snr_db = 10.0 * libm::log10(built.reception_mw()) - radio.noise_floor_dbm;
        if snr_db < radio.capture_threshold_db {
            let reason = format!(
                "a frame that is just strong enough to be decoded is {snr_db:.1} dB above this noise, and would never be \
                 received: capture_threshold_db is {}",
                radio.capture_threshold_db
            );
            document.refuse("radio.noise_floor_dbm", reason);
        }
    }
}

/// Refuses rates that are not among those of the physical layer.
fn rates(document: &mut Document, mac: &Mac, known: &[f64], right: &str) {
    for (key, mbps) in [("data_rate_mbps", mac.data_rate_mbps), ("basic_rate_mbps", mac.basic_rate_mbps)] {
        if document.is_clean(&format!("mac.{key}")) && !known.contains(&mbps) {
            document.refuse(&format!("mac.{key}"), format!("{right}, found {mbps}"));
        }
    }
}

pub(super) fn mac(document: &mut Document, scenario: &Scenario) {
    let mac = &scenario.mac;
    if mac.phy != Phy::Dot11b {
        let known = Ofdm::ALL.map(|rate| f64::from(rate.mbps()));
        let right = format!("must be one of 6, 9, 12, 18, 24, 36, 48 and 54, the rates of {}", mac.phy.name());
        rates(document, mac, &known, &right);
    }
    if document.is_clean("mac.cw_min") && document.is_clean("mac.cw_max") && mac.cw_min > mac.cw_max {
        let key = if document.gives("mac.cw_min") { "mac.cw_min" } else { "mac.cw_max" };
        let reason = format!("cw_min ({}) must not exceed cw_max ({})", mac.cw_min, mac.cw_max);
        document.refuse(key, reason);
    }
    if document.is_clean("mac.sifs_us") && document.is_clean("mac.difs_us") && mac.difs_us <= mac.sifs_us {
        let key = if document.gives("mac.difs_us") { "mac.difs_us" } else { "mac.sifs_us" };
        let reason = format!("difs_us ({}) must exceed sifs_us ({})", mac.difs_us, mac.sifs_us);
        document.refuse(key, reason);
    }
    let (low, high) = (mac.fba_min_threshold, mac.fba_max_threshold);
    if document.is_clean("mac.fba_min_threshold") && document.is_clean("mac.fba_max_threshold") && low >= high {
        let key = if document.gives("mac.fba_max_threshold") { "fba_max_threshold" } else { "fba_min_threshold" };
        let reason = format!("fba_min_threshold ({low}) must be below fba_max_threshold ({high})");
        document.refuse(&format!("mac.{key}"), reason);
    }
    let backoff = scenario.output.series.iter().position(|&series| series == Quantity::Backoff);
    if let Some(n) = backoff.filter(|_| mac.kind == MacKind::Ideal) {
        let reason = "'backoff' needs mac.kind = 'dcf'; stations with 'ideal' do not back off";
        document.refuse(&format!("output.series.{n}"), reason.to_owned());
    }
    if mac.rts.is_some() && mac.rts_threshold_bytes.is_some() {
        let reason = "contradicts rts_threshold_bytes: give the policy or the threshold, not both";
        document.refuse("mac.rts", reason.to_owned());
    }
}
