//! Tries that came to nothing although no frame of theirs was lost.

use hopwright_link::FrameKind;

/// How tries fail so: as `Miss::words`; node `{peer}` was to answer.
pub(crate) const ALL: [[&str; 3]; 4] = [DEFERRED, LATE, UNANSWERED, UNFINISHED];
#[rustfmt::skip]
const DEFERRED: [&str; 3] =
    ["deferred", "the CTS came, but the medium was busy again before the data could leave", "found the medium busy again"];
const LATE: [&str; 3] = ["late", "the {frame} of node {peer} came too late", "answered too late"];
const UNANSWERED: [&str; 3] = ["unanswered", "the {frame} was not answered", "not answered"];

/// The run ended first: it may have been well.
pub(crate) const UNFINISHED: [&str; 3] =
    ["unfinished", "the run ended before it was known how the try would end", "not finished when the run ended"];

/// Which frame failed such a try, and how, in a word. `answer`: the last CTS or ACK that its addressee sent.
///
/// A station waits for a CTS or an ACK no longer than its timeout (802.11-1999 §9.2.5.7, §9.2.8). Over a link that is
/// longer than `Config::propagation_allowance` they come later.
pub(crate) fn failing(answer: Option<FrameKind>, data_waits_for_idle: bool) -> (FrameKind, &'static str) {
    match answer {
        Some(FrameKind::Cts) if data_waits_for_idle => (FrameKind::Data, DEFERRED[0]),
        Some(answer) => (answer, LATE[0]),
        None => (FrameKind::Data, UNANSWERED[0]),
    }
}
