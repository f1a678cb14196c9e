//! The protocols: a table of recipes. Reading a row tells exactly how a protocol differs from its parent.

use crate::mechanisms::{
    Recipe, acking, avoidance, clocking, control, detection, diagnosis, offer, path, recovery, response, startup,
    timeout,
};
use crate::params::{Params, Value};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// The name in scenario files.
    pub id: &'static str,
    /// The document that defines it.
    pub source: &'static str,
    /// Which mechanism fills which slot.
    pub recipe: Recipe,
    /// Parameters whose defaults it changes.
    pub settings: &'static [(&'static str, Setting)],
}

/// A parameter's value in the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Setting {
    /// A number, in the parameter's unit.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// One of a set of words.
    Word(&'static str),
}

impl From<Setting> for Value {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::Number(n) => Self::Number(n),
            Setting::Bool(b) => Self::Bool(b),
            Setting::Word(w) => Self::Word(w.to_owned()),
        }
    }
}

impl Protocol {
    /// These parameters, with the defaults that the protocol changes.
    #[must_use]
    pub fn params(&self, base: Params) -> Params {
        self.settings.iter().fold(base, |mut params, (name, value)| {
            params.set(name, (*value).into()).expect("the table sets parameters that exist to values they may have");
            params
        })
    }
}

/// Every protocol.
#[rustfmt::skip]
pub const PROTOCOLS: &[Protocol] = &[
    row("tahoe",   "Jacobson 1988", Recipe { response: response::RESTART, recovery: recovery::GO_BACK, ..RENO }),
    row("reno",    "RFC 5681",      RENO),
    row("newreno", "RFC 6582",      Recipe { recovery: recovery::PARTIAL_ACKS, ..RENO }),
    row("westwood", "Mascolo et al. 2001", WESTWOOD),
    Protocol {
        settings: &[("bandwidth_estimator", Setting::Word("westwood-plus"))],
        ..row("westwood-plus", "Grieco and Mascolo 2004", WESTWOOD)
    },
    row("veno",    "Fu and Liew 2003", Recipe {
        avoidance: avoidance::VENO, diagnosis: diagnosis::VENO, response: response::VENO, ..RENO
    }),
    row("eln",     "Balakrishnan and Katz 1998", Recipe {
        detection: detection::ELN, diagnosis: diagnosis::ELN, response: response::SPARE, ..NEWRENO
    }),
    Protocol {
        settings: &[
            ("bandwidth_estimator", Setting::Word("westwood-plus")),
            ("westwood_plus_filter", Setting::Word("linux")),
            ("bandwidth_least_rtt", Setting::Word("relearned")),
        ],
        ..row("welcome", "Ghaleb-Seddik 2009", Recipe {
            diagnosis: diagnosis::WELCOME, response: response::WELCOME, ..NEWRENO
        })
    },
];

const NEWRENO: Recipe = Recipe { recovery: recovery::PARTIAL_ACKS, ..RENO };
const WESTWOOD: Recipe = Recipe { response: response::BANDWIDTH_FIT, ..NEWRENO };

const RENO: Recipe = Recipe {
    control: control::WINDOW,
    clocking: clocking::SELF_CLOCKED,
    startup: startup::SLOW_START,
    avoidance: avoidance::ADDITIVE,
    detection: detection::DUPLICATE_ACKS,
    diagnosis: diagnosis::BLAME_CONGESTION,
    response: response::HALVE,
    recovery: recovery::FAST_RECOVERY,
    timeout: timeout::RFC6298,
    path: path::IGNORE,
    acking: acking::EVERY,
    offer: offer::FREE_BUFFER,
};

/// The protocol with this id.
#[must_use]
pub fn protocol(id: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().find(|p| p.id == id)
}

const fn row(id: &'static str, source: &'static str, recipe: Recipe) -> Protocol {
    Protocol { id, source, recipe, settings: &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_found() {
        for (i, p) in PROTOCOLS.iter().enumerate() {
            assert!(PROTOCOLS[..i].iter().all(|other| other.id != p.id));
            assert_eq!(protocol(p.id).unwrap().source, p.source);
        }
        assert!(protocol("newremo").is_none());
    }

    #[test]
    fn newreno_differs_from_reno_in_one_slot() {
        let reno = protocol("reno").unwrap().recipe;
        let newreno = protocol("newreno").unwrap().recipe;
        let differing: Vec<_> = reno.parts().into_iter().zip(newreno.parts()).filter(|(a, b)| a.1 != b.1).collect();
        assert_eq!(differing, [(("recovery", "fast-recovery"), ("recovery", "partial-acks"))]);
    }
}
