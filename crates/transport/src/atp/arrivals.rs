//! What has come to a receiver: in order, and beyond gaps.
//!
//! Spec      Sundaresan et al. 2003: feedback has blocks of what came beyond gaps
//! Deviates  decided here: where there are more blocks than feedback may have, it has the first
//! Holds     all data are handed over once and in order; nothing is kept beyond the window

use std::collections::BTreeMap;

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// The data number that is next.
    next: u64,
    /// Beyond it, by number: how many bytes, and whether they are the last.
    beyond: BTreeMap<u64, (u32, bool)>,
    /// Whether the last have been handed over.
    is_complete: bool,
}

impl Arrivals {
    /// Everything before has come.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    pub(super) const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Data have come. Returns how many bytes follow in order now.
    pub(super) fn insert(&mut self, number: u64, bytes: u32, is_last: bool, window: u64) -> u64 {
        if number < self.next || number - self.next >= window || self.is_complete {
            return 0;
        }
        self.beyond.entry(number).or_insert((bytes, is_last));
        let mut readable = 0;
        while let Some((bytes, is_last)) = self.beyond.remove(&self.next) {
            readable += u64::from(bytes);
            self.next += 1;
            if is_last {
                self.is_complete = true;
                self.beyond.clear(); // behind the end there is nothing
            }
        }
        readable
    }

    /// The blocks beyond the first gap, so many at most, the lowest first.
    pub(super) fn blocks(&self, most: usize) -> Vec<(u64, u64)> {
        let mut blocks: Vec<(u64, u64)> = Vec::new();
        for &number in self.beyond.keys() {
            let is_full = blocks.len() == most;
            match blocks.last_mut() {
                Some((_, end)) if *end == number => *end += 1,
                _ if is_full => break,
                _ => blocks.push((number, number + 1)),
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_close_and_blocks_tell_what_is_beyond() {
        let mut arrivals = Arrivals::default();
        let mut insert = |number| arrivals.insert(number, 10, false, 8);
        assert_eq!([0, 2, 3, 5, 2, 0].map(&mut insert), [10, 0, 0, 0, 0, 0]);
        assert_eq!((arrivals.next(), arrivals.blocks(20)), (1, vec![(2, 4), (5, 6)]));
        assert_eq!(arrivals.blocks(1), [(2, 4)]);
        assert!(arrivals.blocks(0).is_empty());
        assert_eq!(arrivals.insert(1, 10, false, 8), 30);
        assert_eq!((arrivals.next(), arrivals.blocks(20)), (4, vec![(5, 6)]));
    }

    #[test]
    fn nothing_is_kept_beyond_the_window_or_the_end() {
        let mut arrivals = Arrivals::default();
        assert_eq!(arrivals.insert(8, 10, false, 8), 0);
        assert!(arrivals.blocks(20).is_empty());
        arrivals.insert(1, 10, true, 8);
        arrivals.insert(2, 10, false, 8);
        assert_eq!((arrivals.insert(0, 10, false, 8), arrivals.is_complete(), arrivals.next()), (20, true, 2));
        assert!(arrivals.blocks(20).is_empty());
        assert_eq!(arrivals.insert(2, 10, false, 8), 0);
    }
}
