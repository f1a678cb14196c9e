//! Round-trip times from packets that pass the sender: each acknowledgement and the data that it answers.
//!
//! An acknowledgement of new data that ends where a segment ends is that segment's answer. If any byte that it
//! acknowledges was sent more than once, nobody knows which copy it answers (Karn and Partridge 1987), unless the
//! receiver echoes the time stamp of one (RFC 7323 3.2: only in acknowledgements of new data).
//!
//! Deviates  a time stamp that several segments carried stands for the first of them
//! Holds     sequence numbers are unwrapped by whoever calls, and grow for ever

use std::collections::{BTreeMap, VecDeque};

use hopwright_machine::{Duration, Time};

#[derive(Clone, Copy, Debug)]
struct Flying {
    start: u64,
    end: u64,
    at: Time,
    is_resent: bool,
}

/// Time stamps that are remembered: more than any window has segments.
const STAMPS: usize = 1 << 16;

/// The data of one direction.
#[derive(Debug, Default)]
pub(crate) struct Matcher {
    /// What is not acknowledged, in the order of its numbers, without gaps in between unless the capture has them.
    flying: VecDeque<Flying>,
    acknowledged: u64,
    /// The end of all that was ever sent.
    highest: u64,
    stamps: BTreeMap<u32, Time>,
    stamp_order: VecDeque<u32>,
}

impl Matcher {
    /// Data from `start` up to `end` left; returns how much of it had been sent before.
    pub(crate) fn sent(&mut self, at: Time, start: u64, end: u64, stamp: Option<u32>) -> u64 {
        if let Some(stamp) = stamp.filter(|stamp| !self.stamps.contains_key(stamp)) {
            self.stamps.insert(stamp, at);
            self.stamp_order.push_back(stamp);
            if self.stamp_order.len() > STAMPS {
                self.stamp_order.pop_front().and_then(|oldest| self.stamps.remove(&oldest));
            }
        }
        let again = self.highest.min(end).saturating_sub(start);
        if again > 0 {
            let from = self.flying.partition_point(|segment| segment.end <= start);
            for segment in self.flying.range_mut(from..).take_while(|segment| segment.start < end) {
                segment.is_resent = true;
            }
        }
        if end > self.highest {
            self.flying.push_back(Flying { start: start.max(self.highest), end, at, is_resent: again > 0 });
            self.highest = end;
        }
        again
    }

    /// Everything below `ack` has arrived; returns the round-trip time, if this tells it.
    pub(crate) fn acknowledged(&mut self, at: Time, ack: u64, echo: Option<u32>) -> Option<Duration> {
        if ack <= self.acknowledged {
            return None;
        }
        self.acknowledged = ack;
        self.highest = self.highest.max(ack); // the capture may lack what this answers
        let (mut answered, mut is_resent) = (None, false);
        while let Some(segment) = self.flying.front().filter(|segment| segment.end <= ack) {
            is_resent |= segment.is_resent;
            answered = Some(*segment);
            self.flying.pop_front();
        }
        is_resent |= self.flying.front().is_some_and(|segment| segment.start < ack && segment.is_resent);
        if is_resent {
            return echo.and_then(|stamp| self.stamps.get(&stamp)).map(|&sent| at.since(sent));
        }
        answered.filter(|segment| segment.end == ack).map(|segment| at.since(segment.at))
    }

    /// Whether something below `end` is new, or all of it was sent before.
    pub(crate) fn is_probe(&self, start: u64, end: u64) -> bool {
        // RFC 9293 3.8.4: one byte, or none, just below what was sent and acknowledged.
        end <= self.highest && start + 1 == self.highest && self.acknowledged >= self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn the_last_segment_answered_tells_the_time() {
        let mut matcher = Matcher::default();
        assert_eq!(matcher.sent(ms(0), 0, 100, None), 0);
        assert_eq!(matcher.sent(ms(10), 100, 200, None), 0);
        assert_eq!(matcher.acknowledged(ms(50), 200, None), Some(Duration::from_millis(40)));
        assert_eq!(matcher.acknowledged(ms(60), 200, None), None);
    }

    #[test]
    fn what_was_sent_twice_tells_nothing_but_by_its_stamp() {
        for (echo, expected) in [(None, None), (Some(7), Some(Duration::from_millis(30)))] {
            let mut matcher = Matcher::default();
            matcher.sent(ms(0), 0, 100, Some(5));
            matcher.sent(ms(1), 100, 200, Some(5));
            assert_eq!(matcher.sent(ms(300), 0, 100, Some(7)), 100);
            assert_eq!(matcher.acknowledged(ms(330), 200, echo), expected);
            matcher.sent(ms(331), 200, 300, Some(8));
            assert_eq!(matcher.acknowledged(ms(351), 300, Some(8)), Some(Duration::from_millis(20)));
        }
    }

    #[test]
    fn half_of_a_segment_sent_again_counts_by_bytes() {
        let mut matcher = Matcher::default();
        matcher.sent(ms(0), 0, 1000, None);
        assert_eq!(matcher.sent(ms(5), 500, 1500, None), 500);
        assert_eq!(matcher.acknowledged(ms(9), 1500, None), None);
    }
}
