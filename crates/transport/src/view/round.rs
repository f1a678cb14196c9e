//! Measurements once per round trip: from the sending of a segment to its acknowledgement.
//!
//! Spec      Brakmo and Peterson 1995 §3.3 (a round, its mean delay, what was sent in it; BaseRTT);
//!           ns-2 Agent/TCP/Vegas for the two ways in which the base moves
//! Deviates  nothing
//! Holds     kept only for mechanisms that need it; between two ends of rounds only `has_ended` changes

use hopwright_machine::{Duration, Time};

/// The round trip that ended last.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Whether it ended with the event at hand.
    pub has_ended: bool,
    /// How many have ended.
    pub number: u64,
    /// Mean of the delays measured in it; its length if there was none.
    pub mean: Duration,
    /// The shortest of them; its length if there was none.
    pub shortest: Duration,
    /// How many delays were measured in it.
    pub samples: u32,
    /// How long it took.
    pub length: Duration,
    /// Bytes that left for the first time in it.
    pub sent: u64,
    /// Bytes that were acknowledged in it.
    pub acked: u64,
    /// Vegas' BaseRTT: the shortest delay or mean so far, raised by a round in which a single segment was on its
    /// way. `None` before the first.
    pub base: Option<Duration>,
    /// The base when the round had just ended: without the delay that the acknowledgement which ended it shows.
    pub base_then: Duration,
    /// What left before says nothing of the base.
    pub(crate) since: Time,
    pub(crate) current: Current,
}

/// The round that goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Current {
    /// Whether some of it says nothing of the base.
    is_stale: bool,
    /// It ends when the byte at this offset is acknowledged.
    until: u64,
    began: Time,
    una: u64,
    sum: Duration,
    shortest: Option<Duration>,
    samples: u32,
}

impl Round {
    /// The handshake took so long: a base to begin with.
    pub(crate) const fn on_open(&mut self, rtt: Option<Duration>) {
        self.base = rtt;
    }

    /// The path is another one from now on: what the base was measured on is gone, and what left before says nothing.
    pub(crate) const fn forget_base(&mut self, now: Time) {
        self.base = None;
        self.since = now;
        self.current.is_stale = true;
    }

    /// Begins with what is sent next.
    pub(crate) fn begin(&mut self, now: Time, una: u64, nxt: u64) {
        self.current = Current { until: nxt, began: now, una, ..Current::default() };
    }

    /// Everything before `una` is acknowledged; `nxt` is next to send. `delay`: of the newest segment.
    pub(crate) fn on_ack(&mut self, now: Time, una: u64, nxt: u64, mss: u32, delay: Option<Duration>) {
        if una > self.current.until {
            self.end(now, una, nxt, mss);
            self.begin(now, una, nxt);
        }
        if let Some(delay) = delay {
            let c = &mut self.current;
            c.sum += delay;
            c.samples += 1;
            c.shortest = Some(c.shortest.map_or(delay, |shortest| shortest.min(delay)));
            if self.since + delay <= now {
                self.base = Some(self.base.map_or(delay, |base| base.min(delay)));
            } else {
                c.is_stale = true;
            }
        }
    }

    fn end(&mut self, now: Time, una: u64, nxt: u64, mss: u32) {
        let c = &self.current;
        self.has_ended = true;
        self.number += 1;
        self.length = now.since(c.began);
        self.samples = c.samples;
        self.mean =
            if c.samples > 0 { Duration::from_nanos(c.sum.as_nanos() / u64::from(c.samples)) } else { self.length };
        self.shortest = c.shortest.unwrap_or(self.length);
        self.sent = nxt.saturating_sub(c.until);
        self.acked = una.saturating_sub(c.una);
        if !c.is_stale
            && self.mean > Duration::ZERO
            && (self.base.is_none_or(|b| self.mean < b) || self.sent <= u64::from(mss))
        {
            self.base = Some(self.mean);
        }
        self.base_then = self.base.unwrap_or(self.mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_round_lasts_until_what_was_next_is_acknowledged() {
        let mut round = Round::default();
        let at = |t| Time::ZERO + ms(t);
        round.begin(at(0), 1, 1);
        round.on_ack(at(100), 1001, 2001, 1000, Some(ms(100)));
        assert!(round.has_ended);
        assert_eq!((round.number, round.length, round.sent, round.acked), (1, ms(100), 2000, 1000));
        round.has_ended = false;
        round.on_ack(at(110), 2001, 4001, 1000, Some(ms(110)));
        assert!(!round.has_ended);
        round.on_ack(at(200), 3001, 6001, 1000, Some(ms(90)));
        assert_eq!((round.number, round.mean, round.shortest, round.samples), (2, ms(105), ms(100), 2));
        assert_eq!((round.sent, round.base), (4000, Some(ms(90))));
    }
}
