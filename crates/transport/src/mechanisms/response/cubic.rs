//! CUBIC's cut: seven tenths of what was outstanding; one segment after silence.
//!
//! Spec      RFC 9438 §4.6, §4.8
//! Deviates  nothing; `halved` says whether the flight (as the RFC) or the window is multiplied (§4.6 names the
//!           alternative). A cut is not taken back if it proves spurious (§4.9): that is for the timeout slot
//! Holds     the threshold is never below two segments

use super::halve::Halve;
use super::{Cut, Response};
use crate::mechanisms::avoidance::CUBIC_BETA;
use crate::mechanisms::{Cause, Part, Sign};
use crate::view::Public;

/// See the file's header.
pub const CUBIC: Part<dyn Response> =
    Part::<dyn Response>::new("cubic", "RFC 9438 §4.6", |p| Box::new(Cubic(Halve::keeping(p.number(&CUBIC_BETA), p))))
        .with_knobs(&[CUBIC_BETA]);

#[derive(Debug)]
struct Cubic(Halve);

impl Response for Cubic {
    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut {
        self.0.on_loss(p, sign, cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Params, Value};

    fn cut(params: &Params, sign: Sign) -> (f64, f64) {
        let p = Public { mss: 1000, cwnd: 12_000.0, offer: 64_000, una: 1, max: 10_001, ..Public::default() };
        let cut = (CUBIC.build)(params).on_loss(&p, sign, Cause::Congestion);
        (cut.cwnd, cut.ssthresh)
    }

    #[test]
    fn seven_tenths_of_the_flight_or_of_the_window_stay() {
        let rfc = Params::default();
        assert_eq!(cut(&rfc, Sign::Duplicates), (7000.0, 7000.0));
        assert_eq!(cut(&rfc, Sign::Silence), (1000.0, 7000.0));
        let mut window = Params::default();
        window.set("halved", Value::Word("window".into())).unwrap();
        assert_eq!(cut(&window, Sign::Duplicates), (8400.0, 8400.0));
        window.set("cubic_beta", Value::Number(0.5)).unwrap();
        assert_eq!(cut(&window, Sign::Duplicates), (6000.0, 6000.0));
    }
}
