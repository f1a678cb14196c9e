//! Additive increase, by bytes: one segment per window of data acknowledged, however many ACKs that took.
//!
//! Spec      RFC 5681 §3.1 (byte counting, the recommended form)
//! Deviates  nothing
//! Holds     never adds more than one segment per ACK

use super::Avoidance;
use crate::mechanisms::{Ack, Part};
use crate::view::Public;

/// See the file's header.
pub const BYTE_COUNTING: Part<dyn Avoidance> =
    Part::new("byte-counting", "RFC 5681 §3.1", |_| Box::new(ByteCounting { credit: 0.0 }));

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

    fn on_cut(&mut self, _p: &Public, _from: f64) {
        self.credit = 0.0; // acknowledged under the old window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;
    use crate::mechanisms::AckKind;
    use crate::mechanisms::testing::empty_segment;

    #[test]
    fn a_cut_forgets_what_was_acknowledged_before() {
        let segment = empty_segment();
        let ack = Ack::bare(AckKind::Advance, 2000, &segment);
        let p = Public { mss: 1000, cwnd: 4000.0, ..Public::default() };
        let mut part = (BYTE_COUNTING.build)(&Params::default());
        assert_eq!([part.on_ack(&p, &ack), part.on_ack(&p, &ack)], [0.0, 1000.0]);
        assert_eq!(part.on_ack(&p, &ack), 0.0);
        part.on_cut(&p, 8000.0);
        assert_eq!([part.on_ack(&p, &ack), part.on_ack(&p, &ack)], [0.0, 1000.0]);
    }
}
