//! What classifiers of losses at the receiver share: what they are told, and the memory of verdicts.
//!
//! Spec      Cen, Cosman and Voelker 2002 §3 (the setting of all of them)
//! Deviates  a verdict is told with every acknowledgement that asks for what is missing, in the loss notice
//! Holds     a verdict per gap, made once, by the arrival that shows the gap

use core::fmt::Debug;

use hopwright_machine::{Duration, Time};

use super::Diagnosis;
use super::noticed::Noticed;
use crate::mechanisms::acking::Arrival;
use crate::mechanisms::{Ack, Cause, Sign};
use crate::view::Public;

/// Tells losses by the channel from losses by congestion, at the receiver.
pub(super) trait Classifier: Debug + Send {
    /// A segment came; whether, if any are missing right before it, the channel lost them.
    fn is_channel(&mut self, sample: &Sample) -> bool;
}

/// What a segment's arrival shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample {
    /// Seconds since the newest segment before; `None` for the first, and for one that is older than another.
    pub(super) spacing_s: Option<f64>,
    /// Segments missing in between.
    pub(super) missing: u32,
    /// Seconds on the way, against an unknown offset (with timestamps).
    pub(super) one_way_s: Option<f64>,
}

/// See the file's header.
#[derive(Debug)]
pub(super) struct ReceiverTiming<C> {
    noticed: Noticed,
    classifier: C,
    /// When the newest segment came, and where it ended.
    newest: Option<(Time, u64)>,
    /// The first time on the way: times are counted from there.
    origin: Option<Duration>,
    /// Gaps that are still open: where they begin, where they end, and whether the channel made them.
    gaps: Vec<(u64, u64, bool)>,
}

/// How many gaps are remembered.
const MOST: usize = 256;

impl<C: Classifier> ReceiverTiming<C> {
    pub(super) fn new(classifier: C) -> Self {
        Self { noticed: Noticed::default(), classifier, newest: None, origin: None, gaps: Vec::new() }
    }

    fn sample(&mut self, arrival: &Arrival, is_newer: bool) -> Sample {
        let one_way_s = arrival.one_way.map(|time| {
            let origin = *self.origin.get_or_insert(time);
            (time.as_nanos() as f64 - origin.as_nanos() as f64) / 1e9
        });
        let former = self.newest.filter(|_| is_newer);
        Sample {
            spacing_s: former.map(|(at, _)| arrival.now.since(at).as_secs_f64()),
            missing: arrival.skipped.div_ceil(u64::from(arrival.mss.max(1))) as u32,
            one_way_s,
        }
    }
}

impl<C: Classifier> Diagnosis for ReceiverTiming<C> {
    fn on_ack(&mut self, _p: &Public, ack: &Ack<'_>) {
        self.noticed.on_ack(ack);
    }

    fn diagnose(&mut self, _p: &Public, sign: Sign) -> Cause {
        self.noticed.cause(sign)
    }

    fn on_arrival(&mut self, arrival: &Arrival, seq: u64, next: u64) -> bool {
        let end = seq + u64::from(arrival.bytes);
        let is_newer = self.newest.is_none_or(|(_, newest)| seq >= newest);
        let sample = self.sample(arrival, is_newer);
        let is_channel = self.classifier.is_channel(&sample);
        self.gaps.retain(|gap| gap.1 > next);
        if arrival.skipped > 0 && self.gaps.len() < MOST {
            self.gaps.push((seq - arrival.skipped, seq, is_channel));
        }
        if is_newer {
            self.newest = Some((arrival.now, end));
        }
        self.gaps.iter().find(|gap| gap.0 <= next && next < gap.1).is_some_and(|gap| gap.2)
    }
}

#[cfg(test)]
pub(super) mod testing {
    //! Arrivals for tests.

    use hopwright_machine::{Duration, Time};
    use hopwright_wire::tcp::Extra;

    use super::super::Diagnosis;
    use super::{Classifier, Sample};
    use crate::mechanisms::acking::Arrival;

    /// A segment of a thousand bytes at this millisecond.
    pub(in super::super) fn arrival(ms: u64) -> Arrival {
        Arrival {
            now: Time::ZERO + Duration::from_millis(ms),
            is_in_order: true,
            had_gap: false,
            is_duplicate: false,
            is_newest: true,
            unacknowledged: 1,
            bytes: 1000,
            skipped: 0,
            mss: 1000,
            one_way: None,
            extra: Extra::default(),
        }
    }

    /// Segments arrive at these milliseconds, each after so many missing ones. Returns what the last one's
    /// acknowledgement says.
    pub(in super::super) fn last_notice(diagnosis: &mut dyn Diagnosis, arrivals: &[(u64, u64)]) -> bool {
        let (mut seq, mut next, mut says) = (1, 1, false);
        for &(ms, missing) in arrivals {
            seq += missing * 1000;
            if missing == 0 && seq == next {
                next += 1000;
            }
            says = diagnosis.on_arrival(&Arrival { skipped: missing * 1000, ..arrival(ms) }, seq, next);
            seq += 1000;
        }
        says
    }

    /// Verdict on a segment after so many missing ones, this long on its way (in milliseconds).
    pub(in super::super) fn on_way(classifier: &mut dyn Classifier, ms: f64, missing: u32) -> bool {
        classifier.is_channel(&Sample { spacing_s: None, missing, one_way_s: Some(ms / 1e3) })
    }
}

#[cfg(test)]
mod tests {
    use super::testing::arrival;
    use super::*;

    #[derive(Debug)]
    struct Script(Vec<bool>);

    impl Classifier for Script {
        fn is_channel(&mut self, _sample: &Sample) -> bool {
            self.0.remove(0)
        }
    }

    #[test]
    fn every_gap_keeps_its_verdict() {
        let mut timing = ReceiverTiming::new(Script(vec![false, true, false, true, true]));
        let skipping = Arrival { skipped: 1000, ..arrival(10) };
        assert!(!timing.on_arrival(&arrival(0), 1, 1001));
        assert!(timing.on_arrival(&skipping, 2001, 1001)); // the first gap: the channel
        assert!(timing.on_arrival(&skipping, 4001, 1001)); // the second is not, and is not spoken of
        assert!(!timing.on_arrival(&arrival(30), 1001, 3001)); // now it is
        assert!(!timing.on_arrival(&arrival(40), 3001, 5001));
        assert!(timing.gaps.is_empty());
    }

    #[test]
    fn old_segments_have_no_spacing() {
        let mut timing = ReceiverTiming::new(Script(vec![false; 9]));
        timing.on_arrival(&Arrival { skipped: 1000, ..arrival(0) }, 1001, 1);
        assert_eq!(timing.sample(&arrival(7), true).spacing_s, Some(0.007));
        assert_eq!(timing.sample(&arrival(7), false).spacing_s, None);
        assert_eq!(timing.sample(&Arrival { skipped: 1001, ..arrival(7) }, true).missing, 2);
    }
}
