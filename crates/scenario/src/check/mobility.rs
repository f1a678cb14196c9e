//! How nodes move: rules between keys.

use crate::model::{Mobility, RandomWaypoint, Scenario, Start, Topology};
use crate::read::Document;

/// Rules of `[mobility]` and `[[events]]` that do not need the nodes' places.
pub(super) fn rules(document: &mut Document, scenario: &Scenario) {
    if !document.is_clean("mobility") || !document.is_clean("area") || !document.is_clean("duration_s") {
        return;
    }
    let area = &scenario.area;
    let smaller_m = area.width_m.min(area.height_m);
    let mut refuse = |key: &str, reason: String| {
        document.refuse(&format!("mobility.{key}"), reason);
    };
    let most_before = |least: f64, most: f64| {
        (least > most).then(|| format!("min_speed_mps ({least}) must not exceed max_speed_mps ({most})"))
    };
    match &scenario.mobility {
        Mobility::Static(_) | Mobility::Scripted(_) => {}
        Mobility::RandomWaypoint(m) => waypoint_rules(m, &mut refuse),
        Mobility::ReferencePointGroup(m) => waypoint_rules(&m.leader(), &mut refuse),
        Mobility::RandomWalk(m) => {
            if let Some(reason) = most_before(m.min_speed_mps, m.max_speed_mps) {
                refuse("min_speed_mps", reason);
            }
            if m.leg_s.is_some() && m.leg_m.is_some() {
                refuse("leg_m", "contradicts leg_s: a leg has either a time or a distance".to_owned());
            } else if m.leg_m.is_some() && m.min_speed_mps == 0.0 {
                let reason = "must be above 0 if legs have a distance (leg_m): a leg at speed 0 never ends";
                refuse("min_speed_mps", reason.to_owned());
            }
        }
        Mobility::GaussMarkov(m) => {
            if m.mean_speed_mps > m.max_speed_mps {
                let reason = format!(
                    "mean_speed_mps ({}) must not exceed max_speed_mps ({})",
                    m.mean_speed_mps, m.max_speed_mps
                );
                refuse("mean_speed_mps", reason);
            }
            if m.edge_m >= smaller_m / 2.0 {
                let reason = format!(
                    "must be below half of the area's smaller side ({} m), found {}: every place would be near an edge",
                    smaller_m / 2.0,
                    m.edge_m
                );
                refuse("edge_m", reason);
            }
        }
        Mobility::Manhattan(m) => {
            if let Some(reason) = most_before(m.min_speed_mps, m.max_speed_mps) {
                refuse("min_speed_mps", reason);
            }
            if m.turn_left + m.turn_right > 1.0 {
                let reason = format!(
                    "turn_left and turn_right add up to {}: the sum must be at most 1",
                    m.turn_left + m.turn_right
                );
                refuse("turn_right", reason);
            }
        }
    }
    topology_rules(document, scenario);
}

/// Refuses events that the run does not live to see.
pub(super) fn event_times(document: &mut Document, scenario: &Scenario) {
    let duration_s = scenario.run.duration_s;
    for (n, event) in scenario.events.iter().enumerate() {
        let key = format!("events.{n}.at_s");
        if document.is_clean(&key) && document.is_clean("duration_s") && event.at_s() >= duration_s {
            let reason =
                format!("must be before the end of the run (duration_s = {duration_s}), found {}", event.at_s());
            document.refuse(&key, reason);
        }
    }
}

fn waypoint_rules(m: &RandomWaypoint, refuse: &mut impl FnMut(&str, String)) {
    if m.min_speed_mps > m.max_speed_mps {
        let reason = format!("min_speed_mps ({}) must not exceed max_speed_mps ({})", m.min_speed_mps, m.max_speed_mps);
        refuse("min_speed_mps", reason);
    }
    if m.min_speed_mps == 0.0 && m.start != Start::Uniform {
        let reason = "must be above 0: with speeds down to 0 there is no steady state, because the mean speed falls \
                      towards 0 for ever (Yoon, Liu and Noble 2003); 0 needs start = 'uniform'";
        refuse("min_speed_mps", reason.to_owned());
    }
    if let Some(most_s) = m.pause_max_s
        && most_s < m.pause_s
    {
        refuse("pause_max_s", format!("must not be below pause_s ({}), found {most_s}", m.pause_s));
    }
}

/// Which model goes with which topology.
fn topology_rules(document: &mut Document, scenario: &Scenario) {
    let model = scenario.mobility.model();
    if !scenario.mobility.moves() || !document.is_clean("mobility") || !document.is_clean("topology") {
        return;
    }
    if scenario.topology.file().is_some() {
        let reason = format!("'{model}' contradicts the topology, whose file says how nodes move: use 'static'");
        document.refuse("mobility.model", reason);
        return;
    }
    if matches!(scenario.topology, Topology::Random(_)) {
        return;
    }
    let reason = match &scenario.mobility {
        Mobility::RandomWaypoint(m) if m.start != Start::Uniform => {
            "nodes start from the places of this topology only with mobility.start = 'uniform'; another start places \
             nodes itself and needs topology.kind = 'random'"
        }
        Mobility::ReferencePointGroup(_) | Mobility::Manhattan(_) => {
            "this model places the nodes itself: it needs topology.kind = 'random'"
        }
        _ => return,
    };
    let key = if document.gives("mobility.start") { "mobility.start" } else { "mobility.model" };
    document.refuse(key, reason.to_owned());
}
