//! ATCP: a layer below TCP that hides from it whatever is not congestion. Losses it repairs itself while TCP stands
//! still; without a route TCP stands still and probes; congestion, which ECN tells, it leaves to TCP.
//!
//! Spec      Liu and Singh 2001, as summarised by Ghaleb-Seddik 2009 §2.4.2.2
//! Deviates  unverified against the paper: that the duplicate which shows the loss is withheld, one segment as the
//!           window after a disconnection, and both timers. Congestion is told by ECN alone: a source quench is no
//!           message of today's networks (RFC 6633). The probe is the first unacknowledged segment. With the window of
//!           one segment everything unacknowledged is sent again: where a window is closed, BSD takes the next number
//!           back so far
//! Holds     TCP's window is cut for congestion and after a disconnection, never for a loss

use hopwright_machine::{Duration, Time};
use hopwright_wire::notice::{Asks, Kind, Restored};

use super::{Path, PathEvent, Ruling, Standing, Then, Windows};
use crate::mechanisms::{Ack, AckKind, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

const PROBE: Knob = Knob::real(
    "atcp_probe_s",
    "s",
    5.0,
    0.001..=1e6,
    "time until the first probe without a route. It is doubled after each probe (persist timer); unverified",
);
const LONGEST_PROBE: Knob =
    Knob::real("atcp_longest_probe_s", "s", 60.0, 0.001..=1e6, "longest time between probes; unverified");

/// See the file's header.
pub const ATCP: Part<dyn Path> = Part::<dyn Path>::new("atcp", "Liu and Singh 2001", |p| Box::new(Atcp::new(p)))
    .with_knobs(&[PROBE, LONGEST_PROBE])
    .asking(|_| Asks {
        failed: Kind::Unreachable,
        every_detector: false,
        restored: Restored::Nobody,
        seeks: false, // its probes do
    });

#[derive(Debug)]
struct Atcp {
    probe: Duration,
    longest_probe: Duration,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Nothing is wrong.
    Normal,
    /// What is outstanding is sent again, a segment at a time: when and from where the next one.
    Loss { next: Time, at: u64 },
    /// TCP answers congestion, and what looks like a loss with it, until it has sent something new: beyond this
    /// position.
    Congested { max: u64 },
    /// There is no route: when the next probe leaves, and how long after it another one.
    Disconnected { next: Time, interval: Duration },
}

impl Atcp {
    fn new(params: &Params) -> Self {
        Self {
            probe: Duration::from_secs_f64(params.number(&PROBE)),
            longest_probe: Duration::from_secs_f64(params.number(&LONGEST_PROBE)),
            state: State::Normal,
        }
    }

    /// Resends the outstanding segment at this position, or the next that the peer does not report to hold, and waits
    /// for as long as TCP would.
    fn repair(&mut self, p: &Public, from: u64) -> Ruling {
        let (hole, _) = p.sacked.next_hole(from.max(p.una));
        let at = if hole < p.max { hole } else { p.una };
        let following = at + u64::from(p.mss);
        self.state = State::Loss { next: p.now + p.rto, at: if following < p.max { following } else { p.una } };
        Ruling::frozen(Then::Resend(at))
    }

    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Ruling {
        let tells_congestion = p.has_ecn && ack.echoes_congestion();
        match self.state {
            State::Disconnected { .. } if ack.kind != AckKind::Old => {
                self.state = State::Normal;
                Ruling::open(Then::StartOver(Windows { cwnd: f64::from(p.mss), ..Windows::of(p) }))
            }
            State::Disconnected { .. } => Standing::Frozen.into(),
            _ if tells_congestion => {
                self.state = State::Congested { max: p.max };
                Standing::Open.into()
            }
            State::Loss { .. } if ack.kind == AckKind::Advance => {
                self.state = State::Normal;
                Standing::Open.into()
            }
            State::Loss { .. } => Standing::Frozen.into(),
            State::Normal | State::Congested { .. } => Standing::Open.into(),
        }
    }
}

impl Path for Atcp {
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling {
        if let State::Congested { max } = self.state
            && p.max > max
        {
            self.state = State::Normal;
        }
        match (self.state, event) {
            (_, PathEvent::Ack(ack)) => self.on_ack(p, ack),
            (State::Normal | State::Loss { .. } | State::Congested { .. }, PathEvent::RouteFailed(_)) => {
                let interval = (self.probe * 2).min(self.longest_probe);
                self.state = State::Disconnected { next: p.now + self.probe, interval };
                Standing::Frozen.into()
            }
            (State::Normal, PathEvent::Suspicion(_)) if p.flight() > 0 => self.repair(p, p.una),
            (State::Loss { next, at }, PathEvent::Timer) if next <= p.now => self.repair(p, at),
            (State::Disconnected { next, interval }, PathEvent::Timer) if next <= p.now => {
                let longer = (interval * 2).min(self.longest_probe);
                self.state = State::Disconnected { next: p.now + interval, interval: longer };
                Ruling::frozen(Then::Resend(p.una))
            }
            (State::Loss { .. } | State::Disconnected { .. }, _) => Standing::Frozen.into(),
            (State::Normal | State::Congested { .. }, _) => Standing::Open.into(),
        }
    }

    fn deadline(&self) -> Time {
        match self.state {
            State::Loss { next, .. } | State::Disconnected { next, .. } => next,
            State::Normal | State::Congested { .. } => Time::NEVER,
        }
    }
}
