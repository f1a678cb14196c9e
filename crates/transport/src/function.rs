//! Which of a transport's functions an event is work for: what the energy of its computation is counted by.
//!
//! Ghaleb-Seddik (2009) §4.3.3.3.1 tells slow start, fast retransmit and recovery, and congestion avoidance apart by
//! when the sender was in each. Here it is by event, as a sender computes only when something happens to it.

use crate::engine::Input;
use crate::view::{Phase, Public};

/// What a transport computes for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    /// What happens below the threshold, and to open the connection.
    SlowStart,
    /// What happens above it.
    CongestionAvoidance,
    /// Finding a loss by acknowledgements, and repairing it: fast retransmit and fast recovery.
    Recovery,
    /// Timers that expire, and what comes until new data is acknowledged after a time-out.
    Timers,
    /// News of the route, and whatever happens while the sender stands still because of it.
    Path,
    /// The receiving end: all of it.
    Receiver,
}

impl Function {
    /// All of them, in this order.
    pub const ALL: [Self; 6] =
        [Self::SlowStart, Self::CongestionAvoidance, Self::Recovery, Self::Timers, Self::Path, Self::Receiver];

    /// Its name in files and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SlowStart => "slow_start",
            Self::CongestionAvoidance => "congestion_avoidance",
            Self::Recovery => "recovery",
            Self::Timers => "timers",
            Self::Path => "path",
            Self::Receiver => "receiver",
        }
    }

    /// What a sender in this phase does by and large.
    #[must_use]
    pub const fn of_phase(phase: Phase) -> Self {
        match phase {
            Phase::SlowStart => Self::SlowStart,
            Phase::CongestionAvoidance => Self::CongestionAvoidance,
            Phase::Recovery => Self::Recovery,
            Phase::Rto => Self::Timers,
            Phase::Frozen => Self::Path,
        }
    }
}

/// What a sender was at before an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Before {
    phase: Phase,
    fast_retransmits: u64,
}

impl Before {
    /// To be taken before the event.
    #[must_use]
    pub const fn of(public: &Public) -> Self {
        Self { phase: public.phase(), fast_retransmits: public.fast_retransmits }
    }

    /// What the event was work for. `input` is what it began with: an application that writes because room was made
    /// does so within the event that made it. The acknowledgement that shows a loss belongs to its repair; every other
    /// one to the phase that it met.
    #[must_use]
    pub const fn function(self, input: &Input<'_>, after: &Public) -> Function {
        match (self.phase, input) {
            (Phase::Frozen, _) | (_, Input::Signal(_)) => Function::Path,
            (_, Input::Wake) => Function::Timers,
            _ if after.fast_retransmits > self.fast_retransmits => Function::Recovery,
            (phase, _) => Function::of_phase(phase),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::NetworkSignal;

    fn public(phase: Phase, fast_retransmits: u64) -> Public {
        let is_frozen = phase == Phase::Frozen;
        Public { doing: phase, is_frozen, fast_retransmits, ..Public::default() }
    }

    fn between(phase: Phase, input: &Input<'_>, after: &Public) -> Function {
        Before::of(&public(phase, 3)).function(input, after)
    }

    #[test]
    fn an_acknowledgement_counts_for_the_phase_that_it_meets() {
        let ack = Input::Read(1); // any input that is neither a timer nor a signal
        let after = public(Phase::CongestionAvoidance, 3);
        assert_eq!(between(Phase::SlowStart, &ack, &after), Function::SlowStart);
        assert_eq!(between(Phase::Recovery, &ack, &after), Function::Recovery);
        assert_eq!(between(Phase::Rto, &ack, &after), Function::Timers);
    }

    #[test]
    fn the_one_that_shows_a_loss_counts_for_its_repair() {
        let after = public(Phase::Recovery, 4);
        assert_eq!(between(Phase::CongestionAvoidance, &Input::Read(1), &after), Function::Recovery);
    }

    #[test]
    fn timers_and_signals_count_for_themselves_and_a_standstill_for_the_path() {
        let after = public(Phase::Recovery, 4);
        assert_eq!(between(Phase::Recovery, &Input::Wake, &after), Function::Timers);
        assert_eq!(between(Phase::SlowStart, &Input::Signal(NetworkSignal::Hops(2)), &after), Function::Path);
        assert_eq!(between(Phase::Frozen, &Input::Wake, &after), Function::Path);
    }

    #[test]
    fn names_and_order_are_one_list() {
        for (index, function) in Function::ALL.into_iter().enumerate() {
            assert_eq!(function as usize, index, "{}", function.name());
        }
    }
}
