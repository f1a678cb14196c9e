//! Slot: what silence means.

use core::fmt::Debug;

use hopwright_machine::{Duration, Time};

use super::{Ack, Part, Sign};
use crate::view::Public;

mod eifel;
mod fixed_rto;
mod frto;
mod granularity;
mod ns2_ticks;
mod probe;
mod rfc6298;
mod undo;

use crate::params::Knob;

pub use eifel::EIFEL;
pub use fixed_rto::FIXED_RTO;
pub use frto::FRTO;
pub use granularity::Granularity;
pub use ns2_ticks::NS2_TICKS;
pub use probe::PROBE;
pub use rfc6298::RFC6298;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Timeout>] = &[RFC6298, NS2_TICKS, FRTO, EIFEL, FIXED_RTO, PROBE];

/// The original DAA is reported to wait five times as long (de Oliveira and Braun 2005; unverified).
const RTO_FACTOR: Knob = Knob::real(
    "rto_factor",
    "",
    1.0,
    1.0..=1e3,
    "factor by which a measured RTO is longer, within its bounds (original DAA: 5, unverified)",
);

/// Keeps the retransmission time-out.
pub trait Timeout: Debug + Send {
    /// The connection is open. `p.syn_resent` tells whether the SYN had to be sent again.
    fn on_open(&mut self, p: &Public);

    /// Called once per ACK that advances or duplicates, also for the SYN's. Returns what it says about the last
    /// time-out.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict;

    /// The timer expired. Returns when it is to expire instead, if this is too early.
    fn waits(&self, _p: &Public) -> Option<Time> {
        None
    }

    /// The timer expired; nothing was cut yet. Returns what it means.
    fn on_expiry(&mut self, p: &Public) -> Expiry;

    /// An acknowledgement came after `Expiry::Probe`. What it left unacknowledged is sent again; returns the windows for
    /// that: congestion window and threshold, in bytes.
    fn on_answer(&mut self, p: &Public) -> (f64, f64) {
        (p.cwnd, p.ssthresh)
    }

    /// The expiry was answered as one that doubles the time-out (RFC 6298 §5.5).
    fn back_off(&mut self, p: &Public);

    /// The time-out shall be this, within its bounds: what was backed off is forgotten.
    fn set_rto(&mut self, rto: Duration);

    /// The time-out is no longer backed off.
    fn end_back_off(&mut self) {}

    /// The smoothed round-trip time and its variation shall be this, and the time-out follow from them.
    fn set_smoothed(&mut self, _srtt: Duration, _rttvar: Duration) {}

    /// The mechanism was put into a running connection: takes the estimate over from what everybody can see.
    fn adopt(&mut self, p: &Public);

    /// What the timer is armed with, and what it is made of.
    fn estimate(&self) -> Estimate;

    /// When a timer armed for `at` fires.
    fn fires(&self, at: Time) -> Time;
}

/// A time-out stretched by `rto_factor`.
fn times(rto: Duration, factor: f64) -> Duration {
    if factor > 1.0 { Duration::from_secs_f64(rto.as_secs_f64() * factor) } else { rto }
}

/// What it means that the timer expired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expiry {
    /// Something is lost.
    Lost(Sign),
    /// Nothing yet: a segment without data asks the peer for an acknowledgement, and nothing else leaves before one
    /// comes. The timer starts over.
    Probe,
}

/// What an acknowledgement says about the last time-out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// Nothing.
    Nothing,
    /// It may have been spurious: up to so many new segments leave instead of old ones, whatever the congestion
    /// window says, to find out.
    TryNew(u32),
    /// It was not: what was outstanding is sent again, with a congestion window of so many bytes at most.
    Genuine(f64),
    /// It was spurious: nothing is sent again.
    Spurious {
        /// What the congestion window and the threshold become, in bytes; `None` if they stay as they were cut.
        windows: Option<(f64, f64)>,
    },
    /// Not the last time-out, but the last fast retransmit was needless: that is counted.
    Needless,
}

/// What a mechanism that wraps another timer, its field of this name, leaves to that.
macro_rules! passes_on {
    ($timer:ident) => {
        fn on_open(&mut self, p: &Public) {
            self.$timer.on_open(p);
        }

        fn set_rto(&mut self, rto: Duration) {
            self.$timer.set_rto(rto);
        }

        fn end_back_off(&mut self) {
            self.$timer.end_back_off();
        }

        fn set_smoothed(&mut self, srtt: Duration, rttvar: Duration) {
            self.$timer.set_smoothed(srtt, rttvar);
        }

        fn adopt(&mut self, p: &Public) {
            self.$timer.adopt(p);
        }

        fn estimate(&self) -> Estimate {
            self.$timer.estimate()
        }

        fn fires(&self, at: Time) -> Time {
            self.$timer.fires(at)
        }
    };
}
use passes_on;

/// The state of the timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// Smoothed round-trip time; `None` before the first measurement.
    pub srtt: Option<Duration>,
    /// Its variation.
    pub rttvar: Duration,
    /// The time-out, backed off and bounded.
    pub rto: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::{Params, Value};

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// What the timer says after everything that can happen to it, one after the other.
    fn course(part: &Part<dyn Timeout>) -> Vec<(Estimate, Time)> {
        let mut params = Params::default();
        params.set("rto_factor", Value::Number(2.0)).unwrap();
        let mut timer = (part.build)(&params);
        let segment = empty_segment();
        let p = Public { una: 1, max: 1001, ..Public::default() };
        let first = Public { consecutive_timeouts: 1, ..p.clone() };
        let measured = Ack { rtt: Some(ms(100)), ..Ack::bare(AckKind::Advance, 1000, &segment) };
        let mut course = vec![];
        let mut step = |act: &mut dyn FnMut(&mut dyn Timeout)| {
            act(timer.as_mut());
            course.push((timer.estimate(), timer.fires(Time::ZERO + Duration::from_micros(1_234_567))));
        };
        step(&mut |t| t.on_open(&Public { syn_resent: true, ..p.clone() }));
        step(&mut |t| assert_eq!(t.on_ack(&p, &measured), Verdict::Nothing));
        step(&mut |t| t.back_off(&first));
        step(&mut |t| t.end_back_off());
        step(&mut |t| t.back_off(&first));
        step(&mut |t| t.set_rto(ms(777)));
        step(&mut |t| t.set_smoothed(ms(300), ms(30)));
        step(&mut |t| t.adopt(&Public { srtt: Some(ms(50)), rttvar: ms(9), rto: ms(999), ..p.clone() }));
        course
    }

    #[test]
    fn what_wraps_a_timer_passes_everything_on() {
        let plain = course(&RFC6298);
        assert!(plain.windows(2).all(|pair| pair[0] != pair[1]), "every step tells: {plain:?}");
        for part in [FRTO, EIFEL, FIXED_RTO] {
            assert_eq!(course(&part), plain, "{part:?}");
        }
    }
}
