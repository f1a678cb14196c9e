//! The sender's own count decides how much leaves, not what is outstanding: the peer's offer alone limits that.
//!
//! Spec      Velayutham 2005 §2.5.1.2 (a window per round trip, whether acknowledgements arrive or not)
//! Deviates  nothing
//! Holds     never more than the peer offers; a window of a segment at least. The count is the clocking slot's (`explicit`)

use super::{Allowance, Control, float};
use crate::mechanisms::Part;
use crate::view::Public;

/// See the file's header.
pub const EXPLICIT: Part<dyn Control> = Part::new("explicit", "Velayutham 2005 §2.5.1.2", |_| Box::new(Explicit));

#[derive(Debug)]
struct Explicit;

impl Control for Explicit {
    fn allowance(&mut self, p: &Public) -> Allowance {
        Allowance { window: float(p.offer), rate: f64::INFINITY }
    }

    fn limits_outstanding(&self) -> bool {
        false
    }

    fn bounds(&self, p: &Public) -> (f64, f64) {
        (f64::from(p.mss), f64::INFINITY) // more is outstanding, and lost, than a window that small would let go
    }
}
