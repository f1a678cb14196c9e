//! Dynamic adaptive acknowledgements: up to four segments per acknowledgement while they arrive steadily (DAA).
//!
//! Spec      de Oliveira and Braun 2005, as Papanastasiou 2006 §5.2.2 (equations 5.1 to 5.3) states it; RFC 1122
//!           §4.2.3.2 (half a second at most)
//! Deviates  the values of alpha, kappa and mu, the window after a loss (its least) and its value at the start are
//!           unverified. The document counts from one, so that its first acknowledgement would come a segment early;
//!           here `n` segments make a window of `n`. Before a first gap is known, `delayed_ack_ms` is waited for.
//!           A gap longer than the wait is left out of the mean unless `daa_averages_long_gaps` is set
//! Holds     `maxdwin`, once reached, stays so; out of order, filling a gap or repeated, a segment is answered at
//!           once. The sender's part is `cwnd_limit_segments`, `cwnd_floor_segments`, and, in the original
//!           (unverified), `dupack_threshold` 2 and `rto_factor` 5

use hopwright_machine::{Duration, Time};

use super::{Acking, Arrival, LONGEST, When};
use crate::mechanisms::Part;
use crate::params::{Knob, Params};

/// See the file's header.
pub const DAA: Part<dyn Acking> =
    Part::<dyn Acking>::new("daa", "de Oliveira and Braun 2005", |p| Box::new(Daa::new(p))).with_knobs(&[
        ALPHA,
        KAPPA,
        MU,
        START,
        AVERAGES_LONG_GAPS,
    ]);

const ALPHA: Knob =
    Knob::real("daa_alpha", "", 0.75, 0.0..=1.0, "weight of the former mean gap between segments (unverified)");
const KAPPA: Knob = Knob::real(
    "daa_kappa",
    "",
    0.2,
    0.0..=1e3,
    "tolerance kappa of the wait. The wait is 2 + kappa mean gaps (unverified)",
);
const MU: Knob = Knob::real(
    "daa_mu",
    "segments",
    0.3,
    1e-3..=1.0,
    "by how much the segments per acknowledgement grow with each acknowledgement, until there are four (unverified)",
);
const START: Knob = Knob::count(
    "daa_start_segments",
    "segments",
    2,
    1..=4,
    "segments per acknowledgement at the start. The sources differ: 1 or 2",
);
const AVERAGES_LONG_GAPS: Knob =
    Knob::switch("daa_averages_long_gaps", false, "whether gaps longer than the wait are also part of the mean");

/// Segments per acknowledgement, at least and at most (Papanastasiou 2006 §5.2.2).
const LEAST: f64 = 2.0;
const MOST: f64 = 4.0;

#[derive(Debug)]
struct Daa {
    alpha: f64,
    kappa: f64,
    mu: f64,
    averages_long_gaps: bool,
    /// The wait before a gap is known.
    unknown: Duration,
    /// Segments per acknowledgement (`dwin`); only the whole part counts.
    window: f64,
    /// Whether it has reached its most (`maxdwin`).
    was_at_most: bool,
    /// Smoothed gap between segments, in seconds.
    mean_gap: Option<f64>,
    last: Option<Time>,
}

impl Daa {
    fn new(p: &Params) -> Self {
        Self {
            alpha: p.number(&ALPHA),
            kappa: p.number(&KAPPA),
            mu: p.number(&MU),
            averages_long_gaps: p.is(&AVERAGES_LONG_GAPS),
            unknown: p.delayed_ack,
            window: f64::from(p.count(&START)),
            was_at_most: false,
            mean_gap: None,
            last: None,
        }
    }

    /// Equation 5.2, in seconds.
    fn wait(&self, mean_gap: f64) -> f64 {
        (2.0 + self.kappa) * mean_gap
    }

    /// Equation 5.1.
    fn smooth(&mut self, gap: f64) {
        match self.mean_gap {
            None => self.mean_gap = Some(gap),
            Some(mean) if self.averages_long_gaps || gap <= self.wait(mean) => {
                self.mean_gap = Some(self.alpha * mean + (1.0 - self.alpha) * gap);
            }
            Some(_) => {}
        }
    }

    /// Equation 5.3.
    fn grow(&mut self) {
        self.window = (self.window + if self.was_at_most { 1.0 } else { self.mu }).min(MOST);
        self.was_at_most |= self.window >= MOST;
    }

    fn deadline(&self, now: Time) -> Time {
        let wait = self.mean_gap.map_or(self.unknown, |mean| Duration::from_secs_f64(self.wait(mean)));
        now + wait.min(LONGEST)
    }
}

impl Acking for Daa {
    fn on_data(&mut self, arrival: &Arrival) -> When {
        let gap = self.last.replace(arrival.now).map(|last| arrival.now.since(last));
        if !arrival.is_in_order || arrival.had_gap {
            self.window = LEAST;
            return When::Now;
        }
        if let Some(gap) = gap {
            self.smooth(gap.as_secs_f64());
        }
        if f64::from(arrival.unacknowledged) >= self.window.floor() {
            self.grow();
            return When::Now;
        }
        When::By(self.deadline(arrival.now))
    }

    fn on_timer(&mut self, _now: Time) {
        self.window = LEAST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::acking::testing::in_order;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn the_gap_is_smoothed_and_the_wait_is_made_of_it() {
        let mut daa = Daa::new(&Params::default());
        daa.mean_gap = Some(0.020);
        daa.last = Some(at(0));
        assert_eq!(daa.on_data(&in_order(at(40), 1)), When::By(at(95)));
        assert!((daa.mean_gap.unwrap() - 0.025).abs() < 1e-12);
    }

    #[test]
    fn a_gap_longer_than_the_wait_counts_only_where_it_is_asked_for() {
        for (averages, mean) in [(false, 0.020), (true, 0.040)] {
            let mut params = Params::default();
            params.set("daa_averages_long_gaps", crate::Value::Bool(averages)).unwrap();
            let mut daa = Daa::new(&params);
            daa.mean_gap = Some(0.020);
            daa.last = Some(at(0));
            daa.on_data(&in_order(at(100), 1));
            assert!((daa.mean_gap.unwrap() - mean).abs() < 1e-12);
        }
    }

    #[test]
    fn nothing_waits_longer_than_half_a_second() {
        let mut daa = Daa::new(&Params::default());
        daa.on_data(&in_order(at(0), 1));
        assert_eq!(daa.on_data(&in_order(at(2000), 1)), When::By(at(2500)));
    }

    #[test]
    fn out_of_order_resets_the_window_but_not_what_it_has_reached() {
        let mut daa = Daa::new(&Params::default());
        (daa.window, daa.was_at_most) = (4.0, true);
        let stray = Arrival { is_in_order: false, ..in_order(at(0), 4) };
        assert_eq!(daa.on_data(&stray), When::Now);
        assert_eq!((daa.window, daa.was_at_most), (2.0, true));
    }
}
