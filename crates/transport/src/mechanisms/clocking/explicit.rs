//! Explicit capacity: a window per round trip leaves, whether acknowledgements arrive or not.
//!
//! Spec      Velayutham 2005 §2.5.1.2 (the sender works out a window from the number of packets acknowledged, and sends
//!           one window per round trip)
//! Deviates  the document gives no rules. Here an epoch lasts `explicit_epoch_srtt` smoothed round trips. Its window is
//!           the congestion window of the other slots (`explicit_window = "reno"`), or what was acknowledged in the
//!           epoch before and one segment (`acked`: the words of the document; before the first loss, and after
//!           silence, the congestion window, too). An epoch begins with the first segment that waits after the end of
//!           the former one
//! Holds     acknowledgements release nothing but what is sent again at once, which is taken from the window; what was
//!           lost leaves before what is new. A segment at least leaves per epoch. After a time-out a new epoch begins,
//!           with the window that is left; a clock that takes over begins with an epoch in which nothing leaves, for a
//!           window is on its way

use hopwright_machine::{Duration, Time};

use super::Clocking;
use super::paced::Paced;
use crate::mechanisms::Part;
use crate::params::{Knob, Params};
use crate::view::{Phase, Public};

/// See the file's header.
pub const EXPLICIT: Part<dyn Clocking> =
    Part::<dyn Clocking>::new("explicit", "Velayutham 2005 §2.5.1.2", |p| Box::new(Explicit::new(p)))
        .with_knobs(&[EPOCH, WINDOW, SPREAD]);

const EPOCH: Knob =
    Knob::real("explicit_epoch_srtt", "", 1.0, 0.1..=10.0, "length of an epoch in smoothed round-trip times");
const WINDOW: Knob = Knob::word(
    "explicit_window",
    &["reno", "acked"],
    "what the sender sends in an epoch: the congestion window, or as much as was acknowledged in the epoch before, plus one segment",
);
const SPREAD: Knob = Knob::word(
    "explicit_spread",
    &["burst", "even"],
    "whether the segments of an epoch leave all at once, or evenly spread over the epoch",
);

#[derive(Debug)]
struct Explicit {
    epoch: f64,
    by_acked: bool,
    is_even: bool,
    /// Length of an epoch before a round trip is known: the first time-out is about three.
    initial: Duration,
    /// When the epoch at hand ends.
    end: Time,
    /// What may still leave in it, and its window, in bytes.
    quota: f64,
    rate: f64,
    /// What the peer had when it began, in bytes.
    held: u64,
    /// Segments that are known to have left, and time-outs.
    seen: u64,
    timeouts: u64,
    paced: Paced,
}

impl Explicit {
    fn new(p: &Params) -> Self {
        Self {
            epoch: p.number(&EPOCH),
            by_acked: p.word(&WINDOW) == "acked",
            is_even: p.word(&SPREAD) == "even",
            initial: Duration::from_nanos(p.initial_rto.as_nanos() / 3),
            end: Time::ZERO,
            quota: 0.0,
            rate: f64::INFINITY,
            held: 0,
            seen: 0,
            timeouts: 0,
            paced: Paced::default(),
        }
    }

    fn length(&self, p: &Public) -> Duration {
        Duration::from_secs_f64(p.srtt.unwrap_or(self.initial).as_secs_f64() * self.epoch)
    }

    /// An epoch begins.
    fn begin(&mut self, p: &Public) {
        let length = self.length(p);
        self.end = p.now + length;
        let held = held(p);
        let is_first = matches!(p.phase(), Phase::SlowStart | Phase::Rto);
        let window =
            if self.by_acked && !is_first { held.saturating_sub(self.held) as f64 + f64::from(p.mss) } else { p.cwnd };
        self.held = held;
        self.quota = window.max(f64::from(p.mss));
        self.rate = if self.is_even { self.quota / length.as_secs_f64() } else { f64::INFINITY };
    }
}

/// Bytes that the peer is known to have.
fn held(p: &Public) -> u64 {
    p.acked_bytes + p.sacked.bytes()
}

impl Clocking for Explicit {
    fn burst(&mut self, _p: &Public) -> Option<u32> {
        None
    }

    fn departure(&mut self, p: &Public, bytes: u32) -> Time {
        let has_timed_out = p.timeouts > self.timeouts;
        self.timeouts = p.timeouts;
        if p.now >= self.end || has_timed_out {
            self.begin(p);
            self.seen = p.segments_sent.saturating_sub(u64::from(has_timed_out)); // what the time-out sent again counts
        }
        let unasked = p.segments_sent.saturating_sub(self.seen);
        self.quota -= unasked as f64 * f64::from(p.mss);
        self.seen = p.segments_sent;
        if self.quota < f64::from(bytes) {
            return self.end;
        }
        let next = self.paced.next(self.rate);
        if next > p.now {
            return next.min(self.end);
        }
        self.quota -= f64::from(bytes);
        self.seen += 1;
        self.paced.note(p.now, bytes);
        p.now
    }

    fn adopt(&mut self, p: &Public) {
        (self.held, self.seen, self.timeouts) = (held(p), p.segments_sent, p.timeouts);
        self.end = p.now + self.length(p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::mechanisms::testing::empty_segment;
    use crate::mechanisms::{Ack, AckKind, Cause, Sign, avoidance, response};

    const MSS: u32 = 1_000;

    fn clock(settings: &[(&str, &str)]) -> Explicit {
        let mut params = Params::default();
        for (name, word) in settings {
            params.set(name, Value::Word((*word).into())).unwrap();
        }
        Explicit::new(&params)
    }

    /// So many segments of window at this time, and a round trip of 100 ms.
    fn state(ms: u64, cwnd: u32) -> Public {
        Public {
            now: Time::ZERO + Duration::from_millis(ms),
            mss: MSS,
            cwnd: f64::from(cwnd * MSS),
            srtt: Some(Duration::from_millis(100)),
            doing: Phase::CongestionAvoidance,
            ..Public::default()
        }
    }

    /// How many segments leave at once, and when it may go on.
    fn leave(clock: &mut Explicit, p: &Public) -> (u32, Time) {
        let mut p = Public { segments_sent: clock.seen, ..p.clone() };
        let mut left = 0;
        loop {
            let next = clock.departure(&p, MSS);
            if next > p.now {
                return (left, next);
            }
            left += 1;
            p.segments_sent += 1;
        }
    }

    #[test]
    fn a_window_leaves_each_round_trip_without_an_acknowledgement() {
        let mut clock = clock(&[]);
        for epoch in 0..3 {
            let p = state(100 * epoch, 4);
            assert_eq!(leave(&mut clock, &p), (4, state(100 * (epoch + 1), 4).now));
            assert_eq!(leave(&mut clock, &state(100 * epoch + 50, 8)).0, 0, "an acknowledgement releases nothing");
        }
    }

    /// Where Reno's window is on average if of so many segments one is lost.
    fn renos(segments: u32) -> f64 {
        let params = Params::default();
        let (mut grows, mut halves) = ((avoidance::ADDITIVE.build)(&params), (response::HALVE.build)(&params));
        let segment = empty_segment();
        let ack = Ack::bare(AckKind::Advance, u64::from(MSS), &segment);
        let mut p = Public { una: 1, ..state(0, 4) };
        let mut round_trips = 0.0;
        for _ in 0..1_000 {
            for _ in 0..segments {
                round_trips += f64::from(MSS) / p.cwnd;
                p.cwnd += grows.on_ack(&p, &ack);
            }
            p.max = p.una + p.cwnd as u64;
            p.cwnd = halves.on_loss(&p, Sign::Duplicates, Cause::Congestion).cwnd;
        }
        f64::from(1_000 * segments) / round_trips
    }

    /// Vector X2: of ten segments sent eight are acknowledged, and nine may leave next. With 2 % and 5 % of losses the
    /// window comes to 50 and 20 segments, where Reno's is 8.66 and 5.48.
    #[test]
    fn what_was_acknowledged_and_a_segment_is_the_next_window() {
        let mut clock = clock(&[("explicit_window", "acked")]);
        let p = Public { doing: Phase::SlowStart, ..state(0, 10) };
        assert_eq!(leave(&mut clock, &p).0, 10);
        let p = Public { acked_bytes: 8_000, ..state(100, 40) };
        assert_eq!(leave(&mut clock, &p).0, 9);
        // With p lost of each window, W = (1 - p) W + 1 ends at 1 / p.
        for (loss, limit, reno) in [(0.02, 50.0, 8.66), (0.05, 20.0, 5.48)] {
            let mut clock = self::clock(&[("explicit_window", "acked")]);
            let (mut now, mut held, mut window) = (0, 0.0, 9.0);
            for _ in 0..1_000 {
                held += (1.0 - loss) * window * f64::from(MSS);
                let p = Public { acked_bytes: held as u64, segments_sent: clock.seen, ..state(now, 40) };
                clock.departure(&p, 1);
                window = (clock.quota + 1.0) / f64::from(MSS);
                now += 100;
            }
            assert!((window - limit).abs() < 0.01 * limit, "{window} for {limit}");
            let renos = renos((1.0 / loss) as u32);
            assert!((renos - reno).abs() < 0.01 * reno, "{renos} for {reno}");
        }
    }

    #[test]
    fn an_even_spread_takes_the_whole_epoch() {
        let mut clock = clock(&[("explicit_spread", "even")]);
        let mut times = vec![];
        let mut p = state(0, 4);
        while p.now < state(200, 0).now {
            let next = clock.departure(&p, MSS);
            if next > p.now {
                p.now = next;
            } else {
                times.push(p.now.as_nanos() / 1_000_000);
                p.segments_sent += 1;
            }
        }
        assert_eq!(times, [0, 25, 50, 75, 100, 125, 150, 175]);
    }

    #[test]
    fn what_leaves_unasked_is_taken_from_the_window_and_a_time_out_begins_a_new_one() {
        let mut clock = clock(&[]);
        assert_eq!(leave(&mut clock, &state(0, 4)).0, 4);
        let mut p = Public { segments_sent: 4, ..state(100, 4) };
        assert_eq!(clock.departure(&p, MSS), p.now);
        p.segments_sent += 3; // that one, and two that were sent again
        assert_eq!(clock.departure(&p, MSS), p.now);
        p.segments_sent += 1;
        assert_eq!(clock.departure(&p, MSS), state(200, 4).now);
        // A time-out sends one again; of a window of three, two are left.
        let p = Public { timeouts: 1, segments_sent: p.segments_sent + 1, ..state(150, 3) };
        assert_eq!(clock.departure(&p, MSS), p.now);
        assert_eq!(clock.departure(&Public { segments_sent: p.segments_sent + 1, ..p.clone() }, MSS), p.now);
        assert_eq!(clock.departure(&Public { segments_sent: p.segments_sent + 2, ..p }, MSS), state(250, 3).now);
    }

    #[test]
    fn one_that_takes_over_waits_for_a_round_trip() {
        let mut clock = clock(&[]);
        clock.adopt(&Public { segments_sent: 9, ..state(30, 4) });
        assert_eq!(leave(&mut clock, &state(40, 4)), (0, state(130, 4).now));
        assert_eq!(leave(&mut clock, &state(130, 4)).0, 4);
    }

    #[test]
    fn a_window_below_a_segment_lets_one_go() {
        assert_eq!(leave(&mut clock(&[]), &state(0, 0)).0, 1);
    }
}
