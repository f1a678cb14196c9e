//! Flooded messages already seen.
//!
//! A node has one interface, so what RFC 3626 keeps per interface (D_iface_list, D_retransmitted) is said by
//! the tuple's existence: a message in the set has been considered for forwarding.
//!
//! Every node of a network keeps the messages of all others: in a large one this is most of its memory. So a message is
//! one bit at its originator, and four bytes in the list that says when it is forgotten.
//!
//! Spec      RFC 3626 §3.4
//! Deviates  nothing
//! Holds     a message is known for exactly the hold time

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};
use rustc_hash::FxHashMap;

/// The numbers of an originator's messages that are kept as bits: the newest, and those before it.
const WINDOW: u16 = 64;
/// More originators than this are not kept as bits.
const MOST_ORIGINATORS: usize = 1 << 25;

#[derive(Debug)]
pub(super) struct Duplicates {
    /// By originator: the newest number.
    newest: Vec<u16>,
    /// By originator: which numbers of the window are known, the bit of each at its remainder by 64.
    known: Vec<u64>,
    /// The messages that are known as bits, in the order in which they are forgotten.
    order: VecDeque<Entry>,
    /// Nanoseconds between those that are not forgotten together.
    gaps: VecDeque<u32>,
    /// When the first of them is forgotten, and when the last.
    first: Time,
    last: Time,
    /// What the lists cannot hold, which is rare: numbers far from each other, long silence. Never iterated.
    rest: FxHashMap<(usize, u16), Time>,
    next_purge: Time,
}

/// A message that is known as a bit: from the lowest bit on whether it is forgotten later than the one before, the
/// remainder of its number, its originator.
#[derive(Clone, Copy, Debug)]
struct Entry(u32);

impl Entry {
    const fn new(originator: usize, bit: u16, later: bool) -> Self {
        Self((originator as u32) << 7 | (bit as u32) << 1 | later as u32)
    }

    const fn originator(self) -> usize {
        (self.0 >> 7) as usize
    }

    const fn mask(self) -> u64 {
        1 << (self.0 >> 1 & 63)
    }

    const fn is_later(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Default for Duplicates {
    fn default() -> Self {
        Self {
            newest: Vec::new(),
            known: Vec::new(),
            order: VecDeque::new(),
            gaps: VecDeque::new(),
            first: Time::NEVER,
            last: Time::ZERO,
            rest: FxHashMap::default(),
            next_purge: Time::ZERO,
        }
    }
}

impl Duplicates {
    /// Whether the message has not been considered for forwarding yet; it is remembered for `hold`, which must be the
    /// same in every call.
    pub(super) fn is_new(&mut self, now: Time, hold: Duration, originator: usize, sequence: u16) -> bool {
        self.forget(now);
        if originator >= self.known.len() {
            self.make_room(originator);
        }
        let (newest, known) = (self.newest[originator], self.known[originator]);
        let ahead = sequence.wrapping_sub(newest);
        let is_behind = newest.wrapping_sub(sequence) < WINDOW;
        let bit = sequence % WINDOW;
        if is_behind && known >> bit & 1 == 1 {
            return false;
        }
        if !self.rest.is_empty() && self.rest.get(&(originator, sequence)).is_some_and(|&expiry| expiry > now) {
            return false;
        }
        // The window may move on to the number if it leaves nothing behind.
        let left = |ahead: u16| ((1 << ahead) - 1_u64).rotate_left(u32::from(newest.wrapping_add(1) % WINDOW));
        let has_room = known == 0 || is_behind || (ahead < WINDOW && known & left(ahead) == 0);
        let expiry = now + hold;
        let gap = if self.order.is_empty() { Ok(0) } else { u32::try_from(expiry.since(self.last).as_nanos()) };
        match gap {
            Ok(gap) if has_room && originator < MOST_ORIGINATORS => {
                if known == 0 || !is_behind {
                    self.newest[originator] = sequence;
                }
                self.known[originator] |= 1 << bit;
                self.append(expiry, gap, originator, bit);
            }
            _ => self.put_aside(now, hold, originator, sequence),
        }
        true
    }

    fn append(&mut self, expiry: Time, gap: u32, originator: usize, bit: u16) {
        if self.order.is_empty() {
            self.first = expiry;
        }
        if gap > 0 {
            grow(&mut self.gaps);
            self.gaps.push_back(gap);
        }
        self.last = expiry;
        grow(&mut self.order);
        self.order.push_back(Entry::new(originator, bit, gap > 0));
    }

    fn put_aside(&mut self, now: Time, hold: Duration, originator: usize, sequence: u16) {
        if now >= self.next_purge {
            self.rest.retain(|_, expiry| *expiry > now);
            self.next_purge = now + hold;
        }
        self.rest.insert((originator, sequence), now + hold);
    }

    /// Forgets the messages whose time is over.
    fn forget(&mut self, now: Time) {
        while self.first <= now {
            if let Some(entry) = self.order.pop_front() {
                self.known[entry.originator()] &= !entry.mask();
            }
            match self.order.front() {
                None => self.first = Time::NEVER,
                Some(next) if next.is_later() => {
                    self.first += Duration::from_nanos(self.gaps.pop_front().map_or(0, u64::from));
                }
                Some(_) => {}
            }
        }
    }

    #[cold]
    fn make_room(&mut self, originator: usize) {
        let more = originator + 1 - self.known.len();
        if originator >= self.known.capacity() {
            let room = more + 16 + originator / 4;
            self.known.reserve_exact(room);
            self.newest.reserve_exact(room);
        }
        self.known.resize(originator + 1, 0);
        self.newest.resize(originator + 1, 0);
    }
}

/// Makes room for one more, with less to spare than by doubling.
fn grow<T>(list: &mut VecDeque<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 16);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn at(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    #[test]
    fn a_message_is_known_for_the_hold_time() {
        let (a, b, hold) = (0, 1, Duration::from_secs(30));
        let mut duplicates = Duplicates::default();
        assert!(duplicates.is_new(at(1), hold, a, 7) && duplicates.is_new(at(2), hold, a, 8));
        assert!(!duplicates.is_new(at(6), hold, a, 7) && !duplicates.is_new(at(30), hold, a, 8));
        assert!(duplicates.is_new(at(6), hold, b, 7), "another originator");
        assert!(duplicates.is_new(at(31), hold, a, 7) && !duplicates.is_new(at(31), hold, a, 8));
    }

    #[test]
    fn a_message_of_a_busy_network_takes_a_few_bytes() {
        let hold = Duration::from_secs(30);
        let mut duplicates = Duplicates::default();
        for sequence in 0..60 {
            for originator in 0..1000 {
                let now = at(u64::from(sequence)) + Duration::from_millis(originator as u64 / 4 * 4);
                assert!(duplicates.is_new(now, hold, originator, sequence * 2));
            }
        }
        assert!(duplicates.rest.is_empty());
        assert_eq!((duplicates.order.len(), duplicates.gaps.len()), (30_000, 7_499));
        assert!(duplicates.order.capacity() < 38_000 && duplicates.gaps.capacity() < 9500);
    }

    /// Nearly always the next number or the last one, now and then any; time stands still, goes on, or leaps.
    fn arrivals() -> impl Strategy<Value = Vec<(u64, usize, u16, bool)>> {
        let wait_ms = prop_oneof![4 => Just(0), 4 => 0..300_u64, 1 => 0..10_000_u64, 1 => 4290..4300_u64];
        let step = prop_oneof![8 => 0..3_u16, 1 => 0..130_u16, 1 => any::<u16>()];
        prop::collection::vec((wait_ms, 0..3_usize, step, any::<bool>()), 1..400)
    }

    proptest! {
        /// What it says is what a set of messages with their expiries says.
        #[test]
        fn it_is_a_set_of_messages(arrivals in arrivals()) {
            let hold = Duration::from_secs(8);
            let (mut duplicates, mut set) = (Duplicates::default(), BTreeMap::<(usize, u16), Time>::new());
            let (mut now, mut numbers) = (Time::ZERO, [65_530_u16, 3, 30_000]);
            for (wait_ms, originator, step, back) in arrivals {
                now += Duration::from_millis(wait_ms);
                let number = &mut numbers[originator];
                *number = if back { number.wrapping_sub(step) } else { number.wrapping_add(step) };
                let known = set.get(&(originator, *number)).is_some_and(|&expiry| expiry > now);
                prop_assert_eq!(duplicates.is_new(now, hold, originator, *number), !known);
                if !known {
                    set.insert((originator, *number), now + hold);
                }
            }
        }
    }
}
