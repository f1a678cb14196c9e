//! Puts the peer's bytes back in order.
//!
//! Spec      RFC 9293 §3.10.7.4 (segment text); RFC 2018 §4 (which ranges are told first)
//! Deviates  nothing
//! Holds     every byte is handed over once; a byte that came never changes, whatever comes later in its place;
//!           counted bytes cost a range per gap and no more; of ranges there are at most `most_ranges`: a segment
//!           that needs another one is not kept, and comes again

use std::collections::VecDeque;

use crate::params::Params;

/// Ranges beyond gaps that any connection may have. More are allowed where the window has more segments: a
/// peer that fills it and loses every second one needs half as many.
const LEAST_RANGES: usize = 64;

/// Bytes beyond a gap: `[start, end)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    start: u64,
    end: u64,
    /// Which arrival last touched it.
    touched: u64,
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
    /// Real bytes from `read` on; those of gaps are zero until they come.
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
        let mut newest: [Option<Range>; 4] = [None; 4];
        for range in &self.ranges {
            let at = newest.iter().position(|n| n.is_none_or(|n| n.touched < range.touched));
            if let Some(at) = at {
                newest[at..].rotate_right(1);
                newest[at] = Some(*range);
            }
        }
        newest.into_iter().flatten().map(|range| (range.start, range.end))
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

    /// Real bytes in order, not yet read.
    pub(super) fn readable(&self) -> (&[u8], &[u8]) {
        let n = (self.unread() as usize).min(self.bytes.len());
        let (a, b) = self.bytes.as_slices();
        (&a[..n.min(a.len())], &b[..n.saturating_sub(a.len())])
    }

    /// Takes in `[start, end)`, which must not begin before `next`. Returns how many bytes became readable,
    /// and whether there was anything new.
    pub(super) fn insert(&mut self, start: u64, end: u64, data: &[u8]) -> (u64, bool) {
        debug_assert!(start >= self.next && end >= start);
        let before = self.next;
        let touched = self.touched(start, end);
        if start > before && touched.is_empty() && self.ranges.len() >= self.most_ranges {
            return (0, false);
        }
        if self.keeps && !data.is_empty() {
            self.store(start, data);
        }
        let is_new = if self.ranges.is_empty() && start == before {
            self.next = end; // the usual case
            end > start
        } else {
            self.merge(start, end, touched)
        };
        if let Some(first) = self.ranges.first()
            && first.start == self.next
        {
            self.next = first.end;
            self.ranges.remove(0);
        }
        if !self.keeps {
            self.read = self.next;
        }
        (self.next - before, is_new)
    }

    /// Which ranges overlap or touch this one.
    fn touched(&self, start: u64, end: u64) -> std::ops::Range<usize> {
        self.ranges.partition_point(|r| r.end < start)..self.ranges.partition_point(|r| r.start <= end)
    }

    /// Keeps the bytes that are not there yet.
    fn store(&mut self, start: u64, data: &[u8]) {
        let end = start + data.len() as u64;
        let mut from = start;
        for range in &self.ranges {
            if range.end <= from {
                continue;
            }
            if range.start >= end {
                break;
            }
            if from < range.start {
                let new = &data[(from - start) as usize..(range.start - start) as usize];
                write(&mut self.bytes, (from - self.read) as usize, new);
            }
            from = range.end;
        }
        if from < end {
            write(&mut self.bytes, (from - self.read) as usize, &data[(from - start) as usize..]);
        }
    }

    /// Adds a range to those beyond the gap, where it touches these; false if all of it was there.
    fn merge(&mut self, start: u64, end: u64, touched: std::ops::Range<usize>) -> bool {
        if start == end {
            return false;
        }
        self.arrivals += 1;
        let mut merged = Range { start, end, touched: self.arrivals };
        if touched.is_empty() {
            self.ranges.insert(touched.start, merged);
            return true;
        }
        let first = self.ranges[touched.start];
        merged.start = merged.start.min(first.start);
        merged.end = merged.end.max(self.ranges[touched.end - 1].end);
        let is_new = touched.len() > 1 || (merged.start, merged.end) != (first.start, first.end);
        self.ranges[touched.start] = merged;
        self.ranges.drain(touched.start + 1..touched.end);
        is_new
    }
}

/// Writes at a position at or beyond the first one; a gap before it is filled with zeros.
fn write(bytes: &mut VecDeque<u8>, at: usize, data: &[u8]) {
    if bytes.len() < at {
        bytes.resize(at, 0);
    }
    let (over, beyond) = data.split_at(data.len().min(bytes.len() - at));
    let (front, back) = bytes.as_mut_slices();
    let (to_front, to_back) = over.split_at(over.len().min(front.len().saturating_sub(at)));
    if !to_front.is_empty() {
        front[at..at + to_front.len()].copy_from_slice(to_front);
    }
    if !to_back.is_empty() {
        let at = at.saturating_sub(front.len());
        back[at..at + to_back.len()].copy_from_slice(to_back);
    }
    bytes.extend(beyond);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(explicit_read: bool) -> Reassembly {
        Reassembly::new(&Params { explicit_read, ..Params::default() })
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
        assert_eq!(input.readable().0, b"abcdefghij"); // X came too late
        input.read(4);
        assert_eq!((input.unread(), input.readable().0), (6, &b"efghij"[..]));
        assert_eq!(input.insert(11, 12, b"k"), (1, true));
        assert_eq!(input.readable().0, b"efghijk");
        input.take_fin();
        assert_eq!((input.unread(), input.next), (7, 13));
    }

    #[test]
    fn what_came_first_stays() {
        let mut input = input(true);
        input.insert(3, 4, b"c");
        input.insert(6, 8, b"fg");
        input.insert(2, 10, b"BCDEFGHI");
        input.insert(1, 3, b"ab");
        assert_eq!(input.readable().0, b"aBcDEfgHI");
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
        assert_eq!((input.unread(), input.readable().0.len()), (200, 200));
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
                let (a, b) = input.readable();
                let expected: Vec<u8> = model[read..].iter().map_while(|byte| *byte).collect();
                proptest::prop_assert_eq!([a, b].concat(), expected);
                let taken = taken.min(input.unread());
                input.read(taken);
                read += taken as usize;
                proptest::prop_assert!(input.ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
                proptest::prop_assert!(input.bytes.len() as u64 <= input.end() - read as u64);
            }
        }
    }
}
