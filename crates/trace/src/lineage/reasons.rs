//! Why senders and owners of bundles did what they did: the words of `cause`, and what sentences say of each.
//!
//! Spec      docs/lineage.md
//! Holds     no row has a cause of which nothing is said here

/// Words, and what a sentence says of each. `{loss}`: what a packet was lost to; `{node}`, `{peer}`, `{bundle}`: those of the
/// row.
pub(crate) type Said = &'static [(&'static str, &'static str)];

/// All, by the kind of the row, or by what is said of.
pub(crate) const ALL: [(&str, Said); 10] = [
    ("reactions", REACTIONS),
    ("cut", CUTS),
    ("copied", COPIED),
    ("bundle_resent", RESENT),
    ("resent_shortly", RESENT_SHORTLY),
    ("losses_in_waiting", WAITING),
    ("losses_of_bundles", LOSSES),
    ("bundle_part_deleted", DELETED),
    ("bundle_lost", LOST),
    ("bundle_silent", SILENT),
];

/// Why a sender knew nothing of the arrival of what it missed: `rto`, `fast_retransmit`, `resent`.
const REACTIONS: Said = &[
    ("data_late", "but a copy of it was still on its way"),
    ("ack_late", "but it had arrived, and an acknowledgement was on its way"),
    ("not_acknowledged", "but it had arrived, and the receiver had not acknowledged it yet"),
    ("data_lost", "it had been lost because of {loss}"),
    ("request_late", "but the request for it was still on its way"),
    ("request_lost", "the request for it had been lost because of {loss}"),
    ("ack_lost", "it had arrived, but the acknowledgements that said so were lost because of {loss}"),
    ("not_sent", "nothing is known about it"),
];

/// What a window was cut for: `cut`. `{end}`: whose window it is, the sender's or that of a receiver that asks.
const CUTS: Said = &[
    ("rto", "after the time-out"),
    ("fast_retransmit", "with the fast retransmit"),
    ("recovery", "at the end of the recovery"),
    ("mark", "because the receiver echoed a mark"),
    ("freeze", "when the {end} froze"),
    ("thaw", "when the {end} thawed"),
    ("adapted", "when its mechanisms changed"),
    ("own_measure", "because of the {end}'s own measurement"),
];

/// Who made a copy of a packet: `copied`.
const COPIED: Said = &[
    (RELAY, "node {node}, a relay, sent a copy of {packet}"),
    (DUPLICATED, "a link from node {node} delivered {packet} twice"),
];
pub(super) const RELAY: &str = "relay";
pub(super) const DUPLICATED: &str = "duplicated";

/// Why a bundle was sent again: `bundle_resent`.
#[rustfmt::skip]
const RESENT: Said = &[
    ("data_late", "a copy of it was still on its way, at node {peer}: the timer was too early"),
    ("ack_late", "it had been delivered, and the acknowledgement was on its way, at node {peer}: the timer was too early"),
    ("not_acknowledged", "it had been delivered, and no acknowledgement had left yet"),
    ("ack_lost", "it had been delivered, but the acknowledgement was lost because of {loss}"),
    ("owner_lost", "node {peer}, which owned it, went down"),
    ("part_deleted", "node {peer} had only a part of it, and deleted this part"),
    ("incomplete", "node {peer} had only a part of it, and the owner before assumed that it was handed over"),
    ("no_room", "node {peer} had no room for it"),
    ("no_way", "node {peer}, which owned it, had no route for it"),
    ("not_sent", "nothing is known about it"),
];

/// The same behind a number, for a summary.
const RESENT_SHORTLY: Said = &[
    ("data_late", "a copy was on its way"),
    ("ack_late", "the acknowledgement was on its way"),
    ("not_acknowledged", "it was not acknowledged yet"),
    ("ack_lost", "the acknowledgement was lost"),
    ("owner_lost", "its owner went down"),
    ("part_deleted", "a part was deleted"),
    ("incomplete", "a part was never completed"),
    ("no_room", "there was no room"),
    ("no_way", "there was no route"),
    ("not_sent", "nothing is known about it"),
];

/// What a packet was lost to where a queue is to blame that was not full: by the drop's cause.
const WAITING: Said = &[("arp_replaced", "address resolution"), ("queue_delay", "too long a wait in a queue")];

/// What such a bundle was lost to, where that is no cause of losses.
const LOSSES: Said = &[
    ("no_room", "a lack of room for bundles"),
    ("no_way", "a missing route"),
    ("part_deleted", "parts that were deleted"),
    ("incomplete", "parts that were never completed"),
];

/// Why a part of a bundle was deleted: `bundle_part_deleted`.
const DELETED: Said = &[
    ("node_down", "it went down"),
    ("link_failed", "node {peer} could not reach it any more"),
    ("owner_lost", "node {peer}, from which it came, went down"),
    ("incomplete", "node {peer} assumed that the bundle was handed over"),
    ("no_room", "there was no room for other packets of the bundle"),
    ("given_up", "node {peer}, from which it came, had given it up"),
    ("acknowledged", "node {peer} stopped: the bundle was acknowledged"),
    ("data_late", "nothing came from node {peer} for too long"),
];

/// How an owner lost a bundle: `bundle_lost`.
const LOST: Said = &[
    ("node_down", "node {node} went down and lost {bundle}"),
    ("no_way", "node {node} gave up {bundle}, because it had no route for it"),
    ("no_room", "node {node} gave up {bundle}, because node {peer} had no room for it"),
];

/// Why nobody answered a probe: `bundle_silent`.
const SILENT: Said = &[
    ("probe_late", "the probe was still on its way, at node {peer}"),
    ("probe_lost", "the probe was lost because of {loss}"),
    ("answer_late", "the answer was still on its way, at node {peer}"),
    ("answer_lost", "the answer was lost because of {loss}"),
];

/// Whether something is said of such a row's cause, if its kind is one that has a reason.
pub(super) fn is_known(kind: &str, cause: Option<&str>) -> bool {
    let of = if matches!(kind, "rto" | "fast_retransmit" | "resent") { "reactions" } else { kind };
    let said = ALL.iter().find(|(name, _)| *name == of);
    said.is_none_or(|(_, said)| cause.is_none_or(|cause| said.iter().any(|&(word, _)| word == cause)))
}
