//! ATP's parameters. What those of its ends do stands in `atp/params.rs`; those of stations are the business of whoever
//! drives them. The papers' constants could not be verified.

use super::Whole;
use crate::params::Knob;

pub(super) const ATP: Whole = Whole {
    id: "atp",
    source: "Sundaresan et al. 2003: the rate that stations write on packets",
    kind: "atp",
    knobs: KNOBS,
    settings: &[],
};

const KNOBS: &[Knob] = &[
    Knob::count("atp_segment_bytes", "bytes", 1460, 1..=65_477, "application data in a full segment"),
    Knob::count(
        "atp_window_segments",
        "segments",
        8192,
        1..=65_535,
        "segments that may be under way, so many the receiver has room for",
    ),
    Knob::real(
        "atp_epoch_s",
        "s",
        1.0,
        0.001..=1e6,
        "how often the receiver tells, how long the sender waits for that, and the time between probes",
    ),
    Knob::real("atp_phi", "", 0.25, 0.0..=1e6, "by which share the told rate must be above the sender's to raise it"),
    Knob::real("atp_k", "", 5.0, 1.0..=1e6, "the rate rises by the difference divided by this"),
    Knob::real(
        "atp_receiver_weight",
        "",
        0.85,
        0.0..=0.999,
        "the share of the former average of delays in the receiver's new one (beta)",
    ),
    Knob::count("atp_sack_blocks", "blocks", 20, 0..=255, "blocks of data beyond the first gap in a feedback, at most"),
    Knob::count("atp_halve_epochs", "epochs", 2, 1..=1_000_000, "after so many without feedback the rate is halved"),
    Knob::count("atp_probe_epochs", "epochs", 3, 1..=1_000_000, "after so many, data stop and probes begin"),
    Knob::count(
        "atp_probe_fill_bytes",
        "bytes",
        0,
        0..=65_477,
        "what fills a probe up: a short one finds a rate that is too high for long segments",
    ),
    Knob::real(
        "atp_early_change",
        "",
        0.0,
        0.0..=1e6,
        "by which share the receiver's average must have changed to be told before the epoch is over; 0: it waits",
    ),
    Knob::real(
        "atp_node_weight",
        "",
        0.75,
        0.0..=0.999,
        "the share of the former average of a packet's time in a station's new one (alpha), at all stations",
    ),
    Knob::real(
        "atp_probe_factor",
        "",
        3.0,
        1.0..=1000.0,
        "what an idle station writes on a probe, in times of what packets take (eta)",
    ),
    Knob::real("atp_idle_s", "s", 0.1, 0.0..=1e6, "a station that has sent and heard no data for so long is idle"),
    Knob::real("atp_stale_s", "s", 1.0, 0.0..=1e6, "after so long without a packet a station forgets its averages"),
];
