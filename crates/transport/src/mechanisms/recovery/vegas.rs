//! Vegas' recovery: ends with the first new acknowledgement, and may begin again before.
//!
//! Spec      Brakmo and Peterson 1995 §3.1; ns-2 Agent/TCP/Vegas
//! Deviates  under ns-2's rules a recovery that fewer duplicates followed than the threshold leaves the inflation in
//!           the window, every fast retransmission backs the timer off, and a recovery soon after a time-out closes
//!           the window until the timer expires again
//! Holds     duplicates of what was sent before a time-out are no new loss, as elsewhere (`bugFix_`)

use super::{Entry, Recovery, Release, Step};
use crate::mechanisms::response::LastCut;
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Params, RecoveryRules};
use crate::view::Public;

/// See the file's header.
pub const VEGAS: Part<dyn Recovery> =
    Part::<dyn Recovery>::new("vegas", "Brakmo and Peterson 1995 §3.1", |p| Box::new(Vegas::new(p)))
        .needing(Needs::SENT_TIMES);

#[derive(Debug)]
struct Vegas {
    is_ns2: bool,
    threshold: i64,
    last_cut: LastCut,
    /// The window after the last cut, in bytes; zero after silence (`v_newcwnd_`).
    cut_to: f64,
    /// How many duplicates count beyond those that came (ns-2 sets `dupacks_`).
    beyond: i64,
    /// How many counted before the acknowledgement at hand.
    duplicates: i64,
    was_silent: bool,
}

impl Vegas {
    fn new(params: &Params) -> Self {
        Self {
            is_ns2: params.recovery_rules == RecoveryRules::Ns2,
            threshold: i64::from(params.dupack_threshold),
            last_cut: LastCut::default(),
            cut_to: 0.0,
            beyond: 0,
            duplicates: 0,
            was_silent: false,
        }
    }

    /// The duplicates that count.
    fn count(&self, p: &Public) -> i64 {
        i64::from(p.dupacks) + self.beyond
    }
}

impl Recovery for Vegas {
    fn admits(&self, p: &Public) -> bool {
        let was_silent = self.was_silent || (p.una == 1 && p.syn_resent);
        p.una > p.recover || !was_silent
    }

    fn on_loss(&mut self, p: &Public) -> Entry {
        let count = self.count(p);
        let was_resent = p.sent.at(p.una).is_some_and(|sent| sent.copies > 1);
        let inflation = if self.last_cut.is_due(p) {
            self.cut_to = p.cwnd;
            count as f64 * f64::from(p.mss)
        } else {
            p.inflation
        };
        self.was_silent = false;
        if !was_resent {
            self.beyond = self.threshold - i64::from(p.dupacks);
        }
        self.duplicates = self.count(p);
        Entry::Repair { inflation }
    }

    fn on_hole(&mut self, _p: &Public) -> bool {
        self.beyond = self.threshold;
        self.duplicates = self.threshold;
        true
    }

    fn backs_off(&self) -> bool {
        self.is_ns2
    }

    fn has_one_window(&self) -> bool {
        self.is_ns2
    }

    fn on_duplicate(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        self.duplicates = self.count(p);
        if self.duplicates > self.threshold { f64::from(p.mss) } else { 0.0 }
    }

    fn on_advance(&mut self, p: &Public, _ack: &Ack<'_>) -> Step {
        let (duplicates, least) = (self.duplicates, 2.0 * f64::from(p.mss));
        (self.beyond, self.duplicates) = (0, 0);
        let (cwnd, ssthresh) = match (self.is_ns2, duplicates > self.threshold && p.window() > self.cut_to) {
            (false, _) => (p.cwnd, p.ssthresh.min(least)),
            (true, true) => (self.cut_to, least),
            (true, false) => (p.window(), p.ssthresh),
        };
        Step::Full { cwnd, ssthresh, grow: true }
    }

    fn on_timeout(&mut self, p: &Public) {
        (self.beyond, self.duplicates) = (0, 0);
        self.cut_to = 0.0;
        self.last_cut.set(p);
        self.was_silent = true;
    }

    fn release(&self, p: &Public) -> Release {
        let count = self.count(p);
        if count == 0 || count >= self.threshold { Release::Usual } else { Release::Hold }
    }
}
