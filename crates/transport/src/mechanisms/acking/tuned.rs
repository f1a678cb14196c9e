//! One acknowledgement per period that the sender asks for, whatever arrives (tuned rate).
//!
//! Spec      Velayutham 2005 §2.5.3.1, §2.5.3.2 (the period travels with the data; one acknowledgement per period)
//! Deviates  how the sender finds the period is left open: here it is a part of the smoothed round trip. Nor does the
//!           document say when a receiver that hears nothing stops; here after `tuned_repeats` acknowledgements that
//!           tell nothing new, fewer than a sender takes for a loss. RFC 5681 §4.2 would have segments out of order
//!           answered at once. Velayutham's acknowledgements were selective: set `selective_acks`, and read them
//! Holds     the engine's own acknowledgements (of a FIN, of a probe) apart, never more than one per period; the
//!           first segment after a silence is answered as soon as that allows

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Extra;

use super::{Acking, Arrival, LONGEST, Leaving, When};
use crate::mechanisms::{Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const TUNED: Part<dyn Acking> =
    Part::<dyn Acking>::new("tuned", "Velayutham 2005 §2.5.3.2", |p| Box::new(Tuned::new(p)))
        .needing(Needs::REQUESTS)
        .with_knobs(&[PER_RTT, INITIAL, REPEATS]);

const PER_RTT: Knob = Knob::count(
    "tuned_acks_per_rtt",
    "",
    4,
    2..=1000, // with one, the wait would be part of the round trip that it is made of, and grow
    "number of acknowledgements per smoothed round trip for which the sender asks",
);
const INITIAL: Knob = Knob::real(
    "tuned_initial_ms",
    "ms",
    100.0,
    1.0..=500.0,
    "period of acknowledgements for which the sender asks before a round trip is known",
);
const REPEATS: Knob = Knob::count(
    "tuned_repeats",
    "",
    2,
    0..=1_000_000,
    "number of acknowledgements in a row that the receiver still sends when no more segments come",
);

/// The shortest period asked for.
const SHORTEST: Duration = Duration::from_millis(1);

#[derive(Debug)]
struct Tuned {
    per_rtt: u64,
    initial: Duration,
    repeats: u32,
    /// The period that the peer asked for last; `None` before.
    period: Option<Duration>,
    /// When the last acknowledgement left.
    last: Option<Time>,
    /// Whether data came since.
    has_news: bool,
    /// Acknowledgements in a row that told nothing new.
    repeated: u32,
}

impl Tuned {
    fn new(p: &Params) -> Self {
        Self {
            per_rtt: u64::from(p.count(&PER_RTT)),
            initial: Duration::from_secs_f64(p.number(&INITIAL) / 1e3),
            repeats: p.count(&REPEATS),
            period: None,
            last: None,
            has_news: false,
            repeated: 0,
        }
    }

    fn next(&self, now: Time) -> Time {
        self.last.map_or(now, |last| last + self.period.unwrap_or(self.initial))
    }
}

impl Acking for Tuned {
    fn on_data(&mut self, arrival: &Arrival) -> When {
        if let Some(us) = arrival.extra.ack_period_us() {
            self.period = Some(Duration::from_micros(u64::from(us)).max(SHORTEST).min(LONGEST));
        }
        self.has_news = true;
        let next = self.next(arrival.now);
        if next > arrival.now { When::By(next) } else { When::Now }
    }

    fn on_ack_sent(&mut self, now: Time) -> Option<Time> {
        self.period?; // the peer has never sent data, or asks for nothing
        self.repeated = if self.has_news { 0 } else { self.repeated + 1 };
        self.has_news = false;
        self.last = Some(now);
        (self.repeated < self.repeats).then(|| self.next(now))
    }

    fn request(&mut self, p: &Public, _leaving: &Leaving, extra: &mut Extra) {
        let period = p.srtt.map_or(self.initial, |srtt| Duration::from_nanos(srtt.as_nanos() / self.per_rtt));
        extra.set_ack_period_us((period.max(SHORTEST).min(LONGEST).as_nanos() / 1000) as u32);
    }
}
