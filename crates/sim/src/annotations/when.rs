//! When a field of results is there, if it is not always.
//!
//! What a scenario has to ask for is said as its keys, each with the values that ask for nothing: whoever wants the
//! field is told so before anything runs.

use serde_json::{Value, json};

/// Energy of radios.
pub fn radio_energy() -> Value {
    asked("`radio.energy` is given", "radio.energy", json!({ "radio.energy": [null] }))
}

/// Energy of transports.
pub fn compute() -> Value {
    asked("`energy.compute` names a coefficient file", "energy.compute", json!({ "energy.compute": [null] }))
}

/// How the medium is used.
pub fn medium_use() -> Value {
    asked("`output.medium_use` is true", "output.medium_use", json!({ "output.medium_use": [false] }))
}

/// Where each flow's time went.
pub fn flow_time() -> Value {
    asked("`output.flow_time` is true", "output.flow_time", json!({ "output.flow_time": [false] }))
}

/// What the channel does to frames.
pub fn channel() -> Value {
    let what = "the channel is random: frames are shadowed one by one, fade or have bit errors, or `[[errors]]` damages \
                them";
    let set = "[[errors]], radio.fading, radio.shadowing=frame or radio.bit_errors";
    #[rustfmt::skip]
    let keys = json!({
        "errors": [null, []], "radio.fading": ["none"], "radio.shadowing": ["none", "link"], "radio.bit_errors": [false],
    });
    asked(what, set, keys)
}

/// Triggers.
pub fn triggers() -> Value {
    let key = "flows.transport.triggers";
    asked("the flow has triggers", &format!("[[{key}]]"), json!({ key: [null, []] }))
}

/// Something else.
pub fn otherwise(what: &str) -> Value {
    json!({ "if": what })
}

fn asked(what: &str, set: &str, keys: Value) -> Value {
    json!({ "if": what, "set": set, "keys": keys })
}
