//! A window that is also a rate: as much as the window may be outstanding, and it is spread over the round trip.
//!
//! Spec      Velayutham 2005 §2.5.1.8 (hybrid: the window as before, sent at window / round-trip time)
//! Deviates  nothing
//! Holds     no rate before a round trip is known, and none below a segment in 64 seconds; the limits of `window` hold. The
//!           rate is kept by the clocking slot (`paced`)

use super::window::{LIMITS, Window};
use super::{Allowance, Control, least_rate};
use crate::mechanisms::Part;
use crate::view::Public;

/// See the file's header.
pub const HYBRID: Part<dyn Control> =
    Part::<dyn Control>::new("hybrid", "Velayutham 2005 §2.5.1.8", |p| Box::new(Hybrid(Window::new(p))))
        .with_knobs(LIMITS);

#[derive(Debug)]
struct Hybrid(Window);

impl Control for Hybrid {
    fn allowance(&mut self, p: &Public) -> Allowance {
        let srtt = p.srtt.map_or(0.0, |srtt| srtt.as_secs_f64());
        let rate = if srtt > 0.0 { (p.cwnd / srtt).max(least_rate(p)) } else { f64::INFINITY };
        Allowance { rate, ..self.0.allowance_within(p, f64::INFINITY) }
    }

    fn bounds(&self, p: &Public) -> (f64, f64) {
        self.0.bounds_within(p, f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Duration, Time};

    use super::*;
    use crate::Params;
    use crate::mechanisms::clocking::PACED;

    /// Vector X3: ten segments of 1460 bytes in a round trip of 200 ms are 73 000 B/s, and leave 20 ms apart.
    #[test]
    fn the_rate_is_the_window_per_round_trip() {
        let mut control = (HYBRID.build)(&Params::default());
        let p = Public { mss: 1_460, cwnd: 14_600.0, offer: 90_000, ..Public::default() };
        assert_eq!(control.allowance(&p), Allowance { window: 14_600.0, rate: f64::INFINITY });
        let p = Public { srtt: Some(Duration::from_millis(200)), ..p };
        assert_eq!(control.allowance(&p), Allowance { window: 14_600.0, rate: 73_000.0 });
        let mut clock = (PACED.build)(&Params::default());
        let p = Public { rate: control.allowance(&p).rate, segments_sent: 9, ..p };
        assert_eq!(clock.departure(&p, 1_460), Time::ZERO);
        assert_eq!(clock.departure(&p, 1_460), Time::ZERO + Duration::from_millis(20));
    }
}
