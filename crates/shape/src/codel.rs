//! Controlled delay: a queue drops what has waited too long for too long.
//!
//! Spec      RFC 8289 §5 (pseudocode), with its constants
//! Deviates  nothing

use hopwright_machine::{Duration, Time};

/// Its constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codel {
    /// The wait that is acceptable (TARGET).
    pub target: Duration,
    /// For how long a longer one is (INTERVAL).
    pub interval: Duration,
}

impl Default for Codel {
    fn default() -> Self {
        Self { target: Duration::from_millis(5), interval: Duration::from_millis(100) }
    }
}

/// A packet taken from the head of the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<P> {
    pub(crate) packet: P,
    /// How long it was in the queue.
    pub(crate) waited: Duration,
    /// Whether what stays behind it is no more than the largest packet.
    pub(crate) is_last: bool,
}

/// Its state, with the names of the RFC.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    first_above_time: Option<Time>,
    drop_next: Time,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl State {
    /// The next packet to be sent. `take`: takes one from the head of the queue; what is dropped goes to `dropped`.
    pub(crate) fn deque<P>(
        &mut self,
        codel: &Codel,
        now: Time,
        mut take: impl FnMut() -> Option<Head<P>>,
        mut dropped: impl FnMut(P),
    ) -> Option<P> {
        let mut head = take();
        let ok_to_drop = self.ok_to_drop(codel, now, head.as_ref());
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                head.take().into_iter().for_each(|head| dropped(head.packet));
                self.count += 1;
                head = take();
                self.dropping = self.ok_to_drop(codel, now, head.as_ref());
                if self.dropping {
                    self.drop_next = control_law(codel, self.drop_next, self.count);
                }
            }
        } else if ok_to_drop {
            head.take().into_iter().for_each(|head| dropped(head.packet));
            head = take();
            self.ok_to_drop(codel, now, head.as_ref()); // the state is entered whatever this one is
            self.dropping = true;
            let delta = self.count - self.last_count;
            let is_recent = now.since(self.drop_next) < codel.interval * 16;
            self.count = if delta > 1 && is_recent { delta } else { 1 };
            self.drop_next = control_law(codel, now, self.count);
            self.last_count = self.count;
        }
        head.map(|head| head.packet)
    }

    /// The end of `dodequeue`: whether a packet just taken may be dropped.
    fn ok_to_drop<P>(&mut self, codel: &Codel, now: Time, head: Option<&Head<P>>) -> bool {
        let is_above = head.is_some_and(|head| head.waited >= codel.target && !head.is_last);
        if !is_above {
            self.first_above_time = None;
            return false;
        }
        now >= *self.first_above_time.get_or_insert(now + codel.interval)
    }
}

fn control_law(codel: &Codel, from: Time, count: u32) -> Time {
    from + Duration::from_secs_f64(codel.interval.as_secs_f64() / f64::from(count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times, ms, of the drops from a queue that is never empty, and whose packets have waited for so long; one leaves
    /// each millisecond.
    fn drops(waited_ms: impl Fn(u64) -> u64, until_ms: u64) -> Vec<u64> {
        let (mut state, mut times) = (State::default(), vec![]);
        for ms in 0..until_ms {
            let take = || Some(Head { packet: (), waited: Duration::from_millis(waited_ms(ms)), is_last: false });
            let sent =
                state.deque(&Codel::default(), Time::ZERO + Duration::from_millis(ms), take, |()| times.push(ms));
            assert!(sent.is_some());
        }
        times
    }

    #[test]
    fn what_waits_less_than_the_target_is_not_dropped() {
        assert!(drops(|_| 4, 10_000).is_empty());
        // Nor what waits longer for less than an interval at a time.
        assert!(drops(|ms| if ms % 100 < 99 { 50 } else { 4 }, 10_000).is_empty());
    }

    /// The first after an interval, the next ones an interval over the root of their number later.
    #[test]
    fn drops_come_faster_and_faster() {
        let mut at = 100.0;
        let law: Vec<u64> = (1..=20)
            .map(|n| {
                let now = at;
                at += 100.0 / f64::from(n).sqrt();
                now
            })
            .map(|at: f64| at.ceil() as u64)
            .collect();
        assert_eq!(drops(|_| 50, 1_000)[..law.len()], law);
    }

    #[test]
    fn a_pause_ends_it_and_what_comes_soon_after_is_dropped_at_the_former_rate() {
        let calm = 600..620;
        let times = drops(|ms| if calm.contains(&ms) { 1 } else { 50 }, 1_000);
        let after: Vec<u64> = times.iter().copied().filter(|ms| *ms >= 600).collect();
        assert_eq!(after[0], 720); // an interval after it began anew
        assert!(after[1] - after[0] < 50, "{after:?}"); // not an interval
    }

    #[test]
    fn the_last_packet_is_never_dropped() {
        let mut state = State::default();
        for ms in 0..10_000 {
            let take = || Some(Head { packet: (), waited: Duration::from_millis(500), is_last: true });
            let now = Time::ZERO + Duration::from_millis(ms);
            assert!(state.deque(&Codel::default(), now, take, |()| panic!("dropped")).is_some());
        }
    }
}
