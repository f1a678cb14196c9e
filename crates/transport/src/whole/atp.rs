//! ATP's parameters. What those of its ends do stands in `atp/params.rs`; those of stations are the business of whoever
//! drives them. The papers' constants could not be verified.

use super::Whole;
use crate::params::Knob;

pub(super) const ATP: Whole = Whole {
    id: "atp",
    source: "Sundaresan et al. 2003: the rate comes from delays that stations write on packets",
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
        "largest number of segments in flight. The receiver has room for this number of segments",
    ),
    Knob::real(
        "atp_epoch_s",
        "s",
        1.0,
        0.001..=1e6,
        "time between two feedbacks of the receiver, time that the sender waits for a feedback, and time between probes",
    ),
    Knob::real(
        "atp_phi",
        "",
        0.25,
        0.0..=1e6,
        "by which share the rate in a feedback must be above the sender's rate before the sender increases its rate",
    ),
    Knob::real(
        "atp_k",
        "",
        5.0,
        1.0..=1e6,
        "divisor: the rate rises by the difference of both rates divided by this value",
    ),
    Knob::real(
        "atp_receiver_weight",
        "",
        0.85,
        0.0..=0.999,
        "weight of the former average in the receiver's new average of delays (beta)",
    ),
    Knob::count(
        "atp_sack_blocks",
        "blocks",
        20,
        0..=255,
        "largest number of blocks in a feedback for data beyond the first gap",
    ),
    Knob::count(
        "atp_halve_epochs",
        "epochs",
        2,
        1..=1_000_000,
        "number of epochs without feedback after which the rate is halved",
    ),
    Knob::count(
        "atp_probe_epochs",
        "epochs",
        3,
        1..=1_000_000,
        "number of epochs without feedback after which the sender stops sending data and begins to send probes",
    ),
    Knob::count(
        "atp_probe_fill_bytes",
        "bytes",
        0,
        0..=65_477,
        "bytes that fill up a probe. A short probe finds a rate that is too high for long segments",
    ),
    Knob::real(
        "atp_early_change",
        "",
        0.0,
        0.0..=1e6,
        "by which share the receiver's average must change so that the receiver sends a feedback before the end of the epoch. 0: it waits for the end",
    ),
    Knob::real(
        "atp_node_weight",
        "",
        0.75,
        0.0..=0.999,
        "weight of the former average in a station's new average of the time of packets (alpha), at all stations",
    ),
    Knob::real(
        "atp_probe_factor",
        "",
        3.0,
        1.0..=1000.0,
        "what an idle station writes on a probe, as a multiple of the time that packets take (eta)",
    ),
    Knob::real("atp_idle_s", "s", 0.1, 0.0..=1e6, "time without data sent or heard after which a station is idle"),
    Knob::real("atp_stale_s", "s", 1.0, 0.0..=1e6, "time without packets after which a station forgets its averages"),
];
