//! The transport parameters of a real host, where they differ from the simulator's.
//!
//! Spec      RFC 6928 (initial window), RFC 6298 §2.4 (lower bound of the RTO), RFC 1122 §4.2.3.2, RFC 9293 §3.8.3,
//!           RFC 7661 (windows that are not used), RFC 3168 (congestion marks)
//! Deviates  an RTO of 200 ms instead of 1 s, as all large stacks do; no bound on bursts: what arrives as one
//!           packet of 64 KB is acknowledged as one
//! Holds     each can be set otherwise

use hopwright_transport::mechanisms::UnknownPart;
use hopwright_transport::params::ParamError;
use hopwright_transport::{Params, Recipe, Value, parameters, protocol, protocols, slots};

use crate::error::Error;

/// Slots, the part that a protocol has in them where it does not care, and the one it gets instead.
#[rustfmt::skip]
const SLOTS: &[(&str, &str, &str)] = &[
    ("acking", "every", "delayed"),
    ("avoidance", "additive", "byte-counting"), // one ACK stands for many segments
];

/// Parameters by name, with their values as they would be typed.
#[rustfmt::skip]
const PARAMS: &[(&str, &str)] = &[
    ("delayed_ack_ms", "40"),
    ("ecn", "accept"),                      // as Linux: who asks gets it
    ("explicit_read", "true"),              // the application takes data when it can write them down
    ("fin_wait_2_timeout_s", "60"),         // as Linux; see plan.rs
    ("granularity_mode", "exact"),          // the real clock has no ticks worth counting
    ("idle_restart", "initial-window"),     // without window_validation
    ("initial_window_segments", "10"),
    ("limited_transmit", "true"),
    ("max_burst_segments", "0"),
    ("min_rto_ms", "200"),
    ("nagle", "true"),
    ("receive_buffer_bytes", "1048576"),
    ("selective_acks", "true"),
    ("timestamps", "true"),
    ("user_timeout_s", "120"),
    ("window_validation", "rfc7661"),       // applications write when they like
];

/// What nobody may set: the driver relies on it.
const FIXED: &[&str] = &["explicit_read", "plain_handshake"];

/// A protocol by name with the defaults above.
///
/// # Errors
/// If there is no such protocol.
pub fn defaults(name: &str) -> Result<(Recipe, Params), Error> {
    let Some(found) = protocol(name) else {
        let names: Vec<_> = protocols().iter().map(|p| p.id).collect();
        return Err(Error::input(format!("no protocol called '{name}'{}", near(name, &names))));
    };
    let mut both = (found.recipe, Params::default());
    for (slot, usual, value) in SLOTS {
        if found.recipe.parts().contains(&(slot, usual)) {
            set(&mut both, slot, value)?;
        }
    }
    for (key, value) in PARAMS {
        set(&mut both, key, value)?;
    }
    both.1 = found.params(both.1);
    Ok(both)
}

/// Sets what a user typed.
pub(crate) fn set_by_user(both: &mut (Recipe, Params), key: &str, value: &str) -> Result<(), Error> {
    if FIXED.contains(&key) {
        return Err(Error::input(format!("{key}: cannot be set on a real host")));
    }
    set(both, key, value)
}

fn set((recipe, params): &mut (Recipe, Params), key: &str, value: &str) -> Result<(), Error> {
    match recipe.with(key, value) {
        Ok(changed) => {
            *recipe = changed;
            return Ok(());
        }
        Err(UnknownPart::Part(parts)) => {
            return Err(Error::input(format!("{key}: there is no '{value}'{}", near(value, &parts))));
        }
        Err(UnknownPart::Slot(_)) => {}
    }
    params.set(key, typed(value)).map_err(|error| match error {
        ParamError::Unknown => {
            let names: Vec<_> = slots().iter().map(|s| s.name).chain(parameters().iter().map(|p| p.name)).collect();
            Error::input(format!("no slot or transport parameter called '{key}'{}", near(key, &names)))
        }
        ParamError::Expected(_) => Error::input(format!("{key}={value}: {error}")),
    })
}

/// A value as in scenario files: a switch, a number, or a bare word.
fn typed(text: &str) -> Value {
    match (text, text.parse::<f64>()) {
        ("true", _) => Value::Bool(true),
        ("false", _) => Value::Bool(false),
        (_, Ok(number)) if number.is_finite() => Value::Number(number),
        _ => Value::Word(text.trim_matches('"').to_owned()),
    }
}

/// `; did you mean 'reno'?` or the list of what there is.
pub(crate) fn near(word: &str, names: &[&str]) -> String {
    let nearest = names.iter().map(|name| (strsim::damerau_levenshtein(word, name), name)).min();
    match nearest {
        Some((distance, name)) if distance <= 1 + name.len() / 4 => format!("; did you mean '{name}'?"),
        _ => format!("; there are: {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(key: &str, value: &str) -> String {
        set_by_user(&mut defaults("newreno").unwrap(), key, value).unwrap_err().to_string()
    }

    #[test]
    fn every_default_is_known_and_set() {
        for protocol in protocols() {
            let (recipe, params) = defaults(protocol.id).unwrap();
            for (slot, usual, value) in SLOTS {
                assert!(!recipe.parts().contains(&(slot, usual)), "{slot} stays {usual}, and not {value}");
            }
            let own: Vec<_> = protocol.settings.iter().map(|(name, _)| *name).collect();
            for (key, value) in PARAMS.iter().filter(|(key, _)| !own.contains(key)) {
                assert_eq!(params.value(key), Some(typed(value)), "{key}");
            }
        }
    }

    #[test]
    fn slips_are_answered_with_what_was_meant() {
        assert_eq!(
            defaults("newrneo").unwrap_err().to_string(),
            "no protocol called 'newrneo'; did you mean 'newreno'?"
        );
        assert_eq!(
            refused("min_rto_m", "3"),
            "no slot or transport parameter called 'min_rto_m'; did you mean 'min_rto_ms'?"
        );
        assert_eq!(refused("acking", "evry"), "acking: there is no 'evry'; did you mean 'every'?");
        assert_eq!(refused("nagle", "3"), "nagle=3: expected true or false");
        assert_eq!(refused("explicit_read", "false"), "explicit_read: cannot be set on a real host");
    }
}
