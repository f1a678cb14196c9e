//! A loss while the delay is below the knee of delay over throughput is the channel's.
//!
//! Spec      Samaraweera 1999 (non-congestion packet loss detection)
//! Deviates  unverified: the paper's formula for the knee. Here the knee is the mean delay of rounds in which
//!           throughput grew with the window, to within 5 %; below the least delay times `ncpld_margin` it never lies
//! Holds     before a measurement every loss is congestion

use hopwright_machine::Duration;

use super::Diagnosis;
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::params::Knob;
use crate::view::Public;

/// See the file's header.
pub const NCPLD: Part<dyn Diagnosis> = Part::<dyn Diagnosis>::new("ncpld", "Samaraweera 1999", |p| {
    Box::new(Ncpld { margin: p.number(&MARGIN), ..Ncpld::default() })
})
.needing(Needs::ROUNDS)
.with_knobs(&[MARGIN]);

const MARGIN: Knob = Knob::real(
    "ncpld_margin",
    "",
    1.25,
    1.0..=100.0,
    "delays up to the shortest delay times this value are before the knee; unverified",
);

/// What is left of proportional growth counts as such.
const PROPORTIONAL: f64 = 0.95;

#[derive(Debug, Default)]
struct Ncpld {
    margin: f64,
    /// The delay measured last.
    delay: Option<Duration>,
    /// Window (bytes) and throughput (bytes per second) of the round before, and the window of the current one.
    former: Option<(f64, f64)>,
    window: f64,
    /// Delays of rounds before the knee, in seconds: their sum and number.
    before_knee: (f64, u32),
}

impl Ncpld {
    fn on_round(&mut self, p: &Public) {
        let length = p.round.length.as_secs_f64();
        let window = core::mem::replace(&mut self.window, p.cwnd);
        if length <= 0.0 || window <= 0.0 {
            return;
        }
        let throughput = p.round.acked as f64 / length;
        if let Some((former_window, former_throughput)) = self.former
            && window > former_window
            && throughput * former_window >= PROPORTIONAL * former_throughput * window
        {
            self.before_knee.0 += p.round.mean.as_secs_f64();
            self.before_knee.1 += 1;
        }
        self.former = Some((window, throughput));
    }

    /// The delay at the knee, in seconds.
    fn knee_s(&self, p: &Public) -> Option<f64> {
        let least = p.min_rtt?.as_secs_f64() * self.margin;
        let (sum, rounds) = self.before_knee;
        Some(if rounds == 0 { least } else { least.max(sum / f64::from(rounds)) })
    }
}

impl Diagnosis for Ncpld {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        if p.round.has_ended {
            self.on_round(p);
        }
        if let Some(delay) = ack.delay.filter(|_| !ack.covers_resent) {
            self.delay = Some(delay);
        }
    }

    fn diagnose(&mut self, p: &Public, _sign: Sign) -> Cause {
        match (self.delay, self.knee_s(p)) {
            (Some(delay), Some(knee)) if delay.as_secs_f64() <= knee => Cause::Channel,
            _ => Cause::Congestion,
        }
    }

    fn adopt(&mut self, p: &Public) {
        self.delay = p.srtt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::params::Params;

    #[test]
    fn n1_the_knee_divides() {
        let mut ncpld = Ncpld { margin: 1.25, before_knee: (0.220, 2), ..Ncpld::default() };
        let p = Public { min_rtt: Some(Duration::from_millis(100)), ..Public::default() };
        assert_eq!(ncpld.knee_s(&p), Some(0.125));
        for (ms, cause) in [(118, Cause::Channel), (140, Cause::Congestion)] {
            ncpld.delay = Some(Duration::from_millis(ms));
            assert_eq!(ncpld.diagnose(&p, Sign::Duplicates), cause);
        }
        ncpld.before_knee = (0.300, 2);
        assert_eq!(ncpld.knee_s(&p), Some(0.150));
    }

    #[test]
    fn rounds_before_the_knee_are_those_that_bring_more() {
        let mut ncpld = Ncpld { margin: 1.25, ..Ncpld::default() };
        let mut round = |cwnd: f64, acked, ms| {
            let mut p = Public { cwnd, ..Public::default() };
            (p.round.acked, p.round.length, p.round.mean) =
                (acked, Duration::from_millis(ms), Duration::from_millis(ms));
            ncpld.on_round(&p);
            ncpld.before_knee
        };
        round(2000.0, 1000, 100); // the window of the next
        round(4000.0, 2000, 100);
        assert_eq!(round(8000.0, 4000, 100), (0.1, 1)); // twice the window, twice the bytes
        assert_eq!(round(9000.0, 8000, 200), (0.1, 1)); // no more per second: beyond the knee
    }

    #[test]
    fn nothing_known_is_congestion() {
        let mut part = (NCPLD.build)(&Params::default());
        assert_eq!(part.diagnose(&Public::default(), Sign::Duplicates), Cause::Congestion);
    }

    /// The part as recipes build it, with the shortest round-trip time of 100 ms.
    fn built() -> (Box<dyn Diagnosis>, Public) {
        let p = Public { min_rtt: Some(Duration::from_millis(100)), ..Public::default() };
        ((NCPLD.build)(&Params::default()), p)
    }

    fn feed(part: &mut dyn Diagnosis, p: &Public, ms: Option<u64>, covers_resent: bool) -> Cause {
        let segment = empty_segment();
        let delay = ms.map(Duration::from_millis);
        part.on_ack(p, &Ack { delay, covers_resent, ..Ack::bare(AckKind::Advance, 1000, &segment) });
        part.diagnose(p, Sign::Duplicates)
    }

    /// The margin of 1.25 over the least delay, to the nanosecond; what waited for a retransmission measured that.
    #[test]
    fn the_last_delay_of_what_left_once_is_compared() {
        let (mut part, p) = built();
        assert_eq!(feed(&mut *part, &p, None, false), Cause::Congestion);
        assert_eq!(feed(&mut *part, &p, Some(125), false), Cause::Channel);
        assert_eq!(feed(&mut *part, &p, Some(126), true), Cause::Channel);
        assert_eq!(feed(&mut *part, &p, Some(126), false), Cause::Congestion);
        assert_eq!(feed(&mut *part, &p, None, false), Cause::Congestion);
        assert_eq!(feed(&mut *part, &p, Some(124), false), Cause::Channel);
    }

    #[test]
    fn the_smoothed_time_is_the_delay_to_begin_with() {
        for (srtt, cause) in [(125, Cause::Channel), (126, Cause::Congestion)] {
            let (mut part, mut p) = built();
            p.srtt = Some(Duration::from_millis(srtt));
            part.adopt(&p);
            assert_eq!(part.diagnose(&p, Sign::Duplicates), cause);
        }
    }

    /// Acknowledgements within a round measure none.
    #[test]
    fn the_knee_moves_when_a_round_ends() {
        for (has_ended, cause) in [(false, Cause::Congestion), (true, Cause::Channel)] {
            let (mut part, mut p) = built();
            (p.round.has_ended, p.round.mean) = (has_ended, Duration::from_millis(200));
            for (cwnd, acked) in [(1000.0, 1000), (2000.0, 1000), (4000.0, 2000)] {
                (p.cwnd, p.round.acked, p.round.length) = (cwnd, acked, Duration::from_millis(200));
                feed(&mut *part, &p, Some(190), false);
            }
            assert_eq!(part.diagnose(&p, Sign::Duplicates), cause); // the knee: 125 ms or 200 ms
        }
    }

    /// A window that grew, and 95 % of the throughput that would have grown with it.
    #[test]
    fn growth_is_proportional_to_within_a_twentieth() {
        for (window, acked, counts) in
            [(2000.0, 1900, 1), (2000.0, 1899, 0), (1000.0, 1000, 0), (500.0, 1000, 0), (1000.5, 1000, 1)]
        {
            let mut ncpld = Ncpld { margin: 1.25, ..Ncpld::default() };
            let mut p = Public::default();
            (p.round.length, p.round.mean) = (Duration::from_millis(100), Duration::from_millis(50));
            for (next, acked) in [(1000.0, 1), (window, 1000), (9000.0, acked)] {
                (p.cwnd, p.round.acked) = (next, acked);
                ncpld.on_round(&p);
            }
            assert_eq!(ncpld.before_knee, (0.05 * f64::from(counts), counts), "{window} {acked}");
        }
    }

    /// A round of no length, as at the very start, tells nothing and is not compared with.
    #[test]
    fn a_round_without_length_is_no_measurement() {
        let mut ncpld = Ncpld { window: 1000.0, ..Ncpld::default() };
        ncpld.on_round(&Public { cwnd: 2000.0, ..Public::default() });
        assert_eq!((ncpld.former, ncpld.window), (None, 2000.0));
    }
}
