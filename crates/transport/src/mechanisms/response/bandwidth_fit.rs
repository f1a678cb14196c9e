//! The window fits what the path was measured to carry: bandwidth times the least round-trip time.
//!
//! Spec      Mascolo et al. 2001 §3 (Westwood); Grieco and Mascolo 2004 (Westwood+): the same answer, another estimate
//! Deviates  the UCLA module's divisor after silence is a parameter, and off. Unverified: the step in which it grows
//! Holds     every cause is answered alike; the window is never raised; the threshold is a whole number of segments, two at least

use super::{Cut, Response};
use crate::mechanisms::estimators::{BANDWIDTH_KNOBS, Bandwidth};
use crate::mechanisms::{Ack, Cause, Part, Sign};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const BANDWIDTH_FIT: Part<dyn Response> =
    Part::<dyn Response>::new("bandwidth-fit", "Mascolo et al. 2001 §3", |p| Box::new(BandwidthFit::new(p)))
        .with_knobs(KNOBS);

const DIVISOR_STEP: Knob = Knob::real(
    "westwood_divisor_step",
    "",
    0.0,
    0.0..=3.0,
    "by how much each loss in slow start increases the divisor of the threshold after a time-out (UCLA; unverified). 0: no divisor",
);

const KNOBS: &[Knob] = &{
    let mut knobs = [DIVISOR_STEP; BANDWIDTH_KNOBS.len() + 1];
    let mut i = 0;
    while i < BANDWIDTH_KNOBS.len() {
        knobs[i] = BANDWIDTH_KNOBS[i];
        i += 1;
    }
    knobs
};

/// The most the divisor grows to.
const MOST_DIVISOR: f64 = 4.0;

#[derive(Debug)]
struct BandwidthFit {
    bandwidth: Bandwidth,
    step: f64,
    divisor: f64,
}

impl BandwidthFit {
    fn new(params: &Params) -> Self {
        Self { bandwidth: Bandwidth::new(params), step: params.number(&DIVISOR_STEP), divisor: 1.0 }
    }
}

impl Response for BandwidthFit {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> Option<super::Windows> {
        self.bandwidth.on_ack(p, ack);
        None
    }

    fn on_loss(&mut self, p: &Public, sign: Sign, _cause: Cause) -> Cut {
        let is_slow_start = p.cwnd < p.ssthresh;
        self.divisor = if is_slow_start { (self.divisor + self.step).min(MOST_DIVISOR) } else { 1.0 };
        match sign {
            Sign::Duplicates => {
                let threshold = self.bandwidth.threshold(p, 1.0);
                Cut::to(p.cwnd.min(threshold), threshold)
            }
            Sign::Silence => {
                let threshold = self.bandwidth.threshold(p, self.divisor);
                self.bandwidth.on_timeout();
                Cut::to(f64::from(p.mss), threshold)
            }
        }
    }

    fn adopt(&mut self, p: &Public) {
        self.bandwidth.adopt(p);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Duration, Time};

    use super::*;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;
    use crate::params::Value;

    /// A response that has seen 125000 bytes per second for long, and the state after a round trip of 80 ms.
    fn steady(params: &Params) -> (Box<dyn Response>, Public) {
        let segment = empty_segment();
        let mut response = (BANDWIDTH_FIT.build)(params);
        let mut p =
            Public { mss: 1460, min_rtt: Some(Duration::from_millis(80)), max: 29_201, una: 1, ..Public::default() };
        for i in 0..4000 {
            p.now = Time::ZERO + Duration::from_micros(11_680) * i;
            p.rtt_sample = p.min_rtt;
            response.on_ack(&p, &Ack::bare(AckKind::Advance, 1460, &segment));
        }
        (response, p)
    }

    fn cut(response: &mut Box<dyn Response>, p: &Public, segments: f64, sign: Sign) -> (f64, f64) {
        let p = Public { cwnd: segments * 1460.0, ..p.clone() };
        let cut = response.on_loss(&p, sign, Cause::Congestion);
        (cut.cwnd / 1460.0, cut.ssthresh / 1460.0)
    }

    #[test]
    fn w4_the_window_fits_the_path_and_is_not_raised() {
        for (name, word) in [
            ("bandwidth_estimator", "westwood"),
            ("westwood_filter", "fixed-10"),
            ("bandwidth_estimator", "westwood-plus"),
        ] {
            let mut params = Params::default();
            params.set(name, Value::Word(word.into())).unwrap();
            let (mut response, p) = steady(&params);
            assert_eq!(cut(&mut response, &p, 20.0, Sign::Duplicates), (6.0, 6.0), "{word}");
            assert_eq!(cut(&mut response, &p, 5.0, Sign::Duplicates), (5.0, 6.0), "{word}");
            assert_eq!(cut(&mut response, &p, 20.0, Sign::Silence), (1.0, 6.0), "{word}");
        }
    }

    #[test]
    fn nothing_measured_leaves_two_segments() {
        let mut response = (BANDWIDTH_FIT.build)(&Params::default());
        let p = Public { mss: 1460, ..Public::default() };
        assert_eq!(cut(&mut response, &p, 20.0, Sign::Duplicates), (2.0, 2.0));
    }

    #[test]
    fn the_divisor_grows_with_losses_in_slow_start() {
        let mut params = Params::default();
        params.set("westwood_divisor_step", Value::Number(1.0)).unwrap();
        let (mut response, p) = steady(&params);
        let p = Public { ssthresh: f64::INFINITY, ..p };
        assert_eq!(cut(&mut response, &p, 20.0, Sign::Silence).1, 3.0);
        assert_eq!(cut(&mut response, &p, 20.0, Sign::Silence).1, 2.0);
        let p = Public { ssthresh: 1460.0, ..p };
        assert_eq!(cut(&mut response, &p, 20.0, Sign::Silence).1, 6.0);
    }
}
