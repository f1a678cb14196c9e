//! The answer to a spurious time-out: what the windows and the estimate were before it comes back.
//!
//! Spec      RFC 4015 §3.2 (the Eifel response algorithm), steps 0 and 5 to 9
//! Deviates  no ECN, so step 6 always applies; step 8 (validation of the congestion window) does not
//! Holds     step 9 waits for a round-trip time of data that was unsent when the time-out came

use hopwright_machine::Duration;

use super::{Timeout, Verdict};
use crate::mechanisms::Ack;
use crate::params::{Knob, Params};
use crate::view::Public;

pub(super) const RESPONSE: Knob = Knob::word(
    "spurious_response",
    &["eifel", "none"],
    "which windows and estimate the sender has after a spurious time-out: those from before (RFC 4015), or the cut ones",
);

/// See the file's header.
#[derive(Debug)]
pub(super) struct Undo {
    is_wanted: bool,
    initial_segments: u32,
    granularity: Duration,
    /// pipe_prev, SRTT_prev and RTTVAR_prev of the RFC.
    pipe: f64,
    srtt: Duration,
    rttvar: Duration,
    /// What had been sent when the time-out came.
    sent: u64,
    awaits_sample: bool,
}

impl Undo {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            is_wanted: params.word(&RESPONSE) == "eifel",
            initial_segments: params.initial_window_segments,
            granularity: params.granularity,
            pipe: 0.0,
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            sent: 0,
            awaits_sample: false,
        }
    }

    /// The timer expired, and nothing was cut yet (step 0).
    pub(super) fn remember(&mut self, p: &Public) {
        self.pipe = (p.flight() as f64).max(p.ssthresh);
        self.srtt = p.srtt.map_or(Duration::ZERO, |srtt| srtt + self.granularity * 2);
        self.rttvar = p.rttvar;
        self.sent = p.max;
        self.awaits_sample = false;
    }

    /// This acknowledgement showed the time-out to be spurious (steps 6 and 7).
    pub(super) fn verdict(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        if !self.is_wanted {
            return Verdict::Spurious { windows: None };
        }
        self.awaits_sample = true;
        let burst = ack.acked.min(u64::from(self.initial_segments) * u64::from(p.mss));
        Verdict::Spurious { windows: Some(((p.flight() + burst) as f64, self.pipe)) }
    }

    /// The timer took an acknowledgement in: the first sample of new data after the verdict may make it more
    /// careful (step 9).
    pub(super) fn on_ack(&mut self, p: &Public, ack: &Ack<'_>, timer: &mut dyn Timeout) {
        if let Some(rtt) = ack.rtt.filter(|_| self.awaits_sample && p.una > self.sent) {
            self.awaits_sample = false;
            timer.set_smoothed(self.srtt.max(rtt), self.rttvar.max(rtt / 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;

    /// The windows after a spurious time-out of ten segments whose acknowledgement covers so many, in segments.
    fn windows(ssthresh: f64, acked: u64) -> (f64, f64) {
        let mut undo = Undo::new(&Params { initial_window_segments: 2, ..Params::default() });
        let p = Public { mss: 1000, ssthresh: ssthresh * 1000.0, una: 1, max: 10_001, ..Public::default() };
        undo.remember(&p);
        let segment = empty_segment();
        let after = Public { una: 1 + acked * 1000, ssthresh: 5000.0, cwnd: 1000.0, ..p };
        match undo.verdict(&after, &Ack::bare(AckKind::Advance, acked * 1000, &segment)) {
            Verdict::Spurious { windows: Some((cwnd, ssthresh)) } => (cwnd / 1000.0, ssthresh / 1000.0),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn b13_the_windows_are_those_of_before() {
        assert_eq!(windows(6.0, 1), (10.0, 10.0)); // nine outstanding and one more, max(10, 6)
        assert_eq!(windows(16.0, 5), (7.0, 16.0)); // five and the initial window
    }
}
