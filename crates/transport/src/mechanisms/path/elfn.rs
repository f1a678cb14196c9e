//! TCP-ELFN: a notice of a broken link stops the sender, which then probes the path until an acknowledgement comes.
//!
//! Spec      Holland and Vaidya 1999, as summarised by Ghaleb-Seddik 2009 §2.4.2.2 and Zhou et al. §3.2
//! Deviates  unverified against the paper: the interval of the probes and what is restored, which are parameters. The
//!           probe is the first unacknowledged segment; some descriptions send a new, small one. With a window of one
//!           segment everything unacknowledged is sent again, as by slow start after a time-out
//! Holds     whatever is lost, the next probe leaves: the sender never waits for ever

use hopwright_machine::{Duration, Time};
use hopwright_wire::notice::{Asks, Kind, Restored};

use super::{Path, PathEvent, Ruling, Standing, THAW_TIMER, Then, Windows};
use crate::mechanisms::{AckKind, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

const PROBE: Knob =
    Knob::real("elfn_probe_s", "s", 2.0, 0.001..=1e6, "time between probes. The paper tries up to 30 s (unverified)");
const PROBE_SRTT: Knob = Knob::real(
    "elfn_probe_srtt",
    "smoothed RTTs",
    0.0,
    0.0..=1e6,
    "time between probes in smoothed round-trip times. 0: elfn_probe_s is used; unverified",
);
const RESTORE_CWND: Knob = Knob::word(
    "elfn_restore_cwnd",
    &["saved", "one-segment"],
    "the congestion window after the freeze: the saved window, or one segment. Which of them the paper recommends is unverified",
);
const RESTORE_RTO: Knob = Knob::word(
    "elfn_restore_rto",
    &["saved", "initial"],
    "the time-out after the freeze: as before, or initial_rto_ms (in the paper 6 s, unverified)",
);

/// See the file's header.
pub const ELFN: Part<dyn Path> = Part::<dyn Path>::new("elfn", "Holland and Vaidya 1999", |p| Box::new(Elfn::new(p)))
    .needing(Needs::ROUTE_NOTICES)
    .with_knobs(&[PROBE, PROBE_SRTT, RESTORE_CWND, RESTORE_RTO, THAW_TIMER])
    .asking(|_| Asks {
        failed: Kind::Elfn,
        every_detector: false,
        restored: Restored::Nobody,
        seeks: false, // its probes do
    });

#[derive(Debug)]
struct Elfn {
    probe: Duration,
    probe_srtt: f64,
    has_one_segment: bool,
    /// The time-out afterwards, if it is not that from before.
    rto: Option<Duration>,
    /// When the next probe leaves, while it stands by.
    next: Option<Time>,
}

impl Elfn {
    fn new(params: &Params) -> Self {
        Self {
            probe: Duration::from_secs_f64(params.number(&PROBE)),
            probe_srtt: params.number(&PROBE_SRTT),
            has_one_segment: params.word(&RESTORE_CWND) == "one-segment",
            rto: (params.word(&RESTORE_RTO) == "initial").then_some(params.initial_rto),
            next: None,
        }
    }

    /// The time from one probe to the next.
    fn interval(&self, p: &Public) -> Duration {
        if self.probe_srtt > 0.0 {
            let span = p.srtt.unwrap_or(p.rto).as_secs_f64() * self.probe_srtt;
            return Duration::from_secs_f64(span).max(Duration::from_millis(1));
        }
        self.probe
    }

    /// What the sender goes on with.
    fn restored(&self, p: &Public) -> Then {
        let saved = Windows::of(p);
        let rto = self.rto.unwrap_or(saved.rto);
        if self.has_one_segment {
            Then::StartOver(Windows { cwnd: f64::from(p.mss), rto, ..saved })
        } else if self.rto.is_some() {
            Then::Restore(Windows { rto, ..saved })
        } else {
            Then::Nothing
        }
    }
}

impl Path for Elfn {
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling {
        match (self.next, event) {
            (None, PathEvent::RouteFailed(_)) => {
                self.next = Some(p.now + self.interval(p));
                Standing::Frozen.into()
            }
            (Some(next), PathEvent::Timer) if next <= p.now => {
                self.next = Some(p.now + self.interval(p));
                Ruling::frozen(Then::Resend(p.una))
            }
            (Some(_), PathEvent::Ack(ack)) if ack.kind != AckKind::Old => {
                self.next = None;
                Ruling::open(self.restored(p))
            }
            (Some(_), _) => Standing::Frozen.into(),
            (None, _) => Standing::Open.into(),
        }
    }

    fn deadline(&self) -> Time {
        self.next.unwrap_or(Time::NEVER)
    }
}
