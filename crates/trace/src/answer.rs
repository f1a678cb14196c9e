//! Tries that came to nothing although no frame of theirs was lost.

use hopwright_link::FrameKind;

/// Which frame failed such a try, and how, in a word. `answer`: the last CTS or ACK that its addressee sent.
///
/// What answers over a link that is longer than the MAC allows for (`Config::propagation_allowance`) comes when its station
/// has stopped waiting.
pub(crate) fn failing(answer: Option<FrameKind>, data_waits_for_idle: bool) -> (FrameKind, &'static str) {
    match answer {
        Some(FrameKind::Cts) if data_waits_for_idle => (FrameKind::Data, "deferred"),
        Some(answer) => (answer, "late"),
        None => (FrameKind::Data, "unanswered"),
    }
}
