//! What a number of the file may be, and the bounds that many numbers share.

/// The numbers allowed under a key.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The key within its table: `start_s`.
    pub key: &'static str,
    /// The smallest number, or the one that all must exceed.
    pub least: f64,
    /// Whether `least` itself is allowed.
    pub inclusive: bool,
    /// The largest number.
    pub most: f64,
}

impl Limit {
    /// Whether `n` is allowed. No limit allows infinity or "not a number".
    #[must_use]
    pub fn allows(&self, n: f64) -> bool {
        n <= self.most && if self.inclusive { n >= self.least } else { n > self.least }
    }

    /// The same of a whole number, which a floating-point number may not hold exactly.
    #[must_use]
    pub fn allows_whole(&self, n: i64) -> bool {
        self.allows(n as f64) && i128::from(n) <= self.most as i128
    }

    /// The range in words, to whoever gave `found`: what the bits of a whole number can hold is no news where the number is
    /// too small.
    #[must_use]
    pub fn describe(&self, found: f64) -> String {
        let Self { least, most, .. } = self;
        let is_only_of_bits = [COUNT, LARGEST].contains(most);
        if is_only_of_bits && self.inclusive && found < *least {
            format!("from {least} up")
        } else if self.inclusive {
            format!("from {least} to {most}")
        } else {
            format!("above {least}, up to {most}")
        }
    }
}

pub(super) const fn from(key: &'static str, least: f64, most: f64) -> Limit {
    Limit { key, least, inclusive: true, most }
}

pub(super) const fn above(key: &'static str, least: f64, most: f64) -> Limit {
    Limit { key, least, inclusive: false, most }
}

/// What floating-point numbers, and those who read JSON into them, still hold exactly: 2^53.
pub(super) const LARGEST: f64 = 9_007_199_254_740_992.0;
pub(super) const COUNT: f64 = u32::MAX as f64;
/// Longer than any run.
pub(super) const LONGEST_S: f64 = 1e6;

/// The clock's step: a shorter time would be none.
pub(super) const STEP_US: f64 = 0.001;
/// The shortest time after which a protocol does something of its own accord, or forgets: what happens without end, or
/// again and again, must let time pass. Shorter than any frame at the rates of today.
pub(super) const SHORTEST_S: f64 = 1e-6;
pub(super) const SHORTEST_MS: f64 = 1e-3;
/// The shortest time between two things that happen for ever, of each node: the run would not get on otherwise.
pub(super) const PERIOD_S: f64 = 1e-3;
pub(super) const PERIOD_MS: f64 = 1.0;
/// The shortest length that a node goes, or a link bridges.
pub(super) const SHORTEST_M: f64 = 1e-3;
