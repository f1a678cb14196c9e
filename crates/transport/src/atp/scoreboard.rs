//! What a sender knows of the data that it has sent: what the receiver has, what is missing, what is to be sent again.
//!
//! Spec      Sundaresan et al. 2003: losses are found by the blocks of feedback
//! Deviates  decided here: missing is what lies below the highest data that came and was sent more than an epoch and a round
//!           trip ago, so that feedback since then would have told of it; once the sender begins again, all that is so old
//! Holds     what the receiver was told to have is never sent again; nothing is sent again twice in an epoch and a round trip

use std::collections::{BTreeSet, VecDeque};

use hopwright_machine::Time;

/// Data that are not acknowledged with all before them.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: u32,
    is_last: bool,
    /// When they last left, and how often they did.
    sent: Time,
    times: u32,
    /// Whether the receiver has them, beyond a gap.
    is_there: bool,
}

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    /// The number of the first entry: everything before is acknowledged.
    first: u64,
    entries: VecDeque<Entry>,
    /// Behind the highest data number that the receiver has.
    highest: u64,
    /// What is to be sent again.
    again: BTreeSet<u64>,
}

/// A segment's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) number: u64,
    pub(super) bytes: u32,
    pub(super) is_last: bool,
}

/// What feedback has told that was not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    /// Bytes that are now acknowledged with all before them.
    pub(super) bytes: u64,
    /// When the newest of the data left that are now known to have come and left once. It came at the end of the epoch, or
    /// nearly so.
    pub(super) newest_sent: Option<Time>,
}

impl Scoreboard {
    /// The number behind the last data sent.
    pub(super) fn next(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// The first data number that is not acknowledged.
    pub(super) const fn first(&self) -> u64 {
        self.first
    }

    /// Data numbers that are not acknowledged with all before them.
    pub(super) fn outstanding(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Whether something is to be sent again.
    pub(super) fn has_missing(&self) -> bool {
        !self.again.is_empty()
    }

    /// New data leave.
    pub(super) fn send(&mut self, now: Time, bytes: u32, is_last: bool) -> Piece {
        let number = self.next();
        self.entries.push_back(Entry { bytes, is_last, sent: now, times: 1, is_there: false });
        Piece { number, bytes, is_last }
    }

    /// The first of the missing data leave again.
    pub(super) fn send_again(&mut self, now: Time) -> Option<Piece> {
        let number = self.again.pop_first()?;
        let entry = &mut self.entries[(number - self.first) as usize];
        (entry.sent, entry.times) = (now, entry.times + 1);
        Some(Piece { number, bytes: entry.bytes, is_last: entry.is_last })
    }

    /// The receiver has all before `cumulative`, and these beyond. Blocks of what was never sent are no blocks.
    pub(super) fn acknowledge(&mut self, cumulative: u64, blocks: impl Iterator<Item = (u64, u64)>) -> News {
        let mut news = News::default();
        let mut newest: Option<u64> = None;
        let mut came = |number: u64, entry: &Entry, news: &mut News| {
            if entry.times == 1 && newest.is_none_or(|newest| newest < number) {
                (newest, news.newest_sent) = (Some(number), Some(entry.sent));
            }
        };
        for (start, end) in blocks {
            let (start, end) = (start.max(self.first), end.min(self.next()));
            for number in start..end {
                let entry = &mut self.entries[(number - self.first) as usize];
                if !std::mem::replace(&mut entry.is_there, true) {
                    came(number, entry, &mut news);
                    self.again.remove(&number);
                }
                self.highest = self.highest.max(number + 1);
            }
        }
        while self.first < cumulative
            && let Some(entry) = self.entries.pop_front()
        {
            if !entry.is_there {
                came(self.first, &entry, &mut news);
            }
            news.bytes += u64::from(entry.bytes);
            self.first += 1;
        }
        self.again = self.again.split_off(&self.first);
        self.highest = self.highest.max(self.first);
        news
    }

    /// Whether all before `number` can have been acknowledged.
    pub(super) fn can_have(&self, number: u64) -> bool {
        number <= self.next()
    }

    /// Has all sent again that is missing: what left before `before` and lies below the highest that came, or, of `all`,
    /// anywhere.
    pub(super) fn find_missing(&mut self, before: Time, all: bool) {
        let end = if all { self.next() } else { self.highest };
        for number in self.first..end {
            let entry = &self.entries[(number - self.first) as usize];
            if !entry.is_there && entry.sent < before {
                self.again.insert(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn sent(n: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for number in 0..n {
            let piece = board.send(at(10 * number), 100, false);
            assert_eq!(piece.number, number);
        }
        board
    }

    fn again(board: &mut Scoreboard, now: Time) -> Vec<u64> {
        std::iter::from_fn(|| board.send_again(now)).map(|piece| piece.number).collect()
    }

    #[test]
    fn what_lies_below_the_highest_that_came_is_missing_once_it_is_old() {
        let mut board = sent(10);
        let news = board.acknowledge(2, [(3, 5), (6, 7)].into_iter());
        assert_eq!(news, News { bytes: 200, newest_sent: Some(at(60)) });
        board.find_missing(at(50), false);
        assert_eq!(again(&mut board, at(1000)), [2], "5 left at 50 ms");
        board.find_missing(at(1000), false);
        assert_eq!(again(&mut board, at(1001)), [5], "2 has left again, 7 and what follows may be on its way");
        board.find_missing(at(1001), true);
        assert_eq!(again(&mut board, at(2000)), [2, 7, 8, 9]);
    }

    #[test]
    fn what_came_is_not_sent_again_and_acknowledges_once() {
        let mut board = sent(6);
        board.acknowledge(1, [(4, 5)].into_iter());
        board.find_missing(at(1000), false);
        let news = board.acknowledge(3, [(4, 5)].into_iter());
        assert_eq!((news.bytes, board.first(), board.outstanding()), (200, 3, 3));
        assert_eq!(again(&mut board, at(1000)), [3]);
        // What left twice tells nothing of the round trip.
        assert_eq!(board.acknowledge(5, [].into_iter()), News { bytes: 200, newest_sent: None });
        assert!(!board.has_missing());
    }

    #[test]
    fn what_was_never_sent_is_not_acknowledged() {
        let mut board = sent(2);
        assert!(board.can_have(2) && !board.can_have(3));
        assert_eq!(board.acknowledge(0, [(1, u64::MAX), (9, 3)].into_iter()).bytes, 0);
        assert_eq!((board.outstanding(), board.highest), (2, 2));
    }
}
