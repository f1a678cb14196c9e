//! Vegas' cut: a quarter, or half if the segment was lost again, and once per flight at most.
//!
//! Spec      Brakmo and Peterson 1995 §3.1 (no cut for what left before the last one); ns-2 Agent/TCP/Vegas
//! Deviates  ns-2's rules, where switched on: the window counts with its inflation, in whole segments
//! Holds     never below two segments; after silence the threshold is Reno's

use hopwright_machine::Time;

use super::halve::Halve;
use super::{Cut, Response};
use crate::mechanisms::{Cause, Needs, Part, Sign};
use crate::params::{Knob, Params, Rounding};
use crate::view::Public;

/// See the file's header.
pub const VEGAS: Part<dyn Response> =
    Part::<dyn Response>::new("vegas", "Brakmo and Peterson 1995 §3.1", |p| Box::new(Vegas::new(p)))
        .needing(Needs::SENT_TIMES)
        .with_knobs(&[RESTART]);

const RESTART: Knob = Knob::count(
    "vegas_restart_segments",
    "segments",
    2,
    1..=65535,
    "the window after a time-out (in ns-2: v_slowstart_)",
);

/// When the window was last cut: only what left later can ask for another cut.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LastCut(Option<Time>);

impl LastCut {
    /// Whether the loss of the first unacknowledged segment asks for a cut, which is then made.
    pub(in crate::mechanisms) fn is_due(&mut self, p: &Public) -> bool {
        let left = p.sent.at(p.una).map_or(p.now, |sent| sent.at);
        let is_due = self.0.is_none_or(|cut| cut < left);
        if is_due {
            self.set(p);
        }
        is_due
    }

    /// It is cut now.
    pub(in crate::mechanisms) const fn set(&mut self, p: &Public) {
        self.0 = Some(p.now);
    }
}

#[derive(Debug)]
struct Vegas {
    halve: Halve,
    rounding: Rounding,
    restart_segments: u32,
    last_cut: LastCut,
}

impl Vegas {
    fn new(params: &Params) -> Self {
        Self {
            halve: Halve::new(params),
            rounding: params.rounding,
            restart_segments: params.count(&RESTART),
            last_cut: LastCut::default(),
        }
    }

    fn cut(&self, p: &Public) -> f64 {
        let mss = f64::from(p.mss);
        let was_resent = p.sent.at(p.una).is_some_and(|sent| sent.copies > 1);
        if self.rounding == Rounding::Bytes {
            let window = p.cwnd.min(p.offer as f64);
            let left = if was_resent { window / 2.0 } else { window * 0.75 };
            return if window <= 3.0 * mss { 2.0 * mss } else { left.max(2.0 * mss) };
        }
        let window = (p.window().min(p.offer as f64) / mss) as u64;
        let left = match window {
            0..=3 => 2,
            _ if was_resent => window / 2,
            _ => window - window / 4,
        };
        left as f64 * mss
    }
}

impl Response for Vegas {
    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut {
        if sign == Sign::Silence {
            self.last_cut.set(p);
            let cwnd = f64::from(self.restart_segments) * f64::from(p.mss);
            return Cut { cwnd, ..self.halve.on_loss(p, sign, cause) };
        }
        let cwnd = if self.last_cut.is_due(p) { self.cut(p) } else { p.cwnd };
        Cut::to(cwnd, p.ssthresh)
    }
}
