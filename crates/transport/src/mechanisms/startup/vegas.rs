//! Vegas' slow start: doubles the window in every other round trip, and ends when a queue builds up.
//!
//! Spec      Brakmo and Peterson 1995 §3.3; ns-2 Agent/TCP/Vegas; Linux `tcp_vegas` where a knob says so
//! Deviates  while a window rule of the avoidance slot still lasts, that slot goes on with it until the round ends
//!           (ns-2's `v_incr_` survives a time-out)
//! Holds     nothing is judged before a whole round trip of data; at the threshold growth ends at once

use super::{Growth, Startup};
use crate::mechanisms::avoidance::{Backlog, VEGAS_KNOBS};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Knob, Params, RecoveryRules};
use crate::view::Public;

/// See the file's header.
pub const VEGAS: Part<dyn Startup> =
    Part::<dyn Startup>::new("vegas", "Brakmo and Peterson 1995", |p| Box::new(Vegas::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[VEGAS_KNOBS[0], VEGAS_KNOBS[1], VEGAS_KNOBS[2], GAMMA, PACE, EXIT]);

const GAMMA: Knob =
    Knob::real("vegas_gamma", "segments", 1.0, 0.0..=65535.0, "slow start ends if more segments than this are queued");
const PACE: Knob = Knob::word(
    "vegas_pace",
    &["every-other", "every"],
    "which round trips of slow start double the window. Linux: every round trip",
);
const EXIT: Knob = Knob::word(
    "vegas_exit",
    &["eighth", "target"],
    "the window after slow start: one eighth less, or one segment more than the path holds (Linux)",
);

#[derive(Debug)]
struct Vegas {
    initial_segments: u32,
    is_ns2: bool,
    backlog: Backlog,
    gamma: f64,
    doubles_every: bool,
    exits_to_target: bool,
    /// Whether the last round was one that is judged. The handshake counts as one, but for ns-2 as the other kind.
    judged: bool,
    /// Whether acknowledgements open the window during this round.
    grows: bool,
    /// The last round that was this slot's.
    round: u64,
    /// What was acknowledged when it was last asked.
    una: u64,
}

impl Vegas {
    fn new(params: &Params) -> Self {
        Self {
            initial_segments: params.initial_window_segments,
            is_ns2: params.recovery_rules == RecoveryRules::Ns2,
            backlog: Backlog::new(params),
            gamma: params.number(&GAMMA),
            doubles_every: params.word(&PACE) == "every",
            exits_to_target: params.word(&EXIT) == "target",
            judged: params.recovery_rules != RecoveryRules::Ns2,
            grows: false,
            round: 0,
            una: 1,
        }
    }

    /// A round ended. Returns the windows if that is the end of slow start.
    fn judge(&mut self, p: &Public, ack: &Ack<'_>) -> Option<Growth> {
        self.judged = !self.judged || self.doubles_every;
        self.grows = self.judged;
        let queued = self.backlog.segments(p, ack).filter(|queued| self.judged && *queued > self.gamma)?;
        self.grows = false;
        let mss = f64::from(p.mss);
        let cwnd = if self.exits_to_target { p.cwnd.min(p.cwnd - (queued - 1.0) * mss) } else { p.cwnd - p.cwnd / 8.0 };
        Some(Growth::Found { cwnd: cwnd.max(2.0 * mss), ssthresh: 2.0 * mss })
    }
}

impl Startup for Vegas {
    fn initial_window(&mut self, p: &Public) -> f64 {
        self.una = p.una;
        let segments = match (self.is_ns2, p.syn_resent) {
            (true, true) => 2,  // `v_slowstart_`
            (true, false) => 1, // the initial window comes with the first data acknowledged (`delay_growth_`)
            (false, true) => 1,
            (false, false) => self.initial_segments,
        };
        f64::from(segments) * f64::from(p.mss)
    }

    fn syn_payload(&self, p: &Public) -> u32 {
        if self.is_ns2 { p.mss } else { 0 }
    }

    fn is_active(&self, p: &Public) -> bool {
        p.cwnd < p.ssthresh && (p.round.has_ended || self.round == p.round.number)
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Growth {
        let is_first = self.is_ns2 && p.una - ack.acked == 1;
        let initial = f64::from(self.initial_segments) * f64::from(p.mss);
        let late = if is_first { initial - p.cwnd } else { 0.0 };
        // An acknowledgement went to the avoidance slot: the threshold was reached, and that ended the growth.
        let was_away = p.una - ack.acked != self.una;
        self.una = p.una;
        if p.round.has_ended {
            self.round = p.round.number;
            if let Some(found) = self.judge(p, ack) {
                return found;
            }
        } else if was_away {
            self.grows = false;
        }
        let grows = self.grows && self.backlog.is_used(p, p.cwnd + late, ack);
        Growth::By(late + if grows { f64::from(p.mss) } else { 0.0 })
    }

    fn adopt(&mut self, p: &Public) {
        self.round = p.round.number;
        self.una = p.una;
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

    /// A round of eight segments that ended; a segment queued for every 12.5 ms beyond 100.
    fn ended(number: u64, rtt_ms: u64) -> Public {
        let (mean, base_then) = (Duration::from_millis(rtt_ms), Duration::from_millis(100));
        let round = Round { has_ended: true, number, mean, base_then, sent: 8000, samples: 8, ..Round::default() };
        let (una, nxt) = (1 + 1000 * number, 7001 + 1000 * number);
        Public { mss: MSS, cwnd: 8000.0, ssthresh: f64::INFINITY, una, nxt, max: nxt, round, ..Public::default() }
    }

    fn judged(params: &Params, rtt_ms: u64) -> [Growth; 2] {
        let segment = empty_segment();
        let mut part = (VEGAS.build)(params);
        [1, 2].map(|round| part.on_ack(&ended(round, rtt_ms), &Ack::bare(AckKind::Advance, 1000, &segment)))
    }

    #[test]
    fn every_other_round_is_judged() {
        let [first, second] = judged(&Params::default(), 100);
        assert_eq!([first, second], [Growth::By(0.0), Growth::By(1000.0)]);
        let mut every = Params::default();
        every.set("vegas_pace", Value::Word("every".into())).unwrap();
        assert_eq!(judged(&every, 100), [Growth::By(1000.0); 2]);
    }

    #[test]
    fn a_queue_ends_it() {
        let found = |cwnd| Growth::Found { cwnd, ssthresh: 2000.0 };
        assert_eq!(judged(&Params::default(), 160)[1], found(7000.0)); // three queued
        let mut linux = Params::default();
        linux.set("vegas_exit", Value::Word("target".into())).unwrap();
        assert_eq!(judged(&linux, 160)[1], found(6000.0)); // five fit, and one
        assert_eq!(judged(&Params::default(), 110)[1], Growth::By(1000.0));
    }

    #[test]
    fn the_round_of_the_other_slot_is_waited_for() {
        let mut part = (VEGAS.build)(&Params::default());
        let mut p = ended(3, 100);
        assert!(part.is_active(&p));
        p.round.has_ended = false;
        assert!(!part.is_active(&p));
        part.adopt(&p);
        assert!(part.is_active(&p));
    }
}
