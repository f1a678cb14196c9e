//! A loss is congestion if the window was more than the path was measured to hold.
//!
//! Spec      Mascolo et al. 2001 §3 (bandwidth times the least round-trip time)
//! Deviates  as a diagnosis it is this project's: Westwood asks nobody why a segment was lost
//! Holds     before a measurement every loss is congestion

use super::Diagnosis;
use crate::mechanisms::estimators::{BANDWIDTH_KNOBS, Bandwidth};
use crate::mechanisms::{Ack, Cause, Part, Sign};
use crate::view::Public;

/// See the file's header.
pub const WESTWOOD: Part<dyn Diagnosis> =
    Part::<dyn Diagnosis>::new("westwood", "Mascolo et al. 2001 §3", |p| Box::new(Westwood(Bandwidth::new(p))))
        .with_knobs(BANDWIDTH_KNOBS);

#[derive(Debug)]
struct Westwood(Bandwidth);

impl Diagnosis for Westwood {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        self.0.on_ack(p, ack);
    }

    fn diagnose(&mut self, p: &Public, sign: Sign) -> Cause {
        let holds = self.0.capacity(p);
        if sign == Sign::Silence {
            self.0.on_timeout();
        }
        if p.cwnd > holds { Cause::Congestion } else { Cause::Channel }
    }

    fn adopt(&mut self, p: &Public) {
        self.0.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::Duration;

    use super::*;
    use crate::params::Params;

    #[test]
    fn more_than_the_path_holds_is_congestion() {
        let rtt = Some(Duration::from_millis(100));
        let mut p = Public { mss: 1000, cwnd: 8000.0, una: 1, max: 8001, srtt: rtt, min_rtt: rtt, ..Public::default() };
        let mut part = (WESTWOOD.build)(&Params::default());
        assert_eq!(part.diagnose(&p, Sign::Duplicates), Cause::Congestion);
        part.adopt(&p);
        p.cwnd = 7900.0;
        assert_eq!(part.diagnose(&p, Sign::Duplicates), Cause::Channel);
        p.cwnd = 8100.0;
        assert_eq!(part.diagnose(&p, Sign::Duplicates), Cause::Congestion);
    }
}
