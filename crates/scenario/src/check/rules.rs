//! Rules between keys of the same table.

use crate::model::{Propagation, RoutingProtocol, Scenario, Topology};
use crate::read::Document;

/// Speed of light, m/s.
const LIGHT_MPS: f64 = 299_792_458.0;

pub(super) fn run(document: &mut Document, scenario: &Scenario) {
    let run = &scenario.run;
    if run.name.trim().is_empty() || run.name.contains(['/', '\\', '\0', '\n', '\r', '\t']) || run.name.starts_with('.')
    {
        let reason = "must be usable as the name of a folder: not empty, no '/', '\\' or control characters, \
                      no '.' in front";
        document.refuse("name", reason.to_owned());
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
            let reason = format!("'disc' knows no powers: give {what}_range_m");
            document.refuse(&format!("radio.{what}_threshold_dbm"), reason);
        }
    }
    if !document.is_clean("radio") {
        return;
    }
    let built = hopwright_radio::Radio::new(&crate::setup::radio(scenario));
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
            "carrier sense ({sense_m:.0} m) must reach at least as far as reception ({reception_m:.0} m): what can be \
             decoded is also noticed"
        );
        document.refuse(key, reason);
    }
    let farthest_m = scenario.mac.difs_us * 1e-6 * LIGHT_MPS;
    if sense_m > farthest_m && document.is_clean("mac.difs_us") && document.is_clean("radio") {
        let reason = format!(
            "carrier sense reaches {sense_m:.0} m; beyond {farthest_m:.0} m a signal travels longer than DIFS \
             ({} us), and the DCF cannot work",
            scenario.mac.difs_us
        );
        document.refuse(key, reason);
    }
}

pub(super) fn mac(document: &mut Document, scenario: &Scenario) {
    let mac = &scenario.mac;
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
    if mac.rts.is_some() && mac.rts_threshold_bytes.is_some() {
        let reason = "contradicts rts_threshold_bytes: give the policy or the threshold, not both";
        document.refuse("mac.rts", reason.to_owned());
    }
}

/// Whether routes are installed before the start.
pub(super) fn is_static_routing(scenario: &Scenario) -> bool {
    scenario.routing.protocol == RoutingProtocol::Static
}

/// Whether chance places the nodes, so that a gap is nobody's slip.
pub(super) fn is_placed_by_chance(scenario: &Scenario) -> bool {
    matches!(scenario.topology, Topology::Random(_))
}
