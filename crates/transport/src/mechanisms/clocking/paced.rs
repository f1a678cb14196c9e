//! Paced: segments leave at even distances, which the rate of the control slot gives.
//!
//! Spec      Velayutham 2005 §2.5.1.8 (a rate, or a window that is spread over the round trip instead of sent in bursts);
//!           RFC 5348 §4.6 (the distance between segments)
//! Deviates  no credit is saved for time in which nothing was sent (RFC 5348 §8.2 allows some): timers here are exact
//! Holds     the distance follows the latest rate, also that of a segment which waits already. The first two segments
//!           leave together, for those that measure with them (`startup = "packet-pair"`). What is sent again at once,
//!           without asking, is not held back, and delays nothing

use hopwright_machine::{Duration, Time};

use super::Clocking;
use crate::mechanisms::Part;
use crate::view::Public;

/// See the file's header.
pub const PACED: Part<dyn Clocking> = Part::new("paced", "Velayutham 2005 §2.5.1.8", |_| Box::new(Paced::default()));

#[derive(Debug, Default)]
pub(super) struct Paced {
    /// When the last segment left, and how long it was.
    last: Option<(Time, u32)>,
}

impl Paced {
    /// When the next segment may leave at this rate, in bytes per second.
    pub(super) fn next(&self, rate: f64) -> Time {
        self.last.map_or(Time::ZERO, |(at, bytes)| {
            at + if rate.is_finite() { Duration::from_secs_f64(f64::from(bytes) / rate) } else { Duration::ZERO }
        })
    }

    /// A segment of this length leaves.
    pub(super) const fn note(&mut self, now: Time, bytes: u32) {
        self.last = Some((now, bytes));
    }
}

impl Clocking for Paced {
    fn burst(&mut self, _p: &Public) -> Option<u32> {
        None
    }

    fn departure(&mut self, p: &Public, bytes: u32) -> Time {
        let next = if p.segments_sent == 1 { p.now } else { self.next(p.rate) };
        if next <= p.now {
            self.note(p.now, bytes);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, rate: f64) -> Public {
        Public { now: Time::ZERO + Duration::from_millis(ms), rate, segments_sent: 9, ..Public::default() }
    }

    #[test]
    fn the_distance_is_that_of_the_rate_of_now() {
        let mut clock = Paced::default();
        assert!(clock.departure(&at(1_000, 73_000.0), 1_460) <= at(1_000, 0.0).now);
        // 1460 bytes at 73 000 B/s: 20 ms.
        assert_eq!(clock.departure(&at(1_000, 73_000.0), 1_460), at(1_020, 0.0).now);
        assert_eq!(clock.departure(&at(1_010, 146_000.0), 1_460), at(1_010, 0.0).now);
        assert_eq!(clock.departure(&at(1_012, 73_000.0), 1_460), at(1_030, 0.0).now);
    }

    #[test]
    fn without_a_rate_nothing_waits() {
        let mut clock = Paced::default();
        for _ in 0..3 {
            assert!(clock.departure(&at(5, f64::INFINITY), 1_460) <= at(5, 0.0).now);
        }
    }
}
