//! NCTP's parameters. What they do is the business of the crate `bundle`.

use super::Whole;
use crate::params::Knob;
use crate::protocols::Setting;

pub(super) const NCTP: Whole = Whole {
    id: "nctp",
    source: "Velayutham 2005 chapter 6: bundles from hop to hop",
    kind: "nctp",
    knobs: KNOBS,
    settings: &[],
};

/// What of NCTP's open questions pays beside TCP (`docs/nctp.md`): bundles so short that their first packets have no
/// time to wait, relays that send on at once, links that are not given up for a collision or two.
pub(super) const NCTP_SHORT: Whole = Whole {
    id: "nctp-short",
    source: "NCTP with short bundles: relays send packets on at once, over links that are tried again",
    settings: &[
        ("nctp_bundle_packets", Setting::Number(20.0)),
        ("nctp_cut_through", Setting::Bool(true)),
        ("nctp_initial_timer_s", Setting::Number(60.0)),
        ("nctp_link_tries", Setting::Number(3.0)),
    ],
    ..NCTP
};

const KNOBS: &[Knob] = &[
    Knob::count("nctp_bundle_packets", "packets", 1000, 1..=65_535, "packets in a bundle"),
    Knob::count("nctp_packet_bytes", "bytes", 512, 1..=65_000, "application data in a packet, or its whole length"),
    Knob::switch(
        "nctp_packet_bytes_include_headers",
        false,
        "whether nctp_packet_bytes also counts headers of IP and NCTP",
    ),
    Knob::count(
        "nctp_bundles_in_transit",
        "bundles",
        1,
        1..=10_000,
        "largest number of bundles of a connection that are in the network at once",
    ),
    Knob::switch(
        "nctp_merge_connections",
        false,
        "whether connections between the same two nodes share the number nctp_bundles_in_transit",
    ),
    Knob::word(
        "nctp_initial_timer",
        &["fixed", "per-hop", "none"],
        "how long a source waits before the first round trip is known: for nctp_initial_timer_s, for this time for each hop, or for ever",
    ),
    Knob::real("nctp_initial_timer_s", "s", 5.0, 0.001..=1e6, "how long a source waits for the first answer"),
    Knob::real("nctp_max_timer_s", "s", 60.0, 0.001..=1e6, "longest timer of a source after doubling"),
    Knob::word(
        "nctp_timer_starts",
        &["after-transfer", "before-transfer"],
        "when the timer of a source starts: after or before the transfer to the first hop",
    ),
    Knob::real(
        "nctp_recv_timer_s",
        "s",
        5.0,
        0.001..=1e6,
        "time without packets of a bundle after which a node deletes the part of the bundle that it has",
    ),
    Knob::real("nctp_probe_timer_s", "s", 1.0, 0.001..=1e6, "how long a relay waits for the answer to a probe"),
    Knob::switch(
        "nctp_probe_errors",
        true,
        "whether an error about a link ahead ends this wait. The relay then searches for another path",
    ),
    Knob::count(
        "nctp_probe_lead_packets",
        "packets",
        10,
        0..=65_535,
        "number of packets before the end of a bundle at which a relay probes the path",
    ),
    Knob::switch("nctp_source_probes", false, "whether sources also probe the path before they send a bundle"),
    Knob::real("nctp_retry_ms", "ms", 100.0, 1.0..=1e6, "how long an owner waits after a full queue or a refusal"),
    Knob::real(
        "nctp_hold_s",
        "s",
        0.0,
        0.0..=1e6,
        "how long a relay keeps a bundle that makes no progress. 0: for ever",
    ),
    Knob::word(
        "nctp_reack",
        &["complete", "first-packet"],
        "which packet of a bundle that the destination already has makes the destination acknowledge the bundle again",
    ),
    Knob::word("nctp_service", &["turns", "oldest-first", "nearest-first"], "the order in which a node serves bundles"),
    Knob::switch("nctp_cut_through", false, "whether relays send packets on before they have the whole bundle"),
    Knob::count(
        "nctp_buffer_bundles",
        "bundles",
        0,
        0..=1_000_000,
        "number of bundles for which a relay has room. 0: room for all bundles",
    ),
    Knob::word("nctp_when_full", &["drop", "refuse"], "what a relay without room does"),
    Knob::word("nctp_relay_keeps", &["until-transfer", "until-ack"], "until when a relay keeps a bundle"),
    Knob::count(
        "nctp_link_tries",
        "",
        1,
        1..=1000,
        "how often a station may give up a packet before the link to the next owner counts as lost",
    ),
    Knob::word(
        "nctp_restart",
        &["beginning", "failed-packet"],
        "where a bundle begins again if its link has failed and the next owner is the same as before",
    ),
    Knob::switch(
        "nctp_messages_first",
        false,
        "whether probes, their answers and acknowledgements go before data in interface queues",
    ),
    Knob::switch(
        "nctp_survives_down",
        false,
        "whether a relay that goes down still has its bundles when it comes up again",
    ),
];
