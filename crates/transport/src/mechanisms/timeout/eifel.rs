//! Eifel: an acknowledgement that echoes an earlier time than the retransmission's was caused by the original.
//!
//! Spec      RFC 3522 §3.2 (detection), over the timer of RFC 6298; RFC 4015 for the answer to time-outs
//! Deviates  spurious fast retransmits are counted, not answered; `granularity_mode = "ns2"` hands the timer over to
//!           the arithmetic of `ns2-ticks`
//! Holds     the first acknowledgement of new data after a retransmission decides

use hopwright_machine::{Duration, Time};

use super::undo::{RESPONSE, Undo};
use super::{Estimate, Expiry, RTO_FACTOR, Timeout, Verdict, rfc6298};
use crate::mechanisms::{Ack, AckKind, Needs, Part, Sign};
use crate::params::Params;
use crate::view::Public;

/// See the file's header.
pub const EIFEL: Part<dyn Timeout> = Part::<dyn Timeout>::new("eifel", "RFC 3522", |p| Box::new(Eifel::new(p)))
    .needing(Needs::TIMESTAMPS)
    .with_knobs(&[RESPONSE, RTO_FACTOR]);

/// One tick of the timestamp clock, which the comparison must not be finer than.
const TICK: Duration = Duration::from_millis(1);

#[derive(Debug)]
struct Eifel {
    timer: Box<dyn Timeout>,
    /// The first retransmission since something new was acknowledged: when it left (`RetransmitTS`), and why.
    resent: Option<(Time, Sign)>,
    /// Fast retransmits seen so far, and when the last acknowledgement came: one may have caused the next.
    fast_retransmits: u64,
    last_ack: Time,
    undo: Undo,
}

impl Eifel {
    fn new(params: &Params) -> Self {
        Self {
            timer: rfc6298::build(params),
            resent: None,
            fast_retransmits: 0,
            last_ack: Time::ZERO,
            undo: Undo::new(params),
        }
    }

    /// Whether the retransmission was needless (steps 4 and 5).
    fn is_spurious(at: Time, p: &Public, ack: &Ack<'_>) -> bool {
        let tick = Time::ZERO + TICK * (at.as_nanos() / TICK.as_nanos());
        let is_earlier = ack.echoed.is_some_and(|echoed| echoed < tick);
        let is_ambiguous = p.dsacks == 0 && p.flight() == 0; // the echo may be a duplicate's
        is_earlier && !ack.is_dsack && !is_ambiguous
    }
}

impl Timeout for Eifel {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        if p.fast_retransmits > self.fast_retransmits {
            self.fast_retransmits = p.fast_retransmits;
            self.resent.get_or_insert((self.last_ack, Sign::Duplicates));
        }
        self.last_ack = p.now;
        self.timer.on_ack(p, ack);
        self.undo.on_ack(p, ack, &mut *self.timer);
        if ack.kind != AckKind::Advance {
            return Verdict::Nothing;
        }
        match self.resent.take() {
            Some((at, sign)) if Self::is_spurious(at, p, ack) => match sign {
                Sign::Silence => self.undo.verdict(p, ack),
                Sign::Duplicates => Verdict::Needless,
            },
            _ => Verdict::Nothing,
        }
    }

    fn on_expiry(&mut self, p: &Public) -> Expiry {
        if p.una > 0 && self.resent.is_none() {
            self.fast_retransmits = p.fast_retransmits;
            self.resent = Some((p.now, Sign::Silence));
            self.undo.remember(p);
        }
        self.timer.on_expiry(p)
    }

    fn back_off(&mut self, p: &Public) {
        self.timer.back_off(p);
    }

    super::passes_on!(timer);
}
