//! Fixed-RTO: time-outs in a row mean that the route broke, not that the network is congested: the time-out stops
//! doubling.
//!
//! Spec      Dyer and Boppana 2001 as summarised by Ghaleb-Seddik 2009 §2.4.2.1 (two time-outs in a row) and by
//!           Papanastasiou 2006 §3.5.1 (three back-offs in a row), over the timer of RFC 6298
//! Deviates  unverified against the paper itself, of which the two summaries disagree: the number is a parameter.
//!           `granularity_mode = "ns2"` hands the timer over to the arithmetic of `ns2-ticks`
//! Holds     the time-out stays where it is until something new is acknowledged

use hopwright_machine::{Duration, Time};

use super::{Estimate, Expiry, RTO_FACTOR, Timeout, Verdict, rfc6298};
use crate::mechanisms::{Ack, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

const AFTER: Knob = Knob::count(
    "fixed_rto_after",
    "",
    2,
    1..=64,
    "from which time-out in a row on the RTO is no longer doubled; unverified: 2 by one summary, 4 by another",
);

/// See the file's header.
pub const FIXED_RTO: Part<dyn Timeout> =
    Part::<dyn Timeout>::new("fixed-rto", "Dyer and Boppana 2001", |p| Box::new(FixedRto::new(p)))
        .with_knobs(&[AFTER, RTO_FACTOR]);

#[derive(Debug)]
struct FixedRto {
    timer: Box<dyn Timeout>,
    after: u32,
}

impl FixedRto {
    fn new(params: &Params) -> Self {
        Self { timer: rfc6298::build(params), after: params.count(&AFTER) }
    }
}

impl Timeout for FixedRto {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Verdict {
        self.timer.on_ack(p, ack)
    }

    fn on_expiry(&mut self, p: &Public) -> Expiry {
        self.timer.on_expiry(p)
    }

    fn back_off(&mut self, p: &Public) {
        if p.consecutive_timeouts < self.after {
            self.timer.back_off(p);
        }
    }

    super::passes_on!(timer);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{GranularityMode, Value};

    fn gaps_ms(after: f64) -> Vec<u64> {
        let mut params = Params {
            granularity_mode: GranularityMode::Exact,
            initial_rto: Duration::from_millis(300),
            ..Params::default()
        };
        params.set("fixed_rto_after", Value::Number(after)).unwrap();
        let mut timer = FixedRto::new(&params);
        let expire = |n| {
            let gap = timer.estimate().rto;
            timer.back_off(&Public { consecutive_timeouts: n, ..Public::default() });
            gap.as_nanos() / 1_000_000
        };
        (1..=5).map(expire).collect()
    }

    #[test]
    fn the_time_out_stops_doubling() {
        assert_eq!(gaps_ms(2.0), [300, 600, 600, 600, 600]); // R1
        assert_eq!(gaps_ms(4.0), [300, 600, 1200, 2400, 2400]); // R2
    }
}
