//! The list of algorithms: what each does, which half of it a hook can do, and its parameters.

use crate::parameters::{MOST, Parameter};

/// An algorithm that can be loaded.
#[derive(Clone, Copy, Debug)]
pub struct Mechanism {
    /// What `hopwright kernel load` calls it.
    pub id: &'static str,
    /// The kernel's name of it, 15 characters at most, which no algorithm of the kernel's own begins like.
    pub name: &'static str,
    /// The document that defines it.
    pub source: &'static str,
    /// The engine's protocol whose windows it has.
    pub protocol: &'static str,
    /// What runs in the kernel.
    pub runs: &'static str,
    /// What stays the kernel's, beside what does of each (`ALWAYS`).
    pub kernels: &'static str,
    /// Its parameters, in the order in which its program has them.
    pub parameters: &'static [Parameter],
    /// Its program: the name of a file in `bpf/`.
    pub program: &'static str,
    /// Parameters that follow from others.
    pub(crate) derive: fn(&mut [u64; MOST]),
}

const COUNTING: Parameter = Parameter::word(
    "counting",
    &["segments", "acks"],
    0,
    "whether an acknowledgement counts once for each segment that it acknowledges, or only once (the engine's rule)",
);

const K: Parameter = Parameter::count(
    "k",
    10,
    0,
    1_000_000,
    "number of acknowledgements without growth of the window, after each acknowledgement with growth",
);

/// Every algorithm.
pub const MECHANISMS: &[Mechanism] = &[
    Mechanism {
        id: "sca",
        name: "hop_sca",
        source: "Papanastasiou 2006 §4.3.2",
        protocol: "sca-sack",
        runs: "slow growth in congestion avoidance",
        kernels: "",
        parameters: &[COUNTING, K],
        program: "slow",
        derive: |values| values[2] = 0,
    },
    Mechanism {
        id: "ssca",
        name: "hop_ssca",
        source: "Papanastasiou 2006 §4.3.3",
        protocol: "ssca-sack",
        runs: "slow growth in slow start and congestion avoidance",
        kernels: "",
        parameters: &[COUNTING, K, Parameter::count("ss_k", 0, 0, 1_000_000, "k in slow start; 0: as many as k")],
        program: "slow",
        derive: |values| {
            if values[2] == 0 {
                values[2] = values[1];
            }
        },
    },
    Mechanism {
        id: "cwl",
        name: "hop_cwl",
        source: "Papanastasiou 2006 §4.4.2",
        protocol: "cwl",
        runs: "Reno's growth within a fixed limit",
        kernels: "during the repair of a loss, the window may be two segments although the limit is one",
        parameters: &[COUNTING, LIMIT],
        program: "cwl",
        derive: |values| values[2] = 0,
    },
    Mechanism {
        id: "adaptive-cwl",
        name: "hop_acwl",
        source: "Chen, Xue and Nahrstedt 2003",
        protocol: "adaptive-cwl",
        runs: "Reno's growth within a limit for the length of the route",
        kernels: "no hook knows the route: the parameter gives the length of the route",
        parameters: &[
            COUNTING,
            Parameter::count(
                "cwnd_limit_segments",
                0,
                0,
                65535,
                "a fixed limit besides the limit for the route; 0: none",
            ),
            Parameter::count("hops", 0, 0, 255, "length of the route in hops; 0: not known, no limit"),
        ],
        program: "cwl",
        derive: |_| {},
    },
    Mechanism {
        id: "westwood-plus",
        name: "hop_westwood",
        source: "Grieco and Mascolo 2004",
        protocol: "westwood-plus",
        runs: "Reno's growth; after a loss, the window that fits the measured bandwidth",
        kernels: "",
        parameters: &[COUNTING, filter(0), LEAST_WINDOW, least_rtt(0)],
        program: "westwood",
        derive: |_| {},
    },
    Mechanism {
        id: "veno",
        name: "hop_veno",
        source: "Fu and Liew 2003",
        protocol: "veno",
        runs: "growth that halves with a queue; a smaller cut after losses by the channel",
        kernels: "",
        parameters: &[
            COUNTING,
            Parameter::real("veno_beta", 3.0, 0.0, 1e6, "backlog from which on there is congestion, in segments"),
            Parameter::real(
                "veno_kept_fraction",
                0.8,
                0.1,
                1.0,
                "the part of the data in flight that remains as window after a loss by the channel",
            ),
        ],
        program: "veno",
        derive: |_| {},
    },
    Mechanism {
        id: "vegas",
        name: "hop_vegas",
        source: "Brakmo and Peterson 1995",
        protocol: "vegas",
        runs: "growth and shrinking of the window by the queue, once per round trip; slow start in every other round \
               trip; the window after a loss",
        kernels: "the earlier retransmission, at the first duplicate or soon after a loss, by a finer time-out \
                  (§3.1); if a segment is lost again, the window is cut as at the first loss",
        parameters: &[
            COUNTING,
            Parameter::real(
                "vegas_alpha",
                1.0,
                0.0,
                65535.0,
                "the window grows if fewer segments than this are queued",
            ),
            Parameter::real(
                "vegas_beta",
                3.0,
                0.0,
                65535.0,
                "the window shrinks if more segments than this are queued",
            ),
            Parameter::real("vegas_gamma", 1.0, 0.0, 65535.0, "slow start ends if more segments than this are queued"),
            Parameter::count("vegas_restart_segments", 2, 1, 65535, "the window after a time-out"),
        ],
        program: "vegas",
        derive: |_| {},
    },
    Mechanism {
        id: "welcome",
        name: "hop_welcome",
        source: "Ghaleb-Seddik 2009 §5.6, §5.7",
        protocol: "welcome",
        runs: "the cause of each loss; windows for each cause; after a broken route, windows for the new route",
        kernels: "the time-out that is kept and scaled (§5.7.2); after a time-out, all data that counts as lost is \
                  sent again within the kept window",
        parameters: WELCOME,
        program: "welcome",
        derive: |_| {},
    },
];

const fn filter(default: usize) -> Parameter {
    let what = "one average of weight .9, or two averages of weight 7/8 in a row";
    Parameter::word("westwood_plus_filter", &["paper", "linux"], default, what)
}

const LEAST_WINDOW: Parameter = Parameter::count(
    "westwood_plus_least_window_ms",
    50,
    1,
    10_000,
    "shortest time of a sample; otherwise a sample takes a round-trip time",
);

const fn least_rtt(default: usize) -> Parameter {
    let what = "which round-trip time is the shortest: the shortest of the connection, or since the last time-out";
    Parameter::word("bandwidth_least_rtt", &["lifetime", "relearned"], default, what)
}

#[rustfmt::skip]
const WELCOME: &[Parameter] = &[
    COUNTING,
    Parameter::count("welcome_window_samples", 10, 1, 64, "number of recent round-trip times that are considered"),
    Parameter::count("welcome_growing_samples", 5, 0, 64, "round-trip times grow if more than this number are above \
                                                           the limit"),
    Parameter::word("welcome_limit", &["percent", "three-sigma"], 0, "what the limit is: the estimate plus a \
                                                                      percentage, or the limit of the filter"),
    Parameter::real("welcome_excess_percent", 5.0, 0.0, 1e4, "how far the limit is above the estimate"),
    Parameter::word("welcome_samples", &["timed", "every"], 0, "which round-trip times are used: one at a time, or \
                                                                those of every acknowledgement"),
    Parameter::word("welcome_centre_line", &["stable", "agile"], 0, "around which average the control limits lie"),
    Parameter::real("welcome_agile_gain", 0.1, 0.0, 1.0, "weight of the old estimate in the agile average"),
    Parameter::real("welcome_stable_gain", 0.9, 0.0, 1.0, "weight of the old estimate in the stable average"),
    Parameter::real("welcome_range_gain", 0.9, 0.0, 1.0, "weight of the old estimate in the moving range"),
    Parameter::count("welcome_new_rtt_samples", 4, 1, 1000, "number of round-trip times that characterise a restored \
                                                             path"),
    Parameter::word("welcome_route_window", &["scale", "keep", "halve"], 0, "the window on a restored path"),
    Parameter::word("welcome_on_channel", &["keep", "halve", "minimum"], 0, "what duplicates caused by the channel leave of the windows"),
    Parameter::word("welcome_on_congestion", &["keep", "halve", "minimum", "restart"], 1, "what other duplicates leave of the windows"),
    filter(1),
    LEAST_WINDOW,
    least_rtt(1),
];

const LIMIT: Parameter = Parameter::count("cwnd_limit_segments", 4, 1, 65535, "largest congestion window");

impl Mechanism {
    /// What stays the kernel's with every algorithm.
    pub const ALWAYS: &'static str = "retransmission timer and its back-off, which segments are sent again and when (SACK, RACK, \
         proportional rate reduction), pacing, acknowledgements, undoing of needless cuts";
}

/// The algorithm with this id.
#[must_use]
pub fn mechanism(id: &str) -> Option<&'static Mechanism> {
    MECHANISMS.iter().find(|mechanism| mechanism.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_such_that_the_kernel_takes_them() {
        for (i, m) in MECHANISMS.iter().enumerate() {
            assert!(m.name.starts_with("hop_") && m.name.len() <= 15, "{}", m.name);
            assert!(m.parameters.len() <= MOST);
            assert!(MECHANISMS[..i].iter().all(|other| other.id != m.id && other.name != m.name));
        }
    }
}
