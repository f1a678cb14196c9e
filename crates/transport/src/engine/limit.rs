//! What keeps a sender from sending more at this moment: for statistics, on demand.

use super::{Connection, State};
use crate::Phase;

/// What keeps a sender from sending more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The handshake is not over.
    Opening,
    /// The application has written nothing that was not sent, or less than Nagle's rule lets leave.
    Application,
    /// The clocking slot holds the next segment back until its time comes.
    Pacing,
    /// The peer offers no room for the next segment.
    ReceiverWindow,
    /// The congestion window is used up, or the next acknowledgement alone lets more leave.
    CongestionWindow,
    /// A loss is being repaired.
    Recovery,
    /// The timer expired and nothing new has been acknowledged since.
    TimeOut,
    /// A path mechanism keeps the sender still.
    Frozen,
}

impl Limit {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Opening,
        Self::Application,
        Self::Pacing,
        Self::ReceiverWindow,
        Self::CongestionWindow,
        Self::Recovery,
        Self::TimeOut,
        Self::Frozen,
    ];
}

impl Connection {
    /// What keeps the sender from sending more, once everything that may leave has left. What it is doing comes first: the
    /// time in time-outs and the frozen time are those of [`Phase`].
    #[must_use]
    pub fn limit(&self) -> Limit {
        let p = &self.public;
        match p.phase() {
            Phase::Frozen => return Limit::Frozen,
            Phase::Rto => return Limit::TimeOut,
            Phase::Recovery => return Limit::Recovery,
            Phase::SlowStart | Phase::CongestionAvoidance => {}
        }
        if matches!(self.state, State::SynSent | State::SynReceived) {
            return Limit::Opening;
        }
        let next = self.length_at(p.nxt);
        if next == 0 || self.is_held_back(p.nxt, next) {
            return Limit::Application;
        }
        if self.timers.pace > p.now && !self.timers.pace.is_never() {
            return Limit::Pacing;
        }
        if (p.una + p.offer).saturating_sub(p.nxt) < next { Limit::ReceiverWindow } else { Limit::CongestionWindow }
    }
}
