//! Explicit loss notification: the receiver's link layer saw the missing segment come damaged.
//!
//! Spec      Balakrishnan and Katz 1998 (ELN); ns-2 `eln_`
//! Deviates  the notice is made at the receiver, from what its own link layer saw, rather than at a base station: over
//!           several hops nobody else knows honestly
//! Holds     only the first hole is spoken of, the one that the acknowledgement's number points at

use super::Diagnosis;
use super::noticed::Noticed;
use crate::mechanisms::acking::Arrival;
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::view::Public;

/// See the file's header.
pub const ELN: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("eln", "Balakrishnan and Katz 1998", |_| Box::new(Eln::default()))
        .needing(Needs::NOTICES.and(Needs::DAMAGE));

/// How many damaged segments are remembered: more than any window here has holes.
const MOST: usize = 256;

#[derive(Debug, Default)]
struct Eln {
    noticed: Noticed,
    /// Where damaged segments begin that have not come since, in order.
    damaged: Vec<u64>,
}

impl Diagnosis for Eln {
    fn on_ack(&mut self, _p: &Public, ack: &Ack<'_>) {
        self.noticed.on_ack(ack);
    }

    fn diagnose(&mut self, _p: &Public, sign: Sign) -> Cause {
        self.noticed.cause(sign)
    }

    fn on_arrival(&mut self, _arrival: &Arrival, _seq: u64, next: u64) -> bool {
        let arrived = self.damaged.partition_point(|&seq| seq < next);
        self.damaged.drain(..arrived);
        self.damaged.first() == Some(&next)
    }

    fn on_corrupted(&mut self, seq: u64, next: u64) {
        let at = self.damaged.partition_point(|&known| known < seq);
        if seq >= next && self.damaged.get(at) != Some(&seq) && self.damaged.len() < MOST {
            self.damaged.insert(at, seq);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::receiver_timing::testing::arrival;
    use super::*;

    #[test]
    fn a_damaged_segment_is_told_until_it_comes() {
        let mut eln = Eln::default();
        eln.on_corrupted(1001, 1001);
        eln.on_corrupted(1001, 1001); // its link layer tried again
        eln.on_corrupted(1, 1001); // came already
        let mut tells = |next| eln.on_arrival(&arrival(0), 0, next);
        assert!(tells(1001));
        assert!(tells(1001));
        assert!(!tells(2001));
        assert!(!tells(3001));
    }

    #[test]
    fn another_hole_before_it_is_not_its_own() {
        let mut eln = Eln::default();
        eln.on_corrupted(2001, 1001);
        assert!(!eln.on_arrival(&arrival(0), 0, 1001));
        assert!(eln.on_arrival(&arrival(0), 0, 2001));
    }

    /// A peer's noise costs no more than this much memory.
    #[test]
    fn no_more_than_256_damaged_segments_are_kept() {
        let mut eln = Eln::default();
        for seq in 1..=257 {
            eln.on_corrupted(1000 * seq, 1);
        }
        assert_eq!(eln.damaged.len(), 256);
        assert!(eln.on_arrival(&arrival(0), 0, 256_000));
        assert!(!eln.on_arrival(&arrival(0), 0, 257_000));
    }
}
