//! Transports of a byte stream that are no composition of mechanisms: each is a machine of its own, somewhere else. Here
//! stand their names and parameters, so that scenario files and messages know them as they know the others'.

use crate::params::{Knob, Params};
use crate::protocols::Setting;

mod atp;
mod nctp;

/// A transport without slots.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// The name in scenario files.
    pub id: &'static str,
    /// The document that defines it.
    pub source: &'static str,
    /// The transport whose machine it is, with other defaults; its own id if that is its own.
    pub kind: &'static str,
    /// Its parameters, which begin with the kind's id.
    pub knobs: &'static [Knob],
    /// Parameters whose defaults it changes.
    pub settings: &'static [(&'static str, Setting)],
}

impl Whole {
    /// These parameters with the defaults that it changes.
    ///
    /// # Panics
    /// If it sets what does not exist, which a test excludes.
    #[must_use]
    pub fn params(&self, usual: Params) -> Params {
        let set = |mut params: Params, &(name, setting): &(&'static str, Setting)| {
            params.set(name, setting.into()).expect("a parameter that exists, and a value that it may have");
            params
        };
        self.settings.iter().fold(usual, set)
    }
}

/// All of them.
pub const WHOLE: &[Whole] = &[atp::ATP, nctp::NCTP, nctp::NCTP_SHORT];

/// The transport with this id, if it is one without slots.
#[must_use]
pub fn whole(id: &str) -> Option<&'static Whole> {
    WHOLE.iter().find(|whole| whole.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_the_transport_and_are_no_protocols() {
        for transport in WHOLE {
            assert!(crate::protocol(transport.id).is_none());
            for knob in transport.knobs {
                assert!(knob.name.starts_with(&format!("{}_", transport.kind)), "{}", knob.name);
            }
            let params = transport.params(Params::default());
            for (name, setting) in transport.settings {
                assert!(transport.knobs.iter().any(|knob| knob.name == *name), "{name}");
                assert_eq!(params.value(name), Some((*setting).into()));
                assert_ne!(Params::default().value(name), Some((*setting).into()), "{name} is the default");
            }
        }
    }
}
