//! A window whose limit follows the length of the route (adaptive CWL).
//!
//! Spec      Chen, Xue and Nahrstedt 2003, as Papanastasiou 2006 §4.4.2, Table 4.2 reproduces it
//! Deviates  beyond 15 hops, where the table says "not obtained", and as long as no hop count is known, there is no
//!           limit. While a route is broken its last length counts
//! Holds     a fixed limit, if set, holds too; the smaller rules. A limit that shrinks takes nothing back: nothing is
//!           sent until less is outstanding

use super::window::{LIMITS, Window};
use super::{Allowance, Control};
use crate::mechanisms::{Needs, Part};
use crate::view::Public;

/// See the file's header.
pub const ADAPTIVE_CWL: Part<dyn Control> =
    Part::<dyn Control>::new("adaptive-cwl", "Chen, Xue and Nahrstedt 2003", |p| Box::new(AdaptiveCwl(Window::new(p))))
        .needing(Needs::HOPS)
        .with_knobs(LIMITS);

#[derive(Debug)]
struct AdaptiveCwl(Window);

/// Segments that may be outstanding over so many hops (Papanastasiou 2006, Table 4.2).
const fn limit(hops: Option<u32>) -> f64 {
    let Some(hops) = hops else { return f64::INFINITY };
    match hops {
        0..=2 | 5..=6 => 2.0,
        3..=4 => 1.0,
        7..=10 => 3.0,
        11..=13 => 4.0,
        14..=15 => 5.0,
        _ => f64::INFINITY,
    }
}

impl Control for AdaptiveCwl {
    fn allowance(&mut self, p: &Public) -> Allowance {
        self.0.allowance_within(p, limit(p.hops))
    }

    fn bounds(&self, p: &Public) -> (f64, f64) {
        self.0.bounds_within(p, limit(p.hops))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_that_of_the_thesis() {
        let limits: Vec<f64> = (1..=15).map(|hops| limit(Some(hops))).collect();
        assert_eq!(limits, [2., 2., 1., 1., 2., 2., 3., 3., 3., 3., 4., 4., 4., 5., 5.]);
        assert_eq!([limit(Some(16)), limit(None)], [f64::INFINITY; 2]);
    }
}
