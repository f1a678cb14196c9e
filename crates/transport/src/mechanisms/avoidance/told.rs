//! The window is what the receiver says.
//!
//! Spec      Velayutham 2005 §2.5.2.2 (the receiver computes the congestion window)
//! Deviates  the document does not say what becomes of a window that a packet pair has found while the receiver still tells
//!           of segments that left before, under a smaller one. Here the found window stays until as much data as it holds,
//!           sent under it, is acknowledged: by then the receiver has decided on such data
//! Holds     an acknowledgement that says nothing changes nothing; the first that does ends start-up. What is said beside
//!           data is about the peer's own window

use super::Avoidance;
use crate::mechanisms::{Ack, Needs, Part};
use crate::view::Public;

/// See the file's header.
pub const TOLD: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("told", "Velayutham 2005 §2.5.2.2", |_| Box::<Told>::default()).needing(Needs::SPACING);

#[derive(Debug, Default)]
struct Told {
    /// What is told before so much is acknowledged is not of the window that was found.
    from: u64,
}

/// The window that the receiver wants, in bytes.
fn told(ack: &Ack<'_>) -> Option<f64> {
    if ack.segment.payload_bytes > 0 { None } else { ack.segment.options.extra.window().map(f64::from) }
}

impl Avoidance for Told {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        told(ack).filter(|_| p.una >= self.from).map_or(0.0, |window| window - p.cwnd)
    }

    fn on_found(&mut self, p: &Public) {
        self.from = p.nxt + p.cwnd as u64;
    }

    fn takes_over(&self, ack: &Ack<'_>) -> bool {
        told(ack).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;

    #[test]
    fn a_window_that_was_found_stays_until_a_window_of_it_is_acknowledged() {
        let mut told = (TOLD.build)(&Params::default());
        let at = |una| Public { una, nxt: una + 3_000, cwnd: 16_000.0, ..Public::default() };
        told.on_found(&at(1_000));
        let mut segment = empty_segment();
        segment.options.extra.set_window(3_000);
        let ack = Ack::bare(AckKind::Advance, 1_000, &segment);
        assert_eq!(told.on_ack(&at(19_000), &ack), 0.0);
        assert_eq!(told.on_ack(&at(20_000), &ack), -13_000.0);
    }

    #[test]
    fn what_is_told_is_done() {
        let mut told = (TOLD.build)(&Params::default());
        let p = Public { mss: 1_000, cwnd: 16_000.0, ..Public::default() };
        let mut segment = empty_segment();
        assert_eq!(told.on_ack(&p, &Ack::bare(AckKind::Advance, 1_000, &segment)), 0.0);
        assert!(!told.takes_over(&Ack::bare(AckKind::Advance, 1_000, &segment)));
        segment.options.extra.set_window(12_000);
        assert_eq!(told.on_ack(&p, &Ack::bare(AckKind::Advance, 1_000, &segment)), -4_000.0);
        segment.payload_bytes = 1;
        assert_eq!(told.on_ack(&p, &Ack::bare(AckKind::Advance, 1_000, &segment)), 0.0);
    }
}
