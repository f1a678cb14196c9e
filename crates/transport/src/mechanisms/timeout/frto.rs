//! F-RTO: after a time-out new segments show whether the acknowledgements of the old ones were only late.
//!
//! Spec      RFC 5682 §2.1 (basic), §3.1 (where the peer reports what it holds), over the timer of RFC 6298;
//!           RFC 4015 for the answer
//! Deviates  `granularity_mode = "ns2"` hands the timer over to the arithmetic of `ns2-ticks`
//! Holds     a time-out of what was sent again already, or in a recovery by selective acknowledgements, is answered as
//!           ever; so is one after which nothing new can be sent, or more than one segment is sent again (where the
//!           window is never that small)

use hopwright_machine::{Duration, Time};

use super::undo::{RESPONSE, Undo};
use super::{Estimate, Expiry, RTO_FACTOR, Timeout, Verdict, rfc6298};
use crate::mechanisms::{Ack, AckKind, Part};
use crate::params::Params;
use crate::view::Public;

/// See the file's header.
pub const FRTO: Part<dyn Timeout> =
    Part::<dyn Timeout>::new("frto", "RFC 5682", |p| Box::new(Frto::new(p))).with_knobs(&[RESPONSE, RTO_FACTOR]);

/// New segments sent in step 2b.
const TRIALS: u32 = 2;

/// The congestion window after step 3a, in segments.
const AFTER_TRIAL: u32 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// Nothing is to be found out.
    Idle,
    /// The retransmission awaits its acknowledgement (step 2).
    Resent,
    /// New segments were sent (step 3).
    Tried,
}

#[derive(Debug)]
struct Frto {
    timer: Box<dyn Timeout>,
    step: Step,
    /// The position after everything sent before the last time-out (`recover`).
    recover: u64,
    /// Segments sent again before the time-out.
    resent: u64,
    undo: Undo,
}

impl Frto {
    fn new(params: &Params) -> Self {
        Self { timer: rfc6298::build(params), step: Step::Idle, recover: 0, resent: 0, undo: Undo::new(params) }
    }

    /// Whether more than the first segment was sent again: then an advance may be that one's doing.
    const fn has_resent_more(&self, p: &Public) -> bool {
        p.retransmissions > self.resent + 1
    }

    /// Step 2.
    fn on_first(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        if ack.kind != AckKind::Advance {
            if !p.keeps_scoreboard {
                self.step = Step::Idle;
            }
            return Verdict::Nothing;
        }
        if p.una >= self.recover || self.has_resent_more(p) {
            self.step = Step::Idle;
            return Verdict::Nothing;
        }
        self.step = Step::Tried;
        Verdict::TryNew(TRIALS)
    }

    /// Step 3.
    fn on_second(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        self.step = Step::Idle;
        if p.max <= self.recover || self.has_resent_more(p) {
            return Verdict::Nothing; // there was nothing new to send, and old data left in its place
        }
        let is_news = ack.kind == AckKind::Advance || ack.newly_sacked > 0;
        let is_beyond = p.keeps_scoreboard && (p.una > self.recover || p.sacked.highest() > self.recover);
        if !is_news || is_beyond {
            return Verdict::Genuine(f64::from(AFTER_TRIAL * p.mss));
        }
        self.recover = p.una;
        self.undo.verdict(p, ack)
    }
}

impl Timeout for Frto {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        self.timer.on_ack(p, ack);
        self.undo.on_ack(p, ack, &mut *self.timer);
        match self.step {
            Step::Idle => Verdict::Nothing,
            Step::Resent => self.on_first(p, ack),
            Step::Tried => self.on_second(p, ack),
        }
    }

    fn on_expiry(&mut self, p: &Public) -> Expiry {
        let is_again = self.recover > p.una;
        let is_repairing = p.is_recovering() && p.keeps_scoreboard;
        self.recover = p.max;
        self.resent = p.retransmissions;
        self.step = if is_again || is_repairing || p.una == 0 { Step::Idle } else { Step::Resent };
        if self.step == Step::Resent {
            self.undo.remember(p);
        }
        self.timer.on_expiry(p)
    }

    fn back_off(&mut self, p: &Public) {
        self.timer.back_off(p);
    }

    super::passes_on!(timer);
}
