//! Tahoe's: the threshold is halved and the window starts over at one segment, whatever the sign.
//!
//! Spec      Jacobson 1988 §3 and appendix B; RFC 2001 §2 for the threshold
//! Deviates  the flight instead of the window is halved, as RFC 5681 §3.1 has it since
//! Holds     the threshold is never below two segments

use super::halve::Halve;
use super::{Cut, Response};
use crate::mechanisms::{Cause, Part, Sign};
use crate::view::Public;

/// See the file's header.
pub const RESTART: Part<dyn Response> = Part::new("restart", "Jacobson 1988", |p| Box::new(Restart(Halve::new(p))));

#[derive(Debug)]
struct Restart(Halve);

impl Response for Restart {
    fn on_loss(&mut self, p: &Public, sign: Sign, cause: Cause) -> Cut {
        Cut { cwnd: f64::from(p.mss), ..self.0.on_loss(p, sign, cause) }
    }
}
