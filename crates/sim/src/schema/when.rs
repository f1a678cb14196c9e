//! When a field of results is there, if it is not always.
//!
//! What a scenario has to ask for is said as its keys, each with the values that ask for nothing: whoever wants the
//! field is told so before anything runs.

use serde_json::{Value, json};

fn asked(what: &str, set: &str, keys: Value) -> Value {
    json!({ "if": what, "set": set, "keys": keys })
}

/// Energy of radios.
#[must_use]
pub fn radio_energy() -> Value {
    asked("`radio.energy` is given", "radio.energy", json!({ "radio.energy": [null] }))
}

/// Energy of transports.
#[must_use]
pub fn compute() -> Value {
    asked("`energy.compute` names a coefficient file", "energy.compute", json!({ "energy.compute": [null] }))
}

/// How the medium is used.
#[must_use]
pub fn medium_use() -> Value {
    asked("`output.medium_use` is true", "output.medium_use", json!({ "output.medium_use": [false] }))
}

/// What the channel does to frames.
#[must_use]
pub fn channel() -> Value {
    asked(
        "the channel leaves something to chance: frames are shadowed one by one, fade, have bit errors, or `[[errors]]` damages them",
        "[[errors]], radio.fading, radio.shadowing=frame or radio.bit_errors",
        json!({
            "errors": [null, []],
            "radio.fading": ["none"],
            "radio.shadowing": ["none", "link"],
            "radio.bit_errors": [false],
        }),
    )
}

/// Triggers.
#[must_use]
pub fn triggers() -> Value {
    asked("the flow has triggers", "[[flows.transport.triggers]]", json!({ "flows.transport.triggers": [null, []] }))
}

/// Something else.
#[must_use]
pub fn otherwise(what: &str) -> Value {
    json!({ "if": what })
}
