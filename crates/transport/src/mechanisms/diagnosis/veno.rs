//! A loss with little backlog is the channel's.
//!
//! Spec      Fu and Liew 2003 §3.2
//! Deviates  nothing
//! Holds     looks at the last round before the loss; before the first round every loss is congestion

use super::Diagnosis;
use crate::engine::Public;
use crate::mechanisms::estimators::{BASE_RESET, Backlog, VENO_BETA};
use crate::mechanisms::{Ack, Cause, Needs, Part, Sign};
use crate::params::Params;

/// See the file's header.
pub const VENO: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("veno", "Fu and Liew 2003 §3.2", |p| Box::new(Veno::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[VENO_BETA, BASE_RESET]);

#[derive(Debug)]
struct Veno {
    beta: f64,
    backlog: Backlog,
}

impl Veno {
    fn new(params: &Params) -> Self {
        Self { beta: params.number(&VENO_BETA), backlog: Backlog::new(params) }
    }
}

impl Diagnosis for Veno {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        self.backlog.on_ack(p, ack);
    }

    fn diagnose(&mut self, p: &Public, _sign: Sign) -> Cause {
        let is_short = self.backlog.segments(p).is_some_and(|n| n < self.beta);
        self.backlog.on_loss();
        if is_short { Cause::Channel } else { Cause::Congestion }
    }

    fn adopt(&mut self, p: &Public) {
        self.backlog.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::estimators::measured;

    #[test]
    fn o1_o2_little_backlog_is_the_channel() {
        let p = Public { mss: 1000, cwnd: 20_000.0, ..Public::default() };
        let mut veno = Veno::new(&Params::default());
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Congestion);
        measured(&mut veno.backlog, 100, 110);
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Channel);
        measured(&mut veno.backlog, 100, 120);
        assert_eq!(veno.diagnose(&p, Sign::Duplicates), Cause::Congestion);
    }
}
