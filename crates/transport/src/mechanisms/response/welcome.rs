//! TCP-WELCOME's loss recovery: an answer for each cause.
//!
//! Spec      Ghaleb-Seddik 2009 §5.7 (equations 5.5 to 5.9, figures 5.8 and 5.9, table 5.1), §5.10.2.1, §5.10.2.2, §5.13
//! Deviates  the document contradicts itself about losses that duplicates tell of; its text rules, and what its figures
//!           have instead are values of two parameters. The channel (`welcome_on_channel`): "no modification of data
//!           transmission rate" (§5.7.2; in that §5.10.2.2 and §5.13 see the gain), so both windows stay; §5.7.3 and both
//!           figures bound the window by bandwidth times round-trip time (`minimum`). Congestion
//!           (`welcome_on_congestion`): "as in TCP New-Reno" (§5.7.2; §5.10.2.1), which halves; §5.7.3 bounds it in the
//!           same way (`minimum`), where figure 5.8 sets the threshold alone; figure 5.9 leaves one segment (`restart`).
//!           With `minimum` for both, the cause decides nothing.
//!           Readings of what the document leaves open: a route that broke is probed, without backing the timer off, by
//!           the segment whose silence told; the round-trip time before is the smoothed one, that after the mean of the
//!           first samples; the window that is scaled is the one before the loss. Silence put down to the channel, and
//!           contention, which the document does not know, are answered as congestion
//! Holds     no threshold that is set is below two segments; no window is raised, but to two segments, as NewReno does

use hopwright_machine::Duration;

use super::halve::Halve;
use super::{Cut, Response, Windows};
use crate::mechanisms::estimators::{BANDWIDTH_KNOBS, Bandwidth};
use crate::mechanisms::{Ack, AckKind, Cause, Part, Sign};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const WELCOME: Part<dyn Response> =
    Part::<dyn Response>::new("welcome", "Ghaleb-Seddik 2009 §5.7", |p| Box::new(Welcome::new(p))).with_knobs(KNOBS);

const NEW_SAMPLES: Knob = Knob::count(
    "welcome_new_rtt_samples",
    "samples",
    4,
    1..=1000,
    "number of round-trip times that characterise a restored path (RTO_NEW_RTT_SAMPLES)",
);
const ROUTE_WINDOW: Knob = Knob::word(
    "welcome_route_window",
    &["scale", "keep", "halve"],
    "the window on a restored path: scaled by the ratio of round-trip times, as before, or half (the three methods of §5.7.2)",
);
const ON_CHANNEL: Knob = Knob::word(
    "welcome_on_channel",
    &["keep", "halve", "minimum"],
    "what duplicates caused by the channel leave of the windows: all (§5.7.2), half, or at most what the path holds (figures 5.8, 5.9)",
);
const ON_CONGESTION: Knob = Knob::word(
    "welcome_on_congestion",
    &["halve", "minimum", "restart", "keep"],
    "what other duplicates leave of the windows: half (§5.7.2), at most what the path holds (§5.7.3), one segment (figure 5.9), or all",
);

const KNOBS: &[Knob] = &{
    let mut knobs = [NEW_SAMPLES; BANDWIDTH_KNOBS.len() + 4];
    (knobs[1], knobs[2], knobs[3]) = (ROUTE_WINDOW, ON_CHANNEL, ON_CONGESTION);
    let mut i = 0;
    while i < BANDWIDTH_KNOBS.len() {
        knobs[i + 4] = BANDWIDTH_KNOBS[i];
        i += 1;
    }
    knobs
};

/// What a loss leaves of the windows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    /// Both as they are.
    Keep,
    /// What NewReno leaves.
    Halve,
    /// The window up to what the path was measured to hold, which is the threshold.
    Minimum,
    /// One segment, and the same threshold.
    Restart,
}

impl Left {
    fn of(word: &str) -> Self {
        match word {
            "keep" => Self::Keep,
            "halve" => Self::Halve,
            "minimum" => Self::Minimum,
            _ => Self::Restart,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RouteWindow {
    Keep,
    Halve,
    Scale,
}

#[derive(Debug)]
struct Welcome {
    bandwidth: Bandwidth,
    needed: u32,
    route_window: RouteWindow,
    halve: Halve,
    on_channel: Left,
    on_congestion: Left,
    restored: Option<Restored>,
}

/// What was before a route broke, and what is measured since.
#[derive(Clone, Copy, Debug)]
struct Restored {
    rtt: Duration,
    rto: Duration,
    cwnd: f64,
    ssthresh: f64,
    sum: Duration,
    samples: u32,
}

impl Welcome {
    fn new(params: &Params) -> Self {
        Self {
            bandwidth: Bandwidth::new(params),
            needed: params.count(&NEW_SAMPLES),
            route_window: match params.word(&ROUTE_WINDOW) {
                "keep" => RouteWindow::Keep,
                "halve" => RouteWindow::Halve,
                _ => RouteWindow::Scale,
            },
            halve: Halve::new(params),
            on_channel: Left::of(params.word(&ON_CHANNEL)),
            on_congestion: Left::of(params.word(&ON_CONGESTION)),
            restored: None,
        }
    }

    /// The route broke: the window waits for what the new one is like.
    fn on_route(&mut self, p: &Public, ssthresh: f64) -> Cut {
        let cwnd = match self.route_window {
            RouteWindow::Keep | RouteWindow::Scale => p.cwnd,
            RouteWindow::Halve if self.restored.is_some() => p.cwnd, // halved already
            RouteWindow::Halve => (p.cwnd / 2.0).max(f64::from(p.mss)),
        };
        // Silence before the new path has shown what it is like is that of the same break.
        let former = self.restored.map(|r| (r.rtt, r.rto, r.cwnd)).or(p.srtt.map(|rtt| (rtt, p.rto, cwnd)));
        self.restored =
            former.map(|(rtt, rto, cwnd)| Restored { rtt, rto, cwnd, ssthresh, sum: Duration::ZERO, samples: 0 });
        Cut { cwnd, ssthresh, is_probe: true }
    }

    /// The windows and the timer for the new path, once it is known.
    fn restore(&self, p: &Public, r: &Restored) -> Option<Windows> {
        let new_s = r.sum.as_secs_f64() / f64::from(r.samples);
        let ratio = r.rtt.as_secs_f64() / new_s;
        if !(ratio.is_finite() && ratio > 0.0) {
            return None;
        }
        let rto = Duration::from_secs_f64((r.rto.as_secs_f64() / ratio).clamp(SHORTEST_RTO_S, LONGEST_RTO_S));
        let (cwnd, ssthresh) = match self.route_window {
            RouteWindow::Keep | RouteWindow::Halve => (p.cwnd, p.ssthresh),
            RouteWindow::Scale => ((ratio * r.cwnd).min(r.ssthresh).max(f64::from(p.mss)), r.ssthresh),
        };
        Some(Windows { cwnd, ssthresh, rto })
    }
}

/// No time-out is longer or shorter, whatever the ratio of two measurements. The timer has bounds of its own.
const LONGEST_RTO_S: f64 = 60.0;
const SHORTEST_RTO_S: f64 = 1e-3;

impl Response for Welcome {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Option<Windows> {
        self.bandwidth.on_ack(p, ack);
        let sample = ack.rtt.filter(|_| ack.kind == AckKind::Advance)?;
        let restored = self.restored.as_mut()?;
        restored.sum += sample;
        restored.samples += 1;
        if restored.samples < self.needed {
            return None;
        }
        let restored = self.restored.take()?;
        self.restore(p, &restored)
    }

    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut {
        if cause == Cause::Route {
            let threshold = self.bandwidth.threshold(p, 1.0);
            return self.on_route(p, threshold);
        }
        self.restored = None;
        let left = match (sign, cause) {
            (Sign::Duplicates, Cause::Channel) => self.on_channel,
            _ => self.on_congestion,
        };
        let cut = match left {
            Left::Keep => Cut::to(p.cwnd, p.ssthresh),
            Left::Halve => self.halve.on_loss(p, sign, cause),
            Left::Minimum | Left::Restart => {
                let threshold = self.bandwidth.threshold(p, 1.0);
                Cut::to(p.cwnd.min(threshold), threshold)
            }
        };
        if sign == Sign::Silence {
            self.bandwidth.on_timeout();
        }
        let is_one_segment = sign == Sign::Silence || left == Left::Restart;
        Cut { cwnd: if is_one_segment { f64::from(p.mss) } else { cut.cwnd }, ..cut }
    }

    fn adopt(&mut self, p: &Public) {
        self.bandwidth.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mechanisms::response::HALVE;
    use crate::mechanisms::testing::empty_segment;
    use crate::params::Value;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A response on a path that holds eight segments, with a window of ten.
    fn known(params: &Params) -> (Box<dyn Response>, Public) {
        let mut p = Public {
            mss: 1000,
            cwnd: 8_000.0,
            una: 1,
            max: 8_001,
            srtt: Some(ms(100)),
            min_rtt: Some(ms(100)),
            rto: ms(300),
            ..Public::default()
        };
        let mut response = (WELCOME.build)(params);
        response.adopt(&p);
        p.cwnd = 10_000.0;
        (response, p)
    }

    fn after(response: &mut dyn Response, p: &Public, rtt: Duration, samples: u32) -> Option<Windows> {
        let segment = empty_segment();
        let ack = Ack { rtt: Some(rtt), ..Ack::bare(AckKind::Advance, 0, &segment) };
        let mut all = (0..samples).map(|_| response.on_ack(p, &ack)).collect::<Vec<_>>();
        let last = all.pop().flatten();
        assert!(all.iter().all(Option::is_none));
        last
    }

    fn reading(on_channel: &str, on_congestion: &str) -> Params {
        let mut params = Params::default();
        params.set("welcome_on_channel", Value::Word(on_channel.into())).unwrap();
        params.set("welcome_on_congestion", Value::Word(on_congestion.into())).unwrap();
        params
    }

    /// The path holds eight segments; ten are allowed and outstanding, or, of the second window, five.
    #[test]
    fn duplicates_leave_what_each_reading_says() {
        let left = [
            ("keep", (10_000.0, 64_000.0), (5000.0, 64_000.0)),
            ("halve", (5000.0, 5000.0), (2500.0, 2500.0)),
            ("minimum", (8000.0, 8000.0), (5000.0, 8000.0)),
            ("restart", (1000.0, 8000.0), (1000.0, 8000.0)),
        ];
        for (channel, wide, narrow) in left.iter().filter(|l| l.0 != "restart") {
            for (congestion, wide_too, narrow_too) in &left {
                let (mut r, p) = known(&reading(channel, congestion));
                let wide_open = Public { ssthresh: 64_000.0, max: 10_001, ..p };
                let half_open = Public { cwnd: 5000.0, max: 5001, ..wide_open.clone() };
                let mut after = |p: &Public, cause| {
                    let cut = r.on_loss(p, Sign::Duplicates, cause);
                    assert!(!cut.is_probe);
                    (cut.cwnd, cut.ssthresh)
                };
                let name = format!("channel {channel}, congestion {congestion}");
                assert_eq!(after(&wide_open, Cause::Channel), *wide, "{name}");
                assert_eq!(after(&half_open, Cause::Channel), *narrow, "{name}");
                for cause in [Cause::Congestion, Cause::Contention] {
                    assert_eq!(after(&wide_open, cause), *wide_too, "{name}");
                    assert_eq!(after(&half_open, cause), *narrow_too, "{name}");
                }
            }
        }
    }

    /// The text's readings are what nobody has to ask for, and by them the cause decides.
    #[test]
    fn by_default_the_channel_costs_nothing_and_congestion_what_it_costs_newreno() {
        let (mut r, p) = known(&Params::default());
        let p = Public { ssthresh: 64_000.0, max: 10_001, ..p };
        assert_eq!(r.on_loss(&p, Sign::Duplicates, Cause::Channel), Cut::to(10_000.0, 64_000.0));
        assert_eq!(r.on_loss(&p, Sign::Duplicates, Cause::Congestion), Cut::to(5000.0, 5000.0));
    }

    #[test]
    fn silence_leaves_one_segment_and_the_threshold_of_congestion() {
        let thresholds = [("keep", 64_000.0), ("halve", 5000.0), ("minimum", 8000.0), ("restart", 8000.0)];
        for (congestion, threshold) in thresholds {
            let (mut r, p) = known(&reading("keep", congestion));
            let p = Public { ssthresh: 64_000.0, max: 10_001, consecutive_timeouts: 1, ..p };
            for cause in [Cause::Congestion, Cause::Channel, Cause::Contention] {
                assert_eq!(r.on_loss(&p, Sign::Silence, cause), Cut::to(1000.0, threshold), "{congestion}");
            }
        }
    }

    proptest! {
        /// Whatever the windows are: a kept one is kept, half is NewReno's half, and what fits the path is never more
        /// than there was.
        #[test]
        fn every_reading_holds_for_any_window(
            cwnd in 1.0..200.0f64, ssthresh in 2.0..200.0f64, flight in 1u64..200, rtt in 20u64..500,
            on_channel in prop::sample::select(&["keep", "halve", "minimum"][..]),
            on_congestion in prop::sample::select(&["keep", "halve", "minimum", "restart"][..]),
            by_channel: bool, timeouts in 1u32..4, silent: bool,
        ) {
            let params = reading(on_channel, on_congestion);
            let (mut r, p) = known(&params);
            let p = Public {
                cwnd: cwnd * 1000.0,
                ssthresh: ssthresh * 1000.0,
                max: 1 + 1000 * flight,
                offer: 1_000_000,
                min_rtt: Some(ms(rtt)),
                consecutive_timeouts: timeouts,
                ..p
            };
            let (sign, cause) = (
                if silent { Sign::Silence } else { Sign::Duplicates },
                if by_channel { Cause::Channel } else { Cause::Congestion },
            );
            let cut = r.on_loss(&p, sign, cause);
            let newreno = (HALVE.build)(&params).on_loss(&p, sign, cause);
            let reading = if by_channel && !silent { on_channel } else { on_congestion };
            prop_assert!(!silent || cut.cwnd == 1000.0);
            match reading {
                "halve" => prop_assert_eq!(cut, newreno),
                "keep" => prop_assert!(cut.ssthresh == p.ssthresh && (silent || cut.cwnd == p.cwnd)),
                _ => prop_assert!(cut.cwnd <= p.cwnd && cut.cwnd <= cut.ssthresh && cut.ssthresh >= 2000.0),
            }
            prop_assert!(reading != "restart" || cut.cwnd == 1000.0);
        }
    }

    #[test]
    fn a_longer_route_scales_window_and_timer() {
        let (mut r, p) = known(&Params::default());
        let cut = r.on_loss(&p, Sign::Silence, Cause::Route);
        assert_eq!(cut, Cut { cwnd: 10_000.0, ssthresh: 8000.0, is_probe: true });
        let windows = after(r.as_mut(), &p, ms(200), 4).unwrap();
        assert_eq!(windows, Windows { cwnd: 5000.0, ssthresh: 8000.0, rto: ms(600) });
        assert_eq!(after(r.as_mut(), &p, ms(200), 4), None);
    }

    #[test]
    fn a_shorter_route_is_bounded_by_what_the_path_holds() {
        let (mut r, p) = known(&Params::default());
        r.on_loss(&p, Sign::Silence, Cause::Route);
        let windows = after(r.as_mut(), &p, ms(50), 4).unwrap();
        assert_eq!(windows, Windows { cwnd: 8000.0, ssthresh: 8000.0, rto: ms(150) });
    }

    #[test]
    fn repeated_silence_keeps_what_was_before_the_first() {
        let (mut r, mut p) = known(&Params::default());
        r.on_loss(&p, Sign::Silence, Cause::Route);
        assert_eq!(after(r.as_mut(), &p, ms(400), 2), None);
        p.srtt = Some(ms(400));
        r.on_loss(&p, Sign::Silence, Cause::Route);
        assert_eq!(after(r.as_mut(), &p, ms(400), 4).unwrap().cwnd, 2500.0);
    }

    #[test]
    fn congestion_on_the_way_ends_it() {
        let (mut r, p) = known(&Params::default());
        r.on_loss(&p, Sign::Silence, Cause::Route);
        r.on_loss(&p, Sign::Silence, Cause::Congestion);
        assert_eq!(after(r.as_mut(), &p, ms(200), 9), None);
    }

    #[test]
    fn the_window_can_be_kept_or_halved_instead() {
        for (word, at_once, later) in [("keep", 10_000.0, 10_000.0), ("halve", 5000.0, 5000.0)] {
            let mut params = Params::default();
            params.set("welcome_route_window", Value::Word(word.into())).unwrap();
            let (mut r, mut p) = known(&params);
            p.cwnd = r.on_loss(&p, Sign::Silence, Cause::Route).cwnd;
            assert_eq!(p.cwnd, at_once, "{word}");
            assert_eq!(r.on_loss(&p, Sign::Silence, Cause::Route).cwnd, at_once, "{word}");
            let windows = after(r.as_mut(), &p, ms(200), 4).unwrap();
            assert_eq!((windows.cwnd, windows.rto), (later, ms(600)), "{word}");
        }
    }
}
