//! Additive increase, per ACK: about one segment per round trip if every segment is acknowledged.
//!
//! Spec      RFC 5681 §3.1 equation 3; ns-2 `windowOption_` 1
//! Deviates  nothing
//! Holds     with one ACK per two segments it grows half as fast (byte counting does not)

use super::Avoidance;
use crate::mechanisms::{Ack, Part};
use crate::view::Public;

/// See the file's header.
pub const ADDITIVE: Part<dyn Avoidance> = Part::new("additive", "RFC 5681 §3.1 equation 3", |_| Box::new(Additive));

#[derive(Debug)]
struct Additive;

impl Avoidance for Additive {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        per_ack(p)
    }
}

/// What one acknowledgement adds, in bytes.
pub(super) fn per_ack(p: &Public) -> f64 {
    let mss = f64::from(p.mss);
    mss * mss / p.cwnd
}
