//! The clock tick of a host, as retransmission and delayed-acknowledgement timers see it.
//!
//! Spec      Papanastasiou 2006 §2.1.1, §5.3.1 (heartbeat timers); RFC 6298 §4
//! Deviates  a deadline never fires early; BSD, which counts whole ticks, may fire up to one tick early
//! Holds     rounding a rounded deadline changes nothing

use hopwright_machine::{Duration, Time};

use crate::params::{GranularityMode, Params};

/// See the file's header.
#[derive(Clone, Copy, Debug)]
pub struct Granularity {
    tick: Option<Duration>,
    phase: Duration,
}

impl Granularity {
    /// The clock of a host with these parameters.
    #[must_use]
    pub fn new(params: &Params) -> Self {
        let ticks = params.granularity_mode == GranularityMode::Heartbeat && params.granularity > Duration::ZERO;
        let tick = ticks.then_some(params.granularity);
        let phase =
            tick.map_or(Duration::ZERO, |t| Duration::from_nanos(params.granularity_phase.as_nanos() % t.as_nanos()));
        Self { tick, phase }
    }

    /// The first tick that is not before `deadline`.
    #[must_use]
    pub fn fires(&self, deadline: Time) -> Time {
        match self.tick {
            Some(tick) if !deadline.is_never() => {
                let after_phase = deadline.since(Time::ZERO + self.phase);
                Time::ZERO + self.phase + tick * after_phase.as_nanos().div_ceil(tick.as_nanos())
            }
            _ => deadline,
        }
    }

    /// How long `span`, ending at `end`, looks when ticks are counted: one tick at least, or exactly `span`
    /// where there are none.
    #[must_use]
    pub fn measured(&self, end: Time, span: Duration) -> Duration {
        let Some(tick) = self.tick else { return span };
        let ticks_until = |t: Time| t.since(Time::ZERO + self.phase).whole(tick);
        let begin = Time::from_nanos(end.as_nanos().saturating_sub(span.as_nanos()));
        tick * (ticks_until(end) - ticks_until(begin)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heartbeat(tick_ms: u64, phase_ms: u64) -> Granularity {
        Granularity::new(&Params {
            granularity: Duration::from_millis(tick_ms),
            granularity_phase: Duration::from_millis(phase_ms),
            ..Params::default()
        })
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn deadlines_move_to_the_next_tick() {
        let clock = heartbeat(500, 0);
        assert_eq!(clock.fires(at(1400)), at(1500)); // armed at 1.1 s for 0.3 s
        assert_eq!(clock.fires(at(1500)), at(1500));
        assert_eq!(heartbeat(500, 20).fires(at(1500)), at(1520));
        assert_eq!(heartbeat(500, 20).fires(at(3)), at(20));
        assert_eq!(clock.fires(Time::NEVER), Time::NEVER);
        assert_eq!(heartbeat(0, 0).fires(at(1401)), at(1401));
    }

    #[test]
    fn round_trips_are_counted_in_ticks() {
        let clock = heartbeat(100, 0);
        assert_eq!(clock.measured(at(410), Duration::from_millis(30)), Duration::from_millis(100)); // one tick between
        assert_eq!(clock.measured(at(590), Duration::from_millis(180)), Duration::from_millis(100));
        assert_eq!(clock.measured(at(610), Duration::from_millis(220)), Duration::from_millis(300));
        assert_eq!(clock.measured(at(490), Duration::from_millis(20)), Duration::from_millis(100)); // none: still one
        assert_eq!(heartbeat(0, 0).measured(at(490), Duration::from_millis(20)), Duration::from_millis(20));
    }
}
