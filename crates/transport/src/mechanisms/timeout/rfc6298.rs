//! The standard retransmission timer, with a clock of stated granularity.
//!
//! Spec      RFC 6298; under `heartbeat`, times in ticks and deadlines on ticks (Papanastasiou 2006 §2.1.1)
//! Deviates  the lower bound is a parameter (RFC 6298 §2.4 asks for one second); it is applied before backing
//!           off. `granularity_mode = "ns2"` hands over to the scaled-integer arithmetic of `ns2-ticks`
//! Holds     back-off ends with the next valid measurement, not before (Karn, §3)

use hopwright_machine::{Duration, Time};

use super::ns2_ticks::Ns2Ticks;
use super::{Estimate, Expiry, Granularity, RTO_FACTOR, Timeout, Verdict, times};
use crate::mechanisms::{Ack, Part, Sign};
use crate::params::{GranularityMode, Params};
use crate::view::Public;

/// See the file's header.
pub const RFC6298: Part<dyn Timeout> = Part::<dyn Timeout>::new("rfc6298", "RFC 6298", build).with_knobs(&[RTO_FACTOR]);

pub(super) fn build(p: &Params) -> Box<dyn Timeout> {
    match p.granularity_mode {
        GranularityMode::Ns2 => Box::new(Ns2Ticks::new(p)),
        GranularityMode::Heartbeat | GranularityMode::Exact => Box::new(Rfc6298::new(p)),
    }
}

/// RTO after the handshake if its SYN was lost (§5.7).
const AFTER_LOST_SYN: Duration = Duration::from_secs(3);

#[derive(Debug)]
struct Rfc6298 {
    clock: Granularity,
    granularity: Duration,
    min: Duration,
    max: Duration,
    factor: f64,
    /// Smoothed RTT and its variation, in nanoseconds.
    smoothed: Option<(u64, u64)>,
    base: Duration,
    backoff: u64,
}

impl Rfc6298 {
    fn new(p: &Params) -> Self {
        Self {
            clock: Granularity::new(p),
            granularity: p.granularity,
            min: p.min_rto,
            max: p.max_rto,
            factor: p.number(&RTO_FACTOR),
            smoothed: None,
            base: p.initial_rto,
            backoff: 1,
        }
    }

    /// §2.2, §2.3.
    fn measure(&mut self, rtt: Duration) {
        let r = rtt.as_nanos();
        let (srtt, rttvar) = match self.smoothed {
            None => (r, r / 2),
            Some((srtt, rttvar)) => ((7 * srtt + r) / 8, (3 * rttvar + srtt.abs_diff(r)) / 4),
        };
        self.settle(srtt, rttvar);
    }

    fn settle(&mut self, srtt: u64, rttvar: u64) {
        self.smoothed = Some((srtt, rttvar));
        let spread = self.granularity.max(Duration::from_nanos(4 * rttvar));
        self.base = times(Duration::from_nanos(srtt) + spread, self.factor).max(self.min);
        self.backoff = 1;
    }
}

impl Timeout for Rfc6298 {
    fn on_open(&mut self, p: &Public) {
        if p.syn_resent && self.smoothed.is_none() {
            self.base = self.base.max(AFTER_LOST_SYN);
            self.backoff = 1;
        }
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        if let Some(rtt) = ack.rtt {
            self.measure(self.clock.measured(p.now, rtt));
        }
        Verdict::Nothing
    }

    fn on_expiry(&mut self, _p: &Public) -> Expiry {
        Expiry::Lost(Sign::Silence)
    }

    fn back_off(&mut self, _p: &Public) {
        if self.base * self.backoff < self.max {
            self.backoff *= 2; // §5.5
        }
    }

    fn set_rto(&mut self, rto: Duration) {
        self.base = rto.max(self.min).max(self.granularity); // scaled again and again it would be nothing
        self.backoff = 1;
    }

    fn end_back_off(&mut self) {
        self.backoff = 1;
    }

    fn set_smoothed(&mut self, srtt: Duration, rttvar: Duration) {
        self.settle(srtt.as_nanos(), rttvar.as_nanos());
    }

    fn adopt(&mut self, p: &Public) {
        self.smoothed = p.srtt.map(|srtt| (srtt.as_nanos(), p.rttvar.as_nanos()));
        self.set_rto(p.rto);
    }

    fn estimate(&self) -> Estimate {
        Estimate {
            srtt: self.smoothed.map(|(srtt, _)| Duration::from_nanos(srtt)),
            rttvar: self.smoothed.map_or(Duration::ZERO, |(_, rttvar)| Duration::from_nanos(rttvar)),
            rto: (self.base * self.backoff).min(self.max),
        }
    }

    fn fires(&self, at: Time) -> Time {
        self.clock.fires(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn exact() -> Rfc6298 {
        Rfc6298::new(&Params { granularity_mode: GranularityMode::Exact, ..Params::default() })
    }

    #[test]
    fn two_measurements() {
        let mut timer = exact();
        timer.measure(ms(100));
        assert_eq!(timer.estimate(), Estimate { srtt: Some(ms(100)), rttvar: ms(50), rto: ms(300) });
        timer.measure(ms(200));
        let expected = Estimate {
            srtt: Some(Duration::from_micros(112_500)),
            rttvar: Duration::from_micros(62_500),
            rto: Duration::from_micros(362_500),
        };
        assert_eq!(timer.estimate(), expected);
    }

    fn gaps(timer: &mut dyn Timeout, n: usize) -> Vec<u64> {
        let expire = |_| {
            let gap = timer.estimate().rto;
            timer.back_off(&Public::default());
            gap.as_nanos() / 1_000_000
        };
        (0..n).map(expire).collect()
    }

    #[test]
    fn the_lower_bound_comes_before_the_back_off() {
        let mut timer = exact();
        timer.measure(ms(40)); // srtt 40, four deviations 80
        assert_eq!(gaps(&mut timer, 4), [200, 400, 800, 1600]);
    }

    #[test]
    fn back_off_doubles_up_to_the_bound() {
        let mut timer = exact();
        timer.measure(ms(100));
        assert_eq!(gaps(&mut timer, 10), [300, 600, 1200, 2400, 4800, 9600, 19_200, 38_400, 60_000, 60_000]);
    }

    #[test]
    fn a_measurement_ends_the_back_off() {
        let mut timer = exact();
        timer.measure(ms(100));
        gaps(&mut timer, 3);
        timer.measure(ms(100));
        assert!(timer.estimate().rto < ms(300));
    }

    #[test]
    fn a_time_out_that_is_given_keeps_to_the_bounds() {
        let mut timer = exact();
        timer.measure(ms(100));
        for (given, kept) in [(250, 250), (10, 200), (0, 200), (70_000, 60_000)] {
            timer.set_rto(ms(given));
            assert_eq!(timer.estimate().rto, ms(kept));
        }
        timer.set_rto(ms(10));
        assert_eq!(gaps(&mut timer, 2), [200, 400]);
    }

    #[test]
    fn a_lost_syn_means_three_seconds() {
        let mut timer = exact();
        gaps(&mut timer, 1);
        timer.on_open(&Public { syn_resent: true, ..Public::default() });
        assert_eq!(timer.estimate().rto, Duration::from_secs(3));
    }

    /// §2.2: RTO = SRTT + max(G, K RTTVAR), K = 4.
    #[test]
    fn the_clock_adds_a_tick_at_least() {
        let mut timer = Rfc6298 { granularity: ms(100), ..exact() };
        timer.set_smoothed(ms(400), ms(24));
        assert_eq!(timer.estimate(), Estimate { srtt: Some(ms(400)), rttvar: ms(24), rto: ms(500) });
        timer.set_smoothed(ms(400), ms(26));
        assert_eq!(timer.estimate().rto, ms(504));
    }

    /// §2.3: SRTT = 7/8 SRTT + 1/8 R', RTTVAR = 3/4 RTTVAR + 1/4 |SRTT - R'|.
    #[test]
    fn what_was_measured_before_is_handed_over() {
        let mut timer = exact();
        timer.adopt(&Public { srtt: Some(ms(160)), rttvar: ms(40), rto: ms(2000), ..Public::default() });
        assert_eq!(timer.estimate(), Estimate { srtt: Some(ms(160)), rttvar: ms(40), rto: ms(2000) });
        timer.measure(ms(80));
        assert_eq!(timer.estimate(), Estimate { srtt: Some(ms(150)), rttvar: ms(50), rto: ms(350) });
    }

    #[test]
    fn without_a_measurement_the_next_is_the_first() {
        let mut timer = exact();
        timer.adopt(&Public { rto: ms(1000), ..Public::default() });
        assert_eq!(timer.estimate(), Estimate { srtt: None, rttvar: Duration::ZERO, rto: ms(1000) });
        timer.measure(ms(100));
        assert_eq!(timer.estimate().rto, ms(300));
    }

    /// §5.7: the 3 s are of a lost SYN alone, of which nothing was measured, and no less than what was there.
    #[test]
    fn only_a_lost_syn_that_nobody_timed_means_three_seconds() {
        let opened = |timer: &mut Rfc6298, syn_resent| {
            timer.on_open(&Public { syn_resent, ..Public::default() });
            timer.estimate().rto
        };
        assert_eq!(opened(&mut exact(), false), ms(1000)); // §2.1
        let mut timed = exact();
        timed.measure(ms(100));
        assert_eq!(opened(&mut timed, true), ms(300));
        let mut long = exact();
        long.set_rto(ms(5000));
        assert_eq!(opened(&mut long, true), ms(5000));
    }

    #[test]
    fn a_back_off_ends_when_told() {
        let mut timer = exact();
        timer.measure(ms(100));
        gaps(&mut timer, 3);
        timer.end_back_off();
        assert_eq!(timer.estimate().rto, ms(300));
    }
}
