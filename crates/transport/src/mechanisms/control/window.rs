//! A window: as much may be outstanding as both congestion window and offered window allow.
//!
//! Spec      RFC 5681 §2; ns-2 `window()` where windows are counted in whole segments
//! Deviates  nothing
//! Holds     never more than the peer offers

use super::{Allowance, Control};
use crate::engine::Public;
use crate::mechanisms::Part;
use crate::params::Rounding;

/// See the file's header.
pub const WINDOW: Part<dyn Control> =
    Part::new("window", "RFC 5681 §2", |p| Box::new(Window { rounding: p.rounding }));

#[derive(Debug)]
struct Window {
    rounding: Rounding,
}

impl Control for Window {
    fn allowance(&mut self, p: &Public) -> Allowance {
        let mut window = p.window();
        if self.rounding == Rounding::WholeSegments {
            let mss = f64::from(p.mss);
            window = (window / mss).floor() * mss;
        }
        Allowance { window: window.min(p.offer as f64), rate: f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    #[test]
    fn the_smaller_window_rules() {
        let mut control = (WINDOW.build)(&Params::default());
        let p = Public { mss: 1000, cwnd: 2500.0, inflation: 1000.0, offer: 9000, ..Public::default() };
        assert_eq!(control.allowance(&p).window, 3500.0);
        assert_eq!(control.allowance(&Public { offer: 3000, ..p }).window, 3000.0);
    }

    #[test]
    fn ns2_uses_whole_segments_only() {
        let mut control = (WINDOW.build)(&Params::ns2());
        let p = Public { mss: 1000, cwnd: 2999.0, inflation: 3000.0, offer: 9000, ..Public::default() };
        assert_eq!(control.allowance(&p).window, 5000.0);
    }
}
