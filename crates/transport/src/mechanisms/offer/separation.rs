//! The receiver works out the sender's window from how much further apart segments arrive than they left.
//!
//! Spec      Velayutham 2005 §2.5.2.2 (inter-packet separation: additive increase and multiplicative decrease with WTCP's
//!           thresholds), WTCP (Sinha et al. 1999)
//! Deviates  the documents give no constants that could be checked: the thresholds, the gains of the two averages (1/8
//!           and 1/64) and the factor are from memory. The window that it starts from is the sender's own, which the
//!           data tell; a decision is taken once per window of data that
//!           brought a sample. What is offered beside it is the free buffer.
//!           Of segments that come exactly as far apart as they left two worked examples say different things: the window
//!           grows (X9, of Velayutham's detection), or stays (W2, of WTCP). The rule and its threshold, 5 % above one, are
//!           X9's, and the default. W2's is `separation_low = 0`: only what comes closer together than it left lets the
//!           window grow; below zero, only what comes closer by that share
//! Holds     distances below a millisecond, and across a missing segment, are no samples. Bursts are none: the sender
//!           must pace (`control = "hybrid"`, `clocking = "paced"`), and follow (`avoidance = "told"`)

use hopwright_machine::Duration;

use super::free_buffer::FreeBuffer;
use super::{Offer, Receiver, Separated};
use crate::mechanisms::{Needs, Part};
use crate::params::{Knob, Params};

/// See the file's header.
pub const SEPARATION: Part<dyn Offer> =
    Part::<dyn Offer>::new("separation", "Velayutham 2005 §2.5.2.2", |p| Box::new(Separation::new(p)))
        .needing(Needs::SPACING)
        .with_knobs(&[LOW, HIGH, FACTOR]);

const LOW: Knob = Knob::real(
    "separation_low",
    "",
    0.05,
    -0.99..=10.0,
    "the window grows if the time between two segments increased by less than this share on the path. Below zero, it grows if this time decreased by at least this share (unverified)",
);
const HIGH: Knob = Knob::real(
    "separation_high",
    "",
    0.25,
    0.0..=10.0,
    "the window shrinks if the time between two segments increased by more than this share on the path (unverified)",
);
const FACTOR: Knob = Knob::real(
    "separation_factor",
    "",
    0.75,
    0.01..=1.0,
    "the part of a window that remains when it shrinks (unverified)",
);

/// The shortest distance that is compared.
const SHORTEST: Duration = Duration::from_millis(1);
/// Gains of the two averages.
const SHORT: f64 = 1.0 / 8.0;
const LONG: f64 = 1.0 / 64.0;

#[derive(Debug)]
struct Separation {
    low: f64,
    high: f64,
    factor: f64,
    /// Averages of how many times further apart segments arrive than they left: the short one and the long one.
    averages: Option<[f64; 2]>,
    /// The window wanted of the sender.
    window: Option<f64>,
    /// Bytes that came since the last decision, and whether anything was compared since.
    came: u64,
    has_news: bool,
}

impl Separation {
    fn new(p: &Params) -> Self {
        let [low, high, factor] = [LOW, HIGH, FACTOR].map(|knob| p.number(&knob));
        Self { low, high, factor, averages: None, window: None, came: 0, has_news: false }
    }
}

impl Offer for Separation {
    fn window(&mut self, receiver: &Receiver) -> u64 {
        FreeBuffer.window(receiver)
    }

    fn on_separation(&mut self, separated: &Separated) {
        if separated.left >= SHORTEST
            && let Some(came) = separated.came
        {
            let ratio = came.as_secs_f64() / separated.left.as_secs_f64();
            let [short, long] = self.averages.get_or_insert([ratio; 2]);
            *short += SHORT * (ratio - *short);
            *long += LONG * (ratio - *long);
            self.has_news = true;
        }
        self.came += u64::from(separated.bytes);
        let window = f64::from(separated.window);
        let is_due = self.came as f64 >= window && self.has_news;
        let Some([short, long]) = self.averages.filter(|_| is_due) else { return };
        (self.came, self.has_news) = (0, false);
        let (low, high) = (1.0 + self.low, 1.0 + self.high);
        self.window = Some(if short < low && long < low {
            window + f64::from(separated.mss)
        } else if short > high && long > high {
            self.factor * window
        } else {
            window
        });
    }

    fn told(&self) -> Option<u64> {
        self.window.map(|window| window as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    /// The window, in segments, after a long time of such distances, in milliseconds, with a window of 16.
    fn after(left: u64, came: u64) -> Option<u64> {
        after_with(&Params::default(), left, came)
    }

    fn after_with(params: &Params, left: u64, came: u64) -> Option<u64> {
        let mut offer = Separation::new(params);
        let ms = Duration::from_millis;
        for _ in 0..1_600 {
            let separated =
                Separated { left: ms(left), came: Some(ms(came)), bytes: 1_000, mss: 1_000, window: 16_000 };
            offer.on_separation(&separated);
        }
        offer.told().map(|window| window / 1_000)
    }

    /// Vector X9: of segments that leave 20 ms apart for long, those that come 20 ms apart make a window of 16 segments 17,
    /// those that come 30 ms apart 12, those that come 22 ms apart leave it.
    #[test]
    fn further_apart_shrinks_as_far_grows_and_between_nothing_happens() {
        assert_eq!(after(20, 20), Some(17));
        assert_eq!(after(20, 30), Some(12));
        assert_eq!(after(20, 22), Some(16));
        assert_eq!(after(0, 6), None, "a burst tells nothing");
    }

    /// Vector W2: of segments that leave 20 ms apart, those that come 20 ms apart leave the window, those that come 30 ms apart
    /// make it shrink. Those that come closer together let it grow, past a guard if there is one.
    #[test]
    fn as_far_apart_may_leave_the_window() {
        let mut params = Params::default();
        for (low, grows_at_18) in [(0.0, true), (-0.2, false)] {
            params.set("separation_low", Value::Number(low)).unwrap();
            assert_eq!([20, 30].map(|came| after_with(&params, 20, came)), [Some(16), Some(12)]);
            assert_eq!([18, 15].map(|came| after_with(&params, 20, came) == Some(17)), [grows_at_18, true]);
        }
    }

    #[test]
    fn both_averages_must_agree() {
        let mut offer = Separation::new(&Params::default());
        let ms = Duration::from_millis;
        let mut came = |came, times| {
            for _ in 0..times {
                let at = Separated { left: ms(20), came: Some(ms(came)), bytes: 1_000, mss: 1_000, window: 16_000 };
                offer.on_separation(&at);
            }
            offer.told().unwrap() / 1_000
        };
        assert_eq!(came(20, 160), 17);
        assert_eq!(came(30, 16), 16, "the long average is still low");
        assert_eq!(came(30, 160), 12);
    }
}
