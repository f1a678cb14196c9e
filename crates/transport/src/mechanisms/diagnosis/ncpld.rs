//! A loss while the delay is below the knee of delay over throughput is the channel's.
//!
//! Spec      Samaraweera 1999 (non-congestion packet loss detection)
//! Deviates  unverified: the paper's formula for the knee. Here the knee is the mean delay of rounds in which
//!           throughput grew with the window, to within 5 %; below the least delay times `ncpld_margin` it never lies
//! Holds     before a measurement every loss is congestion

use hopwright_machine::Duration;

use super::Diagnosis;
use crate::engine::Public;
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::params::Knob;

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
    "delays up to this times the least are before the knee; unverified",
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
}
