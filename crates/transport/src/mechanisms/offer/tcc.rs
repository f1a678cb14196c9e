//! TCP contention control: the receiver offers what the path carries without its links contending more.
//!
//! Spec      Hamadani and Rakocevic §IV a: figure 7, equations 3 to 5
//! Deviates  decided here: the paper speaks of round trips at the receiver and does not say how it knows one. It is the
//!           echo of the timestamps, and without them the time in which what was offered has come. That is a bound from
//!           above: while the sender's own window is smaller, it is several round trips, for a receiver is not told that
//!           window. So the offer changes at its peer's pace or more slowly, never while the last change is on its way,
//!           which is what the paper has every second round trip for. `tcc_round_trip` has the second hold with timestamps,
//!           too, so that one can be told from what timestamps do for the sender. The window begins with `tcc_initial_segments` and
//!           does not grow beyond the buffer, where it would mean nothing. Offered are whole segments: a sender sends no
//!           parts, and steps of a part would leave less than two
//! Holds     - never below two segments (§IV a: so that delayed acknowledgements are not waited for), unless the
//!             buffer is fuller than that
//!           - changes at the end of every second round trip, by what the last one brought against the one before

use hopwright_machine::{Duration, Time};
use hopwright_wire::stamp::Fact;

use super::{Delivery, Offer, Receiver};
use crate::mechanisms::Part;
use crate::params::{Knob, Params};

/// See the file's header.
pub const TCC: Part<dyn Offer> =
    Part::<dyn Offer>::new("tcc", "Hamadani and Rakocevic §IV a", |p| Box::new(Tcc::new(p)))
        .reading(Fact::Contention)
        .with_knobs(&[INITIAL, ROUND_TRIP]);

const INITIAL: Knob = Knob::count(
    "tcc_initial_segments",
    "segments",
    2,
    2..=65535,
    "the offered window before the first comparison. The paper does not name a value",
);

const ROUND_TRIP: Knob = Knob::word(
    "tcc_round_trip",
    &["echo", "offered"],
    "how the receiver measures a round trip. echo: from the echoes of timestamps, and without timestamps as with offered. \
     offered: the time until all data that was offered has come. The paper does not say how a receiver knows a round trip",
);

/// The least offer, in segments.
const LEAST: f64 = 2.0;

#[derive(Debug)]
struct Tcc {
    mss: f64,
    /// Whether echoes tell how long a round trip is.
    heeds_echoes: bool,
    /// TCP_Contention, bytes.
    window: f64,
    /// The round trip under way.
    round: Option<Round>,
    /// The round trip before it, if that is the first of two.
    former: Option<Measured>,
    /// The round-trip time that the last echo showed.
    rtt: Option<Duration>,
}

/// A round trip under way.
#[derive(Clone, Copy, Debug)]
struct Round {
    since: Time,
    /// How far what was offered when it began reaches: a position in the peer's stream.
    offered: u64,
    bytes: u64,
    /// Contention delays per hop: their sum in seconds, and their number.
    delays: (f64, u32),
}

/// What a round trip has brought.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Measured {
    /// Bytes per second.
    throughput: f64,
    /// ACDH, seconds.
    contention: f64,
}

impl Tcc {
    fn new(params: &Params) -> Self {
        let mss = f64::from(params.segment_bytes);
        Self {
            mss,
            heeds_echoes: params.word(&ROUND_TRIP) == "echo",
            window: f64::from(params.count(&INITIAL)) * mss,
            round: None,
            former: None,
            rtt: None,
        }
    }

    /// What is offered, buffer permitting, bytes.
    fn whole_segments(&self) -> u64 {
        ((self.window / self.mss).floor() * self.mss) as u64
    }

    /// Takes a round trip into account.
    fn measured(&mut self, new: Measured, buffer: u64) {
        let Some(old) = self.former.take() else {
            self.former = Some(new);
            return;
        };
        let change = self.mss * self.mss / self.window;
        let window = match (new.throughput >= old.throughput, new.contention > old.contention) {
            (true, true) => self.window - change,
            (true, false) => self.window + self.mss,
            (false, true) => LEAST * self.mss,
            (false, false) => self.window + change,
        };
        self.window = window.min(buffer as f64).max(LEAST * self.mss);
    }
}

impl Offer for Tcc {
    fn on_data(&mut self, delivery: &Delivery) {
        if self.heeds_echoes {
            self.rtt = delivery.rtt.or(self.rtt);
        }
        let begin = Round {
            since: delivery.now,
            offered: delivery.next + self.whole_segments().min(delivery.buffer),
            bytes: 0,
            delays: (0.0, 0),
        };
        let Some(round) = &mut self.round else {
            self.round = Some(begin);
            return;
        };
        round.bytes += u64::from(delivery.new_bytes);
        if let Some((total, hops)) = delivery.stamp {
            let delay = Duration::from_nanos(total.as_nanos() / u64::from(hops.max(1)));
            round.delays.0 += delay.as_secs_f64();
            round.delays.1 += 1;
        }
        let length = delivery.now.since(round.since);
        let is_over = match self.rtt {
            Some(rtt) => length >= rtt,
            None => delivery.next >= round.offered && length > Duration::ZERO,
        };
        if is_over {
            let contention = if round.delays.1 == 0 { 0.0 } else { round.delays.0 / f64::from(round.delays.1) };
            let measured = Measured { throughput: round.bytes as f64 / length.as_secs_f64(), contention };
            self.round = Some(begin);
            self.measured(measured, delivery.buffer);
        }
    }

    fn window(&mut self, receiver: &Receiver) -> u64 {
        let mss = f64::from(receiver.mss);
        if mss != self.mss {
            self.window *= mss / self.mss; // with both ends' SYNs it is known what options leave of a segment
            self.mss = mss;
        }
        receiver.buffer.saturating_sub(receiver.unread).min(self.whole_segments())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MSS: f64 = 1000.0;

    fn tcc(segments: f64) -> Tcc {
        Tcc { window: segments * MSS, ..Tcc::new(&Params { segment_bytes: 1000, ..Params::default() }) }
    }

    fn after(segments: f64, old: (f64, f64), new: (f64, f64)) -> f64 {
        let mut tcc = tcc(segments);
        for (throughput, contention) in [old, new] {
            tcc.measured(Measured { throughput, contention }, 64_000);
        }
        tcc.window / MSS
    }

    #[test]
    fn the_four_cases_of_figure_7() {
        let old = (100.0, 0.010);
        assert_eq!(after(4.0, old, (100.0, 0.011)), 3.75); // no less comes, with more contention
        assert_eq!(after(4.0, old, (100.0, 0.010)), 5.0);
        assert_eq!(after(4.0, old, (99.0, 0.011)), 2.0);
        assert_eq!(after(4.0, old, (99.0, 0.010)), 4.25);
        assert_eq!(after(2.0, old, (100.0, 0.011)), 2.0);
        assert_eq!(after(64.0, old, (100.0, 0.010)), 64.0);
    }

    #[test]
    fn it_changes_every_second_round() {
        let mut tcc = tcc(4.0);
        let mut windows = Vec::new();
        for _ in 0..5 {
            tcc.measured(Measured { throughput: 1.0, contention: 0.0 }, 64_000);
            windows.push(tcc.window / MSS);
        }
        assert_eq!(windows, [4.0, 5.0, 5.0, 6.0, 6.0]);
    }

    /// A segment at a millisecond with this contention delay, on a path with or without timestamps.
    fn segment(ms: u64, n: u64, delay_ms: u64, rtt_ms: Option<u64>) -> Delivery {
        Delivery {
            now: Time::ZERO + Duration::from_millis(ms),
            new_bytes: 1000,
            next: 1 + 1000 * n,
            buffer: 64_000,
            rtt: rtt_ms.map(Duration::from_millis),
            stamp: Some((Duration::from_millis(2 * delay_ms), 2)),
        }
    }

    #[test]
    fn a_round_is_a_round_trip_or_a_window_of_data() {
        // Ten segments, of which the first opens the first round; two of them are a window.
        for (rtt, heeds_echoes, rounds) in [(Some(30), true, 3), (None, true, 4), (Some(30), false, 4)] {
            let mut tcc = Tcc { heeds_echoes, ..tcc(2.0) };
            let mut ended = 0;
            for n in 1..=10 {
                let before = tcc.round.map(|round| round.since);
                tcc.on_data(&segment(10 * n, n, 5, rtt));
                ended += u32::from(before.is_some() && tcc.round.map(|round| round.since) != before);
            }
            assert_eq!(ended, rounds, "{rtt:?}");
        }
    }

    #[test]
    fn contention_is_the_mean_of_a_round() {
        let mut tcc = tcc(2.0);
        // The first opens the round; the next two are it.
        for (n, delay) in [(1, 90), (2, 3), (3, 5)] {
            tcc.on_data(&segment(10 * n, n, delay, Some(20)));
        }
        let former = tcc.former.unwrap();
        assert!((former.contention - 0.004).abs() < 1e-12 && (former.throughput - 100_000.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn the_offer_is_never_below_two_segments(
            arrivals in prop::collection::vec((1u64..400, 0u64..3, 0u64..80, prop::option::of(1u64..500)), 1..300),
        ) {
            let mut tcc = tcc(2.0);
            let (mut ms, mut n) = (0, 0);
            for (gap, segments, delay, rtt) in arrivals {
                (ms, n) = (ms + gap, n + segments);
                tcc.on_data(&segment(ms, n, delay, rtt));
                let receiver = Receiver { now: Time::ZERO, buffer: 64_000, unread: 0, delivered: 0, mss: 1000 };
                prop_assert!((2000..=64_000).contains(&tcc.window(&receiver)));
                prop_assert_eq!(tcc.window(&Receiver { unread: 63_500, ..receiver }), 500);
            }
        }
    }
}
