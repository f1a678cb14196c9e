//! Puts the peer's bytes back in order.
//!
//! Spec      RFC 9293 §3.10.7.4 (segment text); RFC 2018 §4 (which ranges are told first)
//! Deviates  nothing
//! Holds     every byte is handed over once; a byte that came never changes, whatever comes later in its place;
//!           what came costs its bytes, if they are real and kept, and a range per gap; the gaps cost nothing; of
//!           ranges there are at most `most_ranges`: a segment that needs another one is not kept, and comes again

use std::collections::VecDeque;
use std::{mem, ops};

use super::send_buffer::{give_back, is_roomy};
use crate::params::Params;

/// Ranges beyond gaps that any connection may have. More are allowed where the window has more segments: a
/// peer that fills it and loses every second one needs half as many.
const LEAST_RANGES: usize = 64;

/// Bytes beyond a gap: `[start, end)`.
#[derive(Debug)]
struct Range {
    start: u64,
    end: u64,
    /// Which arrival last touched it; zero if it is not to be told.
    touched: u64,
    /// What they are, if they are real and kept.
    bytes: VecDeque<u8>,
}

/// See the file's header. Positions are offsets in the peer's stream; the first byte is at 1.
#[derive(Debug)]
pub(super) struct Reassembly {
    /// The next byte expected.
    pub(super) next: u64,
    /// What arrived beyond it: disjoint, in order, never touching.
    ranges: Vec<Range>,
    most_ranges: usize,
    /// Arrivals beyond a gap.
    arrivals: u64,
    /// Whether bytes wait for the application; otherwise they are read as they become readable.
    keeps: bool,
    /// Where the application has read up to.
    read: u64,
    /// One if `next` lies behind the peer's FIN.
    fin: u64,
    /// Real bytes from `read` to `next`.
    bytes: VecDeque<u8>,
}

impl Reassembly {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            next: 1,
            ranges: Vec::new(),
            most_ranges: LEAST_RANGES.max((params.window_limit() / u64::from(params.segment_bytes)) as usize),
            arrivals: 0,
            keeps: params.explicit_read,
            read: 1,
            fin: 0,
            bytes: VecDeque::new(),
        }
    }

    /// The position after the last byte that came.
    pub(super) fn end(&self) -> u64 {
        self.ranges.last().map_or(self.next, |range| range.end)
    }

    /// Up to four ranges beyond the gap, the one that came last first.
    pub(super) fn newest(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut newest: [Option<&Range>; 4] = [None; 4];
        for range in self.ranges.iter().filter(|range| range.touched > 0) {
            let at = newest.iter().position(|n| n.is_none_or(|n| n.touched < range.touched));
            if let Some(at) = at {
                newest[at..].rotate_right(1);
                newest[at] = Some(range);
            }
        }
        newest.into_iter().flatten().map(|range| (range.start, range.end))
    }

    /// Only the `n` ranges that came last are told from now on, the others when more of them comes.
    pub(super) fn forget_all_but(&mut self, n: usize) {
        let last = self.newest().take(n).last().map_or(u64::MAX, |(start, _)| start);
        let oldest = self.ranges.iter().find(|range| range.start == last).map_or(0, |range| range.touched);
        for range in self.ranges.iter_mut().filter(|range| range.touched < oldest) {
            range.touched = 0;
        }
    }

    /// The first stretch of these bytes that came before.
    pub(super) fn first_known(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        if start < self.next {
            return Some((start, end.min(self.next)));
        }
        let at = self.ranges.partition_point(|r| r.end <= start);
        let range = self.ranges.get(at).filter(|r| r.start < end)?;
        Some((start.max(range.start), end.min(range.end)))
    }

    /// Whether there is anything that the application has not read, in order or beyond a gap.
    pub(super) fn is_holding(&self) -> bool {
        self.unread() > 0 || self.has_gap()
    }

    /// Memory that all of it takes, in bytes.
    pub(super) fn memory(&self) -> u64 {
        let beyond = self.ranges.iter().map(|range| range.bytes.capacity());
        (self.bytes.capacity() + beyond.sum::<usize>() + self.ranges.capacity() * mem::size_of::<Range>()) as u64
    }

    /// Gives up what waits beyond gaps.
    pub(super) fn forget_beyond_gaps(&mut self) {
        self.ranges = Vec::new();
    }

    /// Whether anything waits beyond a gap.
    pub(super) fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Bytes in order that the application has not read.
    pub(super) const fn unread(&self) -> u64 {
        self.next - self.fin - self.read
    }

    /// The peer's FIN is next: it takes a number, but no room.
    pub(super) fn take_fin(&mut self) {
        self.next += 1;
        self.fin = 1;
    }

    /// The application took up to `n` bytes.
    pub(super) fn read(&mut self, n: u64) {
        let n = n.min(self.unread());
        self.read += n;
        let real = (n as usize).min(self.bytes.len());
        self.bytes.drain(..real);
    }

    /// Whether what waits in order has much more room than bytes.
    pub(super) fn is_roomy(&self) -> bool {
        is_roomy(&self.bytes)
    }

    /// Gives back room that the bytes in order do not need.
    pub(super) fn give_back(&mut self) {
        give_back(&mut self.bytes);
    }

    /// Real bytes in order, not yet read.
    pub(super) fn readable(&self) -> (&[u8], &[u8]) {
        self.bytes.as_slices()
    }

    /// Takes in `[start, end)`, which must not begin before `next`. Returns how many bytes became readable,
    /// and whether there was anything new.
    pub(super) fn insert(&mut self, start: u64, end: u64, data: &[u8]) -> (u64, bool) {
        debug_assert!(start >= self.next && end >= start);
        if start == end {
            return (0, false);
        }
        let data = if self.keeps { data } else { &[] };
        let touched = self.touched(start, end);
        if start > self.next {
            return (0, self.keep(start, end, data, touched));
        }
        if touched.is_empty() {
            self.bytes.extend(data); // the usual case
            self.next = end;
        } else {
            let bytes = mem::take(&mut self.bytes);
            (self.next, self.bytes) = self.take(touched, bytes, start, end, data);
        }
        if !self.keeps {
            self.read = self.next;
        }
        (self.next - start, true)
    }

    /// Which ranges overlap or touch this one.
    fn touched(&self, start: u64, end: u64) -> ops::Range<usize> {
        self.ranges.partition_point(|r| r.end < start)..self.ranges.partition_point(|r| r.start <= end)
    }

    /// Keeps `[start, end)` beyond a gap, as one range with those that it touches; false if all of it was there.
    fn keep(&mut self, start: u64, end: u64, data: &[u8], touched: ops::Range<usize>) -> bool {
        let place = touched.start;
        let mut merged = Range { start, end, touched: self.arrivals + 1, bytes: VecDeque::new() };
        let mut is_new = true;
        if let Some(first) = self.ranges[touched.clone()].first() {
            is_new = start < first.start || first.end < end;
            merged.start = start.min(first.start);
        } else if self.ranges.len() >= self.most_ranges {
            return false;
        }
        self.arrivals += 1;
        (merged.end, merged.bytes) = self.take(touched, merged.bytes, start, end, data);
        self.ranges.insert(place, merged);
        is_new
    }

    /// Takes these ranges off the list, and puts them behind `bytes` with what `[start, end)` has between and behind
    /// them. Returns where that ends.
    fn take(
        &mut self,
        ranges: ops::Range<usize>,
        mut bytes: VecDeque<u8>,
        start: u64,
        end: u64,
        data: &[u8],
    ) -> (u64, VecDeque<u8>) {
        let part = |from: u64, to: u64| data.get((from - start) as usize..(to.max(from) - start) as usize);
        let mut at = start;
        for range in self.ranges.drain(ranges) {
            bytes.extend(part(at, range.start).unwrap_or_default());
            bytes = join(bytes, range.bytes);
            at = range.end;
        }
        bytes.extend(part(at, end).unwrap_or_default());
        (at.max(end), bytes)
    }
}

/// The second behind the first. The longer one stays where it is: a peer that sends backwards costs no more.
fn join(mut first: VecDeque<u8>, mut second: VecDeque<u8>) -> VecDeque<u8> {
    if first.len() >= second.len() {
        first.append(&mut second);
        return first;
    }
    let ahead = first.len();
    second.append(&mut first);
    second.rotate_right(ahead);
    second
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(explicit_read: bool) -> Reassembly {
        Reassembly::new(&Params { explicit_read, ..Params::default() })
    }

    fn readable(input: &Reassembly) -> Vec<u8> {
        let (a, b) = input.readable();
        [a, b].concat()
    }

    #[test]
    fn gaps_close_in_any_order() {
        let mut input = input(true);
        assert_eq!(input.insert(5, 7, b"ef"), (0, true));
        assert_eq!(input.insert(9, 11, b"ij"), (0, true));
        assert_eq!(input.insert(7, 9, b"gh"), (0, true));
        assert_eq!(input.ranges.iter().map(|r| (r.start, r.end)).collect::<Vec<_>>(), [(5, 11)]);
        assert_eq!(input.insert(6, 9, b"fgh"), (0, false));
        assert_eq!(input.insert(1, 6, b"abcdX"), (10, true));
        assert!(!input.has_gap());
        assert_eq!(readable(&input), b"abcdefghij"); // X came too late
        input.read(4);
        assert_eq!((input.unread(), &readable(&input)[..]), (6, &b"efghij"[..]));
        assert_eq!(input.insert(11, 12, b"k"), (1, true));
        assert_eq!(readable(&input), b"efghijk");
        input.take_fin();
        assert_eq!((input.unread(), input.next), (7, 13));
    }

    #[test]
    fn bytes_that_nobody_has_read_are_held_in_order_or_not() {
        let (mut in_order, mut beyond) = (input(true), input(true));
        assert!(!in_order.is_holding());
        in_order.insert(1, 3, b"ab");
        beyond.insert(4, 6, b"de");
        assert!(in_order.is_holding() && beyond.is_holding());
        in_order.read(2);
        assert!(!in_order.is_holding());
    }

    #[test]
    fn what_came_first_stays() {
        let mut input = input(true);
        input.insert(3, 4, b"c");
        input.insert(6, 8, b"fg");
        input.insert(2, 10, b"BCDEFGHI");
        input.insert(1, 3, b"ab");
        assert_eq!(readable(&input), b"aBcDEfgHI");
    }

    #[test]
    fn a_sink_keeps_nothing() {
        let mut input = input(false);
        assert_eq!(input.insert(1, 4, b"abc"), (3, true));
        assert_eq!((input.unread(), input.bytes.len()), (0, 0));
    }

    #[test]
    fn bytes_are_written_across_the_seam_of_the_ring() {
        let mut input = input(true);
        let stream: Vec<u8> = (0..2000u32).map(|i| (i * 7 % 251) as u8).collect();
        let part = |from: u64, to: u64| &stream[from as usize - 1..to as usize - 1];
        let mut read: Vec<u8> = vec![];
        for start in (1..1900).step_by(31) {
            input.insert(start + 10, start + 31, part(start + 10, start + 31));
            input.insert(start, start + 10, part(start, start + 10));
            let (a, b) = input.readable();
            let n = (a.len() + b.len()).min(29);
            read.extend(a.iter().chain(b).take(n));
            input.read(n as u64);
        }
        assert_eq!(read, stream[..read.len()]);
        assert!(read.len() > 1700 && input.bytes.len() < 200);
    }

    #[test]
    fn the_newest_ranges_come_first() {
        let mut input = input(false);
        for start in [30, 10, 50, 20, 40] {
            input.insert(start, start + 5, &[]);
        }
        assert_eq!(input.newest().collect::<Vec<_>>(), [(40, 45), (20, 25), (50, 55), (10, 15)]);
        input.insert(12, 20, &[]);
        assert_eq!(input.newest().collect::<Vec<_>>(), [(10, 25), (40, 45), (50, 55), (30, 35)]);
    }

    #[test]
    fn there_is_a_limit_to_gaps_and_it_does_no_harm() {
        let mut input = Reassembly::new(&Params { window_limit_segments: 1, explicit_read: true, ..Params::default() });
        for i in 0..100 {
            assert_eq!(input.insert(3 + 2 * i, 4 + 2 * i, b"x").1, i < 64);
        }
        assert_eq!(input.ranges.len(), 64);
        assert_eq!(input.insert(130, 131, b"x"), (0, true)); // it touches one
        for i in 0..200 {
            input.insert(
                (1 + i).max(input.next),
                (2 + i).max(input.next),
                &[b'x'; 1][..usize::from(input.next < 2 + i)],
            );
        }
        assert_eq!((input.unread(), readable(&input).len()), (200, 200));
    }

    #[test]
    fn a_gap_takes_no_memory() {
        let mut input = input(true);
        for i in 1..=10 {
            assert_eq!(input.insert(100_000 * i, 100_000 * i + 1, b"x"), (0, true));
        }
        let capacity: usize = input.ranges.iter().map(|range| range.bytes.capacity()).sum();
        assert!(capacity + input.bytes.capacity() < 1000);
    }

    /// Each byte before all that are there: nothing may be moved for each of them.
    #[test]
    fn a_stream_may_come_backwards() {
        let mut input = input(true);
        for i in (2..1_000_000u32).rev() {
            input.insert(i.into(), u64::from(i) + 1, &[i as u8]);
        }
        assert_eq!(input.ranges.len(), 1);
        assert_eq!(input.insert(1, 2, &[1]), (999_999, true));
        assert!(readable(&input).into_iter().eq((1..1_000_000u32).map(|i| i as u8)));
    }

    proptest::proptest! {
        /// As an array would have it in which nothing is written twice.
        #[test]
        fn every_byte_is_the_first_that_came(segments in proptest::collection::vec((0..100u64, 0..30usize, 0..8u64), 1..80)) {
            let mut input = input(true);
            let mut model: Vec<Option<u8>> = vec![None; 20_000];
            let mut read = 1;
            for (i, (ahead, length, taken)) in segments.into_iter().enumerate() {
                let start = input.next + ahead;
                let data: Vec<u8> = (0..length).map(|k| (i * 31 + k) as u8).collect();
                for (slot, byte) in model[start as usize..].iter_mut().zip(&data) {
                    slot.get_or_insert(*byte);
                }
                input.insert(start, start + length as u64, &data);
                let expected: Vec<u8> = model[read..].iter().map_while(|byte| *byte).collect();
                proptest::prop_assert_eq!(readable(&input), expected);
                let taken = taken.min(input.unread());
                input.read(taken);
                read += taken as usize;
                proptest::prop_assert!(input.ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
                let kept = input.bytes.len() + input.ranges.iter().map(|range| range.bytes.len()).sum::<usize>();
                proptest::prop_assert_eq!(kept, model[read..].iter().flatten().count());
            }
        }
    }
}
