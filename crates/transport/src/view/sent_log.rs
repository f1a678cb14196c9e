//! When each outstanding segment left, and how often.
//!
//! Spec      Vegas (Brakmo and Peterson 1995 §3.1: a time per segment); RFC 6298 §3 (Karn's rule)
//! Deviates  nothing
//! Holds     kept only for mechanisms that need it; segments are disjoint and in order

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};

/// An outstanding segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Stream offset of its first byte.
    pub start: u64,
    /// The offset after its last.
    pub end: u64,
    /// When it last left.
    pub at: Time,
    /// How often it left.
    pub copies: u32,
    /// What number the log gave to that: one more than to what left before.
    number: u32,
}

impl Sent {
    /// When it last left: of two that left at the same time, what left first is less.
    #[must_use]
    pub const fn left(&self) -> (Time, u32) {
        (self.at, self.number)
    }
}

/// See the file's header.
#[derive(Clone, Debug, Default)]
pub struct SentLog {
    segments: VecDeque<Sent>,
    /// How often anything left. It may come round: within an instant it tells the order all the same.
    count: u32,
    /// Copies counted in each place of a log that reuses its places and was not cleared there; empty otherwise.
    carried: Vec<u32>,
}

/// What an acknowledgement tells about the segments it covers.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Covered {
    /// Time since the newest left, if it left only once.
    pub(crate) delay: Option<Duration>,
    /// Whether any left more than once.
    pub(crate) resent: bool,
}

impl SentLog {
    /// The outstanding segment that holds the byte at `offset`.
    #[must_use]
    pub fn at(&self, offset: u64) -> Option<&Sent> {
        let index = self.segments.partition_point(|sent| sent.end <= offset);
        self.segments.get(index).filter(|sent| sent.start <= offset)
    }

    /// The outstanding segments, in the order of the stream.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Sent> {
        self.segments.iter()
    }

    /// Begins to reuse so many places in turn, as ns-2's Vegas does (`v_transmits_`, of `wnd_` places). An
    /// acknowledgement of several segments clears their places only if they do not wrap around; what is then
    /// counted there goes on being counted for the segments that come to these places next.
    pub(crate) fn reuse(&mut self, places: u32) {
        self.carried = vec![0; places as usize];
    }

    /// Bytes `start..end` leave, in segments of `mss` bytes; those before `max` have left before, whether that was
    /// recorded or not.
    pub(crate) fn record(&mut self, now: Time, start: u64, end: u64, max: u64, mss: u32) {
        self.count = self.count.wrapping_add(1);
        let number = self.count;
        let mut from = start;
        let index = self.segments.partition_point(|sent| sent.end <= start);
        for sent in self.segments.range_mut(index..).take_while(|sent| sent.start < end) {
            (sent.at, sent.number, sent.copies) = (now, number, sent.copies + 1);
            from = from.max(sent.end);
        }
        if from < end && self.segments.back().is_none_or(|last| last.end <= from) {
            let place = self.place(from, mss);
            let carried = self.carried.get_mut(place).map_or(0, core::mem::take);
            let copies = carried + 1 + u32::from(from < max);
            self.segments.push_back(Sent { start: from, end, at: now, copies, number });
        }
    }

    /// Everything before `una` is acknowledged.
    pub(crate) fn acknowledge(&mut self, now: Time, una: u64, mss: u32) -> Covered {
        let mut covered = Covered::default();
        let first = self.segments.front().map_or(una, |first| first.start);
        let is_kept = !self.carried.is_empty() && self.place(first, mss) > self.place(una - 1, mss);
        while let Some(first) = self.segments.front_mut() {
            if first.end > una {
                first.start = first.start.max(una);
                break;
            }
            covered.resent |= first.copies > 1;
            covered.delay = (first.copies == 1).then(|| now.since(first.at));
            if is_kept {
                let (start, copies) = (first.start, first.copies);
                let place = self.place(start, mss);
                self.carried[place] = copies;
            }
            self.segments.pop_front();
        }
        covered
    }

    /// The times of what is outstanding say nothing about the path any more: as if it had left twice.
    pub(crate) fn blur(&mut self) {
        self.segments.iter_mut().for_each(|sent| sent.copies += 1);
    }

    /// The place of the segment that holds the byte at `offset`; the SYN has the first.
    fn place(&self, offset: u64, mss: u32) -> usize {
        let number = (offset - 1) / u64::from(mss.max(1)) + 1;
        (number % self.carried.len().max(1) as u64) as usize
    }

    pub(crate) fn clear(&mut self) {
        self.segments.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn the_newest_segment_that_left_once_is_measured() {
        let mut log = SentLog::default();
        log.record(at(0), 1, 11, 1, 10);
        log.record(at(5), 11, 21, 11, 10);
        log.record(at(6), 21, 31, 21, 10);
        assert_eq!(log.acknowledge(at(20), 21, 10), Covered { delay: Some(Duration::from_millis(15)), resent: false });
        log.record(at(30), 21, 31, 31, 10);
        assert_eq!(log.at(25).map(|s| (s.copies, s.at)), Some((2, at(30))));
        log.record(at(31), 31, 41, 31, 10);
        let both = log.acknowledge(at(50), 41, 10);
        assert_eq!(both, Covered { delay: Some(Duration::from_millis(19)), resent: true });
        assert_eq!(log.at(40), None);
    }

    #[test]
    fn what_left_at_the_same_time_has_an_order() {
        let mut log = SentLog::default();
        for (ms, start) in [(5, 1), (5, 11), (6, 21), (6, 1)] {
            log.record(at(ms), start, start + 10, 31, 10);
        }
        assert_eq!([1, 11, 21].map(|offset| log.at(offset).unwrap().left()), [(at(6), 4), (at(5), 2), (at(6), 3)]);
    }

    #[test]
    fn a_retransmission_of_another_size_marks_all_it_touches() {
        let mut log = SentLog::default();
        log.record(at(0), 1, 11, 1, 10);
        log.record(at(0), 11, 21, 11, 10);
        log.record(at(9), 6, 26, 21, 10); // and five new bytes
        assert_eq!([1, 11, 21].map(|offset| log.at(offset).unwrap().copies), [2, 2, 1]);
        assert_eq!(log.acknowledge(at(10), 15, 10), Covered { delay: None, resent: true });
        assert_eq!(log.at(15).map(|s| (s.start, s.end)), Some((15, 21)));
    }

    #[test]
    fn what_left_before_the_log_began_is_ambiguous() {
        let mut log = SentLog::default();
        log.record(at(9), 1, 11, 31, 10); // sent again, the first time unseen
        assert_eq!(log.acknowledge(at(10), 11, 10), Covered { delay: None, resent: true });
    }
}
