//! Tries that came to nothing although no frame of theirs was lost.

use hopwright_link::FrameKind;

/// Which frame failed such a try, and how, in a word. `answer`: the last CTS or ACK that its addressee sent.
///
/// A station waits for a CTS or an ACK no longer than its timeout (802.11-1999 §9.2.5.7, §9.2.8). Over a link that is
/// longer than `Config::propagation_allowance` they come later.
pub(crate) fn failing(answer: Option<FrameKind>, data_waits_for_idle: bool) -> (FrameKind, &'static str) {
    match answer {
        Some(FrameKind::Cts) if data_waits_for_idle => (FrameKind::Data, "deferred"),
        Some(answer) => (answer, "late"),
        None => (FrameKind::Data, "unanswered"),
    }
}
