//! How many segments of this connection wait in queues: Vegas' difference, as Veno uses it.
//!
//! Spec      Fu and Liew 2003 §2 (N = cwnd (RTT - BaseRTT) / RTT)
//! Deviates  unverified: the paper starts BaseRTT anew after each loss, which Linux does not do; see
//!           `veno_base_reset`
//! Holds     the round-trip time is that of the last round outside recovery, of segments that left once

use hopwright_machine::Duration;

use crate::mechanisms::Ack;
use crate::params::{Knob, Params};
use crate::view::Public;

/// Backlog from which on the path counts as congested.
pub(in crate::mechanisms) const VENO_BETA: Knob =
    Knob::real("veno_beta", "segments", 3.0, 0.0..=1e6, "backlog from which on there is congestion");

/// Whether the base is measured anew after a loss.
pub(in crate::mechanisms) const BASE_RESET: Knob = Knob::switch(
    "veno_base_reset",
    false,
    "whether the base of round-trip times is measured again after every loss (the rule of the paper; unverified)",
);

/// See the file's header.
#[derive(Debug)]
pub(in crate::mechanisms) struct Backlog {
    resets: bool,
    was_reset: bool,
    /// The shortest time seen here; the connection may have seen a shorter one.
    base: Option<Duration>,
    /// Mean of the last round.
    rtt: Option<Duration>,
    sum: Duration,
    samples: u64,
}

impl Backlog {
    pub(in crate::mechanisms) fn new(params: &Params) -> Self {
        Self {
            resets: params.is(&BASE_RESET),
            was_reset: false,
            base: None,
            rtt: None,
            sum: Duration::ZERO,
            samples: 0,
        }
    }

    /// Called once per acknowledgement.
    pub(in crate::mechanisms) fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        if p.round.has_ended {
            if let Some(mean) = self.sum.as_nanos().checked_div(self.samples) {
                self.rtt = Some(Duration::from_nanos(mean));
            }
            (self.sum, self.samples) = (Duration::ZERO, 0);
        }
        // What waited for a hole to be repaired measured the repair.
        if let Some(delay) = ack.delay.filter(|_| !ack.covers_resent && !p.is_recovering()) {
            self.base = Some(self.base.map_or(delay, |base| base.min(delay)));
            self.sum += delay;
            self.samples += 1;
        }
    }

    /// A loss was found.
    pub(in crate::mechanisms) fn on_loss(&mut self) {
        if self.resets {
            (self.base, self.was_reset) = (None, true);
        }
    }

    /// The backlog, in segments; `None` before the first round.
    pub(in crate::mechanisms) fn segments(&self, p: &Public) -> Option<f64> {
        let known = p.min_rtt.filter(|_| !self.was_reset);
        let base = self.base.into_iter().chain(known).min()?.as_secs_f64();
        let rtt = self.rtt?.as_secs_f64();
        (rtt > 0.0).then(|| p.cwnd / f64::from(p.mss) * (rtt - base).max(0.0) / rtt)
    }

    /// Begins in a running connection.
    pub(in crate::mechanisms) fn adopt(&mut self, p: &Public) {
        (self.base, self.rtt) = (p.min_rtt, p.srtt);
    }
}

#[cfg(test)]
pub(in crate::mechanisms) fn measured(backlog: &mut Backlog, base_ms: u64, rtt_ms: u64) {
    (backlog.base, backlog.rtt) = (Some(Duration::from_millis(base_ms)), Some(Duration::from_millis(rtt_ms)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::params::Value;

    fn segments(cwnd: f64, base: u64, rtt: u64) -> f64 {
        let mut backlog = Backlog::new(&Params::default());
        measured(&mut backlog, base, rtt);
        backlog.segments(&Public { mss: 1000, cwnd: cwnd * 1000.0, ..Public::default() }).unwrap()
    }

    #[test]
    fn o1_o2_o4_the_backlog() {
        assert!((segments(20.0, 100, 110) - 1.818).abs() < 0.001);
        assert!((segments(20.0, 100, 120) - 3.333).abs() < 0.001);
        assert_eq!(segments(20.0, 100, 100), 0.0);
    }

    #[test]
    fn rounds_give_the_time_and_recovery_does_not() {
        let segment = empty_segment();
        let mut backlog = Backlog::new(&Params::default());
        let mut p = Public { mss: 1000, cwnd: 10_000.0, ..Public::default() };
        let mut feed = |p: &Public, ms, covers_resent| {
            let delay = Some(Duration::from_millis(ms));
            backlog.on_ack(p, &Ack { delay, covers_resent, ..Ack::bare(AckKind::Advance, 1000, &segment) });
            backlog.segments(p)
        };
        assert_eq!(feed(&p, 100, false), None);
        feed(&p, 150, false);
        feed(&p, 900, true);
        p.doing = crate::view::Phase::Recovery;
        feed(&p, 900, false);
        p.doing = crate::view::Phase::SlowStart;
        p.round.has_ended = true;
        assert!((feed(&p, 125, false).unwrap() - 2.0).abs() < 1e-9); // 10 (125 - 100) / 125
    }

    /// Feeds an acknowledgement that shows this delay.
    fn feed(backlog: &mut Backlog, p: &Public, ms: u64) {
        let segment = empty_segment();
        let delay = Some(Duration::from_millis(ms));
        backlog.on_ack(p, &Ack { delay, ..Ack::bare(AckKind::Advance, 1000, &segment) });
    }

    fn ten_segments(min_rtt_ms: Option<u64>, srtt_ms: Option<u64>) -> Public {
        let (min_rtt, srtt) = (min_rtt_ms.map(Duration::from_millis), srtt_ms.map(Duration::from_millis));
        Public { mss: 1000, cwnd: 10_000.0, min_rtt, srtt, ..Public::default() }
    }

    #[test]
    fn what_the_connection_measured_before_is_handed_over() {
        let p = ten_segments(Some(750), Some(1000));
        let mut backlog = Backlog::new(&Params::default());
        assert_eq!(backlog.segments(&p), None);
        backlog.adopt(&p);
        assert_eq!(backlog.segments(&ten_segments(None, None)), Some(2.5)); // 10 (1 - 0.75) / 1
    }

    #[test]
    fn the_base_is_the_shortest_time_of_all() {
        let mut backlog = Backlog::new(&Params::default());
        measured(&mut backlog, 800, 1000);
        assert_eq!(backlog.segments(&ten_segments(Some(750), None)), Some(2.5));
        measured(&mut backlog, 500, 1000);
        assert_eq!(backlog.segments(&ten_segments(Some(750), None)), Some(5.0));
    }

    #[test]
    fn every_round_has_a_mean_of_its_own_and_one_without_a_delay_changes_nothing() {
        let mut backlog = Backlog::new(&Params::default());
        let mut p = ten_segments(Some(500), None);
        feed(&mut backlog, &p, 500);
        p.round.has_ended = true;
        feed(&mut backlog, &p, 750); // ends the first round, and is the first delay of the second
        assert_eq!(backlog.segments(&p), Some(0.0));
        p.round.has_ended = false;
        feed(&mut backlog, &p, 1250);
        p.round.has_ended = true;
        let segment = empty_segment();
        for _ in 0..2 {
            backlog.on_ack(&p, &Ack::bare(AckKind::Advance, 1000, &segment));
            assert_eq!(backlog.segments(&p), Some(5.0)); // 10 (1 - 0.5) / 1
        }
    }

    /// `veno_base_reset`: what was measured before a loss, here or by the connection, is no base any more.
    #[test]
    fn the_base_outlives_a_loss_unless_it_shall_not() {
        let p = ten_segments(Some(750), None);
        let mut kept = Backlog::new(&Params::default());
        measured(&mut kept, 750, 1000);
        kept.on_loss();
        assert_eq!(kept.segments(&p), Some(2.5));

        let mut params = Params::default();
        params.set("veno_base_reset", Value::Bool(true)).unwrap();
        let mut anew = Backlog::new(&params);
        measured(&mut anew, 750, 1000);
        assert_eq!(anew.segments(&p), Some(2.5));
        anew.on_loss();
        assert_eq!(anew.segments(&p), None);
        feed(&mut anew, &p, 875);
        assert_eq!(anew.segments(&p), Some(1.25));
    }
}
