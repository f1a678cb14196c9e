//! Every segment of a young connection, then every second, third, fourth; or after a delay.
//!
//! Spec      Altman and Jiménez 2003, which Papanastasiou 2006 §5.1 and §5.3.1 cites; RFC 5681 §4.2 for what is
//!           answered at once
//! Deviates  the three steps and the delay are unverified. The number of a segment is how many new ones have come,
//!           which differs from its place in the stream only while gaps are open
//! Holds     the delay runs from the first segment that waits

use hopwright_machine::{Duration, Time};

use super::every_k::Wait;
use super::{Acking, Arrival, When};
use crate::mechanisms::Part;
use crate::params::{Knob, Params};

/// See the file's header.
pub const ALTMAN_JIMENEZ: Part<dyn Acking> =
    Part::<dyn Acking>::new("altman-jimenez", "Altman and Jiménez 2003", |p| Box::new(AltmanJimenez::new(p)))
        .with_knobs(&[SECOND, THIRD, FOURTH, DELAY]);

const SECOND: Knob = Knob::count(
    "altman_l1_segments",
    "segments",
    2,
    1..=65535,
    "from this segment on, every second segment is acknowledged (unverified)",
);
const THIRD: Knob = Knob::count(
    "altman_l2_segments",
    "segments",
    5,
    1..=65535,
    "from this segment on, every third segment is acknowledged (unverified)",
);
const FOURTH: Knob = Knob::count(
    "altman_l3_segments",
    "segments",
    9,
    1..=65535,
    "from this segment on, every fourth segment is acknowledged (unverified)",
);
const DELAY: Knob =
    Knob::real("altman_delay_ms", "ms", 100.0, 0.0..=1e6, "longest delay of an acknowledgement (unverified)");

#[derive(Debug)]
struct AltmanJimenez {
    steps: [u32; 3],
    wait: Wait,
    /// New segments that have come; it need not count beyond the last step.
    received: u32,
}

impl AltmanJimenez {
    fn new(p: &Params) -> Self {
        let delay = Duration::from_secs_f64(p.number(&DELAY) / 1e3);
        Self { steps: [SECOND, THIRD, FOURTH].map(|step| p.count(&step)), wait: Wait::new(delay), received: 0 }
    }

    /// Segments per acknowledgement.
    fn segments(&self) -> u32 {
        1 + self.steps.iter().filter(|&&step| self.received >= step).count() as u32
    }
}

impl Acking for AltmanJimenez {
    fn on_data(&mut self, arrival: &Arrival) -> When {
        self.received = self.received.saturating_add(u32::from(!arrival.is_duplicate));
        self.wait.until(arrival, self.segments())
    }

    fn on_timer(&mut self, _now: Time) {
        self.wait.end();
    }
}
