//! Vegas' fine-grained retransmission: duplicates, and the first acknowledgements after a loss, show a loss as soon
//! as the first unacknowledged segment has been on its way for longer than a time-out without clock ticks.
//!
//! Spec      Brakmo and Peterson 1995 §3.1; ns-2 Agent/TCP/Vegas for the estimator and its back-off
//! Deviates  the paper says only that the time-out is computed as Reno's (`vegas_fine_timer` "reno"); ns-2's is
//!           17/16 of (srtt + 2 mdev), and 3/2 of the handshake's time at first. Under ns-2's rules, with nothing
//!           outstanding, what comes next is believed lost before it leaves, as ns-2 does
//! Holds     only the duplicate that makes the threshold, or a time-out, shows a loss

use super::{Detection, Evidence};
use crate::mechanisms::{Ack, AckKind, Needs, Part, Sign};
use crate::params::{Knob, Params, RecoveryRules};
use crate::view::Public;

/// See the file's header.
pub const VEGAS: Part<dyn Detection> =
    Part::<dyn Detection>::new("vegas", "Brakmo and Peterson 1995 §3.1", |p| Box::new(Vegas::new(p)))
        .needing(Needs::ROUNDS)
        .with_knobs(&[FINE_TIMER]);

const FINE_TIMER: Knob = Knob::word(
    "vegas_fine_timer",
    &["ns2", "reno"],
    "the time-out of single segments: 17/16 (srtt + 2 mdev) with ns2, srtt + 4 mdev with reno",
);

/// How many acknowledgements after a retransmission look for further losses.
const WORRIES: u64 = 2;

#[derive(Debug)]
struct Vegas {
    threshold: u32,
    /// The places of ns-2's table of times (`v_maxwnd_`); 0: no such table.
    places: u32,
    is_ns2: bool,
    is_renos: bool,
    /// Eight times the smoothed delay, in seconds, and four times its deviation (`v_sa_`, `v_sd_`).
    srtt8: f64,
    mdev4: f64,
    timeout_s: f64,
    worries: u32,
    /// How many duplicates count beyond those that came (ns-2 sets `dupacks_`).
    beyond: i64,
    /// The loss shown last, until it is known whether that was answered.
    shown: Option<Shown>,
    losses: u64,
    timeouts: u64,
}

#[derive(Clone, Copy, Debug)]
struct Shown {
    copies: u32,
    dupacks: u32,
    worries: u32,
}

impl Vegas {
    fn new(params: &Params) -> Self {
        let is_ns2 = params.recovery_rules == RecoveryRules::Ns2;
        Self {
            threshold: params.dupack_threshold,
            places: if is_ns2 { params.window_limit_segments } else { 0 },
            is_ns2,
            is_renos: params.word(&FINE_TIMER) == "reno",
            srtt8: 0.0,
            mdev4: 0.0,
            timeout_s: f64::INFINITY,
            worries: 0,
            beyond: 0,
            shown: None,
            losses: 0,
            timeouts: 0,
        }
    }

    /// The first measurement.
    fn begin(&mut self, rtt_s: f64) {
        self.srtt8 = rtt_s * 8.0;
        self.mdev4 = rtt_s;
        self.timeout_s = if self.is_renos { rtt_s + self.mdev4 } else { (self.srtt8 / 4.0 + self.mdev4) / 2.0 };
    }

    fn measure(&mut self, rtt_s: f64) {
        if self.srtt8 == 0.0 {
            return self.begin(rtt_s);
        }
        let error = rtt_s - self.srtt8 / 8.0;
        self.srtt8 += error;
        self.mdev4 += error.abs() - self.mdev4 / 4.0;
        self.timeout_s = if self.is_renos {
            self.srtt8 / 8.0 + self.mdev4
        } else {
            let sum = (self.srtt8 / 4.0 + self.mdev4) / 2.0;
            sum + sum / 16.0
        };
    }

    /// Learns what became of the loss shown last.
    fn learn(&mut self, p: &Public) {
        if let Some(shown) = self.shown.take()
            && p.fast_retransmits != self.losses
        {
            self.worries = shown.worries;
            self.timeout_s *= if shown.copies > 1 { 2.0 } else { 9.0 / 8.0 };
            if shown.copies == 1 {
                self.beyond = i64::from(self.threshold) - i64::from(shown.dupacks);
            }
        }
        if p.timeouts != self.timeouts {
            self.beyond = 0;
        }
        (self.losses, self.timeouts) = (p.fast_retransmits, p.timeouts);
    }

    /// Whether the first unacknowledged segment has been on its way for too long.
    fn is_overdue(&self, p: &Public) -> bool {
        p.sent.at(p.una).is_some_and(|sent| p.now.since(sent.at).as_secs_f64() >= self.timeout_s)
    }

    fn on_advance(&mut self, p: &Public, ack: &Ack<'_>) -> Evidence {
        self.beyond = 0;
        if let Some(delay) = ack.delay {
            self.measure(delay.as_secs_f64());
        }
        if self.worries == 0 {
            return Evidence::Nothing;
        }
        self.worries -= 1;
        let evidence = match p.flight() {
            0 if !self.is_ns2 => Evidence::Nothing,
            0 => Evidence::Early,
            _ if !self.is_overdue(p) => Evidence::Nothing,
            _ if self.is_ns2 && p.nxt == p.una => Evidence::Early,
            _ => Evidence::Hole,
        };
        if evidence == Evidence::Nothing {
            self.worries = 0;
        } else {
            self.beyond = i64::from(self.threshold);
        }
        evidence
    }

    fn on_duplicate(&mut self, p: &Public) -> Evidence {
        let count = i64::from(p.dupacks) + self.beyond;
        if count != i64::from(self.threshold) && !self.is_overdue(p) {
            return Evidence::Nothing;
        }
        let copies = p.sent.at(p.una).map_or(1, |sent| sent.copies);
        let worries = ((p.nxt - p.una) / u64::from(p.mss) + 1).min(WORRIES) as u32;
        self.shown = Some(Shown { copies, dupacks: p.dupacks, worries });
        Evidence::Loss(Sign::Duplicates)
    }
}

impl Detection for Vegas {
    fn on_open(&mut self, p: &Public) {
        if let Some(rtt) = p.round.base {
            self.begin(rtt.as_secs_f64());
        }
    }

    fn places(&self) -> u32 {
        self.places
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Evidence {
        self.learn(p);
        match ack.kind {
            AckKind::Advance => self.on_advance(p, ack),
            AckKind::Duplicate => self.on_duplicate(p),
            AckKind::Old => Evidence::Nothing,
        }
    }

    fn adopt(&mut self, p: &Public) {
        (self.losses, self.timeouts) = (p.fast_retransmits, p.timeouts);
        if let Some(srtt) = p.srtt {
            self.begin(srtt.as_secs_f64());
        }
    }
}
