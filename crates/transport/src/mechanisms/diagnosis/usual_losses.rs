//! As many losses in a round trip as there have lately been are the channel's; more are congestion.
//!
//! Spec      WTCP (Sinha et al. 1999): losses within the mean and deviation of what is usual on the path are no sign of
//!           congestion
//! Deviates  unverified: the gains of mean and deviation (1/8 and 1/4, as RFC 6298 has for round trips). WTCP's receiver
//!           counts; here the sender does. All round trips without a silence count for what is usual, and one loss is never unusual
//! Holds     silence is the channel's, as WTCP goes on at its old rate; the response slot decides what that costs

use super::Diagnosis;
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::view::Public;

/// See the file's header.
pub const USUAL_LOSSES: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("usual-losses", "Sinha et al. 1999", |_| Box::new(UsualLosses::default()))
        .needing(Needs::ROUNDS);

const MEAN_GAIN: f64 = 1.0 / 8.0;
const DEVIATION_GAIN: f64 = 1.0 / 4.0;

#[derive(Debug, Default)]
struct UsualLosses {
    /// Segments lost in a round trip: their mean, and its deviation.
    usual: Option<(f64, f64)>,
    /// What had been sent again when the round trip began, and how often silence had been met.
    resent: u64,
    silences: u64,
}

impl UsualLosses {
    fn note(&mut self, losses: f64) {
        let (mean, deviation) = self.usual.get_or_insert((losses, 0.0));
        *deviation += DEVIATION_GAIN * ((losses - *mean).abs() - *deviation);
        *mean += MEAN_GAIN * (losses - *mean);
    }

    fn is_usual(&self, losses: f64) -> bool {
        let (mean, deviation) = self.usual.unwrap_or_default();
        losses <= (mean + deviation).max(1.0)
    }
}

/// Segments that are missing now, the one at hand among them: as far as selective acknowledgements are read.
fn missing(p: &Public) -> u64 {
    let beyond = p.sacked.highest().saturating_sub(p.una).saturating_sub(p.sacked.bytes());
    beyond.div_ceil(u64::from(p.mss.max(1))).max(1)
}

impl Diagnosis for UsualLosses {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) {
        if p.round.has_ended {
            let silences = p.timeouts + p.silence_probes;
            if silences == self.silences {
                self.note((p.retransmissions - self.resent) as f64);
            } // what a blackout took is not usual
            (self.resent, self.silences) = (p.retransmissions, silences);
        }
    }

    fn diagnose(&mut self, p: &Public, sign: Sign) -> Cause {
        let losses = p.retransmissions - self.resent + missing(p);
        if sign == Sign::Silence || self.is_usual(losses as f64) { Cause::Channel } else { Cause::Congestion }
    }

    fn adopt(&mut self, p: &Public) {
        self.resent = p.retransmissions;
        self.silences = p.timeouts + p.silence_probes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;
    use crate::mechanisms::response::SPARE;

    /// Vector W4: where 2.5 losses in a round trip are usual, give or take one, three leave the window as it is, and with it
    /// the rate; a fourth does not.
    #[test]
    fn three_where_two_or_three_are_usual_are_the_channels() {
        for (losses, cause, left) in [(3, Cause::Channel, 20_000.0), (4, Cause::Congestion, 10_000.0)] {
            let mut usual = UsualLosses { usual: Some((2.5, 1.0)), ..UsualLosses::default() };
            let p = Public { mss: 1_000, cwnd: 20_000.0, una: 1, max: 20_001, ..Public::default() };
            let p = Public { retransmissions: losses - 1, ..p }; // the last is at hand
            assert_eq!(usual.diagnose(&p, Sign::Duplicates), cause);
            let cut = (SPARE.build)(&Params::default()).on_loss(&p, Sign::Duplicates, cause);
            assert_eq!(cut.cwnd, left);
        }
    }

    #[test]
    fn one_is_never_unusual_and_many_are_until_they_have_been_for_long() {
        let mut usual = UsualLosses::default();
        assert!(usual.is_usual(1.0) && !usual.is_usual(2.0));
        (0..4).for_each(|_| usual.note(0.0));
        assert!(!usual.is_usual(5.0));
        (0..40).for_each(|_| usual.note(5.0));
        assert!(usual.is_usual(5.0) && !usual.is_usual(7.0));
    }

    #[test]
    fn what_is_missing_counts_with_what_was_sent_again() {
        let p = Public { mss: 1_000, una: 1, retransmissions: 2, ..Public::default() };
        assert_eq!(missing(&p), 1);
        let mut diagnosis = UsualLosses { usual: Some((2.5, 0.0)), resent: 1, ..UsualLosses::default() };
        assert_eq!(diagnosis.diagnose(&p, Sign::Duplicates), Cause::Channel); // one again, and one more
        let mut diagnosis = UsualLosses { usual: Some((2.5, 0.0)), ..UsualLosses::default() };
        assert_eq!(diagnosis.diagnose(&p, Sign::Duplicates), Cause::Congestion);
        assert_eq!(diagnosis.diagnose(&p, Sign::Silence), Cause::Channel);
    }
}
