//! Numbers as people and accidents write them: near what is usual, anywhere inside the limits, at them, outside.

use serde_json::Value as Schema;
use toml::Value;

use super::Dice;

/// What drawn networks are kept to, so that there are few nodes and little time: key, least, most. Where little happens,
/// a run may be longer.
const TAME: &[(&str, f64, f64)] = &[
    ("duration_s", 0.05, 3.0),
    ("topology.hops", 1.0, 5.0),
    ("topology.rows", 1.0, 3.0),
    ("topology.columns", 1.0, 3.0),
    ("topology.arm_hops", 1.0, 2.0),
    ("topology.leaves", 1.0, 5.0),
    ("topology.nodes", 2.0, 7.0),
    ("topology.spacing_m", 50.0, 250.0),
    ("topology.radius_m", 50.0, 250.0),
    ("topology.list", -200.0, 200.0),
    ("area.width_m", 1.0, 600.0),
    ("area.height_m", 1.0, 600.0),
    ("mobility.max_speed_mps", 0.1, 100.0),
    ("mobility.groups", 1.0, 5.0),
    ("events.at_s", 0.0, 3.0),
    ("events.node", 0.0, 5.0),
    ("events.to_m", -200.0, 400.0),
    ("errors.from", 0.0, 5.0),
    ("errors.to", 0.0, 5.0),
    ("output.pcap", 0.0, 5.0),
    ("flows.from", 0.0, 5.0),
    ("flows.to", 0.0, 5.0),
    ("flows.count", 1.0, 3.0),
    ("flows.parallel", 1.0, 3.0),
    ("flows.start_s", 0.0, 1.0),
    ("flows.stop_s", 0.0, 3.0),
    ("warm_up_s", 0.0, 1.0),
];

/// Routers that tell each other of everything now and then need a minute to begin.
const LONG_S: f64 = 100.0;

/// A number that the key may have, or one that it may not have.
pub(super) fn draw(dice: &mut Dice<'_>, key: &str, schema: &Schema) -> Value {
    let is_whole = schema["type"] == "integer";
    let bound = |keyword: &str| schema[keyword].as_f64();
    let tame = TAME.iter().find(|(name, ..)| *name == key).map(|&(_, least, most)| (least, most));
    let allowed =
        (bound("minimum").or(bound("exclusiveMinimum")).unwrap_or(f64::MIN), bound("maximum").unwrap_or(f64::MAX));
    if dice.happens(2) {
        return outside(dice, allowed);
    }
    let (least, most) = match tame {
        Some((least, _)) if key == "duration_s" && dice.happens(40) => (least, LONG_S),
        Some(range) => range,
        None => allowed,
    };
    let number = match dice.below(10) {
        0..4 => match bound("default") {
            Some(usual) => usual * libm::exp2(6.0 * dice.part() - 3.0),
            None => between(dice, least, most),
        },
        4 => least,
        5 => most,
        // Of many zeros, where the least is above zero.
        6 => least + (most - least) * libm::exp2(-(dice.below(1080) as f64)),
        _ => between(dice, least, most),
    };
    let number = number.clamp(least, most);
    if is_whole {
        return Value::Integer(number as i64);
    }
    // As people write it, as often as not.
    let rounded = format!("{number:.3}").parse().unwrap_or(number);
    Value::Float(if dice.happens(50) { f64::clamp(rounded, least, most) } else { number })
}

/// Each order of magnitude as likely as the others.
fn between(dice: &mut Dice<'_>, least: f64, most: f64) -> f64 {
    let part = dice.part();
    if dice.happens(40) || most <= 0.0 {
        return least + (most - least) * part;
    }
    let (low, high) = (least.max(most * 1e-12), most);
    low * libm::pow(high / low, part)
}

/// A number that no key, or not this one, may have.
fn outside(dice: &mut Dice<'_>, (least, most): (f64, f64)) -> Value {
    match dice.below(8) {
        0 => Value::Float(f64::NAN),
        1 => Value::Float(f64::INFINITY),
        2 => Value::Integer(i64::MIN),
        3 => Value::Integer(i64::MAX),
        4 => Value::Integer((most as i64).saturating_add(1)),
        5 => Value::Integer((least as i64).saturating_sub(1)),
        6 => Value::Float(most * 1.001 + 1e-9),
        _ => Value::Float(-5e-324),
    }
}
