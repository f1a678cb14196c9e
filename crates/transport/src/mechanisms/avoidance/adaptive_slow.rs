//! Slow additive increase whose `k` follows the length of the route (adaptive SCA).
//!
//! Spec      Papanastasiou 2006 §4.5.2, Table 4.4 (measured over DSR, which its experiment runs) and §B.2, Table B.1
//!           (over AODV): the `k` of the best goodput in a string of 4 to 15 hops
//! Deviates  the tables end at 15 hops and the document says nothing of longer routes: `k` rules there, as it does
//!           where no hop count is known, and at 3 hops where parallel flows have it slowed down there
//! Holds     plain additive increase on routes shorter than `adaptive_k_from_hops`; a new hop count counts from the
//!           next acknowledgement on

use super::Avoidance;
use super::additive::per_ack;
use crate::mechanisms::slow_growth::{K, SlowGrowth};
use crate::mechanisms::{Ack, Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const ADAPTIVE_SLOW: Part<dyn Avoidance> =
    Part::<dyn Avoidance>::new("adaptive-slow", "Papanastasiou 2006 §4.5.2", |p| Box::new(AdaptiveSlow::new(p)))
        .needing(Needs::HOPS)
        .with_knobs(&[TABLE, FROM_HOPS, K]);

const TABLE: Knob = Knob::word(
    "adaptive_k_table",
    &["dsr", "aodv"],
    "the routing protocol with which k was fitted to the hop count (Papanastasiou 2006, tables 4.4 and B.1)",
);

const FROM_HOPS: Knob = Knob::count(
    "adaptive_k_from_hops",
    "hops",
    4,
    1..=255,
    "hops from which on a route is slowed down. For parallel flows: 3",
);

/// The hop count that the tables begin with.
const FIRST: u32 = 4;
/// Table 4.4.
const DSR: [u32; 12] = [42, 45, 39, 49, 47, 29, 48, 35, 10, 50, 25, 10];
/// Table B.1.
const AODV: [u32; 12] = [48, 46, 50, 48, 46, 48, 48, 31, 37, 30, 39, 39];

#[derive(Debug)]
struct AdaptiveSlow {
    table: &'static [u32; 12],
    from_hops: u32,
    /// Where the table says nothing.
    k: u32,
    growth: SlowGrowth,
}

impl AdaptiveSlow {
    fn new(params: &Params) -> Self {
        let table = if params.word(&TABLE) == "aodv" { &AODV } else { &DSR };
        let (from_hops, k) = (params.count(&FROM_HOPS), params.count(&K));
        Self { table, from_hops, k, growth: SlowGrowth::default() }
    }

    fn threshold(&self, hops: Option<u32>) -> u32 {
        let Some(hops) = hops else { return self.k };
        if hops < self.from_hops {
            return 0;
        }
        let row = hops.checked_sub(FIRST).and_then(|row| self.table.get(row as usize));
        row.copied().unwrap_or(self.k)
    }
}

impl Avoidance for AdaptiveSlow {
    fn on_ack(&mut self, p: &Public, _ack: &Ack<'_>) -> f64 {
        if self.growth.grows(self.threshold(p.hops)) { per_ack(p) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn thresholds(settings: &[(&str, Value)], hops: &[u32]) -> Vec<u32> {
        let mut params = Params::default();
        for (name, value) in settings {
            params.set(name, value.clone()).unwrap();
        }
        let part = AdaptiveSlow::new(&params);
        hops.iter().map(|&h| part.threshold(Some(h))).collect()
    }

    #[test]
    fn the_tables_are_those_of_the_thesis() {
        let hops: Vec<u32> = (4..=15).collect();
        assert_eq!(thresholds(&[], &hops), [42, 45, 39, 49, 47, 29, 48, 35, 10, 50, 25, 10], "the experiment's, DSR");
        for (word, row) in [
            ("dsr", [42, 45, 39, 49, 47, 29, 48, 35, 10, 50, 25, 10]),
            ("aodv", [48, 46, 50, 48, 46, 48, 48, 31, 37, 30, 39, 39]),
        ] {
            assert_eq!(thresholds(&[("adaptive_k_table", Value::Word(word.into()))], &hops), row, "{word}");
        }
    }

    #[test]
    fn short_routes_are_plain_and_what_no_table_has_is_k() {
        assert_eq!(thresholds(&[], &[1, 2, 3, 4, 16, 40]), [0, 0, 0, 42, 10, 10]);
        let parallel = [("adaptive_k_from_hops", Value::Number(3.0)), ("k", Value::Number(25.0))];
        assert_eq!(thresholds(&parallel, &[2, 3, 4, 16]), [0, 25, 42, 25]);
        assert_eq!(AdaptiveSlow::new(&Params::default()).threshold(None), 10);
    }
}
