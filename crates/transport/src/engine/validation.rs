//! Congestion window validation: a window that is not used does not grow, is filled slowly by who paused, and is not
//! believed when something is lost.
//!
//! Spec      RFC 7661 §4.1 to §4.4 (pipeACK, the two phases, the response to congestion, bursts, the end of the
//!           non-validated period), §5; it takes the place of the restart after an RTO of silence (RFC 5681 §4.1)
//! Deviates  - a sender that fills its window has a validated one whatever pipeACK is: it is not rate-limited (§3), and in
//!             slow start the last measurement is of half the window
//!           - after a loss the response slot says which part stays of what was used; the RFC knows one half
//!           - what recovery sends again counts each time it is sent (§4.4.1 counts it once)
//! Holds     off unless `window_validation` asks for it. A sender that always has data to send, and room in the peer's
//!           window for them, does not notice it

use hopwright_machine::{Duration, Time};

use super::Connection;
use crate::mechanisms::control::float;
use crate::params::{Params, WindowValidation};

/// The least time over which pipeACK is the largest of its measurements (§4.2).
const LEAST_PERIOD: Duration = Duration::from_secs(1);

/// How long a window is kept that is not used, the non-validated period (§5).
const KEPT: Duration = Duration::from_secs(300);

/// In how many parts of the period the largest measurement is kept.
const PARTS: usize = 4;

/// See the file's header. What it says is `Public::pipe`.
#[derive(Debug)]
pub(super) struct Validation {
    pub(super) is_on: bool,
    /// The largest measurements of the last parts of the period and when each part began, the newest first. None at all:
    /// pipeACK is undefined, and the window counts as validated (§4.2).
    parts: [Option<(Time, u64)>; PARTS],
    /// A measurement is what is acknowledged from `from` on until all is that had left at its beginning.
    from: u64,
    until: u64,
    /// When new data were last acknowledged, or a measurement would have made no sense.
    seen: Time,
    /// When the window was last validated.
    valid_at: Time,
    /// The window that was used when a loss was answered which came while it was not validated, and the part of that which
    /// stayed (§4.4.1).
    pub(super) loss: Option<(f64, f64)>,
    /// Bytes sent again since then.
    pub(super) resent: u64,
}

impl Validation {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            is_on: params.window_validation == WindowValidation::Rfc7661,
            parts: [None; PARTS],
            from: 1,
            until: 0,
            seen: Time::ZERO,
            valid_at: Time::ZERO,
            loss: None,
            resent: 0,
        }
    }

    /// Measures anew, from this position on.
    fn restart(&mut self, now: Time, una: u64) {
        self.parts = [None; PARTS];
        (self.from, self.until) = (una, 0);
        (self.seen, self.valid_at) = (now, now);
    }

    fn record(&mut self, now: Time, bytes: u64, period: Duration) {
        match &mut self.parts[0] {
            Some((began, largest)) if now.since(*began) * (PARTS as u64) < period => *largest = bytes.max(*largest),
            _ => {
                self.parts.rotate_right(1);
                self.parts[0] = Some((now, bytes));
            }
        }
    }

    /// pipeACK: nothing, where nothing was measured lately.
    fn pipe(&self, now: Time, period: Duration) -> Option<u64> {
        self.parts[0]?;
        let recent = self.parts.iter().flatten().filter(|(began, _)| now.since(*began) <= period);
        Some(recent.map(|(_, largest)| *largest).max().unwrap_or(0))
    }
}

impl Connection {
    /// What is known of the path is another path's, or was lost with what is repaired: the window counts as validated
    /// until it is measured again.
    pub(super) fn trust_window(&mut self) {
        self.public.pipe = None;
        self.validation.restart(self.public.now, self.public.una);
    }

    /// The period of the measurements (§4.2).
    fn validation_period(&self) -> Duration {
        LEAST_PERIOD.max(self.public.srtt.map_or(Duration::ZERO, |srtt| srtt * 3))
    }

    /// New data were acknowledged, before the window grows for it.
    #[inline(never)]
    pub(super) fn validate_window(&mut self) {
        let p = &self.public;
        if self.is_constant || p.is_recovering() || p.una < p.recover {
            return self.trust_window();
        }
        let period = self.validation_period();
        let (v, p) = (&mut self.validation, &mut self.public);
        v.seen = p.now;
        if v.until <= v.from {
            v.until = p.max; // nothing was under way when the measurement began
        }
        if p.una >= v.until {
            v.record(p.now, p.una - v.from, period);
            (v.from, v.until) = (p.una, p.max);
        }
        let is_full = float(p.max - p.former_una) + f64::from(p.mss) > p.cwnd;
        p.pipe = v.pipe(p.now, period).filter(|&pipe| 2.0 * float(pipe) < p.cwnd && !is_full);
        if p.pipe.is_none() {
            v.valid_at = p.now;
        } else {
            self.let_window_decay();
        }
    }

    /// Data leave after everything was acknowledged: if that was long ago, nothing is known of the path any more.
    pub(super) fn doubt_after_idle(&mut self) {
        let p = &self.public;
        let is_idle = p.una == p.max && p.una > 1 && self.out.has_beyond(p.nxt) && !self.is_constant;
        if is_idle && p.now.since(self.validation.seen) > self.validation_period() {
            self.validation.parts = [None; PARTS];
            self.validation.parts[0] = Some((p.now, 0));
            self.public.pipe = Some(0);
        }
        if is_idle && self.public.pipe.is_some() {
            self.let_window_decay();
        }
    }

    /// A window that was not validated for long is halved, again and again, but for the initial one (§4.4.3).
    fn let_window_decay(&mut self) {
        let p = &mut self.public;
        let former = p.cwnd;
        let initial = f64::from(self.params.initial_window_segments) * f64::from(p.mss);
        while p.now.since(self.validation.valid_at) > KEPT && p.cwnd > initial {
            self.validation.valid_at += KEPT;
            p.ssthresh = p.ssthresh.max(0.75 * p.cwnd);
            p.cwnd = initial.max(p.cwnd / 2.0);
        }
        if p.cwnd < former {
            self.bound_window();
            self.settle_phase();
        }
    }

    /// Whether the rest of a window that is not validated waits for its time.
    fn is_spread(&self) -> bool {
        self.timers.pace > self.public.now && !self.timers.pace.is_never()
    }

    /// How many segments the event at hand may release into a window that is not validated: in place of those it
    /// acknowledged, or as many as begin a connection, if they are more and none waits for its time (§4.4.2).
    pub(super) fn burst_of_doubt(&self, limit: Option<u32>) -> u32 {
        let p = &self.public;
        let acked = if self.validation.seen == p.now { p.una - p.former_una } else { 0 };
        let replaced = acked.div_ceil(u64::from(p.mss)) as u32;
        let most = if self.is_spread() { replaced } else { replaced.max(self.params.initial_window_segments) };
        limit.map_or(most, |limit| limit.min(most))
    }

    /// So many segments have left, and more may: they do when they would if the window were spread over a round trip
    /// (§4.4.2).
    pub(super) fn spread_rest(&mut self, sent: u32) {
        let p = &self.public;
        if let Some(srtt) = p.srtt.filter(|_| sent > 0 && self.out.has_beyond(p.nxt) && !self.is_spread()) {
            let share = (f64::from(sent) * f64::from(p.mss) / p.cwnd).min(1.0);
            let wait = Duration::from_secs_f64(srtt.as_secs_f64() * share).max(Duration::from_nanos(1));
            self.timers.pace = self.slots.timeout.fires(p.now + wait);
        }
    }

    /// The window that is cut, as far as it was used: all of it, if it is validated (§4.4.1).
    pub(super) fn used_window(&self) -> f64 {
        let p = &self.public;
        let used = |pipe: u64| float(pipe.max(p.flight().saturating_sub(p.limited_bytes)));
        p.pipe.map_or(p.cwnd, |pipe| used(pipe).min(p.cwnd))
    }

    /// The window was cut, when so much of it was used: no more of it than that is left. `is_repaired`: settled when what is
    /// missing has been sent again.
    pub(super) fn note_cut(&mut self, used: f64, is_repaired: bool) {
        if !self.validation.is_on {
            return;
        }
        let p = &mut self.public;
        if p.pipe.is_some() {
            let used = used.max(f64::from(p.mss));
            p.cwnd = p.cwnd.min(used);
            self.validation.loss = is_repaired.then_some((used, p.cwnd / used));
            self.validation.resent = 0;
        }
        self.trust_window();
    }

    /// A loss is repaired. If the window was not validated when it came, the path could not even carry what was sent again
    /// (§4.4.1).
    pub(super) fn settle_cut(&mut self) {
        let Some((used, part)) = self.validation.loss.take() else { return };
        let mss = f64::from(self.public.mss);
        let window = ((used - float(self.validation.resent)) * part).max(mss);
        let p = &mut self.public;
        p.cwnd = p.cwnd.min(window);
        p.ssthresh = p.ssthresh.min(window.max(2.0 * mss));
        self.bound_window();
    }
}
