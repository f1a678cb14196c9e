//! Slot: what signals from routing do.

use core::fmt::Debug;

use hopwright_machine::{Duration, Time};

use super::{Ack, Part, Sign};
use crate::params::Knob;
use crate::view::Public;

mod atcp;
mod door;
mod elfn;
mod fsr;
mod ignore;
mod simelfn;
mod tcp_f;

pub use atcp::ATCP;
pub use door::DOOR;
pub use elfn::ELFN;
pub use fsr::FSR;
pub use ignore::IGNORE;
pub use simelfn::SIMELFN;
pub use tcp_f::TCP_F;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Path>] = &[IGNORE, DOOR, TCP_F, ELFN, ATCP, SIMELFN, FSR];

/// What the retransmission timer shows when a sender that stood still goes on.
pub(crate) const THAW_TIMER: Knob = Knob::word(
    "thaw_timer",
    &["full", "remaining"],
    "the retransmission timer after a freeze: a whole RTO, or the time that remained; unverified",
);

/// Answers what happens to the route.
pub trait Path: Debug + Send {
    /// Called for every signal, for every ACK, before other slots see it, and for every sign of loss, before it is
    /// answered.
    fn on_event(&mut self, p: &Public, event: PathEvent<'_>) -> Ruling;

    /// When `PathEvent::Timer` is due. Asked after every event that leaves the sender standing still, for nobody else
    /// has to be woken: one that never ends means that a lost signal stops the connection for ever.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// The mechanism was put into a running connection: takes over from what everybody can see. The sender goes on,
    /// whatever it did before.
    fn adopt(&mut self, _p: &Public) {}
}

/// What happens to the route, as far as the sender can tell.
#[derive(Clone, Copy, Debug)]
pub enum PathEvent<'a> {
    /// A node could not forward a segment that is outstanding: its position, where known. It may be told again and
    /// again. What routing says of an idle connection, or of what is not outstanding, is not believed.
    RouteFailed(Option<u64>),
    /// A route is there again.
    RouteRestored,
    /// Something came through. An old one, too.
    Ack(&'a Ack<'a>),
    /// A loss is suspected, and nothing has been done. To stand still from here on is to keep the sign from the rest of
    /// the sender: the acknowledgement does not count as a duplicate, the time-out not as one.
    Suspicion(Sign),
    /// A loss is about to be answered.
    Loss(Sign),
    /// The deadline came.
    Timer,
}

/// What becomes of the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ruling {
    /// Whether it may go on.
    pub standing: Standing,
    /// What it does besides.
    pub then: Then,
}

impl Ruling {
    /// Goes on, and does this besides.
    #[must_use]
    pub const fn open(then: Then) -> Self {
        Self { standing: Standing::Open, then }
    }

    /// Stands still, and does this besides.
    #[must_use]
    pub const fn frozen(then: Then) -> Self {
        Self { standing: Standing::Frozen, then }
    }
}

impl From<Standing> for Ruling {
    fn from(standing: Standing) -> Self {
        Self { standing, then: Then::Nothing }
    }
}

/// What the sender does once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Then {
    /// Nothing.
    Nothing,
    /// Windows and timer become this.
    Restore(Windows),
    /// The outstanding segment at this position leaves again, or the next one that the peer does not report to hold.
    /// It is not timed.
    Resend(u64),
    /// What comes next begins at this position, if that is outstanding: from there on, everything is sent again as the
    /// windows allow.
    ResumeFrom(u64),
    /// As after a time-out, everything outstanding is sent again, but with these windows.
    StartOver(Windows),
    /// The retransmission timer expires, if anything is outstanding.
    TimeOut,
}

/// The state of congestion control.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Windows {
    /// Congestion window, in bytes.
    pub cwnd: f64,
    /// Slow-start threshold, in bytes.
    pub ssthresh: f64,
    /// The retransmission time-out.
    pub rto: Duration,
}

impl Windows {
    /// As they are.
    #[must_use]
    pub const fn of(p: &Public) -> Self {
        Self { cwnd: p.cwnd, ssthresh: p.ssthresh, rto: p.rto }
    }
}

/// Whether the sender may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It may.
    Open,
    /// It may, but its windows and timer stay as they are, whatever is lost or acknowledged.
    Constant,
    /// It stands still: nothing is sent, the retransmission timer is off, windows and estimates stay. Duplicates are
    /// not counted. A recovery that acknowledgements bring to its end ends as usual.
    Frozen,
}
