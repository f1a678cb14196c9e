//! Transports of a byte stream that are no composition of mechanisms: each is a machine of its own, somewhere else. Here
//! stand their names and parameters, so that scenario files and messages know them as they know the others'.

use crate::params::Knob;

mod atp;
mod nctp;

/// A transport without slots.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// The name in scenario files.
    pub id: &'static str,
    /// The document that defines it.
    pub source: &'static str,
    /// Its parameters.
    pub knobs: &'static [Knob],
}

/// All of them.
pub const WHOLE: &[Whole] = &[atp::ATP, nctp::NCTP];

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
                assert!(knob.name.starts_with(&format!("{}_", transport.id)), "{}", knob.name);
            }
        }
    }
}
