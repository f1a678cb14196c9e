//! Vegas: keeps a few segments queued in the path, judged once per round trip by the rate reached and expected.
//!
//! Spec      Brakmo and Peterson 1995 §3.3; ns-2 Agent/TCP/Vegas; Linux `tcp_vegas` where a knob says so
//! Deviates  the window expected of is what was outstanding before the acknowledgement that ends the round (ns-2's
//!           rules: after it, and one segment); it does not grow while more than two segments of it are unused (ns-2)
//! Holds     one step per round trip at most; never closes the window below two segments

use super::Avoidance;
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Knob, Params, RecoveryRules, Rounding};
use crate::view::Public;

/// See the file's header.
pub const VEGAS: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("vegas", "Brakmo and Peterson 1995", |p| Box::new(Vegas::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[KNOBS[0], KNOBS[1], KNOBS[2], ROUTE_RESETS_BASE, ALPHA, BETA]);

const ALPHA: Knob = Knob::real(
    "vegas_alpha",
    "segments",
    1.0,
    0.0..=65535.0,
    "the window grows if fewer segments than this are queued",
);
const BETA: Knob = Knob::real(
    "vegas_beta",
    "segments",
    3.0,
    0.0..=65535.0,
    "the window shrinks if more segments than this are queued",
);

/// What both window rules of Vegas read.
pub(crate) const KNOBS: [Knob; 3] = [
    Knob::word(
        "vegas_rounding",
        &["as-windows", "real", "whole"],
        "how segments in the queue are counted: in whole segments (ns-2), as real numbers, or as windows are counted",
    ),
    Knob::word(
        "vegas_rtt",
        &["mean", "shortest"],
        "which of the delays measured in a round trip stands for this round trip. Linux: the shortest",
    ),
    Knob::count(
        "vegas_least_samples",
        "",
        0,
        0..=65535,
        "fewest measured delays in a round trip. With fewer delays, the window grows as in Reno. Linux: 3",
    ),
];

/// Read by the engine where signals come in.
pub(crate) const ROUTE_RESETS_BASE: Knob = Knob::switch(
    "vegas_route_resets_base",
    false,
    "whether the base delay is measured again after a signal of another route",
);

/// What a round trip tells about the queue in the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    is_ns2: bool,
    is_whole: bool,
    by_shortest: bool,
    least_samples: u32,
}

impl Backlog {
    pub(in crate::mechanisms) fn new(params: &Params) -> Self {
        Self {
            is_ns2: params.recovery_rules == RecoveryRules::Ns2,
            is_whole: match params.word(&KNOBS[0]) {
                "real" => false,
                "whole" => true,
                _ => params.rounding == Rounding::WholeSegments,
            },
            by_shortest: params.word(&KNOBS[1]) == "shortest",
            least_samples: params.count(&KNOBS[2]),
        }
    }

    /// Bytes in use of the window before this acknowledgement; ns-2 counts `t_seqno_ - last_ack_` packets, which
    /// is one more than are outstanding after it.
    fn in_use(self, p: &Public, ack: &Ack<'_>) -> f64 {
        let left = if self.is_ns2 { u64::from(p.mss) } else { ack.acked };
        (p.nxt - p.una + left) as f64
    }

    /// Segments queued in the path in the round that just ended, `None` if too little was measured:
    /// (expected - actual) * BaseRTT.
    pub(in crate::mechanisms) fn segments(self, p: &Public, ack: &Ack<'_>) -> Option<f64> {
        let round = &p.round;
        if round.samples < self.least_samples {
            return None;
        }
        let rtt = if self.by_shortest { round.shortest } else { round.mean };
        let (rtt, base) = (rtt.as_secs_f64(), round.base_then.as_secs_f64());
        if rtt <= 0.0 {
            return None;
        }
        let mss = f64::from(p.mss);
        let (expected, actual) = (self.in_use(p, ack) / mss / base, round.sent as f64 / mss / rtt);
        let queued = (expected - actual) * base; // in this order, as sums on the edge of a half round as ns-2's
        Some(if self.is_whole { (queued + 0.5).trunc() } else { queued })
    }

    /// Whether the sender uses a window of so many bytes, so that a larger one would be of use.
    pub(in crate::mechanisms) fn is_used(self, p: &Public, cwnd: f64, ack: &Ack<'_>) -> bool {
        cwnd - self.in_use(p, ack) <= 2.0 * f64::from(p.mss)
    }
}

#[derive(Debug)]
struct Vegas {
    backlog: Backlog,
    alpha: f64,
    beta: f64,
    /// What an acknowledgement adds during this round, in segments.
    step: f64,
    /// The window it made last, in segments. Steps of an n-th meet whole numbers, or just miss them, so where only
    /// whole segments may be used the sum must round as ns-2's does, which counts in segments.
    cwnd: f64,
    /// The round that `step` is for.
    round: u64,
}

impl Vegas {
    fn new(params: &Params) -> Self {
        let (alpha, beta) = (params.number(&ALPHA), params.number(&BETA));
        Self { backlog: Backlog::new(params), alpha, beta, step: 0.0, cwnd: 0.0, round: u64::MAX }
    }
}

impl Vegas {
    /// The bytes that change the window by so many segments.
    fn change(&mut self, p: &Public, by: impl Fn(f64) -> f64) -> f64 {
        let mss = f64::from(p.mss);
        let is_known = (self.cwnd * mss - p.cwnd).abs() < 1e-6;
        self.cwnd = by(if is_known { self.cwnd } else { p.cwnd / mss });
        let mut bytes = self.cwnd * mss;
        if (bytes / mss).floor() > self.cwnd.floor() {
            bytes = bytes.next_down();
        } else if (bytes / mss).floor() < self.cwnd.floor() {
            bytes = bytes.next_up();
        }
        bytes - p.cwnd
    }
}

impl Avoidance for Vegas {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        if p.round.has_ended {
            self.round = p.round.number;
            self.step = 0.0;
            match self.backlog.segments(p, ack) {
                Some(queued) if queued > self.beta => return self.change(p, |cwnd| (cwnd - 1.0).max(2.0)),
                Some(queued) if queued >= self.alpha => {}
                _ => {
                    let _same = self.change(p, |cwnd| cwnd);
                    self.step = 1.0 / self.cwnd;
                }
            }
        }
        let grows = self.round == p.round.number && self.step > 0.0 && self.backlog.is_used(p, p.cwnd, ack);
        let step = self.step;
        if grows { self.change(p, |cwnd| cwnd + step) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;

    use super::*;
    use crate::Value;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::view::Round;

    const MSS: u32 = 1000;

    /// Ten segments of window, all sent in a round of this mean delay over a base of 100 ms.
    fn after(rtt_us: u64) -> Public {
        let (mean, base_then) = (Duration::from_micros(rtt_us), Duration::from_millis(100));
        let round =
            Round { has_ended: true, number: 7, mean, shortest: base_then, samples: 10, base_then, ..Round::default() };
        let round = Round { sent: 10_000, ..round };
        Public { mss: MSS, cwnd: 10_000.0, una: 1001, nxt: 10_001, max: 10_001, round, ..Public::default() }
    }

    fn step(params: &Params, p: &Public) -> f64 {
        let segment = empty_segment();
        (VEGAS.build)(params).on_ack(p, &Ack::bare(AckKind::Advance, u64::from(MSS), &segment))
    }

    #[test]
    fn the_queue_opens_holds_or_closes_the_window() {
        let rtts = [105_000, 106_000, 125_000, 150_000, 160_000];
        let real = rtts.map(|rtt| step(&Params::default(), &after(rtt)));
        assert_eq!(real, [100.0, 100.0, 0.0, -1000.0, -1000.0]);
        let whole = rtts.map(|rtt| step(&Params::ns2(), &after(rtt)));
        assert_eq!(whole, [100.0, 0.0, 0.0, 0.0, -1000.0]);
    }

    /// Vector X7: a window of 20 segments over a base of 100 ms. At 105 ms 0.95 of them are queued, and it grows by one; at
    /// 110 ms 1.82, and it stays; at 120 ms 3.33, and it shrinks by one.
    #[test]
    fn a_round_trip_moves_the_window_by_a_segment() {
        let segment = empty_segment();
        let ack = Ack::bare(AckKind::Advance, u64::from(MSS), &segment);
        for (rtt_ms, queued, segments) in [(105, 0.95, 21.0), (110, 1.82, 20.0), (120, 3.33, 19.0)] {
            let mut p = Public { cwnd: 20_000.0, nxt: 20_001, max: 20_001, ..after(1_000 * rtt_ms) };
            p.round.sent = 20_000;
            let told = Backlog::new(&Params::default()).segments(&p, &ack).unwrap();
            assert!((told - queued).abs() < 0.005, "{told} for {queued}");
            let mut part = (VEGAS.build)(&Params::default());
            for _ in 0..20 {
                p.cwnd += part.on_ack(&p, &ack);
                p.round.has_ended = false;
            }
            assert!((p.cwnd - 1_000.0 * segments).abs() < 0.001, "{} for {segments}", p.cwnd);
        }
    }

    #[test]
    fn the_knobs_choose_the_delay_and_the_limits() {
        let mut params = Params::default();
        params.set("vegas_beta", Value::Number(4.0)).unwrap();
        assert_eq!(step(&params, &after(160_000)), 0.0);
        params.set("vegas_alpha", Value::Number(4.0)).unwrap();
        assert_eq!(step(&params, &after(160_000)), 100.0);
        let mut params = Params::default();
        params.set("vegas_rtt", Value::Word("shortest".into())).unwrap();
        assert_eq!(step(&params, &after(160_000)), 100.0);
        let mut params = Params::default();
        params.set("vegas_least_samples", Value::Number(11.0)).unwrap();
        assert_eq!(step(&params, &after(160_000)), 100.0);
    }

    #[test]
    fn the_step_lasts_for_a_round_and_unused_windows_do_not_grow() {
        let segment = empty_segment();
        let ack = Ack::bare(AckKind::Advance, u64::from(MSS), &segment);
        let mut part = (VEGAS.build)(&Params::default());
        let mut p = after(100_000);
        assert_eq!(part.on_ack(&p, &ack), 100.0);
        p.round.has_ended = false;
        assert_eq!(part.on_ack(&p, &ack), 100.0);
        assert_eq!(part.on_ack(&Public { cwnd: 12_001.0, ..p.clone() }, &ack), 0.0);
        p.round.number += 1; // judged by somebody else
        assert_eq!(part.on_ack(&p, &ack), 0.0);
    }

    #[test]
    fn two_segments_are_the_least() {
        let p = Public { cwnd: 2500.0, ..after(160_000) };
        assert_eq!(step(&Params::default(), &p), -500.0);
    }
}
