//! Additive increase, by bytes: one segment per window of data acknowledged, however many ACKs that took.
//!
//! Spec      RFC 5681 §3.1 (byte counting, the recommended form)
//! Deviates  nothing
//! Holds     never adds more than one segment per ACK

use super::Avoidance;
use crate::engine::Public;
use crate::mechanisms::{Ack, Part};

/// See the file's header.
pub const BYTE_COUNTING: Part<dyn Avoidance> =
    Part { id: "byte-counting", spec: "RFC 5681 §3.1", build: |_| Box::new(ByteCounting { credit: 0.0 }) };

#[derive(Debug)]
struct ByteCounting {
    credit: f64,
}

impl Avoidance for ByteCounting {
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        self.credit += ack.acked as f64;
        if self.credit < p.cwnd {
            return 0.0;
        }
        self.credit -= p.cwnd;
        f64::from(p.mss)
    }

    fn on_cut(&mut self, _p: &Public) {
        self.credit = 0.0; // acknowledged under the old window
    }
}
