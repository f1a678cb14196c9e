//! The protocols: a table of recipes. Reading a row tells exactly how a protocol differs from its parent.

use crate::mechanisms::{
    Recipe, acking, avoidance, clocking, control, detection, diagnosis, offer, path, recovery, response, startup,
    timeout,
};
use crate::params::{Params, Value};
use crate::table::Table;

use Setting::{Bool, Number, Word};

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

/// Every protocol that stands here; with those that others registered: `protocols`.
#[rustfmt::skip]
pub const PROTOCOLS: &[Protocol] = &[
    row("tahoe",   "Jacobson 1988", Recipe { response: response::RESTART, recovery: recovery::GO_BACK, ..RENO }),
    row("reno",    "RFC 5681",      RENO),
    row("newreno", "RFC 6582",      NEWRENO),
    row("sack",    "RFC 6675",      SACK).with(SELECTIVE),
    row("cubic",   "RFC 9438",      CUBIC).with(SELECTIVE),

    row("vegas",         "Brakmo and Peterson 1995", Recipe {
        startup: startup::VEGAS, avoidance: avoidance::VEGAS, detection: detection::VEGAS, response: response::VEGAS,
        recovery: recovery::VEGAS, ..RENO
    }),
    row("westwood",      "Mascolo et al. 2001",      WESTWOOD),
    row("westwood-plus", "Grieco and Mascolo 2004",  WESTWOOD).with(&[("bandwidth_estimator", Word("westwood-plus"))]),
    row("veno",          "Fu and Liew 2003",         Recipe {
        avoidance: avoidance::VENO, diagnosis: diagnosis::VENO, response: response::VENO, ..RENO
    }),

    row("ss-reno",      "Papanastasiou 2006 §4.3.1",  Recipe { startup: startup::SLOW, ..RENO }),
    row("sca-reno",     "Papanastasiou 2006 §4.3.2",  Recipe { avoidance: avoidance::SLOW, ..RENO }),
    row("ssca-reno",    "Papanastasiou 2006 §4.3.3",  Recipe { startup: startup::SLOW, avoidance: avoidance::SLOW, ..RENO }),
    row("ss-newreno",   "Papanastasiou 2006 §4.3.1",  Recipe { startup: startup::SLOW, ..NEWRENO }),
    row("sca-newreno",  "Papanastasiou 2006 §4.3.2",  Recipe { avoidance: avoidance::SLOW, ..NEWRENO }),
    row("ssca-newreno", "Papanastasiou 2006 §4.3.3",  Recipe { startup: startup::SLOW, avoidance: avoidance::SLOW, ..NEWRENO }),
    row("ss-sack",      "Papanastasiou 2006 §4.3.1",  Recipe { startup: startup::SLOW, ..SACK }).with(SELECTIVE),
    row("sca-sack",     "Papanastasiou 2006 §4.3.2",  Recipe { avoidance: avoidance::SLOW, ..SACK }).with(SELECTIVE),
    row("ssca-sack",    "Papanastasiou 2006 §4.3.3",  Recipe { startup: startup::SLOW, avoidance: avoidance::SLOW, ..SACK }).with(SELECTIVE),
    row("adaptive-sca", "Papanastasiou 2006 §4.5.2",  Recipe { avoidance: avoidance::ADAPTIVE_SLOW, ..RENO }),
    // The least limit that leaves room for three duplicates, within the 2 to 6 of Figure 4.14.
    row("cwl",          "Papanastasiou 2006 §4.4.2",  RENO).with(&[("cwnd_limit_segments", Number(4.0))]),
    row("adaptive-cwl", "Chen, Xue and Nahrstedt 2003", Recipe { control: control::ADAPTIVE_CWL, ..RENO }),
    row("daa",          "de Oliveira and Braun 2005", Recipe { acking: acking::DAA, ..NEWRENO })
        .with(&[("cwnd_limit_segments", Number(4.0)), ("cwnd_floor_segments", Number(2.0))]),

    row("tcc",       "Hamadani and Rakocevic §IV a", Recipe { offer: offer::TCC, ..NEWRENO }),

    row("fixed-rto", "Dyer and Boppana 2001",     Recipe { timeout: timeout::FIXED_RTO, ..NEWRENO })
        .with(&[("halve_on_every_timeout", Bool(false))]),
    row("door",      "Wang and Zhang 2002",       Recipe { path: path::DOOR, ..NEWRENO }),

    // Over Reno, as Zhou et al. compare them.
    row("tcp-f",     "Chandran et al. 2001",      Recipe { path: path::TCP_F, ..RENO }),
    row("elfn",      "Holland and Vaidya 1999",   Recipe { path: path::ELFN, ..RENO }),
    row("simelfn",   "Zhou et al. §4",            Recipe { path: path::SIMELFN, ..RENO }),
    row("fsr",       "Zhou et al. §5",            Recipe { path: path::FSR, ..RENO }),
    row("atcp",      "Liu and Singh 2001",        Recipe { path: path::ATCP, ..NEWRENO }).with(&[("ecn", Bool(true))]),

    row("eln",       "Balakrishnan and Katz 1998", Recipe {
        detection: detection::ELN, diagnosis: diagnosis::ELN, response: response::SPARE, ..NEWRENO
    }),
    // Classifiers that say what was the channel's, with the answer that their authors had in mind for it.
    row("biaz-vaidya", "Biaz and Vaidya 1999",     Recipe { diagnosis: diagnosis::BIAZ_VAIDYA, ..SPARING }),
    row("spike",       "Tobe et al. 2000",         Recipe { diagnosis: diagnosis::SPIKE, ..SPARING }).with(TIMED),
    row("zigzag",      "Cen, Cosman and Voelker 2002 §3.3", Recipe { diagnosis: diagnosis::ZIGZAG, ..SPARING }).with(TIMED),
    row("zbs",         "Cen, Cosman and Voelker 2002 §3.4", Recipe { diagnosis: diagnosis::ZBS, ..SPARING }).with(TIMED),
    row("ncpld",       "Samaraweera 1999",         Recipe { diagnosis: diagnosis::NCPLD, ..SPARING }),
    row("oracle",      "told by the simulator",    Recipe { diagnosis: diagnosis::ORACLE, ..SPARING }),
    // On Linux' form of the estimator, as the author did.
    row("welcome",   "Ghaleb-Seddik 2009",         Recipe { diagnosis: diagnosis::WELCOME, response: response::WELCOME, ..NEWRENO })
        .with(&[
            ("bandwidth_estimator", Word("westwood-plus")), ("westwood_plus_filter", Word("linux")),
            ("bandwidth_least_rtt", Word("relearned")),
        ]),

    // Rates. Their authors' packets are of their own; here their rules regulate a reliable stream of TCP segments.
    row("tfrc", "RFC 5348", Recipe {
        control: control::TFRC, clocking: clocking::PACED, recovery: recovery::STATUS, timeout: timeout::PROBE, ..SACK
    })
        .with(&[
            ("selective_acks", Bool(true)), ("rate_loss_at", Word("receiver")),
            // The nofeedback timer: four round trips (§4.3), 200 ms at least.
            ("probe_wait_srtt", Number(4.0)), ("probe_period_srtt", Number(4.0)),
        ]),
    row("wtcp", "Sinha et al. 1999", Recipe {
        control: control::HYBRID, clocking: clocking::PACED, startup: startup::PACKET_PAIR, avoidance: avoidance::TOLD,
        diagnosis: diagnosis::USUAL_LOSSES, response: response::SPARE, recovery: recovery::STATUS,
        timeout: timeout::PROBE, acking: acking::TUNED, offer: offer::SEPARATION, ..SACK
    })
        .with(SELECTIVE),
    row("stp", "Henderson and Katz 1999", Recipe {
        control: control::HYBRID, clocking: clocking::PACED, avoidance: avoidance::BYTE_COUNTING,
        recovery: recovery::STATUS, acking: acking::POLLED, ..SACK
    })
        // One status in a round trip grows the window as an acknowledgement of each segment would.
        .with(&[("selective_acks", Bool(true)), ("slow_start_limit_segments", Number(0.0))]),
];

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

const NEWRENO: Recipe = Recipe { recovery: recovery::PARTIAL_ACKS, ..RENO };

const SPARING: Recipe = Recipe { response: response::SPARE, ..NEWRENO };

const TIMED: &[(&str, Setting)] = &[("timestamps", Bool(true))];

const SACK: Recipe = Recipe { detection: detection::SACK, recovery: recovery::SACK, ..RENO };

const SELECTIVE: &[(&str, Setting)] = &[("selective_acks", Bool(true))];

const CUBIC: Recipe = Recipe { avoidance: avoidance::CUBIC, response: response::CUBIC, ..SACK };

const WESTWOOD: Recipe = Recipe { response: response::BANDWIDTH_FIT, ..NEWRENO };

impl Protocol {
    /// A row that changes no defaults of parameters.
    #[must_use]
    pub const fn new(id: &'static str, source: &'static str, recipe: Recipe) -> Self {
        Self { id, source, recipe, settings: &[] }
    }

    /// The same row, which changes these defaults.
    #[must_use]
    pub const fn with(self, settings: &'static [(&'static str, Setting)]) -> Self {
        Self { settings, ..self }
    }
}

pub(crate) static TABLE: Table<Protocol> = Table::new(PROTOCOLS);

/// Every protocol, those registered last.
#[must_use]
pub fn protocols() -> &'static [Protocol] {
    TABLE.all()
}

/// The protocol with this id.
#[must_use]
pub fn protocol(id: &str) -> Option<&'static Protocol> {
    protocols().iter().find(|p| p.id == id)
}

const fn row(id: &'static str, source: &'static str, recipe: Recipe) -> Protocol {
    Protocol::new(id, source, recipe)
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
    fn what_is_asked_of_the_network_follows_the_path() {
        use hopwright_wire::notice::{Asks, Kind, Restored};
        let asked = |id: &str, params: &Params| protocol(id).unwrap().recipe.asks(params);
        let of = |failed, every_detector, restored, seeks| Some(Asks { failed, every_detector, restored, seeks });
        let params = Params::default();
        assert_eq!(asked("tcp-f", &params), of(Kind::Rfn, false, Restored::Sender, true));
        assert_eq!(asked("elfn", &params), of(Kind::Elfn, false, Restored::Nobody, false));
        assert_eq!(asked("simelfn", &params), of(Kind::Elfn, false, Restored::Nobody, false));
        assert_eq!(asked("fsr", &params), of(Kind::Rfn, true, Restored::Receiver, true));
        assert_eq!(asked("atcp", &params), of(Kind::Unreachable, false, Restored::Nobody, false));
        let silent = PROTOCOLS.iter().filter(|p| p.recipe.asks(&params).is_none()).count();
        assert_eq!(silent, PROTOCOLS.len() - 5);
        let mut changed = Params::default();
        for (name, value) in [("tcpf_seeks", false), ("simelfn_seeks", true), ("fsr_seeks", false)] {
            changed.set(name, Value::Bool(value)).unwrap();
        }
        assert!(["tcp-f", "fsr"].iter().all(|id| !asked(id, &changed).unwrap().seeks));
        assert!(asked("simelfn", &changed).unwrap().seeks);
        let override_ = protocol("vegas").unwrap().recipe.with("path", "fsr").unwrap();
        assert_eq!(override_.asks(&params), asked("fsr", &params));
    }

    #[test]
    fn newreno_differs_from_reno_in_one_slot() {
        let reno = protocol("reno").unwrap().recipe;
        let newreno = protocol("newreno").unwrap().recipe;
        let differing: Vec<_> = reno.parts().into_iter().zip(newreno.parts()).filter(|(a, b)| a.1 != b.1).collect();
        assert_eq!(differing, [(("recovery", "fast-recovery"), ("recovery", "partial-acks"))]);
    }
}
