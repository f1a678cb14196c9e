//! Every so manieth segment, or after a delay; at once where the sender may be repairing a loss.
//!
//! Spec      Papanastasiou 2006 §5.2.1 (delayed acknowledgements, usually by 100 to 500 ms; others tried more than the
//!           two segments of the RFC); RFC 5681 §4.2 for what is answered at once
//! Deviates  RFC 1122 §4.2.3.2 asks for every second segment at least: that is what it is there to break
//! Holds     the delay runs from the first segment that waits

use hopwright_machine::{Duration, Time};

use super::{Acking, Arrival, When};
use crate::mechanisms::Part;
use crate::params::Knob;

/// See the file's header.
pub const EVERY_K: Part<dyn Acking> = Part::<dyn Acking>::new("every-k", "Papanastasiou 2006 §5.2.1", |p| {
    Box::new(EveryK { segments: p.count(&SEGMENTS), wait: Wait::new(p.delayed_ack) })
})
.with_knobs(&[SEGMENTS]);

const SEGMENTS: Knob = Knob::count(
    "ack_every_segments",
    "segments",
    3,
    1..=65535,
    "number of segments in order for which there is one acknowledgement",
);

#[derive(Debug)]
struct EveryK {
    segments: u32,
    wait: Wait,
}

impl Acking for EveryK {
    fn on_data(&mut self, arrival: &Arrival) -> When {
        self.wait.until(arrival, self.segments)
    }

    fn on_timer(&mut self, _now: Time) {
        self.wait.end();
    }
}

/// The wait for a number of segments.
#[derive(Debug)]
pub(super) struct Wait {
    delay: Duration,
    /// When it ends, and the segments that wait; zero: none.
    deadline: Time,
    waiting: u32,
}

impl Wait {
    pub(super) const fn new(delay: Duration) -> Self {
        Self { delay, deadline: Time::NEVER, waiting: 0 }
    }

    /// When a segment is answered that may wait until there are so many.
    pub(super) fn until(&mut self, arrival: &Arrival, segments: u32) -> When {
        if !arrival.is_in_order || arrival.had_gap || arrival.unacknowledged >= segments {
            self.end();
            return When::Now;
        }
        if arrival.unacknowledged <= self.waiting || self.waiting == 0 {
            self.deadline = arrival.now + self.delay; // those before it were acknowledged with data
        }
        self.waiting = arrival.unacknowledged;
        When::By(self.deadline)
    }

    pub(super) const fn end(&mut self) {
        self.waiting = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::acking::testing::in_order;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn the_delay_runs_from_the_first_that_waits() {
        let mut wait = Wait::new(Duration::from_millis(100));
        assert_eq!(wait.until(&in_order(at(0), 1), 3), When::By(at(100)));
        assert_eq!(wait.until(&in_order(at(60), 2), 3), When::By(at(100)));
        assert_eq!(wait.until(&in_order(at(70), 3), 3), When::Now);
        assert_eq!(wait.until(&in_order(at(80), 1), 3), When::By(at(180)));
    }

    #[test]
    fn an_acknowledgement_that_data_carried_begins_a_new_wait() {
        let mut wait = Wait::new(Duration::from_millis(100));
        wait.until(&in_order(at(0), 1), 4);
        wait.until(&in_order(at(10), 2), 4);
        assert_eq!(wait.until(&in_order(at(50), 1), 4), When::By(at(150)));
    }
}
