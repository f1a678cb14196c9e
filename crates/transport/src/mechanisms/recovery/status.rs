//! Complete status: what is missing is sent again, and once more whenever something that left later has come.
//!
//! Spec      SSCOP (ITU-T Q.2110) and STP (Henderson and Katz 1999): what a status reports as missing and was last sent
//!           before the poll it answers is sent again; WTCP (Sinha et al. 1999): again only when an acknowledgement of a
//!           later time still misses it. RFC 6675 §4 (`IsLost`) for what was sent once
//! Deviates  TCP's acknowledgements do not name the poll they answer. Here what left later is known by what the peer
//!           reports, as in RFC 8985 §6.2: a segment sent once that it has left later, or one sent again whose answer has
//!           had a round trip's time. Of what left at the same time the order counts in which it did. A status is as complete as the blocks that fit an acknowledgement.
//!           Of what was sent again no reordering is tolerated (RFC 8985 §6.2 waits a quarter of a round trip, once it has seen some)
//! Holds     as `sack` but for that: one cut in a recovery, the window never inflated. What left before the times of
//!           segments were kept is repaired as by `sack`

use hopwright_machine::{Duration, Time};

use super::sack::{Agreed, Sack, TIMER};
use super::{AFTER_TIMEOUT, Entry, Plan, RECOVER_TEST, Recovery, Release, Step};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::Params;
use crate::view::{Public, Sent};

/// See the file's header.
pub const STATUS: Part<dyn Recovery> =
    Part::<dyn Recovery>::new("status", "Henderson and Katz 1999", |p| Box::new(Agreed::new(p, Status::new(p))))
        .needing(Needs::SELECTIVE_ACKS.and(Needs::SENT_TIMES))
        .with_knobs(&[TIMER, RECOVER_TEST, AFTER_TIMEOUT]);

#[derive(Debug)]
struct Status {
    once: Sack,
    threshold: u32,
    /// The last silence: what left before and has not come is lost.
    silence: Time,
}

/// What is outstanding, looked at segment by segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Look {
    /// The first segment that must be sent again: where it begins, and ends.
    lost: Option<(u64, u64)>,
    /// Bytes believed to be in the network.
    outstanding: u64,
}

impl Status {
    fn new(params: &Params) -> Self {
        Self { once: Sack::new(params), threshold: params.dupack_threshold, silence: Time::ZERO }
    }

    fn look(&self, p: &Public) -> Look {
        let newest = self.newest(p);
        let most_kept = u64::from(self.threshold - 1) * u64::from(p.mss);
        let mut ranges = p.sacked.ranges().iter().rev().peekable();
        let (mut above, mut count) = (0, 0);
        let mut look = Look::default();
        for sent in p.sent.iter().rev() {
            while ranges.peek().is_some_and(|range| range.0 >= sent.end) {
                ranges.next();
            }
            match ranges.peek() {
                Some(range) if is_within(sent, **range) => {
                    count += usize::from(sent.start == range.0 || sent.start == p.una);
                    above += sent.end - sent.start;
                }
                _ if self.is_lost(sent, newest, count, above > most_kept) => look.lost = Some((sent.start, sent.end)),
                _ => look.outstanding += sent.end - sent.start,
            }
        }
        look
    }

    /// `ranges`: how many the peer holds beyond it, `has_many`: whether they are more than a few segments.
    fn is_lost(&self, sent: &Sent, newest: Option<(Time, u32)>, ranges: usize, has_many: bool) -> bool {
        if sent.at < self.silence {
            return true;
        }
        if sent.copies > 1 {
            return newest.is_some_and(|newest| newest > sent.left());
        }
        ranges >= self.threshold as usize || has_many
    }

    /// Whether what was sent again after a silence is lost once more: a loss to be answered, though not all that was
    /// outstanding then has come.
    fn is_lost_again(&self, p: &Public) -> bool {
        let first = p.sent.at(p.una);
        first.is_some_and(|sent| sent.copies > 1 && self.newest(p).is_some_and(|newest| sent.left() < newest))
    }

    /// When the newest of those left that the peer is known to have.
    fn newest(&self, p: &Public) -> Option<(Time, u32)> {
        let round_trip = p.srtt.unwrap_or(Duration::MAX);
        let mut ranges = p.sacked.ranges().iter().peekable();
        let mut newest = None;
        for sent in p.sent.iter() {
            while ranges.peek().is_some_and(|range| range.1 <= sent.start) {
                ranges.next();
            }
            let is_held = ranges.peek().is_some_and(|range| is_within(sent, **range));
            if is_held && (sent.copies == 1 || p.now.since(sent.at) >= round_trip) {
                newest = newest.max(Some(sent.left()));
            }
        }
        newest
    }
}

fn is_within(sent: &Sent, range: (u64, u64)) -> bool {
    range.0 <= sent.start && sent.end <= range.1
}

impl Recovery for Status {
    fn admits(&self, p: &Public) -> bool {
        self.once.admits(p) || (!p.is_recovering() && self.is_lost_again(p))
    }

    fn on_loss(&mut self, p: &Public) -> Entry {
        self.once.on_loss(p)
    }

    fn on_duplicate(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        self.once.on_duplicate(p, ack)
    }

    fn on_advance(&mut self, p: &Public, ack: &Ack<'_>) -> Step {
        self.once.on_advance(p, ack)
    }

    fn on_timeout(&mut self, p: &Public) {
        self.silence = p.now;
        self.once.on_timeout(p);
    }

    fn on_sent(&mut self, p: &Public, start: u64, end: u64) {
        self.once.on_sent(p, start, end);
    }

    fn restarts_timer(&self, p: &Public) -> bool {
        self.once.restarts_timer(p)
    }

    fn release(&self, p: &Public) -> Release {
        self.once.release(p)
    }

    fn plan(&mut self, p: &Public) -> Plan {
        if !p.is_recovering() || p.sent.at(p.una).is_none() {
            return self.once.plan(p);
        }
        let look = self.look(p);
        let (offset, end) = match look.lost {
            Some(lost) => lost,
            None if p.has_room_for_new => (p.max, u64::MAX),
            None => (u64::MAX, u64::MAX),
        };
        Plan { offset, end, outstanding: look.outstanding }
    }

    fn adopt(&mut self, p: &Public) {
        self.once.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Scoreboard, SentLog};

    const MSS: u32 = 1_000;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Where the segment of this number begins; the first is 1.
    fn position(number: u64) -> u64 {
        1 + (number - 1) * u64::from(MSS)
    }

    /// The segments 1 to 10 left a millisecond apart, 4 and 7 are missing, and a round trip takes 100 ms. `again`: what was
    /// sent again, and when.
    fn state(now_ms: u64, again: &[(u64, u64)]) -> Public {
        let mut sent = SentLog::default();
        for number in 4..=10 {
            sent.record(at(number), position(number), position(number + 1), position(number), MSS);
        }
        for &(number, ms) in again {
            sent.record(at(ms), position(number), position(number + 1), position(11), MSS);
        }
        let held = [(5, 7), (8, 11)].map(|(from, to)| (position(from), position(to)));
        Public {
            now: at(now_ms),
            mss: MSS,
            una: position(4),
            nxt: position(11),
            max: position(11),
            srtt: Some(Duration::from_millis(100)),
            sacked: Scoreboard::of(&held),
            sent,
            ..Public::default()
        }
    }

    fn lost(p: &Public) -> (Option<u64>, u64) {
        let look = Status::new(&Params::default()).look(p);
        (look.lost.map(|(start, _)| 1 + (start - 1) / u64::from(MSS)), look.outstanding / u64::from(MSS))
    }

    #[test]
    fn what_is_missing_is_sent_again_once_per_status() {
        assert_eq!(lost(&state(110, &[])), (Some(4), 0));
        assert_eq!(lost(&state(111, &[(4, 111)])), (Some(7), 1));
        assert_eq!(lost(&state(112, &[(4, 111), (7, 112)])), (None, 2));
    }

    #[test]
    fn what_left_before_something_that_has_come_is_lost_once_more() {
        let mut p = state(215, &[(4, 111)]);
        p.sent.record(at(120), position(11), position(12), position(11), MSS);
        p.max = position(12);
        assert_eq!(lost(&p), (Some(7), 2)); // 11 may still be on its way
        let held = [(5, 7), (8, 12)].map(|(from, to)| (position(from), position(to)));
        p.sacked = Scoreboard::of(&held);
        assert_eq!(lost(&p), (Some(4), 0));
    }

    /// Vector S2: 4 is sent again, 11 leaves in the same instant. 11 has come, so 4 is lost once more. Nor the
    /// other way round: what left in that instant before 4 tells nothing of it.
    #[test]
    fn of_what_left_in_the_same_instant_the_order_counts() {
        let held = [(5, 7), (8, 12)].map(|(from, to)| (position(from), position(to)));
        for (leave, again) in [([4, 11], Some(4)), ([11, 4], Some(7))] {
            let mut p = state(215, &[]);
            for number in leave {
                p.sent.record(at(111), position(number), position(number + 1), position(11), MSS);
            }
            // What is recorded beyond the log's end is new, whoever comes first.
            p.max = position(12);
            p.sacked = Scoreboard::of(&held);
            assert_eq!(lost(&p).0, again);
        }
    }

    #[test]
    fn what_left_before_a_silence_and_has_not_come_is_lost() {
        let mut status = Status::new(&Params::default());
        let mut p = state(400, &[(4, 400)]);
        p.sacked = Scoreboard::default();
        status.on_timeout(&Public { now: at(400), ..p.clone() });
        let look = status.look(&p);
        assert_eq!((look.lost, look.outstanding), (Some((position(5), position(6))), 1_000));
    }

    /// Whether what came is the copy sent again, its age tells.
    #[test]
    fn what_was_sent_again_counts_as_come_after_a_round_trip() {
        let seven_came = |now_ms| {
            let mut p = state(now_ms, &[(4, 111), (7, 112)]);
            p.sacked = Scoreboard::of(&[(position(5), position(11))]);
            lost(&p)
        };
        assert_eq!([seven_came(211), seven_came(212)], [(None, 1), (Some(4), 0)]);
    }
}
