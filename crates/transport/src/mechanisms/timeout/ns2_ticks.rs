//! ns-2's retransmission timer: round-trip times in ticks, smoothed in scaled integers.
//!
//! Spec      ns-2.35 `rtt_update`, `rtt_timeout`, `rtt_backoff` with `rfc2988_`, as observed in its runs
//! Deviates  nothing
//! Holds     at least two ticks; the lower bound comes before the back-off; deadlines are not rounded to ticks

use hopwright_machine::{Duration, Time};

use super::{Estimate, Expiry, RTO_FACTOR, Timeout, Verdict, times};
use crate::mechanisms::{Ack, Part, Sign};
use crate::params::Params;
use crate::view::Public;

/// See the file's header.
pub const NS2_TICKS: Part<dyn Timeout> =
    Part::<dyn Timeout>::new("ns2-ticks", "ns-2.35", |p| Box::new(Ns2Ticks::new(p))).with_knobs(&[RTO_FACTOR]);

/// Beyond this multiple the smoothed RTT is no longer believed: it moves into the deviation, and the next
/// measurement starts afresh.
const BELIEVED_BACKOFF: u64 = 8;

#[derive(Debug)]
pub(super) struct Ns2Ticks {
    tick: Duration,
    phase: Duration,
    min: Duration,
    max: Duration,
    factor: f64,
    /// Eight times the smoothed RTT, in ticks; zero: none.
    srtt8: i64,
    /// Four times its variation, in ticks.
    rttvar4: i64,
    base: Duration,
    backoff: u64,
}

impl Ns2Ticks {
    pub(super) fn new(p: &Params) -> Self {
        Self {
            tick: p.granularity.max(Duration::from_nanos(1)),
            phase: p.granularity_phase,
            min: p.min_rto,
            max: p.max_rto,
            factor: p.number(&RTO_FACTOR),
            srtt8: 0,
            rttvar4: 0,
            base: p.initial_rto,
            backoff: 1,
        }
    }

    /// Ticks that pass during an RTT, counted from the tick before the sending.
    fn ticks(&self, now: Time, rtt: Duration) -> i64 {
        let sent = now.as_nanos().saturating_sub(rtt.as_nanos()) + self.phase.as_nanos();
        let into_tick = Duration::from_nanos(sent % self.tick.as_nanos());
        ((rtt + into_tick).whole(self.tick) as i64).max(1)
    }

    fn measure(&mut self, ticks: i64) {
        if self.srtt8 == 0 {
            self.srtt8 = ticks << 3;
            self.rttvar4 = ticks << 1;
        } else {
            let error = ticks - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + error).max(1);
            self.rttvar4 = (self.rttvar4 + error.abs() - (self.rttvar4 >> 2)).max(1);
        }
        self.settle();
    }

    fn settle(&mut self) {
        // Smoothed RTT plus four deviations, cut to whole ticks only after the sum.
        self.base = times(self.tick * (((self.rttvar4 << 3) + self.srtt8) >> 3) as u64, self.factor);
        self.backoff = 1;
    }

    fn rto(&self) -> Duration {
        (self.base.max(self.min) * self.backoff).min(self.max).max(self.tick * 2)
    }
}

impl Timeout for Ns2Ticks {
    fn on_open(&mut self, _p: &Public) {} // a lost SYN leaves its backed-off time-out to the first data

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        if let Some(rtt) = ack.rtt {
            self.measure(self.ticks(p.now, rtt));
        }
        Verdict::Nothing
    }

    fn on_expiry(&mut self, _p: &Public) -> Expiry {
        Expiry::Lost(Sign::Silence)
    }

    fn back_off(&mut self, _p: &Public) {
        if self.backoff < 64 || self.rto() < self.max {
            self.backoff *= 2;
        }
        if self.backoff > BELIEVED_BACKOFF {
            self.rttvar4 += self.srtt8 >> 3;
            self.srtt8 = 0;
        }
    }

    fn set_rto(&mut self, rto: Duration) {
        self.base = rto.max(self.min).max(self.tick).min(self.max.max(self.tick));
        self.backoff = 1;
    }

    fn end_back_off(&mut self) {
        self.backoff = 1;
    }

    fn set_smoothed(&mut self, srtt: Duration, rttvar: Duration) {
        self.srtt8 = ((srtt * 8).whole(self.tick) as i64).max(1);
        self.rttvar4 = ((rttvar * 4).whole(self.tick) as i64).max(1);
        self.settle();
    }

    fn adopt(&mut self, p: &Public) {
        self.srtt8 = p.srtt.map_or(0, |srtt| ((srtt * 8).whole(self.tick) as i64).max(1));
        self.rttvar4 = (p.rttvar * 4).whole(self.tick) as i64;
        self.set_rto(p.rto);
    }

    fn estimate(&self) -> Estimate {
        Estimate {
            srtt: (self.srtt8 > 0).then(|| self.tick * self.srtt8 as u64 / 8),
            rttvar: self.tick * self.rttvar4 as u64 / 4,
            rto: self.rto(),
        }
    }

    fn fires(&self, at: Time) -> Time {
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timer() -> Ns2Ticks {
        Ns2Ticks::new(&Params::ns2())
    }

    fn rto_ms(timer: &Ns2Ticks) -> u64 {
        timer.rto().as_nanos() / 1_000_000
    }

    #[test]
    fn scaled_integers() {
        let mut timer = timer();
        timer.measure(10);
        assert_eq!((timer.srtt8, timer.rttvar4, rto_ms(&timer)), (80, 20, 300));
        timer.measure(20);
        assert_eq!((timer.srtt8, timer.rttvar4, rto_ms(&timer)), (90, 25, 360));
    }

    #[test]
    fn an_rtt_counts_the_ticks_since_the_one_before_sending() {
        let timer = timer();
        let at = |us: u64| Time::ZERO + Duration::from_micros(us);
        assert_eq!(timer.ticks(at(33_000), Duration::from_micros(14_000)), 2); // sent 9 ms into its tick
        assert_eq!(timer.ticks(at(35_000), Duration::from_micros(14_000)), 1);
        assert_eq!(timer.ticks(at(5_000), Duration::from_micros(1_000)), 1); // never zero
    }

    #[test]
    fn the_first_time_out_is_three_seconds_and_the_bound_sixty() {
        let mut timer = timer();
        let mut gaps = vec![];
        for _ in 0..7 {
            gaps.push(rto_ms(&timer));
            timer.back_off(&Public::default());
        }
        assert_eq!(gaps, [3000, 6000, 12_000, 24_000, 48_000, 60_000, 60_000]);
    }

    #[test]
    fn no_bound_pushes_it_below_two_ticks() {
        let short = Duration::from_millis(1);
        let timer = Ns2Ticks::new(&Params { min_rto: short, max_rto: short, ..Params::ns2() });
        assert_eq!(rto_ms(&timer), 20);
    }

    #[test]
    fn the_average_is_forgotten_even_where_the_bound_hides_the_back_off() {
        let mut timer = timer();
        timer.measure(1000); // 30 s
        for _ in 0..4 {
            timer.back_off(&Public::default());
        }
        assert_eq!((timer.srtt8, rto_ms(&timer)), (0, 60_000));
    }

    #[test]
    fn a_long_back_off_forgets_the_average() {
        let mut timer = timer();
        timer.measure(10);
        for _ in 0..3 {
            timer.back_off(&Public::default());
        }
        assert_eq!((timer.srtt8, timer.rttvar4), (80, 20)); // eight times: still believed
        timer.back_off(&Public::default());
        assert_eq!((timer.srtt8, timer.rttvar4), (0, 30));
        assert_eq!(rto_ms(&timer), 4800); // what is armed does not change by it
        timer.measure(20);
        assert_eq!((timer.srtt8, timer.rttvar4, rto_ms(&timer)), (160, 40, 600)); // as the first one
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// As after a first measurement of ten ticks, which is 100 ms: the second goes on from there.
    #[test]
    fn what_was_measured_before_is_handed_over() {
        let mut timer = timer();
        timer.adopt(&Public { srtt: Some(ms(100)), rttvar: ms(50), rto: ms(1200), ..Public::default() });
        assert_eq!(timer.estimate(), Estimate { srtt: Some(ms(100)), rttvar: ms(50), rto: ms(1200) });
        timer.measure(20);
        assert_eq!((timer.srtt8, timer.rttvar4, rto_ms(&timer)), (90, 25, 360));
    }

    #[test]
    fn without_a_measurement_the_next_is_the_first() {
        let mut timer = timer();
        timer.adopt(&Public { rto: ms(3000), ..Public::default() });
        assert_eq!(timer.estimate(), Estimate { srtt: None, rttvar: Duration::ZERO, rto: ms(3000) });
        timer.measure(10);
        assert_eq!((timer.srtt8, timer.rttvar4, rto_ms(&timer)), (80, 20, 300));
    }

    #[test]
    fn a_given_average_makes_the_time_out_and_ends_the_back_off() {
        let mut timer = timer();
        timer.back_off(&Public::default());
        timer.set_smoothed(ms(100), ms(50));
        assert_eq!(timer.estimate(), Estimate { srtt: Some(ms(100)), rttvar: ms(50), rto: ms(300) });
        timer.set_smoothed(Duration::ZERO, Duration::ZERO); // zero would be: nothing measured
        assert_eq!((timer.srtt8, timer.rttvar4), (1, 1));
    }

    /// ns-2's `minrto_` of 0.2 s and `maxrto_` of 60 s.
    #[test]
    fn a_given_time_out_keeps_to_the_bounds_and_ends_the_back_off() {
        let mut timer = timer();
        for (given, kept) in [(250, 250), (199, 200), (0, 200), (60_001, 60_000)] {
            timer.back_off(&Public::default());
            timer.set_rto(ms(given));
            assert_eq!(rto_ms(&timer), kept);
        }
        timer.set_rto(ms(300));
        timer.back_off(&Public::default());
        assert_eq!(rto_ms(&timer), 600);
        timer.end_back_off();
        assert_eq!(rto_ms(&timer), 300);
    }

    #[test]
    fn a_shorter_round_trip_lowers_the_average() {
        let mut timer = timer();
        timer.measure(20); // average 160 / 8, deviation 40 / 4
        timer.measure(4); // 16 ticks less
        assert_eq!((timer.srtt8, timer.rttvar4, rto_ms(&timer)), (144, 46, 640)); // (8 * 46 + 144) >> 3
    }

    #[test]
    fn an_acknowledgement_that_times_nothing_changes_nothing() {
        let segment = crate::mechanisms::testing::empty_segment();
        let mut timer = timer();
        let p = Public { now: Time::ZERO + ms(100), ..Public::default() };
        let bare = Ack::bare(crate::mechanisms::AckKind::Advance, 1000, &segment);
        assert_eq!(timer.on_ack(&p, &bare), Verdict::Nothing);
        assert_eq!(rto_ms(&timer), 3000);
        timer.on_ack(&p, &Ack { rtt: Some(ms(100)), ..bare });
        assert_eq!((timer.srtt8, timer.rttvar4, rto_ms(&timer)), (80, 20, 300));
    }
}
