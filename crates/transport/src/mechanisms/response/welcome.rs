//! TCP-WELCOME's loss recovery: an answer for each cause.
//!
//! Spec      Ghaleb-Seddik 2009 §5.7 (equations 5.5 to 5.9, figures 5.8 and 5.9, table 5.1)
//! Deviates  readings of what the document leaves open: a route that broke is probed, without backing the timer off,
//!           by the segment whose silence told; the round-trip time before is the smoothed one, that after the mean of
//!           the first samples; the window that is scaled is the one before the loss. With duplicates, congestion and
//!           channel get the same windows, since the threshold replaces NewReno's half for both (figure 5.9 sets one
//!           segment: `welcome_restarts_on_duplicates`). Silence put down to the channel, and contention, which the
//!           document does not know, are answered as congestion
//! Holds     the window is never raised; the threshold is two segments at least

use hopwright_machine::Duration;

use super::{Cut, Response, Windows};
use crate::engine::Public;
use crate::mechanisms::estimators::{BANDWIDTH_KNOBS, Bandwidth};
use crate::mechanisms::{Ack, AckKind, Cause, Part, Sign};
use crate::params::{Knob, Params};

/// See the file's header.
pub const WELCOME: Part<dyn Response> =
    Part::<dyn Response>::new("welcome", "Ghaleb-Seddik 2009 §5.7", |p| Box::new(Welcome::new(p))).with_knobs(KNOBS);

const NEW_SAMPLES: Knob = Knob::count(
    "welcome_new_rtt_samples",
    "samples",
    4,
    1..=1000,
    "round-trip times that characterise a restored path (RTO_NEW_RTT_SAMPLES)",
);
const ROUTE_WINDOW: Knob = Knob::word(
    "welcome_route_window",
    &["scale", "keep", "halve"],
    "the window on a restored path: by the ratio of round-trip times, as before, or half (the three ways of §5.7.2)",
);
const RESTARTS: Knob = Knob::switch(
    "welcome_restarts_on_duplicates",
    false,
    "congestion told by duplicates leaves one segment (figure 5.9) instead of the threshold (§5.7.2)",
);

const KNOBS: &[Knob] = &{
    let mut knobs = [NEW_SAMPLES; BANDWIDTH_KNOBS.len() + 3];
    (knobs[1], knobs[2]) = (ROUTE_WINDOW, RESTARTS);
    let mut i = 0;
    while i < BANDWIDTH_KNOBS.len() {
        knobs[i + 3] = BANDWIDTH_KNOBS[i];
        i += 1;
    }
    knobs
};

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
    restarts: bool,
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
            restarts: params.is(&RESTARTS),
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
        let threshold = self.bandwidth.threshold(p, 1.0);
        if cause == Cause::Route {
            return self.on_route(p, threshold);
        }
        self.restored = None;
        let mss = f64::from(p.mss);
        let cwnd = match (sign, cause) {
            (Sign::Duplicates, Cause::Channel) => p.cwnd.min(threshold),
            (Sign::Duplicates, _) if !self.restarts => p.cwnd.min(threshold),
            _ => mss,
        };
        if sign == Sign::Silence {
            self.bandwidth.on_timeout();
        }
        Cut::to(cwnd, threshold)
    }

    fn adopt(&mut self, p: &Public) {
        self.bandwidth.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn the_channel_costs_what_the_path_does_not_hold() {
        let (mut r, p) = known(&Params::default());
        assert_eq!(r.on_loss(&p, Sign::Duplicates, Cause::Channel), Cut::to(8000.0, 8000.0));
        let small = Public { cwnd: 5000.0, ..p };
        assert_eq!(r.on_loss(&small, Sign::Duplicates, Cause::Channel), Cut::to(5000.0, 8000.0));
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

    #[test]
    fn congestion_leaves_the_threshold_or_one_segment() {
        let (mut r, p) = known(&Params::default());
        assert_eq!(r.on_loss(&p, Sign::Duplicates, Cause::Congestion), Cut::to(8000.0, 8000.0));
        assert_eq!(r.on_loss(&p, Sign::Silence, Cause::Congestion), Cut::to(1000.0, 8000.0));
        let mut params = Params::default();
        params.set("welcome_restarts_on_duplicates", Value::Bool(true)).unwrap();
        let (mut r, p) = known(&params);
        assert_eq!(r.on_loss(&p, Sign::Duplicates, Cause::Congestion), Cut::to(1000.0, 8000.0));
        assert_eq!(r.on_loss(&p, Sign::Duplicates, Cause::Channel), Cut::to(8000.0, 8000.0));
    }
}
