//! A window: as much may be outstanding as both congestion window and offered window allow, within fixed limits
//! where there are any.
//!
//! Spec      RFC 5681 §2; ns-2 `window()` where windows are counted in whole segments; for the limits Papanastasiou
//!           2006 §4.4.2 (congestion window limit, CWL) and §5.2.2 (2 to 4 segments), ns-2 `maxcwnd_`
//! Deviates  Papanastasiou prints the larger of both windows, a slip
//! Holds     never more than the peer offers. What recovery adds for segments that have left the network is not
//!           limited, so that the limit holds for what is in the network

use super::{Allowance, Control, float, within};
use crate::mechanisms::Part;
use crate::params::{Knob, Params, Rounding};
use crate::view::Public;

/// See the file's header.
pub const WINDOW: Part<dyn Control> =
    Part::<dyn Control>::new("window", "RFC 5681 §2", |p| Box::new(Window::new(p))).with_knobs(LIMITS);

/// The knobs of the limits.
pub(super) const LIMITS: &[Knob] = &[CWND_LIMIT, CWND_FLOOR, CWND_LIMIT_ACTS];

pub(in crate::mechanisms) const CWND_LIMIT: Knob = Knob::count(
    "cwnd_limit_segments",
    "segments",
    0,
    0..=65535,
    "largest congestion window (CWL, in ns-2 maxcwnd_). 0: no limit",
);

pub(in crate::mechanisms) const CWND_FLOOR: Knob = Knob::count(
    "cwnd_floor_segments",
    "segments",
    0,
    0..=65535,
    "smallest congestion window, if the largest window allows it. 0: one segment",
);

const CWND_LIMIT_ACTS: Knob = Knob::word(
    "cwnd_limit_acts",
    &["clamp", "send"],
    "what the two limits act on: the congestion window itself (ns-2), or only what may be sent",
);

/// See the file's header.
#[derive(Debug)]
pub(super) struct Window {
    rounding: Rounding,
    /// In segments; zero and infinity: none.
    floor: f64,
    limit: f64,
    /// Whether the limits are those of the congestion window itself.
    clamps: bool,
}

impl Window {
    pub(super) fn new(p: &Params) -> Self {
        Self {
            rounding: p.rounding,
            floor: p.number(&CWND_FLOOR),
            limit: Some(p.number(&CWND_LIMIT)).filter(|&limit| limit > 0.0).unwrap_or(f64::INFINITY),
            clamps: p.word(&CWND_LIMIT_ACTS) == "clamp",
        }
    }

    /// What may be sent if this limit, in segments, holds beside the fixed one.
    pub(super) fn allowance_within(&self, p: &Public, limit: f64) -> Allowance {
        let (least, most) = self.range(p, limit);
        let mut window = within(p.cwnd, least, most) + p.inflation;
        if self.rounding == Rounding::WholeSegments {
            let mss = f64::from(p.mss);
            window = (window / mss).floor() * mss;
        }
        let offer = float(p.offer);
        Allowance { window: if window < offer { window } else { offer }, rate: f64::INFINITY }
    }

    /// The bounds of the congestion window if this limit holds beside the fixed one.
    pub(super) fn bounds_within(&self, p: &Public, limit: f64) -> (f64, f64) {
        if self.clamps { self.range(p, limit) } else { (0.0, f64::INFINITY) }
    }

    fn range(&self, p: &Public, limit: f64) -> (f64, f64) {
        let mss = f64::from(p.mss);
        (self.floor * mss, self.limit.min(limit) * mss)
    }
}

impl Control for Window {
    fn allowance(&mut self, p: &Public) -> Allowance {
        self.allowance_within(p, f64::INFINITY)
    }

    fn bounds(&self, p: &Public) -> (f64, f64) {
        self.bounds_within(p, f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn control(settings: &[(&str, Value)]) -> Window {
        let mut params = Params::default();
        for (name, value) in settings {
            params.set(name, value.clone()).unwrap();
        }
        Window::new(&params)
    }

    #[test]
    fn the_smaller_window_rules() {
        let mut control = (WINDOW.build)(&Params::default());
        let p = Public { mss: 1000, cwnd: 2500.0, inflation: 1000.0, offer: 9000, ..Public::default() };
        assert_eq!(control.allowance(&p).window, 3500.0);
        assert_eq!(control.allowance(&Public { offer: 3000, ..p }).window, 3000.0);
    }

    #[test]
    fn ns2_uses_whole_segments_only() {
        let mut control = (WINDOW.build)(&Params::ns2());
        let p = Public { mss: 1000, cwnd: 2999.0, inflation: 3000.0, offer: 9000, ..Public::default() };
        assert_eq!(control.allowance(&p).window, 5000.0);
    }

    #[test]
    fn limits_bound_what_is_sent_and_unless_told_otherwise_the_window_itself() {
        let limits = [("cwnd_limit_segments", Value::Number(4.0)), ("cwnd_floor_segments", Value::Number(2.0))];
        let p = Public { mss: 1000, cwnd: 6000.0, offer: 90_000, ..Public::default() };
        let mut clamping = control(&limits);
        assert_eq!((clamping.allowance(&p).window, clamping.bounds(&p)), (4000.0, (2000.0, 4000.0)));
        assert_eq!(clamping.allowance(&Public { cwnd: 1000.0, ..p.clone() }).window, 2000.0);
        assert_eq!(clamping.allowance(&Public { inflation: 3000.0, ..p.clone() }).window, 7000.0);
        let mut sending = control(&[&limits[..], &[("cwnd_limit_acts", Value::Word("send".into()))]].concat());
        assert_eq!((sending.allowance(&p).window, sending.bounds(&p)), (4000.0, (0.0, f64::INFINITY)));
    }

    #[test]
    fn the_limit_wins_over_the_floor() {
        let both = [("cwnd_limit_segments", Value::Number(1.0)), ("cwnd_floor_segments", Value::Number(2.0))];
        let p = Public { mss: 1000, cwnd: 6000.0, offer: 90_000, ..Public::default() };
        assert_eq!(control(&both).allowance(&p).window, 1000.0);
    }
}
