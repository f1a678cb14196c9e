//! Self-clocked: a segment leaves as soon as an arriving acknowledgement makes room for it.
//!
//! Spec      RFC 5681 §3; the cap on bursts after RFC 6582 §3.2 step 3 and ns-2 `maxburst_`
//! Deviates  nothing
//! Holds     at most `max_burst_segments` per event; the rest waits for the next event, not for a timer

use hopwright_machine::Time;

use super::Clocking;
use crate::mechanisms::Part;
use crate::view::Public;

/// See the file's header.
pub const SELF_CLOCKED: Part<dyn Clocking> = Part::new("self-clocked", "RFC 5681 §3", |p| {
    Box::new(SelfClocked { burst: (p.max_burst_segments > 0).then_some(p.max_burst_segments) })
});

#[derive(Debug)]
struct SelfClocked {
    burst: Option<u32>,
}

impl Clocking for SelfClocked {
    fn burst(&mut self, _p: &Public) -> Option<u32> {
        self.burst
    }

    fn departure(&mut self, p: &Public, _bytes: u32) -> Time {
        p.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    #[test]
    fn zero_means_no_cap() {
        let build = |max_burst_segments| (SELF_CLOCKED.build)(&Params { max_burst_segments, ..Params::default() });
        assert_eq!(build(0).burst(&Public::default()), None);
        assert_eq!(build(3).burst(&Public::default()), Some(3));
    }
}
