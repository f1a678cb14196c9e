//! Puts the peer's bytes back in order.
//!
//! Spec      RFC 9293 §3.10.7.4 (segment text)
//! Deviates  nothing
//! Holds     every byte is handed over once; counted bytes cost a range per gap and no more

use std::collections::VecDeque;

/// See the file's header. Positions are offsets in the peer's stream; the first byte is at 1.
#[derive(Debug)]
pub(super) struct Reassembly {
    /// The next byte expected.
    pub(super) next: u64,
    /// What arrived beyond it: disjoint, in order, never touching.
    ranges: Vec<(u64, u64)>,
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
    pub(super) const fn new(keeps: bool) -> Self {
        Self { next: 1, ranges: Vec::new(), keeps, read: 1, fin: 0, bytes: VecDeque::new() }
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
        if self.keeps && !data.is_empty() {
            self.store(start, data);
        }
        let before = self.next;
        let is_new = if self.ranges.is_empty() && start == before {
            self.next = end; // the usual case
            end > start
        } else {
            self.merge(start, end)
        };
        if let Some(&(first, last)) = self.ranges.first()
            && first == self.next
        {
            self.next = last;
            self.ranges.remove(0);
        }
        if !self.keeps {
            self.read = self.next;
        }
        (self.next - before, is_new)
    }

    fn store(&mut self, start: u64, data: &[u8]) {
        let at = (start - self.read) as usize;
        if self.bytes.len() < at + data.len() {
            self.bytes.resize(at + data.len(), 0);
        }
        for (slot, byte) in self.bytes.range_mut(at..at + data.len()).zip(data) {
            *slot = *byte;
        }
    }

    /// Adds a range to those beyond the gap; false if all of it was there.
    fn merge(&mut self, start: u64, end: u64) -> bool {
        if start == end {
            return false;
        }
        let first = self.ranges.partition_point(|&(_, e)| e < start);
        let past = self.ranges.partition_point(|&(s, _)| s <= end);
        if first == past {
            self.ranges.insert(first, (start, end));
            return true;
        }
        let (low, high) = (self.ranges[first].0.min(start), self.ranges[past - 1].1.max(end));
        let is_new = past - first > 1 || (low, high) != self.ranges[first];
        self.ranges[first] = (low, high);
        self.ranges.drain(first + 1..past);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_close_in_any_order() {
        let mut input = Reassembly::new(true);
        assert_eq!(input.insert(5, 7, b"ef"), (0, true));
        assert_eq!(input.insert(9, 11, b"ij"), (0, true));
        assert_eq!(input.insert(7, 9, b"gh"), (0, true));
        assert_eq!(input.ranges, [(5, 11)]);
        assert_eq!(input.insert(6, 9, b"fgh"), (0, false));
        assert_eq!(input.insert(1, 6, b"abcdX"), (10, true)); // the peer may not change its mind, but it may
        assert!(!input.has_gap());
        assert_eq!(input.readable().0, b"abcdXfghij");
        input.read(4);
        assert_eq!((input.unread(), input.readable().0), (6, &b"Xfghij"[..]));
        assert_eq!(input.insert(11, 12, b"k"), (1, true));
        assert_eq!(input.readable().0, b"Xfghijk");
        input.take_fin();
        assert_eq!((input.unread(), input.next), (7, 13));
    }

    #[test]
    fn a_sink_keeps_nothing() {
        let mut input = Reassembly::new(false);
        assert_eq!(input.insert(1, 4, b"abc"), (3, true));
        assert_eq!((input.unread(), input.bytes.len()), (0, 0));
    }
}
