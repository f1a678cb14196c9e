//! What the peer holds beyond the first gap, as its selective acknowledgements say.
//!
//! Spec      RFC 2018 §4, §5; RFC 6675 §3, §4 (`Update`, `IsLost`); RFC 2883 §4 (what is a D-SACK, and stays out)
//! Deviates  nothing
//! Holds     ranges are disjoint, in order, not adjacent, and lie in (una, max]; only the engine changes them

use hopwright_wire::tcp::{SackBlocks, Seq};

use super::position::near;

/// See the file's header. Positions are stream offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoreboard {
    ranges: Vec<(u64, u64)>,
    bytes: u64,
}

/// More ranges than any honest peer reports at once: what comes beyond is forgotten, and sent again.
const MOST_RANGES: usize = 1024;

impl Scoreboard {
    /// The ranges that the peer holds, in order.
    #[must_use]
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// How many bytes those are.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The position after the last byte the peer holds; zero if it holds nothing beyond the gap.
    #[must_use]
    pub fn highest(&self) -> u64 {
        self.ranges.last().map_or(0, |range| range.1)
    }

    /// The first byte from `from` on that the peer does not hold, and where the next range that it holds begins
    /// (`None` if there is none).
    #[must_use]
    pub fn next_hole(&self, from: u64) -> (u64, Option<u64>) {
        let at = self.ranges.partition_point(|range| range.1 <= from);
        match self.ranges.get(at) {
            Some(&(start, end)) if start <= from => (end, self.ranges.get(at + 1).map(|next| next.0)),
            Some(&(start, _)) => (from, Some(start)),
            None => (from, None),
        }
    }

    /// The last stretch of bytes before `max`, not before `una`, that the peer does not hold.
    #[must_use]
    pub fn last_hole(&self, una: u64, max: u64) -> (u64, u64) {
        match self.ranges[..] {
            [.., last] if last.1 < max => (last.1, max),
            [.., before, last] => (before.1, last.0),
            [only] => (una, only.0),
            [] => (una, max),
        }
    }

    /// Whether the byte at `at` must be taken for lost (RFC 6675 §4, `IsLost`): `threshold` ranges lie above it,
    /// or more than `threshold - 1` segments.
    #[must_use]
    pub fn is_lost(&self, at: u64, threshold: u32, mss: u32) -> bool {
        let first = self.ranges.partition_point(|range| range.1 <= at);
        let above = &self.ranges[first..];
        let bytes: u64 = above.iter().map(|range| range.1 - range.0.max(at)).sum();
        above.len() >= threshold as usize || bytes > u64::from(threshold - 1) * u64::from(mss)
    }

    /// Bytes believed to be in the network (RFC 6675 §4, `SetPipe`): what from `una` to before `max` the peer neither
    /// holds nor must be taken to have lost, and once more what was sent again, before `resent`.
    #[must_use]
    pub fn pipe(&self, una: u64, max: u64, resent: u64, threshold: u32, mss: u32) -> u64 {
        let most_lost = u64::from(threshold - 1) * u64::from(mss);
        let (mut pipe, mut above, mut end) = (0, 0, max);
        for (count, &(start, after)) in self.ranges.iter().rev().enumerate() {
            pipe += Self::in_hole(after, end, resent, count >= threshold as usize || above > most_lost);
            above += after - start;
            end = start;
        }
        pipe + Self::in_hole(una, end, resent, self.ranges.len() >= threshold as usize || above > most_lost)
    }

    fn in_hole(start: u64, end: u64, resent: u64, is_lost: bool) -> u64 {
        let first = if is_lost { 0 } else { end.saturating_sub(start) };
        first + resent.min(end).saturating_sub(start)
    }

    /// One that holds these ranges, for tests.
    #[cfg(test)]
    pub(crate) fn of(ranges: &[(u64, u64)]) -> Self {
        let mut board = Self::default();
        ranges.iter().for_each(|&(start, end)| board.insert(start, end));
        board
    }

    /// Takes in an acknowledgement of everything before `una`, when `max` was sent. Returns how many bytes it
    /// reports for the first time, and whether it reports a duplicate.
    pub(crate) fn update(&mut self, blocks: &SackBlocks, iss: Seq, una: u64, max: u64) -> (u64, bool) {
        self.forget_before(una);
        let before = self.bytes;
        let mut is_dsack = false;
        let mut first: Option<(u64, u64)> = None;
        for (i, &(left, right)) in blocks.as_slice().iter().enumerate() {
            let (Some(start), Some(end)) = (near(iss, una, left), near(iss, una, right)) else { continue };
            if start >= end || end > max {
                continue; // nothing we sent
            }
            if i == 0 {
                if end <= una {
                    is_dsack = true;
                    continue;
                }
                first = Some((start, end));
            } else if i == 1
                && let Some(within) = first
                && start <= within.0
                && within.1 <= end
            {
                is_dsack = true; // the first block repeats part of this one, which counts
            }
            if start >= una {
                self.insert(start.max(una), end);
            }
        }
        (self.bytes.saturating_sub(before), is_dsack)
    }

    /// Everything before `una` is acknowledged.
    pub(crate) fn forget_before(&mut self, una: u64) {
        let gone = self.ranges.partition_point(|range| range.1 <= una);
        for range in self.ranges.drain(..gone) {
            self.bytes -= range.1 - range.0;
        }
        if let Some(range) = self.ranges.first_mut()
            && range.0 < una
        {
            self.bytes -= una - range.0;
            range.0 = una;
        }
    }

    /// Nothing is believed any more (RFC 2018 §5: the peer may have thrown it away).
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.bytes = 0;
    }

    fn insert(&mut self, start: u64, end: u64) {
        let first = self.ranges.partition_point(|range| range.1 < start);
        let after = self.ranges.partition_point(|range| range.0 <= end);
        if first == after {
            if self.ranges.len() < MOST_RANGES {
                self.ranges.insert(first, (start, end));
                self.bytes += end - start;
            }
            return;
        }
        let merged = (start.min(self.ranges[first].0), end.max(self.ranges[after - 1].1));
        let held: u64 = self.ranges[first..after].iter().map(|range| range.1 - range.0).sum();
        self.ranges[first] = merged;
        self.ranges.drain(first + 1..after);
        self.bytes += merged.1 - merged.0 - held;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(ranges: &[(u64, u64)]) -> Scoreboard {
        Scoreboard::of(ranges)
    }

    fn blocks(ranges: &[(u32, u32)]) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        ranges.iter().for_each(|&(left, right)| assert!(blocks.push(Seq(left), Seq(right))));
        blocks
    }

    #[test]
    fn ranges_merge() {
        let merged = board(&[(10, 20), (30, 40), (20, 25), (50, 60), (25, 30)]);
        assert_eq!((merged.ranges(), merged.bytes()), (&[(10, 40), (50, 60)][..], 40));
        assert_eq!(board(&[(10, 20), (30, 40), (5, 50)]).ranges(), [(5, 50)]);
    }

    #[test]
    fn holes() {
        let board = board(&[(10, 20), (30, 40)]);
        assert_eq!(board.next_hole(0), (0, Some(10)));
        assert_eq!(board.next_hole(10), (20, Some(30)));
        assert_eq!(board.next_hole(25), (25, Some(30)));
        assert_eq!(board.next_hole(35), (40, None));
        assert_eq!(board.next_hole(40), (40, None));
        assert_eq!(board.highest(), 40);
    }

    #[test]
    fn three_ranges_or_more_than_two_segments_above_mean_lost() {
        let mss = 1000;
        assert!(!board(&[(1000, 3000)]).is_lost(0, 3, mss));
        assert!(board(&[(1000, 3001)]).is_lost(0, 3, mss));
        assert!(board(&[(10, 11), (20, 21), (30, 31)]).is_lost(0, 3, mss));
        assert!(!board(&[(10, 11), (20, 21), (30, 31)]).is_lost(15, 3, mss));
    }

    #[test]
    fn the_pipe_of_a_recovery() {
        let mss = 1000; // the vectors S1 to S4: bytes 0 to 9999 sent, 0 sent again, then 3000 too
        assert_eq!(board(&[(1000, 3000), (4000, 5000)]).pipe(0, 10_000, 1000, 3, mss), 7000);
        assert_eq!(board(&[(1000, 3000), (4000, 6000)]).pipe(0, 10_000, 1000, 3, mss), 6000);
        assert_eq!(board(&[(1000, 3000), (4000, 7000)]).pipe(0, 10_000, 1000, 3, mss), 4000);
        assert_eq!(board(&[(1000, 3000), (4000, 8000)]).pipe(0, 10_000, 4000, 3, mss), 4000);
        assert_eq!(board(&[]).pipe(0, 10_000, 0, 3, mss), 10_000);
    }

    #[test]
    fn acknowledged_bytes_leave_and_reported_ones_count_once() {
        let mut board = Scoreboard::default();
        assert_eq!(board.update(&blocks(&[(2000, 3000)]), Seq(0), 1000, 9000), (1000, false));
        assert_eq!(board.update(&blocks(&[(4000, 5000), (2000, 3000)]), Seq(0), 1000, 9000), (1000, false));
        assert_eq!(board.update(&blocks(&[(2000, 3000), (4000, 5000)]), Seq(0), 1000, 9000), (0, false));
        assert_eq!(board.update(&blocks(&[]), Seq(0), 4500, 9000), (0, false));
        assert_eq!((board.ranges(), board.bytes()), (&[(4500, 5000)][..], 500));
    }

    #[test]
    fn duplicates_are_told_and_stay_out() {
        let mut board = Scoreboard::default();
        assert_eq!(board.update(&blocks(&[(3000, 3500)]), Seq(0), 4000, 9000), (0, true)); // below
        assert_eq!(board.update(&blocks(&[(4500, 5000)]), Seq(0), 4000, 9000), (500, false));
        assert_eq!(board.update(&blocks(&[(4500, 5000), (4500, 6000)]), Seq(0), 4000, 9000), (1000, true)); // within
        assert_eq!(board.ranges(), [(4500, 6000)]);
    }

    #[test]
    fn what_was_never_sent_is_not_believed() {
        let mut board = Scoreboard::default();
        assert_eq!(board.update(&blocks(&[(8000, 9001), (7000, 6000)]), Seq(0), 1000, 9000), (0, false));
        assert_eq!(board, Scoreboard::default());
    }

    /// RFC 6675 §4 counts what lies beyond the acknowledged: a range that ends there is gone, one that begins there is not.
    #[test]
    fn what_ends_at_the_acknowledged_is_forgotten() {
        let mut known = board(&[(10, 20), (30, 40), (50, 60)]);
        known.forget_before(20);
        assert_eq!((known.ranges(), known.bytes()), (&[(30, 40), (50, 60)][..], 20));
        known.forget_before(30);
        assert_eq!((known.ranges(), known.bytes()), (&[(30, 40), (50, 60)][..], 20));
        known.forget_before(39);
        assert_eq!((known.ranges(), known.bytes()), (&[(39, 40), (50, 60)][..], 11));
        known.forget_before(61);
        assert_eq!((known.ranges(), known.bytes()), (&[][..], 0));
    }
}
